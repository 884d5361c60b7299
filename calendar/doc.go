// Package calendar holds pending-event sets: structures that keep future events and hand them out
// in order of time.
//
//   - [Queue] is the one to use: it tunes itself, costs a constant per operation, and keeps its
//     order exactly. What is scheduled has a number: an individual, a machine, a connection.
//   - [Agenda] is a Queue that carries values and gives out handles, for callers that have no dense
//     numbers.
//
// In short:
//
//	q := calendar.New()
//	err := q.Schedule(7, 3.5) // id 7 is due at 3.5
//	for id, at := range q.Until(8) {
//		// in order of time, those scheduled here included
//	}
//
// The examples of [Queue] and [Agenda] are complete, and examples/sessions is a program with both.
// Neither may be used from several goroutines at once: package relaxed is for that. Package
// calendar/static has the calendar of the papers, with buckets that the caller chooses.
//
// # Events and ids
//
// An event is an [ID] and a time. The id is a small number that the caller chooses: an individual,
// a machine, a flow. An id has at most one pending event. Memory is proportional to the number of
// ids in use if they are dense; see [MaxID] for what others cost.
//
// # Order
//
// Events leave in the order of their float64 times, exactly. Events with equal times leave in the
// order in which they were scheduled; rescheduling and renumbering an event count as scheduling it
// anew. Minus zero equals zero.
//
// # The clock
//
// The clock of a set stands at the time of the last event dispatched. Nothing can be scheduled
// before it.
//
// # Files
//
//	queue.go   Queue: its calls, options and statistics
//	agenda.go  Agenda: values and handles
//	places.go  where an Agenda keeps its values
//	errors.go  ID and the errors
//
// The queue itself is package internal/eventqueue, and docs/design/queue.md says how it works.
package calendar
