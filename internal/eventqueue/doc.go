// Package eventqueue is the exact pending-event set: the queue behind calendar.Queue, sim and the
// engine of package population. Package calendar says what it promises; this package has in
// addition what an engine needs that keeps its individuals in arrays: events of one time in an
// order of its own ([Queue.NextTied]), and memory that is prefetched before it is used
// ([Queue.Ahead], [Queue.Prefetch], [Queue.PrefetchID]).
//
//	q := eventqueue.New(eventqueue.Capacity(len(particles)))
//	q.Prefetch(eventqueue.ArrayOf(particles, 1)) // each is in the cache when its event is due
//	id, at, tied, ok := q.NextTied(until)
//
// docs/design/queue.md explains how it works.
//
// # Files
//
// The calls:
//
//	queue.go        Queue: its fields, its options, and the calls that schedule, cancel and dispatch
//	bulk.go         ScheduleAll: many events, whose times several goroutines compute
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
package eventqueue
