package dispatch

import (
	"context"
	"errors"
	"fmt"
	"runtime/debug"
	"time"
)

// What the goroutine of a worker does: it takes an item, works, says what became of it and takes the next, in one step.

// A PanicError says that a worker's function did not return.
type PanicError struct {
	Value any    // what it panicked with
	Stack []byte // where
}

// Error says what the function panicked with.
func (e *PanicError) Error() string { return fmt.Sprintf("dispatch: a worker panicked: %v", e.Value) }

// Unwrap is what the function panicked with, if that was an error.
func (e *PanicError) Unwrap() error {
	err, _ := e.Value.(error)
	return err
}

// errGoexit is the value of a PanicError that was none.
var errGoexit = errors.New("it called runtime.Goexit")

// outcome is what became of the item that a worker had.
type outcome uint8

const (
	noItem outcome = iota // there was no item
	served
	panicked
	tooOld
)

// add starts a worker.
func (d *scheduler[P]) add(f func(context.Context, P)) WorkerID {
	d.lock()
	w := &worker[P]{id: d.lastID, f: f, wake: make(chan struct{}, 1)}
	w.bin.Of = w
	d.lastID++
	late := d.ending
	if !late {
		d.byID[w.id] = w
		d.workers = append(d.workers, w)
		d.update(w)
		d.fillSlots()
		go d.run(w, noItem, *new(P))
	}
	d.unlock()
	d.debug("a worker was added", "worker", uint64(w.id), "too late", late)
	return w.id
}

// balance has a worker that has nothing take the oldest item that waits at another. Nobody is in the pool or outside then, or it would have
// been given to this worker; so nobody wants the slot that the other now has.
func (d *scheduler[P]) steal(w *worker[P]) {
	if w.queue.Len > 0 || w.removed || d.accepted.Len == 0 {
		return
	}
	it := d.accepted.Head
	d.unassign(it)
	d.accept(w, it)
	d.total.Moved++
}

// what is what a worker is to do next.
type action uint8

const (
	doServe action = iota
	doDrop
	doSleep
	doEnd
)

// run is the life of a worker's goroutine. One that a function has ended by runtime.Goexit is followed by another, which is told what
// became of the item.
func (d *scheduler[P]) run(w *worker[P], became outcome, v P) {
	for {
		next, todo := d.next(w, became)
		if became != noItem && d.done != nil {
			d.done(v)
		}
		v = next
		switch todo {
		case doServe, doDrop:
			became = d.serve(w, v, todo == doDrop)
		case doSleep:
			became = noItem
			<-w.wake
		case doEnd:
			return
		}
	}
}

// next is a step of a worker: it counts what became of its item, if it had one, and takes the next.
func (d *scheduler[P]) next(w *worker[P], became outcome) (v P, todo action) {
	d.lock()
	defer d.unlock()
	if became != noItem {
		w.busy = false
		d.inService--
		w.served++
		switch became {
		case served:
			d.total.Served++
		case panicked:
			d.total.Failed++
		case tooOld:
			d.total.TooOld++
		}
	}
	if !w.removed {
		// If an item is in the pool, nobody has a slot for it but this worker, and it only if it was done with one: who is called to begin
		// what it was given may have c items already.
		if it := d.pool.Head; it != nil && w.load() < d.capacity {
			d.pool.Remove(it)
			d.accept(w, it)
		} else {
			d.update(w)
		}
		if d.blocked.Len > 0 {
			d.fillSlots()
		}
		d.steal(w)
	}
	if it := w.queue.Head; it != nil {
		now := d.now()
		w.queue.Remove(it)
		d.removeAccepted(it)
		it.Value.worker = nil
		w.busy, w.since = true, now
		d.inService++
		age := max(now-it.Arrival, 0)
		if d.maxWait > 0 && age > d.maxWait {
			todo = doDrop
		} else {
			d.total.Waits.Add(time.Duration(age))
		}
		return d.recycle(it), todo
	}
	d.endIfDrained()
	if w.removed {
		d.exit(w)
		return v, doEnd
	}
	w.parked = true
	return v, doSleep
}

// serve has a worker's function work on an item, or drops it, and contains what happens.
func (d *scheduler[P]) serve(w *worker[P], v P, old bool) (became outcome) {
	became = panicked
	if old {
		became = tooOld
	}
	returned := false
	defer func() {
		if !returned {
			d.recovered(w, v, became, recover())
		}
	}()
	if !old {
		w.f(d.ctx, v)
		became = served
	} else if d.drop != nil {
		d.drop(v, ErrTooOld)
	}
	returned = true
	return became
}

// contain is what happens when a function panics, or ends its goroutine: then there is no value, and another goroutine goes on.
func (d *scheduler[P]) recovered(w *worker[P], v P, became outcome, value any) {
	err := &PanicError{Value: value, Stack: debug.Stack()}
	if value == nil {
		err.Value = errGoexit
		defer func() { go d.run(w, became, v) }()
	}
	d.lock()
	d.total.Panics++
	d.unlock()
	if d.log != nil {
		d.log.Error("dispatch: a worker panicked", "worker", uint64(w.id), "value", fmt.Sprint(err.Value), "stack", string(err.Stack))
	}
	if became == panicked && d.fail != nil {
		d.fail(v, err)
	}
}
