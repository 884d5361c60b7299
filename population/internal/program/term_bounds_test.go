package program

import (
	"fmt"
	"math"
	"testing"

	"github.com/almanac-sim/almanac/internal/expr"
	"github.com/almanac-sim/almanac/internal/random"
)

// randomTerm is any term, with leaves that change with time.
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
	ops := []expr.Op{expr.Add, expr.Subtract, expr.Multiply, expr.Divide, expr.Power, expr.Min, expr.Max, expr.Exp, expr.Log, expr.Sqrt}
	op := ops[s.Below(uint64(len(ops)))]
	t := &Term{Op: op, a: randomTerm(s, depth-1)}
	if op != expr.Exp && op != expr.Log && op != expr.Sqrt {
		t.b = randomTerm(s, depth-1)
	}
	return t
}

// TestValueOutOfBounds takes many terms and looks whether they keep within their bounds, to the last place, and whether nothing jumps but at the times that next
// tells.
func TestValueOutOfBounds(t *testing.T) {
	s := random.New(11)
	bounded, tight := 0, 0
	for range 3000 {
		x := randomTerm(&s, 3)
		from := 20 * s.Float64()
		to := from + 10*s.Float64()*s.Float64()
		low, high := x.Between(from, to)
		if math.IsNaN(low) || math.IsNaN(high) {
			continue // nothing is claimed: a difference of things without a bound
		}
		least, most := math.Inf(1), math.Inf(-1)
		for i := range 60 {
			at := from + (to-from)*float64(i)/60
			y := x.At(at, Census{})
			if math.IsNaN(y) {
				continue // the root of something negative, which is refused
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
		if next := x.Next(from); !(next > from) {
			t.Fatalf("after %v comes %v:\n%s", from, next, x)
		}
	}
	if bounded < 1500 || tight < bounded/2 {
		t.Errorf("%d of 3000 have bounds, %d near ones", bounded, tight)
	}
}

// String is a term in a form for messages.
func (t *Term) String() string {
	if t == nil {
		return ""
	}
	name := [...]string{"", "add", "subtract", "multiply", "divide", "power", "min", "max", "exp", "log", "sqrt", "wave", "steps", "line", "total", "count"}[t.Op]
	switch t.Op {
	case TermConstant:
		return fmt.Sprintf("%.6g", t.X)
	case TermWave:
		return name + fmt.Sprintf("%.6g", t.X)
	case TermSteps, TermLine:
		return name
	}
	return name + "(" + t.a.String() + ", " + t.b.String() + ")"
}
