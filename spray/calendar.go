package spray

import (
	"fmt"
	"math"
	"math/bits"
	"runtime"
	"runtime/metrics"
	"sync"
	"sync/atomic"
	"unsafe"

	"github.com/almanac-sim/almanac/calendar"
)

// Calendar is a relaxed pending-event set: many goroutines schedule, cancel and dispatch events at once, and [Calendar.Next]
// returns one of the earliest.
//
// It is the calendar queue, of which package calendar has one for a single goroutine, in the place that a MultiQueue [RSD15] has
// for heaps. Events lie in a few calendars for each process, each with a lock that is never waited for while there are others,
// and with the time of its earliest event where it can be read without the lock. A process schedules into its own calendars,
// and takes the earliest event of them. If another has fallen behind, which is when more than a few events there are earlier than
// what it would take next, it waits a moment, and where nobody works it goes and takes those events. So every operation costs a
// constant, expected and amortised, while a heap costs a logarithm; processes hardly touch each other's memory, which is what
// parallel queues mostly wait for; and Next is O(p) events away from the earliest one.
//
// That departs from the MultiQueue, which inserts into a queue at random and removes from the better of two: a calendar is so
// much faster than a heap that nearly all the time would go into fetching its lines from another processor's cache. The
// MultiQueue remedies this in part by staying with the queues it has chosen for a while [WSD21]. Here a process stays until it
// costs too much order, which it can tell.
//
// Goroutines need not be registered, and there may be any number of them. One that the system halts in the middle of an
// operation hides the events of one calendar from the others, and nothing else. To keep the scheduler from doing that, operations
// yield to it from time to time when goroutines are waiting for a processor, and they hold no lock.
//
// Events that pass through for ever take no more memory than the most that were there at once; with values of 8 bytes that is
// 40 to 65 bytes for each, if there are many. No operation allocates once there is room. What an event's value points to can be
// collected when the event is gone.
//
// The zero value is not ready for use; call [NewCalendar].
//
// [RSD15]: https://doi.org/10.1145/2755573.2755616
// [WSD21]: https://doi.org/10.4230/LIPIcs.ESA.2021.81
type Calendar[V any] struct {
	shards   []shard
	queues  []*queue[V] // shard by shard; nil, until there is an event for it
	room    int         // that a queue is made with
	per     int         // calendars on a shard
	lag     int         // how many events of a calendar may wait before others come and help
	salt    uint64      // which calendar an event goes to
	affinities []affinity
	preferences     []preference        // by shard
	local  sync.Pool     // of *pass
	fresh   atomic.Uint32 // passes given out

	asking  sync.Mutex // see othersWait
	waiting [1]metrics.Sample
}

// An Event names an event of a [Calendar]. It is valid until the event is dispatched or cancelled, and refused afterwards: it
// never touches another event. Events can be compared. The zero Event names none.
type Event struct{ queue, slot, stamp uint32 }

// A CalendarOption is something to be said about a [Calendar] when it is made.
type CalendarOption func(*calendarOptions)

type calendarOptions struct {
	processes, per, lag, room int
	salt                      uint64
}

const (
	// usualPer is how many calendars a process has. One has the others wait when somebody comes to help; with three or four
	// there is more to fetch for one who does. See BenchmarkCalendarChoices.
	defaultPer = 2
	// usualLag bounds how far processes drift apart. The rank error is proportional to it; with less, processes get into each other's
	// way.
	defaultLag = 16
)

// For says how many processes there are: how many goroutines run at once, not how many there are. Unless told it is GOMAXPROCS. A
// process takes some 256 bytes, and memory for its calendars only when it has events; but who finds nothing, and [Calendar.Len], [Calendar.Peek] and
// [Calendar.Stats], look through all of them.
func For(p int) CalendarOption {
	if p < 1 || p > 1<<16 {
		panic("spray: there must be 1 to 65,536 processes")
	}
	return func(o *calendarOptions) { o.processes = p }
}

// PerProcess says how many calendars each process has, 1 to 8. Unless told it is 2.
func PerProcess(k int) CalendarOption {
	if k < 1 || k > maxPer {
		panic("spray: a process has 1 to 8 calendars")
	}
	return func(o *calendarOptions) { o.per = k }
}

// Sticky says how long a process stays with its own calendars: until n events of a calendar of another process come before its
// next one. Unless told it is 16. The rank error is proportional to it, and so is how rarely processes get into each other's way.
func Sticky(n int) CalendarOption {
	if n < 1 {
		panic("spray: a process stays for at least 1 event")
	}
	return func(o *calendarOptions) { o.lag = n }
}

// Room makes room for n events up front, but for 2²⁶ at most. The calendar grows by itself; this only saves it the trouble.
func Room(n int) CalendarOption {
	if n < 0 {
		panic("spray: Room needs a number of events, not a negative one")
	}
	return func(o *calendarOptions) { o.room = min(n, 1<<26) }
}

// Scatter says where random numbers come from: which of a process's calendars an event goes to. With one process and one
// goroutine the same seed gives the same statistics. (The order of events is then exact, whatever the seed.)
func Scatter(seed uint64) CalendarOption { return func(o *calendarOptions) { o.salt = seed } }

// NewCalendar returns an empty calendar. It needs no tuning; the options only help.
func NewCalendar[V any](opts ...CalendarOption) *Calendar[V] {
	o := calendarOptions{processes: runtime.GOMAXPROCS(0), per: defaultPer, lag: defaultLag}
	for _, opt := range opts {
		opt(&o)
	}
	c := &Calendar[V]{
		shards: make([]shard, o.processes),
		per:   o.per,
		lag:   o.lag,
		salt:  o.salt * golden,
		preferences:   make([]preference, o.processes),
		// A goroutine that shares a affinity with one that runs at the same time gets into its way.
		affinities: make([]affinity, 1<<bits.Len(uint(256*min(o.processes, maxAffine)-1))),
		queues:  make([]*queue[V], o.processes*o.per),
	}
	c.room = (o.room + len(c.queues) - 1) / len(c.queues)
	if o.room > 0 {
		for i := range c.queues {
			c.open(uint32(i))
		}
	}
	for i := range c.shards {
		for k := range o.per {
			c.shards[i].tops[k].Store(empty)
			c.shards[i].horizon[k].Store(pastAll)
		}
		c.preferences[i] = preference{uint32(i)}
	}
	for i := range c.affinities {
		c.affinities[i].at.Store(atHome(uint32(i % o.processes)))
	}
	c.waiting[0].Name = "/sched/goroutines/runnable:goroutines"
	c.local.New = func() any { return &c.preferences[(c.fresh.Add(1)-1)%uint32(len(c.preferences))] }
	return c
}

// mostPerched is for how many processes there are affinities enough; more do not run at once.
const maxAffine = 256

// open is a queue, which the caller has locked, for an event to be put there. A calendar that is told of more processes than there are does not
// take memory for them.
func (c *Calendar[V]) open(queue uint32) *queue[V] {
	q := c.queues[queue]
	if q == nil {
		q = newQueue[V](c.room)
		q.watched = queue % uint32(len(c.shards)) // each begins somewhere else
		c.queues[queue] = q
	}
	return q
}

// golden is 2⁶⁴ over the golden ratio: multiplying by it scatters the high bits.
const golden = 0x9e3779b97f4a7c15

// Schedule adds an event and returns its name, by which it can be cancelled. It refuses a time that is not finite
// ([calendar.ErrTime]), and no other: the calendar has no clock, and an event may be earlier than some that have been dispatched.
func (c *Calendar[V]) Schedule(at float64, v V) (Event, error) {
	if !(at >= -math.MaxFloat64 && at <= math.MaxFloat64) {
		return Event{}, calendar.ErrTime
	}
	key := keyOf(at)
	p := c.affinity()
	for try := uint32(0); ; try++ {
		home := homeOf(p.at.Load())
		d := &c.shards[home]
		// The first top changes with every event that is taken, so that events of equal times are scattered, too.
		i := uint32(((key^d.tops[0].Load()^c.salt)*golden>>32)*uint64(c.per)>>32) + try
		for i >= uint32(c.per) {
			i -= uint32(c.per)
		}
		w, ok := d.tryLock(i)
		if !ok {
			c.blocked(p, home, try)
			continue
		}
		queue := home*uint32(c.per) + i
		q := c.open(queue)
		e := q.occupy(key, v)
		if key < q.last {
			q.late++
		}
		if q.live > 1 {
			q.place(e)
		} else {
			q.begin(e)
			c.publish(d, q, i)
		}
		q.waits += uint64(try)
		t := q.tick(p)
		d.unlock(i, min(w, key))
		if t != proceed {
			c.follow(p, t)
		}
		return Event{queue, e.slot, e.stamp}, nil
	}
}

// blocked is told that all calendars tried so far were locked by others.
func (c *Calendar[V]) blocked(p *affinity, home, try uint32) {
	if try < spins {
		return
	}
	// Those who hold the locks may have been halted.
	runtime.Gosched()
	p.at.Store(atHome((home + 1) % uint32(len(c.shards))))
}

// spins is how often an operation tries before it lets others run.
const spins = 32

// Next removes one of the earliest events, and returns its value and its time. It is the earliest of all but for O(p) in the mean,
// while all goroutines get to run; it is exactly the earliest if there is one process and nobody else is in the middle of an
// operation.
//
// If ok is false, there was a moment during the call at which no event was pending.
func (c *Calendar[V]) Next() (v V, at float64, ok bool) {
	p := c.affinity()
	for try := uint32(0); ; try++ {
		where := p.at.Load()
		shard := shardOf(where)
		d := &c.shards[shard]
		i, w := d.first(c.per)
		if w >= empty || !d.lock(i, w) {
			if !c.search(p, where, w, try) {
				return v, 0, false
			}
			continue
		}
		q := c.queues[shard*uint32(c.per)+i]
		v = q.take(w)
		if shard != homeOf(where) {
			q.helped++
		}
		q.waits += uint64(try)
		if q.toPublish--; q.toPublish <= 0 || q.live == 0 {
			c.publish(d, q, i)
		}
		behind := false
		if q.toChoose--; q.toChoose <= 0 || w > p.until.Load() {
			behind = c.choose(p, q, where, w)
		}
		t := q.tick(p)
		d.unlock(i, q.top())
		if t != proceed {
			c.follow(p, t)
		} else if behind {
			c.waitForBehind(p, w)
		}
		return v, timeOf(w), true
	}
}

// Cancel takes back an event. It reports whether it did: for every event that was scheduled exactly one of all that try to take
// it, to cancel it or to dispatch it, does.
func (c *Calendar[V]) Cancel(e Event) bool {
	if e.stamp == 0 || uint64(e.queue) >= uint64(len(c.queues)) {
		return false
	}
	d, i, there := c.queue(int(e.queue))
	w := d.await(i)
	q := *there
	ok := q != nil && q.cancel(e.slot, e.stamp)
	if ok {
		w = q.top()
		if q.live == 0 {
			c.publish(d, q, i)
		}
	}
	d.unlock(i, w)
	return ok
}

// Peek is the time of the earliest event that nobody is about to take. It may be gone when the caller hears of it.
//
// If ok is false, there was a moment during the call at which no event was pending.
func (c *Calendar[V]) Peek() (at float64, ok bool) {
	for try := 0; ; try++ {
		_, w, busy := c.earliest()
		switch {
		case w < empty:
			return timeOf(w), true
		case busy:
			if try > spins {
				runtime.Gosched()
			}
		case c.wasEmpty():
			return 0, false
		}
	}
}

// Len is the number of pending events. While others schedule and dispatch it is approximate. It looks into one calendar after the
// other, and waits for those who are there.
func (c *Calendar[V]) Len() int {
	n := 0
	for queue := range c.queues {
		d, i, q := c.queue(queue)
		w := d.await(i)
		if q := *q; q != nil {
			n += q.live
		}
		d.unlock(i, w)
	}
	return n
}

// CalendarStats is what a [Calendar] has done since it was made, and what it holds.
type CalendarStats struct {
	Pending    int // events
	Dead       int // entries of cancelled events that are still to be dropped: at most 1,024 more than Pending for each calendar
	Scheduled  uint64
	Dispatched uint64
	Cancelled  uint64
	Late       uint64 // events that were scheduled before the last one that their calendar had dispatched
	Helped     uint64 // events that were dispatched from the calendars of another process
	Waits      uint64 // attempts to schedule or to dispatch that found a calendar locked, or none
	Moved      uint64 // entries moved from one place to another; divided by the events dispatched, the work per event
	Bytes      int    // memory held, everything counted but what values point to
}

// add adds what one calendar did to what others did.
func (s *CalendarStats) add(t CalendarStats) {
	s.Pending += t.Pending
	s.Dead += t.Dead
	s.Scheduled += t.Scheduled
	s.Dispatched += t.Dispatched
	s.Cancelled += t.Cancelled
	s.Late += t.Late
	s.Helped += t.Helped
	s.Waits += t.Waits
	s.Moved += t.Moved
	s.Bytes += t.Bytes
}

// String is the statistics in two lines.
func (s CalendarStats) String() string {
	return fmt.Sprintf("%d pending, %d dead; %d scheduled, %d dispatched, %d cancelled, %d late\n"+
		"%d dispatched for others, %d waits, %.2f moves per event, %d bytes",
		s.Pending, s.Dead, s.Scheduled, s.Dispatched, s.Cancelled, s.Late,
		s.Helped, s.Waits, float64(s.Moved)/float64(max(1, s.Dispatched)), s.Bytes)
}

// Stats looks into one calendar after the other, those of each process together, and waits for those who are there. It
// returns the sum, and the statistics of each.
func (c *Calendar[V]) Stats() (sum CalendarStats, each []CalendarStats) {
	each = make([]CalendarStats, 0, len(c.queues))
	for queue := range c.queues {
		d, i, q := c.queue(queue)
		w := d.await(i)
		var t CalendarStats
		if q := *q; q != nil {
			t = q.stats()
		}
		d.unlock(i, w)
		sum.add(t)
		each = append(each, t)
	}
	sum.Bytes += int(unsafe.Sizeof(*c)) + len(c.queues)*8 + len(c.shards)*int(unsafe.Sizeof(shard{})+unsafe.Sizeof(preference{})) +
		len(c.affinities)*int(unsafe.Sizeof(affinity{}))
	return sum, each
}

// queue is a queue by its number: where it lies, which of the shard it is, and where it can be found when it is locked.
func (c *Calendar[V]) queue(queue int) (*shard, uint32, **queue[V]) {
	return &c.shards[queue/c.per], uint32(queue % c.per), &c.queues[queue]
}

// Times are kept as keys: unsigned integers in the same order as the times they stand for, as in package calendar. Those of
// finite times are below empty.

// keyOf maps a finite time to its key: negative numbers have all their bits flipped, the others their sign bit. Adding zero turns
// minus zero into zero, which it must equal.
func keyOf(t float64) uint64 {
	b := math.Float64bits(t + 0)
	return b ^ (uint64(int64(b)>>63) | 1<<63)
}

// timeOf is the inverse of keyOf.
func timeOf(k uint64) float64 {
	return math.Float64frombits(k ^ (uint64(int64(^k)>>63) | 1<<63))
}
