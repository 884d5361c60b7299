package capped

import (
	"iter"
	"math"
	"slices"
)

// older returns y₀ = x, y₁ = Pool, y₂, …: how many of the balls that are thrown in a round are of age a or more, per bin.
//
// Bins prefer older balls. So those of age a or more are served as if there were no others, and y_{a+1} is what is rejected of
// yₐ. In the end yₐ is squared in every round. The last one is 0.
func (l *Limit) older() []float64 {
	ages := []float64{l.Requests}
	if l.Capacity == 0 {
		return append(ages, 0)
	}
	var n poissonLaw
	for y := l.Requests; y > 0; {
		n.set(y)
		if y = l.rejected(&n); y < negligible {
			y = 0
		}
		ages = append(ages, y)
	}
	return ages
}

// accepted is how many balls of each age are accepted with how many others before them in the bin, per bin and round:
// accepted()[age][position].
//
// Order balls by age, the oldest first, and let y be how many per bin there are before a ball. It finds L+N_y others in its bin,
// and so it is accepted at position p with probability P(L+N_y = p) if p < c. Those of age a are from y_{a+1} to yₐ, and
// the integral of P(N_y = k) over y is P(N_y ≥ k+1).
func (l *Limit) accepted() [][]float64 {
	if l.Capacity == 0 {
		return [][]float64{l.joined()}
	}
	var with, without poissonLaw
	older := l.older()
	loads := trim(l.Loads, math.SmallestNonzeroFloat64)
	rows := make([][]float64, len(older)-1)
	for a := range rows {
		with.set(older[a])
		without.set(older[a+1])
		gain := poissonGain(&with, &without)
		row := make([]float64, l.Capacity)
		for p := range row[:min(len(row), len(loads)+len(gain))] {
			for load := max(0, p+2-len(gain)); load <= min(p, len(loads)-1); load++ {
				row[p] += float64(loads[load] * gain[p-load+1])
			}
		}
		rows[a] = row
	}
	return rows
}

// poissonGain is P(N_y ≥ k) − P(N_z ≥ k) for every k, where y > z. Above the mean it is a difference of what is small, and below
// it one of the complements, which are.
func poissonGain(y, z *poissonLaw) []float64 {
	gain := make([]float64, len(y.is))
	below, belowZ := 0.0, 0.0 // P(N < k)
	for k := range gain {
		if float64(k) > y.mean {
			gain[k] = y.tail(k) - z.tail(k)
		} else {
			gain[k] = belowZ - below
		}
		below += y.is[k]
		belowZ += z.point(k)
	}
	return gain
}

// Waits is the law of the waiting time: Waits()[w] is the probability that a ball waits for w rounds. A ball that is accepted at
// age a with p others before it waits for a+p.
func (l *Limit) Waits() []float64 {
	accepted := l.accepted()
	waits := make([]float64, len(accepted)+len(accepted[0])-1)
	for a, row := range accepted {
		for p, balls := range row {
			waits[a+p] += balls / l.Rate
		}
	}
	return trim(waits, negligible)
}

// trim cuts what is below least at the end.
func trim(list []float64, least float64) []float64 {
	for len(list) > 0 && list[len(list)-1] < least {
		list = list[:len(list)-1]
	}
	return list
}

// MaxWait is about the longest waiting time of the balls that are deleted in one round, with n bins: the largest w such that
// at least half a ball of λn is expected to wait for w rounds or more.
func (l *Limit) MaxWait(n int) int {
	demandBins(n)
	waits := l.Waits()
	balls := 0.0
	for w := len(waits) - 1; w > 0; w-- {
		if balls += float64(waits[w] * l.Rate * float64(n)); balls >= 0.5 {
			return w
		}
	}
	return 0
}

// Ages is how many balls of each age are in the pool at the end of a round, per bin: Ages()[0] came in this round. It has no
// entries if there is no pool.
func (l *Limit) Ages() []float64 {
	older := l.older()[1:]
	ages := make([]float64, len(older)-1)
	for a := range ages {
		ages[a] = older[a] - older[a+1]
	}
	return ages
}

// Queued is how many balls are in the bins at the end of a round, per bin, by when they will be deleted and by their age:
// Queued()[s−1][a] will be deleted s rounds from now and came a rounds ago. For every s they sum to the share of the
// bins with a load of s or more. What is below 10⁻²⁵λ² at the end of a row is left out. It is not to be changed, as rows may overlap.
//
// It has about half the square of the loads that bins reach, and panics if a share of more than 10⁻²⁵λ² of them reach 2¹⁴.
func (l *Limit) Queued() [][]float64 {
	if l.Capacity == 0 {
		// All are accepted at age 0, so that s+a is all that counts.
		joined := trim(l.joined(), l.leastQueued())
		rows := make([][]float64, max(0, len(joined)-1))
		for s := range rows {
			rows[s] = joined[s+1:]
		}
		return rows
	}
	demand(l.reach() <= mostReach, "the largest load that counts", "at most "+twoTo(mostReach)+" to tell what is queued by age", l.reach())
	rows := make([][]float64, l.Capacity-1)
	for s, row := range l.queued() {
		rows[s] = slices.Clone(row)
	}
	return rows
}

// leastQueued is what is left out at the end of a row of Queued: 0 in any case.
func (l *Limit) leastQueued() float64 {
	return max(1e-25*l.Rate*l.Rate, math.SmallestNonzeroFloat64)
}

// reach is how many rows of Queued have anything in them, if the capacity is limited.
func (l *Limit) reach() int { return min(len(trim(l.Loads, l.leastQueued())), l.Capacity-1) }

// queued yields s and Queued()[s], from the last row to the first, for a limited capacity. A row is valid until the next.
//
// A ball that will be deleted s rounds from now was accepted in some round r ≥ 0 ago, with s+r before it and at age a−r. So a
// row is what was accepted in this round and the next row, which is a round older.
func (l *Limit) queued() iter.Seq2[int, []float64] {
	return func(yield func(int, []float64) bool) {
		accepted := l.accepted()
		var row, next []float64
		for s := l.Capacity - 2; s >= 0; s-- {
			row = append(append(row[:0], 0), next...)
			for len(row) < len(accepted) {
				row = append(row, 0)
			}
			for a := range accepted {
				row[a] += accepted[a][s+1]
			}
			row = trim(row, l.leastQueued())
			if !yield(s, row) {
				return
			}
			row, next = next, row
		}
	}
}
