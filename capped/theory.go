package capped

import (
	"fmt"
	"math"

	"github.com/almanac-sim/almanac/internal/cappedmath"
)

// The theory of CAPPED(c, λ): what its theorems promise, with the constants that are in their proofs, and what its authors saw in
// their simulations. Numbers of theorems, lemmas and sections are those of the paper.

// demand panics unless an argument is good.
func demand(good bool, name, want string, got any) {
	if !good {
		panic(fmt.Sprintf("capped: %s must be %s, not %v", name, want, got))
	}
}

func demandBins(n int) { demand(n >= 1, "the number of bins", "1 or more", n) }

func demandCapacity(c int) { demand(c >= 1, "the capacity of a bin", "1 or more", c) }

// demandTable refuses capacities for which no table of loads is made.
func demandTable(c int) {
	demand(c >= 1 && c <= mostCapacity, "the capacity of a bin", "from 1 to "+twoTo(mostCapacity), c)
}

// demandRate refuses NaN too.
func demandRate(lambda float64) {
	demand(lambda > 0 && lambda < 1, "the rate", "above 0 and below 1", lambda)
}

// PoolBound is the number of balls below which the pool of CAPPED(c, λ) is at the end of any round with probability 1−2^(−2n):
// 2·ln(1/(1−λ))·n + 4n for c = 1 (Theorem 1), and beyond (4/c)·ln(1/(1−λ))·n + O(c·n) (Theorem 2). The O(c·n) is 12·c·n,
// since the bound is 2m* and Lemma 7 has m* = (2/c)·ln(1/(1−λ))·n + 6c·n.
//
// The theorems are for λ ≤ 1−1/n and an integer λn.
func PoolBound(n, c int, lambda float64) float64 {
	demandBins(n)
	demandCapacity(c)
	demandRate(lambda)
	if c == 1 {
		return (2*cappedmath.Pressure(lambda) + 4) * float64(n)
	}
	return (float64(4/float64(c)*cappedmath.Pressure(lambda)) + float64(12*float64(c))) * float64(n)
}

// WaitBound is the number of rounds above which no ball of a given round waits with probability 1−n^(−2) (Theorems 1 and 2): the
// pool, by [PoolBound], falls by n(1−1/e) in a round down to 2n (Lemma 3), to n/(2e) in 19 rounds (Lemma 4) and to nothing
// in log₂log₂n + O(1) rounds (Lemma 5); a ball that is in a bin waits for at most c−1 others (section IV-C).
//
// The paper has no constant for the O(1) of Lemma 5. It is counted as 0, so that what is returned is not more than the theorem's
// bound: a wait that is longer than this need not be longer than the theorem allows.
func WaitBound(n, c int, lambda float64) float64 {
	const allocated, last = 1 - 1/math.E, 19
	return PoolBound(n, c, lambda)/float64(n)/allocated + last + cappedmath.LogLog(n) + float64(c-1)
}

// SweetSpot is the capacity with which balls wait least on average when there are many bins: that with the least Wait of
// [NewLimit]; the smaller one of two that are alike to twelve digits, as
// all are when λ is small.
//
// The search ends where no larger capacity can be better. Let w be the law of the loads up to a factor, with w₀ = 1. Every wᵢ grows
// with x, and depends on c only in that i ends at c−1. So x falls as c grows, because eˣ·Σw must remain 1/(1−λ). Then
// π₀ = (1−λ)eˣ falls too, and so does every πᵢ = π₀wᵢ there was: loads grow with c, in distribution. A ball waits for E[L]/λ
// rounds at least; when that alone is more than the least wait so far, so is the wait with every larger c.
func SweetSpot(lambda float64) int {
	demandRate(lambda)
	// The end is at 12 at the latest, but may be missed when λ is so small that all capacities are alike to the last digit.
	const farthest, alike = 64, 1e-12
	best, least := 1, math.Inf(1)
	for c := 1; c <= farthest; c++ {
		l := NewLimit(c, lambda)
		if l.Wait < least*(1-alike) {
			best, least = c, l.Wait
		}
		if l.Wait-l.Pool/lambda >= least {
			break
		}
	}
	return best
}
