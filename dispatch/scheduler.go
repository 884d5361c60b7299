package dispatch

import (
	"context"
	"log/slog"
	"math"
	"sync"
	"time"

	"github.com/almanac-sim/almanac/capped"
	"github.com/almanac-sim/almanac/dispatch/health"
	"github.com/almanac-sim/almanac/dispatch/slots"
	"github.com/almanac-sim/almanac/internal/random"
)

// A scheduler is what [Dispatcher] and [Caller] share: waiting items, workers with slots, and the
// rule that assigns the ones to the others.
//
//	         room in the pool          a slot              its turn
//	blocked ─────────────────────▶ pool ───────────▶ accepted ─────────────▶ in service, not an item
//	                                 ▲                  │  ▲
//	                                 └──────────────────┘  └─ stolen by a worker that would be idle
//	                                 its worker is removed
//
// One mutex protects all of it. A step is short and takes constant time; an item costs one step
// when it arrives and one when its worker finishes it and takes the next. With atomic slot counters
// and a pool under its own lock, that no item is left behind would depend on the order in which
// five words are read and written. Here it is an invariant between two steps:
//
//  1. No worker has more than c items, including the one in service.
//  2. If an item is in the pool, every worker has c. (Otherwise the oldest would have the slot.)
//     Here and below an ejected worker counts as if it had c; c is 1 for one that is half-open.
//  3. If a worker is parked, no item waits behind another, nor, by 2, in the pool. (A worker that
//     is awake without an item, because another was faster or the item was withdrawn, is about to
//     run next. A worker parks only if next found nothing, and while it is parked it is idle, so
//     that every arriving item is assigned to an idle worker.)
//  4. If an item is blocked, the pool is full, and every worker has c.
//  5. Every item is in one place, and every queue is ordered by age, but a worker's queue by the
//     order of acceptance.
//
// check in check_test.go verifies them.
type scheduler[P any] struct {
	capacity int   // c
	limit    int   // of the pool
	spare    int   // how many items are kept for reuse for the pool and for blocked callers
	maxWait  int64 // 0 means no limit
	log      *slog.Logger
	start    time.Time
	ctx      context.Context // of a Dispatcher's workers; ends with Abort
	cancel   context.CancelFunc

	// Callbacks for the fate of an item. The worker that had the item calls them, or the timer,
	// Close or Abort, never with the lock held. Each may be nil.
	drop func(P, error)       // it will not be served
	fail func(P, *PanicError) // its worker panicked
	done func(P)              // it was served, dropped or failed, and has been counted

	rule   health.Rule
	blames func(P) bool // whether an item that was served is a failure of its worker; may be nil

	mu       sync.Mutex
	random   random.Stream
	lastSeq  uint64
	blocked  slots.Queue[content[P]] // the pool has no room
	pool     slots.Queue[content[P]]
	accepted slots.Queue[content[P]] // by all workers, by age
	finger   *item[P]                // in accepted: where the search for the next position starts
	freeList *item[P]                // for reuse, linked by byPlace
	freeLen  int
	waiters  []*waiter // for reuse

	workers []*worker[P]            // including removed workers that have not ended
	byID    map[WorkerID]*worker[P] // without them
	lastID  WorkerID
	bins    slots.Bins[worker[P]] // the workers by free slots

	// See deadline.go.
	timer    *time.Timer // nil until the first item, and without MaxWait
	timed    bool        // it is set
	late     []P         // items that are to be dropped
	dropping int         // goroutines that drop items

	closed    bool          // no more intake
	ending    bool          // workers are to end
	inService int           // the number of items in service
	ended     chan struct{} // closed when all goroutines have ended

	total Stats // the counts so far; stats adds the current state
}

// An item has been submitted and not begun. When it begins, the worker gets its value and the item
// is reused for another. Its sequence number is never reused, so that a stale pointer is
// recognized.
type item[P any] = slots.Item[content[P]]

type content[P any] struct {
	v      P
	in     place
	worker *worker[P] // that has accepted it
	waiter *waiter    // of a Submit that is blocked
}

// A place is where an item is. The order matters to withdraw.
type place uint8

const (
	detached place = iota
	blocked        // the pool has no room, and the caller is blocked
	pooled
	accepted // by a worker, and not begun
)

// An item may be in two queues at once: that of its place, and that of all accepted items by age.
const (
	byPlace = iota
	byAge
)

// A worker is a goroutine with a function and the items that it has accepted.
type worker[P any] struct {
	id    WorkerID
	f     func(context.Context, P)
	queue slots.Queue[content[P]] // in the order of acceptance
	token chan struct{}           // wakes the goroutine
	bin   slots.Bin[worker[P]]

	health  health.State
	attempt health.Attempt // the item in service

	busy    bool  // an item is in service
	since   int64 // when that began
	parked  bool  // blocked on token, which is empty
	removed bool  // ends when it is not busy
	served  uint64
}

// load returns the number of items that a worker has.
func (w *worker[P]) load() int {
	if w.busy {
		return w.queue.Len + 1
	}
	return w.queue.Len
}

func newScheduler[P any](o *options, workers int) *scheduler[P] {
	s := &scheduler[P]{
		capacity: o.capacity,
		limit:    o.poolLimit,
		maxWait:  int64(o.maxWait),
		rule:     o.rule,
		log:      o.log,
		start:    time.Now(),
		random:   random.New(o.seed),
		byID:     make(map[WorkerID]*worker[P]),
		ended:    make(chan struct{}),
	}
	s.ctx, s.cancel = context.WithCancel(context.Background())
	s.accepted.Link = byAge
	if s.capacity == 0 {
		s.capacity = capped.SweetSpot(o.load)
	}
	usual := max(minPoolLimit, int(min(capped.PoolBound(max(workers, 1), s.capacity, o.load), math.MaxInt32)))
	if s.limit < 0 {
		s.limit = usual
	}
	s.spare = min(s.limit, usual) + minSpare
	return s
}

// now returns the time since the scheduler was made.
func (s *scheduler[P]) now() int64 { return int64(time.Since(s.start)) }

// lock and unlock delimit a step.
func (s *scheduler[P]) lock() {
	interleave()
	s.mu.Lock()
}

func (s *scheduler[P]) unlock() {
	audit(s)
	s.mu.Unlock()
	interleave()
}

// debug writes to the log, if there is one. The lock must not be held: a handler may be slow, or
// call Stats.
func (s *scheduler[P]) debug(text string, args ...any) {
	if s.log != nil {
		s.log.Debug("dispatch: "+text, args...)
	}
}

// A waiter is a call of Submit that is blocked on a full pool. Waiters are reused.
type waiter struct{ done chan error }

// submit adds an item. If there is no room it blocks, or returns ErrFull.
func (s *scheduler[P]) submit(ctx context.Context, v P, wait bool) error {
	it, seq, w, err := s.enter(v, wait, true)
	if w == nil {
		return err
	}
	select {
	case err = <-w.done:
	case <-ctx.Done():
		if s.withdraw(it, seq, blocked) {
			err = ctx.Err()
		} else {
			err = <-w.done // it was admitted, or the scheduler closed, before
		}
	}
	s.lock()
	if len(s.waiters) < minSpare {
		s.waiters = append(s.waiters, w)
	}
	s.unlock()
	return err
}

// enter adds an item, which may be blocked, or returns ErrFull. The sequence number is for
// withdraw. If notify is set and the item is blocked, w receives the result when the item is
// admitted or refused; otherwise w is nil.
func (s *scheduler[P]) enter(v P, wait, notify bool) (it *item[P], seq uint64, w *waiter, err error) {
	now := s.now()
	s.lock()
	switch {
	case s.closed:
		err = ErrClosed
	case !wait && s.full():
		s.total.Full++
		err = ErrFull
	default:
		it = s.arrive(v, now)
		seq = it.Seq
		if notify && it.Value.in == blocked {
			w = s.newWaiter()
			it.Value.waiter = w
		}
	}
	s.unlock()
	return it, seq, w, err
}

func (s *scheduler[P]) newWaiter() *waiter {
	n := len(s.waiters)
	if n == 0 {
		return &waiter{make(chan error, 1)}
	}
	w := s.waiters[n-1]
	s.waiters = s.waiters[:n-1]
	return w
}

// full reports whether there is neither a free slot nor room in the pool. It is true if an item is
// blocked.
func (s *scheduler[P]) full() bool { return s.pool.Len >= s.limit && !s.hasSlot() }

// hasSlot reports whether a worker has a free slot.
func (s *scheduler[P]) hasSlot() bool { return s.bins.Count() > 0 }

// arrive adds an item: to a worker if one has a slot, else to the pool, else to the blocked items.
func (s *scheduler[P]) arrive(v P, now int64) *item[P] {
	it := s.freeList
	if it == nil {
		it = new(item[P])
	} else {
		s.freeList, it.Links[byPlace].Next = it.Links[byPlace].Next, nil
		s.freeLen--
	}
	s.lastSeq++
	it.Value.v, it.Seq, it.Arrival = v, s.lastSeq, now
	if s.full() {
		it.Value.in = blocked
		s.blocked.Push(it)
	} else {
		s.admit(it)
		s.fillSlots()
	}
	s.setDeadline(now)
	if it.Value.in != accepted {
		s.total.Attempts++
		s.total.Refusals++
	}
	return it
}

// admit puts an item into the pool. From here on the scheduler owns it.
func (s *scheduler[P]) admit(it *item[P]) {
	it.Value.in = pooled
	s.total.Submitted++
	s.pool.Push(it)
}

// fillSlots assigns free slots to the items of the pool, the oldest first, and admits blocked items
// as room appears.
func (s *scheduler[P]) fillSlots() {
	for {
		for s.blocked.Len > 0 && (s.pool.Len < s.limit || s.pool.Len == 0 && s.hasSlot()) {
			it := s.blocked.Head
			s.blocked.Remove(it)
			s.admit(it)
			if it.Value.waiter != nil {
				it.Value.waiter.done <- nil
				it.Value.waiter = nil
			}
		}
		if s.pool.Len == 0 {
			return
		}
		bin := s.bins.Pick(&s.random, nil)
		if bin == nil {
			return
		}
		it := s.pool.Head
		s.pool.Remove(it)
		s.accept(bin.Of, it)
	}
}

// accept assigns a slot of a worker to an item that is in no queue.
//
// The item is usually the youngest of the accepted items, or, if it was stolen, the oldest.
// Otherwise a removed worker has returned it, and usually also the item that was accepted just
// before it: the search for its position starts there.
func (s *scheduler[P]) accept(w *worker[P], it *item[P]) {
	s.total.Attempts++
	it.Value.in, it.Value.worker = accepted, w
	w.queue.Push(it)
	s.accepted.Insert(s.finger, it)
	s.finger = it
	s.update(w)
	s.wake(w)
}

// removeAccepted removes an item from the queue of all accepted items.
func (s *scheduler[P]) removeAccepted(it *item[P]) {
	if s.finger == it {
		s.finger = it.Links[byAge].Prev
	}
	s.accepted.Remove(it)
}

// unassign removes an item from the worker that has accepted it.
func (s *scheduler[P]) unassign(it *item[P]) {
	w := it.Value.worker
	w.queue.Remove(it)
	s.removeAccepted(it)
	it.Value.in, it.Value.worker = detached, nil
	s.update(w)
}

// capacityOf returns how many items a worker may have: none if it is removed or ejected.
func (s *scheduler[P]) capacityOf(w *worker[P]) int {
	switch {
	case w.removed || w.health.Ejected():
		return 0
	case w.health.HalfOpen():
		return 1
	}
	return s.capacity
}

// update moves a worker to the class of its load.
func (s *scheduler[P]) update(w *worker[P]) {
	class := slots.None
	if c := s.capacityOf(w); c > 0 {
		class = slots.ClassOf(w.load(), c)
	}
	s.bins.Put(&w.bin, class)
}

// wake wakes a parked worker. A worker gets at most one token each time that it parks.
func (s *scheduler[P]) wake(w *worker[P]) {
	if w.parked {
		w.parked = false
		w.token <- struct{}{}
	}
}

// minSpare is how many waiters are kept for reuse, and how many items for their callers.
const minSpare = 1024

// mostSpare is how many items are kept for reuse if none is in use: for a full pool, or what is by
// default a full pool, full workers, and minSpare blocked callers.
func (s *scheduler[P]) mostSpare() int { return s.spare + len(s.byID)*min(s.capacity, minSpare) }

// recycle returns the value of an item that is in no queue, and frees the item. The free list holds
// at most mostSpare items more than are in use, so that a burst leaves no memory behind.
func (s *scheduler[P]) recycle(it *item[P]) P {
	v := it.Value.v
	var none P
	it.Value.v, it.Value.in, it.Seq = none, detached, 0
	switch most := s.mostSpare() + s.blocked.Len + s.pool.Len + s.accepted.Len; {
	case s.freeLen < most:
		it.Links[byPlace].Next, s.freeList = s.freeList, it
		s.freeLen++
	case s.freeLen > most: // by one, because one item less is in use
		s.freeList = s.freeList.Links[byPlace].Next
		s.freeLen--
	}
	return v
}

// withdraw removes an item that has not begun and is no further than the given place. It reports
// false if the item is no longer there.
func (s *scheduler[P]) withdraw(it *item[P], seq uint64, furthest place) bool {
	s.lock()
	defer s.unlock()
	if it.Seq != seq || it.Value.in > furthest {
		return false
	}
	switch it.Value.in {
	case blocked:
		s.blocked.Remove(it)
		it.Value.waiter = nil
	case pooled:
		s.pool.Remove(it)
		s.total.Canceled++
	case accepted:
		s.unassign(it)
		s.total.Canceled++
	}
	s.recycle(it)
	s.fillSlots()
	s.endIfDrained()
	return true
}
