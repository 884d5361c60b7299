package dispatch

// buffered are the policies in which one queue, the pool, feeds all workers: a worker has at most c
// requests, the one that it works on counted, and the others wait in the pool.
//
//   - A request that comes is thrown at one of the workers that the policy prefers; if that has no
//     slot it waits in the pool.
//   - A worker that is done pulls the oldest of the pool, and begins what it has accepted first.
//   - If it has nothing then, and the policy says so, it takes the oldest that another has accepted
//     and not begun.
//
// So nobody waits in the pool while there is a slot, and the slot goes to who comes. All steps take
// constant time: requests are accepted in the order in which they came, so that those not begun are
// one list by age.
type buffered struct {
	c        *cluster
	capacity int32
	levels   levels
	moves    bool // who is idle takes over what has not begun elsewhere
	pulled   int  // tries that are counted when a request is pulled from the pool
	// choose is which of some workers request i is thrown at.
	choose func(i int32, workers []int32) int32

	lines lines   // accepted and not begun, of each worker, and then the pool
	loads []int32 // of a worker, the one that it works on counted

	// Accepted and not begun, of all workers, by age.
	oldest, youngest int32
	before, after    []int32
	at               []int32 // which worker has it
}

func newBuffered(c *cluster, capacity int) *buffered {
	n, requests := len(c.speed), len(c.load.comes)
	return &buffered{
		c: c, capacity: int32(capacity), pulled: 1,
		choose: func(_ int32, workers []int32) int32 { return workers[c.below(len(workers))] },
		lines:  newLines(c, n+1), loads: make([]int32, n),
		oldest: none, youngest: none,
		before: make([]int32, requests), after: make([]int32, requests), at: make([]int32, requests),
	}
}

// newEventDriven is the rule of dispatch.Dispatcher, which dispatchtest.Reference has in the
// plainest way: it prefers idle workers, any of them, and then any that has a slot.
func newEventDriven(c *cluster, capacity int) *buffered {
	p := newBuffered(c, capacity)
	p.moves = true
	p.levels = newLevels(len(c.speed), func(load int32) int32 {
		switch {
		case load == 0:
			return 0
		case load < p.capacity:
			return 1
		}
		return none
	})
	return p
}

// newCentral is one queue for all workers. A request is offered once: to who is idle, or to who
// becomes idle.
func newCentral(c *cluster) policy {
	p := newEventDriven(c, 1)
	p.pulled = 0
	return p
}

// newBounded joins the bounded shortest queue: it prefers workers with the fewest, and what a
// worker has accepted stays there.
func newBounded(c *cluster, capacity int) policy {
	p := newBuffered(c, capacity)
	p.levels = newLevels(len(c.speed), byLoad)
	return p
}

func (p *buffered) arrive(i int32) {
	p.c.tries++
	w := int32(none)
	if least := p.levels.least(); len(least) > 0 {
		w = p.choose(i, least)
	}
	switch {
	case w == none || p.loads[w] >= p.capacity:
		p.lines.push(p.pool(), i)
	case p.loads[w] == 0:
		p.add(w, 1)
		p.c.begin(w, i)
	default:
		p.accept(w, i)
	}
}

// pool is the number of its line.
func (p *buffered) pool() int32 { return int32(len(p.loads)) }

func (p *buffered) finish(w, _ int32) {
	p.add(w, -1)
	if i := p.lines.pop(p.pool()); i != none {
		p.c.tries += p.pulled
		p.accept(w, i)
	}
	i := p.lines.pop(w)
	if i == none {
		if i = p.oldest; i == none || !p.moves {
			return
		}
		// All that its worker has accepted is younger: it is the first there.
		from := p.at[i]
		p.lines.pop(from)
		p.add(from, -1)
		p.add(w, 1)
		p.c.tries++
	}
	p.unlink(i)
	p.c.begin(w, i)
}

// accept puts a request behind those that a worker has.
func (p *buffered) accept(w, i int32) {
	p.add(w, 1)
	p.lines.push(w, i)
	p.at[i] = w
	p.before[i], p.after[i] = p.youngest, none
	if p.youngest == none {
		p.oldest = i
	} else {
		p.after[p.youngest] = i
	}
	p.youngest = i
}

// unlink takes a request from those that have not begun.
func (p *buffered) unlink(i int32) {
	before, after := p.before[i], p.after[i]
	if before == none {
		p.oldest = after
	} else {
		p.after[before] = after
	}
	if after == none {
		p.youngest = before
	} else {
		p.before[after] = before
	}
}

// add changes how much a worker has.
func (p *buffered) add(w, n int32) {
	p.loads[w] += n
	p.levels.move(w, p.loads[w])
}

// levels are workers by how much they have, so that those that are preferred are found in the time
// that it takes to count up to them.
type levels struct {
	of    func(load int32) int32 // the level of a load, or none if such a worker is not to be found
	by    [][]int32
	level []int32 // of a worker
	at    []int   // where in it
}

func byLoad(load int32) int32 { return load }

func newLevels(n int, of func(int32) int32) levels {
	l := levels{of: of, by: make([][]int32, 1), level: make([]int32, n), at: make([]int, n)}
	for w := range n {
		l.at[w] = w
		l.by[0] = append(l.by[0], int32(w))
	}
	return l
}

// least are the workers of the first level that has any.
func (l *levels) least() []int32 {
	for _, some := range l.by {
		if len(some) > 0 {
			return some
		}
	}
	return nil
}

// move says how much a worker has now.
func (l *levels) move(w, load int32) {
	level := l.of(load)
	if level == l.level[w] {
		return
	}
	if l.level[w] != none {
		old := l.by[l.level[w]]
		last := old[len(old)-1]
		old[l.at[w]], l.at[last] = last, l.at[w]
		l.by[l.level[w]] = old[:len(old)-1]
	}
	if l.level[w] = level; level == none {
		return
	}
	for int(level) >= len(l.by) {
		l.by = append(l.by, nil)
	}
	l.at[w] = len(l.by[level])
	l.by[level] = append(l.by[level], w)
}
