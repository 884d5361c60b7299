package capped

// modCapped is MODCAPPED(c, λ) of sections III and IV, ball by ball.
//
// Time is divided into phases of c rounds, phase j being the rounds [cj; c(j+1)−1], and buffer j of
// a bin takes balls in phases j−1 and j, with a capacity that grows from 0 by 1 in each round of
// phase j−1, is c in the first round of phase j, and falls by 1 in each round after it (equation
// 5). So two buffers are active in round t: red, number ⌊t/c⌋, whose capacity is the number of
// rounds that are left of the phase, this one included, and blue, number ⌊t/c⌋+1, with the rest of
// c. In every round the red buffer deletes a ball if it has one; what it accepts is therefore gone
// when the phase is over.
//
// The paper calls ⌈t/c⌉ red. Then the buffer that deletes would be the one whose capacity grows,
// and the other, whose capacity falls, would overflow; the proof of Lemma 7, in which buffer j
// deletes during phase j, means ⌊t/c⌋.
type modCapped struct {
	config    *Config
	red, blue []uint32
	before    []int    // the pool before the round, by cohort
	refused   []uint64 // a bit for each ball: the buffer it prefers had no room
	counts    []int    // accepted balls of a cohort, by delay
}

func newModCapped(c *Config) engine {
	return &modCapped{
		config: c,
		red:    make([]uint32, c.Bins), blue: make([]uint32, c.Bins),
		counts: make([]int, c.Capacity),
	}
}

// capacities returns the capacities of the red and the blue buffers in a round.
func (e *modCapped) capacities(round int) (red, blue int) {
	blue = round % e.config.Capacity
	return e.config.Capacity - blue, blue
}

// throw satisfies as many preferences as possible and then as many balls: every ball first asks for
// the buffer that it prefers, oldest first, and those that are refused ask for the other one. Every
// second ball prefers red.
func (e *modCapped) throw(p *Process) {
	e.before = e.before[:0]
	for _, c := range p.pool {
		e.before = append(e.before, c.count)
	}
	words := (p.Pool() + 63) / 64
	if words > cap(e.refused) {
		e.refused = make([]uint64, words)
	}
	e.refused = e.refused[:words]
	clear(e.refused)
	e.pass(p, func(ball int) (red, asks bool) {
		return ball%2 == 0, true
	})
	e.pass(p, func(ball int) (red, asks bool) {
		return ball%2 != 0, e.refused[ball/64]>>(ball%64)&1 != 0
	})
}

// pass lets balls ask for a buffer. Both passes make the same choices, because the stream of a
// round can be repeated.
func (e *modCapped) pass(p *Process, buffer func(ball int) (red, asks bool)) {
	choices := e.config.choices(p.now)
	reds, blues := e.capacities(p.now)
	ball := 0
	for i, count := range e.before {
		clear(e.counts)
		for left := count; left > 0; {
			some := choices.some(left)
			left -= len(some)
			for _, bin := range some {
				red, asks := buffer(ball)
				switch {
				case !asks:
				case red && int(e.red[bin]) < reds:
					e.counts[e.red[bin]]++
					e.red[bin]++
				case !red && int(e.blue[bin]) < blues:
					// It is deleted when its buffer is red and the balls before it are deleted.
					e.counts[reds+int(e.blue[bin])]++
					e.blue[bin]++
				default:
					e.refused[ball/64] |= 1 << (ball % 64)
				}
				ball++
			}
		}
		for delay, count := range e.counts {
			p.accept(i, delay, count)
		}
	}
}

func (e *modCapped) serve(p *Process) {
	sweepWords(e.red)
	if reds, _ := e.capacities(p.now); reds == 1 { // the last round of a phase
		e.red, e.blue = e.blue, e.red
	}
}

func (e *modCapped) loads() []int {
	both := make([]uint32, len(e.red))
	for i := range both {
		both[i] = e.red[i] + e.blue[i]
	}
	return tally(both)
}

func (e *modCapped) load(bin int) int { return int(e.red[bin] + e.blue[bin]) }
