package compile

import (
	"fmt"
	"math"

	"github.com/almanac-sim/almanac/internal/expr"
	"github.com/almanac-sim/almanac/population/internal/program"
	"github.com/almanac-sim/almanac/population/internal/syntax"
)

// Part makes a term of a value that something else is made of.
func (s Scope) Part(v syntax.Value, what string) (measured, bool) {
	got, at, ok := s.Stands(v, what)
	switch {
	case !ok:
		return measured{}, false
	case got.Distribution != nil:
		s.complain(v, at, "%s: found a distribution, expected a value such as %s", what, syntax.KindAny.Like())
		return measured{}, false
	case got.CountDependent != nil:
		s.complain(v, at, "%s: %s depends on how many there are, and cannot be part of something else", what, s.saying(v, got))
		return measured{}, false
	}
	return s.build(got, what)
}

// Clock is a time on the model's clock: a number in its unit, a duration, or a date.
func (s Scope) Clock(v syntax.Value, what string) (float64, bool) {
	got, at, ok := s.Resolve(v, what)
	if !ok {
		return 0, false
	}
	if got.Distribution != nil {
		s.complain(v, at, "%s: found a distribution, expected a time such as 15 days", what)
		return 0, false
	}
	x, err := s.Zero.Clock(got.Quantity, s.unit)
	switch {
	case err != nil:
		s.complain(v, at, "%s: %s is %v", what, called(v, got), err)
		return 0, false
	case math.IsInf(x, 0):
		s.complain(v, at, "%s: %s is too large for a time in %ss", what, called(v, got), s.unit.Name)
		return 0, false
	}
	return x, true
}

// mostTurns is of how many periods a time can be away from another so that it is known to a thousandth where in a period it is.
const mostTurns = 1e12

// season makes a term of mean·(1 + amplitude·cos 2π(t − peak)/period).
func (s Scope) season(v syntax.Value, what string) (measured, bool) {
	c := v.TimeVarying
	what += ": seasonal"
	mean, good := s.Part(c.Mean, what+": mean")
	amplitude, ok := s.Within(c.Amplitude, what+": amplitude", syntax.KindShare, func(x float64) bool { return x >= 0 && x <= 1 }, "an amplitude is between 0% and 100%")
	good = good && ok
	peak, ok := s.Clock(c.Peak, what+": peak")
	good = good && ok
	period, ok := s.Longer(c.Period, what+": period")
	if !good || !ok {
		return measured{}, false
	}
	wave := &program.Term{Op: program.TermWave, X: amplitude, Period: period}
	if turns := max(math.Abs(s.start-peak), s.end-s.start) / period; turns > mostTurns {
		s.complain(c.Period, c.Period.At, "%s: period: %s: from the peak or the start to the end there are more than a trillion of them, too many to tell where in one a time is", what, s.written(c.Period))
		return measured{}, false
	}
	wave.Phase = (s.start - peak) / period
	wave.Phase -= math.Floor(wave.Phase)
	if amplitude == 0 {
		return mean, true
	}
	return measured{program.Join(expr.Multiply, mean.Term, wave), mean.Dimension}, true
}

// through makes a term of steps, or of a line.
func (s Scope) through(v syntax.Value, what string) (measured, bool) {
	c := v.TimeVarying
	what += ": " + c.Form
	t := &program.Term{Op: program.TermSteps, Times: make([]float64, len(c.Knots)), Values: make([]float64, len(c.Knots))}
	if c.Form == "line" {
		t.Op = program.TermLine
	}
	var d syntax.Dimension
	for i := range c.Knots {
		k := &c.Knots[i]
		at, err := s.Zero.Clock(k.Time, s.unit)
		switch {
		case err != nil:
			s.complain(syntax.Value{At: k.At}, k.At, "%s: %s is %v", what, k.Text, err)
			return measured{}, false
		case math.IsInf(at, 0):
			s.complain(syntax.Value{At: k.At}, k.At, "%s: %s is too large for a time in %ss", what, k.Text, s.unit.Name)
			return measured{}, false
		case i > 0 && !(at-s.start > t.Times[i-1]):
			s.complain(syntax.Value{At: k.At}, k.At, "%s: %s does not come after %s, the time before it", what, k.Text, c.Knots[i-1].Text)
			return measured{}, false
		}
		m, ok := s.Part(k.Value, fmt.Sprintf("%s: %s", what, k.Text))
		if !ok {
			return measured{}, false
		}
		if m.Op != program.TermConstant {
			s.complain(k.Value, k.Value.At, "%s: %s: %s changes with time by itself, and cannot be one of the %s; multiply the two in an expression", what, k.Text, s.saying(k.Value, k.Value), c.Plural())
			return measured{}, false
		}
		if i == 0 {
			d = m.Dimension
		} else if m.Dimension != d {
			first := &c.Knots[0].Value
			s.broken(k.Value.At, []syntax.Value{*first, k.Value}, "%s: %s: %s is %s, and %s, of the first time, is %s; expected the same kind of value for all", what,
				k.Text, s.written(k.Value), m.Words(s.unit), s.written(*first), d.Words(s.unit))
			return measured{}, false
		}
		t.Times[i], t.Values[i] = at-s.start, m.X
	}
	if len(t.Times) == 1 {
		return measured{program.Constant(t.Values[0]), d}, true
	}
	return measured{t, d}, true
}
