package capped

import (
	"github.com/almanac-sim/almanac/capped/internal/counts"
	"github.com/almanac-sim/almanac/internal/portable"
	"github.com/almanac-sim/almanac/internal/random"
)

// newByLaw returns the engine that keeps how many bins hold how many balls, and draws what happens to them.
func newByLaw(c *Config) engine {
	switch c.Kind {
	case Greedy:
		return &greedyByLaw{config: c, held: []int{c.Bins}}
	case Threshold:
		return &thresholdByLaw{config: c, held: []int{c.Bins}}
	}
	return &cappedByLaw{config: c, held: []int{c.Bins}}
}

// cappedByLaw is CAPPED. The balls of a cohort are alike and independent of each other, and bins of equal load are alike; so it is
// enough to know how many of the balls ask bins of each load, and how many of those bins get 0, 1, 2, … of them.
type cappedByLaw struct {
	config *Config
	occupancy
	held   []int // bins by load, up to the largest, after the cohorts so far
	next   []int // and after this one
	counts []int // of the balls of a cohort, how many are accepted with how many before them
}

func (e *cappedByLaw) throw(p *Process) {
	e.random = random.New(e.config.Seed, streamLaw, uint64(p.now))
	full := e.config.Capacity
	for i := range p.pool {
		e.counts, e.next = e.counts[:0], e.next[:0]
		bins, balls := e.config.Bins, p.pool[i].count
		for load, held := range e.held {
			if load == full {
				e.next = grown(e.next, full)
				e.next[full] += held
				continue
			}
			if held == 0 {
				continue
			}
			asking := e.share(balls, held, bins)
			balls -= asking
			bins -= held
			more := held // bins that get more than k
			for k, some := range e.draw(asking, held) {
				e.next = grown(e.next, min(load+k, full))
				e.next[min(load+k, full)] += some
				if more -= some; more > 0 && load+k < full {
					e.counts = grown(e.counts, load+k)
					e.counts[load+k] += more
				}
			}
		}
		e.held, e.next = e.next, e.held
		for position, count := range e.counts {
			p.accept(i, position, count)
		}
	}
}

// share draws how many of the balls, which ask any of the bins, ask one of some.
func (o *occupancy) share(balls, some, bins int) int {
	if some == bins {
		return balls
	}
	return counts.Binomial(&o.random, balls, float64(some)/float64(bins))
}

func (e *cappedByLaw) serve(*Process) { e.held = served(e.held) }

// served is the bins by load after each has deleted a ball.
func served(held []int) []int {
	if len(held) > 1 {
		held[0] += held[1]
		held = append(held[:1], held[2:]...)
	}
	for len(held) > 1 && held[len(held)-1] == 0 {
		held = held[:len(held)-1]
	}
	return held
}

func (e *cappedByLaw) loads() []int { return append([]int(nil), e.held...) }

func (e *cappedByLaw) fill(loads []int) { e.held = append(e.held[:0], loads...) }

// greedyByLaw is GREEDY[d] with leaky bins. All balls of a round look at the loads of its beginning, and so are independent.
type greedyByLaw struct {
	config *Config
	occupancy
	held   []int // bins by load
	next   []int
	counts []int
}

func (e *greedyByLaw) throw(p *Process) {
	if len(p.pool) == 0 {
		return
	}
	e.random = random.New(e.config.Seed, streamLaw, uint64(p.now))
	e.counts, e.next = e.counts[:0], e.next[:0]
	bins, balls := e.config.Bins, p.pool[0].count
	for load, held := range e.held {
		if held == 0 {
			continue
		}
		// The balls that are left have all their choices among the bins that are left, which hold this many balls or more.
		asking := balls
		if held < bins {
			asking = counts.Binomial(&e.random, balls, once(float64(held)/float64(bins), e.config.Choices))
		}
		balls -= asking
		bins -= held
		more := held
		for k, some := range e.draw(asking, held) {
			e.next = grown(e.next, load+k)
			e.next[load+k] += some
			if more -= some; more > 0 {
				e.counts = grown(e.counts, load+k)
				e.counts[load+k] += more
			}
		}
	}
	e.held, e.next = e.next, e.held
	for position, count := range e.counts {
		p.accept(0, position, count)
	}
}

// once is the probability that at least one of d independent trials succeeds: 1−(1−p)^d, in which no digits are lost.
func once(p float64, d int) float64 {
	return -portable.Expm1(float64(d) * portable.Log1p(-p))
}

// grown is a list that has an entry at index i.
func grown(list []int, i int) []int {
	for len(list) <= i {
		list = append(list, 0)
	}
	return list
}

func (e *greedyByLaw) serve(*Process) { e.held = served(e.held) }

func (e *greedyByLaw) loads() []int { return append([]int(nil), e.held...) }

// thresholdByLaw is THRESHOLD[T].
type thresholdByLaw struct {
	config *Config
	occupancy
	held []int // bins by load
	next []int
}

func (e *thresholdByLaw) throw(p *Process) {
	if len(p.pool) == 0 {
		return
	}
	e.random = random.New(e.config.Seed, streamLaw, uint64(p.now))
	e.next = e.next[:0]
	bins, balls := e.config.Bins, p.pool[0].count
	accepted := 0
	for load, held := range e.held {
		if held == 0 {
			continue
		}
		asking := e.share(balls, held, bins)
		balls -= asking
		bins -= held
		for k, some := range e.draw(asking, held) {
			k = min(k, e.config.Capacity)
			e.next = grown(e.next, load+k)
			e.next[load+k] += some
			accepted += k * some
		}
	}
	e.held, e.next = e.next, e.held
	p.accept(0, 0, accepted)
}

func (e *thresholdByLaw) serve(*Process) {}

func (e *thresholdByLaw) loads() []int { return append([]int(nil), e.held...) }
