package sim

import (
	"fmt"
	"iter"
	"runtime"
	"runtime/debug"
)

// A seat is where a goroutine stands still while another has the turn. Who switches to a seat stands there from then on, and who
// stood there goes on. There is a seat for each worker, and one goroutine more, which runs; so each of the others has a seat, but in
// time not that which it came with.
//
//	runs: A    seats: 1 B, 2 C        A switches to where C stands:    runs: C    seats: 1 B, 2 A
//
// So a process whose wait begins gives the turn to the one that is next by one switch. If it had to be given back to the goroutine
// that dispatches, as iterators do, there would be two.
//
// A seat is a coroutine of iter.Pull, which is the only way to one in Go. A switch needs neither the scheduler nor a channel. Its next and
// its yield do the same, by turns, and it does not matter to them which goroutine calls: it must only be one at a time.
type coroutine struct {
	next      func() (struct{}, bool)
	yield     func(struct{}) bool
	yieldNext bool // next was called last, and yield is next
}

// change makes the goroutine that runs stand at the seat, and returns when somebody changes with it.
func (at *coroutine) swap() {
	if at.yieldNext {
		at.yieldNext = false
		at.yield(struct{}{})
	} else {
		at.yieldNext = true
		at.next()
	}
}

// stand makes the goroutine that runs stand at a seat, of which place takes note.
func (s *Simulation) switchTo(place **coroutine, at *coroutine) {
	*place = at
	if at.yieldNext { // as change does; see pause
		at.yieldNext = false
		at.yield(struct{}{})
	} else {
		at.yieldNext = true
		at.next()
	}
	if s.relocateTo != nil {
		s.relocate(place)
	}
}

// makeWay goes on to another seat: this one is needed for the end of its worker.
func (s *Simulation) relocate(place **coroutine) {
	for s.relocateTo != nil {
		at := s.relocateTo
		s.relocateTo = nil
		*place = at
		at.swap()
	}
}

// A worker is a goroutine that runs the bodies of processes, one after the other: making one costs more than a process does
// otherwise.
type worker struct {
	own coroutine  // which it came with, and which goes with it
	co  *coroutine // where it stands while it has no process
	p   *Process   // whose body it runs; nil if it is to end
}

// idleSlack is how many more workers are kept for later than there are processes.
const idleSlack = 256

func newWorker(s *Simulation) *worker {
	w := new(worker)
	w.co = &w.own
	w.own.next, _ = iter.Pull(func(yield func(struct{}) bool) {
		w.own.yield = yield
		for w.p != nil {
			w.work(s)
			if q := s.pick(); q != nil && q.state == notStarted {
				w.p = q // it begins here: nothing is switched
				q.state = running
			} else {
				w.p = nil
				s.idle = append(s.idle, w)
				s.switchTo(&w.co, s.coroutineOf(q))
			}
		}
	})
	return w
}

// work runs a process to its end, which may be a return, a panic, the closing of the simulation, or runtime.Goexit; the last
// goes on in the goroutine that dispatches, as it should for a test that calls t.FailNow.
func (w *worker) work(s *Simulation) {
	p := w.p
	returned := false
	defer func() {
		if returned {
			return
		}
		v := recover()
		if v != nil {
			s.fail(p, v)
		}
		p.finish()
		if v == nil { // runtime.Goexit
			s.leaving = w
			s.switchTo(&w.co, s.co)
		}
	}()
	p.body(p)
	returned = true
	p.finish()
}

// fail notes the panic of a process, if it is not that by which Close ended it.
func (s *Simulation) fail(p *Process, value any) {
	if _, closing := value.(unwinding); closing || s.failure != nil {
		return
	}
	s.failure = &PanicError{Process: p.name, Time: s.now, Value: value, Stack: debug.Stack()}
}

// pick takes out what is due next for a process that gives its turn back, or has ended, and returns the process whose turn that is.
// It is nil if the goroutine that dispatches has to see to it: the call of an event's function, which must not be on the stack
// of a process, the end of the run, a look at the context, a panic. A run with a trace, or in real time, and Step, dispatch all there.
func (s *Simulation) pick() *Process {
	if !(s.limit >= s.now) || s.credit <= 1 || s.failure != nil || len(s.idle) >= s.live+idleSlack {
		return nil
	}
	id, ok := s.next(s.limit)
	if !ok {
		return nil
	}
	s.credit--
	sl := &s.slots[id]
	if sl.kind != turn {
		s.handed = id + 1
		return nil
	}
	s.dispatched++
	s.current = sl.p
	return sl.p
}

// seatOf is where a process stands that is to have its turn, at a worker if it begins; or the goroutine that dispatches, for nil.
func (s *Simulation) coroutineOf(p *Process) *coroutine {
	if p == nil {
		return s.co
	}
	if p.state == notStarted {
		s.assignWorker(p)
	}
	p.state = running
	return p.co
}

// resume gives a process its turn, for the goroutine that dispatches, and returns when that has to go on. Others may have had theirs meanwhile.
func (s *Simulation) resume(p *Process) {
	if s.trace != nil && p.state != running { // else its turn was cut short, and goes on
		s.traceTurn(p)
	}
	s.current = p
	s.turn(p)
	s.current = nil
	if len(s.idle) >= s.live+idleSlack {
		s.stopIdle(s.live + idleSlack - 1)
	}
	if s.failure != nil {
		s.rethrow()
	}
	if id := s.handed; id != 0 {
		s.handed = 0
		s.dispatch(id - 1)
	}
}

// turn switches to a process.
func (s *Simulation) turn(p *Process) {
	s.switchTo(&s.co, s.coroutineOf(p))
	if w := s.leaving; w != nil {
		s.leaving = nil
		s.end(w)
		runtime.Goexit()
	}
}

// hire finds a worker for a process that begins.
func (s *Simulation) assignWorker(p *Process) {
	var w *worker
	if last := len(s.idle) - 1; last >= 0 {
		w = s.idle[last]
		s.idle = s.idle[:last]
	} else {
		w = newWorker(s)
	}
	w.p = p
	p.co = w.co
}

// surface panics in the goroutine that dispatches with what a process panicked with.
func (s *Simulation) rethrow() {
	f := s.failure
	s.failure = nil
	panic(f)
}

// dismiss ends workers that have nothing to do, until so many are left.
func (s *Simulation) stopIdle(left int) {
	for len(s.idle) > left {
		last := len(s.idle) - 1
		w := s.idle[last]
		s.idle[last] = nil
		s.idle = s.idle[:last]
		s.end(w)
	}
}

// end lets a worker's goroutine end, which is about to as soon as it goes on. When it does, who stands at its own seat goes on. That must be the
// caller, so that whoever is there makes way, to where the worker stands.
func (s *Simulation) end(w *worker) {
	if w.co != &w.own {
		s.relocateTo = w.co
	}
	s.co = &w.own
	s.co.swap()
}

// A PanicError is a panic of a process: [Simulation.Run] and [Simulation.Step] panic with it, in the goroutine that called
// them. It is also the error of a replication that panics, in a process or outside.
type PanicError struct {
	Process string  // the name of the process; empty if it was not in a process
	Time    float64 // the simulated time, if it was in a process
	Value   any     // what the process panicked with
	Stack   []byte  // the stack at that moment
}

// Error names the process, the time and the value of the panic, and shows the stack.
func (e *PanicError) Error() string {
	if e.Process == "" {
		return fmt.Sprintf("panic: %v", e.Value)
	}
	return fmt.Sprintf("sim: process %s panicked at %g: %v\n\n%s", e.Process, e.Time, e.Value, e.Stack)
}

// Unwrap returns the value of the panic, if that is an error.
func (e *PanicError) Unwrap() error {
	err, _ := e.Value.(error)
	return err
}
