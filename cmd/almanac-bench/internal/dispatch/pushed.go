package dispatch

// pushed is a policy that decides at once: a request goes to a worker's own queue when it comes,
// and is served there, after those before it.
type pushed struct {
	c      *cluster
	lines  lines
	loads  []int32 // how many each worker has, the one that it works on counted
	choose func(p *pushed, i int32) int32
	leaves func(w, i int32) // who keeps books of its own; may be nil
}

func newPushed(c *cluster, choose func(*pushed, int32) int32) *pushed {
	return &pushed{c: c, lines: newLines(c, len(c.speed)), loads: make([]int32, len(c.speed)), choose: choose}
}

func (p *pushed) arrive(i int32) {
	w := p.choose(p, i)
	p.c.tries++
	p.loads[w]++
	if p.loads[w] == 1 {
		p.c.begin(w, i)
	} else {
		p.lines.push(w, i)
	}
}

func (p *pushed) finish(w, i int32) {
	p.loads[w]--
	if p.leaves != nil {
		p.leaves(w, i)
	}
	if next := p.lines.pop(w); next != none {
		p.c.begin(w, next)
	}
}

// below is one of n.
func (c *cluster) below(n int) int32 { return int32(c.random.Below(uint64(n))) }

// two are different workers if there is more than one, each pair with the same probability.
func (c *cluster) two() (a, b int32) {
	n := len(c.speed)
	a = c.below(n)
	if n == 1 {
		return a, a
	}
	b = c.below(n - 1)
	if b >= a {
		b++
	}
	return a, b
}

// equalShares is how large a load can be if all workers get the same: the slowest must be able to
// do its share.
func equalShares(l *load) float64 {
	slowest := 1.0
	for _, speed := range l.speeds() {
		slowest = min(slowest, speed)
	}
	return slowest * float64(l.Workers) / l.capacity()
}

func anyWorker(p *pushed, _ int32) int32 { return p.c.below(len(p.loads)) }

func shorterOfTwo(p *pushed, _ int32) int32 {
	a, b := p.c.two()
	if p.loads[b] < p.loads[a] {
		return b
	}
	return a
}

func newRoundRobin(c *cluster) policy {
	next := none
	return newPushed(c, func(p *pushed, _ int32) int32 {
		next = (next + 1) % len(p.loads)
		return int32(next)
	})
}

// newLocal has several dispatchers, each of which counts the requests that it has sent to a worker
// and that have not come back. A request comes to any of them.
func newLocal(c *cluster, dispatchers int) policy {
	loads := make([][]int32, dispatchers)
	for d := range loads {
		loads[d] = make([]int32, len(c.speed))
	}
	sentBy := make([]uint8, len(c.load.comes))
	p := newPushed(c, func(p *pushed, i int32) int32 {
		d := c.below(dispatchers)
		sentBy[i] = uint8(d)
		a, b := c.two()
		if loads[d][b] < loads[d][a] {
			a = b
		}
		loads[d][a]++
		return a
	})
	p.leaves = func(w, i int32) { loads[sentBy[i]][w]-- }
	return p
}

// newShortest keeps workers by their loads, and takes any of those with the least.
func newShortest(c *cluster) policy {
	by := newLevels(len(c.speed), byLoad)
	p := newPushed(c, func(p *pushed, _ int32) int32 {
		least := by.least()
		w := least[c.below(len(least))]
		by.move(w, p.loads[w]+1)
		return w
	})
	p.leaves = func(w, _ int32) { by.move(w, p.loads[w]) }
	return p
}
