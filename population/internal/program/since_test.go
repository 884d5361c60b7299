package program

import (
	"math"
	"testing"

	"github.com/almanac-sim/almanac/internal/expr"
	"github.com/almanac-sim/almanac/internal/random"
	"github.com/almanac-sim/almanac/population/internal/law"
	"github.com/almanac-sim/almanac/population/internal/lookup"
)

// TestSincePieces follows an individual through the pieces of a rate with two curves: every piece
// ends after its beginning, and no value is above its bound, whatever the rounding.
func TestSincePieces(t *testing.T) {
	shape := law.Gamma(5, 4)
	density := NewSinceTerm(0, false, &Term{Op: TermDensity, Law: &shape})
	line := NewSinceTerm(1, false, &Term{Op: TermLine, Times: []float64{0.1, 0.3, 7}, Values: []float64{0, 2, 0.5}})
	tv := &TimeVarying{Root: Combine(expr.Multiply, Combine(expr.Multiply, Constant(3), density), line), Personal: true}
	_, most := tv.Root.Bounds(0, 100)
	tv.Edges, tv.Bounds = lookup.NewGuideTable([]float64{0}), []float64{most}
	tv.CutBySince()
	if len(tv.Factors) != 2 || len(tv.Factors[0].Bounds) < 4 || len(tv.Factors[1].Bounds) < 3 {
		t.Fatalf("%d curves, cut into %v", len(tv.Factors), tv.Factors)
	}
	s := random.New(1)
	bounds, values := 0.0, 0.0
	for range 2000 {
		came := []float64{1e3 * s.Float64(), 1e3 * s.Float64()}
		begin := max(came[0], came[1])
		if s.Float64() < 0.1 {
			came[1], begin = math.Inf(1), came[0]
		}
		who := &Individual{CameIn: [][]float64{{came[0]}, {came[1]}}}
		for at := begin; at < begin+30; {
			end, bound := tv.PieceFor(at, who, 0)
			if !(end > at) {
				t.Fatalf("the piece of %v ends at %v", at, end)
			}
			until := min(end, begin+30)
			for range 5 {
				x := at + (until-at)*s.Float64()
				value, _ := tv.Rate(x, Census{Who: who}, 0)
				if _, again := tv.PieceFor(x, who, 0); x < end && (again != bound || value > bound*(1+1e-12)) {
					t.Fatalf("%v at %v, in a piece with the bound %v, then %v", value, x, bound, again)
				}
				bounds, values = bounds+bound*(until-at), values+value*(until-at)
			}
			at = end
		}
	}
	if bounds > 4*values {
		t.Errorf("bounds are %v times the values", bounds/values)
	}
}

// A term that is not proportional to a curve has one bound for all times since, and 0 outside.
func TestSinceWithoutPieces(t *testing.T) {
	curve := NewSinceTerm(0, false, &Term{Op: TermSteps, Times: []float64{0, 2}, Values: []float64{3, 1}})
	tv := &TimeVarying{Root: Combine(expr.Add, Constant(1), curve), Personal: true}
	tv.Edges, tv.Bounds = lookup.NewGuideTable([]float64{0}), []float64{4}
	tv.CutBySince()
	for came, want := range map[float64]float64{5: 2, 9: 4, 11: 1, math.Inf(1): 1} {
		who := &Individual{CameIn: [][]float64{{came}}}
		if x, _ := tv.Rate(10, Census{Who: who}, 0); x != want {
			t.Errorf("%v for one who came at %v, want %v", x, came, want)
		}
		if _, bound := tv.PieceFor(10, who, 0); bound != 4 {
			t.Errorf("the bound is %v", bound)
		}
	}
}
