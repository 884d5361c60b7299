package law

import (
	"math"
	"slices"

	"github.com/almanac-sim/almanac/internal/detmath"
	"github.com/almanac-sim/almanac/internal/random"
)

// Far out in a tail the probability to get there is too small for a float64, and its logarithm is
// not. The families whose survival function has no plain logarithm share this.

// faint is the least probability that is used as it is; below, its logarithm is. The smallest
// normal float64 is 2·10⁻³⁰⁸: what is above faint keeps all its digits.
const faint = 1e-300

// logSurvivalOrTail returns the logarithm of survival(x), by logTail where that underflows.
func logSurvivalOrTail(l interface {
	survival(x float64) float64
	longest() float64
	logTail(x float64) float64
}, x float64) float64 {
	if p := l.survival(x); p > faint || x >= l.longest() {
		return detmath.Log(p)
	}
	return l.logTail(x)
}

// asymptotic returns the sum 1 + r₁ + r₁r₂ + …, where ratio(k) is rₖ, the ratio of a term to the
// one before. It ends before the terms of the divergent series grow again.
func asymptotic(ratio func(k float64) float64) float64 {
	sum, term := 1.0, 1.0
	for k := 1.0; k < 100; k++ { // far out some terms are enough; the bound is for safety
		r := ratio(k)
		if math.Abs(r) >= 1 {
			break
		}
		if term *= r; math.Abs(term) < 1e-17 { // less than the rounding error of the sum
			break
		}
		sum += float64(term)
	}
	return sum
}

// logSum returns log Σ exp(logs[i]). At least one logarithm must be finite.
func logSum(logs []float64) float64 {
	sum, most := 0.0, slices.Max(logs)
	for _, x := range logs {
		sum += detmath.Exp(x - most)
	}
	return most + detmath.Log(sum)
}

// DrawLogWeighted draws an index with probability proportional to exp(logs[i]). At least one
// logarithm must be finite; sums is scratch space of the same length.
func DrawLogWeighted(s *random.Stream, sums, logs []float64) int {
	sum, most := 0.0, slices.Max(logs)
	for i, x := range logs {
		sum += detmath.Exp(x - most)
		sums[i] = sum
	}
	u := s.Positive() * sum // above 0, so that no index of weight 0 is taken
	for i, upTo := range sums {
		if u <= upTo {
			return i
		}
	}
	return len(sums) - 1
}
