package sim

import (
	"math"
	"strings"
)

// A Waitable is something that happens once, and that processes can wait for: a [Signal], a
// [SignalOf], the end of a [Process], the [Outcome] of one, a [Request], or a [Condition] made of
// others.
type Waitable interface {
	// Happened reports whether it has happened.
	Happened() bool

	// moment is when it happened, and not valid before.
	moment() moment
	// subscribe has the subscriber notified, once, when it happens. It must not have happened yet.
	// If it is a request, it may happen in the call.
	subscribe(sub *subscription)
	// requester is itself if it contains a request, and nil otherwise.
	requester() requester
	// owner is the simulation that it belongs to.
	owner() *Simulation
	// label says what it is, in a trace.
	label() string
}

// A moment orders what has happened: by time, and at equal times by number.
type moment struct {
	time   float64
	number uint64 // 0 if it is none
}

// beginning is the number of what has happened from the start.
const beginning = 1

func (m moment) valid() bool { return m.number != 0 }

func (m moment) before(other moment) bool {
	return m.time < other.time || m.time == other.time && m.number < other.number
}

// happening returns the moment of something that happens now.
func (s *Simulation) happening() moment { return moment{s.now, s.number()} }

// A subscription is an entry in the list of those that wait for the same thing. It belongs to the
// waiter, so waiting allocates nothing, and unsubscribing costs constant time.
type subscription struct {
	prev, next *subscription // the first one's prev is the last, whose next is nil
	list       *subscribers  // nil if it is in none
	who        subscriber
}

type subscriber interface{ notify(*subscription) }

// subscribers are a list in the order of subscribing.
type subscribers struct {
	first  *subscription
	source source // notified when the last subscriber leaves; may be nil
}

// A source wants to know when its last subscriber leaves: a condition stops watching its parts, a
// timeout is unscheduled, and a request leaves its queue.
type source interface {
	// unsubscribed is called when the last subscriber has left, and not when it has happened.
	unsubscribed()
}

func (l *subscribers) add(sub *subscription) {
	sub.list, sub.next = l, nil
	if l.first == nil {
		l.first, sub.prev = sub, sub
		return
	}
	last := l.first.prev
	last.next, sub.prev, l.first.prev = sub, last, sub
}

func (l *subscribers) remove(sub *subscription) {
	switch {
	case sub != l.first:
		sub.prev.next = sub.next
		if sub.next != nil {
			sub.next.prev = sub.prev
		} else {
			l.first.prev = sub.prev
		}
	case sub.next != nil:
		l.first = sub.next
		l.first.prev = sub.prev
	default:
		l.first = nil
	}
	sub.list, sub.prev, sub.next = nil, nil, nil
}

// fire notifies all subscribers in order. Each is removed first, so that it may subscribe to
// something else. Queues that requests leave meanwhile are served at the end, so that nothing is
// granted to a request that is about to leave.
func (l *subscribers) fire(s *Simulation) {
	if l.first == nil {
		return
	}
	s.firing++
	for l.first != nil {
		sub := l.first
		l.remove(sub)
		sub.who.notify(sub)
	}
	s.firing--
	s.serveLeft()
}

func (l *subscribers) count() int {
	n := 0
	for sub := l.first; sub != nil; sub = sub.next {
		n++
	}
	return n
}

// unsubscribe leaves the list, if the subscription is in one.
func (sub *subscription) unsubscribe() {
	l := sub.list
	if l == nil {
		return
	}
	l.remove(sub)
	if l.first == nil && l.source != nil {
		l.source.unsubscribed()
	}
}

// A Condition is made of other Waitables: it happens with the last of them ([AllOf]) or with the
// first ([AnyOf]). It is a [Waitable] itself, so conditions can be nested.
//
// It happens at the same moment as what makes it happen, without an event of its own. It watches
// its parts only while something waits for it, so an unused condition costs nothing. Happened looks
// at each of the parts.
type Condition struct {
	s          *Simulation // nil if it is made of nothing
	of         []Waitable
	any        bool
	hasRequest bool           // there is a request among them
	as         moment         // of the part that made it happen, if known and no request can be given back
	subs       []subscription // to the parts, while something waits
	left       int            // how many parts must still happen, while something waits
	placing    bool           // it subscribes to the others, some of which may happen thereby
	waiters    subscribers
}

// AllOf returns the condition that all of the given have happened. With none it has happened from
// the start.
func AllOf(ws ...Waitable) *Condition { return newCondition(ws, false) }

// AnyOf returns the condition that at least one of the given has happened. It panics if none is
// given, since it would never happen.
func AnyOf(ws ...Waitable) *Condition {
	if len(ws) == 0 {
		panic("sim: AnyOf needs at least one thing that may happen")
	}
	return newCondition(ws, true)
}

func newCondition(ws []Waitable, any bool) *Condition {
	c := &Condition{of: append([]Waitable(nil), ws...), any: any}
	for _, w := range ws {
		if w == nil {
			panic("sim: a condition of nil")
		}
		if s := w.owner(); s != nil && c.s != nil && s != c.s {
			panic("sim: a condition of " + c.of[0].label() + " and " + w.label() + ", which belongs to another simulation")
		} else if s != nil {
			c.s = s
		}
		c.hasRequest = c.hasRequest || w.requester() != nil
	}
	c.waiters.source = c
	if len(ws) == 0 {
		c.as = moment{math.Inf(-1), beginning}
	}
	return c
}

// Happened reports whether the condition has happened.
func (c *Condition) Happened() bool { return c.moment().valid() }

// First returns the part that happened first, or nil if none has. For AnyOf, it is what made the
// condition happen.
func (c *Condition) First() Waitable {
	var first Waitable
	var least moment
	for _, w := range c.of {
		if as := w.moment(); as.valid() && (first == nil || as.before(least)) {
			first, least = w, as
		}
	}
	return first
}

// All returns the parts that have happened, in the order in which they were given.
func (c *Condition) All() []Waitable {
	var all []Waitable
	for _, w := range c.of {
		if w.Happened() {
			all = append(all, w)
		}
	}
	return all
}

func (c *Condition) moment() moment {
	if c.as.valid() {
		return c.as
	}
	var as moment
	for _, w := range c.of {
		one := w.moment()
		switch {
		case c.any && one.valid() && (!as.valid() || one.before(as)), !c.any && one.valid() &&
			(!as.valid() || as.before(one)):
			as = one
		case !c.any && !one.valid():
			return one
		}
	}
	if !c.hasRequest {
		c.as = as
	}
	return as
}

func (c *Condition) subscribe(sub *subscription) {
	c.waiters.add(sub)
	if c.waiters.first == sub {
		c.watch()
	}
}

// watch subscribes to the parts that have not happened. A request among them may be granted at
// once, and then any is enough.
func (c *Condition) watch() {
	if c.subs == nil {
		c.subs = make([]subscription, len(c.of))
	}
	c.left, c.placing = len(c.of), true
	for i, w := range c.of {
		if w.Happened() {
			c.left--
		} else {
			c.subs[i].who = c
			w.subscribe(&c.subs[i])
		}
		if c.complete() {
			break
		}
	}
	if c.placing = false; c.complete() {
		c.happen()
	}
}

// complete reports whether enough parts have happened.
func (c *Condition) complete() bool { return c.left == 0 || c.any && c.left < len(c.of) }

// unsubscribed drops the subscriptions to the parts.
func (c *Condition) unsubscribed() {
	for i := range c.subs {
		c.subs[i].unsubscribe()
	}
}

// notify is called when a part has happened.
func (c *Condition) notify(*subscription) {
	if c.left--; !c.placing && c.complete() {
		c.happen()
	}
}

func (c *Condition) happen() {
	c.unsubscribed()
	c.waiters.fire(c.s)
}

func (c *Condition) owner() *Simulation { return c.s }

func (c *Condition) label() string {
	var labels []string
	for _, w := range c.of {
		labels = append(labels, w.label())
	}
	if c.any {
		return "any of (" + strings.Join(labels, ", ") + ")"
	}
	return "all of (" + strings.Join(labels, ", ") + ")"
}

func (c *Condition) requester() requester {
	if c.hasRequest {
		return c
	}
	return nil
}

// each calls f with the parts that contain requests.
func (c *Condition) each(f func(requester)) {
	for _, w := range c.of {
		if a := w.requester(); a != nil {
			f(a)
		}
	}
}

func (c *Condition) check(p *Process) { c.each(func(a requester) { a.check(p) }) }

func (c *Condition) markSeen() { c.each(func(a requester) { a.markSeen() }) }

func (c *Condition) choose() {
	if !c.any {
		c.each(func(a requester) { a.choose() })
	} else if first := c.First(); first != nil && first.requester() != nil {
		first.requester().choose()
	}
}

func (c *Condition) settle(all bool, why reason) (back bool) {
	c.each(func(a requester) { back = a.settle(all, why) || back })
	return back
}
