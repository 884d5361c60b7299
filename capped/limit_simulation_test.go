//go:build !race

package capped

import (
	"fmt"
	"math"
	"math/rand/v2"
	"testing"
)

// measured has the measurements of a round, per bin, except for waits, which are per deleted ball.
type measured struct {
	pool, wait, longest  float64
	waits, ages, loads   [16]float64
	queued, queuedBehind [16]float64 // those due in the next round and in the one after, by age
}

const (
	simulated = 2000 // bins
	warmUp    = 300  // rounds
	perBatch  = 50
	counted   = 30 // batches
)

// delete removes the first ball of every bin that has one, and measures. A ball is the round of its
// arrival.
func (m *measured) delete(now int, bins [][]int) {
	deleted := 0.0
	for i, bin := range bins {
		if len(bin) > 0 {
			wait := now - bin[0]
			deleted++
			m.wait += float64(wait)
			m.longest = max(m.longest, float64(wait))
			m.waits[min(wait, 15)]++
			bin = bin[1:]
			bins[i] = bin
		}
		m.loads[min(len(bin), 15)] += 1. / simulated
		if len(bin) > 0 {
			m.queued[min(now-bin[0], 15)] += 1. / simulated
		}
		if len(bin) > 1 {
			m.queuedBehind[min(now-bin[1], 15)] += 1. / simulated
		}
	}
	m.wait /= deleted
	for w := range m.waits {
		m.waits[w] /= deleted
	}
}

// simulate runs rounds, and does not count the first ones.
func simulate(round func(now int) measured) []measured {
	var all []measured
	for now := range warmUp + counted*perBatch {
		if m := round(now); now >= warmUp {
			all = append(all, m)
		}
	}
	return all
}

// wantMean allows five standard errors by batch means, and bias, the difference between the limit
// and n bins.
func wantMean(t *testing.T, what string, all []measured, want, bias float64, value func(m *measured) float64) {
	t.Helper()
	var means [counted]float64
	for i := range all {
		means[i/perBatch] += value(&all[i]) / perBatch
	}
	m, variance := total(means[:])/counted, 0.0
	for _, v := range means {
		variance += (v - m) * (v - m) / (counted - 1)
	}
	tolerance := 5*math.Sqrt(variance/counted) + bias
	if !(math.Abs(m-want) <= tolerance) {
		t.Errorf("%s: %.5f, in the limit %.5f, which differs by %.1e; %.1e would do", what, m, want, m-want, tolerance)
	}
	if tolerance > bias+0.03*math.Abs(want)+0.002 {
		t.Errorf("%s: a tolerance of %v tells nothing about %v", what, tolerance, want)
	}
}

// wantMeans compares the beginning of a list.
func wantMeans(t *testing.T, what string, all []measured, want []float64, bias float64,
	list func(m *measured) *[16]float64) {
	t.Helper()
	for i, w := range want {
		wantMean(t, fmt.Sprint(what, " ", i), all, w, bias, func(m *measured) float64 { return list(m)[i] })
	}
}

// Algorithm 1, ball by ball, with 2000 bins. A bin of n gets a binomial number of balls, of which
// the variance is 1/n less than in the limit, and what follows from that is of order 1/n.
func TestCappedSimulation(t *testing.T) {
	const c, lambda, bias = 2, 0.9, 5. / simulated
	random := rand.New(rand.NewPCG(1, 2))
	var pool []int // oldest first
	bins := make([][]int, simulated)
	all := simulate(func(now int) (m measured) {
		for range int(lambda * simulated) {
			pool = append(pool, now)
		}
		rejected := pool[:0]
		for _, ball := range pool { // oldest first, so that bins prefer the oldest
			if bin := random.IntN(simulated); len(bins[bin]) < c {
				bins[bin] = append(bins[bin], ball)
			} else {
				rejected = append(rejected, ball)
			}
		}
		pool = rejected
		m.pool = float64(len(pool)) / simulated
		for _, ball := range pool {
			m.ages[min(now-ball, 15)] += 1. / simulated
		}
		m.delete(now, bins)
		return m
	})
	l := NewLimit(c, lambda)
	wantMean(t, "pool", all, l.Pool, bias, func(m *measured) float64 { return m.pool })
	wantMean(t, "wait", all, l.Wait, bias, func(m *measured) float64 { return m.wait })
	wantMean(t, "longest wait", all, float64(l.MaxWait(simulated)), 1, func(m *measured) float64 { return m.longest })
	wantMeans(t, "load", all, l.Loads, bias, func(m *measured) *[16]float64 { return &m.loads })
	wantMeans(t, "wait", all, l.Waits()[:5], bias, func(m *measured) *[16]float64 { return &m.waits })
	wantMeans(t, "age", all, l.Ages()[:3], bias, func(m *measured) *[16]float64 { return &m.ages })
	wantMeans(t, "queued, age", all, l.Queued()[0][:4], bias, func(m *measured) *[16]float64 { return &m.queued })
}

// GREEDY[2], ball by ball.
func TestGreedySimulation(t *testing.T) {
	const d, lambda, bias = 2, 0.9, 5. / simulated
	random := rand.New(rand.NewPCG(3, 4))
	bins := make([][]int, simulated)
	loads := make([]int, simulated)
	all := simulate(func(now int) (m measured) {
		for i, bin := range bins {
			loads[i] = len(bin)
		}
		for range int(lambda * simulated) {
			best := random.IntN(simulated)
			for range d - 1 {
				// The first of two equal ones is as random as the second.
				if other := random.IntN(simulated); loads[other] < loads[best] {
					best = other
				}
			}
			bins[best] = append(bins[best], now)
		}
		m.delete(now, bins)
		return m
	})
	l := GreedyLimit(d, lambda)
	wantMean(t, "wait", all, l.Wait, bias, func(m *measured) float64 { return m.wait })
	wantMean(t, "longest wait", all, float64(l.MaxWait(simulated)), 1, func(m *measured) float64 { return m.longest })
	wantMeans(t, "load", all, l.Loads[:5], bias, func(m *measured) *[16]float64 { return &m.loads })
	wantMeans(t, "wait", all, l.Waits()[:5], bias, func(m *measured) *[16]float64 { return &m.waits })
	wantMeans(t, "queued, age", all, l.Queued()[0][:4], bias, func(m *measured) *[16]float64 { return &m.queued })
	wantMeans(t, "queued behind, age", all, l.Queued()[1][:3], bias,
		func(m *measured) *[16]float64 { return &m.queuedBehind })
}
