package capped

import (
	"math"
	"slices"
)

// warm puts the process where the limit of many bins says that it will be in the long run: so many bins of each load, so many
// balls of each age in the pool, and so many that will be deleted in each of the coming rounds.
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
		left += loads[s+1] // now the bins that hold more than s, and delete a ball s+1 rounds from now
		for age, count := range apportion(queued, left) {
			p.diary.add(0, s+1, -age, count)
		}
	}
	p.engine.(interface{ fill(loads []int) }).fill(loads)
}

// apportion parts a number in proportion to shares. Every sum from the first part on is the nearest integer.
func apportion(shares []float64, number int) []int {
	whole := 0.0
	for _, s := range shares {
		whole += s
	}
	parts := make([]int, len(shares))
	if whole == 0 { // there is nothing, and a number that is not 0 has nowhere to go
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
