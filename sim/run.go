package sim

import (
	"context"
	"errors"
	"fmt"
	"math"
)

// ErrIdle is what [Simulation.RunUntil] returns if nothing is left to happen, and what it runs for has not happened.
var ErrIdle = errors.New("sim: nothing is left to happen")

// batch is how many events pass between two looks at the context. What a process does without giving its turn back counts as well.
const batch = 256

// Run dispatches every event up to and including time until, those that are scheduled meanwhile among them; then the clock stands
// at until. If until is +∞, Run goes on until nothing is left to happen, and the clock stands at the last event.
//
// It returns an error only if the context is done, which it looks at every 256 events; a wait that is over at once, and a request
// to a resource, a store or a container, counts as one. Then, and after [Simulation.Stop], the clock stands at the last event
// dispatched, and Run can be called again to go on from there, be it in the middle of a process's turn: what happens does not
// depend on where a run was cut. A function that goes on for ever without such a call cannot be stopped.
//
// It panics if until is before now or not a number, if it is called from within the simulation, and with a *[ProcessPanic] if
// a process panics.
func (s *Simulation) Run(ctx context.Context, until float64) error {
	if !(until >= s.now) {
		panic(fmt.Sprintf("sim: Run until %g is before now, %g", until, s.now))
	}
	s.enter("Run")
	defer s.leave()
	idle, err := s.run(ctx, until)
	if idle && !math.IsInf(until, 1) {
		s.now = until
	}
	return err
}

// RunUntil dispatches events until w has happened, and returns nil right after the event by which it did: those who wait for
// it have not had their turn yet. It returns [ErrIdle] if nothing is left to happen, the context's error if that is done, and
// nil after [Simulation.Stop].
//
// To limit the time, wait for AnyOf(w, s.Timeout(d)). It panics as [Simulation.Run] does, and if w belongs to another simulation.
func (s *Simulation) RunUntil(ctx context.Context, w Waitable) error {
	s.checkOwn(w, "RunUntil")
	if w.asker() != nil {
		panic("sim: RunUntil " + w.label() + ": there is a request in it, for which only its process can wait")
	}
	if w.Happened() {
		forgo(w)
		return nil
	}
	s.enter("RunUntil")
	defer s.leave()
	var sub subscription
	sub.who = s
	w.subscribe(&sub)
	defer sub.leave()
	idle, err := s.run(ctx, math.Inf(1))
	if idle && !w.Happened() {
		return ErrIdle
	}
	return err
}

// notify ends RunUntil.
func (s *Simulation) notify(*subscription) { s.Stop() }

// Step dispatches the next event, and reports false if there is none. It has no context, and returns when the event is over.
func (s *Simulation) Step() bool {
	s.enter("Step")
	defer func() {
		s.running, s.current = false, nil
		if s.live == 0 && s.Pending() == 0 {
			s.dismiss(0)
		}
	}()
	if s.cut != nil {
		s.proceed()
		return true
	}
	id, ok := s.next(math.Inf(1))
	if ok {
		s.dispatch(id)
	}
	return ok
}

// run dispatches events by the limit, and tells whether there was none left.
func (s *Simulation) run(ctx context.Context, limit float64) (idle bool, err error) {
	s.ctx = ctx
	if s.speed > 0 {
		return s.runReal(ctx, limit)
	}
	if s.trace == nil {
		s.limit = limit
	}
	for {
		if err := ctx.Err(); err != nil {
			return false, err
		}
		s.credit = batch
		if s.cut != nil {
			if s.proceed(); s.stopped {
				return false, nil
			}
		}
		for ; s.credit > 0; s.credit-- {
			id, ok := s.next(limit)
			if !ok {
				return true, nil
			}
			s.dispatch(id)
			if s.stopped {
				return false, nil
			}
		}
	}
}

// dispatch makes happen what a slot holds, which has been taken out of what is pending.
func (s *Simulation) dispatch(id uint32) {
	s.dispatched++
	sl := &s.slots[id]
	switch f := sl.f; sl.kind {
	case turn:
		s.resume(sl.p)
		return
	case once:
		if s.trace != nil {
			s.traceEvent(id)
		}
		*sl = slot{}
		s.vacant = append(s.vacant, id)
		f()
	case repeated:
		if s.trace != nil {
			s.traceEvent(id)
		}
		f()
	}
}

// step counts something that whoever has the turn does without giving it back.
func (s *Simulation) step() {
	if s.credit--; s.credit <= 0 {
		s.look()
	}
}

// look looks at the context in the middle of an event. If it is done, the event is the last one before Run looks itself, and
// a process does not go on with its turn until there is another run.
func (s *Simulation) look() {
	if s.closing != nil {
		s.unwind()
	}
	s.credit = batch
	if s.ctx == nil || s.ctx.Err() == nil {
		return
	}
	s.credit = 0
	if p := s.current; p != nil {
		s.cut = p
		s.stand(&p.at, s.at)
		if s.closed {
			panic(unwinding{})
		}
	}
}

// proceed lets the process go on whose turn was cut short.
func (s *Simulation) proceed() {
	p := s.cut
	s.cut = nil
	s.resume(p)
}

// enter begins to dispatch.
func (s *Simulation) enter(call string) {
	switch {
	case s.closed:
		panic("sim: " + call + " of a closed simulation")
	case s.running && s.current != nil:
		panic("sim: " + call + " called from within process " + s.current.name + "; wait instead")
	case s.running:
		panic("sim: " + call + " called from within an event; schedule instead")
	}
	s.running, s.stopped = true, false
}

// leave ends a run, however it ended.
func (s *Simulation) leave() {
	s.running, s.current, s.ctx, s.limit = false, nil, nil, math.Inf(-1)
	if s.live == 0 {
		s.dismiss(0)
	}
}
