package population

import (
	"fmt"
	"math"

	"github.com/almanac-sim/almanac/internal/expr"
)

// part makes a term of a value that something else is made of.
func (s scope) part(v value, what string) (measured, bool) {
	got, at, ok := s.stands(v, what)
	switch {
	case !ok:
		return measured{}, false
	case got.law != nil:
		s.complain(v, at, "%s: found a distribution, expected a value such as %s", what, aValue.like())
		return measured{}, false
	case got.count != nil:
		s.complain(v, at, "%s: %s depends on how many there are, and cannot be part of something else", what, s.saying(v, got))
		return measured{}, false
	}
	return s.build(got, what)
}

// clock is a time on the model's clock: a number in its unit, a duration, or a date.
func (s scope) clock(v value, what string) (float64, bool) {
	got, at, ok := s.resolve(v, what)
	if !ok {
		return 0, false
	}
	if got.law != nil {
		s.complain(v, at, "%s: found a distribution, expected a time such as 15 days", what)
		return 0, false
	}
	x, err := s.zero.clock(got.quantity, s.unit)
	switch {
	case err != nil:
		s.complain(v, at, "%s: %s is %v", what, called(v, got), err)
		return 0, false
	case math.IsInf(x, 0):
		s.complain(v, at, "%s: %s is too large for a time in %ss", what, called(v, got), s.unit.name)
		return 0, false
	}
	return x, true
}

// mostTurns is of how many periods a time can be away from another so that it is known to a thousandth where in a period it is.
const mostTurns = 1e12

// season makes a term of mean·(1 + amplitude·cos 2π(t − peak)/period).
func (s scope) season(v value, what string) (measured, bool) {
	c := v.course
	what += ": seasonal"
	mean, good := s.part(c.mean, what+": mean")
	amplitude, ok := s.within(c.amplitude, what+": amplitude", aShare, func(x float64) bool { return x >= 0 && x <= 1 }, "an amplitude is between 0% and 100%")
	good = good && ok
	peak, ok := s.clock(c.peak, what+": peak")
	good = good && ok
	period, ok := s.longer(c.period, what+": period")
	if !good || !ok {
		return measured{}, false
	}
	wave := &term{op: termWave, x: amplitude, period: period}
	if turns := max(math.Abs(s.start-peak), s.end-s.start) / period; turns > mostTurns {
		s.complain(c.period, c.period.at, "%s: period: %s: from the peak or the start to the end there are more than a trillion of them, too many to tell where in one a time is", what, s.written(c.period))
		return measured{}, false
	}
	wave.phase = (s.start - peak) / period
	wave.phase -= math.Floor(wave.phase)
	if amplitude == 0 {
		return mean, true
	}
	return measured{join(expr.Multiply, mean.term, wave), mean.dimension}, true
}

// through makes a term of steps, or of a line.
func (s scope) through(v value, what string) (measured, bool) {
	c := v.course
	what += ": " + c.form
	t := &term{op: termSteps, times: make([]float64, len(c.knots)), values: make([]float64, len(c.knots))}
	if c.form == "line" {
		t.op = termLine
	}
	var d dimension
	for i := range c.knots {
		k := &c.knots[i]
		at, err := s.zero.clock(k.time, s.unit)
		switch {
		case err != nil:
			s.complain(value{at: k.at}, k.at, "%s: %s is %v", what, k.text, err)
			return measured{}, false
		case math.IsInf(at, 0):
			s.complain(value{at: k.at}, k.at, "%s: %s is too large for a time in %ss", what, k.text, s.unit.name)
			return measured{}, false
		case i > 0 && !(at-s.start > t.times[i-1]):
			s.complain(value{at: k.at}, k.at, "%s: %s does not come after %s, the time before it", what, k.text, c.knots[i-1].text)
			return measured{}, false
		}
		m, ok := s.part(k.value, fmt.Sprintf("%s: %s", what, k.text))
		if !ok {
			return measured{}, false
		}
		if m.op != termConstant {
			s.complain(k.value, k.value.at, "%s: %s: %s changes with time by itself, and cannot be one of the %s; multiply the two in an expression", what, k.text, s.saying(k.value, k.value), c.plural())
			return measured{}, false
		}
		if i == 0 {
			d = m.dimension
		} else if m.dimension != d {
			first := &c.knots[0].value
			s.broken(k.value.at, []value{*first, k.value}, "%s: %s: %s is %s, and %s, of the first time, is %s; expected the same kind of value for all", what,
				k.text, s.written(k.value), m.words(s.unit), s.written(*first), d.words(s.unit))
			return measured{}, false
		}
		t.times[i], t.values[i] = at-s.start, m.x
	}
	if len(t.times) == 1 {
		return measured{constant(t.values[0]), d}, true
	}
	return measured{t, d}, true
}
