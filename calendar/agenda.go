package calendar

import (
	"errors"
	"fmt"
	"iter"
)

// Agenda is a [Queue] whose events carry a value, for callers who have no dense ids. Adding an event gives a [Handle],
// by which it can be found, moved and cancelled.
//
// Events with equal times leave in the order they were added; moving an event counts as adding it anew.
//
// Every operation costs what it costs on a Queue. An event takes the Queue's 28 bytes, 8 more for its handle, and its
// value. The places of events that are gone are used again, the last one first, so that a busy agenda stays small and
// allocates nothing. Values are kept in one slice and cleared when their events leave.
//
// An Agenda must not be used from several goroutines at once. Its zero value is not ready for use; call [NewAgenda].
type Agenda[V any] struct {
	queue  *Queue
	places []place[V]
	free   uint32 // the first free place plus one, 0 if there is none
}

// A place holds the value of one event after the other. Each use has its own number, so that a handle of an earlier use
// is known to be stale.
type place[V any] struct {
	value V
	use   uint32 // odd while an event is here
	next  uint32 // while free: the next free place plus one
}

// A Handle names an event of an [Agenda]. It stays valid until the event is dispatched or cancelled, and is refused
// afterwards: it never touches another event. Handles can be compared, and the zero Handle is never valid.
type Handle struct {
	place, use uint32
}

// retired is the use number after which a place is not used again, so that numbers never repeat.
const retired = ^uint32(0) - 1

// NewAgenda returns an empty agenda. It takes the options of [New].
func NewAgenda[V any](opts ...Option) *Agenda[V] {
	return &Agenda[V]{queue: New(opts...), places: make([]place[V], 0, apply(opts).capacity)}
}

// Add schedules an event with the value v. It refuses a time that is not finite ([ErrTime]) or before the clock
// ([ErrPast]).
func (a *Agenda[V]) Add(at float64, v V) (Handle, error) {
	i := a.free - 1
	if a.free == 0 {
		i = uint32(len(a.places))
	}
	if err := a.queue.Schedule(ID(i), at); err != nil {
		return Handle{}, err
	}
	if a.free == 0 {
		a.places = append(a.places, place[V]{})
	}
	p := &a.places[i]
	a.free = p.next
	p.value = v
	p.use++
	return Handle{i, p.use}, nil
}

// Cancel takes back an event and returns its value. It reports false if the event is no longer pending.
func (a *Agenda[V]) Cancel(h Handle) (V, bool) {
	if !a.valid(h) {
		var none V
		return none, false
	}
	a.queue.Cancel(ID(h.place))
	return a.vacate(h.place), true
}

// Reschedule moves a pending event to another time, behind the events already there. It refuses a stale handle
// ([ErrNotScheduled]) and what Add refuses of a time, and then changes nothing.
func (a *Agenda[V]) Reschedule(h Handle, at float64) error {
	if !a.valid(h) {
		return ErrNotScheduled
	}
	return a.queue.Reschedule(ID(h.place), at)
}

// Next removes the earliest event and moves the clock to its time. It reports false if nothing is pending.
func (a *Agenda[V]) Next() (v V, at float64, ok bool) {
	id, at, ok := a.queue.Next()
	if !ok {
		return v, 0, false
	}
	return a.vacate(uint32(id)), at, true
}

// Peek tells what Next would return, and leaves the event and the clock as they are.
func (a *Agenda[V]) Peek() (v V, at float64, ok bool) {
	id, at, ok := a.queue.Peek()
	if !ok {
		return v, 0, false
	}
	return a.places[id].value, at, true
}

// At tells when an event is due, if it is still pending.
func (a *Agenda[V]) At(h Handle) (at float64, ok bool) {
	if !a.valid(h) {
		return 0, false
	}
	return a.queue.At(ID(h.place))
}

// Value is the value of an event, if it is still pending.
func (a *Agenda[V]) Value(h Handle) (v V, ok bool) {
	if !a.valid(h) {
		return v, false
	}
	return a.places[h.place].value, true
}

// Len is the number of pending events.
func (a *Agenda[V]) Len() int { return a.queue.Len() }

// Now is the time of the last event dispatched, or the clock's first value.
func (a *Agenda[V]) Now() float64 { return a.queue.Now() }

// Until dispatches the events up to and including time t, in order, as [Queue.Until] does.
func (a *Agenda[V]) Until(t float64) iter.Seq2[V, float64] {
	return func(yield func(V, float64) bool) {
		for id, at := range a.queue.Until(t) {
			if !yield(a.vacate(uint32(id)), at) {
				return
			}
		}
	}
}

// Stats looks over the queue underneath. Its bytes do not count the values.
func (a *Agenda[V]) Stats() Stats { return a.queue.Stats() }

// valid tells whether the event of h is pending. Use numbers of free places are even, and no handle has one.
func (a *Agenda[V]) valid(h Handle) bool {
	return int64(h.place) < int64(len(a.places)) && h.use%2 == 1 && a.places[h.place].use == h.use
}

// vacate frees a place and returns the value that was there.
func (a *Agenda[V]) vacate(i uint32) V {
	p := &a.places[i]
	v := p.value
	p.use++
	if p.use != retired {
		p.next = a.free
		a.free = i + 1
	}
	var none V
	p.value = none
	return v
}

// check verifies the invariants of an agenda, and tells the first one that it finds broken.
func (a *Agenda[V]) check() error {
	if err := a.queue.check(); err != nil {
		return err
	}
	// A place is in use, by its number, just while its id is pending; the others are free or retired.
	used, spent := 0, 0
	for i := range a.places {
		_, pending := a.queue.At(ID(i))
		if pending != (a.places[i].use%2 == 1) {
			return fmt.Errorf("place %d: use %d, pending %v", i, a.places[i].use, pending)
		}
		if pending {
			used++
		} else if a.places[i].use == retired {
			spent++
		}
	}
	free := 0
	for next := a.free; next != 0; next = a.places[next-1].next {
		if free++; free > len(a.places) {
			return errors.New("the free places go round in a circle")
		}
	}
	if used != a.Len() || used+spent+free != len(a.places) {
		return fmt.Errorf("%d places used, %d retired and %d free, of %d", used, spent, free, len(a.places))
	}
	return nil
}
