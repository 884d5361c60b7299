package erickson

import (
	"math"

	"gonum.org/v1/gonum/stat/distuv"

	"github.com/almanac-sim/almanac/calendar/static"
	"github.com/almanac-sim/almanac/reproduce"
)

// unit are the papers' costs in all that they simulate: b = c = d = 1.
var unit = static.Costs{Empty: 1, Entry: 1, Fixed: 1}

// formulas are what measurements are compared with: the formulas of the paper, at b = c = d = 1,
// and its numbers. What is marked as ours was derived here.
type formulas struct {
	least float64 // E_min, Theorem 2.2
	// its error is O(N^−this), Theorem 2.1
	leastOrder float64
	width      func(n int, mean float64) float64 // δ_opt, Theorem 2.2
	// its error is O(N^−this), Theorem 2.1
	widthOrder       float64
	perEvent         func(n int, mean, width float64) float64                               // h of section A.5
	bounds           func(n int, j static.Jump, width float64) (low, high float64)          // of section A.5
	emptyShare       func(n int, mean, width float64) float64                               // q₀, equation 8
	hit              func(j static.Jump, width float64) float64                             // p, equation 14
	binomial         func(n int, p float64, i int) float64                                  // b(i), equation 13
	shareBounds      func(n int, j static.Jump, width float64, k int) (low, high float64)   // of q_k, equations 15 and 16
	enough           func(support, width float64) int                                       // M, Theorem 3.1
	excess           func(n, buckets int, j static.Jump, width float64) float64             // L_M, Corollary 3.1
	excessBounds     func(n, buckets int, j static.Jump, width float64) (low, high float64) // Theorem 3.2
	degradation      func(ratio float64, j static.Jump) float64                             // ε_M, Corollary 3.2
	degradationBound func(ratio float64) float64                                            // Corollary 3.3
	// ε_M for the two ratios of Figure 3
	figure3    [2]float64
	cacheSizes [2]int // bytes of the caches that section 4 speaks of
	cacheLine  int    // and of their lines
	// whose list entries are correlated in time more, and whose less, section 4
	correlated   func() (jumps, jumps)
	tuned        func(first phase) tunable                               // the answer to the journal's open problem
	times        func() timings                                          // what was timed once
	oneEvent     func(j static.Jump, width, x float64) float64           // the density of G, section A.3
	landing      func(j static.Jump, width float64, buckets int) float64 // p* of appendix B
	predicted    func(k static.Costs, x float64) float64                 // what an event takes at x = Nδ/μ, the journal
	atomLeast    func(share float64) float64                             // ours: the least with a mass of jumps at 0
	orderedWidth func(k static.Costs) float64                            // ours: Nδ/μ where ordered lists take least
	orderedLeast func(k static.Costs) float64                            // ours: and what they take there
	// ours: how many insertions into ordered lists stop at an entry, for each event, at x = Nδ/μ
	orderedStops func(x float64) float64
}

// paperFormulas are the paper's, as package theory has them. What that refuses is a mistake made
// here.
func paperFormulas() formulas {
	t := formulas{
		least:      reproduce.Must(unit.Least()),
		leastOrder: 1,
		width:      func(n int, mean float64) float64 { return reproduce.Must(unit.Width(n, mean)) },
		widthOrder: 1.5,
		perEvent: func(n int, mean, width float64) float64 {
			return reproduce.Must(unit.PerEvent(n, mean, width))
		},
		bounds: func(n int, j static.Jump, width float64) (float64, float64) {
			return sureBoth(unit.PerEventBounds(n, j, width))
		},
		emptyShare: func(n int, mean, width float64) float64 {
			return reproduce.Must(static.EmptyShare(n, mean, width))
		},
		hit: hitOf,
		binomial: func(n int, p float64, i int) float64 {
			return distuv.Binomial{N: float64(n), P: p}.Prob(float64(i))
		},
		enough: func(support, width float64) int { return reproduce.Must(static.BucketsFor(support, width)) },
		excess: func(n, buckets int, j static.Jump, width float64) float64 {
			return reproduce.Must(static.Excess(n, buckets, j, width))
		},
		excessBounds: func(n, buckets int, j static.Jump, width float64) (float64, float64) {
			return sureBoth(static.ExcessBounds(n, buckets, j, width))
		},
		degradation:      func(ratio float64, j static.Jump) float64 { return reproduce.Must(unit.Degradation(ratio, j)) },
		degradationBound: func(ratio float64) float64 { return reproduce.Must(unit.DegradationBound(ratio)) },
		figure3:          [2]float64{0.05, 0.01},
		predicted:        func(k static.Costs, x float64) float64 { return k.Empty/x + k.Entry*(1+x/2) + k.Fixed },
		atomLeast:        func(share float64) float64 { return 2 + math.Sqrt(2*(1-share)) },
		orderedWidth:     func(k static.Costs) float64 { return 2 * math.Sqrt(k.Empty/k.Entry) },
		orderedLeast:     func(k static.Costs) float64 { return k.Entry + math.Sqrt(k.Empty*k.Entry) + k.Fixed },
		orderedStops:     stopsOf,
		cacheSizes:       [2]int{8 << 10, 512 << 10},
		cacheLine:        32,
		correlated:       func() (jumps, jumps) { return exponentialJumps(), uniformJumps(1) },
		tuned:            selfTuned,
		times:            recorded,
		oneEvent:         oneDensity,
		landing:          landingOf,
	}
	t.shareBounds = func(n int, j static.Jump, width float64, k int) (low, high float64) {
		p := hitOf(j, width)
		for i := k; i <= n; i++ {
			low += distuv.Binomial{N: float64(n), P: p}.Prob(float64(i))
		}
		low *= j.Mean / (j.Mean + float64(n)*width)
		return low, low / (1 - j.CDF(width))
	}
	return t
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
func (t formulas) extraBounds(n, buckets int, j static.Jump, width float64) (low, high float64) {
	low, high = t.excessBounds(n, buckets, j, width)
	return extraFor(n, j.Mean, width, low), extraFor(n, j.Mean, width, high)
}

// degradationBounds encloses ε_M for any N, by the bounds for E_M − E and for E.
func (t formulas) degradationBounds(n, buckets int, j static.Jump, width float64) (low, high float64) {
	low, high = t.extraBounds(n, buckets, j, width)
	least, most := t.bounds(n, j, width)
	return low / most, high / least
}

// near adds a comparison with what is right for large N. Bounds that enclose the measured number
// for this N enclose that too, but for some rest of order 1/N; so the two are no further apart than
// the bounds are, and the tolerance owes nothing to the number expected.
func near(c reproduce.Checker, what string, measured reproduce.Estimate, limit, low, high, rest float64,
	because string) {
	c.Check(what, measured.Mean, limit, high-low+rest+reproduce.Sigmas*measured.SE, because)
}

// restOf is how far h of section A.5 is from E_min at the best width: x/2N, with x = √2.
func restOf(n int) float64 { return 1 / (math.Sqrt2 * float64(n)) }

// becauseNear is the reason for the tolerance of a cost at the best width.
const becauseNear = "the distance between the bounds of section A.5, 1/(√2·N) for the term that E_min leaves " +
	"out, and 4.5 standard errors"
