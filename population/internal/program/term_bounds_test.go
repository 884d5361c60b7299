package program

import (
	"fmt"
	"math"
	"testing"

	"github.com/almanac-sim/almanac/internal/expr"
	"github.com/almanac-sim/almanac/internal/random"
)

// randomTerm returns a term of random operations, with leaves that change with time.
func randomTerm(s *random.Stream, depth int) *Term {
	if depth == 0 || s.Below(4) == 0 {
		switch s.Below(4) {
		case 0:
			return Constant(math.Round(8*s.Float64()-3) / 2)
		case 1:
			return &Term{Op: TermWave, X: s.Float64(), Period: 0.5 + 30*s.Float64(), Phase: s.Float64()}
		}
		t := &Term{Op: TermSteps + expr.Op(s.Below(2))}
		at := -5.0
		for range 1 + s.Below(6) {
			at += 0.1 + 5*s.Float64()
			t.Times, t.Values = append(t.Times, at), append(t.Values, math.Round(6*s.Float64()-2))
		}
		return t
	}
	ops := []expr.Op{
		expr.Add, expr.Subtract, expr.Multiply, expr.Divide, expr.Power,
		expr.Min, expr.Max, expr.Exp, expr.Log, expr.Sqrt,
	}
	op := ops[s.Below(uint64(len(ops)))]
	t := &Term{Op: op, a: randomTerm(s, depth-1)}
	if op != expr.Exp && op != expr.Log && op != expr.Sqrt {
		t.b = randomTerm(s, depth-1)
	}
	return t
}

// TestValueOutOfBounds compares random terms with their bounds, to the last place, and checks that
// Next goes forward. At least half of the terms must have bounds, and half of these tight ones.
func TestValueOutOfBounds(t *testing.T) {
	s := random.New(11)
	bounded, tight := 0, 0
	for range 3000 {
		x := randomTerm(&s, 3)
		from := 20 * s.Float64()
		to := from + 10*s.Float64()*s.Float64()
		low, high := x.Bounds(from, to)
		if math.IsNaN(low) || math.IsNaN(high) {
			continue // nothing is claimed: a difference of unbounded operands
		}
		least, most := math.Inf(1), math.Inf(-1)
		for i := range 60 {
			at := from + (to-from)*float64(i)/60
			y := x.At(at, Census{})
			if math.IsNaN(y) {
				continue // the root of a negative number, which the compiler refuses
			}
			least, most = min(least, y), max(most, y)
			if !(low <= y && y <= high) {
				t.Fatalf("from %v to %v it is between %v and %v, but %v at %v:\n%s", from, to, low, high, y, at, x)
			}
		}
		if !math.IsInf(high, 0) && !math.IsInf(low, 0) && most >= least {
			bounded++
			if high-low <= 1.5*(most-least)+1e-9 {
				tight++
			}
		}
		if next := x.NextChange(from); !(next > from) {
			t.Fatalf("the next time after %v is %v:\n%s", from, next, x)
		}
	}
	if bounded < 1500 || tight < bounded/2 {
		t.Errorf("%d of 3000 have bounds, %d tight ones", bounded, tight)
	}
}

// String formats a term for messages.
func (t *Term) String() string {
	if t == nil {
		return ""
	}
	switch t.Op {
	case TermConstant:
		return fmt.Sprintf("%.6g", t.X)
	case TermWave:
		return fmt.Sprintf("wave %.6g", t.X)
	case TermSteps:
		return "steps"
	case TermLine:
		return "line"
	}
	return fmt.Sprintf("operation %d (%v, %v)", t.Op, t.a, t.b)
}
