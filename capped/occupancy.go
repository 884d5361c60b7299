package capped

import (
	"math"

	"github.com/almanac-sim/almanac/capped/internal/counts"
	"github.com/almanac-sim/almanac/internal/random"
)

// An occupancy draws how many bins get how many balls, without throwing the balls.
type occupancy struct {
	random random.Stream
	counts []int     // counts[k] bins have k balls
	odds   []float64 // 1/P(X = k | X ≥ k) for X Poisson
}

// few is the number of balls below which throwing is faster than drawing.
const few = 24

// draw draws the result of throwing balls into bins uniformly: at index k, the number of bins with
// k balls. The result is valid until the next call.
//
// If every bin got an independent Poisson number of balls with mean balls/bins, the number of bins
// with k balls would be binomial given the numbers of bins with fewer; and, given the total m, the
// balls would be distributed as if thrown. So that is drawn, and then corrected: if m is too small,
// the missing balls are thrown; if it is too large, balls are removed uniformly, which leaves the
// others as if they had been thrown alone. m is off by about √balls, and so this takes time of that
// order.
func (o *occupancy) draw(balls, bins int) []int {
	o.counts = append(o.counts[:0], bins)
	if balls >= few {
		return o.correct(balls, bins, o.independent(balls, bins))
	}
	return o.correct(balls, bins, 0)
}

// independent gives every bin a Poisson number of balls and returns their sum.
func (o *occupancy) independent(balls, bins int) int {
	mean := float64(balls) / float64(bins)
	o.hazards(mean)
	o.counts = o.counts[:0]
	all := 0
	for k, left := 0, bins; left > 0; k++ {
		// Beyond the table, which one bin in 10³⁰ reaches, the hazard is 1 to within mean/k.
		p := 1.0
		if k < len(o.odds) {
			p = 1 / o.odds[k]
		}
		some := left
		if p < 1 {
			some = counts.Binomial(&o.random, left, p)
		}
		o.counts = append(o.counts, some)
		all += k * some
		left -= some
	}
	return all
}

// hazards fills the table of P(X ≥ k)/P(X = k) for X Poisson, from the last to the first by
//
//	P(X ≥ k)/P(X = k) = 1 + mean/(k+1) · P(X ≥ k+1)/P(X = k+1).
//
// The truncation error is divided by k/mean in each step; where the ratio is infinite, the
// probability is 0.
func (o *occupancy) hazards(mean float64) {
	length := int(mean+float64(12*math.Sqrt(mean))) + 40
	if cap(o.odds) < length {
		o.odds = make([]float64, length)
	}
	o.odds = o.odds[:length]
	ratio := 1.0
	for k := length - 1; k >= 0; k-- {
		ratio = 1 + float64(mean*inverse(k+1)*ratio)
		o.odds[k] = ratio
	}
}

// inverses[k] is 1/k: a division takes longer than the rest of the recursion.
var inverses [128]float64

func init() {
	for k := range inverses {
		inverses[k] = 1 / float64(k)
	}
}

func inverse(k int) float64 {
	if k < len(inverses) {
		return inverses[k]
	}
	return 1 / float64(k)
}

// correct throws or removes balls until the bins, which hold all of them, hold the given number.
func (o *occupancy) correct(balls, bins, all int) []int {
	first := 0 // no bin has fewer balls
	for first < len(o.counts) && o.counts[first] == 0 {
		first++
	}
	for ; all < balls; all++ {
		at := int(o.random.Below(uint64(bins)))
		k := first
		for at >= o.counts[k] {
			at -= o.counts[k]
			k++
		}
		if k+1 == len(o.counts) {
			o.counts = append(o.counts, 0)
		}
		o.counts[k]--
		o.counts[k+1]++
	}
	for ; all > balls; all-- {
		at := int(o.random.Below(uint64(all)))
		k := max(first, 1)
		for at >= k*o.counts[k] {
			at -= k * o.counts[k]
			k++
		}
		o.counts[k]--
		o.counts[k-1]++
		first = min(first, k-1)
	}
	return o.counts
}
