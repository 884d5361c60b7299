// Package cappedmath has the formulas of Berenbrink et al. (2021) about CAPPED(c, λ) and
// MODCAPPED(c, λ) that package capped, the reports of its measurements and the check of the paper's
// claims share, and that users do not need. Numbers of figures, lemmas and sections are those of
// the paper. All of them panic unless n and c are 1 or more and λ is above 0 and below 1.
package cappedmath

import (
	"fmt"
	"math"

	"github.com/almanac-sim/almanac/internal/detmath"
)

func check(n, c int, lambda float64) {
	if n < 1 {
		panic(fmt.Sprintf("cappedmath: the number of bins must be 1 or more, not %d", n))
	}
	if c < 1 {
		panic(fmt.Sprintf("cappedmath: the capacity of a bin must be 1 or more, not %d", c))
	}
	if !(lambda > 0 && lambda < 1) { // NaN fails it too
		panic(fmt.Sprintf("cappedmath: the rate must be above 0 and below 1, not %v", lambda))
	}
}

// Pressure returns ln(1/(1−λ)), on which all bounds depend. It does not check λ.
func Pressure(lambda float64) float64 { return -detmath.Log1p(-lambda) }

// LogLog returns log₂log₂n, the last rounds of a ball, or 0 with one or two bins. The base is 2
// because the layered induction of Lemma 5 has β₀ = n/(2e) and β_{i+1} = e·βᵢ²/n, which is βᵢ =
// n/(e·2^(2^i)).
func LogLog(n int) float64 {
	if n <= 2 {
		return 0
	}
	return detmath.Log2(detmath.Log2(float64(n)))
}

// PoolEstimate returns n/c·ln(1/(1−λ)) + n, an upper bound of the pool in the authors' simulations
// (section V, Figure 4).
func PoolEstimate(n, c int, lambda float64) float64 {
	check(n, c, lambda)
	return (Pressure(lambda)/float64(c) + 1) * float64(n)
}

// WaitEstimate returns ln(1/(1−λ))/c + log₂log₂n + c, an upper bound of the waiting times in the
// authors' simulations (section V, Figure 5). The 1/c is in the caption of the figure; the text of
// the section omits it.
func WaitEstimate(n, c int, lambda float64) float64 {
	check(n, c, lambda)
	return Pressure(lambda)/float64(c) + LogLog(n) + float64(c)
}

// SweetSpotScale returns √ln(1/(1−λ)), the c for which ln(1/(1−λ))/c + c is least. The paper gives
// the best capacity as Θ of it.
func SweetSpotScale(lambda float64) float64 {
	check(1, 1, lambda)
	return math.Sqrt(Pressure(lambda))
}

// MinThrown returns m*, the number of balls that MODCAPPED(c, λ) throws at least in every round. It
// is that of section III for c = 1 and of section IV for larger c (whose formula gives another
// value for c = 1), rounded up to an even integer, so that at least m*/2 of the balls prefer each
// of the two buffers, as Lemma 7 needs.
func MinThrown(n, c int, lambda float64) float64 {
	check(n, c, lambda)
	bins, capacity := float64(n), float64(c)
	least := float64(Pressure(lambda)*bins) + float64(2*bins)
	if c > 1 {
		least = -2*detmath.Log1p(-lambda)*bins/capacity + float64(6*capacity*bins)
	}
	return 2 * math.Ceil(least/2)
}
