package dispatch

import (
	"math"

	"github.com/almanac-sim/almanac/internal/random"
	"github.com/almanac-sim/almanac/sim"
)

// rounds is CAPPED(c, λ) of Berenbrink et al., Algorithm 1, with work that takes as long as it
// takes.
//
// A round is a moment, and rounds have the same distance. Requests that have come since the last
// one, and those that were turned down before, each ask one worker at random; a worker takes the
// oldest of those that ask, as many as it has room for, and the others wait for the next round. In
// between workers serve what they have accepted, in order; who has nothing left is idle until the
// next round.
//
// In the paper every bin deletes one ball at the end of a round. With constant work and rounds as
// long as that, this is the paper's process, with a Poisson number of new balls: who is served in
// the round in which it asks first waits 0 rounds there, and here on average half a round until it
// may ask.
type rounds struct {
	c        *cluster
	capacity int32
	pool     []int32 // by age
	lines    lines
	loads    []int32
	full     int // how many workers are
	due      bool
	round    func()
	n        float64 // of the last round
}

func newRounds(c *cluster, capacity int) policy {
	p := &rounds{c: c, capacity: int32(capacity), lines: newLines(c, len(c.speed)), loads: make([]int32, len(c.speed))}
	p.round = p.throw
	return p
}

func (p *rounds) arrive(i int32) {
	p.pool = append(p.pool, i)
	p.wake()
}

// wake schedules the next round, if there is anybody to ask in it. It comes after all that happens
// at its time: a bin deletes a ball before the next round begins.
func (p *rounds) wake() {
	if p.due || len(p.pool) == 0 {
		return
	}
	p.due = true
	length := p.c.load.Round
	for p.n*length <= p.c.sim.Now() {
		p.n = max(p.n+1, float64(int64(p.c.sim.Now()/length)))
	}
	p.c.sim.At(p.n*length, p.round, sim.Priority(1))
}

// throw is a round. When all workers are full those who have not asked yet would be turned down,
// wherever they ask.
func (p *rounds) throw() {
	p.due = false
	p.c.tries += len(p.pool)
	asked, kept := 0, 0
	for asked < len(p.pool) && p.full < len(p.loads) {
		i := p.pool[asked]
		asked++
		w := p.c.below(len(p.loads))
		if p.loads[w] == p.capacity {
			p.pool[kept] = i
			kept++
			continue
		}
		p.add(w, 1)
		if p.c.serving[w] == none {
			p.c.begin(w, i)
		} else {
			p.lines.push(w, i)
		}
	}
	// Who was turned down stays before those who have not asked.
	copy(p.pool[asked-kept:asked], p.pool[:kept])
	p.pool = p.pool[asked-kept:]
	p.wake()
}

func (p *rounds) finish(w, _ int32) {
	p.add(w, -1)
	if i := p.lines.pop(w); i != none {
		p.c.begin(w, i)
	}
}

func (p *rounds) add(w, n int32) {
	was := p.loads[w] == p.capacity
	p.loads[w] += n
	switch is := p.loads[w] == p.capacity; {
	case is && !was:
		p.full++
	case was && !is:
		p.full--
	}
}

// saturated is how large a load can be: workers that are full after every round, since more ask
// than there is room for, do so much and are idle for the rest of a round. With exponential work
// and rounds of length r a worker ends min(N, c) requests in a round, N being Poisson with mean r;
// otherwise it is measured, over a million rounds, or as long as a million mean services if rounds
// are shorter. The standard error is then at most √variance/1000 of it, which is 0.0014 for the
// services here.
func saturated(l *load, capacity int) float64 {
	work := random.New(l.Seed, streamSaturated)
	per := map[float64]float64{} // by speed
	sum := 0.0
	for _, speed := range l.speeds() {
		if per[speed] == 0 {
			per[speed] = saturatedWorker(&work, l.service, speed, l.Round, capacity)
		}
		sum += per[speed]
	}
	return sum / l.capacity()
}

func saturatedWorker(s *random.Stream, service Service, speed, length float64, capacity int) float64 {
	all := math.Ceil(1e6 / min(1, length))
	ended := 0
	begun := 0.0 // what is left of the one in work
	for n := 0.0; n < all; n++ {
		if whole := min(math.Ceil(begun/length)-1, all-n-1); whole > 0 { // rounds in which nothing ends
			begun = max(begun-whole*length, math.SmallestNonzeroFloat64)
			n += whole
		}
		for left, has := length, capacity; has > 0; has-- {
			if begun == 0 {
				begun = service.draw(s) / speed
			}
			if begun > left {
				begun -= left
				break
			}
			left -= begun
			begun = 0
			ended++
		}
	}
	return float64(ended) / (all * length)
}
