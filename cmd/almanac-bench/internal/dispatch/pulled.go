package dispatch

// central is one queue for all workers.
type central struct {
	c     *cluster
	lines lines
	idle  []int32
}

func newCentral(c *cluster) policy {
	p := &central{c: c, lines: newLines(c, 1)}
	for w := range c.speed {
		p.idle = append(p.idle, int32(w))
	}
	return p
}

func (p *central) arrive(i int32) {
	p.c.tries++ // it is offered once: to who is idle, or to who becomes idle
	if len(p.idle) == 0 {
		p.lines.push(0, i)
		return
	}
	at, last := p.c.below(len(p.idle)), len(p.idle)-1
	w := p.idle[at]
	p.idle[at] = p.idle[last]
	p.idle = p.idle[:last]
	p.c.begin(w, i)
}

func (p *central) finish(w, _ int32) {
	if i := p.lines.pop(0); i != none {
		p.c.begin(w, i)
	} else {
		p.idle = append(p.idle, w)
	}
}

// bounded joins the bounded shortest queue: a worker has at most c requests, the others wait in one queue, and what a worker has accepted stays
// there.
type bounded struct {
	c        *cluster
	capacity int32
	lines    lines // of each worker, and then the common one
	loads    []int32
	by       *levels
}

func newBounded(c *cluster, capacity int) policy {
	n := len(c.speed)
	return &bounded{c: c, capacity: int32(capacity), lines: newLines(c, n+1), loads: make([]int32, n), by: newLevels(n)}
}

func (p *bounded) arrive(i int32) {
	p.c.tries++
	w := p.by.least(p.c)
	if p.loads[w] >= p.capacity {
		p.lines.push(int32(len(p.loads)), i) // and will be offered once more
		return
	}
	p.give(w, i)
}

func (p *bounded) give(w, i int32) {
	p.loads[w]++
	p.by.move(w, p.loads[w])
	if p.loads[w] == 1 {
		p.c.begin(w, i)
	} else {
		p.lines.push(w, i)
	}
}

func (p *bounded) finish(w, _ int32) {
	p.loads[w]--
	p.by.move(w, p.loads[w])
	if next := p.lines.pop(w); next != none {
		p.c.begin(w, next)
	}
	if i := p.lines.pop(int32(len(p.loads))); i != none {
		p.c.tries++
		if p.loads[w] == 0 {
			p.give(w, i)
			return
		}
		p.loads[w]++
		p.by.move(w, p.loads[w])
		p.lines.push(w, i)
	}
}
