// Package relaxed has a pending-event set for many goroutines.
//
// When p goroutines all ask for the earliest event, they wait for each other: at most one can have
// it. [Queue] is a MultiQueue of calendar queues, a few for each goroutine that runs at a time.
// [Queue.Next] takes one of the earliest events, O(p) away from the first one in the mean, at
// constant cost.
//
//	q := relaxed.New[Job]()
//	h, err := q.Schedule(3.5, job)
//	job, at, ok := q.Next() // one of the earliest
//
// That ok is false is not the end of the work: another goroutine may be about to schedule.
// [Blocking] is a Queue whose Next waits, and says when all work is done.
//
// It is for work in which order is worth something and not everything: schedulers with priorities
// or deadlines, shortest paths, branch and bound. A simulation whose events must happen in order
// needs [calendar.Queue]. For keys that are not numbers, and for exact removals, there is package
// spray.
//
// Package relaxedtest measures how relaxed a queue is.
//
// # Files
//
// What goroutines share:
//
//	queue.go     Queue: Schedule, Next, Cancel
//	blocking.go  Blocking: a Queue whose Next waits, and knows when all work is done
//	shard.go     shards: locks, tops, and how emptiness is found
//	choose.go    which shard to take the next event from
//	affinity.go  which shard a goroutine belongs to
//	stats.go     Stats
//	handle.go    Handle
//	options.go   options of New
//
// One calendar queue, for one goroutine at a time:
//
//	subqueue.go  subqueue: its fields, slots of values, taking and cancelling
//	bottom.go    the events that are due first, sorted
//	levels.go    levels of buckets, and how a bucket is opened
//	bucket.go    buckets: chunks of entries
//	divide.go    dividing a bucket into a level of its own
//	nest.go      dividing a bucket before its time
//	reshape.go   keeping the first level fine
//	sweep.go     dropping stale entries
package relaxed
