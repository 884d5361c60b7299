package calendar

import (
	"context"
	"iter"
	"sync"

	"github.com/almanac-sim/almanac/internal/eventqueue"
)

// Queue is a self-tuning calendar: buckets of simulated time in levels, each bucket opened into
// finer ones when its time comes.
//
// Events with equal times leave in the order they were scheduled.
//
// Schedule, Reschedule, Cancel and Next cost amortised constant time for any finite times: an entry
// is moved at most once for every level between the bucket it was dropped in and the front, which
// is two or three times for 10⁸ events and bounded by the 64 bits of a time in the worst case.
//
// Single calls are bounded too. A bucket has at most 65,536 entries, or 1/64 of all entries. A call
// divides or sweeps one bucket and the buckets made from it, or sweeps the buckets of the last
// eight events that were cancelled or moved. That takes some milliseconds at most, whatever was
// done before, and so do growing and giving memory back. There are two exceptions: skipping the
// cancelled ones among more than 65,536 events at one instant, of which an eighth may still be
// there when they are due; and every 2³² cancellations, when all entries are visited once.
// ScheduleAll, Reset, Trim and Stats take time proportional to what they process.
//
// An event takes about 29 bytes: 12 for its id and 16 in a bucket. Chunks that are partly filled
// add up to 8 MB in all, which matters in queues of some thousand events (450 bytes an event at
// 10⁴). Nothing is allocated per operation while the number of events stays within a few times what
// it was, and the garbage collector follows no pointer per event. Memory is given back as events
// leave; see [MaxID] for the cost of ids that are not dense.
//
// It differs from the calendar queue of [Brown88] and of the other papers (package calendar/static)
// in that there is no width to choose: a bucket is divided when it is opened, by the number and the
// spread of the events it then holds, so that a wrong guess costs one more division and not a slow
// queue. That is the idea of the ladder queue [TGT05]. Here buckets are ranges of the bits of a
// time, so that rounding cannot put an event into the wrong one, and a bucket with too many entries
// is divided before its time. And cancelling moves nothing: stale entries are dropped when their
// bucket is opened, or swept out of it when they outnumber the others.
//
// A Queue must not be used from several goroutines at once, nor copied: go vet reports copies. The zero value is an empty queue, as
// [New] makes it without options.
//
// [Brown88]: https://doi.org/10.1145/63039.63045
// [TGT05]: https://doi.org/10.1145/1103323.1103324
type Queue struct {
	_     [0]sync.Mutex // go vet reports copies of what has a lock
	queue eventqueue.Queue
}

// New returns an empty queue. It needs no tuning; the options only help.
func New(opts ...Option) *Queue {
	q := new(Queue)
	q.queue.Init(opts...)
	return q
}

// Schedule makes id's event due at the given time. An id has at most one pending event.
//
// It refuses an id beyond the largest ([ErrID], see [MaxID]), a time that is not finite ([ErrTime])
// or before the clock ([ErrPast]), and an id that is already scheduled ([ErrScheduled]); see
// Reschedule for that.
func (q *Queue) Schedule(id ID, at float64) error { return q.queue.Schedule(id, at) }

// Reschedule moves id's event to another time, or schedules it if none was pending. Either way it
// goes behind the events already scheduled for that time. It refuses what Schedule refuses of an id
// and a time, and then changes nothing.
func (q *Queue) Reschedule(id ID, at float64) error { return q.queue.Reschedule(id, at) }

// ScheduleAll schedules the events of n ids, from first on, as if by Schedule, one after the other
// in the order of the ids. Several goroutines compute when they are due.
//
// The function due computes the times of a block of up to 16,384 ids: it puts the times of the ids
// first, first+1, … into at, which is filled with +Inf when due is called. An id whose time stays
// +Inf is not scheduled. Several workers call due at once, each with its own number, from 0, and
// for consecutive blocks (GOMAXPROCS workers if the number is not positive, and 1,024 at most). The
// function must not use the queue. The result does not depend on the number of workers.
//
// At the first id, in their order, that Schedule would refuse, it stops and returns an error that
// names the id and wraps the error of Schedule. If due returns an error, it stops with that error
// before the block. If due panics, ScheduleAll panics with a [PanicError] that has the value and
// the stack; if due ends its goroutine, that is an error too. In all these cases exactly the ids
// before are scheduled; due may have been called for later blocks. ScheduleAll panics if n is
// negative or the last id is above the largest 32-bit number.
//
// When the context ends, it stops within two blocks for each worker and returns the context's
// error. If the queue was empty before, it is empty again; otherwise the events of all ids before
// some id are scheduled.
//
// The times are not stored outside the queue. While ScheduleAll runs, it takes less than a megabyte
// for each worker.
func (q *Queue) ScheduleAll(ctx context.Context, first ID, n, workers int,
	due func(worker int, first ID, at []float64) error) error {
	return q.queue.ScheduleAll(ctx, first, n, workers, due)
}

// Cancel removes id's event, and reports whether there was one.
func (q *Queue) Cancel(id ID) bool { return q.queue.Cancel(id) }

// Renumber gives the event of one id to another, which must have none. The event keeps its time and
// goes behind the events already scheduled for it. If the two are the same id, nothing changes.
//
// It refuses if one of them is beyond the largest id ([ErrID]), from has no pending event
// ([ErrNotScheduled]) or to has one ([ErrScheduled]).
func (q *Queue) Renumber(from, to ID) error { return q.queue.Renumber(from, to) }

// Next removes the earliest event and moves the clock to its time. It reports false if nothing is
// pending.
func (q *Queue) Next() (id ID, at float64, ok bool) { return q.queue.Next() }

// NextBy is Next if the earliest event is due by time t. Otherwise it reports false and changes
// nothing.
func (q *Queue) NextBy(t float64) (id ID, at float64, ok bool) { return q.queue.NextBy(t) }

// Until dispatches the events up to and including time t, in order, also those that the loop's body
// schedules. The body may use the queue freely. If the loop is left early, the remaining events
// stay pending. The clock stays at the last event dispatched.
func (q *Queue) Until(t float64) iter.Seq2[ID, float64] { return q.queue.Until(t) }

// Peek returns what Next would, and leaves the event pending and the clock where it is.
func (q *Queue) Peek() (id ID, at float64, ok bool) { return q.queue.Peek() }

// Due returns when id's event is due. ok is false if it has none.
func (q *Queue) Due(id ID) (at float64, ok bool) { return q.queue.Due(id) }

// Len is the number of pending events.
func (q *Queue) Len() int { return q.queue.Len() }

// Now is the time of the last event dispatched, or the clock's first value.
func (q *Queue) Now() float64 { return q.queue.Now() }

// Reset removes all events and sets the clock to the given time, which must be finite and may be
// earlier than the clock. The queue is then as if made by New with the same largest id, except that
// it keeps its memory, and gives it back gradually if it is not needed. [Stats] counts from here
// on.
//
// It takes time proportional to that memory, half a nanosecond for each id that has a record and
// for each bucket, so that many short simulations can use one queue in turn.
func (q *Queue) Reset(start float64) { q.queue.Reset(start) }

// Trim gives back memory that the queue does not need at present: entries in slabs that are little
// used are moved into others. The queue gives memory back by itself, without moving entries, if it
// has several times what it needs. Trim is for callers that are about to need much memory for
// something else. It takes time proportional to the number of buckets and entries, some nanoseconds
// each, and little memory: some bytes for each slab of 131,072 entries, and four for each free
// chunk of 31.
//
// The garbage collector frees this memory in its next cycle; runtime/debug.FreeOSMemory returns it
// to the system at once.
func (q *Queue) Trim() { q.queue.Trim() }

// Stats returns the statistics of the queue. It takes time proportional to the number of buckets.
func (q *Queue) Stats() Stats { return Stats(q.queue.Stats()) }

// Stats is the health of a [Queue]. Counts of what was done are since the queue was made.
type Stats struct {
	Pending int // events in the queue
	// entries of cancelled or moved events that are still to be dropped: about Pending at most, or
	// those in chunks that are needed anyway
	Stale  int
	Bottom int // entries sorted and due first

	Levels    int     // levels of buckets, with those that are nested in buckets of others
	Buckets   int     // buckets that are still to be opened, in all levels
	Occupied  int     // how many of those hold anything
	Occupancy float64 // entries per occupied bucket

	Opened  uint64 // buckets opened
	Passed  uint64 // empty buckets passed over
	Moved   uint64 // entries moved from one place to another; divided by the events dispatched, the work per event
	Retunes uint64 // levels made: each chooses its bucket width anew
	Sweeps  uint64 // times that a bucket was rid of its stale entries
	Shrinks uint64 // times that memory was given back

	Bytes int // memory held, everything counted
}

// An Option adjusts a new [Queue] or [Agenda].
type Option = eventqueue.Option

// Capacity makes room for the ids 0 to n−1 up front, or for the first 4 million of them. The queue
// grows by itself, without moving anything; this only saves time later.
func Capacity(n int) Option { return eventqueue.Capacity(n) }

// MaxID sets the largest id that is accepted; those beyond it are refused with [ErrID]. The default
// is no limit: ids in use take 12 bytes each, in pages of 16,384 ids, and unused pages take
// nothing. So one wrong number costs no more than 200 kB, and once 8 MB for the tables of pages;
// but a thousand wrong numbers in different pages cost 200 MB.
func MaxID(id ID) Option { return eventqueue.MaxID(id) }

// StartAt sets the clock's first value. The default is 0. The time must be finite.
func StartAt(t float64) Option { return eventqueue.StartAt(t) }
