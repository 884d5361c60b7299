package sim

import (
	"fmt"
	"math"
)

// Process is a function that waits: for time to pass, for something to happen, for a place at a resource. While it waits, the
// others go on; between its waits, nothing else happens.
//
// A process is a coroutine. A wait that something else comes between costs a switch, about 0.2 µs in all; it takes a
// goroutine's stack, 2 KB or more, from its first turn to its end. Waiting allocates nothing.
//
// Its methods that wait may be called by the function of the process only; the others by anyone whose turn it is. A process is a
// [Waitable], which happens when it ends.
type Process struct {
	// What every turn needs stands together, since it may have to come from afar.
	s      *Simulation
	at     *seat // where it stands while others have their turn
	*extra       // never nil, but not its own until something is put into it
	slot   uint32
	state  state
	why    reason

	request *request // its place in a line

	name   string
	body   func(*Process)
	number uint64 // in the order in which processes were made

	ended   moment
	waiters subscribers
}

// extra is what a process needs that waits for more than time and its turn in line, or is interrupted. Most processes of a large model
// do not, and would be nearly twice as large with it.
type extra struct {
	awaits     Waitable       // what it waits for, for Status
	works      *Grant         // what it works with
	sub        subscription   // to that
	interrupts []*Interrupted // that it has not been told of
}

// own makes sure that the process has an extra of its own.
func (p *Process) own() *extra {
	s := p.s
	if p.extra == &s.nothing {
		if last := len(s.extras) - 1; last >= 0 {
			p.extra = s.extras[last]
			s.extras = s.extras[:last]
		} else {
			p.extra = new(extra)
		}
		p.sub.who = p
	}
	return p.extra
}

// disown gives the extra of a process that has ended to others. A process that recovered from a panic in the middle of a wait, and ended, may
// still stand in the list of those who wait: whoever gets the extra would be told in its place.
func (p *Process) disown() {
	s := p.s
	if e := p.extra; e != &s.nothing {
		e.sub.leave()
		p.extra = &s.nothing
		*e = extra{}
		s.extras = append(s.extras, e)
		s.serveLeft() // a line that it stood in
	}
}

type state uint8

const (
	unborn  state = iota
	running       // it is its turn
	waiting
	waking // it has been decided why it wakes; its turn comes at this instant
	dead
)

// A reason is why a process woke up.
type reason uint8

const (
	elapsed  reason = iota // the time it waited for, or its patience
	happened               // what it waited for
	interrupted
	overtaken // its request, by what it was to last until
)

// Go starts a process. Its function is called with it as an event of its own, after what is already scheduled for now.
func (s *Simulation) Go(name string, body func(p *Process), opts ...EventOption) *Process {
	return s.start(s.now, name, body, opts)
}

// GoAt starts a process at time t. It panics if t is not finite or before now.
func (s *Simulation) GoAt(t float64, name string, body func(p *Process), opts ...EventOption) *Process {
	s.checkTime(t, "GoAt", t)
	return s.start(t, name, body, opts)
}

// GoAfter starts a process when d has passed. It panics if d is negative or not finite.
func (s *Simulation) GoAfter(d float64, name string, body func(p *Process), opts ...EventOption) *Process {
	s.checkTime(s.now+d, "GoAfter", d)
	return s.start(s.now+d, name, body, opts)
}

func (s *Simulation) start(t float64, name string, body func(p *Process), opts []EventOption) *Process {
	if body == nil {
		panic("sim: process " + name + " needs a function, not nil")
	}
	id := s.occupy()
	p := &Process{s: s, name: name, body: body, slot: id, number: s.born, extra: &s.nothing}
	s.born++
	s.live++
	sl := &s.slots[id]
	sl.p, sl.kind, sl.stamp = p, turn, s.number()
	if len(opts) > 0 {
		sl.priority = priorityOf(opts)
	}
	s.schedule(id, t)
	return p
}

// finish is the end of a process.
func (p *Process) finish() {
	s := p.s
	p.state = dead
	p.ended = s.happening()
	p.body, p.at = nil, nil
	s.live--
	if s.closed {
		s.slots[p.slot].p = nil
		return // nothing more is going to happen
	}
	p.disown()
	if s.trace != nil {
		s.record(Record{Kind: TraceEnd, Who: p.name})
	}
	s.vacate(p.slot)
	p.waiters.fire(s)
}

// Name is what the process was called when it was started.
func (p *Process) Name() string { return p.name }

// String is the name.
func (p *Process) String() string { return p.name }

// Sim is the simulation that the process belongs to.
func (p *Process) Sim() *Simulation { return p.s }

// Now is the simulated time.
func (p *Process) Now() float64 { return p.s.now }

// Done tells whether the process has ended.
func (p *Process) Done() bool { return p.state == dead }

// Happened tells whether the process has ended.
func (p *Process) Happened() bool { return p.state == dead }

func (p *Process) moment() moment              { return p.ended }
func (p *Process) asker() asker                { return nil }
func (p *Process) subscribe(sub *subscription) { p.waiters.add(sub) }
func (p *Process) owner() *Simulation          { return p.s }
func (p *Process) label() string               { return "the end of " + p.name }

// Current is the process whose turn it is, or nil if there is none, as in an event's function.
func (s *Simulation) Current() *Process { return s.current }

// Processes is how many processes have been started and have not ended.
func (s *Simulation) Processes() int { return s.live }

// Wait returns nil when d has passed, or an *[Interrupted] if the process was interrupted before. With 0 it lets the others
// go first who are due now, and with +∞ it waits to be interrupted. It panics if d is negative or not a number.
func (p *Process) Wait(d float64) error { return p.pause(p.s.now+d, d, "Wait") }

// WaitUntil returns nil at time t, or an *[Interrupted] if the process was interrupted before. It panics if t is before now
// or not a number.
func (p *Process) WaitUntil(t float64) error { return p.pause(t, t-p.s.now, "WaitUntil") }

// pause waits until time t, which is d from now.
//
// It is what turns are mostly made of. After a switch, a processor returns slowly from the functions that called it, which it has
// not seen called: 10 ns for each. So Wait is one that is compiled into its caller, and what block does stands here again.
func (p *Process) pause(t, d float64, call string) error {
	s := p.s
	s.checkTurn(p, call)
	if !(d >= 0) || len(p.interrupts) > 0 {
		return p.notPaused(t, d, call)
	}
	if t <= s.limit && s.due.live == 0 && s.credit > 1 && s.alone(t) {
		// Nothing comes between: the process may keep its turn. It saves a switch of coroutines and two visits to the
		// calendar, some 150 ns in all.
		s.now = t
		s.dispatched++
		s.credit--
		return nil
	}
	if s.trace != nil {
		s.record(Record{Kind: TraceWait, Who: p.name, What: fmt.Sprintf("%g", d)})
	}
	if t <= math.MaxFloat64 {
		s.schedule(p.slot, t)
	} else if d <= math.MaxFloat64 {
		s.refuseTime(t, "Wait", d)
	}
	p.state, p.why = waiting, elapsed
	if q := s.pick(); q != p {
		at := s.seatOf(q)
		p.at = at
		if at.given {
			at.given = false
			at.yield(struct{}{})
		} else {
			at.given = true
			at.next()
		}
		if s.relay != nil {
			s.makeWay(&p.at)
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

// notPaused is for a wait that cannot be, or that an interrupt has ended before it began.
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

// alone tells whether the calendar has nothing by time t, which must not be infinite.
func (s *Simulation) alone(t float64) bool {
	_, at, ok := s.calendar.Peek()
	return t <= math.MaxFloat64 && (!ok || at > t)
}

// WaitFor returns nil when w has happened, at once if it has already, or an *[Interrupted] if the process was interrupted before.
func (p *Process) WaitFor(w Waitable) error {
	_, err := p.WaitForWithin(w, math.Inf(1))
	return err
}

// WaitForWithin waits for w, but no longer than d. It tells whether w has happened. The error is an *[Interrupted] if the process
// was interrupted before either.
func (p *Process) WaitForWithin(w Waitable, d float64) (happened bool, err error) {
	s := p.s
	s.checkTurn(p, "WaitFor")
	if w == nil || w.owner() != s {
		s.checkOwn(w, "process "+p.name)
	}
	if w.Happened() {
		forgo(w)
		s.step()
		return true, nil
	}
	if !(d >= 0) {
		panic(fmt.Sprintf("sim: WaitForWithin(%g) of process %s: a delay must be a number, and not negative", d, p.name))
	}
	if a := w.asker(); a != nil {
		return p.waitAsking(w, a, d)
	}
	if len(p.interrupts) > 0 {
		forgo(w)
		return false, p.interruption(d)
	}
	if s.trace != nil {
		s.record(Record{Kind: TraceWait, Who: p.name, What: "for " + w.label()})
	}
	p.own().awaits = w
	w.subscribe(&p.sub)
	if t := s.now + d; !math.IsInf(t, 1) {
		s.schedule(p.slot, t)
	}
	p.block()
	p.awaits = nil
	switch p.why {
	case elapsed:
		p.sub.leave()
		return false, nil
	case interrupted:
		return false, p.interruption(0)
	}
	return true, nil
}

// notify wakes the process, since what it waits for has happened, or what its request was to last until.
func (p *Process) notify(*subscription) {
	s := p.s
	if s.closed {
		return // it may have been ended without leaving what it waited for
	}
	if r := p.request; r != nil {
		p.request = nil
		p.wake(overtaken)
		r.withdraw()
		return
	}
	a := p.awaits.asker()
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

// wake lets a waiting process have its turn at this instant. It no longer waits for anything else.
func (p *Process) wake(why reason) {
	s := p.s
	if s.closed {
		return // it may have been ended without leaving what it waited for
	}
	p.state, p.why = waking, why
	s.unschedule(p.slot)
	s.schedule(p.slot, s.now)
}

// block gives the turn back until the process is due. Unless somebody wakes it for another reason, its time has elapsed.
func (p *Process) block() {
	s := p.s
	p.state, p.why = waiting, elapsed
	q := s.pick()
	if q == p { // nothing came between
		p.state = running
		return
	}
	at := s.seatOf(q)
	p.at = at
	if at.given { // as change does; see pause
		at.given = false
		at.yield(struct{}{})
	} else {
		at.given = true
		at.next()
	}
	if s.relay != nil {
		s.makeWay(&p.at)
	}
	if s.closed {
		panic(unwinding{})
	}
}

// checkOwn panics if somebody would wait for what belongs to another simulation. A condition of nothing belongs to none.
func (s *Simulation) checkOwn(w Waitable, who string) {
	if w == nil {
		panic("sim: " + who + " would wait for nil")
	}
	if owner := w.owner(); owner != s && owner != nil {
		panic("sim: " + who + " would wait for " + w.label() + ", which belongs to another simulation")
	}
}

// checkTurn panics unless it is the turn of p, which is about to wait or to request something.
func (s *Simulation) checkTurn(p *Process, call string) {
	if p == nil || s.current != p {
		s.refuse(p, call)
	}
}

// refuse panics since a process wants to wait, or asks for something that it may have to wait for, and it is not its turn, or it is
// none at all. It never is when the simulation is closed.
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
	case p.state == dead:
		panic("sim: " + call + " of process " + p.name + " called after its end")
	}
	panic("sim: " + call + " of process " + p.name + " called outside it")
}
