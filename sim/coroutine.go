package sim

import (
	"fmt"
	"iter"
	"runtime"
	"runtime/debug"

	"github.com/almanac-sim/almanac/internal/panics"
)

// A coroutine is a place where a goroutine is parked while another runs. The goroutine that
// switches to a coroutine is parked there, and the one that was parked there runs. There is one
// coroutine for each worker, and one goroutine more, which runs. So each of the others is parked at
// a coroutine, but after some switches not at the one that it was created with.
//
//	runs: A    parked: 1 B, 2 C        A switches to coroutine 2:    runs: C    parked: 1 B, 2 A
//
// So a process that begins to wait switches to the next process directly. Returning to the
// dispatching goroutine first, as iterators do, would take two switches.
//
// A coroutine is made by iter.Pull, which is the only access to coroutines in Go. A switch needs
// neither the scheduler nor a channel. Its next and its yield do the same, alternately, and may be
// called from any goroutine, one at a time.
type coroutine struct {
	next      func() (struct{}, bool)
	yield     func(struct{}) bool
	yieldNext bool // next was called last, and yield is next
}

// swap parks the running goroutine, and returns when another one switches back to it.
func (at *coroutine) swap() {
	if at.yieldNext {
		at.yieldNext = false
		at.yield(struct{}{})
	} else {
		at.yieldNext = true
		at.next()
	}
}

// switchTo parks the running goroutine at a coroutine, and records that in place.
func (s *Simulation) switchTo(place **coroutine, at *coroutine) {
	*place = at
	if at.yieldNext { // as swap does; see pause
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

// relocate moves a parked goroutine to another coroutine: this one is needed for the end of its
// worker.
func (s *Simulation) relocate(place **coroutine) {
	for s.relocateTo != nil {
		at := s.relocateTo
		s.relocateTo = nil
		*place = at
		at.swap()
	}
}

// A worker is a goroutine that runs the functions of processes, one after the other: creating a
// goroutine costs more than the rest of a process.
type worker struct {
	own coroutine  // which it came with, and which goes with it
	co  *coroutine // where it stands while it has no process
	p   *Process   // the process that it runs; nil if the worker is to end
}

// idleSlack is how many more idle workers are kept than there are processes.
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

// work runs a process to its end: a return, a panic, the closing of the simulation, or
// runtime.Goexit. The last is repeated in the dispatching goroutine, as needed for a test that
// calls t.FailNow.
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

// fail records the panic of a process, unless it is the one by which Close ended it.
func (s *Simulation) fail(p *Process, value any) {
	if _, closing := value.(unwinding); closing || s.failure != nil {
		return
	}
	what := fmt.Sprintf("sim: process %s panicked at %g", p.name, s.now)
	s.failure = panics.New(what, value, debug.Stack(), true)
	s.failure.Process, s.failure.Time = p.name, s.now
}

// pick takes out what is due next, for a process that begins to wait or has ended, and returns the
// process whose turn it is. It returns nil if the dispatching goroutine has to go on: to call an
// event's function, which must not be on the stack of a process, to end the run, to check the
// context, or to panic. With a trace, in real time, and in Step, everything is dispatched there.
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

// coroutineOf returns where a process is parked that is to have its turn, or, for nil, where the
// dispatching goroutine is. A process that begins gets a worker.
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

// resume switches from the dispatching goroutine to a process, and returns when that goroutine has
// to go on. Other processes may have run meanwhile.
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

// assignWorker finds a worker for a process that begins.
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

// rethrow panics in the dispatching goroutine with the panic of a process.
func (s *Simulation) rethrow() {
	f := s.failure
	s.failure = nil
	panic(f)
}

// stopIdle ends idle workers until so many are left.
func (s *Simulation) stopIdle(left int) {
	for len(s.idle) > left {
		last := len(s.idle) - 1
		w := s.idle[last]
		s.idle[last] = nil
		s.idle = s.idle[:last]
		s.end(w)
	}
}

// end ends the goroutine of an idle worker. When it ends, the goroutine that is parked at the
// worker's own coroutine runs. That must be the caller, so a goroutine that is parked there is
// moved to where the worker is parked.
func (s *Simulation) end(w *worker) {
	if w.co != &w.own {
		s.relocateTo = w.co
	}
	s.co = &w.own
	s.co.swap()
}

// A PanicError is a panic of a process: [Simulation.Run] and [Simulation.Step] panic with it, in
// the goroutine that called them. It is also the error of a replication that panics, in a process
// or outside.
//
// Value is what the process panicked with, and Stack the stack at that moment, as
// runtime/debug.Stack has it. Process is the name of the process, and Time the simulated time;
// Process is empty if the panic was not in a process. The text of the error has all of them. It
// unwraps to Value, if that is an error. The packages of this module have one type for panics.
type PanicError = panics.Error
