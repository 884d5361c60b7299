package capped

import (
	"math"

	"github.com/almanac-sim/almanac/capped/internal/counts"
	"github.com/almanac-sim/almanac/internal/detmath"
	"github.com/almanac-sim/almanac/internal/random"
)

// byLaw is the engine, for all processes but ModCapped, that keeps the number of bins by load, and
// draws what happens to them. The balls of a cohort are exchangeable and independent, and so are
// bins of equal load; so it is enough to draw how many of the balls ask bins of each load, and how
// many of those bins get 0, 1, 2, … of them. Under Greedy and Threshold all balls are of one
// cohort.
type byLaw struct {
	config *Config
	occupancy
	held   []int // bins by load, up to the largest, after the cohorts so far
	next   []int // after this cohort
	counts []int // the accepted balls of a cohort by the delay of their deletion
}

func newByLaw(c *Config) engine { return &byLaw{config: c, held: []int{c.Bins}} }

func (e *byLaw) throw(p *Process) {
	e.random = random.New(e.config.Seed, streamLaw, uint64(p.now))
	for i := range p.pool {
		e.draw(p.pool[i].count)
		for delay, count := range e.counts {
			p.accept(i, delay, count)
		}
	}
}

// draw draws what happens to the balls of a cohort.
func (e *byLaw) draw(balls int) {
	e.counts, e.next = e.counts[:0], e.next[:0]
	bins := e.config.Bins // of this load and larger ones
	for load, held := range e.held {
		if held == 0 {
			continue
		}
		full := e.full(load)
		asking := 0
		if load < full {
			asking = e.share(balls, held, bins)
		}
		balls -= asking
		bins -= held
		more := held // bins that get more than k
		for k, some := range e.occupancy.draw(asking, held) {
			e.next = grown(e.next, min(load+k, full))
			e.next[min(load+k, full)] += some
			if more -= some; more > 0 && load+k < full {
				delay := load + k
				if e.config.Kind == Threshold {
					delay = 0
				}
				e.counts = grown(e.counts, delay)
				e.counts[delay] += more
			}
		}
	}
	e.held, e.next = e.next, e.held
}

// full returns how many balls a bin of some load may hold at the end of the round.
func (e *byLaw) full(load int) int {
	switch e.config.Kind {
	case Greedy:
		return math.MaxInt
	case Threshold:
		return load + e.config.Capacity
	}
	return e.config.Capacity
}

// share draws how many of the balls go to some bins, which have the least load of all bins.
func (e *byLaw) share(balls, some, bins int) int {
	if some == bins {
		return balls
	}
	p := float64(some) / float64(bins)
	if e.config.Kind == Greedy {
		p = once(p, e.config.Choices)
	}
	return counts.Binomial(&e.random, balls, p)
}

// once returns the probability that at least one of d independent trials succeeds, 1−(1−p)^d,
// without a loss of digits.
func once(p float64, d int) float64 {
	return -detmath.Expm1(float64(d) * detmath.Log1p(-p))
}

// grown extends a list so that it has an entry at index i.
func grown(list []int, i int) []int {
	for len(list) <= i {
		list = append(list, 0)
	}
	return list
}

// serve deletes a ball from every bin that has one, except under Threshold.
func (e *byLaw) serve(*Process) {
	if e.config.Kind == Threshold {
		return
	}
	if len(e.held) > 1 {
		e.held[0] += e.held[1]
		e.held = append(e.held[:1], e.held[2:]...)
	}
	for len(e.held) > 1 && e.held[len(e.held)-1] == 0 {
		e.held = e.held[:len(e.held)-1]
	}
}

func (e *byLaw) loads() []int { return append([]int(nil), e.held...) }

func (e *byLaw) fill(loads []int) { e.held = append(e.held[:0], loads...) }
