package eventqueue

import (
	"iter"
	"math"

	"github.com/almanac-sim/almanac/internal/timekey"
)

// Queue is the exact pending-event set that package calendar exports; calendar.Queue and its
// methods document it. In addition it has calls for an engine that keeps a population in arrays:
// NextTied, Ahead, Prefetch and PrefetchID.
//
// The zero value is an empty queue.
type Queue struct {
	pages   [][]record // see record.go
	now     float64
	pending int // live entries
	stale   int // entries whose event was cancelled or moved

	// The bottom of the ladder: what is due first, sorted by key, is bottom[head:]. See bottom.go.
	bottom   []entry
	head     int
	inserted int // how many were inserted since it was filled
	// bottomStale says that entries of the bottom may be stale: an event was cancelled whose key
	// was not beyond it. Otherwise none is, because the stale entries of a bucket are dropped when
	// it is loaded, except for those whose invalidation is deferred (deferred.go). maybeStale says
	// that there may be either.
	maybeStale, bottomStale bool

	// Everything else. See levels.go.
	levels []level // the path
	pool   pool
	counters

	ids    int // how many ids the pages have records for
	maxID  ID
	nests  []*level // the levels nested in buckets
	vacant []uint32 // places in nests that are free
	most   int      // how many entries a bucket may have
	// The numbers of ids from which records are out of the cache (prefetch.go), invalidations are
	// deferred (deferred.go) and writes are buffered, and the number of writes from which that is
	// worth it (writebuffer.go).
	cold, deferFrom, bufferFrom, fewWrites int
	// counted says that the buckets have counts of their stale entries. See stale.go.
	counted bool
	history [8]levelHistory // of the last level at each depth
	spare   [15][][]bucket

	arrays      []Array
	prefetching prefetchState // see prefetch.go
	writes      writeBuffer   // see writebuffer.go

	deferred             invalidations // see deferred.go
	version, lastVersion uint32        // the last one that was given to an entry, and the one that is never given
	bits                 []*bitPage
	bitPages             int // how many of them there are
}

// An Option adjusts a new [Queue].
type Option func(*settings)

type settings struct {
	capacity int
	start    float64
	maxID    ID
}

// Capacity makes room for the ids 0 to n−1 up front, or for the first 4 million of them.
func Capacity(n int) Option {
	if n < 0 || uint64(n) > math.MaxUint32+1 {
		panic("calendar: Capacity needs a number of ids, from 0 to 2³²")
	}
	return func(s *settings) { s.capacity = n }
}

// MaxID sets the largest id that is accepted.
func MaxID(id ID) Option {
	return func(s *settings) { s.maxID = id }
}

// StartAt sets the clock's first value, which must be finite.
func StartAt(t float64) Option {
	if math.IsNaN(t) || math.IsInf(t, 0) {
		panic("calendar: StartAt needs a finite time")
	}
	return func(s *settings) { s.start = t + 0 }
}

// New returns an empty queue.
func New(opts ...Option) *Queue {
	q := new(Queue)
	q.Init(opts...)
	return q
}

// Init makes a zero queue ready, with options.
func (q *Queue) Init(opts ...Option) {
	s := settings{maxID: math.MaxUint32}
	for _, o := range opts {
		o(&s)
	}
	q.now, q.maxID = s.start, s.maxID
	q.most, q.cold, q.deferFrom, q.bufferFrom, q.fewWrites = most, cold, deferFrom, bufferFrom, fewWrites
	q.lastVersion = lastVersion
	q.bottom = make([]entry, 0, bottomCap)
	q.restart()
	for end, last := min(uint64(s.capacity), uint64(s.maxID)+1, maxAhead), uint64(0); last < end; last += pageLen {
		_, _ = q.admit(ID(min(last|pageMask, end-1))) // which is not beyond
	}
}

// ready makes a zero queue ready. Only slow paths call it: an empty queue has no record and no
// entry, so that every call of a zero queue that needs one ends up there.
func (q *Queue) ready() {
	if q.levels == nil {
		q.Init()
	}
}

// Schedule makes the event of an id due, which must have none.
func (q *Queue) Schedule(id ID, at float64) error {
	if !(at >= q.now && at <= math.MaxFloat64) {
		return q.refuse(id, at)
	}
	k := timekey.Of(at)
	if q.writes.hasLast && q.writes.last.ID == id {
		if q.ids >= q.bufferFrom {
			q.scheduleLast(k)
			return nil
		}
		q.writes.hasLast = false // scheduleLast by hand, which saves 1 ns
		q.setKey(id, k)
		q.pending++
		q.place(entry{Key: k, ID: id, Version: q.writes.last.Version})
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
	if q.deferred.n > 0 {
		if waits, last := q.deferred.contains(id); waits {
			return q.scheduleAfter(id, at, last)
		}
	}
	if r.key() != noKey {
		return ErrScheduled
	}
	r.setKey(k)
	q.mark(id)
	q.pending++
	q.place(entry{Key: k, ID: id, Version: r.version})
	return nil
}

// Reschedule moves the event of an id, or schedules it if none was pending.
func (q *Queue) Reschedule(id ID, at float64) error {
	if !(at >= q.now && at <= math.MaxFloat64) {
		return q.refuse(id, at)
	}
	k := timekey.Of(at)
	if q.writes.hasLast && q.writes.last.ID == id {
		q.scheduleLast(k)
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
	if q.defers() {
		q.rescheduleDeferred(id, k)
		return nil
	}
	swept := false
	q.mark(id)
	if old := r.key(); old != noKey {
		swept = q.invalidate(r, old)
	} else {
		q.pending++
	}
	r.setKey(k)
	q.place(entry{Key: k, ID: id, Version: r.version})
	if swept {
		q.shrink()
	}
	return nil
}

// Cancel removes the event of an id, and reports whether there was one.
func (q *Queue) Cancel(id ID) bool {
	q.settle()
	r := q.record(id)
	if r == nil {
		return false
	}
	if q.defers() {
		return q.cancelDeferred(id)
	}
	k := r.key()
	if k == noKey {
		return false
	}
	r.setKey(noKey)
	q.unmark(id)
	q.pending--
	if q.invalidate(r, k) {
		q.shrink()
	}
	return true
}

// Renumber gives the event of one id to another, which must have none.
func (q *Queue) Renumber(from, to ID) error {
	q.ready()
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

// Next removes the earliest event and moves the clock to its time.
func (q *Queue) Next() (id ID, at float64, ok bool) {
	for {
		if q.head == len(q.bottom) && !q.refill(true) {
			return 0, 0, false
		}
		e := q.bottom[q.head]
		q.head++
		if q.head%prefetchEvery == 0 && q.ids >= q.cold {
			q.prefetchSome()
		}
		if q.maybeStale && !q.isCurrent(e) {
			q.stale--
			continue
		}
		q.noteDispatch(e)
		q.pending--
		q.now = timekey.Time(e.Key)
		if q.stale > q.pending+staleSlack && !q.counted {
			q.sweep()
		}
		return e.ID, q.now, true
	}
}

// NextBy is Next if the earliest event is due by time t.
func (q *Queue) NextBy(t float64) (id ID, at float64, ok bool) {
	// Most of the time there is a live entry at the bottom; otherwise Peek finds it.
	if q.head == len(q.bottom) || q.maybeStale && !q.isCurrent(q.bottom[q.head]) {
		if _, at, ok := q.Peek(); !ok || !(at <= t) {
			return 0, 0, false
		}
	} else if !(timekey.Time(q.bottom[q.head].Key) <= t) {
		return 0, 0, false
	}
	return q.Next()
}

// NextTied is NextBy, and also reports whether another event may be due at the same time: if tied
// is false, none is; otherwise NextBy at that time returns what there is, which may be nothing if
// it was cancelled. It is for callers that put events of the same time into an order of their own.
func (q *Queue) NextTied(t float64) (id ID, at float64, tied, ok bool) {
	// This is NextBy and Next by hand, for the bottom.
	if q.head == len(q.bottom) || q.maybeStale && !q.isCurrent(q.bottom[q.head]) {
		return q.refillTied(t)
	}
	e := q.bottom[q.head]
	if at = timekey.Time(e.Key); !(at <= t) {
		return 0, 0, false, false
	}
	q.head++
	if q.head%prefetchEvery == 0 && q.ids >= q.cold {
		q.prefetchSome()
	}
	q.noteDispatch(e)
	q.pending--
	q.now = at
	if q.stale > q.pending+staleSlack && !q.counted {
		q.sweep()
	}
	return e.ID, at, q.mayTie(e.Key), true
}

// refillTied is NextTied if the bottom has to be filled or swept first. It is a call of its own so
// that the compiler can inline NextTied.
//
//go:noinline
func (q *Queue) refillTied(t float64) (id ID, at float64, tied, ok bool) {
	if id, at, ok = q.NextBy(t); ok {
		tied = q.mayTie(timekey.Of(at))
	}
	return id, at, tied, ok
}

// mayTie reports false if no entry has the key of the event that was dispatched last. The bottom is
// sorted, and all other entries have keys from the end of the last level on.
func (q *Queue) mayTie(k uint64) bool {
	if q.head < len(q.bottom) {
		return q.bottom[q.head].Key == k
	}
	return k >= q.levels[len(q.levels)-1].end
}

// Peek returns what Next would.
func (q *Queue) Peek() (id ID, at float64, ok bool) {
	for {
		if q.head == len(q.bottom) {
			if !q.refill(false) {
				return 0, 0, false
			}
			if len(q.bottom) == 0 {
				e, _ := q.firstTie()
				return e.ID, timekey.Time(e.Key), true
			}
		}
		e := q.bottom[q.head]
		if !q.maybeStale || q.isCurrent(e) {
			return e.ID, timekey.Time(e.Key), true
		}
		q.head++
		q.stale--
	}
}

// Due returns when the event of an id is due.
func (q *Queue) Due(id ID) (at float64, ok bool) {
	q.settle()
	if waits, _ := q.deferred.contains(id); waits {
		q.flush()
	}
	r := q.record(id)
	if r == nil || r.key() == noKey {
		return 0, false
	}
	return timekey.Time(r.key()), true
}

// Len is the number of pending events.
func (q *Queue) Len() int {
	q.flush()
	return q.pending
}

// Now is the time of the last event dispatched, or the clock's first value.
func (q *Queue) Now() float64 { return q.now }

// Until dispatches the events up to and including time t.
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

// refuse returns what is wrong with an id, or with a time that is not between the clock and the
// largest float64.
func (q *Queue) refuse(id ID, at float64) error {
	q.ready()
	if id > q.maxID {
		return ErrID
	}
	if math.IsNaN(at) || math.IsInf(at, 0) {
		return ErrTime
	}
	return ErrPast
}
