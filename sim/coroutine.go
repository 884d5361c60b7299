package sim

import (
	"fmt"
	"iter"
	"runtime/debug"
)

// A worker is a coroutine that runs the bodies of processes, one after the other: making a coroutine costs more than a
// process does otherwise. A switch between coroutines needs neither the scheduler nor a channel.
type worker struct {
	next  func() (struct{}, bool) // gives it the turn until it yields; only for the goroutine that dispatches
	stop  func()                  // makes yield return false
	yield func(struct{}) bool     // gives the turn back; only for the coroutine
	p     *Process                // whose body it runs
}

// idleSlack is how many more workers are kept for later than there are processes.
const idleSlack = 256

func newWorker(s *Simulation) *worker {
	w := new(worker)
	w.next, w.stop = iter.Pull(func(yield func(struct{}) bool) {
		w.yield = yield
		for {
			w.work()
			if s.closed {
				return
			}
			s.idle = append(s.idle, w)
			if !yield(struct{}{}) {
				return
			}
		}
	})
	return w
}

// work runs a process to its end, which may be a return, a panic, the closing of the simulation, or runtime.Goexit; the last
// goes on through iter.Pull in the goroutine that dispatches, as it should for a test that calls t.FailNow.
func (w *worker) work() {
	p := w.p
	p.yield = w.yield
	returned := false
	defer func() {
		if !returned {
			if v := recover(); v != nil {
				p.s.fail(p, v)
			}
			p.finish()
		}
		w.p = nil
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
	s.failure = &ProcessPanic{Process: p.name, Time: s.now, Value: value, Stack: debug.Stack()}
}

// resume gives a process its turn.
func (s *Simulation) resume(p *Process) {
	if p.state == unborn {
		s.hire(p)
	}
	if s.trace != nil && p.state != running { // else its turn was cut short, and goes on
		s.traceTurn(p)
	}
	p.state = running
	s.current = p
	p.next()
	s.current = nil
	if len(s.idle) > len(s.live)+idleSlack {
		s.dismiss(len(s.live) + idleSlack)
	}
	if s.failure != nil {
		s.surface()
	}
}

// hire finds a coroutine for a process that begins.
func (s *Simulation) hire(p *Process) {
	if last := len(s.idle) - 1; last >= 0 {
		p.worker = s.idle[last]
		s.idle = s.idle[:last]
	} else {
		p.worker = newWorker(s)
	}
	p.worker.p = p
	p.next = p.worker.next
}

// surface panics in the goroutine that dispatches with what a process panicked with.
func (s *Simulation) surface() {
	f := s.failure
	s.failure = nil
	panic(f)
}

// dismiss ends coroutines that have nothing to do, until so many are left.
func (s *Simulation) dismiss(left int) {
	for len(s.idle) > left {
		last := len(s.idle) - 1
		w := s.idle[last]
		s.idle[last] = nil
		s.idle = s.idle[:last]
		w.stop()
	}
}

// A ProcessPanic is what Run and Step panic with if a process panics.
type ProcessPanic struct {
	Process string  // the name of the process
	Time    float64 // when it was
	Value   any     // what the process panicked with
	Stack   []byte  // the stack of the process at that moment
}

// Error names the process, the time and what it panicked with, and shows the stack.
func (p *ProcessPanic) Error() string {
	return fmt.Sprintf("sim: process %s panicked at %g: %v\n\n%s", p.Process, p.Time, p.Value, p.Stack)
}

// Unwrap is what the process panicked with, if that was an error.
func (p *ProcessPanic) Unwrap() error {
	err, _ := p.Value.(error)
	return err
}
