package eval

import (
	"github.com/almanac-sim/almanac/population/internal/diag"
	"github.com/almanac-sim/almanac/population/internal/law"
	"github.com/almanac-sim/almanac/population/internal/quantity"
	"github.com/almanac-sim/almanac/population/internal/syntax"
)

// A cachedLaw is the result of Scope.Law.
type cachedLaw struct {
	law law.Law
	ok  bool
}

// Law evaluates a distribution of durations, and reports false if it cannot. A duration is the
// distribution that is always that duration.
func (s Scope) Law(v syntax.Value, what string) (law.Law, bool) {
	got, at, ok := s.Resolve(v, what)
	if !ok {
		return law.Law{}, false
	}
	if got.Distribution == nil {
		if k := got.Quantity.Kind; k == quantity.Rate || k == quantity.Share {
			name := DescribeResolved(v, got)
			if v.Name != "" || got.Computed {
				name += ","
			}
			s.Report(v, at, "%s: %s is %s; expected a duration such as %s or a distribution such as %s", what,
				name, k, quantity.Duration.Example(), quantity.Distribution.Example())
			return law.Law{}, false
		}
		x, ok := s.Duration(v, what)
		return law.Exactly(x), ok
	}
	if got.Distribution.IsWhole() {
		s.Report(v, at, "%s: found whole numbers, expected a duration such as %s or a distribution such as %s", what,
			quantity.Duration.Example(), quantity.Distribution.Example())
		return law.Law{}, false
	}
	varies := s.dependsOnCell(got.Distribution)
	if done, ok := s.laws[got.Distribution]; ok && !varies {
		return done.law, done.ok
	}
	what += ": " + got.Distribution.Family
	var l law.Law
	if ok = !s.distributionComplexity(got, what, nil).bad; ok { // not circular, and not too large
		l, ok = s.distribution(got.Distribution, what)
	}
	if ok && !l.Valid() {
		s.ReportTogether(v.At, []syntax.Value{v}, "%s: its arguments are too large or too small to work with", what)
		l, ok = law.Law{}, false
	}
	if !varies {
		s.laws[got.Distribution] = cachedLaw{l, ok}
	}
	return l, ok
}

// dependsOnCell reports whether a distribution must be evaluated for each cell.
func (s Scope) dependsOnCell(l *syntax.Distribution) bool {
	return (s.Own != nil || s.met != nil) && s.Dependence(syntax.Value{Distribution: l}).Cells()
}

// distribution evaluates a distribution that is written out. A new family is added here, in
// syntax.Families and in package law.
func (s Scope) distribution(l *syntax.Distribution, what string) (law.Law, bool) {
	good := true
	argument := func(name string, work func(syntax.Value, string) (float64, bool)) float64 {
		x, ok := work(l.Args[name], what+": "+name)
		good = good && ok
		return x
	}
	switch l.Family {
	case "exactly":
		x, ok := s.Duration(l.Args["value"], what)
		return law.Exactly(x), ok
	case "exponential":
		if r, ok := l.Args["rate"]; ok {
			rate := argument("rate", s.Rate)
			if good && rate == 0 {
				got, _, _ := s.Resolve(r, what)
				s.ReportTogether(r.At, []syntax.Value{r}, "%s: rate: %s: expected a rate above 0", what,
					DescribeResolved(r, got))
				good = false
			}
			return law.Exponential(rate), good
		}
		mean := argument("mean", s.PositiveDuration)
		return law.Exponential(1 / mean), good
	case "gamma":
		mean, shape := argument("mean", s.PositiveDuration), argument("shape", s.PositiveNumber)
		return law.Gamma(mean, shape), good
	case "erlang":
		mean, k := argument("mean", s.PositiveDuration), argument("k", s.PositiveNumber)
		if good && k != float64(int(k)) {
			s.ReportTogether(l.Args["k"].At, []syntax.Value{l.Args["k"]},
				"%s: k: %.12g: expected a whole number of stages; gamma takes any shape", what, k)
			good = false
		}
		return law.Gamma(mean, k), good
	case "weibull":
		scale, shape := argument("scale", s.PositiveDuration), argument("shape", s.PositiveNumber)
		return law.Weibull(scale, shape), good
	case "lognormal":
		mean, sd := argument("mean", s.PositiveDuration), argument("sd", s.PositiveDuration)
		return law.Lognormal(mean, sd), good
	case "gompertz":
		return s.gompertz(l, what)
	case "uniform":
		low, high := argument("low", s.Duration), argument("high", s.PositiveDuration)
		if good && !(low < high) {
			ends := []syntax.Value{l.Args["low"], l.Args["high"]}
			s.ReportTogether(ends[1].At, ends, "%s: high is %s, which is not above low, %s", what, s.Describe(ends[1]),
				s.Describe(ends[0]))
			good = false
		}
		return law.Uniform(low, high), good
	case "hazard":
		return s.hazard(l, what)
	case "mixture":
		return s.mixture(l, what)
	case "function":
		made, problem := law.Supplied(l.Function)
		if problem != "" {
			s.Add(diag.Place{}, "%s: its survival function %s", what, problem)
		}
		return made, problem == ""
	}
	panic("population: no such family: " + l.Family)
}

// gompertz evaluates a lifetime whose hazard grows. The hazard may also fall: growth is the only
// rate that can be negative.
func (s Scope) gompertz(l *syntax.Distribution, what string) (law.Law, bool) {
	rate, good := s.Within(l.Args["rate"], what+": rate", quantity.Rate, func(x float64) bool { return x > 0 },
		"expected a rate above 0")
	growth, _, ok := s.Quantity(l.Args["growth"], what+": growth", quantity.Rate)
	good = good && ok
	makeham := 0.0
	if v, told := l.Args["makeham"]; told {
		makeham, ok = s.Rate(v, what+": makeham")
		good = good && ok
	}
	return law.Gompertz(rate, growth, makeham), good
}

// hazard evaluates a lifetime with a piecewise constant hazard.
func (s Scope) hazard(l *syntax.Distribution, what string) (law.Law, bool) {
	var from, rate []float64
	good := true
	for i, step := range l.Steps {
		x, ok := s.Duration(step.From, what)
		good = good && ok
		switch {
		case good && i == 0 && x != 0:
			s.ReportTogether(step.From.At, []syntax.Value{step.From},
				"%s: the first age is %s; expected 0 years, since there must be a rate from the beginning", what,
				s.Describe(step.From))
			good = false
		case good && i > 0 && !(x > from[i-1]):
			s.ReportTogether(step.From.At, []syntax.Value{l.Steps[i-1].From, step.From},
				"%s: %s does not come after the age before it", what, s.Describe(step.From))
			good = false
		}
		r, ok := s.Rate(step.Rate, what+": from "+step.From.Text)
		good = good && ok
		from, rate = append(from, x), append(rate, r)
	}
	return law.Hazard(from, rate), good
}

// mixture evaluates a distribution drawn from several, by their shares.
func (s Scope) mixture(l *syntax.Distribution, what string) (law.Law, bool) {
	var shares []float64
	var parts []law.Law
	var written []syntax.Value
	sum, good := 0.0, true
	for _, p := range l.Parts {
		written = append(written, p.Share)
		share, shareOK := s.Chance(p.Share, what+": share")
		part, partOK := s.Law(p.Of, what+": of")
		good = good && shareOK && partOK
		shares, parts, sum = append(shares, share), append(parts, part), sum+share
	}
	if good && !IsOne(sum) {
		s.ReportTogether(l.Parts[0].Share.At, written, "%s: the shares add up to %.6g, expected 1", what, sum)
		good = false
	}
	return law.Mixture(shares, parts), good
}
