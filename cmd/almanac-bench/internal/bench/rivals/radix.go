package rivals

import (
	"math/bits"

	"github.com/almanac-sim/almanac/calendar"
	"github.com/almanac-sim/almanac/internal/timekey"
)

// Radix is a monotone radix heap [Ahuja90] on the bits of the time: an entry lies in the bucket of
// the highest bit in which it differs from the last time dispatched. When the first bucket is
// empty, the next one that is not is spread over those below.
//
// Events with equal times leave in the order they were scheduled without comparing sequence
// numbers: equal times are always in the same bucket, and are appended and spread in order.
//
// Schedule and Cancel cost O(1). An event moves at most 64 times in its life, in practice a
// handful, so that Next costs O(64) amortised. An event takes about 50 bytes: an entry of 24, a
// record of 16 and room to grow. Stale entries, 24 bytes each, are dropped when met, and all at
// once when they outnumber the living.
//
// It is fast because it may count on the clock: nothing is scheduled before it. Peek must therefore
// not spread a bucket, or an event could not be scheduled before the one seen; it looks for the
// least entry instead, in time linear in the bucket, and remembers it until it leaves.
//
// [Ahuja90]: https://doi.org/10.1145/77600.77615
type Radix struct {
	ledger
	last    uint64     // the key of now
	filled  uint64     // bit b-1 is set if bucket b > 0 has entries
	buckets [65]bucket // bucket 0 holds the entries due now
	first   int        // in the first chunk of bucket 0, the next entry to leave
	spare   [][]entry  // chunks not in use
	seen    entry      // what Peek found; its number is zero if there is nothing to remember
}

// A bucket is a list of chunks, in the order in which entries were put there. Small buckets have
// only the open one, and are then mere slices. Were large ones so too, each would keep the room
// that it once needed, six times what is in use.
type bucket struct {
	full [][]entry
	open []entry
}

const chunkSize = 1024 // 24 kB: 65 buckets cannot waste much

// NewRadix returns an empty set whose clock stands at start.
func NewRadix(start float64, capacity int) *Radix {
	return &Radix{ledger: newLedger(start, capacity), last: timekey.Of(start)}
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
	q.put(&e)
}

// put appends an entry to its bucket.
func (q *Radix) put(e *entry) {
	b := bits.Len64(timekey.Of(e.at) ^ q.last)
	k := &q.buckets[b]
	n := len(k.open)
	if n == cap(k.open) {
		n = q.grow(k)
	}
	k.open = k.open[:n+1]
	k.open[n] = *e
	q.filled |= bit(b)
}

// grow makes room in a bucket for another entry and returns the length of its open chunk.
func (q *Radix) grow(k *bucket) int {
	n := len(k.open)
	if n < chunkSize {
		k.open = append(make([]entry, 0, max(4, 2*n)), k.open...)
		return n
	}
	k.full = append(k.full, k.open)
	if last := len(q.spare) - 1; last >= 0 {
		k.open, q.spare = q.spare[last], q.spare[:last]
	} else {
		k.open = make([]entry, 0, chunkSize)
	}
	return 0
}

// free keeps a chunk for later.
func (q *Radix) free(chunk []entry) { q.spare = append(q.spare, chunk[:0]) }

// bit is the one of a bucket in filled: none for bucket 0, whose shift is out of range.
func bit(b int) uint64 { return 1 << uint(b-1) }

// Reschedule moves an id's event behind all others of its new time, or schedules one if there was
// none.
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
	q.stale++
	if q.overgrown() {
		q.sweep()
	}
	return true
}

// Renumber gives the event of one id to another, behind all others of its time.
func (q *Radix) Renumber(from, to calendar.ID) error { return renumber(q, from, to, q.insert) }

// Next removes the earliest event and advances the clock to it.
func (q *Radix) Next() (id calendar.ID, at float64, ok bool) {
	if q.n == 0 {
		return 0, 0, false
	}
	e := q.due()
	for e == nil {
		q.spread()
		e = q.due()
	}
	q.first++
	q.seen = entry{}
	q.shut(e.id)
	q.now = e.at
	return e.id, e.at, true
}

// due returns the first live entry of bucket 0, nil if there is none. It drops what comes before.
func (q *Radix) due() *entry {
	k := &q.buckets[0]
	for {
		chunk := k.open
		if len(k.full) > 0 {
			chunk = k.full[0]
		}
		for ; q.first < len(chunk); q.first++ {
			if e := &chunk[q.first]; q.live(e) {
				return e
			}
			q.stale--
		}
		q.first = 0
		if len(k.full) == 0 {
			k.open = k.open[:0]
			return nil
		}
		k.full = k.full[1:]
		q.free(chunk)
	}
}

// lowest returns the first bucket after bucket 0 that has entries. There must be one.
func (q *Radix) lowest() int { return bits.TrailingZeros64(q.filled) + 1 }

// spread moves the time to the least of the lowest bucket, and its entries into the buckets below,
// all of which are empty. Entries of higher buckets stay: they differ from the new time in the same
// highest bit as from the old.
func (q *Radix) spread() {
	b := q.lowest()
	if least := q.least(b); least != nil {
		q.last = timekey.Of(least.at)
	}
	k := &q.buckets[b]
	for _, chunk := range k.full {
		q.spreadChunk(chunk)
		q.free(chunk)
	}
	q.spreadChunk(k.open)
	k.full, k.open = k.full[:0], k.open[:0]
	q.filled &^= bit(b)
}

func (q *Radix) spreadChunk(chunk []entry) {
	for i := range chunk {
		if e := &chunk[i]; q.live(e) {
			q.put(e)
		} else {
			q.stale--
		}
	}
}

// least returns the first of the earliest live entries of a bucket, nil if there is none.
func (q *Radix) least(b int) *entry {
	k := &q.buckets[b]
	var least *entry
	for _, chunk := range k.full {
		least = q.leastOf(least, chunk)
	}
	return q.leastOf(least, k.open)
}

func (q *Radix) leastOf(least *entry, chunk []entry) *entry {
	for i := range chunk {
		if e := &chunk[i]; (least == nil || e.at < least.at) && q.live(e) {
			least = e
		}
	}
	return least
}

// Peek returns the earliest event and leaves everything as it was.
func (q *Radix) Peek() (id calendar.ID, at float64, ok bool) {
	if q.n == 0 {
		return 0, 0, false
	}
	if e := q.due(); e != nil {
		return e.id, e.at, true
	}
	for q.seen.seq == 0 {
		if least := q.least(q.lowest()); least != nil {
			q.seen = *least
		} else {
			q.spread() // all are stale: this drops them, and the time stays
		}
	}
	return q.seen.id, q.seen.at, true
}

// sweep drops all stale entries and puts the others where they were.
func (q *Radix) sweep() {
	first := q.first // what comes before has left
	q.first, q.filled = 0, 0
	for b := range q.buckets {
		k := &q.buckets[b]
		full, open := k.full, k.open
		k.full, k.open = nil, nil
		if len(full) == 0 {
			k.open = open[:0] // the survivors move up within it
		}
		for _, chunk := range full {
			q.putLive(chunk[first:])
			q.free(chunk)
			first = 0
		}
		q.putLive(open[first:])
		first = 0
	}
	q.stale = 0
}

func (q *Radix) putLive(entries []entry) {
	for i := range entries {
		if e := &entries[i]; q.live(e) {
			q.put(e)
		}
	}
}
