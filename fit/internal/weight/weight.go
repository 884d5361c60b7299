// Package weight is about weighted samples whose weights are given by their logarithms: effective
// sizes, tempering, resampling and the tail of the weights.
package weight

import (
	"math"
	"slices"

	"github.com/almanac-sim/almanac/internal/detmath"
	"github.com/almanac-sim/almanac/internal/random"
)

// Normalize turns log weights into weights that add up to 1, and reports whether any is above 0.
func Normalize(logs []float64) (weights []float64, ok bool) {
	most := math.Inf(-1)
	for _, l := range logs {
		most = math.Max(most, l)
	}
	weights = make([]float64, len(logs))
	if math.IsInf(most, -1) {
		return weights, false
	}
	sum := 0.0
	for i, l := range logs {
		weights[i] = detmath.Exp(l - most)
		sum += weights[i]
	}
	for i := range weights {
		weights[i] /= sum
	}
	return weights, true
}

// EffectiveSize is the effective size of a weighted sample, (Σw)²/Σw² [Kong94].
//
// [Kong94]: https://doi.org/10.1080/01621459.1994.10476469
func EffectiveSize(weights []float64) float64 {
	sum, squares := 0.0, 0.0
	for _, w := range weights {
		sum += w
		squares += float64(w * w)
	}
	if squares == 0 {
		return 0
	}
	return sum * sum / squares
}

// Power is the largest power up to 1 to which the likelihoods can be raised such that the effective
// size is at least want; logs are the other factors of the weights. If no power reaches want, it is
// the one with the largest effective size: at small powers the sample is of the prior, which the
// proposals are far from. It is 0 if every likelihood is 0.
func Power(logs, likelihoods []float64, want float64) float64 {
	raised := make([]float64, len(logs))
	size := func(p float64) float64 {
		for i, l := range likelihoods {
			if raised[i] = logs[i] + float64(p*l); math.IsInf(l, -1) {
				raised[i] = l
			}
		}
		w, _ := Normalize(raised)
		return EffectiveSize(w)
	}
	best, most := 0.0, 0.0
	for p := 1.0; p > 0x1p-30; p /= 2 {
		n := size(p)
		if n >= want {
			if p == 1 {
				return 1
			}
			low, high := p, 2*p
			for range 30 {
				if middle := (low + high) / 2; size(middle) >= want {
					low = middle
				} else {
					high = middle
				}
			}
			return low
		}
		if n > most {
			best, most = p, n
		}
	}
	return best
}

// Thin reduces a sample to at most most points with the least loss [FC03]. Weights above a bound
// stay as they are. The others are drawn systematically, each with a probability proportional to
// its weight, and get the bound as their weight. It returns the indices of the points that are
// left, in ascending order, and their weights.
//
// [FC03]: weights above a bound stay as they are; the others are drawn, evenly along their sum,
// [FC03]: https://doi.org/10.1111/1467-9868.00421
func Thin(weights []float64, most int, s *random.Stream) (indices []int, thinned []float64) {
	positive := 0
	for _, w := range weights {
		if w > 0 {
			positive++
		}
	}
	bound := 0.0
	if positive > most {
		bound = thinBound(weights, most)
	}
	u := s.Float64()
	for i, w := range weights {
		if w == 0 {
			continue
		}
		if w < bound {
			if u -= w / bound; u >= 0 {
				continue
			}
			u++
			w = bound
		}
		indices, thinned = append(indices, i), append(thinned, w)
	}
	sum := 0.0
	for _, w := range thinned {
		sum += w
	}
	for i := range thinned {
		thinned[i] /= sum
	}
	return indices, thinned
}

// thinBound is the c for which Σ min(w/c, 1) = n.
func thinBound(weights []float64, n int) float64 {
	sorted := slices.Clone(weights)
	slices.Sort(sorted)
	// With the k largest above c, c = (sum of the others)/(n−k).
	sum := 0.0
	for _, w := range sorted {
		sum += w
	}
	for k := 0; k < n; k++ {
		c := sum / float64(n-k)
		if largest := sorted[len(sorted)-1-k]; largest <= c {
			return c
		} else {
			sum -= largest
		}
	}
	return sorted[len(sorted)-n]
}

// Systematic resamples n copies: copies[k] is the number of points (i + u)/n, i = 0 … n−1, in the
// part of [0, 1) that weight k covers.
func Systematic(logs []float64, n int, u float64) []int {
	top := slices.Max(logs)
	total := 0.0
	shares := make([]float64, len(logs))
	for k, l := range logs {
		shares[k] = detmath.Exp(l - top)
		total += shares[k]
	}
	copies := make([]int, len(logs))
	given, upTo, heaviest := 0, 0.0, 0
	for k, w := range shares {
		upTo += w
		// Points below upTo/total belong to this weight or to an earlier one.
		for given < n && (float64(given)+u)*total < upTo*float64(n) {
			copies[k]++
			given++
		}
		if w > shares[heaviest] {
			heaviest = k
		}
	}
	copies[heaviest] += n - given // rounding may leave one point
	return copies
}

// LogMean is the logarithm of the mean of numbers given by their logarithms, and their effective
// number (Σw)²/Σw².
func LogMean(logs []float64) (mean, size float64) {
	top := slices.Max(logs)
	if math.IsInf(top, -1) {
		return top, 0
	}
	sum, squares := 0.0, 0.0
	for _, l := range logs {
		w := detmath.Exp(l - top)
		sum += w
		squares += float64(w * w)
	}
	return top + detmath.Log(sum/float64(len(logs))), sum * sum / squares
}

// FromLogs returns weights that add up to 1, given their logarithms; n equal ones if logs is nil.
func FromLogs(logs []float64, n int) []float64 {
	shares := make([]float64, n)
	if len(logs) == 0 {
		for k := range shares {
			shares[k] = 1 / float64(n)
		}
		return shares
	}
	mean, _ := LogMean(logs)
	for k, l := range logs {
		shares[k] = detmath.Exp(l-mean) / float64(n)
	}
	return shares
}

// Scale returns the logarithms of weights raised to a power. A weight of 0 stays 0, also for power
// 0.
func Scale(logs []float64, power float64) []float64 {
	scaled := make([]float64, len(logs))
	for k, l := range logs {
		if scaled[k] = power * l; math.IsInf(l, -1) {
			scaled[k] = l
		}
	}
	return scaled
}

// PowerFor is the largest power, at most limit, to which weights can be raised with an effective
// number of at least want. If fewer than twice as many weights are above 0, half of these are
// wanted instead.
func PowerFor(logs []float64, want, limit float64) float64 {
	size := func(power float64) float64 {
		_, n := LogMean(Scale(logs, power))
		return n
	}
	want = min(want, size(0)/2)
	if size(limit) >= want {
		return limit
	}
	low, high := 0.0, limit
	for range 200 { // limits and misfits may have any scale; 200 bisections resolve the smallest
		mid := (low + high) / 2
		if size(mid) >= want {
			low = mid
		} else {
			high = mid
		}
	}
	return low
}
