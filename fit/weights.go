package fit

import (
	"math"
	"slices"

	"github.com/almanac-sim/almanac/internal/detmath"
	"github.com/almanac-sim/almanac/internal/random"
)

// normalize turns logarithms of weights into weights that add up to 1, and reports whether any is
// above 0.
func normalize(logs []float64) (weights []float64, ok bool) {
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

// effectiveSize is the effective size of a weighted sample, 1/Σw² for weights that add up to 1
// [Kong94].
//
// [Kong94]: https://doi.org/10.1080/01621459.1994.10476469
func effectiveSize(weights []float64) float64 {
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

// power is the largest power, up to 1, to which likelihoods can be raised so that the effective
// sample is at least so many. If none gives that many, it is the one that gives the most: for small
// powers the sample is of the prior, from which proposals are far. 0 says that no run is possible.
func power(logs, likelihoods []float64, want float64) float64 {
	raised := make([]float64, len(logs))
	size := func(p float64) float64 {
		for i, l := range likelihoods {
			if raised[i] = logs[i] + float64(p*l); math.IsInf(l, -1) {
				raised[i] = l
			}
		}
		w, _ := normalize(raised)
		return effectiveSize(w)
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

// thin makes a sample of at most so many points of one that has more, with as little loss as can be
// [FC03]: weights above a bound stay as they are; the others are drawn, evenly along their sum,
// each with a probability in proportion, and have the bound for their weight. What it returns are
// places in the sample, in their order, and weights.
//
// [FC03]: https://doi.org/10.1111/1467-9868.00421
func thin(weights []float64, most int, s *random.Stream) (places []int, thinned []float64) {
	positive := 0
	for _, w := range weights {
		if w > 0 {
			positive++
		}
	}
	bound := 0.0
	if positive > most {
		bound = bounded(weights, most)
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
		places, thinned = append(places, i), append(thinned, w)
	}
	sum := 0.0
	for _, w := range thinned {
		sum += w
	}
	for i := range thinned {
		thinned[i] /= sum
	}
	return places, thinned
}

// bounded is c with Σ min(w/c, 1) = n.
func bounded(weights []float64, n int) float64 {
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
