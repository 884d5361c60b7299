package sim

import (
	"cmp"
	"errors"
	"fmt"
	"math"
	"slices"

	"github.com/almanac-sim/almanac/sim/trace"
)

// Process is a function that waits: for time to pass, for something to happen, for units of a
// resource. While it waits, others run; between its waits, nothing else happens.
//
// A process is a coroutine. A wait during which another process runs costs a switch, about 0.2 µs
// in all. A process takes a goroutine's stack, 2 KB or more, from its first turn to its end.
// Waiting allocates nothing.
//
// The methods that wait may be called only by the function of the process; the others by any code
// of the simulation. A process is a [Waitable], which happens when it ends.
type Process struct {
	// What every turn needs stands together, since it may have to come from afar.
	s          *Simulation
	co         *coroutine // where it stands while others have their turn
	*waitState            // never nil, but not its own until something is put into it
	slot       uint32
	state      state
	why        reason

	request *request // its entry in a queue

	name   string
	body   func(*Process)
	number uint64 // in the order in which processes were made

	ended   moment
	waiters subscribers
}

// waitState is what a process needs for waits other than for time and for a request, and for
// interrupts. Most processes of a large model need none, and would be nearly twice as large with
// it.
type waitState struct {
	awaits     Waitable       // what it waits for, for Status
	works      *Grant         // what it works with
	sub        subscription   // to that
	interrupts []*Interrupted // that it has not got yet
}

// ensureWaitState makes sure that the process has a waitState of its own.
func (p *Process) ensureWaitState() *waitState {
	s := p.s
	if p.waitState == &s.noWaitState {
		if last := len(s.freeWaitStates) - 1; last >= 0 {
			p.waitState = s.freeWaitStates[last]
			s.freeWaitStates = s.freeWaitStates[:last]
		} else {
			p.waitState = new(waitState)
		}
		p.sub.who = p
	}
	return p.waitState
}

// releaseWaitState puts the waitState of an ended process on the free list. A process that
// recovered from a panic in the middle of a wait may still be subscribed; the next owner of the
// waitState would be notified in its place.
func (p *Process) releaseWaitState() {
	s := p.s
	if e := p.waitState; e != &s.noWaitState {
		e.sub.unsubscribe()
		p.waitState = &s.noWaitState
		*e = waitState{}
		s.freeWaitStates = append(s.freeWaitStates, e)
		s.serveLeft() // a queue that it was in
	}
}

type state uint8

const (
	notStarted state = iota
	running          // it is its turn
	waiting
	waking // it has been decided why it wakes; its turn comes at this instant
	ended
)

// A reason is why a process woke up.
type reason uint8

const (
	elapsed  reason = iota // the time it waited for, or its patience
	happened               // what it waited for
	interrupted
	withdrawn // its request, by what it was to last until
)

// Go starts a process. Its function is called as an event of its own, after what is already
// scheduled for now.
func (s *Simulation) Go(name string, body func(p *Process), opts ...ProcessOption) *Process {
	return s.start(s.now, name, body, opts)
}

// GoAt starts a process at time t. It panics if t is not finite or before now.
func (s *Simulation) GoAt(t float64, name string, body func(p *Process), opts ...ProcessOption) *Process {
	s.checkTime(t, "GoAt", t)
	return s.start(t, name, body, opts)
}

// GoAfter starts a process after d. It panics if d is negative or not finite.
func (s *Simulation) GoAfter(d float64, name string, body func(p *Process), opts ...ProcessOption) *Process {
	s.checkTime(s.now+d, "GoAfter", d)
	return s.start(s.now+d, name, body, opts)
}

func (s *Simulation) start(t float64, name string, body func(p *Process), opts []ProcessOption) *Process {
	if body == nil {
		panic("sim: process " + name + " needs a function, not nil")
	}
	id := s.allocSlot()
	p := &Process{s: s, name: name, body: body, slot: id, number: s.created, waitState: &s.noWaitState}
	s.created++
	s.live++
	sl := &s.slots[id]
	sl.p, sl.kind, sl.version = p, turn, s.number()
	if len(opts) > 0 {
		sl.priority = priorityOf(opts)
	}
	if s.trace != nil {
		s.startTracing(p)
	}
	s.schedule(id, t)
	return p
}

// finish ends a process.
func (p *Process) finish() {
	s := p.s
	p.state = ended
	p.ended = s.happening()
	p.body, p.co = nil, nil
	s.live--
	if s.closed {
		s.slots[p.slot].p = nil
		return // nothing more is going to happen
	}
	p.releaseWaitState()
	if s.trace != nil {
		s.record(trace.Record{Kind: trace.End, Who: p.traced()})
	}
	s.freeSlot(p.slot)
	p.waiters.fire(s)
	if s.trace != nil {
		delete(s.tracedNames.of, p)
	}
}

// Name is the name that the process was started with.
func (p *Process) Name() string { return p.name }

// String returns the name.
func (p *Process) String() string { return p.name }

// Sim is the simulation of the process.
func (p *Process) Sim() *Simulation { return p.s }

// Now is the simulated time.
func (p *Process) Now() float64 { return p.s.now }

// Happened reports whether the process has ended.
func (p *Process) Happened() bool { return p.state == ended }

func (p *Process) moment() moment { return p.ended }

func (p *Process) requester() requester { return nil }

func (p *Process) subscribe(sub *subscription) { p.waiters.add(sub) }

func (p *Process) owner() *Simulation { return p.s }

func (p *Process) label() string { return "the end of " + p.traced() }

// Current is the process whose turn it is, or nil in the function of an event.
func (s *Simulation) Current() *Process { return s.current }

// Processes is the number of processes that have been started and have not ended.
func (s *Simulation) Processes() int { return s.live }

// Wait returns nil after d, or an *[Interrupted] if the process was interrupted before. Wait(0)
// lets everything else run that is due now, and Wait(+∞) waits for an interrupt. It panics if d is
// negative or NaN.
func (p *Process) Wait(d float64) error { return p.pause(p.s.now+d, d, "Wait") }

// WaitUntil returns nil at time t, or an *[Interrupted] if the process was interrupted before. It
// panics if t is before now or NaN.
func (p *Process) WaitUntil(t float64) error {
	return p.pause(t+0, t-p.s.now, "WaitUntil") // minus zero becomes zero
}

// pause waits until time t, which is d from now.
//
// Most turns consist of it. After a switch, the processor mispredicts the returns of the functions
// that led here, at 10 ns each. So Wait is inlined into its caller, and the code of block is
// repeated here.
func (p *Process) pause(t, d float64, call string) error {
	s := p.s
	s.checkTurn(p, call)
	if !(d >= 0) || len(p.interrupts) > 0 {
		return p.notPaused(t, d, call)
	}
	if t <= s.limit && t <= math.MaxFloat64 && s.due.live == 0 && s.credit > 1 {
		if _, next, ok := s.calendar.Peek(); !ok || next > t {
			// Nothing comes between: the process may keep its turn. It saves a switch of coroutines
			// and two visits to the calendar, some 150 ns in all.
			s.now = t
			s.dispatched++
			s.credit--
			return nil
		}
	}
	if s.trace != nil {
		s.record(trace.Record{Kind: trace.Wait, Who: p.traced(), What: fmt.Sprintf("%g", d)})
	}
	if t <= math.MaxFloat64 {
		s.schedule(p.slot, t)
	} else if d <= math.MaxFloat64 {
		s.refuseTime(t, "Wait", d)
	}
	p.state, p.why = waiting, elapsed
	if q := s.pick(); q != p {
		at := s.coroutineOf(q)
		p.co = at
		if at.yieldNext {
			at.yieldNext = false
			at.yield(struct{}{})
		} else {
			at.yieldNext = true
			at.next()
		}
		if s.relocateTo != nil {
			s.relocate(&p.co)
		}
		if s.closed {
			panic(unwinding{})
		}
	}
	p.state = running
	if p.why != elapsed {
		return p.interruption(d)
	}
	return nil
}

// notPaused handles an invalid wait, and one that an interrupt has ended before it began.
func (p *Process) notPaused(t, d float64, call string) error {
	switch {
	case d >= 0:
		return p.interruption(d)
	case call == "Wait":
		panic(fmt.Sprintf("sim: Wait(%g) of process %s: a delay must be a number, and not negative", d, p.name))
	}
	p.s.refuseTime(t, call, t)
	return nil
}

// WaitFor returns nil when w has happened, at once if it already has, or an *[Interrupted] if the
// process was interrupted before.
func (p *Process) WaitFor(w Waitable) error {
	_, err := p.WaitForWithin(w, math.Inf(1))
	return err
}

// WaitForWithin waits for w, but no longer than d, and reports whether w has happened. The error is
// an *[Interrupted] if the process was interrupted before either.
func (p *Process) WaitForWithin(w Waitable, d float64) (happened bool, err error) {
	s := p.s
	s.checkTurn(p, "WaitFor")
	if w == nil || w.owner() != s {
		s.checkOwn(w, "process "+p.name)
	}
	if w.Happened() {
		cancelUnused(w)
		s.countStep()
		return true, nil
	}
	if !(d >= 0) {
		panic(fmt.Sprintf("sim: WaitForWithin(%g) of process %s: a delay must be a number, and not negative", d, p.name))
	}
	if a := w.requester(); a != nil {
		return p.waitForRequest(w, a, d)
	}
	if len(p.interrupts) > 0 {
		cancelUnused(w)
		return false, p.interruption(d)
	}
	if s.trace != nil {
		s.record(trace.Record{Kind: trace.Wait, Who: p.traced(), What: "for " + w.label()})
	}
	p.ensureWaitState().awaits = w
	w.subscribe(&p.sub)
	if t := s.now + d; !math.IsInf(t, 1) {
		s.schedule(p.slot, t)
	}
	p.block()
	p.awaits = nil
	switch p.why {
	case elapsed:
		p.sub.unsubscribe()
		return false, nil
	case interrupted:
		return false, p.interruption(0)
	}
	return true, nil
}

// notify wakes the process: what it waits for has happened, or what its request would wait until.
func (p *Process) notify(*subscription) {
	s := p.s
	if s.closed {
		return // it may have been ended without leaving what it waited for
	}
	if r := p.request; r != nil {
		p.request = nil
		p.wake(withdrawn)
		r.withdraw()
		return
	}
	a := p.awaits.requester()
	if a != nil && p.state == running { // it was granted while it was asked for
		p.why = happened
	} else {
		p.wake(happened)
	}
	if a != nil {
		a.choose()
		a.settle(false, happened)
	}
}

// wake schedules the turn of a waiting process at this instant. It no longer waits for anything
// else.
func (p *Process) wake(why reason) {
	s := p.s
	if s.closed {
		return // it may have been ended without leaving what it waited for
	}
	p.state, p.why = waking, why
	s.unschedule(p.slot)
	s.schedule(p.slot, s.now)
}

// block switches away until the process is due. Unless it is woken for another reason, its time has
// elapsed.
func (p *Process) block() {
	s := p.s
	p.state, p.why = waiting, elapsed
	q := s.pick()
	if q == p { // nothing came between
		p.state = running
		return
	}
	at := s.coroutineOf(q)
	p.co = at
	if at.yieldNext { // as swap does; see pause
		at.yieldNext = false
		at.yield(struct{}{})
	} else {
		at.yieldNext = true
		at.next()
	}
	if s.relocateTo != nil {
		s.relocate(&p.co)
	}
	if s.closed {
		panic(unwinding{})
	}
}

// checkOwn panics if w belongs to another simulation. A condition of nothing belongs to none.
func (s *Simulation) checkOwn(w Waitable, who string) {
	if w == nil {
		panic("sim: " + who + " would wait for nil")
	}
	if owner := w.owner(); owner != s && owner != nil {
		panic("sim: " + who + " would wait for " + w.label() + ", which belongs to another simulation")
	}
}

// checkTurn panics unless it is the turn of p, which is about to wait or to make a request.
func (s *Simulation) checkTurn(p *Process, call string) {
	if p == nil || s.current != p {
		s.refuse(p, call)
	}
}

// refuse panics: a process would wait, or make a request, outside its turn. After Close, no process
// has a turn.
func (s *Simulation) refuse(p *Process, call string) {
	if s.closing != nil {
		s.unwind()
	}
	switch {
	case p == nil:
		panic("sim: " + call + " needs the process that waits, not nil")
	case p.s != s:
		if p.s.closing != nil {
			p.s.unwind()
		}
		panic("sim: " + call + " by process " + p.name + ", which belongs to another simulation")
	case p.state == ended:
		panic("sim: " + call + " of process " + p.name + " called after its end")
	}
	panic("sim: " + call + " of process " + p.name + " called outside it")
}

// Live lists the processes that have been started and have not ended, in the order in which they
// were started. After a run that ended because nothing was left to happen, these wait for something
// that will never happen; [Process.Status] says for what.
func (s *Simulation) Live() []*Process {
	return s.liveFrom(0)
}

// liveFrom lists the live processes from a number on.
func (s *Simulation) liveFrom(number uint64) []*Process {
	all := make([]*Process, 0, s.live)
	for i := range s.slots {
		if p := s.slots[i].p; p != nil && p.number >= number {
			all = append(all, p)
		}
	}
	slices.SortFunc(all, func(a, b *Process) int { return cmp.Compare(a.number, b.number) })
	return all
}

// Status describes what the process is doing: what it waits for, and until when.
func (p *Process) Status() string {
	switch p.state {
	case notStarted:
		if t, ok := p.s.dueAt(p.slot); ok && !p.s.closed {
			return fmt.Sprintf("starts at %g", t)
		}
		return "never starts"
	case running:
		return "has its turn"
	case waking:
		return "is about to have its turn"
	case ended:
		return "has ended"
	}
	status := "waits"
	switch {
	case p.request != nil:
		status += fmt.Sprintf(" in line for %s since %g", p.request.queue.name, p.request.since)
	case p.works != nil:
		g := p.works
		if status = "works with " + g.r.name; g.suspended {
			status = fmt.Sprintf("cannot go on with %s, %g left", g.r.name, g.job.left)
		}
	case p.awaits != nil:
		status += " for " + p.awaits.label()
	}
	if t, ok := p.s.dueAt(p.slot); ok {
		status += fmt.Sprintf(" until %g", t)
	}
	return status
}

// errNoValue is the error of an [Outcome] without a value: the process has not ended, or it ended
// without returning, by a panic or because the simulation was closed.
var errNoValue = errors.New("sim: the process has not returned")

// An Outcome is the result of a process started by [Call]. It is a [Waitable], which happens when
// the process ends.
type Outcome[T any] struct {
	p     *Process
	value T
	err   error
}

// Wait waits for the end of the process, and returns its result. The error is an *[Interrupted] if
// the waiting process was interrupted before; Happened tells that from an *[Interrupted] that the
// other process returned.
func (o *Outcome[T]) Wait(p *Process) (T, error) {
	v, _, err := o.WaitWithin(p, math.Inf(1))
	return v, err
}

// WaitWithin is [Outcome.Wait] with a limit d, and reports whether the process has ended.
func (o *Outcome[T]) WaitWithin(p *Process, d float64) (v T, ended bool, err error) {
	if ended, err = p.WaitForWithin(o, d); !ended || err != nil {
		return v, ended, err
	}
	v, err = o.Value()
	return v, true, err
}

// Value returns the result of the process, and an error if there is none: the process has not
// ended, or it ended without returning.
func (o *Outcome[T]) Value() (T, error) { return o.value, o.err }

// Process returns the process.
func (o *Outcome[T]) Process() *Process { return o.p }

// Happened reports whether the process has ended.
func (o *Outcome[T]) Happened() bool { return o.p.Happened() }

func (o *Outcome[T]) moment() moment { return o.p.moment() }

func (o *Outcome[T]) subscribe(sub *subscription) { o.p.subscribe(sub) }

func (o *Outcome[T]) requester() requester { return nil }

func (o *Outcome[T]) owner() *Simulation { return o.p.s }

func (o *Outcome[T]) label() string { return o.p.label() }

// Call starts a process that returns a value, as [Simulation.Go] starts one that does not.
//
//	done := sim.Call(s, "cook", func(p *sim.Process) (Meal, error) { … })
//	meal, err := done.Wait(p)
func Call[T any](s *Simulation, name string, body func(p *Process) (T, error), opts ...ProcessOption) *Outcome[T] {
	if body == nil {
		panic("sim: process " + name + " needs a function, not nil")
	}
	o := &Outcome[T]{err: errNoValue}
	o.p = s.Go(name, func(p *Process) { o.value, o.err = body(p) }, opts...)
	return o
}
