package dispatchhttp

import (
	"time"

	"github.com/almanac-sim/almanac/dispatch"
)

// Counts are the requests by outcome. Every request is counted once:
//
//	Requests = Completed + Broken + Failed + Canceled + Full + TooOld + Closed + Waiting + InFlight
//
// The last two are fields of [Stats].
type Counts struct {
	Requests  uint64 // arrivals
	Completed uint64 // the body of the response was read to its end, or closed
	Broken    uint64 // the body of the response broke off; in a Limiter, the handler panicked
	Failed    uint64 // no response
	Canceled  uint64 // the context ended before the response did
	Full      uint64 // refused: no free slot, and the queue is full
	TooOld    uint64 // refused after MaxWait
	Closed    uint64 // refused after Close

	Retries uint64 // attempts beyond the first
}

// Stats are the counts and the state of a [Transport] or a [Limiter] at one moment.
type Stats struct {
	Counts
	Waiting  int // requests without a slot
	InFlight int // requests with a slot

	Waits    dispatch.WaitHistogram // how long attempts waited for a slot, since the arrival of their request
	Oldest   time.Duration          // the age of the oldest waiting request, since its start; 0 if none waits
	Service  time.Duration          // moving average of how long a slot is held
	Capacity int                    // c, of backends that are not named by Capacities
	Backends []BackendStats         // of a Transport, in the order in which they were added
}

// BackendStats is the state of a backend at one moment.
type BackendStats struct {
	URL       string
	Capacity  int           // its slots
	InFlight  int           // requests that hold one of them
	Completed uint64        // responses that ended
	Failed    uint64        // failed attempts
	Failures  int           // consecutive
	Ejected   time.Duration // for how much longer, or 0; a failed HealthCheck may prolong it
	HalfOpen  bool          // after an ejection: it gets a single request
	Removed   bool          // it gets no more requests
}

func (s *scheduler) stats() Stats {
	s.mu.Lock()
	defer s.mu.Unlock()
	now := s.now()
	st := Stats{
		Counts:   s.total,
		Waiting:  s.waiting.Len,
		InFlight: s.inFlight,
		Waits:    s.waits,
		Service:  time.Duration(s.service),
		Capacity: s.capacity,
	}
	if s.waiting.Head != nil {
		st.Oldest = time.Duration(now - s.waiting.Head.Arrival)
	}
	for _, b := range s.backends {
		if b.url == nil {
			continue // the handler of a Limiter
		}
		bs := BackendStats{
			URL: b.url.String(), Capacity: b.capacity, InFlight: b.inFlight, Completed: b.completed, Failed: b.failed,
			Failures: b.health.Failures(), Ejected: b.health.Left(now), HalfOpen: b.health.HalfOpen(), Removed: b.removed,
		}
		st.Backends = append(st.Backends, bs)
	}
	return st
}
