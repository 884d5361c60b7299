package program

import (
	"math"

	"github.com/almanac-sim/almanac/internal/detmath"
	"github.com/almanac-sim/almanac/internal/expr"
)

// Bounds returns bounds of all values that At has in [from, to). They hold for the rounded
// numbers: sums, products, quotients and square roots are rounded monotonically, and for other
// functions the bounds are a little wider.
//
// The bounds are tight if at most one operand of each operation changes with time. Otherwise the
// operands are treated as if each could have its extremes at any time. A count may be any number
// from 0 on, and a time since any time. A bound is NaN if nothing is known, as for a difference of
// two unbounded operands.
func (t *Term) Bounds(from, to float64) (low, high float64) {
	return t.BoundsUpTo(from, to, math.Inf(1))
}

// BoundsUpTo is Bounds if no count is above most.
func (t *Term) BoundsUpTo(from, to, most float64) (low, high float64) {
	switch t.Op {
	case TermConstant:
		return t.X, t.X
	case TermTotal, TermCount, TermGroup:
		return 0, most
	case TermSize:
		return 1, most
	case TermWave:
		return t.waveBounds(from, to)
	case TermSteps, TermLine:
		return t.knotBounds(from, to)
	case TermSince:
		low, high = t.a.Bounds(0, math.Inf(1))
		return min(low, 0), max(high, 0)
	case TermNumber:
		return t.Low, t.High
	case TermMean: // in recorded values alone, which need no bounds
		return math.Inf(-1), math.Inf(1)
	case TermDensity:
		return widen(0, t.Law.MaxDensity(from, to))
	}
	a, b := t.a.BoundsUpTo(from, to, most)
	switch t.Op {
	case expr.Exp:
		return widen(detmath.Exp(a), detmath.Exp(b))
	case expr.Log:
		return widen(detmath.Log(max(a, 0)), detmath.Log(max(b, 0)))
	case expr.Sqrt:
		if a < 0 { // the value may be NaN, as a logarithm may; no lower bound is claimed
			return math.Inf(-1), math.Sqrt(max(b, 0))
		}
		return math.Sqrt(a), math.Sqrt(b)
	}
	c, d := t.b.BoundsUpTo(from, to, most)
	switch t.Op {
	case expr.Add:
		return a + c, b + d
	case expr.Subtract:
		return a - d, b - c
	case expr.Multiply:
		return corners(product, a, b, c, d)
	case expr.Divide:
		if low, high, ok := t.a.shareBounds(from, to, most); ok && t.b.Op == TermTotal {
			return low, high
		}
		if c <= 0 && d >= 0 {
			return math.Inf(-1), math.Inf(1)
		}
		return corners(func(x, y float64) float64 { return x / y }, a, b, c, d)
	case expr.Power:
		return powerBounds(a, b, c, d)
	case expr.Min:
		return min(a, c), min(b, d)
	default:
		return max(a, c), max(b, d)
	}
}

// shareBounds returns bounds of the term divided by the number of all individuals, and reports
// false if the term is not in proportion to numbers of individuals. A count is a share from 0 to 1.
func (t *Term) shareBounds(from, to, most float64) (low, high float64, ok bool) {
	switch t.Op {
	case TermTotal:
		return 1, 1, true
	case TermCount, TermGroup:
		return 0, 1, true
	case expr.Add, expr.Subtract:
		a, b, ok := t.a.shareBounds(from, to, most)
		c, d, both := t.b.shareBounds(from, to, most)
		if t.Op == expr.Add {
			return a + c, b + d, ok && both
		}
		return a - d, b - c, ok && both
	case expr.Multiply:
		share, factor := t.a, t.b
		a, b, ok := share.shareBounds(from, to, most)
		if !ok {
			share, factor = t.b, t.a
			a, b, ok = share.shareBounds(from, to, most)
		}
		c, d := factor.BoundsUpTo(from, to, most)
		low, high = corners(product, a, b, c, d)
		return low, high, ok
	}
	return 0, 0, false
}

// product returns the product of two bounds, where 0·∞ is 0: an operand that is 0 makes the product
// 0.
func product(x, y float64) float64 {
	if x == 0 || y == 0 {
		return 0
	}
	return x * y
}

// corners returns the extremes of a function that is monotonic in each argument, for the first
// argument in [a, b] and the second in [c, d]. They are at the corners.
func corners(f func(x, y float64) float64, a, b, c, d float64) (low, high float64) {
	w, x, y, z := f(a, c), f(a, d), f(b, c), f(b, d)
	return min(w, x, y, z), max(w, x, y, z)
}

// powerBounds returns bounds of x^y, for x in [a, b] and y in [c, d]. For x above 0 it is monotonic
// in both. Below, it is a number only if y is whole, and for an even y it has its minimum at 0.
func powerBounds(a, b, c, d float64) (low, high float64) {
	switch {
	case a >= 0 && (a > 0 || c >= 0):
		return widen(corners(detmath.Pow, a, b, c, d))
	case c != d || c != math.Trunc(c) || c < 0:
		return math.Inf(-1), math.Inf(1)
	}
	low, high = corners(detmath.Pow, a, b, c, d)
	if math.Mod(c, 2) == 0 && b >= 0 {
		low = 0
	}
	return widen(low, high)
}

// margin is the relative rounding error that is allowed for functions that are not rounded
// correctly: 45 units in the last place.
const margin = 1e-14

// widen makes room for the rounding errors of a function.
func widen(low, high float64) (float64, float64) {
	return low - float64(margin*math.Abs(low)), high + float64(margin*math.Abs(high))
}

// waveBounds returns the bounds of a TermWave.
func (t *Term) waveBounds(from, to float64) (low, high float64) {
	a, b := 1+float64(t.X*detmath.CosTurns(t.cycle(from))), 1+float64(t.X*detmath.CosTurns(t.cycle(to)))
	low, high = min(a, b), max(a, b)
	// The maximum is at whole turns, the minimum half-way between them. An end that is next to one
	// of them counts as one, since rounding may hide it; the wave is flat there.
	first, last := t.turns(from), t.turns(to)
	const next = 1e-9
	if !(math.Floor(last+next) < math.Ceil(first-next)) {
		high = 1 + t.X
	}
	if !(math.Floor(last-0.5+next) < math.Ceil(first-0.5-next)) {
		low = 1 - t.X
	}
	return max(low-margin, 0), high + margin // the errors of the cosine and the sum
}

// knotBounds returns the bounds of a TermSteps or TermLine: its extremes at the ends and at the
// knots between them.
func (t *Term) knotBounds(from, to float64) (low, high float64) {
	low = t.At(from, Census{})
	high = low
	i := t.knot(from) + 1
	if from < t.Times[0] {
		i = 0
	}
	for ; i < len(t.Times) && t.Times[i] < to; i++ {
		low, high = min(low, t.Values[i]), max(high, t.Values[i])
	}
	if t.Op == TermLine { // it comes near its value at the end; steps do not
		y := t.interpolate(to)
		low, high = min(low, y), max(high, y)
	}
	return low, high
}

// NextChange returns the first time after a given one at which the bounds should be computed anew:
// a knot, or the next eighth of the period of a wave. It is +Inf if there is none.
func (t *Term) NextChange(time float64) float64 {
	first := math.Inf(1)
	switch t.Op {
	case TermSteps, TermLine:
		// Before the first knot, lines are constant until it; steps have its value and do not
		// change there.
		if i := t.knot(time) + 1; time < t.Times[0] && t.Op == TermLine {
			first = t.Times[0]
		} else if i < len(t.Times) {
			first = t.Times[i]
		}
	case TermWave:
		first = time + float64(t.Period/8) // in which it changes by at most 0.77·X: 2·sin(π/8)
	case TermSince:
		return first // it is bounded for any time since
	}
	if t.a != nil {
		first = min(first, t.a.NextChange(time))
	}
	if t.b != nil {
		first = min(first, t.b.NextChange(time))
	}
	return first
}
