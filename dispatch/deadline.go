package dispatch

import (
	"time"

	"github.com/almanac-sim/almanac/dispatch/slots"
)

// How items are dropped that have waited for MaxWait. There is one timer, for the deadline of the
// oldest item. Usually that item has begun by then, and the timer is set for the oldest of that
// moment: so it costs a step for each MaxWait, and not for each item.

// setDeadline sets the timer for an item, if it is not set for an older one.
func (s *scheduler[P]) setDeadline(arrival int64) {
	if s.maxWait == 0 || s.timed {
		return
	}
	s.timed = true
	wait := max(time.Duration(arrival+s.maxWait-s.now()), 0)
	if s.timer == nil {
		s.timer = time.AfterFunc(wait, s.onDeadline)
	} else {
		s.timer.Reset(wait)
	}
}

// expire takes all items that have waited too long out of their queues. The timer has them dropped:
// the caller may be a worker.
func (s *scheduler[P]) expire() {
	if s.maxWait == 0 {
		return
	}
	now := s.now()
	before := len(s.late)
	isLate := func(q *slots.Queue[content[P]]) bool { return q.Head != nil && now-q.Head.Arrival >= s.maxWait }
	for isLate(&s.accepted) {
		it := s.accepted.Head
		s.unassign(it)
		s.late = append(s.late, s.recycle(it))
	}
	for isLate(&s.pool) {
		it := s.pool.Head
		s.pool.Remove(it)
		s.late = append(s.late, s.recycle(it))
	}
	for isLate(&s.blocked) {
		it := s.blocked.Head
		s.blocked.Remove(it)
		s.total.Submitted++
		if w := it.Value.waiter; w != nil { // Submit returns the error
			it.Value.waiter = nil
			s.total.TooOld++
			s.recycle(it)
			w.done <- ErrTooOld
		} else {
			s.late = append(s.late, s.recycle(it))
		}
	}
	if n := len(s.late) - before; n > 0 {
		s.total.TooOld += uint64(n)
		s.timed = true
		s.timer.Reset(0)
	}
	s.fillSlots()
}

// onDeadline runs in a goroutine of the timer.
func (s *scheduler[P]) onDeadline() {
	s.lock()
	s.expire()
	late := s.late
	s.late = nil
	s.dropping++
	s.timed = false
	for _, q := range []*slots.Queue[content[P]]{&s.accepted, &s.pool, &s.blocked} {
		if q.Head != nil {
			s.setDeadline(q.Head.Arrival)
		}
	}
	s.unlock()
	s.dropAll(late)
}

// dropAll drops items, the oldest first. A panic ends a call of drop, and runtime.Goexit the
// goroutine: then another one continues.
func (s *scheduler[P]) dropAll(late []P) {
	for i, v := range late {
		func() {
			returned := false
			defer func() {
				if !returned {
					value := recover()
					s.notePanic("OnDrop", value)
					if value == nil {
						defer func() { go s.dropAll(late[i+1:]) }()
					}
				}
				if s.done != nil {
					s.done(v)
				}
			}()
			if s.drop != nil {
				s.drop(v, ErrTooOld)
			}
			returned = true
		}()
	}
	s.lock()
	s.dropping--
	s.endIfDrained()
	s.unlock()
}
