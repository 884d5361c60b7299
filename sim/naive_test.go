package sim_test

import (
	"fmt"
	"iter"
	"math"
	"slices"

	"github.com/almanac-sim/almanac/sim"
)

// A naive is a kernel in which everything is a list that is searched from the beginning. It does
// what the documentation of the package says, and is the reference for random programs.
type naive struct {
	time    float64
	count   int // the last number of what was scheduled or has happened
	events  []*naiveEvent
	actors  []*naiveActor
	current *naiveActor
	waits   []*naiveWait // in the order in which they began
	telling int          // nesting depth of tell
	left    []func()     // serve the queues that requests have left
	closed  bool

	desks   []*naiveDesk
	stores  []*naiveStore
	tank    *naiveTank
	gate    *naiveGate
	signals []*naiveSignal
}

type naiveEvent struct {
	at               float64
	priority, number int
	f                func()
}

func (k *naive) number() int {
	k.count++
	return k.count
}

func (k *naive) schedule(at float64, priority int, f func()) *naiveEvent {
	e := &naiveEvent{at, priority, k.number(), f}
	k.events = append(k.events, e)
	return e
}

func (k *naive) cancel(e *naiveEvent) {
	k.events = slices.DeleteFunc(k.events, func(other *naiveEvent) bool { return other == e })
}

func (k *naive) pending(e *naiveEvent) bool { return slices.Contains(k.events, e) }

func (k *naive) now() float64 { return k.time }

func (k *naive) after(d float64, f func()) { k.schedule(k.time+d, 0, f) }

// run dispatches what is due until a time.
func (k *naive) run(until float64) {
	for {
		var first *naiveEvent
		for _, e := range k.events {
			if first == nil || e.at < first.at || e.at == first.at && (e.priority < first.priority ||
				e.priority == first.priority && e.number < first.number) {
				first = e
			}
		}
		if first == nil || first.at > until {
			k.advance(until)
			return
		}
		k.advance(first.at)
		k.cancel(first)
		first.f()
	}
}

// advance moves the clock, and adds to the areas under the levels.
func (k *naive) advance(to float64) {
	for _, d := range k.desks {
		d.usage += float64(d.inUse()) * (to - k.time)
		d.queued += float64(len(d.queue)) * (to - k.time)
	}
	for _, s := range k.stores {
		s.contents += float64(len(s.items)) * (to - k.time)
	}
	k.tank.contents += k.tank.amount * (to - k.time)
	k.gate.area += float64(k.gate.inside) * (to - k.time)
	k.time = to
}

func (k *naive) close() {
	k.closed = true
	for _, p := range slices.Clone(k.actors) {
		if p.state != "ended" {
			p.stop()
			p.state = "ended"
		}
	}
}

// A naiveMoment is when something happened; number 0 if it has not.
type naiveMoment struct {
	time   float64
	number int
}

func (m naiveMoment) before(other naiveMoment) bool {
	return m.time < other.time || m.time == other.time && m.number < other.number
}

func (k *naive) happening() naiveMoment { return naiveMoment{k.time, k.number()} }

// A naiveWait is a process or a request that waits for something to happen.
type naiveWait struct {
	root naiveWaitable
	end  func()
}

// tell ends the waits for what has happened, in order. Queues that are left are served afterwards.
func (k *naive) tell() {
	k.telling++
	for _, w := range slices.Clone(k.waits) {
		if slices.Contains(k.waits, w) {
			k.prune(w.root, true)
			if happened(w.root) {
				k.forget(w)
				w.end()
			}
		}
	}
	k.telling--
	k.serveLeft()
}

func (k *naive) forget(w *naiveWait) {
	k.waits = slices.DeleteFunc(k.waits, func(other *naiveWait) bool { return other == w })
}

func (k *naive) serveLeft() {
	if k.telling > 0 {
		return
	}
	for len(k.left) > 0 {
		serve := k.left[0]
		k.left = k.left[1:]
		serve()
	}
}

// A naiveWaitable is a *naiveSignal, a *naiveTimeout, a *naiveActor, a *naiveRequest or a
// *naiveCondition.
type naiveWaitable interface{ moment() naiveMoment }

func happened(w naiveWaitable) bool { return w.moment().number > 0 }

type naiveSignal struct {
	k  *naive
	as naiveMoment
}

func (g *naiveSignal) moment() naiveMoment { return g.as }

func (g *naiveSignal) trigger() {
	g.as = g.k.happening()
	g.k.tell()
}

type naiveTimeout struct {
	naiveSignal
	due    float64
	made   int
	event  *naiveEvent
	placed bool
}

func (t *naiveTimeout) moment() naiveMoment {
	if t.as.number == 0 && t.k.time >= t.due && !t.k.pending(t.event) {
		return naiveMoment{t.due, t.made} // its time has come while nothing waited
	}
	return t.as
}

func (t *naiveTimeout) leave() {
	if t.placed = false; t.k.time < t.due {
		t.k.cancel(t.event)
	}
}

type naiveCondition struct {
	any     bool
	of      []naiveWaitable
	placing bool // not all parts are waited for yet
}

func (c *naiveCondition) moment() (as naiveMoment) {
	for _, w := range c.of {
		one := w.moment()
		switch {
		case c.any && one.number > 0 && (as.number == 0 || one.before(as)), !c.any && as.before(one):
			as = one
		case !c.any && one.number == 0:
			return one
		}
	}
	return as
}

func (c *naiveCondition) first() (first naiveWaitable) {
	for _, w := range c.of {
		if happened(w) && (first == nil || w.moment().before(first.moment())) {
			first = w
		}
	}
	return first
}

// leaves calls f for each part that is not a condition, as often as it occurs; only for those that
// something still depends on if live is true.
func leaves(w naiveWaitable, live bool, f func(naiveWaitable)) {
	c, ok := w.(*naiveCondition)
	switch {
	case live && happened(w) && !(ok && c.placing):
	case !ok:
		f(w)
	default:
		for _, one := range c.of {
			leaves(one, live, f)
		}
	}
}

// place begins to wait for the parts, in order, until enough have happened.
func (k *naive) place(root, w naiveWaitable) {
	switch w := w.(type) {
	case *naiveTimeout:
		if w.placed = true; !k.pending(w.event) {
			w.event = k.schedule(w.due, 0, w.trigger)
		}
	case *naiveRequest:
		if w.entry == nil {
			w.place()
		}
	case *naiveCondition:
		w.placing = true
		for _, one := range w.of {
			if !happened(one) {
				k.place(root, one)
			}
			if happened(w) {
				break
			}
		}
		w.placing = false
		k.telling++
		k.prune(root, true)
		k.telling--
	}
}

// prune leaves those parts on which nothing depends any more: all, unless the wait goes on.
func (k *naive) prune(root naiveWaitable, goesOn bool) {
	needed, occurrences := map[naiveWaitable]bool{}, map[naiveWaitable]int{}
	if goesOn {
		leaves(root, true, func(w naiveWaitable) { needed[w] = true })
	}
	leaves(root, false, func(w naiveWaitable) { occurrences[w]++ })
	leaves(root, false, func(w naiveWaitable) {
		if occurrences[w]--; occurrences[w] > 0 || needed[w] {
			return
		}
		switch w := w.(type) {
		case *naiveTimeout:
			if w.placed {
				w.leave()
			}
		case *naiveRequest:
			w.leave()
		}
	})
}

// discard unschedules the timeouts of a wait that does not begin.
func discard(w naiveWaitable) {
	if w == nil {
		return
	}
	leaves(w, false, func(w naiveWaitable) {
		if t, ok := w.(*naiveTimeout); ok && !t.placed {
			t.leave()
		}
	})
}

// A naiveActor is a process.
type naiveActor struct {
	k          *naive
	id         int
	name       string
	priority   int
	next       func() (struct{}, bool)
	stop       func()
	yield      func(struct{}) bool
	state      string
	why        string
	turn       *naiveEvent
	interrupts []*naiveInterrupt
	waiting    *naiveWait
	awaits     naiveWaitable // with requests in it
	entry      *naiveEntry   // in a queue, until its turn
	works      *naiveGrant
	as         naiveMoment
}

type naiveInterrupt struct {
	cause string
	by    string
	at    float64
	left  float64
}

func (i *naiveInterrupt) String() string {
	return fmt.Sprintf("interrupted by %s at %g, %g left: %s", i.by, i.at, i.left, i.cause)
}

func (p *naiveActor) moment() naiveMoment { return p.as }

type naiveClosed struct{}

func (k *naive) spawn(d float64, priority int, body func(actor)) int {
	p := &naiveActor{k: k, id: len(k.actors), priority: priority, state: "not started"}
	p.name = fmt.Sprint("p", p.id)
	k.actors = append(k.actors, p)
	p.next, p.stop = iter.Pull(func(yield func(struct{}) bool) {
		p.yield = yield
		defer func() {
			if v := recover(); v != nil && v != (naiveClosed{}) {
				panic(v)
			}
		}()
		body(p)
	})
	p.turn = k.schedule(k.time+d, priority, p.run)
	return p.id
}

// run is a turn.
func (p *naiveActor) run() {
	k := p.k
	p.turn, p.state, k.current = nil, "running", p
	if _, more := p.next(); !more {
		p.state, p.as = "ended", k.happening()
		k.tell()
	}
	k.current = nil
}

func (p *naiveActor) block() {
	p.state, p.why = "waiting", "elapsed"
	if !p.yield(struct{}{}) {
		panic(naiveClosed{})
	}
}

func (p *naiveActor) wake(why string) {
	p.k.cancel(p.turn)
	p.state, p.why = "waking", why
	p.turn = p.k.schedule(p.k.time, p.priority, p.run)
}

// limit schedules the turn for a time, unless that never comes.
func (p *naiveActor) limit(at float64) {
	if p.turn = nil; !math.IsInf(at, 1) {
		p.turn = p.k.schedule(at, p.priority, p.run)
	}
}

func (p *naiveActor) interruption(d float64) string {
	i := p.interrupts[0]
	p.interrupts = p.interrupts[1:]
	if p.why != "interrupted" && !math.IsInf(d, 1) {
		i.left = d
	}
	p.why = "elapsed"
	return i.String()
}

func (p *naiveActor) wait(d float64) string {
	if len(p.interrupts) > 0 {
		return p.interruption(d)
	}
	p.limit(p.k.time + d)
	p.block()
	if p.why != "elapsed" {
		return p.interruption(d)
	}
	return "ok"
}

func (k *naive) interrupt(id int, cause string) { k.actors[id].interrupt(cause) }

func (p *naiveActor) interrupt(cause string) *naiveInterrupt {
	k := p.k
	if p.state == "ended" || k.closed {
		return nil
	}
	i := &naiveInterrupt{cause: cause, by: "an event", at: k.time}
	if k.current != nil {
		i.by = k.current.name
	}
	p.interrupts = append(p.interrupts, i)
	switch p.state {
	case "waiting":
		if p.turn != nil {
			i.left = p.turn.at - k.time
		} else if p.works != nil {
			i.left = p.works.left
		}
		p.wake("interrupted")
		p.stopWaiting()
		if e := p.entry; e != nil {
			p.entry = nil
			e.withdraw()
		} else if p.awaits != nil {
			k.settle(p.awaits, true, "interrupted")
		}
	case "waking":
		if p.why == "happened" && (p.entry != nil && p.entry.grant != nil && p.entry.grant.giveBack() ||
			p.entry == nil && p.awaits != nil && k.settle(p.awaits, true, "interrupted")) {
			p.why = "interrupted"
		}
	}
	k.serveLeft()
	return i
}

// stopWaiting leaves what the process waits for.
func (p *naiveActor) stopWaiting() {
	if w := p.waiting; w != nil {
		p.waiting = nil
		p.k.forget(w)
		p.k.prune(w.root, false)
	}
}

// waitFor waits for what a wish has been made into.
func (p *naiveActor) waitFor(w *wish, d float64) (string, bool) {
	k := p.k
	root := k.made(p, w)
	if happened(root) {
		discard(root)
		return "ok", true
	}
	if len(p.interrupts) > 0 {
		discard(root)
		return p.interruption(d), false
	}
	asks := false
	leaves(root, false, func(w naiveWaitable) {
		_, is := w.(*naiveRequest)
		asks = asks || is
	})
	if p.why = "elapsed"; asks {
		p.awaits = root
	}
	p.waiting = &naiveWait{root, func() {
		p.waiting = nil
		p.wake("happened")
		k.prune(root, false)
		k.choose(root)
		k.settle(root, false, "happened")
	}}
	k.place(root, root)
	defer func() { p.awaits = nil }()
	switch {
	case happened(root):
		p.waiting = nil
		k.prune(root, false)
		k.choose(root)
		k.settle(root, false, "happened")
		k.serveLeft()
		k.see(root)
		return "ok", true
	case len(p.interrupts) > 0:
		p.stopWaiting()
		k.settle(root, true, "interrupted")
		p.awaits = nil
		k.serveLeft()
		return p.interruption(d), false
	}
	k.waits = append(k.waits, p.waiting)
	p.limit(k.time + d)
	p.block()
	switch p.why {
	case "elapsed":
		p.stopWaiting()
		k.settle(root, true, "elapsed")
		p.awaits = nil
		k.serveLeft()
		return "ok", false
	case "interrupted":
		return p.interruption(0), false
	}
	k.see(root)
	return "ok", true
}

// requests calls f for the requests in a condition.
func requests(w naiveWaitable, f func(*naiveRequest)) {
	leaves(w, false, func(w naiveWaitable) {
		if a, ok := w.(*naiveRequest); ok {
			f(a)
		}
	})
}

// choose marks the requests that made a condition happen.
func (k *naive) choose(w naiveWaitable) {
	switch w := w.(type) {
	case *naiveRequest:
		w.chosen = happened(w)
	case *naiveCondition:
		if w.any {
			k.choose(w.first())
			return
		}
		for _, one := range w.of {
			k.choose(one)
		}
	}
}

// settle gives back units that were granted and not chosen, or all that the process has not seen.
func (k *naive) settle(w naiveWaitable, all bool, why string) (back bool) {
	requests(w, func(a *naiveRequest) {
		if a.left {
			a.left = false
			a.queue.counts().gaveUp(why)
		}
		if a.seen || !happened(a) || a.chosen && !all {
			return
		}
		if a.chosen = false; a.grant == nil {
			a.seen = true
			return
		}
		a.grant.giveBack()
		a.as, back = naiveMoment{}, true
	})
	return back
}

func (k *naive) see(w naiveWaitable) {
	requests(w, func(a *naiveRequest) { a.seen = a.seen || a.chosen })
}

// A naiveRequest is a request as a part of a condition.
type naiveRequest struct {
	p                  *naiveActor
	queue              naiveQueue
	terms              terms
	n                  float64
	item               int
	where              func(int) bool
	grant              *naiveGrant
	entry              *naiveEntry
	as                 naiveMoment
	chosen, seen, left bool
}

func (a *naiveRequest) moment() naiveMoment { return a.as }

func (a *naiveRequest) place() {
	e := &naiveEntry{k: a.p.k, p: a.p, queue: a.queue, terms: a.terms, n: a.n, item: a.item, where: a.where, request: a}
	if d, ok := a.queue.(*naiveDesk); ok {
		a.grant = &naiveGrant{desk: d, p: a.p, n: int(a.n), rank: a.terms.rank}
		e.grant = a.grant
	}
	if _, ok := a.queue.(naiveEnd); ok && a.queue.atOnce(e) {
		a.granted(e)
		return
	}
	a.entry = e
	e.join()
	a.queue.serve()
}

func (a *naiveRequest) granted(e *naiveEntry) {
	k := a.p.k
	a.entry, a.item, a.as = nil, e.item, k.happening()
	if w := a.p.waiting; w != nil && !slices.Contains(k.waits, w) { // it is being placed
		k.telling++
		k.prune(w.root, true)
		k.telling--
		k.serveLeft()
		return
	}
	k.tell()
}

func (a *naiveRequest) leave() {
	if e := a.entry; e != nil {
		a.entry, a.left = nil, true
		e.withdraw()
	}
}

// A naiveQueue is a desk, a tank, or an end of a store or a tank.
type naiveQueue interface {
	entries() *[]*naiveEntry
	atOnce(*naiveEntry) bool
	serve()
	counts() *naiveCounts
}

type naiveCounts struct{ balked, reneged, withdrawn int }

func (c *naiveCounts) gaveUp(why string) {
	switch why {
	case "elapsed":
		c.reneged++
	case "interrupted":
	default:
		c.withdrawn++
	}
}

// A naiveEntry is a request in a queue: of a process, of a naiveRequest, or of an event.
type naiveEntry struct {
	k        *naive
	p        *naiveActor
	request  *naiveRequest
	told     func(string)
	queue    naiveQueue
	terms    terms
	number   int
	since    float64
	n        float64
	item     int
	where    func(int) bool
	grant    *naiveGrant
	until    *naiveWait
	patience *naiveEvent
}

func (e *naiveEntry) join() {
	e.number, e.since = e.k.number(), e.k.time
	l := e.queue.entries()
	i := 0
	for i < len(*l) && (*l)[i].terms.rank <= e.terms.rank {
		i++
	}
	*l = slices.Insert(*l, i, e)
}

func (e *naiveEntry) remove() {
	l := e.queue.entries()
	*l = slices.DeleteFunc(*l, func(other *naiveEntry) bool { return other == e })
}

// withdraw leaves the queue, which is served later.
func (e *naiveEntry) withdraw() {
	e.remove()
	e.k.left = append(e.k.left, e.queue.serve)
}

// served leaves the queue with what was requested.
func (e *naiveEntry) served() {
	e.remove()
	switch {
	case e.request != nil:
		e.request.granted(e)
	case e.told != nil:
		e.done()
		e.k.after(0, func() { e.told("ok") })
	default:
		e.p.stopWaiting()
		e.p.wake("happened")
	}
}

func (e *naiveEntry) queued() bool { return slices.Contains(*e.queue.entries(), e) }

// try makes a request of a process or an event, and reports whether it has to wait.
func (e *naiveEntry) try(until naiveWaitable) (result string, waits bool) {
	c := e.queue.counts()
	switch {
	case until != nil && happened(until):
		c.withdrawn++
		result = "withdrawn"
	case e.queue.atOnce(e):
		result = "ok"
	case len(*e.queue.entries()) >= e.terms.atMost:
		c.balked++
		result = "balked"
	default:
		return "", true
	}
	discard(until)
	return result, false
}

func (p *naiveActor) ask(e *naiveEntry) string {
	k := p.k
	e.k, e.p = k, p
	var until naiveWaitable
	if e.terms.until != nil {
		until = k.made(p, e.terms.until)
	}
	if result, waits := e.try(until); !waits {
		return result
	}
	if len(p.interrupts) > 0 {
		discard(until)
		return p.interruption(0)
	}
	p.entry = e
	e.join()
	if until != nil {
		p.waiting = &naiveWait{until, func() {
			p.waiting, p.entry = nil, nil
			k.prune(until, false)
			p.wake("withdrawn")
			e.withdraw()
		}}
		k.waits = append(k.waits, p.waiting)
		k.place(until, until)
	}
	p.limit(k.time + e.terms.patience)
	p.block()
	p.entry = nil
	switch p.why {
	case "elapsed":
		p.stopWaiting()
		e.withdraw()
		e.queue.counts().reneged++
		k.serveLeft()
		return "reneged"
	case "withdrawn":
		e.queue.counts().withdrawn++
		return "withdrawn"
	case "interrupted":
		return p.interruption(0)
	}
	return "ok"
}

// askThen makes a request of an event.
func (k *naive) askThen(e *naiveEntry) *naiveEntry {
	e.k = k
	var until naiveWaitable
	if e.terms.until != nil {
		until = k.made(nil, e.terms.until)
	}
	if result, waits := e.try(until); !waits {
		k.after(0, func() { e.told(result) })
		return e
	}
	e.join()
	if !math.IsInf(e.terms.patience, 1) {
		e.patience = k.schedule(k.time+e.terms.patience, 0, func() {
			e.withdraw()
			e.done()
			e.queue.counts().reneged++
			k.serveLeft()
			e.told("reneged")
		})
	}
	if until != nil {
		e.until = &naiveWait{until, func() {
			k.after(0, func() { e.told("withdrawn") })
			e.withdraw()
			e.done()
			e.queue.counts().withdrawn++
		}}
		k.waits = append(k.waits, e.until)
		k.place(until, until)
	}
	return e
}

// done drops what would end a request of an event.
func (e *naiveEntry) done() {
	e.k.cancel(e.patience)
	if e.until != nil {
		e.k.forget(e.until)
		e.k.prune(e.until.root, false)
	}
}

func (e *naiveEntry) cancelTicket() bool {
	if !e.queued() {
		return false
	}
	e.withdraw()
	e.done()
	e.queue.counts().withdrawn++
	e.k.serveLeft()
	return true
}

// A naiveDesk is a resource.
type naiveDesk struct {
	k               *naive
	capacity        int
	base            int // without what is broken
	down, outages   int
	rule            sim.WorkRule // when there were last made less
	queue           []*naiveEntry
	grants          []*naiveGrant // in use
	suspended       []*naiveGrant
	busy            bool
	usage, queued   float64
	waits           int
	waited          float64
	numbers         naiveCounts
	lost, stopped   int
	timetable       *table
	tableRule       sim.WorkRule
	untilEmpty      bool
	breaks          *breakdown
	failure         *naiveEvent
	broken, stopsAt bool
}

type naiveGrant struct {
	desk            *naiveDesk
	p               *naiveActor
	n, rank         int
	number          int // in the order in which they were granted
	since           float64
	held, suspended bool
	lost            string
	notice          *naiveInterrupt
	whole, left     float64 // of its work
}

func (d *naiveDesk) entries() *[]*naiveEntry { return &d.queue }

func (d *naiveDesk) counts() *naiveCounts { return &d.numbers }

func (d *naiveDesk) inUse() int {
	n := 0
	for _, g := range d.grants {
		n += g.n
	}
	return n
}

func (d *naiveDesk) free() int { return d.capacity - d.inUse() }

// goesOn returns the suspended grant that goes on first.
func (d *naiveDesk) goesOn() (first *naiveGrant) {
	for _, g := range d.suspended {
		if first == nil || g.rank < first.rank || g.rank == first.rank && g.number < first.number {
			first = g
		}
	}
	return first
}

func (d *naiveDesk) hold(g *naiveGrant, waited float64) {
	g.number, g.since, g.held = d.k.number(), d.k.time, true
	d.grants = append(d.grants, g)
	d.waits++
	d.waited += waited
}

func (d *naiveDesk) drop(g *naiveGrant) {
	g.held = false
	d.grants = slices.DeleteFunc(d.grants, func(other *naiveGrant) bool { return other == g })
}

func (d *naiveDesk) atOnce(e *naiveEntry) bool {
	s := d.goesOn()
	if len(d.queue) > 0 && d.queue[0].terms.rank <= e.terms.rank || s != nil && s.rank <= e.terms.rank {
		return false
	}
	if e.grant.n > d.free() && !d.preempt(e) {
		return false
	}
	d.hold(e.grant, 0)
	d.serve()
	return true
}

func (d *naiveDesk) serve() {
	for !d.busy {
		s := d.goesOn()
		if s != nil && (len(d.queue) == 0 || s.rank <= d.queue[0].terms.rank) {
			if s.n > d.free() {
				return
			}
			d.unsuspend(s)
			d.grants = append(d.grants, s)
			s.work()
			continue
		}
		if len(d.queue) == 0 {
			return
		}
		e := d.queue[0]
		if e.grant.n > d.free() {
			if !d.preempt(e) {
				return
			}
			if len(d.queue) == 0 || d.queue[0] != e {
				continue
			}
		}
		d.hold(e.grant, d.k.time-e.since)
		e.served()
	}
}

// canStop reports whether a rule can take the units of a grant.
func (g *naiveGrant) canStop(rule sim.WorkRule) bool {
	p := g.p
	switch {
	case p == nil:
		return false
	case p.works == g && p.state == "waiting":
		return p.turn.at > p.k.time
	case p.works == g && p.state == "running": // it begins
		return g.left > 0
	}
	return rule == sim.Interrupt
}

// victim returns which of those that yield loses its units first.
func (d *naiveDesk) victim(yields func(*naiveGrant) bool) (victim *naiveGrant, units int) {
	for _, g := range d.grants {
		if !yields(g) {
			continue
		}
		units += g.n
		if victim == nil || g.rank > victim.rank || g.rank == victim.rank && g.number > victim.number {
			victim = g
		}
	}
	return victim, units
}

func (d *naiveDesk) preempt(e *naiveEntry) bool {
	rule := e.terms.preempt
	yields := func(g *naiveGrant) bool {
		return rule > sim.Finish && g.rank > e.terms.rank && g.p != e.p && g.canStop(rule)
	}
	if _, units := d.victim(yields); e.grant.n > d.free()+units {
		return false
	}
	d.busy = true
	for e.grant.n > d.free() {
		g, _ := d.victim(yields)
		if rule == sim.Interrupt {
			by := "an event"
			if e.p != nil {
				by = e.p.name
			}
			d.take(g, by)
			continue
		}
		d.lost++
		d.suspend(g, rule)
	}
	d.busy = false
	return true
}

func (d *naiveDesk) take(g *naiveGrant, by string) {
	g.lost = fmt.Sprintf("held since %g, taken by %s", g.since, by)
	d.drop(g)
	d.lost++
	g.notice = g.p.interrupt(g.lost)
}

func (d *naiveDesk) suspend(g *naiveGrant, rule sim.WorkRule) {
	if p := g.p; p.turn != nil {
		g.left = p.turn.at - p.k.time
		p.k.cancel(p.turn)
		p.turn = nil
	}
	if rule == sim.Restart {
		g.left = g.whole
	}
	d.drop(g)
	g.held, g.suspended = true, true
	d.suspended = append(d.suspended, g)
	d.stopped++
}

func (d *naiveDesk) unsuspend(g *naiveGrant) {
	g.suspended = false
	d.suspended = slices.DeleteFunc(d.suspended, func(other *naiveGrant) bool { return other == g })
}

// work schedules the end of work that goes on.
func (g *naiveGrant) work() {
	if p := g.p; p.works == g && p.state == "waiting" {
		p.limit(p.k.time + g.left)
	}
}

// cutOff stops work until no more is in use than there is.
func (d *naiveDesk) cutOff() {
	d.busy = true
	for d.rule != sim.Finish && d.inUse() > d.capacity {
		g, _ := d.victim(func(g *naiveGrant) bool { return g.canStop(d.rule) })
		if g == nil {
			break
		}
		if d.rule == sim.Interrupt {
			d.take(g, "the desk")
		} else {
			d.suspend(g, d.rule)
		}
	}
	d.busy = false
}

func (d *naiveDesk) claim() {
	d.cutOff()
	d.serve()
}

// adapt sets the capacity.
func (d *naiveDesk) adapt(rule sim.WorkRule) {
	n := max(0, d.base-d.down)
	if d.outages > 0 {
		n = 0
	}
	if n == d.capacity {
		return
	}
	if n < d.capacity {
		d.rule = rule
	}
	d.capacity = n
	d.claim()
}

func (g *naiveGrant) release() {
	d := g.desk
	if p := g.p; g.lost != "" && p != nil {
		i := slices.Index(p.interrupts, g.notice)
		if i > 0 || i == 0 && !(p.state == "waking" && p.why == "interrupted") {
			p.interrupts = slices.Delete(p.interrupts, i, i+1)
		}
	}
	if d.k.closed || g.lost != "" {
		return
	}
	if g.suspended {
		d.unsuspend(g)
		g.held = false
		g.work()
	} else {
		d.drop(g)
	}
	d.serve()
}

func (g *naiveGrant) giveBack() bool {
	if g.held {
		g.desk.drop(g)
		g.desk.k.left = append(g.desk.k.left, g.desk.serve)
	}
	return true
}

func (p *naiveActor) request(desk, n int, t terms) (any, string) {
	d := p.k.desks[desk]
	g := &naiveGrant{desk: d, p: p, n: n, rank: t.rank}
	return g, p.ask(&naiveEntry{queue: d, terms: t, n: float64(n), grant: g})
}

func (p *naiveActor) doWork(g *naiveGrant, d float64) string {
	if len(p.interrupts) > 0 {
		return p.interruption(d)
	}
	if !g.held {
		return g.lost
	}
	g.whole, g.left, p.works = d, d, g
	defer func() { p.works = nil }()
	g.desk.claim()
	if g.suspended {
		d = math.Inf(1)
	}
	return p.wait(d)
}

func (p *naiveActor) workWith(grant any, d float64) string {
	g := grant.(*naiveGrant)
	result := p.doWork(g, d)
	if g.held && !g.suspended {
		desk := g.desk // what could not be taken from work that ended now is taken after this turn
		for _, e := range desk.queue[:min(1, len(desk.queue))] {
			if e.terms.preempt == sim.Interrupt && e.terms.rank < g.rank {
				p.k.after(0, desk.claim)
				return result
			}
		}
		if desk.rule == sim.Interrupt && desk.inUse() > desk.capacity {
			p.k.after(0, desk.claim)
		}
	}
	return result
}

func (p *naiveActor) work(desk, n int, d float64, t terms) string {
	g, result := p.request(desk, n, t)
	if result != "ok" {
		return result
	}
	defer g.(*naiveGrant).release()
	return p.doWork(g.(*naiveGrant), d)
}

func (k *naive) release(g any) { g.(*naiveGrant).release() }

func (k *naive) state(g any) (held, lost bool) {
	return g.(*naiveGrant).held, g.(*naiveGrant).lost != ""
}

func (k *naive) tryRequest(desk, n int) (any, bool) {
	d := k.desks[desk]
	if len(d.queue) > 0 || n > d.free() || len(d.suspended) > 0 {
		return nil, false
	}
	g := &naiveGrant{desk: d, p: k.current, n: n}
	d.hold(g, 0)
	return g, true
}

func (k *naive) requestThen(desk, n int, t terms, f func(any, string)) any {
	d := k.desks[desk]
	g := &naiveGrant{desk: d, n: n, rank: t.rank}
	return k.askThen(&naiveEntry{queue: d, terms: t, n: float64(n), grant: g, told: func(result string) { f(g, result) }})
}

func (k *naive) cancelTicket(t any) bool { return t.(*naiveEntry).cancelTicket() }

func (k *naive) setCapacity(desk, n int) {
	k.desks[desk].base = n
	k.desks[desk].adapt(sim.Finish)
}

// apply follows the timetable.
func (d *naiveDesk) apply() {
	units := d.timetable.at(d.k.time)
	if g := d.k.gate; units < d.base && d.untilEmpty && g.inside > 0 && !g.isOpen() {
		if !slices.Contains(g.waiting, d) {
			g.waiting = append(g.waiting, d)
		}
		return
	}
	d.base = units
	d.adapt(d.tableRule)
}

func (k *naive) follow(desk int, t *table, rule sim.WorkRule, untilEmpty bool) {
	d := k.desks[desk]
	d.timetable, d.tableRule, d.untilEmpty = t, rule, untilEmpty
	d.apply()
	k.each(t, d.apply)
}

// each calls f at each change of a timetable. The next is scheduled first.
func (k *naive) each(t *table, f func()) {
	at := t.next(k.time)
	if math.IsInf(at, 1) {
		return
	}
	k.schedule(at, 0, func() {
		k.each(t, f)
		f()
	})
}

func (k *naive) breakDown(desk int, b breakdown) {
	d := k.desks[desk]
	d.breaks = &b
	d.failure = k.schedule(k.time+b.toFailure, 0, d.fail)
	k.schedule(b.stop, 0, func() {
		if d.stopsAt = true; !d.broken {
			k.cancel(d.failure)
		}
	})
}

func (d *naiveDesk) fail() {
	d.broken = true
	if d.breaks.units > 0 {
		d.down += d.breaks.units
	} else {
		d.outages++
	}
	d.k.after(d.breaks.repair, d.repaired)
	d.adapt(d.breaks.rule)
}

func (d *naiveDesk) repaired() {
	d.broken = false
	if d.breaks.units > 0 {
		d.down -= d.breaks.units
	} else {
		d.outages--
	}
	if !d.stopsAt {
		d.failure = d.k.schedule(d.k.time+d.breaks.toFailure, 0, d.fail)
	}
	d.adapt(d.breaks.rule)
}

// A naiveStore has two queues.
type naiveStore struct {
	k        *naive
	capacity int
	items    []int
	getters  []*naiveEntry
	putters  []*naiveEntry
	numbers  naiveCounts
	contents float64
}

// A naiveEnd is a queue of a store.
type naiveEnd struct {
	*naiveStore
	putting bool
}

func (q naiveEnd) entries() *[]*naiveEntry {
	if q.putting {
		return &q.putters
	}
	return &q.getters
}

func (q naiveEnd) counts() *naiveCounts { return &q.numbers }

func (q naiveEnd) serve() {}

func (q naiveEnd) atOnce(e *naiveEntry) (ok bool) {
	if q.putting {
		return q.put(e.item)
	}
	e.item, ok = q.get(e.where)
	return ok
}

func (s *naiveStore) full() bool { return len(s.items) >= s.capacity }

func (s *naiveStore) put(v int) bool {
	if s.full() && (s.capacity > 0 || s.getter(v) == nil) {
		return false
	}
	s.add(v)
	return true
}

func (s *naiveStore) getter(v int) *naiveEntry {
	for _, e := range s.getters {
		if e.where == nil || e.where(v) {
			return e
		}
	}
	return nil
}

// add gives a thing to a getter, or keeps it.
func (s *naiveStore) add(v int) {
	if e := s.getter(v); e != nil {
		e.item = v
		e.served()
	} else {
		s.items = append(s.items, v)
	}
}

func (s *naiveStore) get(where func(int) bool) (int, bool) {
	for i, v := range s.items {
		if where == nil || where(v) {
			s.items = slices.Delete(s.items, i, i+1)
			for len(s.putters) > 0 && !s.full() {
				e := s.putters[0]
				e.served()
				s.add(e.item)
			}
			return v, true
		}
	}
	for _, e := range s.putters {
		if s.capacity == 0 && (where == nil || where(e.item)) {
			e.served()
			return e.item, true
		}
	}
	return 0, false
}

func (p *naiveActor) get(store int, where func(int) bool, t terms) (int, string) {
	e := &naiveEntry{queue: naiveEnd{p.k.stores[store], false}, terms: t, where: where}
	result := p.ask(e)
	return e.item, result
}

func (p *naiveActor) put(store, v int, t terms) string {
	return p.ask(&naiveEntry{queue: naiveEnd{p.k.stores[store], true}, terms: t, item: v})
}

func (k *naive) tryGet(store int) (int, bool) { return k.stores[store].get(nil) }

func (k *naive) tryPut(store, v int) bool { return k.stores[store].put(v) }

func (k *naive) getThen(store int, t terms, f func(int, string)) any {
	e := &naiveEntry{queue: naiveEnd{k.stores[store], false}, terms: t}
	e.told = func(result string) { f(e.item, result) }
	return k.askThen(e)
}

func (k *naive) putThen(store, v int, t terms, f func(string)) any {
	return k.askThen(&naiveEntry{queue: naiveEnd{k.stores[store], true}, terms: t, item: v, told: f})
}

// A naiveTank is a container.
type naiveTank struct {
	k                *naive
	capacity, amount float64
	getters, putters []*naiveEntry
	numbers          naiveCounts
	contents         float64
}

// A naiveHose is a queue of a container.
type naiveHose struct {
	*naiveTank
	putting bool
}

func (q naiveHose) entries() *[]*naiveEntry {
	if q.putting {
		return &q.putters
	}
	return &q.getters
}

func (q naiveHose) counts() *naiveCounts { return &q.numbers }

// change puts or gets an amount if it can.
func (t *naiveTank) change(by float64) bool {
	if t.amount+by < 0 || t.amount+by > t.capacity {
		return false
	}
	t.amount += by
	return true
}

func (t *naiveTank) serve() {
	for {
		switch {
		case len(t.getters) > 0 && t.change(-t.getters[0].n):
			t.getters[0].served()
		case len(t.putters) > 0 && t.change(t.putters[0].n):
			t.putters[0].served()
		default:
			return
		}
	}
}

func (q naiveHose) atOnce(e *naiveEntry) bool {
	if l := *q.entries(); len(l) > 0 && l[0].terms.rank <= e.terms.rank {
		return false
	}
	by := e.n
	if !q.putting {
		by = -by
	}
	if !q.change(by) {
		return false
	}
	q.serve()
	return true
}

func (p *naiveActor) pour(amount float64, t terms) string {
	return p.ask(&naiveEntry{queue: naiveHose{p.k.tank, amount > 0}, terms: t, n: math.Abs(amount)})
}

func (k *naive) tryPour(amount float64) bool {
	q := naiveHose{k.tank, amount > 0}
	if len(*q.entries()) > 0 || !q.change(amount) {
		return false
	}
	q.serve()
	return true
}

// A naiveGate has opening hours.
type naiveGate struct {
	k               *naive
	hours           *table
	open            bool
	inside, refused int
	area            float64
	opening         *naiveSignal
	closing         *naiveSignal
	waiting         []*naiveDesk
}

func (d *naiveGate) isOpen() bool { return d.hours.at(d.k.time) > 0 }

func (d *naiveGate) change() {
	was := d.open
	if d.open = d.isOpen(); d.open == was {
		return
	}
	g := &d.closing
	if d.open {
		g = &d.opening
	}
	old := *g
	*g = &naiveSignal{k: d.k}
	old.trigger()
}

func (p *naiveActor) visit(f func() string) string {
	d := p.k.gate
	if !d.isOpen() {
		d.refused++
		return "closed"
	}
	d.inside++
	defer d.leave()
	return f()
}

func (d *naiveGate) leave() {
	if d.k.closed {
		return
	}
	if d.inside--; d.inside > 0 {
		return
	}
	for len(d.waiting) > 0 {
		desk := d.waiting[0]
		d.waiting = d.waiting[1:]
		desk.apply()
	}
}

func (k *naive) trigger(i int) bool {
	if happened(k.signals[i]) {
		return false
	}
	k.signals[i].trigger()
	return true
}

func (k *naive) renew(i int) { k.signals[i] = &naiveSignal{k: k} }

// made makes what is waited for out of a wish, once.
func (k *naive) made(p *naiveActor, w *wish) naiveWaitable {
	if w.made != nil {
		return w.made.(naiveWaitable)
	}
	t := terms{rank: w.rank, preempt: w.preempt}
	var made naiveWaitable
	switch w.kind {
	case anyOf, allOf:
		c := &naiveCondition{any: w.kind == anyOf}
		for _, one := range w.of {
			c.of = append(c.of, k.made(p, one))
		}
		made = c
	case signal:
		made = k.signals[w.i]
	case closing:
		made = k.gate.closing
	case opening:
		made = k.gate.opening
	case ending:
		made = k.actors[w.i%len(k.actors)]
	case timeout:
		t := &naiveTimeout{naiveSignal: naiveSignal{k: k}, due: k.time + w.d, made: k.number()}
		t.event = k.schedule(t.due, 0, t.trigger)
		made = t
	case unit:
		made = &naiveRequest{p: p, queue: k.desks[w.i], terms: t, n: float64(w.n)}
	case thing:
		made = &naiveRequest{p: p, queue: naiveEnd{k.stores[w.i], false}, terms: t, where: w.where}
	case room:
		made = &naiveRequest{p: p, queue: naiveEnd{k.stores[w.i], true}, terms: t, item: w.n}
	case amount:
		made = &naiveRequest{p: p, queue: naiveHose{k.tank, w.n > 0}, terms: t, n: math.Abs(float64(w.n))}
	}
	w.made = made
	return made
}

func (k *naive) outcome(w *wish) (is bool, item int, grant any) {
	if w.made == nil {
		return false, 0, nil
	}
	made := w.made.(naiveWaitable)
	is = happened(made)
	if a, ok := made.(*naiveRequest); ok && is {
		if item = a.item; a.grant != nil {
			grant = a.grant
		}
	}
	return is, item, grant
}

func (k *naive) first(w *wish) int {
	if c, ok := w.made.(*naiveCondition); ok {
		return slices.Index(c.of, c.first())
	}
	return -1
}

func (k *naive) summary() (all []string) {
	for _, d := range k.desks {
		all = append(all, fmt.Sprint("desk: ", d.inUse(), d.capacity, len(d.queue), d.usage, d.queued, d.waits, d.waited,
			d.numbers, d.lost, d.stopped), "kept: "+fmt.Sprint(d.usage, d.usage, d.queued, d.waited, 0))
	}
	for _, s := range k.stores {
		all = append(all, fmt.Sprint("store: ", s.items, len(s.getters), len(s.putters), s.contents, s.numbers))
	}
	all = append(all, fmt.Sprint("tank: ", k.tank.amount, len(k.tank.getters), len(k.tank.putters), k.tank.contents,
		k.tank.numbers), fmt.Sprint("gate: ", k.gate.inside, k.gate.area, k.gate.refused))
	for _, p := range k.actors {
		if p.state != "ended" {
			all = append(all, p.name)
		}
	}
	return all
}

func newNaive(w world) kernel {
	k := &naive{}
	for _, n := range w.desks {
		k.desks = append(k.desks, &naiveDesk{k: k, capacity: n, base: n, rule: sim.Finish})
	}
	for _, n := range w.stores {
		k.stores = append(k.stores, &naiveStore{k: k, capacity: n})
	}
	k.tank = &naiveTank{k: k, capacity: 4, amount: 2}
	for range w.signals {
		k.signals = append(k.signals, &naiveSignal{k: k})
	}
	k.gate = &naiveGate{k: k, hours: w.hours, opening: &naiveSignal{k: k}, closing: &naiveSignal{k: k}}
	k.gate.open = k.gate.isOpen()
	k.each(w.hours, k.gate.change)
	return k
}
