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
// The calls:
//
//	queue.go        Queue: its fields, its options, and the calls that schedule, cancel and dispatch
//	agenda.go       Agenda: values and handles
//	places.go       where an Agenda keeps its values
//	bulk.go         ScheduleAll: many events, whose times several goroutines work out
//	reset.go        Reset
//	trim.go         Trim
//	stats.go        Stats
//	errors.go       ID and the errors
//
// The ladder, from the bottom up:
//
//	bottom.go       the events that are due first, sorted
//	sort.go         sorting a few entries without branches
//	levels.go       levels of buckets, and how a bucket is opened
//	divide.go       dividing a bucket into a level of its own
//	nest.go         dividing a bucket before its time
//	ties.go         many events at one time
//	pool.go         chunks of entries, from slabs
//
// What is kept of an id, and what is postponed:
//
//	record.go       records of ids, in pages
//	bits.go         one bit for each id: pending or not
//	stale.go        entries of cancelled and moved events, and how they are swept
//	deferred.go     invalidations that are applied later
//	writebuffer.go  writes to records that are made later, together
//	prefetch.go     asking the processor for memory in advance
//	shrink.go       giving memory back
//	key.go          times as integers
package calendar
