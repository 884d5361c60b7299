// Package calendar holds pending-event sets: structures that keep future events and hand them out in order of time.
//
//   - [Queue] is the one to use: it tunes itself, costs a constant per operation, and keeps its order exactly. What is
//     scheduled has a number: an individual, a machine, a connection.
//   - [Agenda] is a Queue that carries payloads and gives out handles, for callers who have no dense numbers.
//   - Package calendar/static has the calendar of the papers, M buckets of width δ, for those who study it or know their distribution.
//
// In short:
//
//	q := calendar.New()
//	err := q.Schedule(7, 3.5) // id 7 is due at 3.5
//	for id, at := range q.Until(8) {
//		// in order of time, those scheduled here included
//	}
//
// The examples of [Queue] and [Agenda] are complete, and examples/sessions is a program with both; docs/calendar.md compares
// them. None of them may be used from several goroutines at once: package spray has a relaxed calendar for that.
//
// # Events and ids
//
// An event is an [ID] and a time. The id is a small number that the caller chooses: an individual, a machine, a flow.
// An id has at most one pending event. Memory is proportional to the number of ids in use if they are dense; see [MaxID] for what
// others cost.
//
// # Order
//
// Events leave in the order of their float64 times, exactly. Events with equal times leave in the order in which they
// were scheduled; rescheduling and renumbering an event count as scheduling it anew. Minus zero equals zero.
//
// # The clock
//
// A set's clock stands at the time of the last event dispatched. Nothing can be scheduled before it.
package calendar

import "errors"

// An ID names an event: a dense number that the caller chooses.
type ID uint32

// What scheduling can be refused for. When several reasons apply, an id beyond the largest is reported first, then what is
// wrong with the time. A refused call changes nothing.
var (
	// ErrTime refuses a time that is NaN or infinite.
	ErrTime = errors.New("calendar: time is not a finite number")
	// ErrPast refuses a time before the clock.
	ErrPast = errors.New("calendar: time is before now")
	// ErrScheduled refuses to schedule an id that has a pending event already.
	ErrScheduled = errors.New("calendar: id is already scheduled")
	// ErrNotScheduled refuses to renumber an id that has no pending event.
	ErrNotScheduled = errors.New("calendar: id is not scheduled")
	// ErrID refuses an id beyond the largest that a structure takes; see [MaxID].
	ErrID = errors.New("calendar: id is beyond the largest")
)
