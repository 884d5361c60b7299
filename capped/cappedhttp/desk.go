package cappedhttp

import (
	"context"
	"log/slog"
	"net/url"
	"sync"
	"time"

	"github.com/almanac-sim/almanac/capped"
	"github.com/almanac-sim/almanac/internal/random"
)

// A desk gives slots of servers to requests. A [Transport] has one with a server for each backend; a [Limiter] one with a single server, itself.
//
//	          a slot                     the answer has come to its end
//	waiting ──────────▶ in flight ──────────────────────────────────────▶ counted, and forgotten
//	   ▲                    │
//	   └────────────────────┘  the try has failed, and there will be another: with the age that it has
//
// It is not that of [capped.Caller], whose workers are goroutines that are busy for as long as a function runs: here a slot is held beyond the
// call, until a body is closed, by whoever reads it; a server may rest; and who waits is a goroutine already, so that none is needed to serve it.
//
// All of it is behind one mutex, and every step takes constant time, but for births out of order. Between two steps
//
//  1. no server has more than c requests in flight, and one that is on probation at most one that began since;
//  2. if a request waits, no server has a slot: all have c in flight, rest, or are on probation with their one request out;
//  3. every request is in one place, and the line is by age.
//
// verify in desk_test.go has them as code.
type desk struct {
	capacity int           // c
	limit    int           // of the line
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
	waiting  line
	inFlight int
	servers  []*server // those that there are, and those removed that still have something in flight
	sets     [setsAre][]*server
	closed   bool          // nothing more is taken
	ended    bool          // nobody rests or is checked any more
	drained  chan struct{} // closed when it is closed and nothing is waiting or in flight

	total   Counts
	waits   capped.WaitHistogram
	service float64 // how long a slot was held of late, in ns; 0 before the first
}

// set is which servers can be found.
type set uint8

const (
	idle    set = iota // have nothing in flight, and a slot
	open               // have a slot
	setsAre            // how many there are
	unlisted
)

// A server has slots.
type server struct {
	url      *url.URL
	inFlight int
	in       set // of those of the desk
	at       int // in it
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
		return ticket{}, capped.ErrClosed
	case d.waiting.n == 0:
		if s := d.pick(nil); s != nil {
			t := d.grant(s, a, now)
			d.mu.Unlock()
			return t, nil
		}
	}
	if d.waiting.n >= d.limit {
		d.total.Full++
		d.mu.Unlock()
		return ticket{}, capped.ErrFull
	}
	w := newWaiter(a)
	d.waiting.young(w)
	d.mu.Unlock()
	return d.await(ctx, w)
}

// again gives back a slot and waits for another, as the same request with the same age. It is not turned away if the line is full: it has been
// in already, and there are no more of its kind than there are slots.
func (d *desk) again(ctx context.Context, t ticket, v verdict) (ticket, error) {
	d.mu.Lock()
	d.total.Retries++
	d.giveBack(t, v)
	if d.ended {
		d.total.Closed++
		d.perhapsDrained()
		d.mu.Unlock()
		return ticket{}, capped.ErrClosed
	}
	w := newWaiter(t.age)
	w.avoid = t.server
	d.waiting.old(w)
	d.settle()
	d.mu.Unlock()
	return d.await(ctx, w)
}

func newWaiter(a age) *waiter { return &waiter{age: a, ready: make(chan struct{}, 1)} }

// await is what a request does while it is in the line.
func (d *desk) await(ctx context.Context, w *waiter) (ticket, error) {
	var late <-chan time.Time
	if d.maxWait > 0 {
		timer := time.NewTimer(d.maxWait - time.Duration(d.now()-w.came))
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
	d.waiting.remove(w)
	if err != nil {
		d.total.Cancelled++
	} else {
		d.total.TooOld++
		err = capped.ErrTooOld
	}
	d.perhapsDrained()
	return ticket{}, err
}

// settle hands slots to those who wait, the oldest first.
func (d *desk) settle() {
	for d.waiting.n > 0 {
		w := d.waiting.head
		s := d.pick(w.avoid)
		if s == nil {
			return
		}
		d.waiting.remove(w)
		w.ticket = d.grant(s, w.age, d.now())
		w.ready <- struct{}{}
	}
}

// pick is a server with a slot: any of those that are idle with the same probability, or if there is none any of the others; one that is to
// be avoided only if there is no other; or nil.
func (d *desk) pick(avoid *server) *server {
	for i, all := range d.sets {
		n := len(all)
		shun := avoid != nil && avoid.in == set(i)
		if shun {
			n--
		}
		if n == 0 {
			continue
		}
		at := int(d.random.Below(uint64(n)))
		if shun && at >= avoid.at {
			at++
		}
		return all[at]
	}
	if avoid != nil && avoid.in != unlisted {
		return avoid
	}
	return nil
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

// file puts a server into the set that it belongs to.
func (d *desk) file(s *server) {
	in := unlisted
	switch {
	case s.gone || s.resting || s.inFlight >= d.capacity || s.probing && s.probe:
	case s.inFlight == 0:
		in = idle
	default:
		in = open
	}
	if in == s.in {
		return
	}
	if s.in != unlisted {
		all := d.sets[s.in]
		last := all[len(all)-1]
		all[s.at], last.at = last, s.at
		all[len(all)-1] = nil
		d.sets[s.in] = all[:len(all)-1]
	}
	s.in = in
	if in != unlisted {
		s.at = len(d.sets[in])
		d.sets[in] = append(d.sets[in], s)
	}
}

// perhapsDrained notices the end.
func (d *desk) perhapsDrained() {
	if d.closed && d.waiting.n+d.inFlight == 0 {
		select {
		case <-d.drained:
		default:
			close(d.drained)
		}
	}
}
