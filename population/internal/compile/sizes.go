package compile

import (
	"math"

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

// boundBySize finds the bound of a rate that depends on counts, for each size class. It reports false
// if there is none.
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

// countDependentWhat names the value of a rate that depends on counts, for messages.
func countDependentWhat(got syntax.Value, what string) string {
	if got.CountDependent.Pairs {
		return what
	}
	return what + ": value"
}
