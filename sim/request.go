package sim

import (
	"errors"
	"fmt"
	"math"

	"github.com/almanac-sim/almanac/sim/trace"
)

// Why a request was given up before it was granted: its [Patience] ran out, the queue was too long
// ([AtMost]), or something else happened first ([Until]).
var (
	ErrReneged   = errors.New("sim: patience ran out before the request was granted")
	ErrBalked    = errors.New("sim: too many were waiting")
	ErrWithdrawn = errors.New("sim: what the request was to wait until happened before it was granted")
)

// A RequestOption adjusts a request to a [Resource], a [Store] or a [Container]: [Rank],
// [Patience], [AtMost], [Until], and, for resources only, [Preempting].
type RequestOption interface{ requestOption() }

// A RankOption is [Rank] or [Preempting]. It can also be given to [NewResource], for all requests
// that do not say otherwise, and to a request that is waited for together with other things, such
// as [Resource.NewRequest].
type RankOption interface {
	RequestOption
	ResourceOption
}

type (
	rankOption     int
	preemptOption  WorkRule
	patienceOption float64
	atMostOption   int
	untilOption    struct{ w Waitable }
)

func (rankOption) requestOption()     {}
func (preemptOption) requestOption()  {}
func (patienceOption) requestOption() {}
func (atMostOption) requestOption()   {}
func (untilOption) requestOption()    {}

func (o rankOption) applyTo(r *Resource)    { r.defaults.rank = int(o) }
func (o preemptOption) applyTo(r *Resource) { r.defaults.preempt = WorkRule(o) }

// Rank decides which request is served first: the one with the smaller rank. It is 0 by default.
// Equal ranks are served first come, first served.
func Rank(rank int) RankOption { return rankOption(rank) }

// Preempting lets a request take units from processes whose requests had a larger rank; see
// [Resource.Request]. The rule says what becomes of their work:
//
//   - [Resume]: the work stops, and goes on with what is left when there are units again.
//   - [Restart]: the work stops, and begins anew when there are units again.
//   - [Interrupt]: the process loses its units, and is interrupted with a *[Preempted] as the
//     cause.
//   - [Finish]: nothing is taken away. It is for one request at a resource whose others preempt.
//
// With Resume and Restart, only work by [Resource.Work] and [Grant.Work] is stopped, since nothing
// else knows what is left. Given to [NewResource], it holds for all requests. Stores and containers
// have nothing that could be taken away: a request to one of them panics if it has this option.
func Preempting(rule WorkRule) RankOption {
	if rule < Finish || rule > Interrupt {
		refusePreempting(rule)
	}
	return preemptOption(rule)
}

//go:noinline
func refusePreempting(rule WorkRule) {
	panic(fmt.Sprintf("sim: Preempting(%d): it is none of Finish, Resume, Restart and Interrupt", rule))
}

// Patience limits how long the request waits. After that it is given up with [ErrReneged].
func Patience(d float64) RequestOption {
	if !(d >= 0) {
		refusePatience(d)
	}
	return patienceOption(d)
}

// The checks are in functions of their own so that the options are compiled into their callers, and
// are not allocated.

//go:noinline
func refusePatience(d float64) {
	panic(fmt.Sprintf("sim: Patience(%g) must be a number, and not negative", d))
}

// AtMost limits the queue. If the request cannot be granted at once and k or more others are
// waiting, it is given up with [ErrBalked]. With 0 it never waits.
func AtMost(k int) RequestOption {
	if k < 0 {
		refuseAtMost(k)
	}
	return atMostOption(k)
}

//go:noinline
func refuseAtMost(k int) { panic(fmt.Sprintf("sim: AtMost(%d) must not be negative", k)) }

// Until makes a request be given up with [ErrWithdrawn] if w happens before it is granted: the film
// is sold out, the shop has closed, the train has left. If w has happened already, nothing is
// requested, even if it could be granted. Units that are held already are not affected. It panics
// if w is nil, or if there is a [Request] in it.
func Until(w Waitable) RequestOption {
	checkUntil(w)
	return untilOption{w}
}

func checkUntil(w Waitable) {
	if w == nil {
		panic("sim: Until(nil): there must be something that may happen")
	}
	if w.requester() != nil {
		panic("sim: Until(" + w.label() + "): there is a request in it; wait for AnyOf both requests")
	}
}

// requestOptions are the values of the options of a request.
type requestOptions struct {
	rank       int
	preempt    WorkRule // 0 or Finish if it takes nothing away
	patience   float64
	maxWaiting int
	until      Waitable
}

// defaultRequestOptions are those of a request without options.
func defaultRequestOptions() requestOptions {
	return requestOptions{patience: math.Inf(1), maxWaiting: math.MaxInt}
}

// requestOptionsOf are the options of a request to a store or a container.
func requestOptionsOf(l *queue, opts []RequestOption) requestOptions {
	t := defaultRequestOptions()
	t.apply(opts)
	if t.preempt != 0 {
		refusePreemptingOf(l)
	}
	return t
}

//go:noinline
func refusePreemptingOf(l *queue) {
	panic("sim: Preempting in a request to " + l.name + ": it is for resources, since nothing can be taken away here")
}

func (t *requestOptions) apply(opts []RequestOption) {
	for _, o := range opts {
		switch o := o.(type) { // and not a method, through which the options would escape to the heap
		case rankOption:
			t.rank = int(o)
		case preemptOption:
			t.preempt = WorkRule(o)
		case patienceOption:
			t.patience = float64(o)
		case atMostOption:
			t.maxWaiting = int(o)
		case untilOption:
			t.until = o.w
		default:
			panic("sim: an option of a request is nil")
		}
	}
}

// rankOptionsOf is requestOptionsOf for a request that is waited for together with other things.
func rankOptionsOf(l *queue, opts []RankOption) requestOptions {
	t := defaultRequestOptions()
	t.applyRank(opts)
	if t.preempt != 0 {
		refusePreemptingOf(l)
	}
	return t
}

// applyRank is apply for options that can also be given to a resource.
func (t *requestOptions) applyRank(opts []RankOption) {
	for _, o := range opts {
		switch o := o.(type) {
		case rankOption:
			t.rank = int(o)
		case preemptOption:
			t.preempt = WorkRule(o)
		default:
			panic("sim: an option of a resource is nil")
		}
	}
}

// limited reports whether there are options by which the request may be given up.
func (t *requestOptions) limited() bool {
	return !math.IsInf(t.patience, 1) || t.maxWaiting != math.MaxInt || t.until != nil
}

// A Request is a request to a resource, a store or a container as a [Waitable]. It happens when it
// is granted, and can be waited for together with other things.
//
//	seat := seats.NewRequest(p, 1)
//	if err := p.WaitFor(sim.AnyOf(seat, soldOut)); err == nil && seat.Happened() {
//		defer seat.Grant().Release()
//		…
//	}
//
// It is in the queue only while its process waits for it, or for a condition that contains it. If
// the wait ends by something else (another part of the condition, a time limit, an interrupt), the
// request leaves the queue at that instant. Of [AnyOf] several requests exactly one is granted.
// They are tried in the order given, and those after one that is granted at once are not tried. So
// nothing needs to be canceled.
//
// Of [AllOf] several requests, each is granted when its turn comes, and is held until the last is
// granted. If the wait ends before that, units go back to their resources, and the requests can be
// waited for again. What was put into a store or a container, or taken out, is not undone, since
// others may have used it. Happened reports which requests were granted.
//
// [Rank] is an option of such a request, and [Preempting] of one to a resource. Instead of the
// other options, use the condition: a [Simulation.Timeout] for [Patience], a signal for [Until], a
// check of Waiting for [AtMost].
//
// A Request belongs to one process, and happens once. It is made by [Resource.NewRequest],
// [Store.NewGetRequest], [Store.NewPutRequest], [Container.NewGetRequest] and
// [Container.NewPutRequest].
type Request struct {
	p       *Process
	queue   *queue
	amount  float64
	options requestOptions
	of      *Resource // of a request for units, or nil
	grant   *Grant    // the units
	order   any       // of a request to a store
	q       *request  // the entry in the queue, while there is one
	as      moment
	chosen  bool // it is part of what ended the wait of the process
	seen    bool // the process has seen the grant, or the grant cannot be undone
	left    bool // it has left the queue without being granted
	waiters subscribers
}

// A requester is a request, or a condition that contains one.
type requester interface {
	// check panics unless all requests are of a process.
	check(p *Process)
	// choose marks those requests that made it happen.
	choose()
	// settle gives back what was granted and not chosen, or everything, unless the process has
	// seen the grant. It reports whether units were given back, and counts requests that left a
	// queue, by why the process wakes.
	settle(all bool, why reason) bool
	// markSeen marks the chosen requests as seen by the process.
	markSeen()
}

// set initializes a request.
func (a *Request) set(p *Process, l *queue, amount float64, call string, t requestOptions) {
	if p == nil || p.s != l.s {
		l.s.refuse(p, call)
	}
	a.p, a.queue, a.amount, a.options = p, l, amount, t
	a.waiters.source = a
}

// Happened reports whether the request was granted.
func (a *Request) Happened() bool { return a.as.valid() }

func (a *Request) moment() moment { return a.as }

func (a *Request) requester() requester { return a }

func (a *Request) owner() *Simulation { return a.p.s }

func (a *Request) label() string { return a.queue.of.label(a.queue, a.amount) }

func (a *Request) subscribe(sub *subscription) {
	a.waiters.add(sub)
	if a.waiters.first != sub {
		return // it is in the condition twice
	}
	a.place()
	if s := a.p.s; s.trace != nil && a.q != nil {
		s.record(trace.Record{Kind: trace.Request, Who: a.p.traced(), What: a.queue.name})
	}
}

// place grants the request at once or joins the queue. A store is tried first, because nothing in
// its queues could be served.
func (a *Request) place() {
	q := a.p.s.newRequest(&a.options, a.amount)
	if a.of != nil {
		a.grant = &Grant{r: a.of, p: a.p, n: int(a.amount), rank: a.options.rank}
	}
	q.grant, q.order, q.receiver = a.grant, a.order, a
	if a.order != nil && a.queue.of.atOnce(a.queue, q, a.p.traced()) {
		a.granted(a.p.s, q)
		return
	}
	a.q = q
	a.queue.join(q)
	a.queue.of.serve()
}

// unsubscribed leaves the queue, since the process no longer waits for the request.
func (a *Request) unsubscribed() {
	if a.q != nil {
		a.left = true
		a.q.withdraw()
		a.p.s.free(a.q)
		a.q = nil
	}
}

func (a *Request) granted(s *Simulation, q *request) {
	a.q = nil
	s.free(q)
	a.happen()
}

// happen notifies the waiters that the request was granted.
func (a *Request) happen() {
	a.as = a.p.s.happening()
	a.waiters.fire(a.p.s)
}

func (a *Request) who() string { return a.p.traced() }

func (a *Request) check(p *Process) {
	if a.p != p {
		panic(fmt.Sprintf("sim: %s would wait for a request of process %s: %s", p.name, a.p.name, a.label()))
	}
}

func (a *Request) choose() { a.chosen = a.as.valid() }

func (a *Request) markSeen() { a.seen = a.seen || a.chosen }

func (a *Request) settle(all bool, why reason) bool {
	if a.left {
		a.left = false
		a.queue.countFailure(why, a.p.traced())
	}
	if a.seen || !a.as.valid() || a.chosen && !all {
		return false
	}
	a.chosen = false
	if a.grant == nil || !a.grant.giveBack() {
		a.seen = true
		return false
	}
	a.as = moment{}
	return true
}

// waitForRequest is WaitForWithin for something that contains requests and has not happened.
func (p *Process) waitForRequest(w Waitable, a requester, d float64) (bool, error) {
	s := p.s
	a.check(p)
	s.countStep()
	if w.Happened() {
		return true, nil // during which the turn was cut short
	}
	if len(p.interrupts) > 0 {
		cancelUnused(w)
		return false, p.interruption(d)
	}
	p.ensureWaitState().awaits, p.why = w, elapsed
	w.subscribe(&p.sub)
	switch {
	case p.sub.list == nil: // it was granted at once, and notify has been called
	case len(p.interrupts) > 0: // a process that lost units to a part of it took units from this one
		p.abandonRequests(a, interrupted)
		return false, p.interruption(d)
	default:
		if s.trace != nil {
			s.record(trace.Record{Kind: trace.Wait, Who: p.traced(), What: "for " + w.label()})
		}
		if t := s.now + d; !math.IsInf(t, 1) {
			s.schedule(p.slot, t)
		}
		p.block()
	}
	switch p.why {
	case elapsed:
		p.abandonRequests(a, elapsed)
		return false, nil
	case interrupted:
		p.awaits = nil
		return false, p.interruption(0)
	}
	p.awaits = nil
	a.markSeen()
	return true, nil
}

// abandonRequests ends an unsuccessful wait for requests.
func (p *Process) abandonRequests(a requester, why reason) {
	p.sub.unsubscribe()
	a.settle(true, why)
	p.awaits = nil
	p.s.serveLeft()
}

// A Ticket identifies a request that was made by an event, with one of the methods whose names end
// in Then. It is a small value that can be copied and compared. It is valid while the request is
// queued, and never refers to another request. The zero Ticket refers to none.
type Ticket struct {
	r      *request
	number uint64
}

// Queued reports whether the request is still in its queue.
func (t Ticket) Queued() bool { return t.r != nil && t.r.number == t.number }

// Cancel gives the request up. Its function is not called. It reports false if the request has
// already left the queue: then the function has been called, or will be at this instant.
func (t Ticket) Cancel() bool {
	if !t.Queued() {
		return false
	}
	l := t.r.queue
	t.r.withdraw()
	t.r.done(l.s)
	l.countFailure(withdrawn, "")
	l.s.serveLeft()
	return true
}

// A request is an entry of a queue. Entries are reused, and users never see them.
type request struct {
	prev, next *request
	queue      *queue
	end        *rankEnd // of its rank
	rank       int
	preempt    WorkRule // 0 or Finish if it takes nothing away
	amount     float64  // how much is asked for: units, or an amount
	since      float64  // when it was made
	p          *Process // the waiting process, or nil
	receiver   receiver // what is notified instead
	grant      *Grant   // what it was given, if it asked a resource
	order      any      // what was asked of a store
	number     uint64   // what a Ticket must know, if it was made by an event
	limits     *limits  // of such a one, if there are any
}

// A receiver is notified of a grant in place of a process: a Request, or the function of an event.
type receiver interface {
	// granted is called when the request was granted and has left its queue.
	granted(s *Simulation, r *request)
	// who is the name of its process in a trace.
	who() string
}

func (r *request) who() string {
	if r.p != nil {
		return r.p.traced()
	}
	return r.receiver.who()
}

// serve takes a granted request out of its queue and wakes its process. What was requested must
// have been given before.
func (r *request) serve() {
	l := r.queue
	l.remove(r)
	p := r.p
	if p == nil {
		r.receiver.granted(l.s, r)
		return
	}
	if p.sub.list != nil { // to what it was to last until
		p.sub.unsubscribe()
	}
	p.wake(happened) // it keeps the request until its turn, in case that it is interrupted before
}

// withdraw takes an ungranted request out of its queue. The caller calls serveLeft, which serves
// those behind.
func (r *request) withdraw() {
	l := r.queue
	l.remove(r)
	l.s.departed(l)
}

// newRequest takes an entry from the free list, or allocates one.
func (s *Simulation) newRequest(t *requestOptions, amount float64) *request {
	r := s.requests
	if r == nil {
		r = new(request)
	} else {
		s.requests = r.next
		r.next = nil
	}
	r.rank, r.preempt, r.amount, r.since = t.rank, t.preempt, amount, s.now
	return r
}

// free puts an entry that is in no queue on the free list.
func (s *Simulation) free(r *request) {
	// Pointers that are nil most of the time are not written: while memory is collected, that costs
	// much more.
	r.p, r.grant, r.number = nil, nil, 0
	if r.receiver != nil || r.order != nil {
		r.receiver, r.order, r.limits = nil, nil, nil
	}
	r.next = s.requests
	s.requests = r
}

// requestThen grants a request of an event at once, or enqueues it. The function told is called as
// an event of its own.
func (l *queue) requestThen(r *request, t *requestOptions, told func(error)) Ticket {
	waits, err := l.try(r, t, l.s.who())
	if !waits {
		l.s.free(r)
		l.s.After(0, func() { told(err) })
		return Ticket{}
	}
	r.receiver = call(told)
	return l.enqueue(r, t)
}

// enqueue puts a request of an event into the queue.
func (l *queue) enqueue(r *request, t *requestOptions) Ticket {
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

// limits are what may end a request of an event before it is granted.
type limits struct {
	patience Event
	until    subscription
}

// done frees a request of an event that has left its queue.
func (r *request) done(s *Simulation) {
	if r.limits != nil {
		r.limits.patience.Cancel()
		r.limits.until.unsubscribe()
	}
	s.free(r)
}

// expire gives up a request of an event whose patience has run out.
func (r *request) expire() {
	l, told := r.queue, r.receiver.(call)
	r.withdraw()
	r.done(l.s)
	l.countFailure(elapsed, "")
	l.s.serveLeft()
	told(ErrReneged)
}

// notify gives up a request of an event, because what its Until waits for has happened.
func (r *request) notify(*subscription) {
	l, told := r.queue, r.receiver.(call)
	l.s.After(0, func() { told(ErrWithdrawn) })
	r.withdraw()
	r.done(l.s)
	l.countFailure(withdrawn, "")
}

// A call is the function of an event's request. It is called with nil when the request is granted,
// and otherwise with the reason.
type call func(error)

func (f call) granted(s *Simulation, r *request) {
	r.done(s)
	s.After(0, func() { f(nil) })
}

func (call) who() string { return "" }
