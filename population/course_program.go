package population

import "math"

// A course is a rate or a probability that changes with time or with how many there are, worked out for one individual. All times are since the start of
// the run, in the unit of the model.
//
// To draw from a rate λ(t): let the time be t, and (end, most) = piece(t). Draw an exponential time of rate most. If it leads beyond the end, go on
// from there. Otherwise it is the next event with probability rate(t, census)/most, and if it is none, go on from it. That is exact (Lewis and
// Shedler, 1979). Where a rate is the same for so long that something is likely to happen, nothing is drawn in vain.
//
// A course does not change, and may be read by many goroutines at once.
type course struct {
	root   *term
	counts bool
	most   float64 // that a rate with counts may be
	// The pieces of the run: each begins at an edge, and has a bound.
	edges  guide
	bounds []float64
}

// A course never has more pieces than this and two for each of its knots. More would be for a wave that is short against the run, which
// then has the bound of the whole wave.
const mostPieces = 4096

// constant is the value of a course that is always the same, and whether it is.
func (c *course) constant() (float64, bool) { return c.root.x, c.root.op == termConstant }

// at is the value at a time, as it is worked out.
func (c *course) at(t float64, n census) float64 { return c.root.at(t, n) }

// rate is the value of a rate at a time, between 0 and the bound of the time's piece. It reports false if it is above its most: then there is no
// law by which it could be drawn. A difference in the last places is not one: n/n·r may be a little above r.
func (c *course) rate(t float64, n census) (float64, bool) {
	x := c.root.at(t, n)
	if !c.counts {
		return max(x, 0), true
	}
	if x > c.most {
		return c.most, x <= c.most*(1+1e-9)
	}
	return max(x, 0), !math.IsNaN(x)
}

// chance is the value of a probability at a time.
func (c *course) chance(t float64) float64 { return min(1, max(0, c.root.at(t, census{}))) }

// bound is what a rate is at most from a time until before another.
func (c *course) bound(from, to float64) float64 {
	if c.counts {
		return c.most
	}
	_, high := c.root.between(from, to)
	return max(high, 0)
}

// piece is how long a bound holds that is near the rate, and the bound.
func (c *course) piece(t float64) (end, bound float64) {
	switch {
	case c.counts:
		return math.Inf(1), c.most
	case c.root.op == termConstant:
		return math.Inf(1), c.root.x
	}
	i := c.edges.find(max(t, 0))
	if i+1 == len(c.bounds) {
		return math.Inf(1), c.bounds[i]
	}
	return c.edges.edges[i+1], c.bounds[i]
}

// hasKnot tells whether a time is a knot of steps or of a line, and not the end of a part of a wave.
func (t *term) hasKnot(time float64) bool {
	if t.op == termSteps || t.op == termLine {
		return t.times[t.knot(time)] == time
	}
	return t.a != nil && t.a.hasKnot(time) || t.b != nil && t.b.hasKnot(time)
}
