package dispatchhttp

import (
	"time"

	"github.com/almanac-sim/almanac/dispatch"
)

// Counts are what has become of requests. Every one is counted once:
//
//	Requests = Answered + Broken + Failed + Cancelled + Full + TooOld + Closed + Waiting + InFlight
//
// where the last two are those of [Stats].
type Counts struct {
	Requests  uint64 // that came
	Completed uint64 // the body of the answer was read to its end, or closed
	Broken    uint64 // the answer broke off in its body; in a Limiter, the handler panicked
	Failed    uint64 // no answer
	Canceled  uint64 // the context ended before there was an answer, or before its body ended
	Full      uint64 // turned away: no slot, and no room to wait
	TooOld    uint64 // waited for as long as MaxWait allows
	Closed    uint64 // turned away after Close

	Retries uint64 // tries beyond the first
}

// Stats is what a [Transport] or a [Limiter] has done, and how it is, at one moment.
type Stats struct {
	Counts
	Waiting  int // for a slot
	InFlight int // have a slot

	Waits    dispatch.WaitHistogram // how long tries waited for a slot, since their request came
	Oldest   time.Duration          // the age of the oldest request that waits, since its birth; 0 if none does
	Service  time.Duration          // how long a slot was held of late, on average
	Capacity int                    // c
	Backends []BackendStats         // of a Transport, in the order in which they were added
}

// BackendStats is a backend at one moment.
type BackendStats struct {
	URL       string
	InFlight  int           // requests that have one of its slots
	Completed uint64        // answers that came to their end
	Failed    uint64        // tries that did not
	Failures  int           // in a row
	Ejected   time.Duration // for how much longer, 0 if it does not; with a HealthCheck it may fail that and rest again
	HalfOpen  bool          // it has rested, and gets one request to show that it works
	Removed   bool          // it gets no more
}

func (d *scheduler) stats() Stats {
	d.mu.Lock()
	defer d.mu.Unlock()
	now := d.now()
	s := Stats{
		Counts:   d.total,
		Waiting:  d.waiting.Len,
		InFlight: d.inFlight,
		Waits:    d.waits,
		Service:  time.Duration(d.service),
		Capacity: d.capacity,
	}
	if d.waiting.Head != nil {
		s.Oldest = time.Duration(now - d.waiting.Head.Arrival)
	}
	for _, b := range d.servers {
		if b.url == nil {
			continue // of a Limiter
		}
		bs := BackendStats{
			URL: b.url.String(), InFlight: b.inFlight, Completed: b.completed, Failed: b.failed,
			Failures: b.failures, HalfOpen: b.halfOpen, Removed: b.removed,
		}
		if b.ejected {
			bs.Ejected = max(time.Duration(b.ejectedUntil-now), 1)
		}
		s.Backends = append(s.Backends, bs)
	}
	return s
}
