package sim

import (
	"math"

	"github.com/almanac-sim/almanac/sim/trace"
)

// A Signal happens when it is triggered, once. It may carry a value.
//
// The processes that wait for it wake at that instant, as events of their own, in the order in
// which they began to wait. A signal takes 80 bytes; waiting for it allocates nothing.
type Signal struct {
	s       *Simulation
	name    string
	value   any
	as      moment
	waiters subscribers
}

// Signal returns a signal. The name is for traces.
func (s *Simulation) Signal(name string) *Signal { return &Signal{s: s, name: name} }

// Trigger makes the signal happen. It panics if that was done before; see TryTrigger.
func (g *Signal) Trigger() { g.TriggerWith(nil) }

// TriggerWith makes the signal happen, with a value. It panics if that was done before.
func (g *Signal) TriggerWith(value any) {
	if g.Happened() {
		g.refuseAgain()
	}
	g.value = value
	g.trigger()
}

func (g *Signal) refuseAgain() {
	panic("sim: " + g.label() + " was triggered before; use TryTrigger, or a new signal for each occasion")
}

// TryTrigger makes the signal happen, or reports false if that was done before.
func (g *Signal) TryTrigger() bool {
	if g.Happened() {
		return false
	}
	g.trigger()
	return true
}

func (g *Signal) trigger() {
	if t := g.timeout(); t != nil {
		t.event.Cancel() // it may be triggered before its time
	}
	g.as = g.s.happening()
	if g.s.trace != nil {
		g.s.record(trace.Record{Kind: trace.Trigger, Who: g.s.who(), What: g.label()})
	}
	g.waiters.fire(g.s)
}

// Name is the name that the signal was made with.
func (g *Signal) Name() string { return g.name }

// Happened reports whether the signal was triggered.
func (g *Signal) Happened() bool { return g.moment().valid() }

// Value is the value that the signal was triggered with, nil before.
func (g *Signal) Value() any { return g.value }

// Waiting is the number of waiters: processes, conditions that are waited for, and runs.
func (g *Signal) Waiting() int { return g.waiters.count() }

func (g *Signal) moment() moment {
	if t := g.timeout(); t != nil && !g.as.valid() && t.passed() {
		return moment{t.time, t.number}
	}
	return g.as
}

func (g *Signal) subscribe(sub *subscription) {
	if t := g.timeout(); t != nil && !t.void && !t.event.Pending() {
		t.begin() // its waiters had left
	}
	g.waiters.add(sub)
}

func (g *Signal) requester() requester { return nil }

func (g *Signal) owner() *Simulation { return g.s }

func (g *Signal) label() string { return orElse(g.name, "a signal") }

// A SignalOf is a [Signal] that carries a value of type T.
type SignalOf[T any] struct {
	signal Signal
	value  T
}

// Trigger makes the signal happen, with a value. It panics if that was done before; see TryTrigger.
func (g *SignalOf[T]) Trigger(value T) {
	if !g.TryTrigger(value) {
		g.signal.refuseAgain()
	}
}

// TryTrigger makes the signal happen with a value, or reports false if that was done before: the
// first value counts.
func (g *SignalOf[T]) TryTrigger(value T) bool {
	if g.Happened() {
		return false
	}
	g.value = value
	g.signal.trigger()
	return true
}

// Wait waits for the signal, and returns the value that it was triggered with, or an
// *[Interrupted].
func (g *SignalOf[T]) Wait(p *Process) (T, error) {
	v, _, err := g.WaitWithin(p, math.Inf(1))
	return v, err
}

// WaitWithin is [SignalOf.Wait] with a limit d, and reports whether the signal was triggered.
func (g *SignalOf[T]) WaitWithin(p *Process, d float64) (v T, happened bool, err error) {
	if happened, err = p.WaitForWithin(g, d); !happened || err != nil {
		return v, happened, err
	}
	return g.value, true, nil
}

// Value returns the value that the signal was triggered with, and false before.
func (g *SignalOf[T]) Value() (T, bool) { return g.value, g.Happened() }

// Name is the name that the signal was made with.
func (g *SignalOf[T]) Name() string { return g.signal.name }

// Happened reports whether the signal was triggered.
func (g *SignalOf[T]) Happened() bool { return g.signal.Happened() }

// Waiting is the number of waiters; see [Signal.Waiting].
func (g *SignalOf[T]) Waiting() int { return g.signal.Waiting() }

func (g *SignalOf[T]) moment() moment { return g.signal.as }

func (g *SignalOf[T]) subscribe(sub *subscription) { g.signal.waiters.add(sub) }

func (g *SignalOf[T]) requester() requester { return nil }

func (g *SignalOf[T]) owner() *Simulation { return g.signal.s }

func (g *SignalOf[T]) label() string { return g.signal.label() }

// NewSignal returns a signal that carries a value. The name is for traces.
func NewSignal[T any](s *Simulation, name string) *SignalOf[T] {
	return &SignalOf[T]{signal: Signal{s: s, name: name}}
}

// A timeout is a signal that is triggered at a time. It is scheduled from when it is made until its
// last waiter has left before its time, and again while something waits for it. In between, the clock
// decides whether it has happened.
type timeout struct {
	Signal
	event  Event // its time, while it is pending
	time   float64
	number uint64 // when it was made, which decides what came first if it was not pending at its time
	void   bool   // it was cancelled
}

// Timeout returns a signal that is triggered after d. It panics if d is negative or not finite.
//
// When its waiters have left because something else happened first, it is no longer scheduled: a
// condition such as AnyOf(g, s.Timeout(1e9)) leaves no pending event. It still happens at its time,
// and can be waited for again; then it comes behind what was scheduled for the same time in
// between. [Signal.Cancel] cancels it for good.
func (s *Simulation) Timeout(d float64) *Signal {
	s.checkTime(s.now+d, "Timeout", d)
	t := &timeout{Signal: Signal{s: s, name: "timeout"}, time: s.now + d, number: s.number()}
	t.waiters.source = t
	t.begin()
	return &t.Signal
}

func (t *timeout) begin() { t.event = t.s.add(t.time, t.trigger, once, nil) }

// unsubscribed is called when the last waiter has left. At its own time the timeout stays scheduled:
// otherwise it would have happened, and before what its waiters left it for.
func (t *timeout) unsubscribed() {
	if t.s.now < t.time {
		t.event.Cancel()
	}
}

// passed reports whether its time came while it was not scheduled.
func (t *timeout) passed() bool { return t.s.now >= t.time && !t.void && !t.event.Pending() }

// cancelUnused unschedules the timeouts without waiters in a condition that has happened.
func cancelUnused(w Waitable) {
	switch w := w.(type) {
	case *Condition:
		for _, one := range w.of {
			cancelUnused(one)
		}
	case *Signal:
		if t := w.timeout(); t != nil && w.waiters.first == nil {
			t.unsubscribed()
		}
	}
}

// Cancel cancels a [Simulation.Timeout]: it does not happen, unless it is triggered. It reports
// false if it has already happened, was canceled before, or is a signal without a time.
func (g *Signal) Cancel() bool {
	t := g.timeout()
	if t == nil || t.void || g.Happened() {
		return false
	}
	t.void = true
	t.event.Cancel()
	return true
}

// timeout returns the timeout that the signal is part of, or nil.
func (g *Signal) timeout() *timeout {
	if g.waiters.source == nil {
		return nil
	}
	return g.waiters.source.(*timeout)
}
