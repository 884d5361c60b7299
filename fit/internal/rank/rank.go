// Package rank orders numbers, NaN last, and turns ranks into normal scores.
package rank

import (
	"math"
	"slices"

	"github.com/almanac-sim/almanac/internal/detmath"
)

// Order returns the indices of x in ascending order of their values, NaN last. Equal values keep
// their order.
func Order(x []float64) []int {
	order := make([]int, len(x))
	for i := range order {
		order[i] = i
	}
	slices.SortStableFunc(order, func(a, b int) int { return Compare(x[a], x[b]) })
	return order
}

// Compare compares numbers as cmp.Compare does, but puts NaN last.
func Compare(a, b float64) int {
	switch {
	case a < b:
		return -1
	case a > b:
		return 1
	case math.IsNaN(a) && !math.IsNaN(b):
		return 1
	case math.IsNaN(b) && !math.IsNaN(a):
		return -1
	}
	return 0
}

// NormalScores replaces values by Φ⁻¹((rank − 3/8)/(n + 1/4)). Ranks are over all n values of all
// chains; equal values share their mean rank.
func NormalScores(chains [][]float64) [][]float64 {
	scores := make([][]float64, len(chains))
	for c := range chains {
		scores[c] = make([]float64, len(chains[c]))
	}
	all, length := slices.Concat(chains...), len(chains[0])
	order := Order(all)
	size := float64(len(order))
	for from := 0; from < len(order); {
		to := from + 1
		for to < len(order) && all[order[to]] == all[order[from]] {
			to++
		}
		rank := float64(float64(from+to+1) / 2) // the mean of from+1 … to
		z := detmath.NormalQuantile((rank - 0.375) / (size + 0.25))
		for _, p := range order[from:to] {
			scores[p/length][p%length] = z
		}
		from = to
	}
	return scores
}
