package berenbrink

import "math"

// A farLimit is the limit of CAPPED(c, 1−1/n) for numbers of bins n of which only the logarithm is a number. It is found by the requests x of a bin and not by
// λ, which would be 1: a bin is idle with probability 1/n = π₀e^(−x), where π is the law of its loads at that x.
type farLimit struct {
	log      float64 // ln n
	requests float64
	loads    []float64
}

func newFarLimit(c int, log float64) farLimit {
	low, high := 0.0, log
	for range 100 {
		x := (low + high) / 2
		if _, sum := loadsAt(c, x); x+math.Log(sum) < log { // and so not if it is no number
			low = x
		} else {
			high = x
		}
	}
	loads, sum := loadsAt(c, low)
	for i := range loads {
		loads[i] /= sum
	}
	return farLimit{log: log, requests: low, loads: loads}
}

// loadsAt is the law of the loads of CAPPED(c, ·) if a bin is asked x times in a round on average, up to a factor, and the sum of it: what leaves loads up
// to i comes back from i+1, so that π_{i+1}·P(N=0) = Σ_{j≤i} π_j·P(N ≥ i−j+2).
func loadsAt(c int, x float64) (loads []float64, sum float64) {
	law := poisson(x, 10_000)
	from := tails(law)
	loads = make([]float64, c)
	loads[0], sum = 1, 1
	for i := range c - 1 {
		for j := max(0, i+3-len(from)); j <= i; j++ {
			loads[i+1] += loads[j] * from[i-j+2] / law[0]
		}
		sum += loads[i+1]
	}
	return loads, sum
}

// left is how many balls per bin are left of y that ask first: E[(L+N−c)⁺].
func (l *farLimit) left(y float64) float64 {
	from := tails(poisson(y, 10_000))
	left := 0.0
	for load, share := range l.loads {
		for j := len(l.loads) - load + 1; j < len(from); j++ {
			left += share * from[j]
		}
	}
	return left
}

// pool is the balls in the pool after a round, per bin, and wait the mean wait, by Little's law.
func (l *farLimit) pool() float64 { return l.left(l.requests) }

func (l *farLimit) wait() float64 {
	sum := l.pool()
	for load, share := range l.loads {
		sum += float64(load) * share
	}
	return sum
}

// pooled is the mean of the longest time that balls of a round are in the pool.
func (l *farLimit) pooled() float64 {
	longest := 0.0
	for y := l.left(l.requests); ; y = l.left(y) {
		balls := y * math.Exp(l.log)
		if balls < 1e-20 {
			return longest
		}
		longest -= math.Expm1(-balls)
	}
}

// pooled is that of CAPPED(c, 1−1/n) with e^log bins.
func pooled(c int, log float64) float64 {
	l := newFarLimit(c, log)
	return l.pooled()
}
