package program

import (
	"math"
	"slices"

	"github.com/almanac-sim/almanac/internal/expr"
	"github.com/almanac-sim/almanac/internal/portable"
)

// A Term is an expression with everything looked up and converted to the unit of the model, for one individual and as the parameters are. What is the
// same at all times is one number.
type Term struct {
	Op    expr.Op
	X     float64 // a constant; the amplitude of a wave
	a, b  *Term
	State int
	// steps and lines: when, since the start of the run, and what. A wave has its period, and its phase at the start, as a share of the period.
	Times, Values []float64
	Period, Phase float64
}

// What a term is that is not an operation with its parts.
const (
	TermConstant         = expr.Leaf
	TermWave     expr.Op = expr.Sqrt + iota // 1 + x·cos 2π(t/period + phase)
	TermSteps
	TermLine
	TermTotal
	TermCount
)

func Constant(x float64) *Term { return &Term{X: x} }

// Join makes a term of two; one number if both are.
func Join(op expr.Op, a, b *Term) *Term {
	t := &Term{Op: op, a: a, b: b}
	if a.Op == TermConstant && (b == nil || b.Op == TermConstant) {
		return Constant(t.At(0, Census{}))
	}
	return t
}

// A Census is how many are alive, and how many of them are in each state.
type Census struct {
	Total  int
	Counts []int
}

// At is the value of a term at a time since the start of the run.
func (t *Term) At(time float64, c Census) float64 {
	switch t.Op {
	case TermConstant:
		return t.X
	case TermTotal:
		return float64(c.Total)
	case TermCount:
		return float64(c.Counts[t.State])
	case TermWave:
		return 1 + float64(t.X*portable.CosTurns(t.cycle(time)))
	case TermSteps:
		return t.Values[t.knot(time)]
	case TermLine:
		return t.interpolate(time)
	}
	a := t.a.At(time, c)
	switch t.Op {
	case expr.Exp:
		return portable.Exp(a)
	case expr.Log:
		return portable.Log(a)
	case expr.Sqrt:
		return math.Sqrt(a)
	}
	b := t.b.At(time, c)
	switch t.Op {
	case expr.Add:
		return a + b
	case expr.Subtract:
		return a - b
	case expr.Multiply:
		return a * b
	case expr.Divide:
		return a / b
	case expr.Power:
		return portable.Pow(a, b)
	case expr.Min:
		return min(a, b)
	default:
		return max(a, b)
	}
}

// cycle is how much of its period a wave has gone at a time, from 0 to 1.
func (t *Term) cycle(time float64) float64 {
	x := time/t.Period + t.Phase
	return x - math.Floor(x)
}

// knot is the last of the times at or before one; the first also before it.
func (t *Term) knot(time float64) int {
	i, found := slices.BinarySearch(t.Times, time)
	if !found {
		i--
	}
	return max(i, 0)
}

// interpolate is what straight lines between the times have at one of them, constant outside.
func (t *Term) interpolate(time float64) float64 {
	i := t.knot(time)
	if i+1 == len(t.Times) || time <= t.Times[0] {
		return t.Values[i]
	}
	a, b := t.Values[i], t.Values[i+1]
	w := (time - t.Times[i]) / (t.Times[i+1] - t.Times[i])
	return max(min(a, b), min(max(a, b), a+float64(w*(b-a)))) // rounding does not take it beyond the ends, between which it is then monotonous
}

// HasKnot tells whether a time is a knot of steps or of a line, and not the end of a part of a wave.
func (t *Term) HasKnot(time float64) bool {
	if t.Op == TermSteps || t.Op == TermLine {
		return t.Times[t.knot(time)] == time
	}
	return t.a != nil && t.a.HasKnot(time) || t.b != nil && t.b.HasKnot(time)
}
