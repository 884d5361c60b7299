package capped

import (
	"math"
	"slices"
)

// warm sets the process to the stationary state of the limit of many bins: the bins of each load,
// the balls of each age in the pool, and those that will be deleted in each of the coming rounds.
func (p *Process) warm(limit *Limit) {
	bins := p.config.Bins

	for age, count := range apportion(limit.Ages(), int(math.Round(limit.Pool*float64(bins)))) {
		if count > 0 {
			p.pool = append(p.pool, cohort{-age, count})
		}
	}
	slices.Reverse(p.pool) // oldest first

	loads := apportion(limit.Loads, bins)
	left := 0
	for s, queued := range limit.queued() {
		left += loads[s+1] // now the bins that hold more than s balls, and delete one s+1 rounds from now
		for age, count := range apportion(queued, left) {
			p.diary.add(0, s+1, -age, count)
		}
	}
	p.engine.(interface{ fill(loads []int) }).fill(loads)
}

// apportion divides a number in proportion to shares. Every partial sum is the nearest integer.
func apportion(shares []float64, number int) []int {
	whole := 0.0
	for _, s := range shares {
		whole += s
	}
	parts := make([]int, len(shares))
	if whole == 0 { // there are no shares
		return parts
	}
	sum, given := 0.0, 0
	for i, s := range shares {
		sum += s
		next := int(math.Round(float64(number) * (sum / whole)))
		parts[i] = next - given
		given = next
	}
	return parts
}
