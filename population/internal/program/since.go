package program

import (
	"math"

	"github.com/almanac-sim/almanac/internal/expr"
	"github.com/almanac-sim/almanac/population/internal/lookup"
)

// A Since is a time that every individual has: since it came into some states, from outside of them
// or from one of them into itself. It has none outside of them. Curves of all values that count
// from the same states share it.
type Since struct {
	Birth   bool   // it is the age; the rest is of no account
	Machine int    // whose states they are; −1 for Program.States
	In      []bool // by state: it is one of them
	Words   string // what it is since, for messages
}

// An Individual is the individual that a term is evaluated for, and the one that it meets, if any.
type Individual struct {
	CameIn   [][]float64 // by number of Program.Since and id: when it came in; +Inf outside
	Numbers  [][]float64 // by number of Program.Numbers and id
	Own, Met uint32      // ids
	Near     Neighbours  // who is near whom; nil if no value depends on it

	// Mean returns the mean of a number of Program.Numbers over those in a state, or over all if the
	// state is −1. It is nil but for recorded values, which are of nobody in particular.
	Mean func(number, state int) float64
}

// came returns when the individual of a TermSince came in, +Inf if it is outside.
func (t *Term) came(who *Individual) float64 {
	switch {
	case who == nil:
		return math.Inf(1)
	case t.Met:
		return who.CameIn[t.Since][who.Met]
	}
	return who.CameIn[t.Since][who.Own]
}

// NewSinceTerm returns the term of a curve: inner is its value by the time since.
func NewSinceTerm(since int, met bool, inner *Term) *Term {
	return &Term{Op: TermSince, Since: since, Met: met, a: inner}
}

// Curve is the value of a TermSince by the time since.
func (t *Term) Curve() *Term { return t.a }

// EachSince calls do for every TermSince in the term.
func (t *Term) EachSince(do func(s *Term)) {
	switch {
	case t == nil:
	case t.Op == TermSince:
		do(t)
	default:
		t.a.EachSince(do)
		t.b.EachSince(do)
	}
}

// HasSince reports whether the term depends on a time since.
func (t *Term) HasSince() (has bool) {
	t.EachSince(func(*Term) { has = true })
	return has
}

// A SinceFactor cuts the time since into pieces, for a curve that the rate of a TimeVarying is
// proportional to. Its bounds are relative to the largest value of the curve, which is in those of
// TimeVarying.
type SinceFactor struct {
	Since  int
	Edges  lookup.GuideTable // where the pieces begin
	Bounds []float64         // of each, from 0 to 1
}

// piece returns the end of the piece that a time is in, and its bound, for an individual that came
// in at a time. A piece always ends after the time, whatever the rounding.
func (f *SinceFactor) piece(t, came float64) (end, bound float64) {
	if !(came <= t) {
		return math.Inf(1), 0 // outside, until something happens
	}
	edges := f.Edges.Edges
	i := f.Edges.Find(t - came)
	for i > 0 && came+edges[i] > t {
		i--
	}
	for i+1 < len(edges) && came+edges[i+1] <= t {
		i++
	}
	if i+1 == len(edges) {
		return math.Inf(1), f.Bounds[i]
	}
	return came + edges[i+1], f.Bounds[i]
}

// PieceFor is Piece for an individual.
func (c *TimeVarying) PieceFor(t float64, who *Individual, size int) (end, bound float64) {
	end, bound = c.Piece(t, size)
	for k := range c.Factors {
		until, share := c.Factors[k].piece(t, who.CameIn[c.Factors[k].Since][who.Own])
		end, bound = min(end, until), float64(bound*share)
	}
	if c.Numbers != nil {
		bound *= max(0, c.Numbers.At(0, Census{Who: who}))
	}
	if c.Near > 0 {
		bound *= c.pairs(who)
	}
	return end, bound
}

// The time since is cut at the knots of its curve, or into so many pieces of a density.
const densityPieces = 32

// sinceFactors returns the curves that a term is proportional to: those that it is a product of.
func (t *Term) sinceFactors() []*Term {
	switch {
	case t.Op == TermSince:
		return []*Term{t}
	case t.Op == expr.Multiply:
		return append(t.a.sinceFactors(), t.b.sinceFactors()...)
	case t.Op == expr.Divide:
		return t.a.sinceFactors()
	}
	return nil
}

// CutBySince cuts the time since into pieces, for each curve that the rate is proportional to.
// Where it is not proportional to a curve, the bound is that of its largest value. The pieces of
// the run must have been cut before. A piece lasts until the next knot, or for half an expected
// event, whichever is longer, as those of the run do.
func (c *TimeVarying) CutBySince() {
	most := 0.0
	for _, b := range c.Bounds {
		most = max(most, b)
	}
	for _, t := range c.Root.sinceFactors() {
		low, high := t.a.Bounds(0, math.Inf(1))
		if low < 0 || !(high > 0) || t.Met {
			continue
		}
		grid := t.a.sinceEdges()
		f := SinceFactor{Since: t.Since}
		var edges []float64
		for i := 0; i < len(grid); {
			from, bound := grid[i], 0.0
			for {
				to := math.Inf(1)
				if i+1 < len(grid) {
					to = grid[i+1]
				}
				_, b := t.a.Bounds(grid[i], to)
				b = max(bound, min(1, max(0, b/high)))
				if grid[i] > from && !(b*most*(to-from) <= 0.5) {
					break
				}
				bound = b
				if i++; i == len(grid) {
					break
				}
			}
			if n := len(f.Bounds); n > 0 && f.Bounds[n-1] == bound {
				continue
			}
			edges, f.Bounds = append(edges, from), append(f.Bounds, bound)
		}
		f.Edges = lookup.NewGuideTable(edges)
		c.Factors = append(c.Factors, f)
	}
}

// sinceEdges returns the times at which the pieces of a curve may begin; the first is 0.
func (t *Term) sinceEdges() []float64 {
	edges := []float64{0}
	add := func(x float64) {
		if last := edges[len(edges)-1]; x > last && !math.IsInf(x, 0) {
			edges = append(edges, x)
		}
	}
	switch t.Op {
	case TermSteps:
		for _, x := range t.Times {
			add(x)
		}
	case TermLine:
		for i, x := range t.Times {
			if i > 0 && t.Values[i] != t.Values[i-1] { // where it is not flat, in four parts
				for k := 1.0; k < 4; k++ {
					add(t.Times[i-1] + float64((x-t.Times[i-1])*k/4))
				}
			}
			add(x)
		}
	case TermDensity:
		end := t.Law.Longest()
		if math.IsInf(end, 1) {
			for end = t.Law.Mean(); t.Law.Survival(end) > 1e-6 && end < math.MaxFloat64/4; {
				end *= 1.25
			}
		}
		for k := 1.0; k <= densityPieces; k++ {
			add(float64(end * k / densityPieces))
		}
	}
	return edges
}

// SinceSamples returns times since at which the value of a TermSince is looked at: its edges, and
// between them.
func (t *Term) SinceSamples() []float64 {
	grid := t.a.sinceEdges()
	all := []float64{grid[0]}
	for i := 1; i < len(grid); i++ {
		all = append(all, grid[i-1]+float64((grid[i]-grid[i-1])/2), grid[i])
	}
	return append(all, 2*grid[len(grid)-1]+1)
}

// CandidatesBySince returns how many candidates there are for each event of a rate, by its curve
// alone, up to the last of its pieces: 1 if it has none.
func (c *TimeVarying) CandidatesBySince() float64 {
	ratio := 1.0
	k := 0
	for _, t := range c.Root.sinceFactors() {
		if k == len(c.Factors) {
			break
		}
		f := &c.Factors[k]
		if f.Since != t.Since {
			continue
		}
		k++
		_, high := t.a.Bounds(0, math.Inf(1))
		grid := t.a.sinceEdges()
		candidates, events := 0.0, 0.0
		for i := 0; i+1 < len(grid); i++ {
			const parts = 8
			width := (grid[i+1] - grid[i]) / parts
			for p := range parts {
				x := grid[i] + float64(width*(float64(p)+0.5))
				candidates += float64(width * f.Bounds[f.Edges.Find(x)])
				events += float64(width * max(0, t.a.At(x, Census{})) / high)
			}
		}
		if events > 0 {
			ratio *= candidates / events
		}
	}
	return ratio
}
