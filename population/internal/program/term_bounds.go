package program

import (
	"math"

	"github.com/almanac-sim/almanac/internal/expr"
	"github.com/almanac-sim/almanac/internal/portable"
)

// Between are bounds for all values that a term has from one time on and before another. They hold for the numbers that at gives, rounding and
// all: sums, products, quotients and square roots are rounded alike and so keep their order, and for the other functions the bounds are a little wider.
// They are the least that there are if no more than one part of the term changes with time; otherwise the parts are taken as if each could
// have its least and its most at any time. Nothing is known of counts: a term with them is bounded by what they may be, any number from 0 on.
func (t *Term) Between(from, to float64) (low, high float64) {
	switch t.Op {
	case TermConstant:
		return t.X, t.X
	case TermTotal, TermCount:
		return 0, math.Inf(1)
	case TermWave:
		return t.waveBounds(from, to)
	case TermSteps, TermLine:
		return t.knotBounds(from, to)
	}
	a, b := t.a.Between(from, to)
	switch t.Op {
	case expr.Exp:
		return widen(portable.Exp(a), portable.Exp(b))
	case expr.Log:
		return widen(portable.Log(max(a, 0)), portable.Log(max(b, 0)))
	case expr.Sqrt:
		if a < 0 { // where it is no number, as a logarithm is not; nothing is below that
			return math.Inf(-1), math.Sqrt(max(b, 0))
		}
		return math.Sqrt(a), math.Sqrt(b)
	}
	c, d := t.b.Between(from, to)
	switch t.Op {
	case expr.Add:
		return a + c, b + d
	case expr.Subtract:
		return a - d, b - c
	case expr.Multiply:
		return corners(product, a, b, c, d)
	case expr.Divide:
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

// product is that of two bounds, of which one without an end times nothing is nothing.
func product(x, y float64) float64 {
	if x == 0 || y == 0 {
		return 0
	}
	return x * y
}

// corners are the extremes of a function that is monotonous in each of its arguments: at the corners.
func corners(f func(x, y float64) float64, a, b, c, d float64) (low, high float64) {
	w, x, y, z := f(a, c), f(a, d), f(b, c), f(b, d)
	return min(w, x, y, z), max(w, x, y, z)
}

// powerBounds bounds x^y. With x above 0 it is monotonous in each. Below it is a number only if y is whole, and then it may turn at 0.
func powerBounds(a, b, c, d float64) (low, high float64) {
	switch {
	case a >= 0 && (a > 0 || c >= 0):
		return widen(corners(portable.Pow, a, b, c, d))
	case c != d || c != math.Trunc(c) || c < 0:
		return math.Inf(-1), math.Inf(1)
	}
	low, high = corners(portable.Pow, a, b, c, d)
	if math.Mod(c, 2) == 0 && b >= 0 {
		low = 0
	}
	return widen(low, high)
}

// widen allows for the last places of a function that is not rounded as sums are.
func widen(low, high float64) (float64, float64) {
	const ulps = 1e-14
	return low - float64(ulps*math.Abs(low)), high + float64(ulps*math.Abs(high))
}

// waveBounds bounds a wave.
func (t *Term) waveBounds(from, to float64) (low, high float64) {
	a, b := 1+float64(t.X*portable.CosTurns(t.cycle(from))), 1+float64(t.X*portable.CosTurns(t.cycle(to)))
	low, high = min(a, b), max(a, b)
	// It is highest at whole turns, and lowest half-way between them. An end next to one may be taken for it: it is about as high.
	first, last := from/t.Period+t.Phase, to/t.Period+t.Phase
	const next = 1e-9
	if !(math.Floor(last+next) < math.Ceil(first-next)) {
		high = 1 + t.X
	}
	if !(math.Floor(last-0.5+next) < math.Ceil(first-0.5-next)) {
		low = 1 - t.X
	}
	const ulps = 1e-14 // the cosine's, and those of the sum
	return max(low-ulps, 0), high + ulps
}

// knotBounds bounds steps and lines: by what they are at the ends, and at all knots between them.
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
	if t.Op == TermLine { // which comes near to what it is then
		y := t.interpolate(to)
		low, high = min(low, y), max(high, y)
	}
	return low, high
}

// Next is the first time after one at which something begins that is not as smooth as what was before; +Inf if there is none.
func (t *Term) Next(time float64) float64 {
	first := math.Inf(1)
	switch t.Op {
	case TermSteps, TermLine:
		if i := t.knot(time) + 1; time < t.Times[0] && t.Op == TermLine { // steps have the first value before it too
			first = t.Times[0]
		} else if i < len(t.Times) {
			first = t.Times[i]
		}
	case TermWave:
		// Eighths of the period, at each of which it has changed by no more than it may on the whole.
		first = time + float64(t.Period/8)
	}
	if t.a != nil {
		first = min(first, t.a.Next(time))
	}
	if t.b != nil {
		first = min(first, t.b.Next(time))
	}
	return first
}
