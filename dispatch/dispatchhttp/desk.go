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
type desk struct {
	capacity int           // c
	limit    int           // of the queue
	maxWait  time.Duration // 0 for any
	first    time.Duration // rest after a first failure
	most     time.Duration // rest at most
	log      *slog.Logger
	start    time.Time

	// Of active checks; check is nil if there are none.
	check    func(context.Context, *url.URL) error
	interval time.Duration
	ctx      context.Context // ends with the desk
	cancel   context.CancelFunc
	checks   sync.WaitGroup

	mu       sync.Mutex
	random   random.Stream
	stamp    uint64
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
	gone     bool

	// See rest.go.
	failures int    // in a row
	rests    uint64 // how often it was sent to rest
	resting  bool
	probing  bool // on probation
	probe    bool // its one request is out
	until    int64
	epoch    uint64 // of its timer
	timer    *time.Timer

	answered, failed uint64
}

// An age is that of a request, which it keeps over all its tries.
type age struct {
	born, came int64
	stamp      uint64 // among those born at once, the order in which they came
}

// A waiter is a request that waits for a slot.
type waiter = slots.Item[request]

type request struct {
	avoid  *slots.Bin[server] // of the server where it has just failed: another one if there is a choice
	ready  chan struct{}      // has a token when it has left the queue and ticket or err is there
	ticket ticket             // has an age only until then
	err    error
}

// A ticket is a slot that a request has.
type ticket struct {
	age
	server *server
	since  int64  // it has had the slot
	rests  uint64 // of the server at that time
	probe  bool
}

func newDesk(o *deskOptions, seed uint64) *desk {
	d := &desk{
		capacity: o.capacity,
		limit:    o.poolLimit,
		maxWait:  o.maxWait,
		log:      o.log,
		start:    time.Now(),
		random:   random.New(seed),
		drained:  make(chan struct{}),
	}
	d.waiting.ByBirth = true
	d.ctx, d.cancel = context.WithCancel(context.Background())
	return d
}

// now is the time since the desk was made.
func (d *desk) now() int64 { return int64(time.Since(d.start)) }

// enter waits for a slot. Whatever it returns, the request is counted.
func (d *desk) enter(ctx context.Context, birth time.Time) (ticket, error) {
	d.mu.Lock()
	now := d.now()
	d.stamp++
	a := age{born: min(int64(birth.Sub(d.start)), now), came: now, stamp: d.stamp}
	d.total.Requests++
	switch {
	case ctx.Err() != nil:
		d.total.Cancelled++
		d.mu.Unlock()
		return ticket{}, ctx.Err()
	case d.closed:
		d.total.Closed++
		d.mu.Unlock()
		return ticket{}, dispatch.ErrClosed
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
		return ticket{}, dispatch.ErrFull
	}
	w := newWaiter(a, nil)
	d.waiting.Insert(d.waiting.Tail, w) // it is younger than most
	d.mu.Unlock()
	return d.await(ctx, w, now)
}

// again gives back a slot and waits for another, as the same request with the same age. It is not turned away if the queue is full: it has been
// in already, and there are no more of its kind than there are slots.
func (d *desk) again(ctx context.Context, t ticket, v verdict) (ticket, error) {
	d.mu.Lock()
	d.total.Retries++
	d.giveBack(t, v)
	if d.ended {
		d.total.Closed++
		d.perhapsDrained()
		d.mu.Unlock()
		return ticket{}, dispatch.ErrClosed
	}
	w := newWaiter(t.age, &t.server.bin)
	d.waiting.Insert(nil, w) // it is older than most: it was once out of the queue already
	d.settle()
	d.mu.Unlock()
	return d.await(ctx, w, t.came)
}

func newWaiter(a age, avoid *slots.Bin[server]) *waiter {
	return &waiter{Born: a.born, Stamp: a.stamp, Value: request{avoid: avoid, ready: make(chan struct{}, 1), ticket: ticket{age: a}}}
}

// await is what a request that came at some time does while it is in the queue. Whoever grants it a slot writes its ticket.
func (d *desk) await(ctx context.Context, it *waiter, came int64) (ticket, error) {
	w := &it.Value
	var late <-chan time.Time
	if d.maxWait > 0 {
		timer := time.NewTimer(d.maxWait - time.Duration(d.now()-came))
		defer timer.Stop()
		late = timer.C
	}
	select {
	case <-w.ready:
		return w.ticket, w.err
	case <-ctx.Done():
	case <-late:
	}
	d.mu.Lock()
	defer d.mu.Unlock()
	err := ctx.Err()
	select {
	case <-w.ready: // in the meantime
		if w.err == nil && err != nil {
			d.giveBack(w.ticket, nothing)
			d.total.Cancelled++
			d.settle()
			d.perhapsDrained()
			return ticket{}, err
		}
		return w.ticket, w.err
	default:
	}
	d.waiting.Remove(it)
	if err != nil {
		d.total.Cancelled++
	} else {
		d.total.TooOld++
		err = dispatch.ErrTooOld
	}
	d.perhapsDrained()
	return ticket{}, err
}

// settle hands slots to those who wait, the oldest first.
func (d *desk) settle() {
	for d.waiting.Len > 0 {
		it := d.waiting.Head
		w := &it.Value
		bin := d.bins.Pick(&d.random, w.avoid)
		if bin == nil {
			return
		}
		d.waiting.Remove(it)
		w.ticket = d.grant(bin.Of, w.ticket.age, d.now())
		w.ready <- struct{}{}
	}
}

// grant gives a slot of a server that has one.
func (d *desk) grant(s *server, a age, now int64) ticket {
	t := ticket{age: a, server: s, since: now, rests: s.rests, probe: s.probing}
	s.probe = s.probing
	s.inFlight++
	d.inFlight++
	d.waits.Add(time.Duration(now - a.came))
	d.file(s)
	return t
}

// leave gives back a slot at the end of a request.
func (d *desk) leave(t ticket, v verdict, o outcome) {
	d.mu.Lock()
	defer d.mu.Unlock()
	d.giveBack(t, v)
	switch o {
	case wasAnswered:
		d.total.Answered++
	case wasBroken:
		d.total.Broken++
	case hasFailed:
		d.total.Failed++
	case wasCancelled:
		d.total.Cancelled++
	}
	d.settle()
	d.perhapsDrained()
}

// giveBack is where a slot becomes free. What follows must settle.
func (d *desk) giveBack(t ticket, v verdict) {
	s := t.server
	s.inFlight--
	d.inFlight--
	held := float64(d.now() - t.since)
	if d.service == 0 {
		d.service = held
	}
	d.service += (held - d.service) / serviceMemory
	d.judge(t, v)
	d.file(s)
	if s.gone && s.inFlight == 0 {
		d.forget(s)
	}
}

// serviceMemory is how many requests the mean time of a slot goes back, about.
const serviceMemory = 16

// file puts a server into the class that it belongs to.
func (d *desk) file(s *server) {
	class := slots.None
	if !s.gone && !s.resting && !(s.probing && s.probe) {
		class = slots.ClassOf(s.inFlight, d.capacity)
	}
	d.bins.Put(&s.bin, class)
}

// perhapsDrained notices the end.
func (d *desk) perhapsDrained() {
	if d.closed && d.waiting.Len+d.inFlight == 0 {
		select {
		case <-d.drained:
		default:
			close(d.drained)
		}
	}
}
