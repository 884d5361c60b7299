package compile

import (
	"fmt"

	"github.com/almanac-sim/almanac/internal/format"
	"github.com/almanac-sim/almanac/population/internal/diag"
	"github.com/almanac-sim/almanac/population/internal/program"
	"github.com/almanac-sim/almanac/population/internal/syntax"
)

// repeat repeats the knots of steps or of a line with their period, if they have one, from before
// the start of the run to after its end.
func (s Scope) repeat(t *program.Term, v syntax.Value, what string) bool {
	c := v.TimeVarying
	if !c.Period.Given() && c.Months == 0 {
		return true
	}
	later := func(x float64, k int) float64 { // knots are relative to the start of the run
		return s.Zero.AddMonths(s.start+x, k*c.Months, s.unit) - s.start
	}
	words, at := syntax.CalendarWords(c.Months), v.At
	if c.Months == 0 {
		period, ok := s.PositiveDuration(c.Period, what+": period")
		if !ok {
			return false
		}
		later = func(x float64, k int) float64 { return x + float64(float64(k)*period) }
		words, at = c.Period.Text, c.Period.At
	}
	n := len(t.Times)
	fail := func(format string, args ...any) bool {
		s.reportValue(syntax.Value{At: at}, at, "%s: period: %s", what, fmt.Sprintf(format, args...))
		return false
	}
	span := s.end - s.start
	switch first, last := t.Times[0], t.Times[n-1]; {
	case !(last < later(first, 1)):
		return fail("from %s to %s it is not less than the period, %s", c.Knots[0].Text, c.Knots[n-1].Text,
			diag.Shorten(words))
	case !(span > 0):
		return true // another problem has been reported
	}
	k := 0
	for ; later(t.Times[0], k) > 0; k-- { // back to the start
		if -k*n > syntax.MaxTableRows {
			return fail("it is repeated too often: more than %s times", format.Thousands(syntax.MaxTableRows))
		}
	}
	for later(t.Times[0], k+1) <= 0 { // the run may start long after the first knot
		k++
	}
	var times, values []float64
	for done := false; !done; k++ {
		for i := range n {
			x := later(t.Times[i], k)
			// The first is the last at or before the start, the last the first after the end.
			if last := len(times) - 1; last == 0 && x <= 0 || last >= 0 && x <= times[last] {
				times, values = times[:last], values[:last]
			}
			times, values = append(times, x), append(values, t.Values[i])
			if done = x > span; done {
				break
			}
		}
		if len(times) > syntax.MaxTableRows {
			return fail("it is repeated too often: more than %s times", format.Thousands(syntax.MaxTableRows))
		}
	}
	t.Times, t.Values = times, values
	return true
}
