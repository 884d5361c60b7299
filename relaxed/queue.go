package relaxed

import (
	"math"
	"math/bits"
	"runtime"
	"runtime/metrics"
	"sync"
	"sync/atomic"

	"github.com/almanac-sim/almanac/calendar"
	"github.com/almanac-sim/almanac/internal/owner"
	"github.com/almanac-sim/almanac/internal/timekey"
)

// Queue is a relaxed pending-event set: many goroutines schedule, cancel and dispatch events at
// once, and [Queue.Next] returns one of the earliest.
//
// It is a MultiQueue [RSD15] of calendar queues. For each goroutine that runs at a time there are a
// few subqueues, its shard. A subqueue has a lock, for which a goroutine does not wait while there
// are other subqueues, and a top, the time of its earliest event, which can be read without the
// lock. A goroutine schedules into the subqueues of its own shard, and takes the earliest event of
// them. Another shard has fallen behind if more than a few of its events are earlier than the event
// that the goroutine would take next. The goroutine then waits a moment for that shard; if no
// goroutine is at work there, it takes those events itself.
//
// Events of equal times leave in any order, except with [Concurrency](1): then in the order in
// which they were scheduled.
//
// Every operation takes constant time, expected and amortised, where a heap takes logarithmic time.
// Goroutines hardly touch each other's memory, which is what parallel queues mostly wait for. Next
// is O(p) events away from the earliest one, for a concurrency of p. The memory depends on the most
// events that were there at once, however many pass through: 40 to 65 bytes each with values of 8
// bytes, if there are many. No operation allocates once there is room. The value of an event can be
// collected as garbage when the event is gone.
//
// It differs from the MultiQueue, which inserts into a random queue and removes from the better of
// two. A calendar is so much faster than a heap that most of the time would go into fetching its
// cache lines from another processor. The MultiQueue reduces this by staying with the chosen queues
// for a while [WSD21]. Here a goroutine stays with its shard until the order suffers too much,
// which it detects from the tops of the other shards.
//
// All methods may be called from any number of goroutines at once, without registration. If the
// system suspends a goroutine in the middle of an operation, the events of one subqueue are not
// available to the others meanwhile, and nothing else happens. To make that rare, operations yield
// to the scheduler from time to time when goroutines are waiting for a processor, and hold no lock
// then.
//
// The zero value is not ready for use, and its methods panic; call [New]. The number of shards is fixed when a Queue is
// made, and checking for that in every operation would cost more than it is worth.
//
// [RSD15]: https://doi.org/10.1145/2755573.2755616
// [WSD21]: https://doi.org/10.4230/LIPIcs.ESA.2021.81
type Queue[V any] struct {
	owner     uint32 // in handles
	shards    []shard
	subqueues []atomic.Pointer[subqueue[V]] // shard by shard; nil, until there is an event for it
	capacity  int                           // that a queue is made with
	per       int                           // queues of a shard
	lag       int                           // how many events of a queue may wait before others come and help
	salt      uint64                        // which queue of its shard an event goes to

	affinities []affinity    // of goroutines to shards
	locals     []local       // by shard
	local      sync.Pool     // of *local: a processor gets back the one it put
	fresh      atomic.Uint32 // locals given out

	asking  sync.Mutex // see othersWait
	waiting [1]metrics.Sample
}

// New returns an empty queue. It needs no tuning; the options only help.
func New[V any](opts ...Option) *Queue[V] {
	o := apply(opts)
	c := &Queue[V]{
		owner:     owner.New(),
		shards:    make([]shard, o.concurrency),
		subqueues: make([]atomic.Pointer[subqueue[V]], o.concurrency*o.per),
		per:       o.per,
		lag:       o.lag,
		salt:      o.seed * golden,
		// A goroutine that shares an affinity with one that runs at the same time gets into its
		// way.
		affinities: make([]affinity, 1<<bits.Len(uint(256*min(o.concurrency, maxAffine)-1))),
		locals:     make([]local, o.concurrency),
	}
	if n := min(o.capacity, maxReserved/bytesPerEvent[V]()); n > 0 {
		c.capacity = (n + len(c.subqueues) - 1) / len(c.subqueues)
		// With very many processes, not even an empty queue can be made for each beforehand.
		for i := range min(len(c.subqueues), max(1, maxReserved/subqueueBytes[V](c.capacity))) {
			c.open(uint32(i))
		}
	}
	for i := range c.shards {
		for k := range o.per {
			c.shards[i].tops[k].Store(empty)
			c.shards[i].horizons[k].Store(pastAll)
		}
		c.locals[i] = local{uint32(i)}
	}
	for i := range c.affinities {
		c.affinities[i].at.Store(atHome(uint32(i % o.concurrency)))
	}
	c.waiting[0].Name = "/sched/goroutines/runnable:goroutines"
	c.local.New = func() any { return &c.locals[(c.fresh.Add(1)-1)%uint32(len(c.locals))] }
	return c
}

// demandMade panics if New did not make the queue.
func (c *Queue[V]) demandMade() {
	if c == nil || len(c.affinities) == 0 {
		panic("relaxed: the zero Queue or Blocking is not ready for use; call New or NewBlocking")
	}
}

// maxAffine is for how many processes there are affinities enough; more do not run at once.
const maxAffine = 256

// open returns a subqueue, which the caller has locked, for an event to be put there. Memory for it
// is taken only then, so that a large concurrency costs little.
func (c *Queue[V]) open(number uint32) *subqueue[V] {
	q := c.subqueues[number].Load()
	if q == nil {
		q = newSubqueue[V](c.capacity)
		q.watched = number % uint32(len(c.shards)) // each begins somewhere else
		c.subqueues[number].Store(q)
	}
	return q
}

// golden is 2⁶⁴ over the golden ratio: multiplying by it scatters the high bits.
const golden = 0x9e3779b97f4a7c15

// Schedule adds an event and returns its handle, by which it can be cancelled. It refuses a time
// that is not finite ([calendar.ErrTime]), and no other: the queue has no clock, and an event may
// be earlier than some that have been dispatched.
func (c *Queue[V]) Schedule(at float64, v V) (Handle, error) {
	if !(at >= -math.MaxFloat64 && at <= math.MaxFloat64) {
		return Handle{}, calendar.ErrTime
	}
	key := timekey.Of(at)
	a := c.affinity()
	for try := uint32(0); ; try++ {
		home := homeOf(a.at.Load())
		s := &c.shards[home]
		i := uint32(0)
		if c.per > 1 {
			// The first top changes with every event that is taken, so that events of equal times
			// are scattered, too.
			i = uint32(((key^s.tops[0].Load()^c.salt)*golden>>32)*uint64(c.per)>>32) + try
			for i >= uint32(c.per) {
				i -= uint32(c.per)
			}
		}
		number := home*uint32(c.per) + i
		q := c.subqueues[number].Load() // before the lock: what is loaded after it waits for it
		top, ok := s.tryLock(i)
		if !ok {
			c.blocked(a, home, try)
			continue
		}
		if q == nil {
			q = c.open(number)
		}
		e := q.occupy(key, v)
		if key < q.last {
			q.late++
		}
		if q.live > 1 {
			q.place(e)
		} else {
			q.begin(e)
			c.publish(s, q, i)
		}
		q.waits += uint64(try)
		f := q.tick(a)
		s.unlock(i, min(top, key))
		if f != proceed {
			c.followUp(a, f)
		}
		return Handle{c.owner, number, e.ID, e.Version}, nil
	}
}

// blocked is called when all subqueues tried so far were locked by others.
func (c *Queue[V]) blocked(a *affinity, home, try uint32) {
	if try < spins {
		return
	}
	// The goroutines that hold the locks may have been halted.
	runtime.Gosched()
	a.at.Store(atHome((home + 1) % uint32(len(c.shards))))
}

// spins is how often an operation tries before it lets others run.
const spins = 32

// Next removes one of the earliest events, and returns its value and its time. On average O(p)
// events are earlier, as long as all goroutines get to run. It is exactly the earliest with a
// concurrency of 1, if no other goroutine is in the middle of an operation.
//
// If ok is false, there was a moment during the call at which no event was pending.
func (c *Queue[V]) Next() (v V, at float64, ok bool) {
	a := c.affinity()
	for try := uint32(0); ; try++ {
		where := a.at.Load()
		working := workOf(where)
		s := &c.shards[working]
		i, top := s.first(c.per)
		number := working*uint32(c.per) + i
		q := c.subqueues[number].Load() // before the lock, as in Schedule; if top is that of an event, it is not nil
		if top >= empty || !s.lock(i, top) {
			if !c.search(a, where, top, try) {
				return v, 0, false
			}
			continue
		}
		v = q.take(top)
		if working != homeOf(where) {
			q.helped++
		}
		q.waits += uint64(try)
		if q.toPublish--; q.toPublish <= 0 || q.live == 0 {
			c.publish(s, q, i)
		}
		behind := false
		if q.toChoose--; q.toChoose <= 0 || top > a.until.Load() {
			behind = c.choose(a, q, where, top)
		}
		f := q.tick(a)
		s.unlock(i, q.top())
		if f != proceed {
			c.followUp(a, f)
		} else if behind {
			c.waitForBehind(a, top)
		}
		return v, timekey.Time(top), true
	}
}

// Cancel removes an event. It reports whether it did: for every event exactly one of all calls that
// try to take it, to cancel it or to dispatch it, does.
func (c *Queue[V]) Cancel(h Handle) bool {
	c.demandMade()
	if h.owner != c.owner { // a handle of this Queue has a subqueue that there is
		return false
	}
	s, i, there := c.subqueue(int(h.queue))
	top := s.await(i)
	q := there.Load()
	ok := q != nil && q.cancel(h.place, h.version)
	if ok {
		top = q.top()
		if q.live == 0 {
			c.publish(s, q, i)
		}
	}
	s.unlock(i, top)
	return ok
}

// Peek returns the time of the earliest event that no other goroutine is about to take. The event
// may be gone when Peek returns.
//
// If ok is false, there was a moment during the call at which no event was pending.
func (c *Queue[V]) Peek() (at float64, ok bool) {
	c.demandMade()
	for try := 0; ; try++ {
		_, top, busy := c.earliest()
		switch {
		case top < empty:
			return timekey.Time(top), true
		case busy:
			if try > spins {
				runtime.Gosched()
			}
		case c.wasEmpty():
			return 0, false
		}
	}
}

// Len returns the number of pending events. While others schedule and dispatch it is approximate.
// It locks one subqueue after the other.
func (c *Queue[V]) Len() int {
	c.demandMade()
	n := 0
	for number := range c.subqueues {
		s, i, there := c.subqueue(number)
		top := s.await(i)
		if q := there.Load(); q != nil {
			n += q.live
		}
		s.unlock(i, top)
	}
	return n
}

// subqueue returns a subqueue by its number: its shard, its index there, and where it is found once
// it is locked.
func (c *Queue[V]) subqueue(number int) (*shard, uint32, *atomic.Pointer[subqueue[V]]) {
	return &c.shards[number/c.per], uint32(number % c.per), &c.subqueues[number]
}
