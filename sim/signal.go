package sim

// A Waitable is something that happens once, and that processes can wait for: a [Signal], the end of a [Process], or a
// [Condition] made of others.
type Waitable interface {
	// Happened tells whether it has happened.
	Happened() bool

	// happenedAs is the number of its happening, which tells what came first; 0 before.
	happenedAs() uint64
	// subscribe has the subscriber notified, once, when it happens. It must not have happened yet.
	subscribe(sub *subscription)
	// owner is the simulation that it belongs to.
	owner() *Simulation
	// label says what it is, in a trace.
	label() string
}

// A Signal is something that happens when it is triggered, once and for all. It may carry a value.
//
// Those who wait for it wake at the instant of triggering, as events of their own, in the order in which they began to wait.
// A signal takes 80 bytes; waiting for it allocates nothing.
type Signal struct {
	s       *Simulation
	name    string
	value   any
	as      uint64
	waiters subscribers
}

// Signal makes a signal. The name is for traces.
func (s *Simulation) Signal(name string) *Signal { return &Signal{s: s, name: name} }

// Timeout makes a signal that is triggered when d has passed. It panics if d is negative or not finite.
func (s *Simulation) Timeout(d float64) *Signal {
	s.checkTime(s.now+d, "Timeout", d)
	g := s.Signal("timeout")
	s.add(s.now+d, g.trigger, once, nil)
	return g
}

// Trigger makes the signal happen. It panics if that was done before; see TryTrigger.
func (g *Signal) Trigger() { g.TriggerWith(nil) }

// TriggerWith makes the signal happen, with a value for those who wait. It panics if that was done before.
func (g *Signal) TriggerWith(value any) {
	if g.as != 0 {
		panic("sim: signal " + g.name + " was triggered before; use TryTrigger, or a new signal for each occasion")
	}
	g.value = value
	g.trigger()
}

// TryTrigger makes the signal happen, or reports false if that was done before.
func (g *Signal) TryTrigger() bool {
	if g.as != 0 {
		return false
	}
	g.trigger()
	return true
}

func (g *Signal) trigger() {
	if g.as != 0 {
		return // somebody was faster than the timeout
	}
	g.as = g.s.happening()
	if g.s.trace != nil {
		g.s.record(Record{Kind: TraceTrigger, Who: g.s.who(), What: g.name})
	}
	g.waiters.fire()
}

// Name is what the signal was called when it was made.
func (g *Signal) Name() string { return g.name }

// Happened tells whether the signal was triggered.
func (g *Signal) Happened() bool { return g.as != 0 }

// Value is what the signal was triggered with, and nil before.
func (g *Signal) Value() any { return g.value }

// Waiting is how many wait for the signal: processes, conditions that are waited for, and runs.
func (g *Signal) Waiting() int { return g.waiters.count() }

func (g *Signal) happenedAs() uint64          { return g.as }
func (g *Signal) subscribe(sub *subscription) { g.waiters.add(sub) }
func (g *Signal) owner() *Simulation          { return g.s }
func (g *Signal) label() string               { return g.name }

// A subscription is the place of a waiter in the list of those who wait for the same. It belongs to the waiter, so that
// waiting allocates nothing, and leaving costs constant time.
type subscription struct {
	prev, next *subscription
	list       *subscribers // nil if it is in none
	who        subscriber
}

type subscriber interface{ notify(*subscription) }

// subscribers are in the order in which they came.
type subscribers struct {
	first, last *subscription
	of          *Condition // which need not watch others while nobody waits for it
}

func (l *subscribers) add(sub *subscription) {
	sub.list, sub.prev, sub.next = l, l.last, nil
	if l.last != nil {
		l.last.next = sub
	} else {
		l.first = sub
	}
	l.last = sub
}

func (l *subscribers) remove(sub *subscription) {
	if sub.prev != nil {
		sub.prev.next = sub.next
	} else {
		l.first = sub.next
	}
	if sub.next != nil {
		sub.next.prev = sub.prev
	} else {
		l.last = sub.prev
	}
	sub.list, sub.prev, sub.next = nil, nil, nil
}

// fire notifies all, in order. It takes each out before, so that it may subscribe to something else.
func (l *subscribers) fire() {
	for l.first != nil {
		sub := l.first
		l.remove(sub)
		sub.who.notify(sub)
	}
}

func (l *subscribers) count() int {
	n := 0
	for sub := l.first; sub != nil; sub = sub.next {
		n++
	}
	return n
}

// leave gives up the subscription, if there is one.
func (sub *subscription) leave() {
	l := sub.list
	if l == nil {
		return
	}
	l.remove(sub)
	if l.first == nil && l.of != nil {
		l.of.unwatch()
	}
}
