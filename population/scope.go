package population

import (
	"fmt"
	"maps"
	"math"
	"slices"
	"strconv"
	"strings"
)

// A scope knows what the names of parameters stand for at some time of a run, and works values out in the unit of the
// model. Values that cannot be worked out are reported, and then read as zero.
type scope struct {
	*problemList
	unit       unit
	parameters map[string]parameter
}

// A parameter is a value with a name.
type parameter struct {
	value
	changed bool // by an intervention or by --set: what is wrong with it is then to be reported there
}

// with returns a scope in which some parameters are others.
func (s scope) with(changes map[string]parameter) scope {
	s.parameters = maps.Clone(s.parameters)
	maps.Copy(s.parameters, changes)
	return s
}

// resolve follows names until something is written out. The place is where to report what is wrong with it.
func (s scope) resolve(v value, what string) (value, place, bool) {
	if v.bad {
		return v, v.at, false
	}
	at := v.at
	for steps := 0; v.name != ""; steps++ {
		p, ok := s.parameters[v.name]
		switch {
		case !ok && strings.ContainsAny(v.name, " \t"):
			s.add(v.at, "%s: %q is neither a quantity such as %s nor the name of a parameter", what, v.name, aDuration.like())
			return v, at, false
		case !ok:
			s.add(v.at, "%s: %s", what, unknown("parameter", v.name, slices.Sorted(maps.Keys(s.parameters))))
			return v, at, false
		case steps > len(s.parameters):
			s.add(v.at, "%s: the parameter %q stands for itself", what, v.name)
			return v, at, false
		case p.bad:
			return v, at, false
		}
		if p.changed {
			at = p.at
		}
		v = p.value
	}
	return v, at, true
}

// describe is a value with the name it goes by, for a message.
func describe(given, resolved value) string {
	if given.name != "" {
		return fmt.Sprintf("parameter %s, %s,", given.name, resolved.text)
	}
	return resolved.text
}

// quantity works out a value that must be of one kind.
func (s scope) quantity(v value, what string, want kind) (float64, place, bool) {
	got, at, ok := s.resolve(v, what)
	if !ok {
		return 0, at, false
	}
	if got.law != nil {
		s.add(at, "%s: %s is a distribution; expected %s such as %s", what, describe(v, got), want, want.like())
		return 0, at, false
	}
	k := got.quantity.kind
	if k == want || want == aShare && k == aNumber {
		x := got.quantity.in(s.unit)
		if math.IsInf(x, 0) || x == 0 && got.quantity.number != 0 {
			s.add(at, "%s: %s is too large or too small for a time in %ss", what, describe(v, got), s.unit.name)
			return 0, at, false
		}
		return x, at, true
	}
	switch {
	case k == aNumber && want == aDuration:
		s.add(at, "%s: %s has no unit; write %s %ss, or whatever the unit is", what, describe(v, got), got.text, s.unit.name)
	case k == aNumber && want == aRate:
		s.add(at, "%s: %s has no unit; write %s per %s, or whatever the unit is", what, describe(v, got), got.text, s.unit.name)
	default:
		s.add(at, "%s: %s is %s; expected %s such as %s", what, describe(v, got), k, want, want.like())
	}
	return 0, at, false
}

// rate is a rate per unit of the model, not negative.
func (s scope) rate(v value, what string) float64 {
	x, at, ok := s.quantity(v, what, aRate)
	if ok && !(x >= 0) {
		s.add(at, "%s: %s: a rate cannot be negative", what, v.text)
		return 0
	}
	return x
}

// chance is a probability.
func (s scope) chance(v value, what string) float64 {
	x, at, ok := s.quantity(v, what, aShare)
	if ok && !(x >= 0 && x <= 1) {
		s.add(at, "%s: %s: a probability is between 0 and 1, or 0%% and 100%%", what, v.text)
		return 0
	}
	return x
}

// duration is a time in units of the model, not negative; positive if told.
func (s scope) duration(v value, what string, positive bool) (float64, bool) {
	x, at, ok := s.quantity(v, what, aDuration)
	if ok && !(x >= 0) {
		s.add(at, "%s: %s: a duration cannot be negative", what, v.text)
		return 0, false
	}
	if ok && positive && x == 0 {
		s.add(at, "%s: %s: expected more than nothing", what, v.text)
		return 0, false
	}
	return x, ok
}

// positive is a number above zero.
func (s scope) positive(v value, what string) (float64, bool) {
	x, at, ok := s.quantity(v, what, aNumber)
	if ok && !(x > 0) {
		s.add(at, "%s: %s: expected a number above 0", what, v.text)
		return 0, false
	}
	return x, ok
}

// law works out a distribution of durations; a duration stands for itself, exactly. It reports false if it cannot.
func (s scope) law(v value, what string) (law, bool) {
	got, at, ok := s.resolve(v, what)
	if !ok {
		return law{}, false
	}
	if got.law == nil {
		if got.quantity.kind == aRate || got.quantity.kind == aShare {
			s.add(at, "%s: %s is %s; expected a duration such as %s or a distribution such as %s", what, describe(v, got), got.quantity.kind, aDuration.like(), aDistribution.like())
			return law{}, false
		}
		x, ok := s.duration(v, what, false)
		return exactly(x), ok
	}
	l := got.law
	what += ": " + l.family
	good := true
	duration := func(name string) float64 {
		x, ok := s.duration(l.args[name], what+": "+name, name != "low")
		good = good && ok
		return x
	}
	number := func(name string) float64 {
		x, ok := s.positive(l.args[name], what+": "+name)
		good = good && ok
		return x
	}
	switch l.family {
	case "exactly":
		x, ok := s.duration(l.args["value"], what, false)
		return exactly(x), ok
	case "exponential":
		if r, ok := l.args["rate"]; ok {
			x := s.rate(r, what+": rate")
			if good = x > 0; !good {
				s.add(r.at, "%s: rate: %s: expected a rate above 0", what, r.text)
			}
			return exponential(x), good
		}
		mean := duration("mean")
		return exponential(1 / mean), good
	case "gamma":
		mean, shape := duration("mean"), number("shape")
		return gamma(mean, shape), good
	case "erlang":
		mean, k := duration("mean"), number("k")
		if good && k != float64(int(k)) {
			s.add(l.args["k"].at, "%s: k: %s: expected a whole number of stages; gamma takes any shape", what, strconv.FormatFloat(k, 'g', -1, 64))
			good = false
		}
		return gamma(mean, k), good
	case "weibull":
		scale, shape := duration("scale"), number("shape")
		return weibull(scale, shape), good
	case "lognormal":
		mean, sd := duration("mean"), duration("sd")
		return lognormal(mean, sd), good
	case "uniform":
		low, high := duration("low"), duration("high")
		if good && !(low < high) {
			s.add(l.args["high"].at, "%s: high is %s, which is not above low, %s", what, l.args["high"].text, l.args["low"].text)
			good = false
		}
		return uniform(low, high), good
	case "hazard":
		return s.hazard(l, what)
	case "mixture":
		return s.mixture(l, what)
	}
	panic("population: no such family: " + l.family)
}

func (s scope) hazard(l *lawValue, what string) (law, bool) {
	var from, rate []float64
	good := true
	for i, step := range l.steps {
		x, ok := s.duration(step.from, what, false)
		good = good && ok
		switch {
		case good && i == 0 && x != 0:
			s.add(step.from.at, "%s: the first age is %s; expected 0 years, since there must be a rate from the beginning", what, step.from.text)
			good = false
		case good && i > 0 && !(x > from[i-1]):
			s.add(step.from.at, "%s: %s does not come after the age before it", what, step.from.text)
			good = false
		}
		from = append(from, x)
		rate = append(rate, s.rate(step.rate, what+": from "+step.from.text))
	}
	return hazard(from, rate), good
}

func (s scope) mixture(l *lawValue, what string) (law, bool) {
	var shares []float64
	var parts []law
	sum, good := 0.0, true
	for _, p := range l.parts {
		share := s.chance(p.share, what+": share")
		part, ok := s.law(p.of, what+": of")
		good = good && ok
		shares, parts, sum = append(shares, share), append(parts, part), sum+share
	}
	if good && !isOne(sum) {
		s.add(l.parts[0].share.at, "%s: the shares add up to %.6g, expected 1", what, sum)
		good = false
	}
	return mixture(shares, parts), good
}

// isOne allows for probabilities that are written with six digits.
func isOne(sum float64) bool { return sum > 1-1e-6 && sum < 1+1e-6 }
