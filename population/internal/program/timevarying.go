package program

import (
	"math"

	"github.com/almanac-sim/almanac/population/internal/lookup"
)

// A TimeVarying is a rate or a probability that changes with time, with the numbers of individuals
// or with the time since something of an individual. It is for one cell, with the parameters of one
// phase. Times are since the start of the run.
//
// Events at a rate λ(t) are drawn by thinning, exactly and without a time step [LS79]. From time t,
// with (end, bound) = Piece(t): draw an exponential time of rate bound. If it leads beyond end,
// continue from there. Otherwise it is the next event with probability Rate/bound; if it is not
// accepted, continue from it. Where the rate is constant in a piece, no candidate is rejected.
//
// [LS79]: https://doi.org/10.1002/nav.3800260304
type TimeVarying struct {
	Root     *Term
	ByCounts bool    // it depends on the numbers of individuals
	Personal bool    // it differs between individuals of one cell: it depends on a time since or a number
	Max      float64 // with counts: the bound of the rate, as the model file has it
	// With counts, if the file has no bound: the bound by size class, see Program.Sizes. Max is that
	// of the first.
	Maxes []float64
	// Without counts: the run is cut into pieces. Piece i begins at Edges.Edges[i], and the rate in
	// it is at most Bounds[i]. Probabilities have none.
	Edges  lookup.GuideTable
	Bounds []float64
	// Curves by a time since that the rate is proportional to. The bounds above hold for any time
	// since; these are how much less it is in the pieces of each.
	Factors []SinceFactor
	// The part of the rate that numbers of the individual make up, and by which all bounds are
	// multiplied; nil for none.
	Numbers *Term
	// If the rate is for each pair of neighbours, 1 + the number in Program.Near; 0 otherwise. The
	// rate and its bounds are then multiplied by the number of other seats (Neighbours).
	Near int
}

// MaxPieces bounds the number of pieces, beside two for each knot. More would be needed for a wave
// that is short against the run only; it gets pieces with the bound of a whole period.
const MaxPieces = 4096

// Constant returns the value, and reports whether it is always the same.
func (c *TimeVarying) Constant() (float64, bool) {
	return c.Root.X, c.Root.Op == TermConstant && c.Near == 0
}

// At returns the value at a time, as the expression gives it: it may be negative, or not a number.
func (c *TimeVarying) At(t float64, n Census) float64 {
	n.Near = c.Near - 1
	return c.Root.At(t, n)
}

// Rate returns the value of a rate at a time, between 0 and the bound of its piece. It reports
// false if the value is above Most or not a number: then thinning is not exact. A difference in the
// last places is ignored, since n/n·r may be a little above r.
func (c *TimeVarying) Rate(t float64, n Census, size int) (float64, bool) {
	n.Near = c.Near - 1
	x, ok := c.Root.At(t, n), true
	if c.ByCounts {
		if most := c.MaxOf(size); x > most {
			x, ok = most, x <= most*(1+1e-9)
		} else {
			ok = !math.IsNaN(x)
		}
	}
	if x = max(x, 0); c.Near > 0 {
		x *= c.pairs(n.Who)
	}
	return x, ok
}

// MaxOf returns the bound of a rate that depends on counts, for a size class.
func (c *TimeVarying) MaxOf(size int) float64 {
	if c.Maxes != nil {
		return c.Maxes[size]
	}
	return c.Max
}

// Chance returns the value of a probability at a time.
func (c *TimeVarying) Chance(t float64) float64 { return c.ChanceFor(t, nil) }

// ChanceFor is Chance for an individual.
func (c *TimeVarying) ChanceFor(t float64, who *Individual) float64 {
	return min(1, max(0, c.Root.At(t, Census{Who: who})))
}

// Bound returns an upper bound of a rate in [from, to).
func (c *TimeVarying) Bound(from, to float64) float64 {
	if c.ByCounts {
		return c.Max
	}
	_, high := c.Root.Bounds(from, to)
	return max(high, 0)
}

// Piece returns the end of the piece that a time is in, and the bound of the rate in it, for a size
// class.
func (c *TimeVarying) Piece(t float64, size int) (end, bound float64) {
	switch {
	case c.ByCounts:
		return math.Inf(1), c.MaxOf(size)
	case c.Root.Op == TermConstant:
		return math.Inf(1), c.Root.X
	}
	i := c.Edges.Find(max(t, 0))
	if i+1 == len(c.Bounds) {
		return math.Inf(1), c.Bounds[i]
	}
	return c.Edges.Edges[i+1], c.Bounds[i]
}

// A VaryingRate is a clock with a rate that changes.
type VaryingRate struct {
	Rate   *TimeVarying
	Factor float64 // by which the rate is multiplied
	What   string  // its name in the message that the rate is above its most
	Line   int     // the number of the clock among those of the state in the file
	Do     Action
}

// EqualRates reports whether two lists have the same rates. Equal rates share one TimeVarying.
func EqualRates(a, b []VaryingRate) bool {
	if len(a) != len(b) {
		return false
	}
	for i := range a {
		if a[i].Rate != b[i].Rate || a[i].Factor != b[i].Factor || a[i].Line != b[i].Line {
			return false
		}
	}
	return true
}
