package rivals

import (
	"math"
	"math/bits"

	"github.com/almanac-sim/almanac/calendar"
)

// Radix is a monotone radix heap [Ahuja90] on the bits of the time: an entry lies in the bucket of the highest bit in which it
// differs from the last time dispatched. When the first bucket is empty, the next one that is not is spread over those below.
//
// Events with equal times leave in the order they were scheduled without comparing sequence numbers: equal times are always in
// the same bucket, and are appended and spread in order.
//
// Schedule and Cancel cost O(1). An event moves at most 64 times in its life, in practice a handful, so that Next costs O(64)
// amortised. An event takes 40 bytes, an entry of 24 and a record of 16, but buckets keep the room they once needed: two to
// four times that in the hold model. Dead entries are dropped when met, and all at once when they outnumber the living.
//
// It is fast because it may count on the clock: nothing is scheduled before it. Peek must therefore not spread a bucket, or an
// event could not be scheduled before the one seen; it looks for the least entry instead, in time linear in the bucket, and
// remembers it until it leaves.
//
// [Ahuja90]: https://doi.org/10.1145/77600.77615
type Radix struct {
	ledger
	last    uint64      // the key of now
	first   int         // of bucket 0, the next to leave
	filled  uint64      // bit b-1 is set if bucket b > 0 has entries
	buckets [65][]entry // bucket 0 holds the entries due now
	seen    entry       // what Peek found; its number is zero if there is nothing to remember
}

// NewRadix returns an empty set whose clock stands at start.
func NewRadix(start float64, capacity int) *Radix {
	return &Radix{ledger: newLedger(start, capacity), last: key(start + 0)}
}

// key maps times to integers in the same order: negative ones are turned round, and put below the others.
func key(at float64) uint64 {
	b := math.Float64bits(at)
	return b ^ (uint64(int64(b)>>63) | 1<<63)
}

// Schedule adds an event for an id that has none.
func (q *Radix) Schedule(id calendar.ID, at float64) error {
	if err := q.refuse(at, q.pending(id)); err != nil {
		return err
	}
	q.insert(id, at)
	return nil
}

func (q *Radix) insert(id calendar.ID, at float64) {
	e := q.open(id, at)
	if q.seen.seq != 0 && e.at < q.seen.at {
		q.seen = e
	}
	q.put(e)
}

func (q *Radix) put(e entry) {
	b := bits.Len64(key(e.at) ^ q.last)
	q.buckets[b] = append(q.buckets[b], e)
	q.filled |= bit(b)
}

// bit is the one of a bucket in filled: none for bucket 0, whose shift is out of range.
func bit(b int) uint64 { return 1 << uint(b-1) }

// Reschedule moves an id's event behind all others of its new time, or schedules one if there was none.
func (q *Radix) Reschedule(id calendar.ID, at float64) error {
	if err := q.refuse(at, false); err != nil {
		return err
	}
	q.Cancel(id)
	q.insert(id, at)
	return nil
}

// Cancel removes an id's event and reports whether there was one.
func (q *Radix) Cancel(id calendar.ID) bool {
	if !q.pending(id) {
		return false
	}
	if q.shut(id).seq == q.seen.seq {
		q.seen = entry{}
	}
	q.dead++
	if q.overgrown() {
		q.sweep()
	}
	return true
}

// Renumber gives the event of one id to another, behind all others of its time.
func (q *Radix) Renumber(from, to calendar.ID) error {
	if err := refuseRenumber(from, to, q.pending(from), q.pending(to)); err != nil || from == to {
		return err
	}
	at := q.records[from].at
	q.Cancel(from)
	q.insert(to, at)
	return nil
}

// Next removes the earliest event and advances the clock to it.
func (q *Radix) Next() (id calendar.ID, at float64, ok bool) {
	if q.n == 0 {
		return 0, 0, false
	}
	q.seen = entry{}
	for {
		if !q.skip() {
			q.spread()
			continue
		}
		e := &q.buckets[0][q.first]
		q.first++
		q.shut(e.id)
		q.now = e.at
		return e.id, e.at, true
	}
}

// skip passes over the dead entries of bucket 0 and reports whether a live one comes then. It empties the bucket if not.
func (q *Radix) skip() bool {
	due := q.buckets[0]
	for ; q.first < len(due); q.first++ {
		if q.live(&due[q.first]) {
			return true
		}
		q.dead--
	}
	q.buckets[0], q.first = due[:0], 0
	return false
}

// lowest returns the number of the first bucket after bucket 0 that has entries. There must be one.
func (q *Radix) lowest() int { return bits.TrailingZeros64(q.filled) + 1 }

// spread moves the time to the least of the first bucket that has entries, and these into the buckets below, all of which are
// empty. Entries of higher buckets stay: they differ from the new time in the same highest bit as from the old.
func (q *Radix) spread() {
	b := q.lowest()
	from := q.buckets[b]
	least, ok := q.least(from)
	q.buckets[b] = from[:0]
	q.filled &^= bit(b)
	if !ok {
		q.dead -= len(from)
		return
	}
	q.last = key(least.at)
	for i := range from {
		if q.live(&from[i]) {
			q.put(from[i])
		} else {
			q.dead--
		}
	}
}

// least finds the first of the earliest live entries.
func (q *Radix) least(entries []entry) (least entry, ok bool) {
	for i := range entries {
		e := &entries[i]
		if (!ok || e.at < least.at) && q.live(e) {
			least, ok = *e, true
		}
	}
	return least, ok
}

// Peek returns the earliest event and leaves everything as it was.
func (q *Radix) Peek() (id calendar.ID, at float64, ok bool) {
	if q.n == 0 {
		return 0, 0, false
	}
	if q.skip() {
		e := &q.buckets[0][q.first]
		return e.id, e.at, true
	}
	for q.seen.seq == 0 {
		b := q.lowest()
		least, ok := q.least(q.buckets[b])
		if ok {
			q.seen = least
			break
		}
		q.dead -= len(q.buckets[b])
		q.buckets[b] = q.buckets[b][:0]
		q.filled &^= bit(b)
	}
	return q.seen.id, q.seen.at, true
}

// sweep drops all dead entries.
func (q *Radix) sweep() {
	q.buckets[0] = append(q.buckets[0][:0], q.buckets[0][q.first:]...)
	q.first = 0
	q.filled = 0
	for b, entries := range q.buckets {
		kept := entries[:0]
		for i := range entries {
			if q.live(&entries[i]) {
				kept = append(kept, entries[i])
			}
		}
		q.buckets[b] = kept
		if len(kept) > 0 {
			q.filled |= bit(b)
		}
	}
	q.dead = 0
}
