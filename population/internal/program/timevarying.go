package program

import (
	"math"

	"github.com/almanac-sim/almanac/population/internal/lookup"
)

// A TimeVarying is a rate or a probability that changes with time or with how many there are, worked out for one individual. All times are since the start of
// the run, in the unit of the model.
//
// To draw from a rate λ(t): let the time be t, and (end, most) = piece(t). Draw an exponential time of rate most. If it leads beyond the end, go on
// from there. Otherwise it is the next event with probability rate(t, census)/most, and if it is none, go on from it. That is exact (Lewis and
// Shedler, 1979). Where a rate is the same for so long that something is likely to happen, nothing is drawn in vain.
//
// A course does not change, and may be read by many goroutines at once.
type TimeVarying struct {
	Root     *Term
	ByCounts bool
	Most     float64 // that a rate with counts may be
	// The pieces of the run: each begins at an edge, and has a bound.
	Edges  lookup.Guide
	Bounds []float64
}

// A course never has more pieces than this and two for each of its knots. More would be for a wave that is short against the run, which
// then has the bound of the whole wave.
const MostPieces = 4096

// Constant is the value of a course that is always the same, and whether it is.
func (c *TimeVarying) Constant() (float64, bool) { return c.Root.X, c.Root.Op == TermConstant }

// At is the value at a time, as it is worked out.
func (c *TimeVarying) At(t float64, n Census) float64 { return c.Root.At(t, n) }

// Rate is the value of a rate at a time, between 0 and the bound of the time's piece. It reports false if it is above its most: then there is no
// law by which it could be drawn. A difference in the last places is not one: n/n·r may be a little above r.
func (c *TimeVarying) Rate(t float64, n Census) (float64, bool) {
	x := c.Root.At(t, n)
	if !c.ByCounts {
		return max(x, 0), true
	}
	if x > c.Most {
		return c.Most, x <= c.Most*(1+1e-9)
	}
	return max(x, 0), !math.IsNaN(x)
}

// Chance is the value of a probability at a time.
func (c *TimeVarying) Chance(t float64) float64 { return min(1, max(0, c.Root.At(t, Census{}))) }

// Bound is what a rate is at most from a time until before another.
func (c *TimeVarying) Bound(from, to float64) float64 {
	if c.ByCounts {
		return c.Most
	}
	_, high := c.Root.Between(from, to)
	return max(high, 0)
}

// Piece is how long a bound holds that is near the rate, and the bound.
func (c *TimeVarying) Piece(t float64) (end, bound float64) {
	switch {
	case c.ByCounts:
		return math.Inf(1), c.Most
	case c.Root.Op == TermConstant:
		return math.Inf(1), c.Root.X
	}
	i := c.Edges.Find(max(t, 0))
	if i+1 == len(c.Bounds) {
		return math.Inf(1), c.Bounds[i]
	}
	return c.Edges.Edges[i+1], c.Bounds[i]
}

// A VaryingRate is something that happens at a rate that changes.
type VaryingRate struct {
	Rate   *TimeVarying
	Factor float64 // that the rate is multiplied by
	What   string  // for the message if it is above its most
	Line   int     // which of the state's it is
	Do     Action
}

// SameVarying tells whether two lists are the same. Equal courses are one.
func SameVarying(a, b []VaryingRate) bool {
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
