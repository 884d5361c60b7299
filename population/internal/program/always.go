package program

import (
	"math"
	"slices"

	"github.com/almanac-sim/almanac/internal/random"
	"github.com/almanac-sim/almanac/population/internal/law"
)

// An AlwaysClock is a clock of the model file's `always` that starts at birth and fires once. Every
// individual carries a timer for it through all states. A clock of `always` that fires at a rate is
// not one of these: it is part of every state.
//
// The clock of a Band is one of these too, though the file does not write it. It starts again when
// it fires, until the last band is reached.
//
// If it depends on attributes, By and Cells say so, and the clock of an individual is that of its
// cell.
type AlwaysClock struct {
	Law      law.Law
	Longest  float64         // of Law
	EndsLife bool            // it takes every individual out of the population when it fires
	Off      bool            // it does not run in this cell
	Do       Action          // the same in all cells
	Line     int             // the number of the clock in the file's always; −1 for that of a Band
	Band     *Band           // whose clock it is; nil for a clock of the file
	By       []CellAttribute // nil if it does not depend on attributes
	Cells    []*AlwaysClock  // by cell
}

// Remaining draws how long the clock still runs for an individual of the given age, and reports
// whether it has fired before. A clock that ends every life has not fired yet, or the individual
// would not be there. Any other may have fired in the past, and then never does again: left is
// +Inf.
func (c *AlwaysClock) Remaining(s *random.Stream, age float64) (left float64, fired bool) {
	switch {
	case c.Band != nil:
		left = c.Band.Until(age)
		return left, math.IsInf(left, 1)
	case c.EndsLife:
		return max(0, c.Law.DrawBeyond(s, age)-age), false
	case age == 0:
		return c.Law.Draw(s), false
	case age >= c.Longest:
		return math.Inf(1), true
	}
	if x := c.Law.Draw(s) - age; x > 0 {
		return x, false
	}
	return math.Inf(1), true
}

// Equal reports whether a clock runs alike by the tables of two phases.
func (c *AlwaysClock) Equal(o *AlwaysClock) bool {
	if c.By != nil || o.By != nil {
		return slices.Equal(c.By, o.By) &&
			slices.EqualFunc(c.Cells, o.Cells, func(a, b *AlwaysClock) bool { return a == b || a.Equal(b) })
	}
	return c.Off == o.Off && c.Law.Equal(&o.Law)
}

// SharePast returns the probability that the clock has fired before somebody enters at one of some
// ages, or 0 if it is not known, and reports whether it may have.
func (c *AlwaysClock) SharePast(ages *ByCell[law.Law]) (share float64, may bool) {
	clocks := c.Cells
	if c.By == nil {
		clocks = []*AlwaysClock{c}
	}
	least, most := math.Inf(1), 0.0
	for _, one := range clocks {
		for i := range ages.Values {
			if one.Off {
				continue
			}
			p := pastProbability(&one.Law, &ages.Values[i])
			may = may || p > 0
			least, most = min(least, p), max(most, p)
		}
	}
	if least == most && most <= 1 {
		share = most
	}
	return share, may
}

// pastProbability returns the probability that a clock has fired by an age, if one of the two is
// fixed. Otherwise it is 2 if that is possible, and 0 if not.
func pastProbability(clock, age *law.Law) float64 {
	switch {
	case age.Fixed():
		return 1 - clock.Survival(age.Longest())
	case clock.Fixed():
		return age.Survival(clock.Longest())
	case clock.Survival(age.Longest()) < 1:
		return 2
	}
	return 0
}
