package capped

import "github.com/almanac-sim/almanac/internal/random"

// newByLaw returns the engine that keeps how many bins hold how many balls, and draws what happens to them.
func newByLaw(c *Config) engine {
	switch c.Kind {
	case Greedy:
		return &greedyByLaw{config: c, held: []int{c.Bins}}
	case Threshold:
		return &thresholdByLaw{config: c, held: []int{c.Bins}}
	}
	e := &cappedByLaw{config: c, held: make([]int, c.Capacity+1)}
	e.next = make([]int, c.Capacity+1)
	e.counts = make([]int, c.Capacity)
	e.held[0] = c.Bins
	return e
}

// cappedByLaw is CAPPED. The balls of a cohort are alike and independent of each other, and bins of equal load are alike; so it is
// enough to know how many of the balls ask bins of each load, and how many of those bins get 0, 1, 2, … of them.
type cappedByLaw struct {
	config *Config
	occupancy
	held   []int // bins by load, after the cohorts so far
	next   []int // and after this one
	counts []int // of the balls of a cohort, how many are accepted with how many before them
}

func (e *cappedByLaw) throw(p *Process) {
	e.random = random.New(e.config.Seed, streamLaw, uint64(p.now))
	full := e.config.Capacity
	for i := range p.pool {
		clear(e.counts)
		clear(e.next)
		e.next[full] = e.held[full]
		bins, balls := e.config.Bins, p.pool[i].count
		for load := 0; load < full; load++ {
			if e.held[load] == 0 {
				continue
			}
			asking := e.share(balls, e.held[load], bins)
			balls -= asking
			bins -= e.held[load]
			more := e.held[load] // bins that get more than k
			for k, some := range e.draw(asking, e.held[load]) {
				e.next[min(load+k, full)] += some
				more -= some
				if load+k < full {
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
	return o.random.Binomial(balls, float64(some)/float64(bins))
}

func (e *cappedByLaw) serve(*Process) {
	e.held[0] += e.held[1]
	copy(e.held[1:], e.held[2:])
	e.held[len(e.held)-1] = 0
}

func (e *cappedByLaw) loads() []int { return append([]int(nil), e.held...) }

func (e *cappedByLaw) fill(loads []int) { copy(e.held, loads) }

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
	clear(e.next)
	clear(e.counts)
	bins, balls := e.config.Bins, p.pool[0].count
	for load, held := range e.held {
		if held == 0 {
			continue
		}
		// The balls that are left have all their choices among the bins that are left, which hold this many balls or more.
		asking := balls
		if held < bins {
			asking = e.random.Binomial(balls, once(float64(held)/float64(bins), e.config.Choices))
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

// once is the probability that at least one of d independent trials succeeds, 1−(1−p)^d, as a sum of what is positive, since
// for small p the difference would lose all digits.
func once(p float64, d int) float64 {
	sum := 0.0
	for range d {
		sum = 1 + float64((1-p)*sum)
	}
	return min(p*sum, 1)
}

// grown is a list that has an entry at index i.
func grown(list []int, i int) []int {
	for len(list) <= i {
		list = append(list, 0)
	}
	return list
}

func (e *greedyByLaw) serve(*Process) {
	if len(e.held) > 1 {
		e.held[0] += e.held[1]
		e.held = append(e.held[:1], e.held[2:]...)
	}
	for len(e.held) > 1 && e.held[len(e.held)-1] == 0 {
		e.held = e.held[:len(e.held)-1]
	}
}

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
	clear(e.next)
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
