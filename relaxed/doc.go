// Package relaxed has a pending-event set for many goroutines, whose Next returns one of the
// earliest events.
//
//	q := relaxed.New[Job]()
//	h, err := q.Schedule(3.5, job)
//	job, at, ok := q.Next() // one of the earliest
//
// When p goroutines all remove the earliest event of an exact queue, they wait for each other. With
// [Queue] they rarely meet. It is for work in which order helps but is not required: schedulers
// with priorities or deadlines, shortest paths, branch and bound. A simulation whose events must
// happen in order needs [calendar.Queue]. Package spray has a queue for keys that are not numbers,
// and exact removals.
//
// # Contract
//
// Next returns an event whose mean distance from the earliest one is O(p), if p goroutines run at
// once and all get to run. Events with equal times leave in any order. With [Concurrency] 1 and one
// goroutine, the order is exact, and ties leave in the order in which they were scheduled.
//
// Every operation takes constant time, expected and amortised. With values of 8 bytes an event
// takes 40 to 65 bytes. A warm queue allocates nothing.
//
// All methods may be called from any number of goroutines at once, without registration. An event
// is removed by exactly one call. If ok is false, the queue was empty at some moment during the
// call, but another goroutine may be about to schedule. [Blocking] is a Queue whose Next waits, and
// which detects the end of all work.
//
// # The papers
//
// Queue is a MultiQueue of calendar queues. It differs from the MultiQueue of the papers in that a
// goroutine stays with its own subqueues until another shard falls behind; see [Queue].
//
// Package relaxedtest measures rank errors. docs/guide/relaxed.md is the guide,
// docs/design/relaxed.md explains the structure, and examples/deadlines and examples/shortest-paths
// are programs.
//
// # Files
//
// Shared by goroutines:
//
//	queue.go     Queue: Schedule, Next, Cancel
//	blocking.go  Blocking: a Queue whose Next waits, and detects the end of all work
//	shard.go     shards: locks, tops, and detecting that the queue is empty
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
//	nest.go      dividing a bucket early
//	reshape.go   keeping the first level fine
//	sweep.go     dropping stale entries
package relaxed
