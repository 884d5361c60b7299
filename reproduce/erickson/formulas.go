package erickson

import (
	"math"

	"github.com/almanac-sim/almanac/calendar/theory"
	"github.com/almanac-sim/almanac/reproduce"
)

// unit are the papers' costs in all that they simulate: b = c = d = 1.
var unit = theory.Costs{Empty: 1, Entry: 1, Fixed: 1}

// formulas are what measurements are compared with: the formulas of the paper, at b = c = d = 1.
type formulas struct {
	least            float64                                                                // E_min, Theorem 2.2
	width            func(n int, mean float64) float64                                      // δ_opt, Theorem 2.2
	perEvent         func(n int, mean, width float64) float64                               // h of section A.5
	bounds           func(n int, j theory.Jump, width float64) (low, high float64)          // of section A.5
	emptyShare       func(n int, mean, width float64) float64                               // q₀, equation 8
	excess           func(n, buckets int, j theory.Jump, width float64) float64             // L_M, Corollary 3.1
	excessBounds     func(n, buckets int, j theory.Jump, width float64) (low, high float64) // Theorem 3.2
	degradation      func(ratio float64, j theory.Jump) float64                             // ε_M, Corollary 3.2
	degradationBound func(ratio float64) float64                                            // Corollary 3.3
}

// paperFormulas are the paper's, as package theory has them. What that refuses is a mistake made here.
func paperFormulas() formulas {
	return formulas{
		least: sure(unit.Least()),
		width: func(n int, mean float64) float64 { return sure(unit.Width(n, mean)) },
		perEvent: func(n int, mean, width float64) float64 {
			return sure(unit.PerEvent(n, mean, width))
		},
		bounds: func(n int, j theory.Jump, width float64) (float64, float64) {
			return sureBoth(unit.PerEventBounds(n, j, width))
		},
		emptyShare: func(n int, mean, width float64) float64 {
			return sure(theory.EmptyShare(n, mean, width))
		},
		excess: func(n, buckets int, j theory.Jump, width float64) float64 {
			return sure(theory.Excess(n, buckets, j, width))
		},
		excessBounds: func(n, buckets int, j theory.Jump, width float64) (float64, float64) {
			return sureBoth(theory.ExcessBounds(n, buckets, j, width))
		},
		degradation:      func(ratio float64, j theory.Jump) float64 { return sure(unit.Degradation(ratio, j)) },
		degradationBound: func(ratio float64) float64 { return sure(unit.DegradationBound(ratio)) },
	}
}

func sure(x float64, err error) float64 {
	if err != nil {
		panic(err)
	}
	return x
}

func sureBoth(low, high float64, err error) (float64, float64) {
	if err != nil {
		panic(err)
	}
	return low, high
}

// extraFor is E_M − E for an excess L_M: (μ+Nδ)/(Nδ)·L_M (Lemma 3.1).
func extraFor(n int, mean, width, excess float64) float64 {
	x := float64(n) * width / mean
	return (1 + x) / x * excess
}

// extraBounds encloses E_M − E, by Theorem 3.2.
func (t formulas) extraBounds(n, buckets int, j theory.Jump, width float64) (low, high float64) {
	low, high = t.excessBounds(n, buckets, j, width)
	return extraFor(n, j.Mean, width, low), extraFor(n, j.Mean, width, high)
}

// degradationBounds encloses ε_M for any N, by the bounds for E_M − E and for E.
func (t formulas) degradationBounds(n, buckets int, j theory.Jump, width float64) (low, high float64) {
	low, high = t.extraBounds(n, buckets, j, width)
	least, most := t.bounds(n, j, width)
	return low / most, high / least
}

// near adds a comparison with what is right for large N. Bounds that enclose the measured number for this N enclose that too, but for some
// rest of order 1/N; so the two are no further apart than the bounds are, and the tolerance owes nothing to the number expected.
func near(f *reproduce.Finding, what string, measured reproduce.Estimate, limit, low, high, rest float64, because string) {
	f.Check(what, measured.Mean, limit, high-low+rest+reproduce.Sigmas*measured.SE, because)
}

// restOf is how far h of section A.5 is from E_min at the best width: x/2N, with x = √2.
func restOf(n int) float64 { return 1 / (math.Sqrt2 * float64(n)) }

// becauseNear is the reason for the tolerance of a cost at the best width.
const becauseNear = "the distance between the bounds of section A.5, 1/(√2·N) for the term that E_min leaves out, and 4.5 standard errors"
