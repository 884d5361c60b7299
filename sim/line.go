package sim

import "math"

// A request waits in a line. Requests are used again, and never shown to users.
type request struct {
	prev, next *request
	line       *line
	end        *rankEnd // of its rank
	rank       int
	preempting bool
	amount     float64  // how much is asked for: units, or an amount
	since      float64  // when it was made
	p          *Process // who waits, or nil
	by         taker    // what is told instead
	grant      *Grant   // what it was given, if it asked a resource
	order      any      // what was asked of a store
	number     uint64   // what a Ticket must know, if it was made by an event
	limits     *limits  // of such a one, if there are any
}

// A taker is a request that no process waits for by itself: one that can be waited for together with others, or one by an event.
type taker interface {
	// served is called when the request has been given what it asked for, and has left its line.
	served(s *Simulation, r *request)
	// who is the name of the process that it is for, in a trace.
	who() string
}

func (r *request) who() string {
	if r.p != nil {
		return r.p.name
	}
	return r.by.who()
}

// A line is requests in the order in which they are to be served: by rank, and among equals in the order in which they came.
//
// Joining with a rank that is not below that of the last, and leaving where others of the same rank stay, cost constant time. Else
// it is the logarithm of the number of different ranks in the line.
type line struct {
	s           *Simulation
	name        string
	first, last *request
	length      int
	ranks       ranks
	queue       Level // how many wait
	of          server
}

// A server has a line, or two, and serves it.
type server interface {
	// atOnce serves a newcomer to a line, if that is possible without waiting. The name is for a trace.
	atOnce(l *line, r *request, who string) bool
	// serve serves those in line as far as that is possible now.
	serve()
	// counts are those of requests that did not go well.
	counts() *counters
	// label says what a request in a line is for, in a trace.
	label(l *line, amount float64) string
}

func newLine(s *Simulation, name string, of server) line {
	return line{s: s, name: name, queue: s.level(0), of: of}
}

// ask has a request served at once, if that is possible. If not, it has to wait, unless it is given up.
func (l *line) ask(r *request, t *terms, who string) (waits bool, err error) {
	if err := l.overtaken(t, who); err != nil {
		return false, err
	}
	if l.of.atOnce(l, r, who) {
		t.unneeded()
		return false, nil
	}
	err = l.balks(t, who)
	return err == nil, err
}

// request has a process wait until its request is served or given up. The request is free then.
func (l *line) request(p *Process, r *request, t *terms) error {
	waits, err := l.ask(r, t, p.name)
	if waits {
		err = l.wait(p, r, t)
	}
	l.s.free(r)
	return err
}

func (l *line) join(r *request) {
	r.line = l
	l.length++
	l.queue.set(float64(l.length), l.s.now)
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

func (l *line) remove(r *request) {
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
	r.prev, r.next, r.line, r.end = nil, nil, nil, nil
	l.length--
	l.queue.set(float64(l.length), l.s.now)
}

// newRequest takes a request that is free, or makes one.
func (s *Simulation) newRequest(t *terms, amount float64) *request {
	r := s.requests
	if r == nil {
		r = new(request)
	} else {
		s.requests = r.next
		r.next = nil
	}
	r.rank, r.preempting, r.amount, r.since = t.rank, t.preempting, amount, s.now
	return r
}

// free gives a request back that is in no line.
func (s *Simulation) free(r *request) {
	// Pointers that are nil most of the time are not written: while memory is collected, that costs much more.
	r.p, r.grant, r.number = nil, nil, 0
	if r.by != nil || r.order != nil {
		r.by, r.order, r.limits = nil, nil, nil
	}
	r.next = s.requests
	s.requests = r
}

// wait makes process p wait in the line, and returns nil when it was served. Otherwise p has left the line.
func (l *line) wait(p *Process, r *request, t *terms) error {
	s := l.s
	if len(p.interrupts) > 0 {
		t.unneeded()
		return p.interruption(0)
	}
	if s.trace != nil {
		s.record(Record{Kind: TraceRequest, Who: p.name, What: l.name})
	}
	r.p = p
	p.request = r
	l.join(r)
	if t.until != nil {
		t.until.subscribe(&p.own().sub)
	}
	if at := s.now + t.patience; !math.IsInf(at, 1) {
		s.schedule(p.slot, at)
	}
	p.block()
	p.request = nil
	switch p.why {
	case elapsed:
		p.sub.leave()
		r.withdraw()
		l.gaveUp(elapsed, p.name)
		s.serveLeft()
		return ErrReneged
	case overtaken:
		l.gaveUp(overtaken, p.name)
		return ErrOvertaken
	case interrupted:
		return p.interruption(0)
	}
	return nil
}

// serve takes a request out of its line and wakes who waits. What was asked for must have been given before.
func (r *request) serve() {
	l := r.line
	l.remove(r)
	p := r.p
	if p == nil {
		r.by.served(l.s, r)
		return
	}
	if p.sub.list != nil { // to what it was to last until
		p.sub.leave()
	}
	p.wake(happened) // it keeps the request until its turn, in case that it is interrupted before
}

// withdraw takes a request out of its line that was not served. Those behind are served by serveLeft.
func (r *request) withdraw() {
	l := r.line
	l.remove(r)
	l.s.departed(l)
}

// gaveUp counts a request that was not served.
func (l *line) gaveUp(why reason, who string) {
	kind := TraceWithdraw
	switch why {
	case elapsed:
		l.of.counts().reneged++
		kind = TraceRenege
	case interrupted:
		return // the interrupt is in the trace
	default:
		l.of.counts().withdrawn++
	}
	if l.s.trace != nil {
		l.s.record(Record{Kind: kind, Who: who, What: l.name})
	}
}

// ahead tells whether a newcomer of this rank would be the first in line.
func (l *line) ahead(rank int) bool { return l.first == nil || rank < l.first.rank }

// overtaken is an error if what a request on these terms would last until has happened.
func (l *line) overtaken(t *terms, who string) error {
	if t.until == nil {
		return nil
	}
	l.s.checkOwn(t.until, "a request to "+l.name)
	if !t.until.Happened() {
		return nil
	}
	t.unneeded()
	l.gaveUp(overtaken, who)
	return ErrOvertaken
}

// unneeded is called when the request does not wait.
func (t *terms) unneeded() {
	if t.until != nil {
		forgo(t.until)
	}
}

// balks is an error if the line is too long for a request on these terms.
func (l *line) balks(t *terms, who string) error {
	if l.length < t.most {
		return nil
	}
	t.unneeded()
	l.of.counts().balked++
	if l.s.trace != nil {
		l.s.record(Record{Kind: TraceBalk, Who: who, What: l.name})
	}
	return ErrBalked
}
