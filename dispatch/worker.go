package dispatch

import (
	"context"
	"errors"
	"fmt"
	"log/slog"
	"runtime/debug"
	"time"

	"github.com/almanac-sim/almanac/dispatch/health"
	"github.com/almanac-sim/almanac/internal/panics"
)

// The goroutine of a worker: in one step it counts the outcome of its item and takes the next.

// A PanicError reports that the function of a worker panicked or called runtime.Goexit. It is
// always used as a pointer. Value is the argument of panic, and Stack the stack of the goroutine;
// the text of the error is without the stack. It unwraps to Value, if that is an error.
//
// The packages of this module have one type for panics: Process and Time are those of package sim.
type PanicError = panics.Error

// errGoexit is the value of a PanicError after runtime.Goexit.
var errGoexit = errors.New("it called runtime.Goexit")

// An outcome is what became of the item of a worker.
type outcome uint8

const (
	noItem outcome = iota // there was none
	served
	erred // served, with an error that counts as a failure of the worker
	panicked
)

// An action is what a worker does next.
type action uint8

const (
	doServe action = iota
	doPark
	doEnd
)

// add starts a worker.
func (s *scheduler[P]) add(f func(context.Context, P)) WorkerID {
	s.lock()
	w := &worker[P]{id: s.lastID, f: f, token: make(chan struct{}, 1)}
	w.bin.Of = w
	s.lastID++
	late := s.ending
	if !late {
		s.byID[w.id] = w
		s.workers = append(s.workers, w)
		s.update(w)
		s.fillSlots()
		go s.run(w, noItem, *new(P))
	}
	s.unlock()
	s.debug("a worker was added", "worker", uint64(w.id), "too late", late)
	return w.id
}

// run is the loop of a worker's goroutine. A goroutine that runtime.Goexit has ended is replaced by
// another, which starts with the outcome of the item.
func (s *scheduler[P]) run(w *worker[P], o outcome, v P) {
	for {
		next, todo := s.next(w, o)
		if o != noItem && s.done != nil {
			s.done(v)
		}
		v = next
		switch todo {
		case doServe:
			o = s.serve(w, v)
		case doPark:
			o = noItem
			<-w.token
		case doEnd:
			return
		}
	}
}

// next is a step of a worker: it counts the outcome of its item, if it had one, and takes the next.
func (s *scheduler[P]) next(w *worker[P], o outcome) (v P, todo action) {
	s.lock()
	defer s.unlock()
	if o != noItem {
		w.busy = false
		s.inService--
		w.served++
		switch o {
		case served, erred:
			s.total.Served++
		case panicked:
			s.total.Failed++
		}
	}
	s.expire()
	if o != noItem && !w.removed {
		s.updateHealth(w, o)
	}
	if !w.removed {
		// If an item is in the pool, only this worker can have a slot, and only if it has just
		// finished an item: a worker that was woken for an accepted item may have c items.
		if it := s.pool.Head; it != nil && w.load() < s.capacityOf(w) {
			s.pool.Remove(it)
			s.accept(w, it)
		} else {
			s.update(w)
		}
		if s.blocked.Len > 0 {
			s.fillSlots()
		}
		s.steal(w)
	}
	if it := w.queue.Head; it != nil {
		now := s.now()
		w.queue.Remove(it)
		s.removeAccepted(it)
		it.Value.worker = nil
		w.busy, w.since, w.attempt = true, now, w.health.Begin(nil)
		s.inService++
		s.total.Waits.Add(time.Duration(max(now-it.Arrival, 0)))
		return s.recycle(it), doServe
	}
	s.endIfDrained()
	if w.removed {
		s.exit(w)
		return v, doEnd
	}
	w.parked = true
	return v, doPark
}

// steal gives a worker without items the oldest accepted item of another worker. The pool is empty
// then and no item is blocked, or this worker would have got one; so no item needs the slot that
// becomes free.
func (s *scheduler[P]) steal(w *worker[P]) {
	if w.queue.Len > 0 || s.capacityOf(w) == 0 || s.accepted.Len == 0 {
		return
	}
	it := s.accepted.Head
	s.unassign(it)
	s.accept(w, it)
	s.total.Moved++
}

// serve calls the function of a worker for an item, and recovers from panics.
func (s *scheduler[P]) serve(w *worker[P], v P) (o outcome) {
	o = panicked
	defer func() {
		if o == panicked {
			s.recovered(w, v, recover())
		}
	}()
	w.f(s.ctx, v)
	if s.blames != nil && s.blames(v) {
		return erred
	}
	return served
}

// updateHealth ejects a worker that has failed, and returns its items to the pool; or makes one
// healthy that was half-open.
func (s *scheduler[P]) updateHealth(w *worker[P], o outcome) {
	if o == served {
		w.health.Responded(w.attempt)
		w.health.End(w.attempt, health.Success, s.rule, 0, nil)
		return
	}
	w.health.End(w.attempt, health.Failure, s.rule, s.now(), func(epoch uint64) { s.reopen(w, epoch) })
	if w.health.Ejected() {
		s.update(w)
		s.returnItems(w)
		s.fillSlots()
	}
}

// reopen tries an ejected worker again.
func (s *scheduler[P]) reopen(w *worker[P], epoch uint64) {
	s.lock()
	defer s.unlock()
	if w.health.Is(epoch) && w.health.Reopen() {
		s.update(w)
		s.fillSlots()
		s.wake(w) // it may steal
	}
}

// recovered handles a panic, or runtime.Goexit: then value is nil, and a new goroutine continues.
func (s *scheduler[P]) recovered(w *worker[P], v P, value any) {
	err := s.notePanic("a worker", value, slog.Uint64("worker", uint64(w.id)))
	if value == nil {
		defer func() { go s.run(w, panicked, v) }()
	}
	if s.fail != nil {
		s.fail(v, err)
	}
}

// notePanic counts and logs a panic. Without a value it was runtime.Goexit.
func (s *scheduler[P]) notePanic(of string, value any, attrs ...any) *PanicError {
	err := panics.New("dispatch: "+of+" panicked", value, debug.Stack(), false)
	if value == nil {
		err.Value = errGoexit
	}
	s.lock()
	s.total.Panics++
	s.unlock()
	if s.log != nil {
		s.log.Error("dispatch: "+of+" panicked",
			append(attrs, "value", fmt.Sprint(err.Value), "stack", string(err.Stack))...)
	}
	return err
}
