package capped

import (
	"fmt"
	"iter"
	"math"

	"github.com/almanac-sim/almanac/internal/random"
)

// The purposes of random streams. A stream is identified by the seed, its purpose and the round.
const (
	streamArrivals = iota
	streamChoices
	streamLaw
)

// A Round is what happened in a round of a process.
type Round struct {
	Arrived  int // new balls
	Thrown   int // balls that asked for a place: arrivals and the pool
	Accepted int // of them, those that got one
	Served   int // balls deleted at the end of the round
	Pool     int // balls without a place
	WaitSum  int // the sum of the waiting times of the balls served
	WaitMax  int // the longest of them; 0 if none was served
}

// A cohort is the balls of the pool that arrived in the same round.
type cohort struct{ label, count int }

// An engine throws the balls of the pool.
type engine interface {
	// throw lets every ball of the pool ask, the oldest first, and calls accept for those that get
	// a place.
	throw(p *Process)
	// serve deletes a ball from every bin that has one.
	serve(p *Process)
	// loads returns how many bins hold 0, 1, 2, … balls.
	loads() []int
}

// A Process is an allocation process that advances round by round. It is deterministic: the same
// configuration gives the same rounds on every machine. It must not be used from several goroutines
// at once.
type Process struct {
	config Config
	now    int // the current round, or the last one
	source source
	engine engine
	pool   []cohort // oldest first
	diary  diary
	least  int // the least number of balls to throw in a round: m* of ModCapped

	accepted int // in the current round
}

// NewProcess returns the process of a configuration, before its first round, or an error if the
// configuration is not valid.
func NewProcess(c Config) (*Process, error) {
	if err := c.check(); err != nil {
		return nil, err
	}
	var limit *Limit
	if c.Warm {
		limit = NewLimit(c.Capacity, c.Rate)
		if reach := limit.reach(); reach > mostReach {
			return nil, fmt.Errorf("capped: to start warm bins must not reach a load of %d, "+
				"as they do with a capacity of %d at this rate; the capacity must be at most %s, or the rate smaller", reach,
				c.Capacity, twoTo(mostReach))
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

// Config returns the configuration of the process.
func (p *Process) Config() Config { return p.config }

// Round runs one round and reports it.
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

// fitting converts a sum of waits or of balls to an int. It panics if that overflows, as a long run
// may where an int has 32 bits.
func fitting(sum int64) int {
	if sum > math.MaxInt {
		panic(fmt.Sprintf("capped: %d is more than an int holds on this machine; take fewer bins or rounds", sum))
	}
	return int(sum)
}

// accept removes balls from the i-th cohort of the pool; they are deleted after delay rounds.
func (p *Process) accept(i, delay, count int) {
	c := &p.pool[i]
	c.count -= count
	p.accepted += count
	p.diary.add(p.now, p.now+delay, c.label, count)
}

// served yields the waiting times of the balls that the last round deleted, and their numbers. A
// waiting time may occur more than once.
func (p *Process) served() iter.Seq2[int, int] {
	return func(yield func(int, int) bool) {
		for _, s := range p.diary.on(p.now) {
			if !yield(int(uint32(p.now)-s.label), int(s.count)) {
				return
			}
		}
	}
}

// Rounds returns the number of rounds so far.
func (p *Process) Rounds() int { return p.now }

// Pool returns the number of balls without a place.
func (p *Process) Pool() int {
	sum := 0
	for _, c := range p.pool {
		sum += c.count
	}
	return sum
}

// Ages yields the ages in the pool, from the oldest, and the number of balls of each.
func (p *Process) Ages() iter.Seq2[int, int] {
	return func(yield func(age, count int) bool) {
		for _, c := range p.pool {
			if !yield(p.now-c.label, c.count) {
				return
			}
		}
	}
}

// Waits adds the balls that were deleted in the last round to a histogram of waiting times, in
// which histogram[w] is the number of balls that waited w rounds. It returns the histogram,
// extended if necessary.
func (p *Process) Waits(histogram []int) []int {
	for wait, count := range p.served() {
		for len(histogram) <= wait {
			histogram = append(histogram, 0)
		}
		histogram[wait] = fitting(int64(histogram[wait]) + int64(count))
	}
	return histogram
}

// Loads returns the number of bins that hold 0, 1, 2, … balls after the last round; the last entry
// is above 0.
func (p *Process) Loads() []int {
	all := p.engine.loads()
	for len(all) > 1 && all[len(all)-1] == 0 {
		all = all[:len(all)-1]
	}
	return all
}

// Load returns the number of balls in a bin after the last round. It panics if bin is not from 0 to
// Bins−1, or if the process does not keep the load of every bin: see [Config.ByBin].
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

// choices returns the stream of the bins that balls ask in a round. It depends on the seed and the
// round alone, which couples processes of the same seed.
func (c *Config) choices(round int) chooser {
	return chooser{
		random: random.New(c.Seed, streamChoices, uint64(round)),
		bins:   uint32(c.Bins),
		reject: -uint32(c.Bins) % uint32(c.Bins),
	}
}
