package sim

import (
	"math"

	"github.com/almanac-sim/almanac/internal/random"
	"github.com/almanac-sim/almanac/sim/trace"
)

// A line is requests in the order in which they are to be served: by rank, and among equals in the order in which they came.
//
// Joining with a rank that is not below that of the last, and leaving where others of the same rank stay, cost constant time. Else
// it is the logarithm of the number of different ranks in the line.
type queue struct {
	s           *Simulation
	name        string
	first, last *request
	length      int
	ranks       ranks
	lengths     TimeWeighted // how many wait
	of          server
}

// A server has a line, or two, and serves it.
type server interface {
	// atOnce serves a newcomer to a line, if that is possible without waiting. The name is for a trace.
	atOnce(l *queue, r *request, who string) bool
	// serve serves those in line as far as that is possible now.
	serve()
	// counts are those of requests that did not go well.
	counts() *counters
	// label says what a request in a line is for, in a trace.
	label(l *queue, amount float64) string
}

func newQueue(s *Simulation, name string, of server) queue {
	return queue{s: s, name: name, lengths: s.timeWeighted(0), of: of}
}

// ask has a request served at once, if that is possible. If not, it has to wait, unless it is given up.
func (l *queue) try(r *request, t *requestOptions, who string) (waits bool, err error) {
	if err := l.untilHappened(t, who); err != nil {
		return false, err
	}
	if l.of.atOnce(l, r, who) {
		t.discard()
		return false, nil
	}
	err = l.checkBalk(t, who)
	return err == nil, err
}

// request has a process wait until its request is served or given up. The request is free then.
func (l *queue) request(p *Process, r *request, t *requestOptions) error {
	waits, err := l.try(r, t, p.traced())
	if waits {
		err = l.wait(p, r, t)
	}
	l.s.free(r)
	return err
}

func (l *queue) join(r *request) {
	r.queue = l
	l.length++
	l.lengths.set(float64(l.length), l.s.now)
	if l.last == nil {
		l.first, l.last = r, r
		r.end = l.ranks.only(r.rank)
		r.end.last = r
		return
	}
	e := l.last.end // of the rank behind which r stands, which may be its own
	if e.rank > r.rank {
		e = l.ranks.floor(r.rank)
	}
	if e != nil {
		r.prev = e.last
		r.next = r.prev.next
		r.prev.next = r
	} else {
		r.prev, r.next = nil, l.first
		l.first = r
	}
	if r.next != nil {
		r.next.prev = r
	} else {
		l.last = r
	}
	if e == nil || e.rank != r.rank {
		e = l.ranks.insert(r.rank)
	}
	e.last = r
	r.end = e
}

func (l *queue) remove(r *request) {
	if e := r.end; e.last == r {
		if r.prev != nil && r.prev.end == e {
			e.last = r.prev
		} else if l.length > 1 {
			l.ranks.remove(e)
		} else {
			e.last = nil // the rank stays, as the next one is often of the same
		}
	}
	if r.prev != nil {
		r.prev.next = r.next
	} else {
		l.first = r.next
	}
	if r.next != nil {
		r.next.prev = r.prev
	} else {
		l.last = r.prev
	}
	r.prev, r.next, r.queue, r.end = nil, nil, nil, nil
	l.length--
	l.lengths.set(float64(l.length), l.s.now)
}

// wait makes process p wait in the line, and returns nil when it was served. Otherwise p has left the line.
func (l *queue) wait(p *Process, r *request, t *requestOptions) error {
	s := l.s
	if len(p.interrupts) > 0 {
		t.discard()
		return p.interruption(0)
	}
	if s.trace != nil {
		s.record(trace.Record{Kind: trace.Request, Who: p.traced(), What: l.name})
	}
	r.p = p
	p.request = r
	l.join(r)
	if t.until != nil {
		t.until.subscribe(&p.ensureWaitState().sub)
	}
	if at := s.now + t.patience; !math.IsInf(at, 1) {
		s.schedule(p.slot, at)
	}
	p.block()
	p.request = nil
	switch p.why {
	case elapsed:
		p.sub.unsubscribe()
		r.withdraw()
		l.countFailure(elapsed, p.traced())
		s.serveLeft()
		return ErrReneged
	case withdrawn:
		l.countFailure(withdrawn, p.traced())
		return ErrWithdrawn
	case interrupted:
		return p.interruption(0)
	}
	return nil
}

// gaveUp counts a request that was not served.
func (l *queue) countFailure(why reason, who string) {
	kind := trace.Withdraw
	switch why {
	case elapsed:
		l.of.counts().reneged++
		kind = trace.Renege
	case interrupted:
		return // the interrupt is in the trace
	default:
		l.of.counts().withdrawn++
	}
	if l.s.trace != nil {
		l.s.record(trace.Record{Kind: kind, Who: who, What: l.name})
	}
}

// ahead tells whether a newcomer of this rank would be the first in line.
func (l *queue) ahead(rank int) bool { return l.first == nil || rank < l.first.rank }

// overtaken is an error if what a request on these terms would last until has happened.
func (l *queue) untilHappened(t *requestOptions, who string) error {
	if t.until == nil {
		return nil
	}
	l.s.checkOwn(t.until, "a request to "+l.name)
	if !t.until.Happened() {
		return nil
	}
	t.discard()
	l.countFailure(withdrawn, who)
	return ErrWithdrawn
}

// unneeded is called when the request does not wait.
func (t *requestOptions) discard() {
	if t.until != nil {
		cancelUnused(t.until)
	}
}

// balks is an error if the line is too long for a request on these terms.
func (l *queue) checkBalk(t *requestOptions, who string) error {
	if l.length < t.maxWaiting {
		return nil
	}
	t.discard()
	l.of.counts().balked++
	if l.s.trace != nil {
		l.s.record(trace.Record{Kind: trace.Balk, Who: who, What: l.name})
	}
	return ErrBalked
}

// departed notes that somebody has left a line without being served, so that the next may fit.
func (s *Simulation) departed(l *queue) { s.left = append(s.left, l) }

// serveLeft serves the lines that somebody has left, unless there are some who have yet to be told what happened.
func (s *Simulation) serveLeft() {
	if s.firing > 0 || len(s.left) == 0 {
		return
	}
	for s.leftServed < len(s.left) {
		l := s.left[s.leftServed]
		s.leftServed++
		l.of.serve() // by which others may leave, who are served here or there
	}
	s.left, s.leftServed = s.left[:0], 0
}

// serving is what resources, stores and containers have in common: those who asked them for something.
type facility struct {
	s       *Simulation
	name    string
	waits   Tally
	refused counters
}

func (v *facility) counts() *counters { return &v.refused }

// Name is what it was called when it was made, or what it is, such as "a store".
func (v *facility) Name() string { return v.name }

// Waits is how long those waited who got something, those who did not have to among them.
func (v *facility) Waits() *Tally { return &v.waits }

// Balked is how many requests were given up because the line was too long.
func (v *facility) Balked() int { return v.refused.balked }

// Reneged is how many requests were given up because their patience ran out.
func (v *facility) Reneged() int { return v.refused.reneged }

// Withdrawn is how many requests were given up because something else happened first: what they were to last until ([Until]),
// another part of the condition ([AnyOf]), or [Ticket.Cancel].
func (v *facility) Withdrawn() int { return v.refused.withdrawn }

// counters are of requests that did not go well.
type counters struct{ balked, reneged, preempted, withdrawn, stopped int }

// Reset makes them 0.
func (c *counters) Reset() { *c = counters{} }

// An exchange is what stores and containers have in common: a line of those who take something out, and one of those who put something in.
type exchange struct {
	facility
	getters  queue
	putters  queue
	contents TimeWeighted
}

func (x *exchange) init(s *Simulation, name string, initial float64, of server) {
	x.s, x.name, x.contents = s, name, s.timeWeighted(initial)
	x.getters, x.putters = newQueue(s, name, of), newQueue(s, name, of)
}

func (x *exchange) statistics(f func(string, resetter)) {
	f("contents", &x.contents)
	f("getters", &x.getters.lengths)
	f("putters", &x.putters.lengths)
	f("wait", &x.waits)
	f("", &x.refused)
}

// Getting is how many wait to take something out.
func (x *exchange) Getting() int { return x.getters.length }

// Putting is how many wait to put something in.
func (x *exchange) Putting() int { return x.putters.length }

// Getters is how many wait to take something out, over time.
func (x *exchange) Getters() *TimeWeighted { return &x.getters.lengths }

// Putters is how many wait to put something in, over time.
func (x *exchange) Putters() *TimeWeighted { return &x.putters.lengths }

// Keep makes it keep its past from now on, as [Simulation.Keep] does for all: the courses of what is in it, of Getters and of Putters, and the
// observations of Waits.
func (x *exchange) Keep(k Retention) { keepAll(x, k, x.s.clock) }

// ranks finds, among the different ranks in a line, the largest that is not above a given one.
//
// It is a treap: a search tree by rank, and at the same time a heap by weight, where the weight is a hash of the rank. Its shape
// depends on the ranks alone and is, unless somebody chooses them by the hash, that of a tree into which they were inserted in
// random order. So inserting, removing and finding cost the logarithm of the number of ranks, whatever order they come in: on average
// 2 ln n steps, 22 for 50,000. A rank takes 48 bytes.
//
// The source is R. Seidel and C. R. Aragon, Randomized search trees, https://doi.org/10.1007/BF01940876.
type ranks struct {
	root  *rankEnd
	spare *rankEnd // those that are free, by left
}

// A rankEnd is one of the ranks in a line, and the last request that has it.
type rankEnd struct {
	rank        int
	weight      uint64
	last        *request
	left, right *rankEnd
}

// floor is the end of the largest rank that is not above the given one, or nil.
func (t *ranks) floor(rank int) *rankEnd {
	var below *rankEnd
	for e := t.root; e != nil; {
		if e.rank > rank {
			e = e.left
		} else {
			below = e
			e = e.right
		}
	}
	return below
}

// only is the end of a rank, when there is no other, or one that nobody has any more.
func (t *ranks) only(rank int) *rankEnd {
	if e := t.root; e != nil {
		if e.rank == rank {
			return e
		}
		t.remove(e)
	}
	return t.insert(rank)
}

// insert adds a rank that is not there yet.
func (t *ranks) insert(rank int) *rankEnd {
	e := t.spare
	if e == nil {
		e = new(rankEnd)
	} else {
		t.spare = e.left
	}
	e.rank, e.weight = rank, scatter(uint64(rank))
	link := &t.root
	for *link != nil && (*link).weight >= e.weight {
		link = (*link).toward(rank)
	}
	// What is below goes to the left or the right of it.
	rest, left, right := *link, &e.left, &e.right
	*link = e
	for rest != nil {
		if rest.rank < rank {
			*left, left, rest = rest, &rest.right, rest.right
		} else {
			*right, right, rest = rest, &rest.left, rest.left
		}
	}
	*left, *right = nil, nil
	return e
}

// remove takes out a rank that is there.
func (t *ranks) remove(e *rankEnd) {
	link := &t.root
	for *link != e {
		link = (*link).toward(e.rank)
	}
	// What is on both sides is below its heavier top.
	left, right := e.left, e.right
	for left != nil && right != nil {
		if left.weight >= right.weight {
			*link, link, left = left, &left.right, left.right
		} else {
			*link, link, right = right, &right.left, right.left
		}
	}
	if left == nil {
		left = right
	}
	*link = left
	*e = rankEnd{left: t.spare}
	t.spare = e
}

// toward is the link that leads on to a rank, which is another one.
func (e *rankEnd) toward(rank int) **rankEnd {
	if rank < e.rank {
		return &e.left
	}
	return &e.right
}

// scatter hashes a number: the first number of the random stream that begins with it.
func scatter(x uint64) uint64 {
	stream := random.Stream(x)
	return stream.Uint64()
}
