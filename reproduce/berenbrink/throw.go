package berenbrink

import "github.com/almanac-sim/almanac/internal/random"

// thrown is CAPPED as Algorithm 1 has it, without the ages, which matter neither to the pool nor to
// the loads: it may begin anywhere. In round t the k-th ball asks the bin that the stream of the
// seed has for t and k; so processes of the same seed are coupled as in Lemma 6.
type thrown struct {
	capacity, arrivals int // of a round
	stream             random.Stream

	round, pool int
	loads       []int
	landed      []int // how many balls were accepted by bins with 0, 1, 2, … others
}

func newThrown(bins, capacity, arrivals int, stream random.Stream) *thrown {
	return &thrown{capacity: capacity, arrivals: arrivals, stream: stream, loads: make([]int, bins),
		landed: make([]int, capacity)}
}

// step goes on by a round.
func (p *thrown) step() {
	p.round++
	choices := p.stream.At(uint64(p.round))
	n := uint64(len(p.loads))
	balls := p.pool + p.arrivals
	p.pool = 0
	for range balls {
		bin := &p.loads[choices.Below(n)]
		if *bin == p.capacity {
			p.pool++
			continue
		}
		p.landed[*bin]++
		*bin++
	}
	for i := range p.loads {
		p.loads[i] = max(0, p.loads[i]-1)
	}
}

// balls is how many there are in the pool and in the bins.
func (p *thrown) balls() int {
	sum := p.pool
	for _, load := range p.loads {
		sum += load
	}
	return sum
}
