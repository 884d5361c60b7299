package sim

import (
	"math"

	"github.com/almanac-sim/almanac/internal/random"
	"github.com/almanac-sim/almanac/sim/trace"
)

// A queue is requests in the order in which they are to be granted: by rank, and among equals in
// the order of arrival.
//
// Joining with a rank that is not below that of the last request costs constant time, and so does
// leaving if others of the same rank stay. Otherwise the cost is logarithmic in the number of
// different ranks in the queue.
type queue struct {
	s           *Simulation
	name        string
	first, last *request
	length      int
	ranks       ranks
	lengths     TimeWeighted // how many wait
	of          server
}

// A server owns one queue or two, and serves them.
type server interface {
	// atOnce grants a new request if that is possible without waiting. The name is for a trace.
	atOnce(l *queue, r *request, who string) bool
	// serve grants waiting requests as far as possible.
	serve()
	// counts are those of requests that did not go well.
	counts() *counters
	// label describes a request in a queue, for a trace.
	label(l *queue, amount float64) string
}

func newQueue(s *Simulation, name string, of server) queue {
	return queue{s: s, name: name, lengths: s.timeWeighted(0), of: of}
}

// try grants a request at once if possible. If not, it reports that the request has to wait, or why
// it is given up.
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

// request blocks a process until its request is granted or given up. The entry is free afterwards.
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

// wait blocks process p in the queue, and returns nil when the request was granted. Otherwise p has
// left the queue.
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

// countFailure counts and traces a request that was given up.
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

// ahead reports whether a new request of this rank would be the first in the queue.
func (l *queue) ahead(rank int) bool { return l.first == nil || rank < l.first.rank }

// untilHappened returns ErrWithdrawn if what the request would wait until has happened.
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

// discard is called when the request does not wait: an unused timeout need not stay scheduled.
func (t *requestOptions) discard() {
	if t.until != nil {
		cancelUnused(t.until)
	}
}

// checkBalk returns ErrBalked if the queue is too long for a request with these options.
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

// departed notes that a request has left a queue ungranted, so that the next one may fit.
func (s *Simulation) departed(l *queue) { s.left = append(s.left, l) }

// serveLeft serves the queues that requests have left, unless waiters are still being notified.
func (s *Simulation) serveLeft() {
	if s.firing > 0 || len(s.left) == 0 {
		return
	}
	for s.leftServed < len(s.left) {
		l := s.left[s.leftServed]
		s.leftServed++
		l.of.serve() // others may leave thereby, and are handled here too
	}
	s.left, s.leftServed = s.left[:0], 0
}

// facility is what resources, stores and containers have in common: a name, and statistics of
// requests.
type facility struct {
	s       *Simulation
	name    string
	waits   Tally
	refused counters
}

func (v *facility) counts() *counters { return &v.refused }

// Name is the name that it was made with, or its kind, such as "a store".
func (v *facility) Name() string { return v.name }

// Waits has the waiting times of granted requests, including zero for those that did not wait.
func (v *facility) Waits() *Tally { return &v.waits }

// Balked counts the requests that were given up because the queue was too long.
func (v *facility) Balked() int { return v.refused.balked }

// Reneged counts the requests that were given up because their patience ran out.
func (v *facility) Reneged() int { return v.refused.reneged }

// Withdrawn counts the requests that were given up because something else happened first: what they
// would wait until ([Until]), another part of the condition ([AnyOf]), or [Ticket.Cancel].
func (v *facility) Withdrawn() int { return v.refused.withdrawn }

// counters count requests that were not granted, and grants that were taken away.
type counters struct{ balked, reneged, preempted, withdrawn, stopped int }

// Reset sets them to 0.
func (c *counters) Reset() { *c = counters{} }

// An exchange is what stores and containers have in common: a queue of getters and a queue of
// putters.
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

// Getting is the number of requests waiting to get something.
func (x *exchange) Getting() int { return x.getters.length }

// Putting is the number of requests waiting to put something.
func (x *exchange) Putting() int { return x.putters.length }

// Getters is the number of waiting get requests, over time.
func (x *exchange) Getters() *TimeWeighted { return &x.getters.lengths }

// Putters is the number of waiting put requests, over time.
func (x *exchange) Putters() *TimeWeighted { return &x.putters.lengths }

// Keep makes the statistics keep their history from now on, as [Simulation.Keep] does for all: the
// time series of contents, getters and putters, and the observations of Waits.
func (x *exchange) Keep(k Retention) { keepAll(x, k, x.s.clock) }

// ranks finds, among the different ranks in a queue, the largest that is not above a given one.
//
// It is a treap: a search tree by rank, and a heap by weight, where the weight is a hash of the
// rank. Its shape depends on the ranks alone. It is that of a tree into which the ranks were
// inserted in random order, unless the ranks are chosen by the hash. So inserting, removing and
// finding cost O(log n) for n ranks, in any order of insertion: 2 ln n steps on average, 22 for
// 50,000. A rank takes 48 bytes.
//
// The source is R. Seidel and C. R. Aragon, Randomized search trees,
// https://doi.org/10.1007/BF01940876.
type ranks struct {
	root  *rankEnd
	spare *rankEnd // those that are free, by left
}

// A rankEnd is one of the ranks in a queue, and its last request.
type rankEnd struct {
	rank        int
	weight      uint64
	last        *request
	left, right *rankEnd
}

// floor returns the end of the largest rank that is not above the given one, or nil.
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

// only returns the end of a rank when no other rank is in use.
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

// toward returns the link toward another rank.
func (e *rankEnd) toward(rank int) **rankEnd {
	if rank < e.rank {
		return &e.left
	}
	return &e.right
}

// scatter hashes a number: it is the first number of the random stream that begins with it.
func scatter(x uint64) uint64 {
	stream := random.Stream(x)
	return stream.Uint64()
}
