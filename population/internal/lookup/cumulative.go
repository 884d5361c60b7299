package lookup

import "math"

// Sums is the row of sums that shares make; the last is 1, whatever the rounding.
func Sums(shares []float64) []float64 {
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
	// A last value with share 0 must not be drawn, so 1 goes to the last that has a share.
	for i := len(sums) - 1; i >= 0; i-- {
		sums[i] = math.Inf(1)
		if shares[i] > 0 {
			break
		}
	}
	return sums
}

// Among is the index of the first sum above u.
func Among(sums []float64, u float64) int {
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
