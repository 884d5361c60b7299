package capped

import (
	"fmt"
	"math"

	"github.com/almanac-sim/almanac/internal/cappedmath"
)

// The theory of CAPPED(c, λ): its theorems, with the constants of their proofs. Numbers of
// theorems, lemmas and sections are those of the paper.

// demand panics unless an argument is good.
func demand(good bool, name, want string, got any) {
	if !good {
		panic(fmt.Sprintf("capped: %s must be %s, not %v", name, want, got))
	}
}

func demandBins(n int) { demand(n >= 1, "the number of bins", "1 or more", n) }

func demandCapacity(c int) { demand(c >= 1, "the capacity of a bin", "1 or more", c) }

// demandTable refuses capacities that are too large for a table of loads.
func demandTable(c int) {
	demand(c >= 1 && c <= mostCapacity, "the capacity of a bin", "from 1 to "+twoTo(mostCapacity), c)
}

// demandRate refuses NaN too.
func demandRate(lambda float64) {
	demand(lambda > 0 && lambda < 1, "the rate", "above 0 and below 1", lambda)
}

// PoolBound returns a bound of the pool of CAPPED(c, λ): at the end of any round the pool is
// smaller with probability 1−2^(−2n). It is 2·ln(1/(1−λ))·n + 4n for c = 1 (Theorem 1), and
// (4/c)·ln(1/(1−λ))·n + O(c·n) for larger c (Theorem 2). The O(c·n) is 12·c·n, since the bound is
// 2m* and Lemma 7 has m* = (2/c)·ln(1/(1−λ))·n + 6c·n.
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

// WaitBound returns a bound of waiting times, in rounds: with probability 1−n^(−2) no ball of a
// given round waits longer (Theorems 1 and 2). The pool, by [PoolBound], falls by n(1−1/e) in a
// round down to 2n (Lemma 3), to n/(2e) in 19 rounds (Lemma 4) and to 0 in log₂log₂n + O(1) rounds
// (Lemma 5); a ball in a bin waits for at most c−1 others (section IV-C).
//
// The paper has no constant for the O(1) of Lemma 5. Here it is 0, so that the result is not above
// the bound of the theorem: a longer wait does not necessarily contradict the theorem.
func WaitBound(n, c int, lambda float64) float64 {
	const allocated, last = 1 - 1/math.E, 19
	return PoolBound(n, c, lambda)/float64(n)/allocated + last + cappedmath.LogLog(n) + float64(c-1)
}

// SweetSpot returns the capacity with the least mean waiting time for many bins: the least Wait of
// [NewLimit], and the smaller capacity if two are equal to twelve digits, as all are if λ is small.
//
// The search ends when no larger capacity can be better. Let w be the law of the loads up to a
// factor, with w₀ = 1. Every wᵢ grows with x, and depends on c only in that i ends at c−1. So x
// falls as c grows, because eˣ·Σw must remain 1/(1−λ). Then π₀ = (1−λ)eˣ falls too, and so does
// every previous πᵢ = π₀wᵢ: loads grow with c, in distribution. A ball waits for at least E[L]/λ
// rounds; if that alone is more than the least wait so far, so is the wait for every larger c.
func SweetSpot(lambda float64) int {
	demandRate(lambda)
	// The search ends at 12 at the latest, except if λ is so small that all capacities are equal to
	// the last digit.
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
