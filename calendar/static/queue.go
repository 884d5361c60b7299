package static

import (
	"iter"
	"math"

	"github.com/almanac-sim/almanac/calendar"
)

// Queue is the calendar of the papers: M buckets of width δ, and a current bucket that goes round
// them. The time line is cut into days of width δ and the event at t is kept in bucket ⌊t/δ⌋ mod M,
// whatever its year, until the current bucket comes round on its very day. M and δ are the caller's
// choice and never change; the number of events may.
//
// Events with equal times leave in the order they were scheduled, under every [Discipline].
//
// With δ near √2·μ/N and M at least 2N, for N events and a mean delay of μ, every operation takes
// constant time on average [Erickson94]. With other choices it may take up to N + M steps. How a
// bucket keeps its list decides who pays:
//
//	             Schedule              Next, per bucket visited    n events at one time cost
//	Unordered    1                     length of the list          n²
//	Ordered      entries passed over   1                           n²
//	JustInTime   1                     1, after sorting what came  n
//
// Cancel, and moving a pending event, walk the list of one bucket. An id takes 12 bytes, pending or
// not, and a bucket 4, so 16 bytes an event when there are as many buckets; no operation allocates
// and nothing in it is a pointer.
//
// It differs from the papers in four ways. Days are whole numbers and never an edge that is added
// up, so an event cannot stray into the bucket beside its own and the search of the neighbours in
// Lehman's Algorithm 2 is not needed. A year swept without finding an event of its day is followed
// by a jump to the first day that has one, so that a gap between events costs one year of buckets
// and not all the years in it. Peek may look ahead; an event scheduled before what it found takes
// the current bucket back. And just-in-time sorting keeps ties in order: in Algorithm 1 dropping an
// event on top of its equals would turn their order round.
//
// A Queue must not be used from several goroutines at once. The zero Queue refuses every id; use
// [New].
//
// The structure and its analysis are those of Erickson, Ladner and LaMarca, Optimizing static
// calendar queues [Erickson94]. The arrays, Algorithms 1 to 5 and just-in-time sorting are those of
// Lehman, Keen and Barnes, Trading space for time: constant-speed algorithms for managing future
// events in scientific simulations, CSC 2012.
//
// [Erickson94]: https://doi.org/10.1109/SFCS.1994.365719
type Queue struct {
	// An event's number n is its id plus one, so that zero can end a list. The names in brackets
	// are Lehman's.
	at    []float64 // time of event n (T); at[0] is not used
	next  []int32   // link to the event after n in its bucket (P), or idle; next[0] is scratch of merge
	heads []int32   // link to the first event of each bucket (Q)

	width      float64 // δ
	discipline Discipline

	now    float64 // time of the last event dispatched
	count  int
	day    int64 // the current day: no pending event has an earlier one
	bucket int   // the current bucket, day mod M

	// What the last search found and nothing has overtaken since: the event to dispatch, in the
	// current bucket, and the one before it in the list, 0 if it is the first. found is 0 when a
	// search is needed.
	found, before int32

	work Work
}

// idle is the link of an event that is not pending (PZ in the paper). No link has this value, since
// |link| ≤ maxSize.
const idle = math.MinInt32

// Schedule makes id due at the given time. It returns [calendar.ErrID], [calendar.ErrTime],
// [calendar.ErrPast] or [calendar.ErrScheduled], in this order of precedence, if that cannot be,
// and then changes nothing.
func (q *Queue) Schedule(id calendar.ID, at float64) error {
	n, err := q.admit(id, at)
	if err != nil {
		return err
	}
	if q.next[n] != idle {
		return calendar.ErrScheduled
	}
	q.insert(n, at)
	return nil
}

// Reschedule moves the event of id to the given time, behind those already due then, or schedules
// it if it was not pending. It returns [calendar.ErrID], [calendar.ErrTime] or [calendar.ErrPast]
// if that cannot be, and then changes nothing.
func (q *Queue) Reschedule(id calendar.ID, at float64) error {
	n, err := q.admit(id, at)
	if err != nil {
		return err
	}
	if q.next[n] != idle {
		q.remove(n)
	}
	q.insert(n, at)
	return nil
}

// Cancel removes the event of id, and reports whether there was one.
func (q *Queue) Cancel(id calendar.ID) bool {
	n, ok := q.pending(id)
	if ok {
		q.remove(n)
	}
	return ok
}

// Renumber gives the event of one id to another that has none, at the same time but behind those
// already due then (Algorithm 4). It returns [calendar.ErrID], [calendar.ErrNotScheduled] or
// [calendar.ErrScheduled] if that cannot be, and then changes nothing.
func (q *Queue) Renumber(from, to calendar.ID) error {
	if !q.holds(from) || !q.holds(to) {
		return calendar.ErrID
	}
	n, ok := q.pending(from)
	if !ok {
		return calendar.ErrNotScheduled
	}
	if from == to {
		return nil
	}
	if _, ok := q.pending(to); ok {
		return calendar.ErrScheduled
	}
	q.remove(n)
	q.insert(int32(to)+1, q.at[n])
	return nil
}

// Next removes the earliest event and advances the clock to it. ok is false when nothing is
// pending.
func (q *Queue) Next() (id calendar.ID, at float64, ok bool) {
	n := q.find()
	if n == 0 {
		return 0, 0, false
	}
	q.dispatch(n)
	return calendar.ID(n - 1), q.now, true
}

// Peek returns what Next would, and leaves the event pending and the clock where it is.
func (q *Queue) Peek() (id calendar.ID, at float64, ok bool) {
	n := q.find()
	if n == 0 {
		return 0, 0, false
	}
	return calendar.ID(n - 1), q.at[n], true
}

// Until dispatches events in order up to and including time t. The loop's body may schedule and
// cancel events; what it schedules up to t is dispatched too. The clock is left at the last event
// dispatched, also when the loop is broken off.
func (q *Queue) Until(t float64) iter.Seq2[calendar.ID, float64] {
	return func(yield func(calendar.ID, float64) bool) {
		for {
			n := q.find()
			if n == 0 || !(q.at[n] <= t) {
				return
			}
			q.dispatch(n)
			if !yield(calendar.ID(n-1), q.now) {
				return
			}
		}
	}
}

// Due returns when id is due. ok is false when it has no pending event.
func (q *Queue) Due(id calendar.ID) (at float64, ok bool) {
	n, ok := q.pending(id)
	if !ok {
		return 0, false
	}
	return q.at[n], true
}

// Len returns the number of pending events.
func (q *Queue) Len() int { return q.count }

// Now returns the time of the last event dispatched, or the start if there was none.
func (q *Queue) Now() float64 { return q.now }

// Bytes returns the memory that the arrays hold, which only [Queue.Reset] changes.
func (q *Queue) Bytes() int { return 8*cap(q.at) + 4*cap(q.next) + 4*cap(q.heads) }

// holds reports whether id is within the capacity.
func (q *Queue) holds(id calendar.ID) bool { return uint64(id)+1 < uint64(len(q.at)) }

// pending returns the number of id's event, and whether it has one.
func (q *Queue) pending(id calendar.ID) (n int32, ok bool) {
	if !q.holds(id) {
		return 0, false
	}
	n = int32(id) + 1
	return n, q.next[n] != idle
}

// admit returns the number for id's event, or why it cannot be scheduled at the given time.
func (q *Queue) admit(id calendar.ID, at float64) (int32, error) {
	switch {
	case !q.holds(id):
		return 0, calendar.ErrID
	case !isFinite(at):
		return 0, calendar.ErrTime
	case !(at >= q.now):
		return 0, calendar.ErrPast
	}
	return int32(id) + 1, nil
}

func isFinite(x float64) bool { return math.Abs(x) <= math.MaxFloat64 }
