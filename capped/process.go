package capped

import (
	"fmt"
	"iter"
	"math"

	"github.com/almanac-sim/almanac/internal/random"
)

// The purposes of random streams; a stream is named by the seed, its purpose and the round.
const (
	streamArrivals = iota
	streamChoices
	streamLaw
)

// A Round is what happened in a round of a process.
type Round struct {
	Arrived  int // new balls
	Thrown   int // balls that asked for a place: the new ones and those of the pool
	Accepted int // of those, how many were given one
	Served   int // balls deleted at the end of the round
	Pool     int // balls that are left without a place
	WaitSum  int // of the waiting times of the balls served
	WaitMax  int // the longest of them; 0 if none was served
}

// A cohort is the balls in the pool that came in the same round.
type cohort struct{ label, count int }

// An engine throws the balls of a process's pool.
type engine interface {
	// throw lets every ball of the pool ask, oldest first, and calls accept for those that are given a place.
	throw(p *Process)
	// serve deletes a ball from every bin that has one.
	serve(p *Process)
	// loads is how many bins hold 0, 1, 2, … balls.
	loads() []int
}

// Process is an allocation process that goes on round by round. It is deterministic: the same configuration gives the
// same rounds on every machine. It is not safe for concurrent use.
type Process struct {
	config Config
	now    int // the round under way, or the last one
	source source
	engine engine
	pool   []cohort // oldest first
	diary  diary
	least  int // balls to throw in a round: ModCapped's m*

	accepted int // in the round under way
}

// NewProcess returns the process that a configuration describes, before its first round. What is wrong with the
// configuration is an error that says what would be right.
func NewProcess(c Config) (*Process, error) {
	if err := c.check(); err != nil {
		return nil, err
	}
	var limit *Limit
	if c.Warm {
		limit = NewLimit(c.Capacity, c.Rate)
		if reach := limit.reach(); reach > mostReach {
			return nil, fmt.Errorf("capped: to start warm bins must not reach a load of %d, as they do with a capacity of %d at this rate; "+
				"the capacity must be at most %s, or the rate smaller", reach, c.Capacity, twoTo(mostReach))
		}
	}
	p := &Process{config: c, source: newSource(&c), least: c.minThrown()}
	switch {
	case c.Kind == ModCapped:
		p.engine = newModCapped(&c)
	case c.ByBin:
		p.engine = newByBin(&c)
	default:
		p.engine = newByLaw(&c)
	}
	if c.Warm {
		p.warm(limit)
	}
	return p, nil
}

// Config returns what the process was made from.
func (p *Process) Config() Config { return p.config }

// Round goes on by one round and reports it.
func (p *Process) Round() Round {
	p.diary.clear(p.now)
	p.now++
	r := Round{Thrown: p.Pool()}
	if p.config.Kind != Threshold || p.now == 1 {
		r.Arrived = max(p.source.batch(p.now), p.least-r.Thrown)
		r.Thrown += r.Arrived
	}
	if r.Arrived > 0 {
		p.pool = append(p.pool, cohort{p.now, r.Arrived})
	}
	p.accepted = 0
	p.engine.throw(p)
	r.Accepted = p.accepted
	r.Pool = r.Thrown - r.Accepted
	left := p.pool[:0]
	for _, c := range p.pool {
		if c.count > 0 {
			left = append(left, c)
		}
	}
	p.pool = left
	p.engine.serve(p)
	sum := int64(0)
	for wait, count := range p.served() {
		r.Served += count
		sum += int64(wait) * int64(count)
		r.WaitMax = max(r.WaitMax, wait)
	}
	r.WaitSum = fitting(sum)
	return r
}

// fitting is a sum of waits, or of balls over many rounds, as an int. Where an int has 32 bits a long run may have more than it holds.
func fitting(sum int64) int {
	if sum > math.MaxInt {
		panic(fmt.Sprintf("capped: %d is more than an int holds on this machine; take fewer bins or rounds", sum))
	}
	return int(sum)
}

// accept takes balls from the i-th cohort of the pool, to be deleted after a number of rounds.
func (p *Process) accept(i, delay, count int) {
	c := &p.pool[i]
	c.count -= count
	p.accepted += count
	p.diary.add(p.now, p.now+delay, c.label, count)
}

// served are the waiting times of the balls that the last round deleted, with repetitions.
func (p *Process) served() iter.Seq2[int, int] {
	return func(yield func(int, int) bool) {
		for _, s := range p.diary.on(p.now) {
			if !yield(int(uint32(p.now)-s.label), int(s.count)) {
				return
			}
		}
	}
}

// Rounds is the number of rounds so far.
func (p *Process) Rounds() int { return p.now }

// Pool is the number of balls that have no place.
func (p *Process) Pool() int {
	sum := 0
	for _, c := range p.pool {
		sum += c.count
	}
	return sum
}

// Ages yields the balls of the pool by their age, from the oldest: how many have it.
func (p *Process) Ages() iter.Seq2[int, int] {
	return func(yield func(age, count int) bool) {
		for _, c := range p.pool {
			if !yield(p.now-c.label, c.count) {
				return
			}
		}
	}
}

// Waits adds the balls that were deleted in the last round to a histogram of waiting times, in which histogram[w] is the number
// of balls that waited w rounds, and returns it, longer if need be.
func (p *Process) Waits(histogram []int) []int {
	for wait, count := range p.served() {
		for len(histogram) <= wait {
			histogram = append(histogram, 0)
		}
		histogram[wait] = fitting(int64(histogram[wait]) + int64(count))
	}
	return histogram
}

// Loads is the number of bins that hold 0, 1, 2, … balls after the last round; the last entry is above 0.
func (p *Process) Loads() []int {
	all := p.engine.loads()
	for len(all) > 1 && all[len(all)-1] == 0 {
		all = all[:len(all)-1]
	}
	return all
}

// Load is the number of balls in a bin after the last round. It panics if there is no such bin,
// from 0 to Bins−1, or the process does not keep its bins apart: see [Config.ByBin].
func (p *Process) Load(bin int) int {
	e, ok := p.engine.(interface{ load(int) int })
	if !ok {
		panic("capped: this process draws by law and does not keep its bins apart; set Config.ByBin")
	}
	if bin < 0 || bin >= p.config.Bins {
		panic(fmt.Sprintf("capped: a bin must be from 0 to %d, not %d", p.config.Bins-1, bin))
	}
	return e.load(bin)
}

// choices is the stream of the bins that are asked in a round. It depends on the seed and the round alone, which couples
// processes of the same seed.
func (c *Config) choices(round int) chooser {
	return chooser{
		random: random.New(c.Seed, streamChoices, uint64(round)),
		bins:   uint32(c.Bins),
		reject: -uint32(c.Bins) % uint32(c.Bins),
	}
}
