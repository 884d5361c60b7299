package capped

import (
	"fmt"
	"math"

	"github.com/almanac-sim/almanac/internal/cappedmath"
	"github.com/almanac-sim/almanac/internal/portable"
)

// Limit is the stationary law of a process as the number of bins goes to infinity, its mean field: bins are independent of each
// other, and each gets a Poisson number of balls in a round. It is made by [NewLimit] or [GreedyLimit], and is not to be
// changed.
//
// All of it is the same on every machine: products are rounded before they are added, and functions are portable.
type Limit struct {
	Capacity int     // c, or 0 if bins have no limit
	Choices  int     // d: how many bins a ball looks at, 1 for CAPPED
	Rate     float64 // λ
	Requests float64 // x: balls thrown per bin and round
	Pool     float64 // balls per bin that are in the pool at the end of a round: x−λ
	// Loads[i] is the share of the bins that hold i balls at the end of a round, when each has deleted one.
	Loads []float64
	Wait  float64 // the mean waiting time
}

// NewLimit is the limit of CAPPED(c, λ).
//
// The load L of a bin is a Markov chain on 0 … c−1: when N balls ask, a Poisson variable of mean x, it becomes
// max(0, min(L+N, c)−1). Its law π follows from x, and x from that λ is deleted: a bin deletes a ball unless it is empty and
// nobody asks, so that π₀·P(N=0) = 1−λ. In the pool is what the bins rejected. Little's law has the mean waiting time,
// (Pool + E[L])/λ, because a ball that waits for w rounds is there at the end of w rounds.
//
// It panics unless c is from 1 to 2²⁰ and λ above 0 and below 1.
func NewLimit(c int, lambda float64) *Limit {
	demandTable(c)
	demandRate(lambda)
	var n poissonLaw
	loads := make([]float64, c)
	// If w is π up to a factor, eˣ·Σw/w₀ = 1/(π₀·P(N=0)) grows with x, and must be 1/(1−λ). At x = λ it is too small, since not
	// more can be deleted than asks; at ln(1/(1−λ)) it is too large, or right if c = 1, since Σw is not below w₀. As
	// (Σw−w₀)/w₀ = e^(ln(1/(1−λ))−x) − 1 it loses no digits for λ near 1, or near 0.
	low, high := lambda, cappedmath.Pressure(lambda)
	for top := high; ; {
		x := low + float64((high-low)/2)
		if x <= low || x >= high {
			break
		}
		n.set(x)
		if most := portable.Expm1(top - x); n.chain(loads, most) > most {
			high = x
		} else {
			low = x
		}
	}
	n.set(high)
	sum := 1 + n.chain(loads, math.Inf(1))
	load := 0.0
	for i := range loads {
		loads[i] /= sum
		load += float64(float64(i) * loads[i])
	}
	l := &Limit{Capacity: c, Choices: 1, Rate: lambda, Requests: high, Loads: loads}
	l.Pool = l.rejected(&n)
	l.Wait = (l.Pool + load) / lambda
	return l
}

// MeanField is the pool per bin at the end of a round and the mean waiting time of [NewLimit].
func MeanField(c int, lambda float64) (pool, wait float64) {
	l := NewLimit(c, lambda)
	return l.Pool, l.Wait
}

const (
	negligible = 1e-300 // is left out of Poisson laws and of the oldest balls
	unseen     = 1e-220 // is left out of loads: times what matters of a Poisson law, it is still a number with all its digits
)

// poissonLaw is the law of a Poisson variable N. Its slices are equally long; what is beyond is negligible.
type poissonLaw struct {
	mean float64
	is   []float64 // is[k] = P(N = k)
	from []float64 // from[k] = P(N ≥ k)
	over []float64 // over[k] = E[(N−k)⁺]
}

// set makes it the law with this mean. All that it has are sums of what is positive, with small relative errors.
func (p *poissonLaw) set(mean float64) {
	if p.mean == mean && len(p.is) > 0 {
		return
	}
	p.mean = mean
	p.is = p.is[:0]
	for k, prob := 0, portable.Exp(-mean); prob >= negligible || float64(k) < mean; k++ {
		p.is = append(p.is, prob)
		if prob *= mean / float64(k+1); mean > 600 { // where e^(−x) is nearly nothing, or nothing
			prob = portable.Exp(float64(float64(k+1)*portable.Log(mean)) - mean - portable.Lgamma(float64(k+2)))
		}
	}
	p.from = append(p.from[:0], p.is...)
	p.over = append(p.over[:0], p.is...)
	from, over := 0.0, 0.0
	for k := len(p.is) - 1; k >= 0; k-- {
		over += from
		from += p.is[k]
		p.from[k], p.over[k] = from, over
	}
	p.from[0] = 1
}

// tail is P(N ≥ k) for any k.
func (p *poissonLaw) tail(k int) float64 {
	switch {
	case k <= 0:
		return 1
	case k < len(p.from):
		return p.from[k]
	}
	return 0
}

// point is P(N = k) for any k.
func (p *poissonLaw) point(k int) float64 {
	if k < 0 || k >= len(p.is) {
		return 0
	}
	return p.is[k]
}

// chain puts the stationary law of the chain into w, up to a factor: w₀ = 1. It returns the sum of the others, and stops when
// that is above most.
//
// In the long run the chain goes as often from loads up to i to larger ones as back. It comes back only from i+1 with N = 0, because
// a bin loses one ball in a round; and it leaves j ≤ i for loads above i if j+N−1 > i. So
//
//	π_{i+1}·P(N=0) = Σ_{j≤i} π_j·P(N ≥ i−j+2),
//
// which only adds. The capacity is in it only as the end of i.
func (p *poissonLaw) chain(w []float64, most float64) float64 {
	clear(w)
	w[0] = 1
	from, rest := p.jumps(), 0.0
	for i := 0; i+1 < len(w) && rest <= most; i++ {
		w[i+1] = cut(w, i, from) / p.is[0]
		if rest += w[i+1]; w[i+1] < unseen {
			break
		}
	}
	return rest
}

// jumps is from as far as it matters to the chain. For x < 1 loads fall by a factor z in the end, where z = e^(x(z−1)): 37 at
// x = 0.1, and less beyond, where P(N ≥ k)·zᵏ is below 10⁻²⁵ when P(N ≥ k) is below 10⁻⁸⁰. With smaller x loads end soon.
func (p *poissonLaw) jumps() []float64 {
	if p.mean < 0.1 {
		return p.from
	}
	return trim(p.from, 1e-80)
}

// cut is the flow over the cut above i, by the equation of chain.
func cut(w []float64, i int, from []float64) float64 {
	sum := 0.0
	for j := max(0, i+3-len(from)); j <= i; j++ {
		sum += float64(w[j] * from[i-j+2])
	}
	return sum
}

// rejected is how many of the balls that ask find no place, per bin and round, if as many ask as n says: E[(N−(c−L))⁺]. It adds
// instead of subtracting what is accepted, since with large c nearly all is.
func (l *Limit) rejected(n *poissonLaw) float64 {
	sum := 0.0
	for load := len(l.Loads) - 1; load >= 0 && l.Capacity-load < len(n.over); load-- {
		sum += float64(l.Loads[load] * n.over[l.Capacity-load])
	}
	return sum
}

// FromEmpty is the pool per bin at the end of each of so many rounds, the first of which begins with an empty system. Where there
// is no pool, under GREEDY, it is the mean load of a bin.
//
// In a round P(L ≥ k) becomes P(L+N ≥ k+1) and the pool E[(L+N−c)⁺], where the mean of N is the pool and λ.
//
// It panics unless there are from 0 to 20 million rounds.
func (l *Limit) FromEmpty(rounds int) []float64 {
	demand(rounds >= 0 && rounds <= mostPlanned,
		"the number of rounds", fmt.Sprintf("from 0 to %d", mostPlanned), rounds)
	if l.Capacity == 0 {
		return l.greedyFromEmpty(rounds)
	}
	var n poissonLaw
	pools := make([]float64, rounds)
	load := make([]float64, l.Capacity) // load[k] = P(L ≥ k), where load[0] is not looked at
	next := make([]float64, l.Capacity)
	pool := 0.0
	for t := range pools {
		n.set(pool + l.Rate)
		pool = 0
		if l.Capacity < len(n.over) {
			pool = n.over[l.Capacity]
		}
		for k := len(load) - 1; k > 0; k-- {
			pool += float64(load[k] * n.tail(l.Capacity-k+1))
			next[k] = n.tail(k + 1)
			for j := max(1, k+2-len(n.is)); j <= min(k+1, len(load)-1); j++ {
				next[k] += float64(load[j] * n.is[k+1-j])
			}
		}
		load, next = next, load
		pools[t] = pool
	}
	return pools
}

// Relaxation is in how many rounds the most persistent part of a small deviation from the limit falls by a factor of e: −1/ln μ,
// where μ is the spectral radius of the linearised mean field. It has at least three digits if λ is not within 10⁻¹⁰ of 0 or 1.
// It is +Inf if small deviations grow, which under GREEDY they may.
func (l *Limit) Relaxation() float64 {
	if l.Capacity == 0 {
		return l.greedyRelaxation()
	}
	// If xᶜ is below 10⁻¹⁰⁰ so many places are as good as any number: it differs by about (π/(c·ln x))², below 2·10⁻⁴.
	if c := l.Capacity; c > 1000 && float64(c)*portable.Log(l.Requests) < -230 {
		return 1 / walkGap(1-l.Rate)
	}
	return -1 / portable.Log1p(-newRelaxing(l).gap())
}

// relaxing is A = I−Mᵀ, where M is the mean field of CAPPED, linearised at its limit: the derivative of the map of
// [Limit.FromEmpty]. It has no negative entries, because with more in the pool or in the bins there is never less afterwards
// (the coupling of Lemma 6). So μ is its Perron root, and A is an M-matrix.
//
// The variables are P(L ≥ c−1), …, P(L ≥ 1) and, last, the pool. One ball more is one ball more after the round, unless its bin would
// have deleted nothing: if it is the first of a bin, that has probability P(N=0), and if it is in the pool π₀·P(N=0) = 1−λ. So the
// rows of A sum to 0, …, 0, P(N=0) and 1−λ.
type relaxing struct {
	n    poissonLaw
	band []float64 // n.is, as far as it matters
	pool []float64 // the last row of Mᵀ: what a ball more in the pool adds to P(L ≥ c−1), …, P(L ≥ 1)
	rest float64   // 1−λ
}

func newRelaxing(l *Limit) *relaxing {
	m := &relaxing{rest: 1 - l.Rate}
	m.n.set(l.Requests)
	band := trim(m.n.is, 1e-30)
	c := l.Capacity
	if x := l.Requests; x < 1 {
		// The eigenvector grows like x^(−load), past all numbers if loads are not limited to those that are seen. It grows
		// as fast as P(N = k) falls, but for the 1/k!.
		c = min(c, 1+int(portable.Log(unseen)/portable.Log(x)))
		band = m.n.is[:min(len(m.n.is), 30)]
	}
	m.band = append(append([]float64(nil), band...), 0)
	m.pool = make([]float64, c-1)
	for i := range m.pool {
		k := c - 1 - i
		for load := max(0, k+1-len(m.n.is)); load <= k; load++ {
			m.pool[i] += float64(l.Loads[load] * m.n.is[k-load])
		}
	}
	return m
}

// gap is 1−μ, by Noda's inverse iteration: if v > 0 and (A−θ)w = v, the smallest eigenvalue of A is between θ plus the least v/w
// and θ plus the largest, and the former is the next θ. It converges from any start, and quadratically in the end, however close the other
// eigenvalues are.
func (m *relaxing) gap() float64 {
	const enough, many = 1e-6, 1000
	size := len(m.pool) + 1
	v, excess := make([]float64, size), make([]float64, size)
	for i := range v {
		v[i] = 1
	}
	if size > 1 {
		excess[size-2] = m.n.is[0]
	}
	excess[size-1] = m.rest
	theta := 0.0
	for range many {
		w := m.solve(v, excess)
		low, high, most := math.Inf(1), 0.0, 0.0
		for i := range w {
			low, high, most = min(low, v[i]/w[i]), max(high, v[i]/w[i]), max(most, w[i])
		}
		theta += low
		if high-low <= enough*min(theta, 1-theta) {
			break
		}
		for i := range w {
			excess[i] = max(0, v[i]-float64(low*w[i])) / most
			v[i] = w[i] / most
		}
	}
	return theta
}

// solve returns w with (A−θ)w = v, given excess = (A−θ)v ≥ 0 instead of θ. It eliminates without a subtraction, after
// Grassmann, Taksar and Heyman: the excess and what is off the diagonal only grow, and the diagonal is made of them. So the
// result has small relative errors even if μ is 1 to the last digit.
//
// Row i of Mᵀ has P(N = i−j+1) in columns j ≤ i+1 and P(N ≥ i+2) in the last: one diagonal above, and a band below.
func (m *relaxing) solve(v, excess []float64) []float64 {
	last := len(v) - 1
	above := m.n.is[0]
	b := append([]float64(nil), v...)
	r := append([]float64(nil), excess...)
	end := make([]float64, last)      // the last column
	diagonal := make([]float64, last) // of the pivots
	row := append([]float64(nil), m.pool...)
	for i := range end {
		end[i] = m.n.tail(i + 2)
	}
	// column[k] is what is in row i+k of column i.
	column := append([]float64(nil), m.band[1:]...)
	for i := range last {
		up := 0.0
		diagonal[i] = r[i] + float64(end[i]*v[last])
		if i+1 < last {
			up = above
			diagonal[i] += float64(up * v[i+1])
		}
		diagonal[i] /= v[i]
		for k := 1; k < len(column) && i+k < last; k++ {
			factor := column[k] / diagonal[i]
			r[i+k] += float64(factor * r[i])
			b[i+k] += float64(factor * b[i])
			end[i+k] += float64(factor * end[i])
			column[k-1] = m.band[k] + float64(factor*up)
		}
		column[len(column)-1] = m.band[len(column)]
		factor := row[i] / diagonal[i]
		r[last] += float64(factor * r[i])
		b[last] += float64(factor * b[i])
		if i+1 < last {
			row[i+1] += float64(factor * up)
		}
	}
	w := b
	w[last] = b[last] / (r[last] / v[last])
	for i := last - 1; i >= 0; i-- {
		w[i] = b[i] + float64(end[i]*w[last])
		if i+1 < last {
			w[i] += float64(above * w[i+1])
		}
		w[i] /= diagonal[i]
	}
	return w
}
