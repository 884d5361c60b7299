package dispatch

// eventDriven is the rule of capped.Dispatcher, which cappedtest.Desk has in the plainest way:
//
//   - a request that comes is thrown at any of the idle workers, or if there is none at any that has a slot; if there is no slot it waits in the pool;
//   - a worker that is done pulls the oldest of the pool, and begins what it has accepted first;
//   - if it has nothing then, it takes the oldest that another has accepted and not begun.
//
// So nobody waits in the pool while there is a slot, and the slot goes to who comes. All steps take constant time: requests are accepted
// in the order in which they came, so that those not begun are one list by age.
type eventDriven struct {
	c        *cluster
	capacity int32
	// choose is which of some workers request i is thrown at.
	choose func(i int32, workers []int32) int32

	pool  lines   // one line
	mine  lines   // accepted and not begun, of each worker
	loads []int32 // of a worker, the one that it works on counted
	idle  set
	open  set // neither idle nor full

	// Accepted and not begun, of all workers, by age.
	oldest, youngest int32
	before, after    []int32
	at               []int32 // which worker has it
}

func newEventDriven(c *cluster, capacity int) *eventDriven {
	n, requests := len(c.speed), len(c.load.comes)
	p := &eventDriven{
		c: c, capacity: int32(capacity),
		choose: func(_ int32, workers []int32) int32 { return workers[c.below(len(workers))] },
		pool:   newLines(c, 1), mine: newLines(c, n), loads: make([]int32, n),
		idle: newSet(n), open: newSet(n),
		oldest: none, youngest: none,
	}
	p.before, p.after, p.at = make([]int32, requests), make([]int32, requests), make([]int32, requests)
	for w := range n {
		p.idle.put(int32(w))
	}
	return p
}

func (p *eventDriven) arrive(i int32) {
	p.c.tries++
	switch {
	case len(p.idle.members) > 0:
		w := p.choose(i, p.idle.members)
		p.add(w, 1)
		p.c.begin(w, i)
	case len(p.open.members) > 0:
		w := p.choose(i, p.open.members)
		p.accept(w, i)
	default:
		p.pool.push(0, i)
	}
}

func (p *eventDriven) finish(w, _ int32) {
	p.add(w, -1)
	if i := p.pool.pop(0); i != none {
		p.c.tries++
		p.accept(w, i)
	}
	i := p.mine.pop(w)
	if i == none {
		if i = p.oldest; i == none {
			return
		}
		// All that its worker has accepted is younger: it is the first there.
		from := p.at[i]
		p.mine.pop(from)
		p.add(from, -1)
		p.add(w, 1)
		p.c.tries++
	}
	p.unlink(i)
	p.c.begin(w, i)
}

// accept puts a request behind those that a worker has.
func (p *eventDriven) accept(w, i int32) {
	p.add(w, 1)
	p.mine.push(w, i)
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
func (p *eventDriven) unlink(i int32) {
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
func (p *eventDriven) add(w, n int32) {
	p.loads[w] += n
	load := p.loads[w]
	p.idle.hold(w, load == 0)
	p.open.hold(w, load > 0 && load < p.capacity)
}

// A set of workers, of which any can be taken.
type set struct {
	members []int32
	at      []int32 // where a worker is, or none
}

func newSet(n int) set {
	s := set{at: make([]int32, n)}
	for w := range s.at {
		s.at[w] = none
	}
	return s
}

func (s *set) put(w int32) {
	s.at[w] = int32(len(s.members))
	s.members = append(s.members, w)
}

// hold has a worker in the set, or not.
func (s *set) hold(w int32, in bool) {
	at := s.at[w]
	switch {
	case in == (at != none):
	case in:
		s.put(w)
	default:
		last := s.members[len(s.members)-1]
		s.members[at], s.at[last] = last, at
		s.members = s.members[:len(s.members)-1]
		s.at[w] = none
	}
}
