package capped

import "encoding/binary"

// newByBin returns the engine that keeps every bin and throws every ball.
func newByBin(c *Config) engine {
	switch {
	case c.Kind == Greedy:
		return &greedyByBin{config: c, held: make([]uint32, c.Bins), fresh: make([]uint32, c.Bins)}
	case c.Kind == Threshold:
		return &thresholdByBin{config: c, held: make([]uint32, c.Bins), fresh: make([]uint32, c.Bins)}
	case c.Capacity <= mostByte:
		return &cappedByBin[uint8]{config: c, held: make([]uint8, c.Bins), counts: make([]int, 256), sweep: sweepBytes}
	}
	return &cappedByBin[uint32]{config: c, held: make([]uint32, c.Bins), counts: make([]int, c.Capacity+1),
		sweep: sweepWords}
}

// cappedByBin is CAPPED, ball by ball.
type cappedByBin[L uint8 | uint32] struct {
	config *Config
	held   []L
	most   int   // no load is larger
	counts []int // the balls of a cohort by the number of balls before them
	sweep  func([]L)
}

func (e *cappedByBin[L]) throw(p *Process) {
	choices := e.config.choices(p.now)
	full := L(e.config.Capacity)
	held, counts := e.held, e.counts
	for i := range p.pool {
		bound := min(e.most+p.pool[i].count, e.config.Capacity)
		clear(counts[:bound+1])
		for left := p.pool[i].count; left > 0; {
			some := choices.some(left)
			left -= len(some)
			for _, bin := range some {
				// Branch-free: a branch would be mispredicted once for every few balls.
				h := held[bin]
				more := L(0)
				if h < full {
					more = 1
				}
				held[bin] = h + more
				counts[h]++
			}
		}
		for position, count := range counts[:bound] {
			if count > 0 {
				e.most = max(e.most, position+1)
				p.accept(i, position, count)
			}
		}
	}
}

func (e *cappedByBin[L]) serve(*Process) {
	e.most = max(0, e.most-1)
	if e.config.Capacity == 1 {
		clear(e.held)
		return
	}
	e.sweep(e.held)
}

func (e *cappedByBin[L]) loads() []int { return tally(e.held) }

func (e *cappedByBin[L]) fill(loads []int) {
	e.most = len(loads) - 1
	bin := 0
	for load, count := range loads {
		for range count {
			e.held[bin] = L(load)
			bin++
		}
	}
}

func (e *cappedByBin[L]) load(bin int) int { return int(e.held[bin]) }

// tally counts the bins by load.
func tally[L uint8 | uint32](held []L) []int {
	var all []int
	for _, h := range held {
		for int(h) >= len(all) {
			all = append(all, 0)
		}
		all[h]++
	}
	return all
}

// mostByte is the largest load that sweepBytes can handle.
const mostByte = 127

// sweepBytes decrements every load that is not 0, eight loads at a time: a byte b ≤ 127 with its
// upper bit set is still at least 128 after a decrement, without a borrow, exactly if b was not 0.
func sweepBytes(held []uint8) {
	const ones, uppers = 0x0101010101010101, 0x8080808080808080
	for len(held) >= 8 {
		x := binary.LittleEndian.Uint64(held)
		binary.LittleEndian.PutUint64(held, x-((x|uppers)-ones)&uppers>>7)
		held = held[8:]
	}
	for i, h := range held {
		if h > 0 {
			held[i] = h - 1
		}
	}
}

// sweepWords decrements every load that is not 0.
func sweepWords(held []uint32) {
	for i, h := range held {
		if h > 0 {
			held[i] = h - 1
		}
	}
}

// greedyByBin is GREEDY[d] with leaky bins, ball by ball.
type greedyByBin struct {
	config *Config
	held   []uint32 // at the beginning of the round
	fresh  []uint32 // added in this round
	counts []int
}

func (e *greedyByBin) throw(p *Process) {
	choices := e.config.choices(p.now)
	clear(e.fresh)
	for i := range p.pool {
		clear(e.counts)
		for range p.pool[i].count {
			// The first of several least loaded choices: they are independent, so every bin of that
			// load is equally likely.
			best := choices.some(1)[0]
			for range e.config.Choices - 1 {
				if other := choices.some(1)[0]; e.held[other] < e.held[best] {
					best = other
				}
			}
			position := int(e.held[best] + e.fresh[best])
			e.fresh[best]++
			for len(e.counts) <= position {
				e.counts = append(e.counts, 0)
			}
			e.counts[position]++
		}
		for position, count := range e.counts {
			p.accept(i, position, count)
		}
	}
	for i, f := range e.fresh {
		e.held[i] += f
	}
}

func (e *greedyByBin) serve(*Process) { sweepWords(e.held) }

func (e *greedyByBin) loads() []int { return tally(e.held) }

func (e *greedyByBin) load(bin int) int { return int(e.held[bin]) }

// thresholdByBin is THRESHOLD[T], ball by ball.
type thresholdByBin struct {
	config *Config
	held   []uint32
	fresh  []uint32 // accepted in this round
}

func (e *thresholdByBin) throw(p *Process) {
	choices := e.config.choices(p.now)
	clear(e.fresh)
	for i := range p.pool {
		accepted := 0
		for left := p.pool[i].count; left > 0; {
			some := choices.some(left)
			left -= len(some)
			for _, bin := range some {
				if e.fresh[bin] < uint32(e.config.Capacity) {
					e.fresh[bin]++
					e.held[bin]++
					accepted++
				}
			}
		}
		p.accept(i, 0, accepted)
	}
}

func (e *thresholdByBin) serve(*Process) {}

func (e *thresholdByBin) loads() []int { return tally(e.held) }

func (e *thresholdByBin) load(bin int) int { return int(e.held[bin]) }
