package dispatch

import (
	"time"

	"github.com/almanac-sim/almanac/dispatch/slots"
)

// Stats are the counts and the state of a [Dispatcher] or a [Caller] at one moment. Every submitted
// item is counted once:
//
//	Submitted = Served + Failed + TooOld + Canceled + Aborted + InService + Accepted + Pool
type Stats struct {
	// What became of items.
	Submitted uint64 // admitted to the pool, or too old before that
	Served    uint64 // the function of the worker returned
	Failed    uint64 // the function of the worker panicked
	TooOld    uint64 // dropped after MaxWait
	Canceled  uint64 // withdrawn by the context of Do
	Aborted   uint64 // handed back by Abort

	// Where the other items are.
	InService int
	Accepted  int // by a worker, and not begun
	Pool      int
	Blocked   int // not admitted yet: the pool is full, and a call of Submit or Do is blocked

	// Attempts is how often an item was offered to the workers, and Refusals how often none of them
	// had a free slot. An item has one attempt if a slot is free when it arrives, two if it waits
	// in the pool, and one more each time that it is returned to the pool or stolen.
	Attempts, Refusals uint64
	Returned           uint64 // to the pool, by workers that were removed or ejected
	Moved              uint64 // stolen from a busy worker by one that would have been idle
	Full               uint64 // refused with ErrFull
	Panics             uint64 // of workers and of OnDrop

	Waits    WaitHistogram // how long items waited before they began
	Oldest   time.Duration // the age of the oldest item that has not begun, blocked ones included; 0 if there is none
	Workers  []WorkerStats // by ID
	Capacity int           // c
}

// WorkerStats is the state of a worker at one moment.
type WorkerStats struct {
	ID      WorkerID
	Load    int           // its items, including the one in service
	Busy    time.Duration // how long the item has been in service; 0 if there is none
	Done    uint64        // items that it has finished
	Ejected time.Duration // for how much longer it gets no items, after failures in a row; or 0
	Removed bool          // it ends when the item in service is finished
}

// AttemptsPerItem returns Attempts/Submitted, or 0 if no item was submitted.
func (s *Stats) AttemptsPerItem() float64 {
	if s.Submitted == 0 {
		return 0
	}
	return float64(s.Attempts) / float64(s.Submitted)
}

func (s *scheduler[P]) stats() Stats {
	s.lock()
	defer s.unlock()
	now, st := s.now(), s.total
	st.InService, st.Accepted, st.Pool, st.Blocked = s.inService, s.accepted.Len, s.pool.Len, s.blocked.Len
	st.Workers, st.Capacity = make([]WorkerStats, 0, len(s.workers)), s.capacity
	for _, q := range []*slots.Queue[content[P]]{&s.accepted, &s.pool, &s.blocked} {
		if q.Head != nil {
			st.Oldest = max(st.Oldest, time.Duration(now-q.Head.Arrival))
		}
	}
	for _, w := range s.workers {
		ws := WorkerStats{ID: w.id, Load: w.load(), Done: w.served, Ejected: w.health.Left(now), Removed: w.removed}
		if w.busy {
			ws.Busy = time.Duration(now - w.since)
		}
		st.Workers = append(st.Workers, ws)
	}
	return st
}
