// Package calendar has pending-event sets: structures that keep future events and return them in
// order of time, at constant cost.
//
//	q := calendar.New()
//	err := q.Schedule(7, 3.5) // the event of id 7 is due at 3.5
//	for id, at := range q.Until(8) {
//		// in order of time, including events scheduled in the loop
//	}
//
// [Queue] is for things that have a number: individuals, machines, connections. An event is an [ID]
// and a time, and an id has at most one pending event. [Agenda] is a Queue whose events carry a
// value and have handles, for callers without dense numbers. Neither needs tuning.
//
// # Contract
//
// Events leave in the exact order of their float64 times; minus zero equals zero. Events with equal
// times leave in the order in which they were scheduled. Rescheduling and renumbering an event
// count as scheduling it anew.
//
// The clock is the time of the last event dispatched. Nothing can be scheduled before it. A refused
// call changes nothing.
//
// Every operation takes amortised constant time for any distribution of times, and an event takes
// about 29 bytes if ids are dense; see [Queue] for single calls and [MaxID] for sparse ids. A warm
// set allocates nothing per operation. The same calls give the same results on every machine.
//
// A Queue or Agenda must not be used from several goroutines at once; package relaxed has a queue
// that may be.
//
// # The papers
//
// Package calendar/static has the calendar queue of the papers, with buckets that the caller
// chooses. Queue differs from it: it has levels of buckets, as a ladder queue does, and divides a
// bucket when its time comes. See [Queue].
//
// Package calendar/timers has timers in real (monotonic) time, for servers.
//
// docs/guide/calendar.md is the guide, docs/design/queue.md explains the structure, and
// examples/sessions is a program.
//
// # Files
//
//	queue.go   Queue, Stats and the options
//	agenda.go  Agenda: values and handles
//	places.go  where an Agenda keeps its values
//	errors.go  ID and the errors
//
// The structure itself is in internal/eventqueue, which also serves packages sim and population.
package calendar
