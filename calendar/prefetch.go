package calendar

import (
	"unsafe"

	"github.com/almanac-sim/almanac/internal/prefetch"
)

// With many events every record and most buckets are out of the cache when they are wanted, and waiting for them would be
// most of the cost. What will be wanted is known in advance, so it is asked for in advance: with 10⁷ events a hold takes
// about 90 ns instead of 130.

// cold is from how many ids on their records do not fit into a cache of the second level.
const cold = 1 << 16

// A processor can only have some dozen such requests under way, and waits if there are more. So the records of what comes after the near
// entries are asked for a few at a time, while those are dispatched. How far that has got:
type lookout struct {
	entries []entry // whose records, and what the caller keeps beside them, are still to be asked for, of a bucket
	blind   bool    // the records need not be: see writesBlindly
	bucket  int     // which one it is, of the last level; −1 if none is looked at
}

const (
	// lookEvery is after how many events the processor is asked for the records of lookMany others.
	lookEvery, lookMany = 4, 6
	// lookFar is by how many buckets those may be ahead.
	lookFar = 4
	// fresh is up to how many entries a level was made for that lie in the cache since then.
	fresh = 4096
)

// lookAnew is for when the last level is another.
func (q *Queue) lookAnew() { q.lookout = lookout{bucket: -1} }

// look asks for the records of the next few entries.
//
//go:noinline
func (q *Queue) look() {
	o := &q.lookout
	if len(o.entries) == 0 && !q.lookOn() {
		return
	}
	n := min(lookMany, len(o.entries))
	q.gather(&o.entries[0].id, n, o.blind)
	o.entries = o.entries[n:]
}

// lookOn turns to the next bucket that has entries, if it is not too far ahead, and asks for the entries of the one after that.
func (q *Queue) lookOn() bool {
	o := &q.lookout
	if o.bucket < 0 {
		return false
	}
	l := &q.levels[len(q.levels)-1]
	if l.size <= fresh && q.dead == 0 && len(q.arrays) == 0 && q.collects() {
		return false
	}
	for o.bucket+1 < min(l.open+lookFar, l.count()) {
		o.bucket++
		if o.bucket+1 < l.count() {
			if b := &l.buckets[o.bucket+1]; b.tail != 0 && b.tail != nested {
				q.prefetchChunk(b.head, int(min(b.n, chunkLen)))
			}
		}
		if b := &l.buckets[o.bucket]; b.tail != 0 && b.tail != nested {
			o.entries, o.blind = q.pool.entries(*b, b.head), q.writesBlindly(*b)
			if b.n > chunkLen {
				q.prefetchChunk(q.pool.next(b.head), chunkLen)
			}
			if o.blind && len(q.arrays) == 0 {
				o.entries = nil
				return false
			}
			return true
		}
	}
	return false
}

// lookAfter sees to it that the records of bucket i of the last level, which is being opened, have been asked for.
func (q *Queue) lookAfter(i int, b bucket) {
	o := &q.lookout
	if q.ids < q.cold || o.bucket > i {
		return
	}
	if o.bucket < i {
		o.entries, o.blind = q.pool.entries(b, b.head), q.writesBlindly(b)
	}
	if n := len(o.entries); n > 0 {
		q.gather(&o.entries[0].id, n, o.blind)
	}
	o.entries, o.bucket = nil, i
}

// prefetchFollowing asks for the records of the entries in the chunk of b after c, if there is one, and what the caller keeps beside them.
func (q *Queue) prefetchFollowing(b bucket, c uint32) {
	if q.ids < q.cold || c == b.last() {
		return
	}
	following := q.pool.next(c)
	q.gather(&q.pool.chunk(following)[0].id, len(q.pool.entries(b, following)), q.writesBlindly(b))
}

// prefetchRecords asks for the records of some entries, and for nothing else: whoever only looks which of them are live does not
// need what is the caller's.
func (q *Queue) prefetchRecords(es []entry) {
	if q.ids >= q.cold && len(es) > 0 {
		prefetch.GatherPaged(q.pages, pageBits, unsafe.Sizeof(record{}), unsafe.Pointer(&es[0].id), unsafe.Sizeof(entry{}), len(es))
	}
}

// writesBlindly reports whether nobody will read the records of b's entries when they are loaded, dispatched and scheduled anew.
func (q *Queue) writesBlindly(b bucket) bool { return q.collects() && q.allAlive(b) }

// gather asks for the records of n entries, the first of which has this id, unless they are not wanted, and for what the
// caller keeps beside them.
func (q *Queue) gather(id *ID, n int, blind bool) {
	ids := unsafe.Pointer(id)
	if !blind {
		prefetch.GatherPaged(q.pages, pageBits, unsafe.Sizeof(record{}), ids, unsafe.Sizeof(entry{}), n)
	}
	for _, o := range q.arrays {
		prefetch.Gather(o.base, o.size, ids, unsafe.Sizeof(entry{}), n)
	}
}

// An Array is one of the caller's with something for each id, which the caller needs when the id's event is dispatched.
type Array struct {
	base unsafe.Pointer
	size uintptr
}

// ArrayOf describes an array that has so many elements for each id: those of id are array[id*per : (id+1)*per].
func ArrayOf[T any](array []T, per int) Array {
	if per < 1 {
		panic("calendar: ArrayOf needs at least one element for each id")
	}
	var t T
	return Array{unsafe.Pointer(unsafe.SliceData(array)), uintptr(per) * unsafe.Sizeof(t)}
}

// Prefetch makes the queue ask the processor for the memory that events will need, shortly before they are dispatched, together with its own: the
// first cache line of what each of the arrays has for the id. With many ids, most of the time of a simulation can go into waiting for
// such memory. The arrays are not read, and may be too short. An array that has moved must be given again; each call replaces what
// was given before.
func (q *Queue) Prefetch(arrays ...Array) { q.arrays = arrays }

// PrefetchID asks the processor for the memory that an event of an id will need when it is scheduled: the queue's own, and that of the arrays given to
// Prefetch. It is for callers who know some events ahead which id they will schedule next.
func (q *Queue) PrefetchID(id ID) {
	q.gather(&id, 1, int(id>>pageBits) >= len(q.pages))
}

// Ahead returns the id of the event that comes k events after the next one, for callers that
// prefetch the memory they will need then. It does not search: ok is false if the id is not known
// without, which is so for every k that is negative or large. The event may have been cancelled.
func (q *Queue) Ahead(k int) (id ID, ok bool) {
	if near := q.near[q.head:]; uint(k) < uint(len(near)) {
		return near[k].id, true
	}
	return 0, false
}

// prefetchChunk asks for the first n entries of a chunk, and its link.
func (q *Queue) prefetchChunk(c uint32, n int) {
	const perLine = 64 / int(unsafe.Sizeof(entry{}))
	prefetch.Lines(unsafe.Pointer(q.pool.link(c)), n/perLine+1)
}

// startAhead asks for the first few chunks of a bucket that is to be read from the start, and returns the last of them.
func (q *Queue) startAhead(b bucket) uint32 {
	c := b.head
	for range chunksAhead {
		c = q.ahead(c, b.last())
	}
	return c
}

// ahead asks for the chunk after c, unless that is the last, and returns it.
func (q *Queue) ahead(c, last uint32) uint32 {
	if c == last {
		return c
	}
	c = q.pool.next(c)
	q.prefetchChunk(c, chunkLen)
	return c
}
