package sim

import (
	"errors"
	"fmt"
	"math"

	"github.com/almanac-sim/almanac/sim/trace"
)

// Why a request was given up by the one who made it.
var (
	ErrReneged   = errors.New("sim: patience ran out before the request was granted")
	ErrBalked    = errors.New("sim: too many were waiting")
	ErrOvertaken = errors.New("sim: what the request was to wait until happened before it was granted")
)

// A RequestOption adjusts a request to a [Resource], a [Store] or a [Container].
type RequestOption struct {
	kind   uint8
	rank   int
	number float64
	until  Waitable
}

const (
	optionRank uint8 = iota + 1
	optionPreempting
	optionPatience
	optionAtMost
	optionUntil
	optionNotPreempting
)

// Rank decides who is served first: the smaller. It is 0 unless told. Among equals, whoever came first is served first.
func Rank(rank int) RequestOption { return RequestOption{kind: optionRank, rank: rank} }

// Preempting lets a request take units from processes whose requests had a larger rank. See [Resource.Request]. Stores and
// containers have nothing that could be taken back, and ignore it. Given to [NewResource], it holds for all requests.
func Preempting() RequestOption { return RequestOption{kind: optionPreempting} }

// NotPreempting is for a request that should not take units away at a resource where others do.
func NotPreempting() RequestOption { return RequestOption{kind: optionNotPreempting} }

// Patience is how long the request waits at most; then it is given up with [ErrReneged].
func Patience(d float64) RequestOption {
	if !(d >= 0) {
		panic(fmt.Sprintf("sim: Patience(%g) must be a number, and not negative", d))
	}
	return RequestOption{kind: optionPatience, number: d}
}

// AtMost makes a request that cannot be granted at once be given up with [ErrBalked], if k or more are waiting already. With 0 it
// never waits.
func AtMost(k int) RequestOption {
	if k < 0 {
		panic(fmt.Sprintf("sim: AtMost(%d) must not be negative", k))
	}
	return RequestOption{kind: optionAtMost, rank: k}
}

// Until makes a request be given up with [ErrOvertaken] if w happens before it is granted, be it that the film is sold out, the shop
// has closed, or the train has left. If w has happened already, nothing is asked for, even if it could be had. What one holds
// already is not touched by it. It panics if w is nil, or if there is a [Request] in it.
func Until(w Waitable) RequestOption {
	if w == nil {
		panic("sim: Until(nil): there must be something that may happen")
	}
	if w.asker() != nil {
		panic("sim: Until(" + w.label() + "): there is a request in it; wait for AnyOf both requests")
	}
	return RequestOption{kind: optionUntil, until: w}
}

// terms are what the options of a request say.
type terms struct {
	rank       int
	preempting bool
	patience   float64
	most       int
	until      Waitable
}

// anyTerms are those of a request without options.
func anyTerms() terms { return terms{patience: math.Inf(1), most: math.MaxInt} }

func termsOf(opts []RequestOption) terms {
	t := anyTerms()
	t.apply(opts)
	return t
}

// apply changes the terms by options.
func (t *terms) apply(opts []RequestOption) {
	for i := range opts {
		switch o := &opts[i]; o.kind {
		case optionRank:
			t.rank = o.rank
		case optionPreempting:
			t.preempting = true
		case optionNotPreempting:
			t.preempting = false
		case optionPatience:
			t.patience = o.number
		case optionAtMost:
			t.most = o.rank
		case optionUntil:
			t.until = o.until
		}
	}
}

// limited tells whether there are options by which a request may be given up.
func (t *terms) limited() bool {
	return !math.IsInf(t.patience, 1) || t.most != math.MaxInt || t.until != nil
}

// A Request is something that a process asks of a resource, a store or a container, as a [Waitable]: it happens when it is
// granted, and can be waited for together with other things.
//
//	seat := seats.Requested(p, 1)
//	if err := p.WaitFor(sim.AnyOf(seat, soldOut)); err == nil && seat.Happened() {
//		defer seat.Grant().Release()
//		…
//	}
//
// It stands in line only while its process waits for it, or for a condition that it is part of. When the wait ends by something else,
// be it another part of the condition, a limit of time or an interrupt, it leaves the line at that instant. Of [AnyOf] several
// requests one is granted, never two; the first given is asked for first, and the others not at all if it is granted at once.
// So nothing needs to be cancelled.
//
// Of [AllOf] several requests, each is granted when its turn comes, and what is granted is held until the last is. If the wait ends
// before, units go back to their resources, since nobody knows of them yet, and the request can be waited for again. What was put into
// a store or a container, or taken out, stays so, as others may have made use of it; Happened tells, request by request.
//
// [Rank] and [Preempting] are options of such a request. For the others there is the condition: a [Simulation.Timeout] in place of
// [Patience], a signal in place of [Until], a look at how many wait in place of [AtMost].
//
// A Request is for one process, and happens once. It is made by [Resource.Requested], [Store.GetRequested], [Store.PutRequested],
// [Container.GetRequested] and [Container.PutRequested].
type Request struct {
	p       *Process
	line    *line
	amount  float64
	terms   terms
	of      *Resource // which is asked for units, or nil
	grant   *Grant    // what that gives
	order   any       // what is asked of a store
	q       *request  // its place in the line, while it has one
	as      moment
	chosen  bool // it is part of why the wait of the process ended
	told    bool // the process knows that it was granted, or it cannot be undone
	left    bool // it has left the line without being served
	waiters subscribers
}

// An asker is a request, or a condition that has one in it.
type asker interface {
	// check panics unless all requests are of a process.
	check(p *Process)
	// choose marks those requests that made it happen.
	choose()
	// settle gives back what was granted and not chosen, or all, unless the process has been told. It reports whether units were
	// given back, and counts those who left a line, by why the process wakes.
	settle(all bool, why reason) bool
	// tell notes that the process knows of those requests that made it happen.
	tell()
}

// set makes a request ready for use.
func (a *Request) set(p *Process, l *line, amount float64, call string, t terms) {
	if p == nil || p.s != l.s {
		l.s.refuse(p, call)
	}
	if t.limited() {
		panic("sim: " + call + " of " + l.name + ": Patience, AtMost and Until are not for a request that is waited for with others; " +
			"wait for AnyOf it and a Timeout or a signal")
	}
	a.p, a.line, a.amount, a.terms = p, l, amount, t
	a.waiters.of = a
}

// Happened tells whether the request was granted.
func (a *Request) Happened() bool { return a.as.valid() }

func (a *Request) moment() moment { return a.as }

func (a *Request) asker() asker { return a }

func (a *Request) owner() *Simulation { return a.p.s }

func (a *Request) label() string { return a.line.of.label(a.line, a.amount) }

func (a *Request) subscribe(sub *subscription) {
	a.waiters.add(sub)
	if a.waiters.first != sub {
		return // it is in the condition twice
	}
	a.place()
	if s := a.p.s; s.trace != nil && a.q != nil {
		s.record(trace.Record{Kind: trace.Request, Who: a.p.name, What: a.line.name})
	}
}

// place has the request granted at once, or joins the line. What a store has is asked for before: nobody in its lines could be served.
func (a *Request) place() {
	q := a.p.s.newRequest(&a.terms, a.amount)
	if a.of != nil {
		a.grant = &Grant{r: a.of, p: a.p, n: int(a.amount), rank: a.terms.rank}
	}
	q.grant, q.order, q.by = a.grant, a.order, a
	if a.order != nil && a.line.of.atOnce(a.line, q, a.p.name) {
		a.served(a.p.s, q)
		return
	}
	a.q = q
	a.line.join(q)
	a.line.of.serve()
}

// forsake leaves the line, since nobody waits for the request any more.
func (a *Request) forsake() {
	if a.q != nil {
		a.left = true
		a.q.withdraw()
		a.p.s.free(a.q)
		a.q = nil
	}
}

func (a *Request) served(s *Simulation, q *request) {
	a.q = nil
	s.free(q)
	a.happen()
}

// happen makes known that the request was granted.
func (a *Request) happen() {
	a.as = a.p.s.happening()
	a.waiters.fire(a.p.s)
}

func (a *Request) who() string { return a.p.name }

func (a *Request) check(p *Process) {
	if a.p != p {
		panic(fmt.Sprintf("sim: %s would wait for a request of process %s: %s", p.name, a.p.name, a.label()))
	}
}

func (a *Request) choose() { a.chosen = a.as.valid() }

func (a *Request) tell() { a.told = a.told || a.chosen }

func (a *Request) settle(all bool, why reason) bool {
	if a.left {
		a.left = false
		a.line.gaveUp(why, a.p.name)
	}
	if a.told || !a.as.valid() || a.chosen && !all {
		return false
	}
	a.chosen = false
	if a.grant == nil || !a.grant.giveBack() {
		a.told = true
		return false
	}
	a.as = moment{}
	return true
}

// waitAsking is WaitForWithin for something that has requests in it, and has not happened.
func (p *Process) waitAsking(w Waitable, a asker, d float64) (bool, error) {
	s := p.s
	a.check(p)
	s.step()
	if w.Happened() {
		return true, nil // during which the turn was cut short
	}
	if len(p.interrupts) > 0 {
		forgo(w)
		return false, p.interruption(d)
	}
	p.own().awaits, p.why = w, elapsed
	w.subscribe(&p.sub)
	switch {
	case p.sub.list == nil: // it was granted at once, and notify has been called
	case len(p.interrupts) > 0: // who lost units to a part of it has made others take units from this one
		p.stopAsking(a, interrupted)
		return false, p.interruption(d)
	default:
		if s.trace != nil {
			s.record(trace.Record{Kind: trace.Wait, Who: p.name, What: "for " + w.label()})
		}
		if t := s.now + d; !math.IsInf(t, 1) {
			s.schedule(p.slot, t)
		}
		p.block()
	}
	switch p.why {
	case elapsed:
		p.stopAsking(a, elapsed)
		return false, nil
	case interrupted:
		p.awaits = nil
		return false, p.interruption(0)
	}
	p.awaits = nil
	a.tell()
	return true, nil
}

// stopAsking ends the wait for requests that was not successful.
func (p *Process) stopAsking(a asker, why reason) {
	p.sub.leave()
	a.settle(true, why)
	p.awaits = nil
	p.s.serveLeft()
}

// A Ticket names a request that was made by an event: it was made by one of the methods whose names end in Then. It is a small value
// that can be copied and compared. It stays valid while the request is in line, and is refused afterwards: it never touches another
// request. The zero Ticket names none.
type Ticket struct {
	r      *request
	number uint64
}

// Waiting tells whether the request is still in line.
func (t Ticket) Waiting() bool { return t.r != nil && t.r.number == t.number }

// Cancel gives the request up. Its function is not called. It reports false if the request has left the line already: then the
// function has been called, or will be at this instant.
func (t Ticket) Cancel() bool {
	if !t.Waiting() {
		return false
	}
	l := t.r.line
	t.r.withdraw()
	t.r.done(l.s)
	l.gaveUp(overtaken, "")
	l.s.serveLeft()
	return true
}

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

// requestThen has a request by an event served at once, or lets it wait in the line. What it is told is called as an event of its own.
func (l *line) requestThen(r *request, t *terms, told func(error)) Ticket {
	waits, err := l.ask(r, t, l.s.who())
	if !waits {
		l.s.free(r)
		l.s.After(0, func() { told(err) })
		return Ticket{}
	}
	r.by = call(told)
	return l.enlist(r, t)
}

// enlist lets a request by an event wait in the line.
func (l *line) enlist(r *request, t *terms) Ticket {
	s := l.s
	if s.trace != nil {
		s.record(trace.Record{Kind: trace.Request, Who: s.who(), What: l.name})
	}
	l.join(r)
	r.number = s.number()
	if !t.limited() {
		return Ticket{r, r.number}
	}
	r.limits = new(limits)
	if at := s.now + t.patience; at <= maxTime {
		r.limits.patience = s.At(at, r.expire)
	}
	if t.until != nil {
		r.limits.until.who = r
		t.until.subscribe(&r.limits.until)
	}
	return Ticket{r, r.number}
}

// limits are what may end a request by an event before it is served.
type limits struct {
	patience Event
	until    subscription
}

// done gives a request by an event back, which has left its line.
func (r *request) done(s *Simulation) {
	if r.limits != nil {
		r.limits.patience.Cancel()
		r.limits.until.leave()
	}
	s.free(r)
}

// expire gives a request by an event up when its patience has run out.
func (r *request) expire() {
	l, told := r.line, r.by.(call)
	r.withdraw()
	r.done(l.s)
	l.gaveUp(elapsed, "")
	l.s.serveLeft()
	told(ErrReneged)
}

// notify gives a request by an event up when that has happened which it was to last until.
func (r *request) notify(*subscription) {
	l, told := r.line, r.by.(call)
	l.s.After(0, func() { told(ErrOvertaken) })
	r.withdraw()
	r.done(l.s)
	l.gaveUp(overtaken, "")
}

// A call is what an event wants to be called when its request is granted, with nil, or given up.
type call func(error)

func (f call) served(s *Simulation, r *request) {
	r.done(s)
	s.After(0, func() { f(nil) })
}

func (call) who() string { return "" }
