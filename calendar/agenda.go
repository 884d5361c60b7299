package calendar

import (
	"iter"
	"math"

	"github.com/almanac-sim/almanac/internal/owner"
)

// Agenda is a [Queue] whose events carry a value, for callers that have no dense ids. Scheduling an
// event gives a [Handle], by which it can be found, moved and cancelled.
//
// Events with equal times leave in the order they were scheduled; moving an event counts as
// scheduling it anew.
//
// Every operation costs what it costs on a Queue. An event takes the Queue's 28 bytes, 8 more for
// its handle, and its value. The places of events that are gone are used again, so that a busy
// agenda stays small and allocates nothing, and places that are no longer needed are given back.
// Values are cleared when their events leave.
//
// There can be 2³² events at once, or as many as [MaxID] says, counting from zero: one more is
// refused with [ErrID].
//
// An Agenda must not be used from several goroutines at once, nor copied: go vet reports copies. The zero value is an empty agenda.
type Agenda[V any] struct {
	queue  Queue
	places places[V]
	owner  uint32 // in handles; 0 before the first one
}

// A Handle names an event of an [Agenda]. It stays valid until the event is dispatched or
// cancelled, and is refused afterwards: it never touches another event, nor one of another agenda.
// Handles can be compared, and the zero Handle is never valid.
type Handle struct {
	owner      uint32 // the Agenda: see package owner
	place, use uint32
}

// NewAgenda returns an empty agenda. It takes the options of [New].
func NewAgenda[V any](opts ...Option) *Agenda[V] {
	a := new(Agenda[V])
	a.queue.queue.Init(opts...)
	return a
}

// Schedule adds an event with the value v. It refuses a time that is not finite ([ErrTime]) or
// before the clock ([ErrPast]), and an event too many ([ErrID]).
func (a *Agenda[V]) Schedule(at float64, v V) (Handle, error) {
	i := a.places.vacancy()
	if i > math.MaxUint32 {
		return Handle{}, ErrID
	}
	if err := a.queue.Schedule(ID(i), at); err != nil {
		return Handle{}, err
	}
	if a.owner == 0 {
		a.owner = owner.New()
	}
	return Handle{a.owner, uint32(i), a.places.take(v)}, nil
}

// Cancel removes an event and returns its value. It reports false if the event is no longer
// pending.
func (a *Agenda[V]) Cancel(h Handle) (V, bool) {
	if !a.valid(h) {
		var none V
		return none, false
	}
	a.queue.Cancel(h.place)
	return a.places.vacate(h.place), true
}

// Reschedule moves a pending event to another time, behind the events already there. It refuses a
// handle that is stale or of another agenda ([ErrNotScheduled]) and what Schedule refuses of a time, and then changes nothing.
func (a *Agenda[V]) Reschedule(h Handle, at float64) error {
	switch {
	case h == Handle{}:
		return errZeroHandle
	case h.owner != a.owner:
		return errForeignHandle
	case !a.valid(h):
		return errStaleHandle
	}
	return a.queue.Reschedule(h.place, at)
}

// Next removes the earliest event and moves the clock to its time. It reports false if nothing is
// pending.
func (a *Agenda[V]) Next() (v V, at float64, ok bool) {
	id, at, ok := a.queue.Next()
	if !ok {
		return v, 0, false
	}
	return a.places.vacate(uint32(id)), at, true
}

// Peek returns what Next would, and leaves the event pending and the clock where it is.
func (a *Agenda[V]) Peek() (v V, at float64, ok bool) {
	id, at, ok := a.queue.Peek()
	if !ok {
		return v, 0, false
	}
	return a.places.at(uint32(id)).value, at, true
}

// Due returns when an event is due. ok is false if it is no longer pending.
func (a *Agenda[V]) Due(h Handle) (at float64, ok bool) {
	if !a.valid(h) {
		return 0, false
	}
	return a.queue.Due(h.place)
}

// Value returns the value of an event. ok is false if it is no longer pending.
func (a *Agenda[V]) Value(h Handle) (v V, ok bool) {
	if !a.valid(h) {
		return v, false
	}
	return a.places.at(h.place).value, true
}

// Len is the number of pending events.
func (a *Agenda[V]) Len() int { return a.queue.Len() }

// Now is the time of the last event dispatched, or the clock's first value.
func (a *Agenda[V]) Now() float64 { return a.queue.Now() }

// Until dispatches the events up to and including time t, in order, as [Queue.Until] does.
func (a *Agenda[V]) Until(t float64) iter.Seq2[V, float64] {
	return func(yield func(V, float64) bool) {
		for id, at := range a.queue.Until(t) {
			if !yield(a.places.vacate(uint32(id)), at) {
				return
			}
		}
	}
}

// Stats returns the statistics of the queue underneath. Its bytes do not count the values.
func (a *Agenda[V]) Stats() Stats { return a.queue.Stats() }

// valid reports whether the event of h is pending. Use numbers of free places are even, and no
// handle has one.
func (a *Agenda[V]) valid(h Handle) bool {
	if h.use%2 == 0 || h.owner != a.owner {
		return false
	}
	p := a.places.at(h.place)
	return p != nil && p.use == h.use
}
