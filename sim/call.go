package sim

import (
	"errors"
	"math"
)

// ErrNoValue is the error of an [Outcome] that is not there: the process has not ended, or it ended without returning, by a panic or
// because the simulation was closed.
var ErrNoValue = errors.New("sim: the process has not returned")

// An Outcome is what a process returns when it ends. It is a [Waitable], which happens with the end of the process.
type Outcome[T any] struct {
	p     *Process
	value T
	err   error
}

// Call starts a process that returns something, as [Simulation.Go] starts one that does not.
//
//	done := sim.Call(s, "cook", func(p *sim.Process) (Meal, error) { … })
//	meal, err := done.Wait(p)
func Call[T any](s *Simulation, name string, body func(p *Process) (T, error), opts ...EventOption) *Outcome[T] {
	if body == nil {
		panic("sim: process " + name + " needs a function, not nil")
	}
	o := &Outcome[T]{err: ErrNoValue}
	o.p = s.Go(name, func(p *Process) { o.value, o.err = body(p) }, opts...)
	return o
}

// Wait waits for the end of the process, and returns what it returned. The error is an *[Interrupted] if the waiting process was
// interrupted before; Happened tells that from an error of the same kind that the other process returned.
func (o *Outcome[T]) Wait(p *Process) (T, error) {
	v, _, err := o.WaitWithin(p, math.Inf(1))
	return v, err
}

// WaitWithin is [Outcome.Wait], but waits no longer than d, and tells whether the process has ended.
func (o *Outcome[T]) WaitWithin(p *Process, d float64) (v T, ended bool, err error) {
	if ended, err = p.WaitForWithin(o, d); !ended || err != nil {
		return v, ended, err
	}
	v, err = o.Value()
	return v, true, err
}

// Value is what the process returned, and [ErrNoValue] if it has not.
func (o *Outcome[T]) Value() (T, error) { return o.value, o.err }

// Process is the process, to be interrupted, or asked for its status.
func (o *Outcome[T]) Process() *Process { return o.p }

// Happened tells whether the process has ended.
func (o *Outcome[T]) Happened() bool { return o.p.Happened() }

func (o *Outcome[T]) moment() moment              { return o.p.moment() }
func (o *Outcome[T]) subscribe(sub *subscription) { o.p.subscribe(sub) }
func (o *Outcome[T]) asker() asker                { return nil }
func (o *Outcome[T]) owner() *Simulation          { return o.p.s }
func (o *Outcome[T]) label() string               { return o.p.label() }

// A SignalOf is a [Signal] that carries a value of a type.
type SignalOf[T any] struct {
	signal Signal
	value  T
}

// NewSignal makes a signal that carries a value. The name is for traces.
func NewSignal[T any](s *Simulation, name string) *SignalOf[T] {
	return &SignalOf[T]{signal: Signal{s: s, name: name}}
}

// Trigger makes the signal happen, with a value for those who wait. It panics if that was done before; see TryTrigger.
func (g *SignalOf[T]) Trigger(value T) {
	if !g.TryTrigger(value) {
		g.signal.refuseAgain()
	}
}

// TryTrigger makes the signal happen with a value, or reports false if that was done before: the first value counts.
func (g *SignalOf[T]) TryTrigger(value T) bool {
	if g.Happened() {
		return false
	}
	g.value = value
	g.signal.trigger()
	return true
}

// Wait waits for the signal, and returns what it was triggered with, or an *[Interrupted].
func (g *SignalOf[T]) Wait(p *Process) (T, error) {
	v, _, err := g.WaitWithin(p, math.Inf(1))
	return v, err
}

// WaitWithin is [SignalOf.Wait], but waits no longer than d, and tells whether the signal was triggered.
func (g *SignalOf[T]) WaitWithin(p *Process, d float64) (v T, happened bool, err error) {
	if happened, err = p.WaitForWithin(g, d); !happened || err != nil {
		return v, happened, err
	}
	return g.value, true, nil
}

// Value is what the signal was triggered with, and false before.
func (g *SignalOf[T]) Value() (T, bool) { return g.value, g.Happened() }

// Name is what the signal was called when it was made.
func (g *SignalOf[T]) Name() string { return g.signal.name }

// Happened tells whether the signal was triggered.
func (g *SignalOf[T]) Happened() bool { return g.signal.Happened() }

// Waiting is how many wait for the signal; see [Signal.Waiting].
func (g *SignalOf[T]) Waiting() int { return g.signal.Waiting() }

func (g *SignalOf[T]) moment() moment              { return g.signal.as }
func (g *SignalOf[T]) subscribe(sub *subscription) { g.signal.waiters.add(sub) }
func (g *SignalOf[T]) asker() asker                { return nil }
func (g *SignalOf[T]) owner() *Simulation          { return g.signal.s }
func (g *SignalOf[T]) label() string               { return g.signal.name }
