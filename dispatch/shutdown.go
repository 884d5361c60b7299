package dispatch

import (
	"context"
	"slices"
)

// How workers and the scheduler end.

// remove removes a worker and returns its items, except the one in service, to the pool.
func (s *scheduler[P]) remove(id WorkerID) bool {
	s.lock()
	w := s.byID[id]
	if w == nil {
		s.unlock()
		return false
	}
	returned := w.queue.Len
	delete(s.byID, id)
	w.removed = true
	w.health.Disarm()
	s.update(w)
	s.returnItems(w)
	s.wake(w)
	s.fillSlots()
	s.unlock()
	s.debug("a worker was removed", "worker", uint64(id), "returned", returned)
	return true
}

// returnItems returns the items that a worker has not begun to the pool.
func (s *scheduler[P]) returnItems(w *worker[P]) {
	var last *item[P] // the item returned before; the next one is usually a little younger
	for it := w.queue.Head; it != nil; it = w.queue.Head {
		s.unassign(it)
		it.Value.in = pooled
		s.pool.Insert(last, it)
		last = it
		s.total.Returned++
	}
}

// close stops the intake, and waits until all goroutines have ended or ctx ends.
func (s *scheduler[P]) close(ctx context.Context) error {
	s.lock()
	refused := s.stopIntake()
	s.endIfDrained()
	s.unlock()
	s.reject(refused)
	s.debug("closed", "refused", len(refused))
	select {
	case <-s.ended:
		return nil
	default:
	}
	select {
	case <-s.ended:
		return nil
	case <-ctx.Done():
		return ctx.Err()
	}
}

// abort stops the intake and returns the items that have not begun, the oldest first.
func (s *scheduler[P]) abort() []P {
	s.lock()
	refused := s.stopIntake()
	var all []P
	for s.accepted.Len+s.pool.Len > 0 {
		a, p := s.accepted.Head, s.pool.Head
		if p == nil || a != nil && a.Seq < p.Seq {
			s.unassign(a)
			all = append(all, s.recycle(a))
		} else {
			s.pool.Remove(p)
			all = append(all, s.recycle(p))
		}
	}
	s.total.Aborted += uint64(len(all))
	s.endIfDrained()
	s.unlock()
	s.cancel()
	s.reject(refused)
	s.debug("aborted", "refused", len(refused), "returned", len(all))
	return all
}

// stopIntake refuses all further items. Blocked calls of Submit get ErrClosed here; blocked items
// of a Caller are returned, for reject.
func (s *scheduler[P]) stopIntake() (refused []P) {
	s.closed = true
	for it := s.blocked.Head; it != nil; it = s.blocked.Head {
		s.blocked.Remove(it)
		if it.Value.waiter != nil {
			it.Value.waiter.done <- ErrClosed
			it.Value.waiter = nil
			s.recycle(it)
		} else {
			refused = append(refused, s.recycle(it))
		}
	}
	return refused
}

// reject completes items of a Caller with ErrClosed.
func (s *scheduler[P]) reject(items []P) {
	for _, v := range items {
		s.drop(v, ErrClosed)
		s.done(v)
	}
}

// endIfDrained ends all workers if the scheduler is closed and has no items.
func (s *scheduler[P]) endIfDrained() {
	if !s.closed || s.ending || s.pool.Len+s.accepted.Len+s.inService+len(s.late)+s.dropping > 0 {
		return
	}
	s.ending = true
	if s.timer != nil {
		s.timer.Stop()
	}
	clear(s.byID)
	for _, w := range s.workers {
		w.removed = true
		w.health.Disarm()
		s.update(w)
		s.wake(w)
	}
	s.signalEnd()
}

// exit is the last step of a worker.
func (s *scheduler[P]) exit(w *worker[P]) {
	i := slices.Index(s.workers, w)
	s.workers = slices.Delete(s.workers, i, i+1)
	s.signalEnd()
}

// signalEnd unblocks close when the last worker has ended.
func (s *scheduler[P]) signalEnd() {
	if s.ending && len(s.workers) == 0 {
		s.cancel()
		close(s.ended)
	}
}
