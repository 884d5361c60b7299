package sim

import (
	"fmt"
	"math"
)

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

func (a *Request) moment() moment     { return a.as }
func (a *Request) asker() asker       { return a }
func (a *Request) owner() *Simulation { return a.p.s }
func (a *Request) label() string      { return a.line.of.label(a.line, a.amount) }

func (a *Request) subscribe(sub *subscription) {
	a.waiters.add(sub)
	if a.waiters.first != sub {
		return // it is in the condition twice
	}
	a.place()
	if s := a.p.s; s.trace != nil && a.q != nil {
		s.record(Record{Kind: TraceRequest, Who: a.p.name, What: a.line.name})
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

func (c *Condition) asker() asker {
	if c.asks {
		return c
	}
	return nil
}

// each calls f with those of the things it is made of that have requests in them.
func (c *Condition) each(f func(asker)) {
	for _, w := range c.of {
		if a := w.asker(); a != nil {
			f(a)
		}
	}
}

func (c *Condition) check(p *Process) { c.each(func(a asker) { a.check(p) }) }
func (c *Condition) tell()            { c.each(func(a asker) { a.tell() }) }

func (c *Condition) choose() {
	if !c.any {
		c.each(func(a asker) { a.choose() })
	} else if first := c.First(); first != nil && first.asker() != nil {
		first.asker().choose()
	}
}

func (c *Condition) settle(all bool, why reason) (back bool) {
	c.each(func(a asker) { back = a.settle(all, why) || back })
	c.as = moment{} // what has been given back has not happened
	return back
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
			s.record(Record{Kind: TraceWait, Who: p.name, What: "for " + w.label()})
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
