package sim

import (
	"fmt"

	"github.com/almanac-sim/almanac/calendar"
)

// An Event names something that was scheduled: a call of a function. It is a small value that can be copied and compared.
// It stays valid until the event has happened or was cancelled, and is refused afterwards: it never touches another event.
// The zero Event names none.
type Event struct {
	s     *Simulation
	stamp uint64
	slot  uint32
}

// A slot is the place of a pending event. Its number is the event's id in the calendar. Slots are used again, and a process
// keeps one for all its wake-ups.
type slot struct {
	f        func()
	p        *Process // whose turn it is, if kind is turn
	stamp    uint64   // what a handle must know; 0 while the slot is vacant
	seq      uint64   // what its entry among those due now must know; 0 if there is none
	priority int
	kind     kind
}

type kind uint8

const (
	once     kind = iota // a call, after which the slot is vacant
	repeated             // a call that schedules the slot again
	turn                 // of a process
)

// At schedules a call of f at time t. It panics if t is not finite or before now.
func (s *Simulation) At(t float64, f func(), opts ...EventOption) Event {
	s.checkTime(t, "At", t)
	return s.add(t, f, once, opts)
}

// After schedules a call of f when d has passed. With a delay of 0 it comes after what is already scheduled for now. It
// panics if d is negative or not finite.
func (s *Simulation) After(d float64, f func(), opts ...EventOption) Event {
	t := s.now + d
	s.checkTime(t, "After", d)
	return s.add(t, f, once, opts)
}

func (s *Simulation) add(t float64, f func(), k kind, opts []EventOption) Event {
	needFunction(f)
	id := s.occupy()
	sl := &s.slots[id]
	sl.f, sl.kind, sl.stamp = f, k, s.number()
	if len(opts) > 0 {
		sl.priority = priorityOf(opts)
		s.label(id, opts)
	}
	stamp := sl.stamp
	s.schedule(id, t)
	return Event{s, stamp, id}
}

func needFunction(f func()) {
	if f == nil {
		panic("sim: an event needs a function, not nil")
	}
}

// occupy finds a vacant slot.
func (s *Simulation) occupy() uint32 {
	if last := len(s.vacant) - 1; last >= 0 {
		id := s.vacant[last]
		s.vacant = s.vacant[:last]
		return id
	}
	s.slots = append(s.slots, slot{})
	return uint32(len(s.slots) - 1)
}

// vacate gives a slot back, which has no pending event.
func (s *Simulation) vacate(id uint32) {
	s.slots[id] = slot{}
	s.vacant = append(s.vacant, id)
	if s.trace != nil {
		delete(s.labels, id)
	}
}

// schedule makes a slot due, which is not, at a time that has been checked.
func (s *Simulation) schedule(id uint32, t float64) {
	priority := s.slots[id].priority
	if priority != 0 {
		s.ranked++
	}
	if t == s.now {
		s.dueNow(id, priority)
		return
	}
	if err := s.calendar.Schedule(calendar.ID(id), t); err != nil {
		panic(fmt.Sprintf("sim: at %g, the calendar refused %g: %v", s.now, t, err)) // cannot be: times are checked
	}
}

// unschedule takes a slot out of what is pending, and tells whether it was there.
func (s *Simulation) unschedule(id uint32) bool {
	sl := &s.slots[id]
	if sl.seq != 0 {
		sl.seq = 0
		s.due.live--
	} else if !s.calendar.Cancel(calendar.ID(id)) {
		return false
	}
	if sl.priority != 0 {
		s.ranked--
	}
	return true
}

// dueAt tells when a slot is due, if it is.
func (s *Simulation) dueAt(id uint32) (float64, bool) {
	if s.slots[id].seq != 0 {
		return s.now, true
	}
	return s.calendar.At(calendar.ID(id))
}

// Pending tells whether the event is still to happen.
func (e Event) Pending() bool { return e.s != nil && e.s.slots[e.slot].stamp == e.stamp }

// Time tells when the event is due, if it is still to happen.
func (e Event) Time() (float64, bool) {
	if !e.Pending() {
		return 0, false
	}
	return e.s.dueAt(e.slot)
}

// Cancel takes the event back. It reports false if the event has happened already, or was cancelled.
func (e Event) Cancel() bool {
	if !e.Pending() {
		return false
	}
	e.s.unschedule(e.slot)
	e.s.vacate(e.slot)
	return true
}

// Reschedule moves the event to another time, behind what is already scheduled for it. It reports false, and does nothing, if
// the event has happened already or was cancelled. It panics if t is not finite or before now. A periodic event goes on from
// its new time.
func (e Event) Reschedule(t float64) bool {
	if !e.Pending() {
		return false
	}
	e.s.checkTime(t, "Reschedule", t)
	e.s.unschedule(e.slot)
	e.s.schedule(e.slot, t)
	return true
}
