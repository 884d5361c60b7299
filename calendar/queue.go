package calendar

import (
	"iter"
	"math"

	"github.com/almanac-sim/almanac/internal/timekey"
)

// Queue is a self-tuning calendar: buckets of simulated time in levels, each bucket opened into finer ones when its time
// comes.
//
// Events with equal times leave in the order they were scheduled.
//
// Schedule, Reschedule, Cancel and Next cost amortised constant time for any finite times: an entry is moved at most
// once for every level between the bucket it was dropped in and the front, which is two or three times for 10⁸ events
// and bounded by the 64 bits of a time in the worst case.
//
// Single calls are bounded too: a bucket has at most 65,536 entries, or one in 64 of all, and a call divides or sweeps one of them, with
// what comes of it, or sweeps those of the last eight events that were cancelled or moved. That is some milliseconds, whatever was done before, and the same goes for growing and for giving memory back. There
// are two exceptions: passing over the cancelled among more than 65,536 events at one instant, of which an eighth may be left when it is
// their turn, and every 2³² cancellations, after which all entries are looked at once. ScheduleAll, Reset, Trim
// and Stats take time in proportion to what they deal with.
//
// An event takes about 29 bytes: 12 for its id and 16 in a bucket. Chunks that are not full come on top, up to 8 MB in
// all, which shows in queues of some thousand events (450 bytes an event at 10⁴). Nothing is allocated per operation while the number of
// events stays within a few times what it was, and nothing in it is a pointer that the garbage collector follows per event. Memory
// is given back as events leave; see [MaxID] for what ids cost that are not dense.
//
// It differs from the calendar queue of [Brown88] and of the other papers (see package calendar/static) in that there is no width to
// choose: a bucket is divided when it is opened, by the number and the spread of the events it then holds, so that a
// wrong guess costs one more division and not a slow queue. That is the idea of the ladder queue [TGT05]; here buckets
// are ranges of the bits of a time, so that rounding cannot put an event into the wrong one, and a bucket with too many
// is divided before its time. And cancelling moves nothing: entries whose event is gone are dropped when their bucket is
// opened, or swept out of it when they outnumber the others.
//
// A Queue must not be used from several goroutines at once. Its zero value is not ready for use; call [New].
//
// [Brown88]: https://doi.org/10.1145/63039.63045
// [TGT05]: https://doi.org/10.1145/1103323.1103324
type Queue struct {
	pages   [][]record // see record.go
	now     float64
	pending int // live entries
	dead    int // entries whose event was cancelled or moved

	// What is due first, sorted by key: near[head:]. See near.go.
	near     []entry
	head     int
	inserted int // how many joined since they were loaded
	// bereft says that some of them may be dead: one was cancelled whose key was not beyond them. Without it none is, because
	// the dead of a bucket are dropped when it is loaded; but for those whose deaths are yet to be counted (deaths.go). Without doubt there
	// are neither.
	doubt, bereft bool

	// Everything else. See levels.go.
	levels []level // the path
	pool   pool
	counters

	ids    int // how many ids the pages have records for
	maxID  ID
	nests  []*level // the levels nested in buckets
	vacant []uint32 // places in nests that are free
	most   int      // how many entries a bucket may have
	// From how many ids on records are out of the cache (prefetch.go) and deaths wait (deaths.go), and from how many of them and how many writes on
	// these are worth collecting (late.go).
	cold, waitMin, far, lateMin int
	// counted says that the buckets know how many of their entries are dead. See dead.go.
	counted bool
	fared   [8]fared // the last level that was so deep
	spare   [15][][]bucket

	arrays  []Array
	lookout lookout // see prefetch.go
	late    lates   // see late.go

	deaths           deaths // see deaths.go
	stamp, lastStamp uint32 // the last one that was given to an entry, and the one that is never given
	bits             []*bitPage
	bitPages         int // how many of them there are
}

// An Option adjusts a new [Queue] or [Agenda].
type Option func(*settings)

type settings struct {
	capacity int
	start    float64
	maxID    ID
}

// Capacity makes room for the ids 0 to n−1 up front, or for the first 4 million of them. The queue grows by itself, without moving
// anything; this only saves it the trouble.
func Capacity(n int) Option {
	if n < 0 || uint64(n) > math.MaxUint32+1 {
		panic("calendar: Capacity needs a number of ids, from 0 to 2³²")
	}
	return func(s *settings) { s.capacity = n }
}

// MaxID sets the largest id that is accepted; those beyond it are refused with [ErrID]. Unless told, every id is: those in
// use take 12 bytes each and what lies between them nothing, by the page of 16,384 ids. So one wrong number costs no more than
// 200 kB, and once 8 MB for the tables of pages; but a thousand of them, all over the place, 200 MB.
func MaxID(id ID) Option {
	return func(s *settings) { s.maxID = id }
}

// StartAt sets the clock's first value, which is 0 unless told. The time must be finite.
func StartAt(t float64) Option {
	if math.IsNaN(t) || math.IsInf(t, 0) {
		panic("calendar: StartAt needs a finite time")
	}
	return func(s *settings) { s.start = t + 0 }
}

func apply(opts []Option) settings {
	s := settings{maxID: math.MaxUint32}
	for _, o := range opts {
		o(&s)
	}
	return s
}

// New returns an empty queue. It needs no tuning; the options only help.
func New(opts ...Option) *Queue {
	s := apply(opts)
	q := &Queue{now: s.start, maxID: s.maxID, most: most, cold: cold, waitMin: waitMin, far: far, lateMin: lateMin, lastStamp: lastStamp}
	for end, last := min(uint64(s.capacity), uint64(s.maxID)+1, maxAhead), uint64(0); last < end; last += pageLen {
		_, _ = q.admit(ID(min(last|pageMask, end-1))) // which is not beyond
	}
	q.near = make([]entry, 0, nearCap)
	q.restart()
	return q
}

// Schedule makes id's event due at the given time. An id has at most one pending event.
//
// It refuses an id beyond the largest ([ErrID], see [MaxID]), a time that is not finite ([ErrTime]) or before the clock
// ([ErrPast]), and an id that is already scheduled ([ErrScheduled]); see Reschedule for that.
func (q *Queue) Schedule(id ID, at float64) error {
	if !(at >= q.now && at <= math.MaxFloat64) {
		return q.refuse(id, at)
	}
	k := timekey.Of(at)
	if q.late.left && q.late.leaver.id == id {
		if q.ids >= q.far {
			q.comeBack(k)
			return nil
		}
		q.late.left = false // this is comeBack by hand, which saves 1 ns
		q.setKey(id, k)
		q.pending++
		q.place(entry{k, id, q.late.leaver.stamp})
		return nil
	}
	q.settle()
	r := q.record(id)
	if r == nil {
		var err error
		if r, err = q.admit(id); err != nil {
			return err
		}
	}
	if q.deaths.n > 0 {
		if waits, last := q.deaths.waits(id); waits {
			return q.scheduleAfter(id, at, last)
		}
	}
	if r.key() != noKey {
		return ErrScheduled
	}
	r.setKey(k)
	q.mark(id)
	q.pending++
	q.place(entry{k, id, r.stamp})
	return nil
}

// Reschedule moves id's event to another time, or schedules it if none was pending. Either way it goes behind the
// events already scheduled for that time. It refuses what Schedule refuses of an id and a time, and then changes nothing.
func (q *Queue) Reschedule(id ID, at float64) error {
	if !(at >= q.now && at <= math.MaxFloat64) {
		return q.refuse(id, at)
	}
	k := timekey.Of(at)
	if q.late.left && q.late.leaver.id == id {
		q.comeBack(k)
		return nil
	}
	q.settle()
	r := q.record(id)
	if r == nil {
		var err error
		if r, err = q.admit(id); err != nil {
			return err
		}
	}
	if q.deathsWait() {
		q.move(id, k)
		return nil
	}
	swept := false
	q.mark(id)
	if old := r.key(); old != noKey {
		swept = q.disown(r, old)
	} else {
		q.pending++
	}
	r.setKey(k)
	q.place(entry{k, id, r.stamp})
	if swept {
		q.tidy()
	}
	return nil
}

// Cancel takes back id's event, and tells whether there was one.
func (q *Queue) Cancel(id ID) bool {
	q.settle()
	r := q.record(id)
	if r == nil {
		return false
	}
	if q.deathsWait() {
		return q.cancel(id)
	}
	k := r.key()
	if k == noKey {
		return false
	}
	r.setKey(noKey)
	q.unmark(id)
	q.pending--
	if q.disown(r, k) {
		q.tidy()
	}
	return true
}

// Renumber gives the event of one id to another, which must have none. The event keeps its time and goes behind the
// events already scheduled for it. If the two are the same id, nothing changes.
//
// It refuses if one of them is beyond the largest id ([ErrID]), from has no pending event ([ErrNotScheduled]) or to has one
// ([ErrScheduled]).
func (q *Queue) Renumber(from, to ID) error {
	if from > q.maxID || to > q.maxID {
		return ErrID
	}
	at, ok := q.Due(from)
	if !ok {
		return ErrNotScheduled
	}
	if from == to {
		return nil
	}
	if err := q.Schedule(to, at); err != nil {
		return err
	}
	q.Cancel(from)
	return nil
}

// Next removes the earliest event and moves the clock to its time. It reports false if nothing is pending.
func (q *Queue) Next() (id ID, at float64, ok bool) {
	for {
		if q.head == len(q.near) && !q.refill(true) {
			return 0, 0, false
		}
		e := q.near[q.head]
		q.head++
		if q.head%lookEvery == 0 && q.ids >= q.cold {
			q.look()
		}
		if q.doubt && !q.stands(e) {
			q.dead--
			continue
		}
		q.leave(e)
		q.pending--
		q.now = timekey.Time(e.key)
		if q.dead > q.pending+deadSlack && !q.counted {
			q.sweep()
		}
		return e.id, q.now, true
	}
}

// NextBy is Next for an event that is due by time t; it reports false, and moves nothing, if the earliest is later than
// that.
func (q *Queue) NextBy(t float64) (id ID, at float64, ok bool) {
	// Most of the time a live entry is near; Peek finds it where it is not so.
	if q.head == len(q.near) || q.doubt && !q.stands(q.near[q.head]) {
		if _, at, ok := q.Peek(); !ok || !(at <= t) {
			return 0, 0, false
		}
	} else if !(timekey.Time(q.near[q.head].key) <= t) {
		return 0, 0, false
	}
	return q.Next()
}

// NextTied is NextBy, and tells whether another event may be due at the same time: if not, none is; otherwise NextBy at that time has what
// there is, which may be nothing if it was cancelled. It is for those who put events of the same time into an order of their own.
func (q *Queue) NextTied(t float64) (id ID, at float64, tied, ok bool) {
	// This is NextBy and Next by hand, for what is near.
	if q.head == len(q.near) || q.doubt && !q.stands(q.near[q.head]) {
		if id, at, ok = q.NextBy(t); ok {
			tied = q.mayTie(timekey.Of(at))
		}
		return id, at, tied, ok
	}
	e := q.near[q.head]
	if at = timekey.Time(e.key); !(at <= t) {
		return 0, 0, false, false
	}
	q.head++
	if q.head%lookEvery == 0 && q.ids >= q.cold {
		q.look()
	}
	q.leave(e)
	q.pending--
	q.now = at
	if q.dead > q.pending+deadSlack && !q.counted {
		q.sweep()
	}
	return e.id, at, q.mayTie(e.key), true
}

// mayTie reports false if no entry has the key of the event that was dispatched last. What is near is sorted, and what is not has keys from the end
// of the last level on.
func (q *Queue) mayTie(k uint64) bool {
	if q.head < len(q.near) {
		return q.near[q.head].key == k
	}
	return k >= q.levels[len(q.levels)-1].end
}

// Peek tells what Next would return, and leaves the event and the clock as they are.
func (q *Queue) Peek() (id ID, at float64, ok bool) {
	for {
		if q.head == len(q.near) {
			if !q.refill(false) {
				return 0, 0, false
			}
			if len(q.near) == 0 {
				e, _ := q.crowdFirst()
				return e.id, timekey.Time(e.key), true
			}
		}
		e := q.near[q.head]
		if !q.doubt || q.stands(e) {
			return e.id, timekey.Time(e.key), true
		}
		q.head++
		q.dead--
	}
}

// Due returns when id's event is due. ok is false if it has none.
func (q *Queue) Due(id ID) (at float64, ok bool) {
	q.settle()
	if waits, _ := q.deaths.waits(id); waits {
		q.catchUp()
	}
	r := q.record(id)
	if r == nil || r.key() == noKey {
		return 0, false
	}
	return timekey.Time(r.key()), true
}

// At is the former name of Due.
func (q *Queue) At(id ID) (at float64, ok bool) { return q.Due(id) }

// Len is the number of pending events.
func (q *Queue) Len() int {
	q.catchUp()
	return q.pending
}

// Now is the time of the last event dispatched, or the clock's first value.
func (q *Queue) Now() float64 { return q.now }

// Until dispatches the events up to and including time t, in order; those that the loop's body schedules meanwhile are
// among them. The body may use the queue freely, and breaking off leaves the remaining events pending. The clock stays
// at the last event dispatched.
func (q *Queue) Until(t float64) iter.Seq2[ID, float64] {
	return func(yield func(ID, float64) bool) {
		for {
			id, at, ok := q.NextBy(t)
			if !ok || !yield(id, at) {
				return
			}
		}
	}
}

// refuse tells what is wrong with an id, or a time that is not between the clock and the largest float64.
func (q *Queue) refuse(id ID, at float64) error {
	if id > q.maxID {
		return ErrID
	}
	if math.IsNaN(at) || math.IsInf(at, 0) {
		return ErrTime
	}
	return ErrPast
}
