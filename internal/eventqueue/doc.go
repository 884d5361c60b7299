// Package eventqueue is the exact pending-event set: the queue behind calendar.Queue, sim and the
// engine of package population. Package calendar says what it promises; this package has in
// addition what an engine needs that keeps its individuals in arrays: events of one time in an
// order of its own ([Queue.NextTied]), and memory that is prefetched before it is used
// ([Queue.Ahead], [Queue.Prefetch], [Queue.PrefetchID]).
//
//	q := eventqueue.New(eventqueue.Capacity(len(particles)))
//	q.Prefetch(eventqueue.ArrayOf(particles, 1)) // has them in the cache when their time comes
//	id, at, tied, ok := q.NextTied(until)
//
// docs/design/queue.md explains how it works.
//
// # Files
//
// The calls:
//
//	queue.go        Queue: its fields, its options, and the calls that schedule, cancel and dispatch
//	bulk.go         ScheduleAll: many events, whose times several goroutines work out
//	reset.go        Reset
//	trim.go         Trim
//	stats.go        Stats
//	errors.go       ID and the errors
//
// The ladder, from the bottom up:
//
//	bottom.go       the events that are due first, sorted
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
package eventqueue
