// Package quantile has quantiles as order statistics, for all that give them of numbers that they
// have: the p-quantile of some numbers is the least of them that at least the share p of them does
// not exceed.
//
// Others mean something else on purpose: a median is the middle of two if there is no number in the
// middle, a posterior has weights and is interpolated (package fit), and what was not kept is told
// by a sketch (packages sim and ensemble) or a histogram (package dispatch).
package quantile

import "math"

// Rank is the place, from 1 on, of the p-quantile among n numbers in ascending order. It is 0 if p
// is not positive, and n+1 if p is above 1.
//
// A share such as 0.07 is a little off as a float, and 0.07·100 is more than 7, which must not make
// the seventh of a hundred the eighth. The error of the product is a few units in its last place,
// for any n; so much less than the 10⁻¹² that is taken off, which in turn is less than any share of
// fewer than 10¹² numbers could mean.
func Rank(n int, p float64) int {
	k := math.Ceil(p * float64(n) * (1 - 1e-12))
	return int(min(max(k, 0), float64(n)+1))
}

// Of is the p-quantile of numbers in ascending order: the least if p is 0 or less, the largest if
// it is 1 or more, and NaN if there are none.
func Of(sorted []float64, p float64) float64 {
	if len(sorted) == 0 {
		return math.NaN()
	}
	return sorted[min(max(Rank(len(sorted), p), 1), len(sorted))-1]
}
