package capped

import (
	"iter"
	"math"
	"slices"
)

// older returns y₀ = x, y₁ = Pool, y₂, …: the balls per bin of age a or more that are thrown in a
// round.
//
// Bins prefer older balls. So those of age a or more are served as if there were no others, and
// y_{a+1} is the rejected part of yₐ. Finally yₐ is squared in every round. The last entry is 0.
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

// accepted returns the accepted balls per bin and round by age and by the number of balls before
// them in the bin: accepted()[age][position].
//
// Order balls by age, the oldest first, and let y be the number per bin before a ball. It finds
// L+N_y others in its bin, and so it is accepted at position p with probability P(L+N_y = p) if p <
// c. The balls of age a are from y_{a+1} to yₐ, and the integral of P(N_y = k) over y is P(N_y ≥
// k+1).
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

// poissonGain returns P(N_y ≥ k) − P(N_z ≥ k) for every k, where y > z. Above the mean it is a
// difference of small tails, and below the mean one of small complements.
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

// Waits returns the law of the waiting time: Waits()[w] is the probability that a ball waits for w
// rounds. A ball that is accepted at age a with p others before it waits for a+p rounds.
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

// trim removes entries below least at the end.
func trim(list []float64, least float64) []float64 {
	for len(list) > 0 && list[len(list)-1] < least {
		list = list[:len(list)-1]
	}
	return list
}

// MaxWait returns about the longest waiting time of the balls that are deleted in one round, with n
// bins: the largest w such that at least half a ball of λn is expected to wait for w rounds or
// more.
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

// Ages returns the balls per bin in the pool at the end of a round, by age: Ages()[0] arrived in
// this round. It is empty if there is no pool.
func (l *Limit) Ages() []float64 {
	older := l.older()[1:]
	ages := make([]float64, len(older)-1)
	for a := range ages {
		ages[a] = older[a] - older[a+1]
	}
	return ages
}

// Queued returns the balls per bin in the bins at the end of a round, by the round of their
// deletion and by age: Queued()[s−1][a] will be deleted s rounds from now and arrived a rounds ago.
// For every s they sum to the share of bins with a load of s or more. Entries below 10⁻²⁵λ² at the
// end of a row are omitted. Do not change the result: rows may overlap.
//
// Its size is about half the square of the largest load. It panics if a share of more than 10⁻²⁵λ²
// of the bins has a load of 2¹⁴.
func (l *Limit) Queued() [][]float64 {
	if l.Capacity == 0 {
		// All balls are accepted at age 0, so that only s+a matters.
		joined := trim(l.joined(), l.leastQueued())
		rows := make([][]float64, max(0, len(joined)-1))
		for s := range rows {
			rows[s] = joined[s+1:]
		}
		return rows
	}
	demand(l.reach() <= mostReach, "the largest load that counts",
		"at most "+twoTo(mostReach)+" to tell what is queued by age", l.reach())
	rows := make([][]float64, l.Capacity-1)
	for s, row := range l.queued() {
		rows[s] = slices.Clone(row)
	}
	return rows
}

// leastQueued returns the size of entries that are omitted at the end of a row of Queued; 0 always
// is.
func (l *Limit) leastQueued() float64 {
	return max(1e-25*l.Rate*l.Rate, math.SmallestNonzeroFloat64)
}

// reach returns the number of rows of Queued that are not empty, for a limited capacity.
func (l *Limit) reach() int { return min(len(trim(l.Loads, l.leastQueued())), l.Capacity-1) }

// queued yields s and Queued()[s], from the last row to the first, for a limited capacity. A row is
// valid until the next.
//
// A ball that will be deleted s rounds from now was accepted r ≥ 0 rounds ago, with s+r before it
// and at age a−r. So a row is the sum of what was accepted in this round and of the next row, which
// is a round older.
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
