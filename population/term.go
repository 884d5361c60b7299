package population

import (
	"math"
	"slices"

	"github.com/almanac-sim/almanac/internal/expr"
	"github.com/almanac-sim/almanac/internal/portable"
)

// A term is an expression with everything looked up and converted to the unit of the model, for one individual and as the parameters are. What is the
// same at all times is one number.
type term struct {
	op    expr.Op
	x     float64 // a constant; the amplitude of a wave
	a, b  *term
	state int
	// steps and lines: when, since the start of the run, and what. A wave has its period, and its phase at the start, as a share of the period.
	times, values []float64
	period, phase float64
}

// What a term is that is not an operation with its parts.
const (
	termConstant         = expr.Leaf
	termWave     expr.Op = expr.Sqrt + iota // 1 + x·cos 2π(t/period + phase)
	termSteps
	termLine
	termTotal
	termCount
)

func constant(x float64) *term { return &term{x: x} }

// join makes a term of two; one number if both are.
func join(op expr.Op, a, b *term) *term {
	t := &term{op: op, a: a, b: b}
	if a.op == termConstant && (b == nil || b.op == termConstant) {
		return constant(t.at(0, census{}))
	}
	return t
}

// A census is how many are alive, and how many of them are in each state.
type census struct {
	total  int
	counts []int
}

// at is the value of a term at a time since the start of the run.
func (t *term) at(time float64, c census) float64 {
	switch t.op {
	case termConstant:
		return t.x
	case termTotal:
		return float64(c.total)
	case termCount:
		return float64(c.counts[t.state])
	case termWave:
		return 1 + float64(t.x*portable.CosTurns(t.turn(time)))
	case termSteps:
		return t.values[t.knot(time)]
	case termLine:
		return t.line(time)
	}
	a := t.a.at(time, c)
	switch t.op {
	case expr.Exp:
		return portable.Exp(a)
	case expr.Log:
		return portable.Log(a)
	case expr.Sqrt:
		return math.Sqrt(a)
	}
	b := t.b.at(time, c)
	switch t.op {
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

// turn is how much of its period a wave has gone at a time, from 0 to 1.
func (t *term) turn(time float64) float64 {
	x := time/t.period + t.phase
	return x - math.Floor(x)
}

// knot is the last of the times at or before one; the first also before it.
func (t *term) knot(time float64) int {
	i, found := slices.BinarySearch(t.times, time)
	if !found {
		i--
	}
	return max(i, 0)
}

// line is what straight lines between the times have at one of them, constant outside.
func (t *term) line(time float64) float64 {
	i := t.knot(time)
	if i+1 == len(t.times) || time <= t.times[0] {
		return t.values[i]
	}
	a, b := t.values[i], t.values[i+1]
	w := (time - t.times[i]) / (t.times[i+1] - t.times[i])
	return max(min(a, b), min(max(a, b), a+float64(w*(b-a)))) // rounding does not take it beyond the ends, between which it is then monotonous
}
