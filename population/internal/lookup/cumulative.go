package lookup

import "math"

// CumulativeShares returns the cumulative sums of shares, divided by their total. In place of the
// last, which would be 1, stands +Inf, so that [SearchCumulative] finds a share above 0 for every
// number, 1 included.
func CumulativeShares(shares []float64) []float64 {
	sums := make([]float64, len(shares))
	total := 0.0
	for i, s := range shares {
		total += s
		sums[i] = total
	}
	if total > 0 { // otherwise the model is wrong
		for i := range sums {
			sums[i] /= total
		}
	}
	// A share of 0 at the end must not be drawn, so the last share above 0 has +Inf as well.
	for i := len(sums) - 1; i >= 0; i-- {
		sums[i] = math.Inf(1)
		if shares[i] > 0 {
			break
		}
	}
	return sums
}

// SearchCumulative returns the index of the first sum above u: a draw from shares if u is uniform
// on [0, 1). It halves long rows and scans the last 16 sums.
func SearchCumulative(sums []float64, u float64) int {
	i, last := 0, len(sums)-1
	for last-i > 16 {
		if middle := (i + last) / 2; u >= sums[middle] {
			i = middle + 1
		} else {
			last = middle
		}
	}
	for i < last && u >= sums[i] {
		i++
	}
	return i
}
