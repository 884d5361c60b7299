package dispatch

import (
	"context"
	"slices"
)

// How workers and the desk itself end.

// remove has a worker end, and gives back what it has not begun.
func (d *scheduler[P]) remove(id WorkerID) bool {
	d.lock()
	w := d.byID[id]
	if w == nil {
		d.unlock()
		return false
	}
	back := w.queue.Len
	delete(d.byID, id)
	w.removed = true
	d.update(w)
	var last *item[P] // that was put into the pool; the next one is mostly a little younger
	for it := w.queue.Head; it != nil; it = w.queue.Head {
		d.unassign(it)
		it.Value.in = pooled
		d.pool.Insert(last, it)
		last = it
		d.total.Returned++
	}
	d.wake(w)
	d.fillSlots()
	d.unlock()
	d.debug("a worker is removed", "worker", uint64(id), "gives back", back)
	return true
}

// close takes nothing more, and waits until all is done or ctx ends.
func (d *scheduler[P]) close(ctx context.Context) error {
	d.lock()
	refused := d.stopIntake()
	d.endIfDrained()
	d.unlock()
	d.reject(refused)
	d.debug("closed", "refused", len(refused))
	select {
	case <-d.ended:
		return nil
	default:
	}
	select {
	case <-d.ended:
		return nil
	case <-ctx.Done():
		return ctx.Err()
	}
}

// abort takes nothing more, and returns what has not begun, the oldest first.
func (d *scheduler[P]) abort() []P {
	d.lock()
	refused := d.stopIntake()
	var all []P
	for d.accepted.Len+d.pool.Len > 0 {
		a, p := d.accepted.Head, d.pool.Head
		if p == nil || a != nil && a.Seq < p.Seq {
			d.unassign(a)
			all = append(all, d.recycle(a))
		} else {
			d.pool.Remove(p)
			all = append(all, d.recycle(p))
		}
	}
	d.total.Aborted += uint64(len(all))
	d.endIfDrained()
	d.unlock()
	d.cancel()
	d.reject(refused)
	d.debug("aborted", "refused", len(refused), "handed back", len(all))
	return all
}

// shut takes nothing more. Who waits outside for a Submit is told, and what a Do waits for is returned.
func (d *scheduler[P]) stopIntake() (refused []P) {
	d.closed = true
	for it := d.blocked.Head; it != nil; it = d.blocked.Head {
		d.blocked.Remove(it)
		if it.Value.waiter != nil {
			it.Value.waiter.done <- ErrClosed
			it.Value.waiter = nil
			d.recycle(it)
		} else {
			refused = append(refused, d.recycle(it))
		}
	}
	return refused
}

// refuse tells that items will not be served because the desk is closed. They are a Caller's: a Dispatcher's are told as waiters, or handed back.
func (d *scheduler[P]) reject(items []P) {
	for _, v := range items {
		d.drop(v, ErrClosed)
		d.done(v)
	}
}

// perhapsEnd has all workers end if the desk is closed and nothing is left.
func (d *scheduler[P]) endIfDrained() {
	if !d.closed || d.ending || d.pool.Len+d.accepted.Len+d.inService > 0 {
		return
	}
	d.ending = true
	clear(d.byID)
	for _, w := range d.workers {
		w.removed = true
		d.update(w)
		d.wake(w)
	}
	d.signalEnd()
}

// leaveForGood is the last step of a worker.
func (d *scheduler[P]) exit(w *worker[P]) {
	i := slices.Index(d.workers, w)
	d.workers = slices.Delete(d.workers, i, i+1)
	d.signalEnd()
}

// perhapsEnded tells who waits for the end that this is it.
func (d *scheduler[P]) signalEnd() {
	if d.ending && len(d.workers) == 0 {
		d.cancel()
		close(d.ended)
	}
}
