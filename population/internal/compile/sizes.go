package compile

import (
	"math"

	"github.com/almanac-sim/almanac/internal/expr"
	"github.com/almanac-sim/almanac/population/internal/diag"
	"github.com/almanac-sim/almanac/population/internal/program"
	"github.com/almanac-sim/almanac/population/internal/syntax"
)

// sizes returns how many may be alive, by size class. If nobody can enter there is one class, the
// size at the start. Otherwise the first has room for twice as many, and each for twice as many as
// the one before.
func (c *compiler) sizes() []int {
	f := c.file
	if !f.CanEnter() {
		return []int{f.Size}
	}
	all := []int{max(2*f.Size, 64)}
	for all[len(all)-1] < f.Most {
		all = append(all, 2*all[len(all)-1])
	}
	return all
}

// boundBySize finds the bound of a rate that depends on counts, for each size class. It reports
// false if there is none.
func (s Scope) boundBySize(
	tv *program.TimeVarying, m DimTerm, v, got syntax.Value, at diag.Place, what string,
) bool {
	for _, most := range s.sizes {
		// The end of the run does not count, so that one that goes on has the same draws.
		_, high := m.BoundsUpTo(0, math.MaxFloat64/4, float64(most))
		if math.IsNaN(high) || math.IsInf(high, 0) {
			s.reportValue(v, at, "%s: no bound of %s follows from the file, so that it cannot be drawn; write most: and what "+
				"it never exceeds", what, got.CountDependent.Value.Text)
			return false
		}
		tv.Maxes = append(tv.Maxes, max(high, 0))
	}
	if len(tv.Maxes) == 0 {
		return false // another problem has been reported
	}
	tv.Max = tv.Maxes[0]
	return true
}

// rateKey is the key of a rate, for messages.
func rateKey(rate syntax.Value) string {
	if rate.CountDependent != nil && rate.CountDependent.Pairs {
		return ": rate each"
	}
	return ": rate"
}

// ratePerPair returns the rate at which an individual meets others of a contact with rate each:
// that of a pair, times the number of others. A most is that of a pair.
func (s Scope) ratePerPair(
	tv *program.TimeVarying, v, got syntax.Value, at diag.Place, what string,
) (m DimTerm, ok bool) {
	pair := got.CountDependent.Value
	of, _, ok := s.Dereference(pair, what)
	if !ok {
		return m, false
	}
	var most syntax.Value
	if of.CountDependent != nil {
		got, most = of, of.CountDependent.Most
		if m, ok = s.Term(of.CountDependent.Value, what+": value"); !ok {
			return m, false
		}
	} else if m, ok = s.Term(pair, what); !ok || m.Dimension == syntax.RateDimension &&
		!s.checkRange(&program.TimeVarying{Root: m.Term}, pair, pair, at, what, syntax.KindRate) {
		return m, false
	}
	others := program.Combine(expr.Subtract, &program.Term{Op: program.TermTotal}, program.Constant(1))
	m.Term = program.Combine(expr.Multiply, m.Term, others)
	tv.ByCounts = true
	if !most.Given() {
		return m, s.boundBySize(tv, m, v, got, at, what)
	}
	x, ok := s.Rate(most, what+": most")
	if !ok || len(s.sizes) == 0 {
		return m, false // another problem has been reported
	}
	for _, size := range s.sizes {
		tv.Maxes = append(tv.Maxes, x*float64(max(size-1, 0)))
	}
	tv.Max = tv.Maxes[0]
	return m, true
}
