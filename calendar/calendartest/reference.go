package calendartest

import (
	"container/heap"
	"math"

	"github.com/almanac-sim/almanac/calendar"
)

// Reference is the set that others are compared with: a binary heap of the standard library and a
// map.
//
// Events with equal times leave in the order they were scheduled: a sequence number breaks the tie.
//
// Every operation that moves an event costs O(log n); an event takes about 100 bytes.
//
// A Reference must not be used from several goroutines at once.
type Reference struct {
	now    float64
	seq    uint64
	queue  events
	events map[calendar.ID]*event
}

// NewReference returns an empty set whose clock stands at start, which must be finite.
func NewReference(start float64) *Reference {
	if math.IsNaN(start) || math.IsInf(start, 0) {
		panic("calendartest: NewReference needs a finite time")
	}
	return &Reference{now: start + 0, events: make(map[calendar.ID]*event)}
}

// refuse says why nothing can be scheduled at this time, if so.
func (r *Reference) refuse(at float64) error {
	if math.IsNaN(at) || math.IsInf(at, 0) {
		return calendar.ErrTime
	}
	if at < r.now {
		return calendar.ErrPast
	}
	return nil
}

func (r *Reference) add(id calendar.ID, at float64) {
	r.seq++
	e := &event{at: at + 0, seq: r.seq, id: id} // adding zero turns minus zero into zero
	r.events[id] = e
	heap.Push(&r.queue, e)
}

// Schedule adds an event for an id that has none.
func (r *Reference) Schedule(id calendar.ID, at float64) error {
	if err := r.refuse(at); err != nil {
		return err
	}
	if r.events[id] != nil {
		return calendar.ErrScheduled
	}
	r.add(id, at)
	return nil
}

// Reschedule moves an id's event behind all others of its new time, or schedules one if there was
// none.
func (r *Reference) Reschedule(id calendar.ID, at float64) error {
	if err := r.refuse(at); err != nil {
		return err
	}
	r.Cancel(id)
	r.add(id, at)
	return nil
}

// Cancel removes an id's event and reports whether there was one.
func (r *Reference) Cancel(id calendar.ID) bool {
	e := r.events[id]
	if e == nil {
		return false
	}
	heap.Remove(&r.queue, e.index)
	delete(r.events, id)
	return true
}

// Renumber gives the event of one id to another, behind all others of its time.
func (r *Reference) Renumber(from, to calendar.ID) error {
	e := r.events[from]
	switch {
	case e == nil:
		return calendar.ErrNotScheduled
	case from == to:
		return nil
	case r.events[to] != nil:
		return calendar.ErrScheduled
	}
	r.Cancel(from)
	r.add(to, e.at)
	return nil
}

// Next removes the earliest event and advances the clock to it.
func (r *Reference) Next() (id calendar.ID, at float64, ok bool) {
	if len(r.queue) == 0 {
		return 0, 0, false
	}
	e := heap.Pop(&r.queue).(*event)
	delete(r.events, e.id)
	r.now = e.at
	return e.id, e.at, true
}

// Peek returns the earliest event and leaves everything as it was.
func (r *Reference) Peek() (id calendar.ID, at float64, ok bool) {
	if len(r.queue) == 0 {
		return 0, 0, false
	}
	return r.queue[0].id, r.queue[0].at, true
}

// Due returns the time at which an id's event is due.
func (r *Reference) Due(id calendar.ID) (at float64, ok bool) {
	if e := r.events[id]; e != nil {
		return e.at, true
	}
	return 0, false
}

// Len returns the number of pending events.
func (r *Reference) Len() int { return len(r.queue) }

// Now returns the time of the last event dispatched, or the start.
func (r *Reference) Now() float64 { return r.now }

type event struct {
	at    float64
	seq   uint64
	id    calendar.ID
	index int
}

// events is a heap in order of time, then of scheduling.
type events []*event

func (q events) Len() int { return len(q) }

func (q events) Less(i, j int) bool {
	if q[i].at != q[j].at {
		return q[i].at < q[j].at
	}
	return q[i].seq < q[j].seq
}

func (q events) Swap(i, j int) {
	q[i], q[j] = q[j], q[i]
	q[i].index, q[j].index = i, j
}

func (q *events) Push(x any) {
	e := x.(*event)
	e.index = len(*q)
	*q = append(*q, e)
}

func (q *events) Pop() any {
	last := len(*q) - 1
	e := (*q)[last]
	(*q)[last] = nil
	*q = (*q)[:last]
	return e
}
