package dispatchhttp

import (
	"context"
	"log/slog"
	"net/url"
	"sync"
	"time"

	"github.com/almanac-sim/almanac/dispatch"
	"github.com/almanac-sim/almanac/dispatch/internal/slots"
	"github.com/almanac-sim/almanac/internal/random"
)

// A desk gives slots of servers to requests. A [Transport] has one with a server for each backend; a [Limiter] one with a single server, itself.
//
//	          a slot                     the answer has come to its end
//	waiting ──────────▶ in flight ──────────────────────────────────────▶ counted, and forgotten
//	   ▲                    │
//	   └────────────────────┘  the try has failed, and there will be another: with the age that it has
//
// It is not that of [dispatch.Caller], whose workers are goroutines that are busy for as long as a function runs: here a slot is held beyond the
// call, until a body is closed, by whoever reads it; a server may rest; and who waits is a goroutine already, so that none is needed to serve it.
//
// All of it is behind one mutex, and every step takes constant time, but for births out of order. Between two steps
//
//  1. no server has more than c requests in flight, and one that is on probation at most one that began since;
//  2. if a request waits, no server has a slot: all have c in flight, rest, or are on probation with their one request out;
//  3. every request is in one place, and the queue is by age.
//
// verify in desk_test.go has them as code.
type scheduler struct {
	capacity     int           // c
	limit        int           // of the queue
	maxWait      time.Duration // 0 for any
	firstBackoff time.Duration // rest after a first failure
	maxBackoff   time.Duration // rest at most
	log          *slog.Logger
	start        time.Time

	// Of active checks; check is nil if there are none.
	check    func(context.Context, *url.URL) error
	interval time.Duration
	ctx      context.Context // ends with the desk
	cancel   context.CancelFunc
	checks   sync.WaitGroup

	mu       sync.Mutex
	random   random.Stream
	lastSeq  uint64
	waiting  slots.Queue[request] // by birth
	inFlight int
	servers  []*server // those that there are, and those removed that still have something in flight
	bins     slots.Bins[server]
	closed   bool          // nothing more is taken
	ended    bool          // nobody rests or is checked any more
	drained  chan struct{} // closed when it is closed and nothing is waiting or in flight

	total   Counts
	waits   dispatch.WaitHistogram
	service float64 // how long a slot was held of late, in ns; 0 before the first
}

// A server has slots.
type server struct {
	url      *url.URL
	inFlight int
	bin      slots.Bin[server]
	removed  bool

	// See rest.go.
	failures     int    // in a row
	ejections    uint64 // how often it was sent to rest
	ejected      bool
	halfOpen     bool // on probation
	probing      bool // its one request is out
	ejectedUntil int64
	epoch        uint64 // of its timer
	timer        *time.Timer

	completed, failed uint64
}

// An age is that of a request, which it keeps over all its tries.
type arrival struct {
	start, at int64
	seq       uint64 // among those born at once, the order in which they came
}

// A waiter is a request that waits for a slot.
type waiter = slots.Item[request]

type request struct {
	avoid *slots.Bin[server] // of the server where it has just failed: another one if there is a choice
	ready chan struct{}      // has a token when it has left the queue and ticket or err is there
	slot  slot               // has an age only until then
	err   error
}

// A ticket is a slot that a request has.
type slot struct {
	arrival
	server    *server
	since     int64  // it has had the slot
	ejections uint64 // of the server at that time
	probe     bool
}

func newScheduler(o *schedulerOptions, seed uint64) *scheduler {
	d := &scheduler{
		capacity: o.capacity,
		limit:    o.poolLimit,
		maxWait:  o.maxWait,
		log:      o.log,
		start:    time.Now(),
		random:   random.New(seed),
		drained:  make(chan struct{}),
	}
	d.waiting.ByArrival = true
	d.ctx, d.cancel = context.WithCancel(context.Background())
	return d
}

// now is the time since the desk was made.
func (d *scheduler) now() int64 { return int64(time.Since(d.start)) }

// enter waits for a slot. Whatever it returns, the request is counted.
func (d *scheduler) acquire(ctx context.Context, birth time.Time) (slot, error) {
	d.mu.Lock()
	now := d.now()
	d.lastSeq++
	a := arrival{start: min(int64(birth.Sub(d.start)), now), at: now, seq: d.lastSeq}
	d.total.Requests++
	switch {
	case ctx.Err() != nil:
		d.total.Canceled++
		d.mu.Unlock()
		return slot{}, ctx.Err()
	case d.closed:
		d.total.Closed++
		d.mu.Unlock()
		return slot{}, dispatch.ErrClosed
	case d.waiting.Len == 0:
		if bin := d.bins.Pick(&d.random, nil); bin != nil {
			t := d.grant(bin.Of, a, now)
			d.mu.Unlock()
			return t, nil
		}
	}
	if d.waiting.Len >= d.limit {
		d.total.Full++
		d.mu.Unlock()
		return slot{}, dispatch.ErrFull
	}
	w := newWaiter(a, nil)
	d.waiting.Insert(d.waiting.Tail, w) // it is younger than most
	d.mu.Unlock()
	return d.wait(ctx, w, now)
}

// again gives back a slot and waits for another, as the same request with the same age. It is not turned away if the queue is full: it has been
// in already, and there are no more of its kind than there are slots.
func (d *scheduler) retry(ctx context.Context, t slot, v verdict) (slot, error) {
	d.mu.Lock()
	d.total.Retries++
	d.release(t, v)
	if d.ended {
		d.total.Closed++
		d.signalDrained()
		d.mu.Unlock()
		return slot{}, dispatch.ErrClosed
	}
	w := newWaiter(t.arrival, &t.server.bin)
	d.waiting.Insert(nil, w) // it is older than most: it was once out of the queue already
	d.fillSlots()
	d.mu.Unlock()
	return d.wait(ctx, w, t.at)
}

func newWaiter(a arrival, avoid *slots.Bin[server]) *waiter {
	return &waiter{Arrival: a.start, Seq: a.seq, Value: request{avoid: avoid, ready: make(chan struct{}, 1), slot: slot{arrival: a}}}
}

// await is what a request that came at some time does while it is in the queue. Whoever grants it a slot writes its ticket.
func (d *scheduler) wait(ctx context.Context, it *waiter, came int64) (slot, error) {
	w := &it.Value
	var late <-chan time.Time
	if d.maxWait > 0 {
		timer := time.NewTimer(d.maxWait - time.Duration(d.now()-came))
		defer timer.Stop()
		late = timer.C
	}
	select {
	case <-w.ready:
		return w.slot, w.err
	case <-ctx.Done():
	case <-late:
	}
	d.mu.Lock()
	defer d.mu.Unlock()
	err := ctx.Err()
	select {
	case <-w.ready: // in the meantime
		if w.err == nil && err != nil {
			d.release(w.slot, neutral)
			d.total.Canceled++
			d.fillSlots()
			d.signalDrained()
			return slot{}, err
		}
		return w.slot, w.err
	default:
	}
	d.waiting.Remove(it)
	if err != nil {
		d.total.Canceled++
	} else {
		d.total.TooOld++
		err = dispatch.ErrTooOld
	}
	d.signalDrained()
	return slot{}, err
}

// settle hands slots to those who wait, the oldest first.
func (d *scheduler) fillSlots() {
	for d.waiting.Len > 0 {
		it := d.waiting.Head
		w := &it.Value
		bin := d.bins.Pick(&d.random, w.avoid)
		if bin == nil {
			return
		}
		d.waiting.Remove(it)
		w.slot = d.grant(bin.Of, w.slot.arrival, d.now())
		w.ready <- struct{}{}
	}
}

// grant gives a slot of a server that has one.
func (d *scheduler) grant(s *server, a arrival, now int64) slot {
	t := slot{arrival: a, server: s, since: now, ejections: s.ejections, probe: s.halfOpen}
	s.probing = s.halfOpen
	s.inFlight++
	d.inFlight++
	d.waits.Add(time.Duration(now - a.at))
	d.update(s)
	return t
}

// leave gives back a slot at the end of a request.
func (d *scheduler) finish(t slot, v verdict, o outcome) {
	d.mu.Lock()
	defer d.mu.Unlock()
	d.release(t, v)
	switch o {
	case completed:
		d.total.Completed++
	case broken:
		d.total.Broken++
	case failed:
		d.total.Failed++
	case canceled:
		d.total.Canceled++
	}
	d.fillSlots()
	d.signalDrained()
}

// giveBack is where a slot becomes free. What follows must settle.
func (d *scheduler) release(t slot, v verdict) {
	s := t.server
	s.inFlight--
	d.inFlight--
	held := float64(d.now() - t.since)
	if d.service == 0 {
		d.service = held
	}
	d.service += (held - d.service) / serviceMemory
	d.updateHealth(t, v)
	d.update(s)
	if s.removed && s.inFlight == 0 {
		d.forget(s)
	}
}

// serviceMemory is how many requests the mean time of a slot goes back, about.
const serviceMemory = 16

// file puts a server into the class that it belongs to.
func (d *scheduler) update(s *server) {
	class := slots.None
	if !s.removed && !s.ejected && !(s.halfOpen && s.probing) {
		class = slots.ClassOf(s.inFlight, d.capacity)
	}
	d.bins.Put(&s.bin, class)
}

// perhapsDrained notices the end.
func (d *scheduler) signalDrained() {
	if d.closed && d.waiting.Len+d.inFlight == 0 {
		select {
		case <-d.drained:
		default:
			close(d.drained)
		}
	}
}
