package dispatchhttp

import (
	"context"
	"log/slog"
	"net/url"
	"sync"
	"time"

	"github.com/almanac-sim/almanac/dispatch"
	"github.com/almanac-sim/almanac/dispatch/health"
	"github.com/almanac-sim/almanac/dispatch/slots"
	"github.com/almanac-sim/almanac/internal/random"
)

// A scheduler assigns the slots of backends to requests. That of a [Transport] has a backend for
// each URL; that of a [Limiter] has a single one, the handler.
//
//	          a slot                     the response has ended
//	waiting ──────────▶ in flight ────────────────────────────▶ counted
//	   ▲                    │
//	   └────────────────────┘  the attempt has failed, and there will be another, with the same age
//
// It is not the scheduler of [dispatch.Caller], whose workers are goroutines that are busy while a
// function runs: here a slot is held beyond the call, until a body is closed; a backend may be
// ejected; and every waiting request has a goroutine already, so that none is needed to serve it.
//
// One mutex protects all of it, and every step takes constant time, except for start times out of
// order. Between two steps
//
//  1. no backend has more than c requests in flight, and a half-open one has at most one that began
//     since its ejection, and one more for each further backoff;
//  2. if a request waits, no backend has a free slot: each has c in flight, is ejected, or is
//     half-open with its probe in flight;
//  3. every request is in one place, and the queue is ordered by age.
//
// verify in scheduler_test.go checks them.
type scheduler struct {
	// Configure changes these.
	capacity   int            // c, where capacities does not say otherwise
	capacities map[string]int // by the URL of the backend
	limit      int            // of the queue
	maxWait    time.Duration  // 0 means no limit
	rule       health.Rule    // the zero value means that backends are never ejected
	log        *slog.Logger
	start      time.Time

	// Active health checks; check is nil if there are none.
	check    func(context.Context, *url.URL) error
	interval time.Duration
	passes   int             // how many in a row reopen an ejected backend; 0 is as 1
	fails    int             // how many in a row eject a healthy one; 0 is as 1
	ctx      context.Context // ends with the scheduler
	cancel   context.CancelFunc
	checks   sync.WaitGroup

	mu       sync.Mutex
	random   random.Stream
	lastSeq  uint64
	waiting  slots.Queue[request] // by start
	inFlight int
	backends []*backend // including removed ones with requests in flight
	bins     slots.Bins[backend]
	closed   bool          // no more intake
	ended    bool          // no more retries, timers or checks
	drained  chan struct{} // closed when closed is set and no request is waiting or in flight

	total   Counts
	waits   dispatch.WaitHistogram
	service float64 // moving average of how long a slot is held, in ns; 0 before the first
}

// A backend has slots.
type backend struct {
	url      *url.URL // nil in a Limiter
	capacity int
	inFlight int
	bin      slots.Bin[backend]
	removed  bool

	health                     health.State
	checksPassed, checksFailed int // in a row
	completed, failed          uint64
}

// An arrival is the age of a request, which it keeps over all its attempts.
type arrival struct {
	start int64  // when the request started, here or elsewhere
	at    int64  // when it arrived here
	seq   uint64 // the order of arrival, which decides among equal starts
}

// A waiter is a request that waits for a slot.
type waiter = slots.Item[request]

type request struct {
	avoid *slots.Bin[backend] // of the backend where it has just failed
	ready chan struct{}       // receives a token when it has left the queue and slot or err is set
	slot  slot                // only its arrival is set until then
	err   error
}

// A slot of a backend that a request holds.
type slot struct {
	arrival
	backend *backend
	since   int64 // when the slot was granted
	attempt health.Attempt
}

func newScheduler(o *schedulerOptions, seed uint64) *scheduler {
	s := &scheduler{
		capacity: o.capacity,
		limit:    o.poolLimit,
		maxWait:  o.maxWait,
		log:      o.log,
		start:    time.Now(),
		random:   random.New(seed),
		drained:  make(chan struct{}),
	}
	s.waiting.ByArrival = true
	s.ctx, s.cancel = context.WithCancel(context.Background())
	return s
}

// now returns the time since the scheduler was made.
func (s *scheduler) now() int64 { return int64(time.Since(s.start)) }

// acquire waits for a slot. It counts the request in any case.
func (s *scheduler) acquire(ctx context.Context, start time.Time) (slot, error) {
	s.mu.Lock()
	now := s.now()
	s.lastSeq++
	a := arrival{start: min(int64(start.Sub(s.start)), now), at: now, seq: s.lastSeq}
	s.total.Requests++
	switch {
	case ctx.Err() != nil:
		s.total.Canceled++
		s.mu.Unlock()
		return slot{}, ctx.Err()
	case s.closed:
		s.total.Closed++
		s.mu.Unlock()
		return slot{}, dispatch.ErrClosed
	case s.waiting.Len == 0:
		if bin := s.bins.Pick(&s.random, nil); bin != nil {
			t := s.grant(bin.Of, a, now)
			s.mu.Unlock()
			return t, nil
		}
	}
	if s.waiting.Len >= s.limit {
		s.total.Full++
		s.mu.Unlock()
		return slot{}, dispatch.ErrFull
	}
	w := newWaiter(a, nil)
	s.waiting.Insert(s.waiting.Tail, w) // it is younger than most
	maxWait := s.maxWait
	s.mu.Unlock()
	return s.wait(ctx, w, now, maxWait)
}

// retry releases a slot and waits for another, for the same request with the same age. A full queue
// does not refuse it: it was admitted before, and there are no more retries than slots.
func (s *scheduler) retry(ctx context.Context, t slot, v health.Verdict) (slot, error) {
	s.mu.Lock()
	s.total.Retries++
	s.release(t, v)
	if s.ended {
		s.total.Closed++
		s.signalDrained()
		s.mu.Unlock()
		return slot{}, dispatch.ErrClosed
	}
	w := newWaiter(t.arrival, &t.backend.bin)
	s.waiting.Insert(nil, w) // it is older than most: it had left the queue before
	s.fillSlots()
	maxWait := s.maxWait
	s.mu.Unlock()
	return s.wait(ctx, w, t.at, maxWait)
}

func newWaiter(a arrival, avoid *slots.Bin[backend]) *waiter {
	return &waiter{
		Arrival: a.start, Seq: a.seq,
		Value: request{avoid: avoid, ready: make(chan struct{}, 1), slot: slot{arrival: a}},
	}
}

// wait blocks until a request that is in the queue has a slot, its context ends, or it has waited
// for maxWait since it arrived. fillSlots writes its slot meanwhile.
func (s *scheduler) wait(ctx context.Context, it *waiter, arrived int64, maxWait time.Duration) (slot, error) {
	w := &it.Value
	var late <-chan time.Time
	if maxWait > 0 {
		timer := time.NewTimer(maxWait - time.Duration(s.now()-arrived))
		defer timer.Stop()
		late = timer.C
	}
	select {
	case <-w.ready:
		return w.slot, w.err
	case <-ctx.Done():
	case <-late:
	}
	s.mu.Lock()
	defer s.mu.Unlock()
	err := ctx.Err()
	select {
	case <-w.ready: // in the meantime
		if w.err == nil && err != nil {
			s.release(w.slot, health.Neutral)
			s.total.Canceled++
			s.fillSlots()
			s.signalDrained()
			return slot{}, err
		}
		return w.slot, w.err
	default:
	}
	s.waiting.Remove(it)
	if err != nil {
		s.total.Canceled++
	} else {
		s.total.TooOld++
		err = dispatch.ErrTooOld
	}
	s.signalDrained()
	return slot{}, err
}

// fillSlots assigns free slots to waiting requests, the oldest first.
func (s *scheduler) fillSlots() {
	for s.waiting.Len > 0 {
		it := s.waiting.Head
		w := &it.Value
		bin := s.bins.Pick(&s.random, w.avoid)
		if bin == nil {
			return
		}
		s.waiting.Remove(it)
		w.slot = s.grant(bin.Of, w.slot.arrival, s.now())
		w.ready <- struct{}{}
	}
}

// grant takes a slot of a backend that has a free one.
func (s *scheduler) grant(b *backend, a arrival, now int64) slot {
	t := slot{arrival: a, backend: b, since: now, attempt: b.health.Begin(s.timerOf(b))}
	b.inFlight++
	s.inFlight++
	s.waits.Add(time.Duration(now - a.at))
	s.update(b)
	return t
}

// finish releases a slot at the end of a request, and counts the request.
func (s *scheduler) finish(t slot, v health.Verdict, o outcome) {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.release(t, v)
	switch o {
	case completed:
		s.total.Completed++
	case broken:
		s.total.Broken++
	case failed:
		s.total.Failed++
	case canceled:
		s.total.Canceled++
	}
	s.fillSlots()
	s.signalDrained()
}

// release frees a slot. The caller must call fillSlots.
func (s *scheduler) release(t slot, v health.Verdict) {
	b := t.backend
	b.inFlight--
	s.inFlight--
	held := float64(s.now() - t.since)
	if s.service == 0 {
		s.service = held
	}
	s.service += (held - s.service) / serviceMemory
	s.updateHealth(t, v)
	s.update(b)
	if b.removed && b.inFlight == 0 {
		s.forget(b)
	}
}

// serviceMemory is about how many requests the moving average of service covers.
const serviceMemory = 16

// update moves a backend to the class of its load and its health.
func (s *scheduler) update(b *backend) {
	class := slots.None
	if !b.removed && b.health.Available() {
		class = slots.ClassOf(b.inFlight, b.capacity)
	}
	s.bins.Put(&b.bin, class)
}

// signalDrained unblocks Close when a closed scheduler has no more requests.
func (s *scheduler) signalDrained() {
	if s.closed && s.waiting.Len+s.inFlight == 0 {
		select {
		case <-s.drained:
		default:
			close(s.drained)
		}
	}
}
