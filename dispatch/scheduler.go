package dispatch

import (
	"context"
	"log/slog"
	"math"
	"sync"
	"time"

	"github.com/almanac-sim/almanac/capped"
	"github.com/almanac-sim/almanac/dispatch/internal/slots"
	"github.com/almanac-sim/almanac/internal/random"
)

// A desk is what [Dispatcher] and [Caller] have in common: items that wait, workers that have slots for them, and who gets which.
//
//	         room in the pool          a slot              its turn
//	outside ─────────────────────▶ pool ───────────▶ accepted ─────────────▶ begun, and no longer an item
//	                                 ▲                  │  ▲
//	                                 └──────────────────┘  └─ by another worker, who would be idle
//	                                 its worker is removed
//
// All of it is behind one mutex. A step is short, and takes constant time: one for an item that comes, one for a worker that has done
// with an item and takes the next. With atomic counters of slots and a pool of its own lock, that no item is left behind would hang on
// the order in which five words are read and written; here it is what stands between two steps:
//
//  1. No worker has more than c items, begun ones counted.
//  2. If an item is in the pool, every worker has c. (The oldest one would have had the slot.)
//  3. If a worker sleeps, no item waits behind another, nor by 2 in the pool. (A worker that has nothing and is awake, since another was
//     faster or somebody gave up, is about to look. A worker that falls asleep has found nothing, and while it sleeps it is idle, so that
//     every item that comes goes to an idle worker.)
//  4. If an item is outside, the pool is full, and 2 holds for it too.
//  5. Every item is in one place, and every list is by age, that of a worker by when it accepted them.
//
// check in dispatcher_check_test.go has them as code.
type scheduler[P any] struct {
	capacity int   // c
	limit    int   // of the pool
	maxWait  int64 // 0 for any
	log      *slog.Logger
	start    time.Time
	ctx      context.Context // of what a Dispatcher's workers do; ends with Abort
	cancel   context.CancelFunc

	// What becomes of an item, called by the worker that had it, or by who ends the desk, and never with the lock held. Each may be nil.
	drop func(P, error)       // it will not be served
	fail func(P, *PanicError) // its worker panicked
	done func(P)              // it was served, dropped or failed, and is counted so

	mu       sync.Mutex
	random   random.Stream
	lastSeq  uint64
	blocked  slots.Queue[content[P]] // outside
	pool     slots.Queue[content[P]]
	accepted slots.Queue[content[P]] // by all workers, by age
	finger   *item[P]                // of them, near to where the next is likely to belong
	freeList *item[P]                // to be used again
	freeLen  int                     // how many these are
	waiters  []*waiter

	workers []*worker[P]            // those that there are, and those removed that have not ended
	byID    map[WorkerID]*worker[P] // those that there are
	lastID  WorkerID
	bins    slots.Bins[worker[P]] // who has a slot

	closed, ending bool          // nothing more is taken; workers are to end
	inService      int           // how many items are being worked on
	ended          chan struct{} // closed when all goroutines have ended

	total Stats // what has happened; what is now is added by stats
}

// A worker is a goroutine with a function, and the items that it has accepted.
type worker[P any] struct {
	id    WorkerID
	f     func(context.Context, P)
	queue slots.Queue[content[P]] // accepted, in the order accepted
	wake  chan struct{}
	bin   slots.Bin[worker[P]]

	busy    bool  // with an item
	since   int64 // when that began
	parked  bool  // waits for a token in wake, of which there is none
	removed bool  // is to end
	served  uint64
}

// load is how many items a worker has.
func (w *worker[P]) load() int {
	if w.busy {
		return w.queue.Len + 1
	}
	return w.queue.Len
}

func newScheduler[P any](o *dispatcherOptions, workers int) *scheduler[P] {
	d := &scheduler[P]{
		capacity: o.capacity,
		limit:    o.poolLimit,
		maxWait:  int64(o.maxWait),
		log:      o.log,
		start:    time.Now(),
		random:   random.New(o.seed),
		byID:     make(map[WorkerID]*worker[P]),
		ended:    make(chan struct{}),
	}
	d.ctx, d.cancel = context.WithCancel(context.Background())
	d.accepted.Link = byAge
	if d.capacity == 0 {
		d.capacity = capped.SweetSpot(o.load)
	}
	if d.limit < 0 {
		d.limit = max(minPoolLimit, int(min(capped.PoolBound(max(workers, 1), d.capacity, o.load), math.MaxInt32)))
	}
	return d
}

// now is the time since the desk was made.
func (d *scheduler[P]) now() int64 { return int64(time.Since(d.start)) }

// lock and unlock are around every step.
func (d *scheduler[P]) lock() {
	interleave()
	d.mu.Lock()
}

func (d *scheduler[P]) unlock() {
	audit(d)
	d.mu.Unlock()
	interleave()
}

// debug writes to the log, if there is one. The lock must not be held: what writes may be slow, or ask for Stats.
func (d *scheduler[P]) debug(text string, args ...any) {
	if d.log != nil {
		d.log.Debug("dispatch: "+text, args...)
	}
}

// full reports whether there is neither a slot nor room in the pool for one more. If somebody waits outside it is.
func (d *scheduler[P]) full() bool { return d.pool.Len >= d.limit && !d.slot() }

// slot reports whether some worker has a slot.
func (d *scheduler[P]) slot() bool { return d.bins.Count() > 0 }

// arrive is a new item, which throws, or waits outside.
func (d *scheduler[P]) arrive(v P, born int64) *item[P] {
	it := d.freeList
	if it == nil {
		it = new(item[P])
	} else {
		d.freeList, it.Links[byPlace].Next = it.Links[byPlace].Next, nil
		d.freeLen--
	}
	d.lastSeq++
	it.Value.v, it.Seq, it.Arrival = v, d.lastSeq, born
	if d.full() {
		it.Value.in = blocked
		d.blocked.Push(it)
	} else {
		d.admit(it)
		d.fillSlots()
	}
	if it.Value.in != accepted {
		d.total.Attempts++
		d.total.Refusals++
	}
	return it
}

// intoPool is where an item becomes the desk's.
func (d *scheduler[P]) admit(it *item[P]) {
	it.Value.in = pooled
	d.total.Submitted++
	d.pool.Push(it)
}

// settle hands slots to those who wait, the oldest first, until there is none of one or the other; and lets in who waits outside.
func (d *scheduler[P]) fillSlots() {
	for {
		for d.blocked.Len > 0 && (d.pool.Len < d.limit || d.pool.Len == 0 && d.slot()) {
			it := d.blocked.Head
			d.blocked.Remove(it)
			d.admit(it)
			if it.Value.waiter != nil {
				it.Value.waiter.done <- nil
				it.Value.waiter = nil
			}
		}
		if d.pool.Len == 0 {
			return
		}
		bin := d.bins.Pick(&d.random, nil)
		if bin == nil {
			return
		}
		it := d.pool.Head
		d.pool.Remove(it)
		d.accept(bin.Of, it)
	}
}

// accept puts an item, which is in no list, into a slot of a worker.
//
// Mostly it is the youngest of those accepted, or, if one worker takes it over from another, the oldest. If it is neither, it was given back by a worker that was
// removed, and as a rule so was the one that was accepted before it: it belongs near to that one.
func (d *scheduler[P]) accept(w *worker[P], it *item[P]) {
	d.total.Attempts++
	it.Value.in, it.Value.worker = accepted, w
	w.queue.Push(it)
	d.accepted.Insert(d.finger, it)
	d.finger = it
	d.update(w)
	d.wake(w)
}

// unlist takes an item from those accepted.
func (d *scheduler[P]) removeAccepted(it *item[P]) {
	if d.finger == it {
		d.finger = it.Links[byAge].Prev
	}
	d.accepted.Remove(it)
}

// leave takes an item from the worker that has accepted it.
func (d *scheduler[P]) unassign(it *item[P]) {
	w := it.Value.worker
	w.queue.Remove(it)
	d.removeAccepted(it)
	it.Value.in, it.Value.worker = detached, nil
	d.update(w)
}

// file puts a worker into the class that its load says.
func (d *scheduler[P]) update(w *worker[P]) {
	class := slots.None
	if !w.removed {
		class = slots.ClassOf(w.load(), d.capacity)
	}
	d.bins.Put(&w.bin, class)
}

// rouse has a worker look what there is to do. It is given at most one token for each time that it parks.
func (d *scheduler[P]) wake(w *worker[P]) {
	if w.parked {
		w.parked = false
		w.wake <- struct{}{}
	}
}

// leastSpare is how many items, and how many waiters, are kept at least to be used again.
const minSpare = 1024

// recycle forgets an item, which is in no list. It is kept to be used again, but there are never more of these than are in use, beside a few: a burst
// leaves no memory behind.
func (d *scheduler[P]) recycle(it *item[P]) P {
	v := it.Value.v
	var none P
	it.Value.v, it.Value.in, it.Seq = none, detached, 0
	switch most := minSpare + d.blocked.Len + d.pool.Len + d.accepted.Len; {
	case d.freeLen < most:
		it.Links[byPlace].Next, d.freeList = d.freeList, it
		d.freeLen++
	case d.freeLen > most: // by one, since there is one less in use
		d.freeList = d.freeList.Links[byPlace].Next
		d.freeLen--
	}
	return v
}

// takeOut takes out an item that has not begun and is no farther than told, if it is still there, and reports whether it was.
func (d *scheduler[P]) withdraw(it *item[P], stamp uint64, farthest place) bool {
	d.lock()
	defer d.unlock()
	if it.Seq != stamp || it.Value.in > farthest {
		return false
	}
	switch it.Value.in {
	case blocked:
		d.blocked.Remove(it)
		it.Value.waiter = nil
	case pooled:
		d.pool.Remove(it)
		d.total.Canceled++
	case accepted:
		d.unassign(it)
		d.total.Canceled++
	}
	d.recycle(it)
	d.fillSlots()
	d.endIfDrained()
	return true
}
