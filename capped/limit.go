package capped

import (
	"fmt"
	"math"

	"github.com/almanac-sim/almanac/internal/cappedmath"
	"github.com/almanac-sim/almanac/internal/detmath"
)

// A Limit is the stationary law of a process as the number of bins goes to infinity, its mean
// field: bins are independent, and each gets a Poisson number of balls in a round. [NewLimit] and
// [GreedyLimit] return one; do not change it.
//
// All numbers are the same on every machine: products are rounded before they are added, and
// functions are portable.
type Limit struct {
	Capacity int     // c, or 0 if bins have no limit
	Choices  int     // d: the number of bins that a ball looks at, 1 for CAPPED
	Rate     float64 // λ
	Requests float64 // x: balls thrown per bin and round
	Pool     float64 // balls per bin in the pool at the end of a round: x−λ
	// Loads[i] is the share of the bins that hold i balls at the end of a round, when each has
	// deleted one.
	Loads []float64
	Wait  float64 // the mean waiting time
}

// NewLimit returns the limit of CAPPED(c, λ).
//
// The load L of a bin is a Markov chain on 0 … c−1: when N balls ask, a Poisson variable of mean x,
// it becomes max(0, min(L+N, c)−1). Its law π follows from x, and x follows from the rate of
// deletions, λ: a bin deletes a ball unless it is empty and no ball asks, so that π₀·P(N=0) = 1−λ.
// The pool is what the bins reject. By Little's law the mean waiting time is (Pool + E[L])/λ,
// because a ball that waits for w rounds is present at the end of w rounds.
//
// It panics unless c is from 1 to 2²⁰, and λ is above 0 and below 1.
func NewLimit(c int, lambda float64) *Limit {
	demandTable(c)
	demandRate(lambda)
	var n poissonLaw
	loads := make([]float64, c)
	// If w is π up to a factor, eˣ·Σw/w₀ = 1/(π₀·P(N=0)) grows with x, and must be 1/(1−λ). At x =
	// λ it is too small, because no more balls can be deleted than ask; at ln(1/(1−λ)) it is too
	// large, or right if c = 1, because Σw ≥ w₀. In the form (Σw−w₀)/w₀ = e^(ln(1/(1−λ))−x) − 1 it
	// loses no digits for λ near 1 or near 0.
	low, high := lambda, cappedmath.Pressure(lambda)
	for top := high; ; {
		x := low + float64((high-low)/2)
		if x <= low || x >= high {
			break
		}
		n.set(x)
		if most := detmath.Expm1(top - x); n.chain(loads, most) > most {
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

// MeanField returns the pool per bin at the end of a round and the mean waiting time, both of
// [NewLimit].
func MeanField(c int, lambda float64) (pool, wait float64) {
	l := NewLimit(c, lambda)
	return l.Pool, l.Wait
}

const (
	negligible = 1e-300 // is omitted from Poisson laws and from the oldest balls
	unseen     = 1e-220 // is omitted from loads; times any probability that matters it is still a normal number
)

// poissonLaw is the law of a Poisson variable N. Its slices have the same length; the rest is
// negligible.
type poissonLaw struct {
	mean float64
	is   []float64 // is[k] = P(N = k)
	from []float64 // from[k] = P(N ≥ k)
	over []float64 // over[k] = E[(N−k)⁺]
}

// set sets the mean. All entries are sums of positive numbers, with small relative errors.
func (p *poissonLaw) set(mean float64) {
	if p.mean == mean && len(p.is) > 0 {
		return
	}
	p.mean = mean
	p.is = p.is[:0]
	for k, prob := 0, detmath.Exp(-mean); prob >= negligible || float64(k) < mean; k++ {
		p.is = append(p.is, prob)
		if prob *= mean / float64(k+1); mean > 600 { // where e^(−x) is tiny or underflows
			prob = detmath.Exp(float64(float64(k+1)*detmath.Log(mean)) - mean - detmath.Lgamma(float64(k+2)))
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

// tail returns P(N ≥ k) for any k.
func (p *poissonLaw) tail(k int) float64 {
	switch {
	case k <= 0:
		return 1
	case k < len(p.from):
		return p.from[k]
	}
	return 0
}

// point returns P(N = k) for any k.
func (p *poissonLaw) point(k int) float64 {
	if k < 0 || k >= len(p.is) {
		return 0
	}
	return p.is[k]
}

// chain stores the stationary law of the chain in w, up to a factor: w₀ = 1. It returns the sum of
// the others, and stops when that is above most.
//
// In the long run the chain crosses the cut above i equally often in both directions. It comes back
// only from i+1 with N = 0, because a bin loses one ball in a round; and it crosses from j ≤ i if
// j+N−1 > i. So
//
//	π_{i+1}·P(N=0) = Σ_{j≤i} π_j·P(N ≥ i−j+2),
//
// which has additions only. The capacity is only the end of i.
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

// jumps returns the part of from that matters to the chain. For x < 1 loads finally fall by a
// factor z, where z = e^(x(z−1)): 37 at x = 0.1, and less for larger x, where P(N ≥ k)·zᵏ is below
// 10⁻²⁵ when P(N ≥ k) is below 10⁻⁸⁰. For smaller x loads end soon.
func (p *poissonLaw) jumps() []float64 {
	if p.mean < 0.1 {
		return p.from
	}
	return trim(p.from, 1e-80)
}

// cut returns the flow over the cut above i, by the equation of chain.
func cut(w []float64, i int, from []float64) float64 {
	sum := 0.0
	for j := max(0, i+3-len(from)); j <= i; j++ {
		sum += float64(w[j] * from[i-j+2])
	}
	return sum
}

// rejected returns how many balls find no place, per bin and round, if N balls ask: E[(N−(c−L))⁺].
// It does not subtract the accepted ones, because with large c nearly all are accepted.
func (l *Limit) rejected(n *poissonLaw) float64 {
	sum := 0.0
	for load := len(l.Loads) - 1; load >= 0 && l.Capacity-load < len(n.over); load-- {
		sum += float64(l.Loads[load] * n.over[l.Capacity-load])
	}
	return sum
}

// FromEmpty returns the pool per bin at the end of each round, for a number of rounds from an empty
// system. Under GREEDY, which has no pool, it is the mean load of a bin.
//
// In a round P(L ≥ k) becomes P(L+N ≥ k+1) and the pool E[(L+N−c)⁺], where the mean of N is the
// pool plus λ.
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
	load := make([]float64, l.Capacity) // load[k] = P(L ≥ k); load[0] is not used
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

// Relaxation returns the number of rounds in which the most persistent part of a small deviation
// from the limit falls by a factor of e: −1/ln μ, where μ is the spectral radius of the linearized
// mean field. At least three digits are right if λ is not within 10⁻¹⁰ of 0 or 1. It is +Inf if
// small deviations grow, which is possible under GREEDY.
func (l *Limit) Relaxation() float64 {
	if l.Capacity == 0 {
		return l.greedyRelaxation()
	}
	// If xᶜ is below 10⁻¹⁰⁰ the capacity is as good as infinite: the difference is about (π/(c·ln
	// x))², below 2·10⁻⁴.
	if c := l.Capacity; c > 1000 && float64(c)*detmath.Log(l.Requests) < -230 {
		return 1 / walkGap(1-l.Rate)
	}
	return -1 / detmath.Log1p(-newRelaxing(l).gap())
}

// relaxing is A = I−Mᵀ, where M is the mean field of CAPPED, linearized at its limit: the
// derivative of the map of [Limit.FromEmpty]. M has no negative entries, because with more balls in
// the pool or in the bins there are never fewer afterwards (the coupling of Lemma 6). So μ is its
// Perron root, and A is an M-matrix.
//
// The variables are P(L ≥ c−1), …, P(L ≥ 1) and, last, the pool. One ball more is one ball more
// after the round, unless its bin would have deleted nothing: that has probability P(N=0) for the
// first ball of a bin, and π₀·P(N=0) = 1−λ for a ball in the pool. So the rows of A sum to 0, …, 0,
// P(N=0) and 1−λ.
type relaxing struct {
	n    poissonLaw
	band []float64 // the part of n.is that matters
	pool []float64 // the last row of Mᵀ: what one ball more in the pool adds to P(L ≥ c−1), …, P(L ≥ 1)
	rest float64   // 1−λ
}

func newRelaxing(l *Limit) *relaxing {
	m := &relaxing{rest: 1 - l.Rate}
	m.n.set(l.Requests)
	band := trim(m.n.is, 1e-30)
	c := l.Capacity
	if x := l.Requests; x < 1 {
		// The eigenvector grows like x^(−load), and overflows unless loads are limited to those
		// that matter. It grows as fast as P(N = k) falls, except for the 1/k!.
		c = min(c, 1+int(detmath.Log(unseen)/detmath.Log(x)))
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

// gap returns 1−μ, by Noda's inverse iteration: if v > 0 and (A−θ)w = v, the smallest eigenvalue of
// A is between θ plus the least v/w and θ plus the largest, and the former is the next θ. It
// converges from any start, and finally quadratically, however close the other eigenvalues are.
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

// solve returns w with (A−θ)w = v, given excess = (A−θ)v ≥ 0 instead of θ. It eliminates without
// subtractions, after Grassmann, Taksar and Heyman: the excess and the off-diagonal entries only
// grow, and the diagonal is computed from them. So the result has small relative errors even if μ
// is 1 to the last digit.
//
// Row i of Mᵀ has P(N = i−j+1) in columns j ≤ i+1 and P(N ≥ i+2) in the last: one diagonal above,
// and a band below.
func (m *relaxing) solve(v, excess []float64) []float64 {
	last := len(v) - 1
	above := m.n.is[0]
	b := append([]float64(nil), v...)
	r := append([]float64(nil), excess...)
	end := make([]float64, last)      // the last column
	diagonal := make([]float64, last) // the pivots
	row := append([]float64(nil), m.pool...)
	for i := range end {
		end[i] = m.n.tail(i + 2)
	}
	// column[k] is the entry in row i+k of column i.
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
