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
// The calls:
//
//	queue.go        Queue: fields, options, and the calls that schedule, cancel and dispatch
//	agenda.go       Agenda: values and handles
//	places.go       where an Agenda keeps its values
//	bulk.go         ScheduleAll: many events, with times computed by several goroutines
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
//	nest.go         dividing a bucket early
//	ties.go         many events at one time
//	pool.go         chunks of entries, from slabs
//
// Records of ids, and deferred work:
//
//	record.go       records of ids, in pages
//	bits.go         one bit for each id: pending or not
//	stale.go        entries of cancelled and moved events, and how they are swept
//	deferred.go     invalidations that are applied later
//	writebuffer.go  writes to records, in batches
//	prefetch.go     prefetching memory
//	shrink.go       giving memory back
//	key.go          times as integers
package calendar
