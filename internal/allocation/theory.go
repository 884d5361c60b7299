package allocation

import (
	"github.com/almanac-sim/almanac/capped"
	"github.com/almanac-sim/almanac/internal/cappedmath"
	"github.com/almanac-sim/almanac/internal/detmath"
)

// compare puts what theory says beside what was measured.
func (p *Point) compare(c capped.Config) {
	p.Limit, p.Bound, p.Estimate = theoryOf(c, p.limit, p.Rounds)
	if p.Limit != nil {
		p.Limit.Waits = p.Limit.Waits[:min(len(p.Limit.Waits), len(p.Measured.Waits))]
		p.Limit.Loads = p.limit.Loads[:min(len(p.limit.Loads), len(p.Measured.Loads))]
	}
}

// theoryOf is what theory says of a process that is measured for some rounds; limit is nil if it
// has none.
func theoryOf(c capped.Config, limit *capped.Limit, rounds int) (many, bound, estimate *Theory) {
	n := float64(c.Bins)
	if limit != nil {
		waits := limit.Waits()
		many = &Theory{
			Pool: finite(limit.Pool), Thrown: finite(limit.Requests), Wait: finite(limit.Wait),
			Longest: finite(meanLongest(waits, c.Rate, n)), WaitMax: finite(meanLongest(waits, c.Rate, n*float64(rounds))),
			Waits: waits,
		}
	}
	if c.Kind == capped.Greedy {
		return many, nil, nil
	}
	if proved(c) {
		pool := finite(capped.PoolBound(c.Bins, c.Capacity, c.Rate) / n)
		bound = &Theory{Pool: pool, PoolMax: pool}
	}
	if c.Kind == capped.ModCapped { // Lemmas 2 and 7 bound its pool; what is said of waits is said of CAPPED
		return many, bound, nil
	}
	if bound != nil {
		bound.Longest = finite(capped.WaitBound(c.Bins, c.Capacity, c.Rate))
		bound.WaitMax = bound.Longest
	}
	pool, wait := finite(cappedmath.PoolEstimate(c.Bins, c.Capacity, c.Rate)/n),
		finite(cappedmath.WaitEstimate(c.Bins, c.Capacity, c.Rate))
	return many, bound, &Theory{Pool: pool, PoolMax: pool, Longest: wait, WaitMax: wait}
}

// proved tells whether the theorems are about a process.
func proved(c capped.Config) bool { return c.Kind != capped.Greedy && c.Rate <= 1-1/float64(c.Bins) }

// meanLongest is the mean of the longest wait in the limit of many bins, if so many bins each
// delete a ball with probability λ.
func meanLongest(waits []float64, rate, bins float64) float64 {
	sum, tail := 0.0, 0.0
	for w := len(waits) - 1; w > 0; w-- {
		tail = min(tail+waits[w], 1)
		sum -= detmath.Expm1(bins * detmath.Log1p(-rate*tail)) // the probability that some ball waits for w rounds or more
	}
	return sum
}
