package dispatch

import (
	"time"

	"github.com/almanac-sim/almanac/dispatch/internal/slots"
)

// Stats is what a [Dispatcher] or a [Caller] has done, and how it is, at one moment. Every item that was taken is counted once:
//
//	Submitted = Served + Failed + TooOld + Cancelled + Aborted + InService + Accepted + Pool
type Stats struct {
	// What has become of items.
	Submitted uint64 // taken into the pool
	Served    uint64 // the worker's function returned
	Failed    uint64 // the worker's function panicked
	TooOld    uint64 // dropped since they were older than MaxAge
	Canceled  uint64 // taken out by the context of Do
	Aborted   uint64 // handed back by Abort

	// Where the others are.
	InService int // being worked on
	Accepted  int // by a worker, and not begun
	Pool      int // in the pool
	Blocked   int // not taken yet: somebody waits until there is room in the pool

	// Tries is how often an item was offered to workers, and Refusals how often none had a slot. An item that finds a slot when it comes
	// has one try, one that waits in the pool has two, and one more for each time that it came from a worker to the pool or to another.
	Attempts, Refusals uint64
	Returned           uint64 // given back by workers that were removed
	Moved              uint64 // from a worker that was busy to one that would have been idle
	Full               uint64 // turned away with ErrFull
	Panics             uint64 // of workers, and of OnDrop

	Waits    WaitHistogram // how long items waited before they began
	Oldest   time.Duration // the age of the oldest item that has not begun, those outside counted; 0 if there is none
	Workers  []WorkerStats // by ID
	Capacity int           // c
}

// WorkerStats is a worker at one moment.
type WorkerStats struct {
	ID      WorkerID
	Load    int           // the items that it has, the one that it works on counted
	Busy    time.Duration // for how long it has worked on that one, 0 if on none
	Done    uint64        // how many items it has done with
	Removed bool          // it will end when it is done with this one
}

// TriesPerItem is how often an item was offered on average: Tries by Submitted, or 0 if there was none.
func (s *Stats) AttemptsPerItem() float64 {
	if s.Submitted == 0 {
		return 0
	}
	return float64(s.Attempts) / float64(s.Submitted)
}

func (d *scheduler[P]) stats() Stats {
	d.lock()
	defer d.unlock()
	now, s := d.now(), d.total
	s.InService, s.Accepted, s.Pool, s.Blocked = d.inService, d.accepted.Len, d.pool.Len, d.blocked.Len
	s.Workers, s.Capacity = make([]WorkerStats, 0, len(d.workers)), d.capacity
	for _, l := range []*slots.Queue[content[P]]{&d.accepted, &d.pool, &d.blocked} {
		if l.Head != nil {
			s.Oldest = max(s.Oldest, time.Duration(now-l.Head.Arrival))
		}
	}
	for _, w := range d.workers {
		ws := WorkerStats{ID: w.id, Load: w.load(), Done: w.served, Removed: w.removed}
		if w.busy {
			ws.Busy = time.Duration(now - w.since)
		}
		s.Workers = append(s.Workers, ws)
	}
	return s
}
