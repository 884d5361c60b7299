package eventqueue

import (
	"unsafe"

	"github.com/almanac-sim/almanac/internal/cpu"
)

// With many events every record and most buckets are not in the cache when they are needed, and
// waiting for them would be most of the cost. What will be needed is known in advance, so it is
// prefetched: with 10⁷ events a hold takes about 90 ns instead of 130.

// cold is the number of ids from which their records do not fit into a second-level cache.
const cold = 1 << 16

// A prefetchState is the state of prefetching. A processor can have only some dozen memory requests
// in flight, and stalls if there are more. So the records of the buckets after the bottom are
// prefetched a few at a time, while events of the bottom are dispatched.
type prefetchState struct {
	entries     []entry // of a bucket, whose records and arrays are still to be prefetched
	skipRecords bool    // their records need not be: see skipsRecords
	bucket      int     // which bucket of the last level it is; −1 if none
}

const (
	// After prefetchEvery events the records of prefetchMany others are prefetched.
	prefetchEvery, prefetchMany = 4, 6
	// prefetchFar is how many buckets those may be ahead.
	prefetchFar = 4
	// fresh is the size of a level up to which its entries are still in the cache since it was
	// made.
	fresh = 4096
)

// resetPrefetch is called when the last level is another.
func (q *Queue) resetPrefetch() { q.prefetching = prefetchState{bucket: -1} }

// prefetchSome prefetches the records of the next few entries.
//
//go:noinline
func (q *Queue) prefetchSome() {
	o := &q.prefetching
	if len(o.entries) == 0 && !q.prefetchOn() {
		return
	}
	n := min(prefetchMany, len(o.entries))
	q.gather(&o.entries[0].ID, n, o.skipRecords)
	o.entries = o.entries[n:]
}

// prefetchOn goes on to the next bucket that has entries, if it is not too far ahead, and
// prefetches the entries of the one after that.
func (q *Queue) prefetchOn() bool {
	o := &q.prefetching
	if o.bucket < 0 {
		return false
	}
	l := &q.levels[len(q.levels)-1]
	if l.size <= fresh && q.stale == 0 && len(q.arrays) == 0 && q.buffersWrites() {
		return false
	}
	for o.bucket+1 < min(l.open+prefetchFar, l.count()) {
		o.bucket++
		if o.bucket+1 < l.count() {
			if b := &l.buckets[o.bucket+1]; b.tail != 0 && b.tail != nested {
				q.prefetchChunk(b.head, int(min(b.n, chunkLen)))
			}
		}
		if b := &l.buckets[o.bucket]; b.tail != 0 && b.tail != nested {
			o.entries, o.skipRecords = q.pool.entries(*b, b.head), q.skipsRecords(*b)
			if b.n > chunkLen {
				q.prefetchChunk(q.pool.next(b.head), chunkLen)
			}
			if o.skipRecords && len(q.arrays) == 0 {
				o.entries = nil
				return false
			}
			return true
		}
	}
	return false
}

// finishPrefetch makes sure that the records of bucket i of the last level, which is being opened,
// have been prefetched.
func (q *Queue) finishPrefetch(i int, b bucket) {
	o := &q.prefetching
	if q.ids < q.cold || o.bucket > i {
		return
	}
	if o.bucket < i {
		o.entries, o.skipRecords = q.pool.entries(b, b.head), q.skipsRecords(b)
	}
	if n := len(o.entries); n > 0 {
		q.gather(&o.entries[0].ID, n, o.skipRecords)
	}
	o.entries, o.bucket = nil, i
}

// prefetchFollowing prefetches the records of the entries in the chunk of b after c, if there is
// one, and the caller's arrays.
func (q *Queue) prefetchFollowing(b bucket, c uint32) {
	if q.ids < q.cold || c == b.last() {
		return
	}
	following := q.pool.next(c)
	q.gather(&q.pool.chunk(following)[0].ID, len(q.pool.entries(b, following)), q.skipsRecords(b))
}

// prefetchRecords prefetches the records of some entries, and nothing else: to find which of them
// are live the caller's arrays are not needed.
func (q *Queue) prefetchRecords(es []entry) {
	if q.ids >= q.cold && len(es) > 0 {
		cpu.PrefetchGatherPaged(q.pages, pageBits, unsafe.Sizeof(record{}), unsafe.Pointer(&es[0].ID), unsafe.Sizeof(entry{}),
			len(es))
	}
}

// skipsRecords reports whether the records of b's entries will not be read when these are loaded,
// dispatched and scheduled anew.
func (q *Queue) skipsRecords(b bucket) bool { return q.buffersWrites() && q.allLive(b) }

// gather prefetches the records of n entries, the first of which has this id, unless they are not
// needed, and the caller's arrays.
func (q *Queue) gather(id *ID, n int, skipRecords bool) {
	ids := unsafe.Pointer(id)
	if !skipRecords {
		cpu.PrefetchGatherPaged(q.pages, pageBits, unsafe.Sizeof(record{}), ids, unsafe.Sizeof(entry{}), n)
	}
	for _, o := range q.arrays {
		cpu.PrefetchGather(o.base, o.size, ids, unsafe.Sizeof(entry{}), n)
	}
}

// An Array is one of the caller's with something for each id, which the caller needs when the id's
// event is dispatched.
type Array struct {
	base unsafe.Pointer
	size uintptr
}

// ArrayOf describes an array that has so many elements for each id: those of id are array[id*per :
// (id+1)*per].
func ArrayOf[T any](array []T, per int) Array {
	if per < 1 {
		panic("calendar: ArrayOf needs at least one element for each id")
	}
	var t T
	return Array{unsafe.Pointer(unsafe.SliceData(array)), uintptr(per) * unsafe.Sizeof(t)}
}

// Prefetch makes the queue prefetch the memory that events will need, shortly before they are
// dispatched, together with its own: the first cache line of what each of the arrays has for the
// id. With many ids, most of the time of a simulation can go into waiting for such memory. The
// arrays are not read, and may be too short. An array that has moved must be given again; each call
// replaces what was given before.
func (q *Queue) Prefetch(arrays ...Array) { q.arrays = arrays }

// PrefetchID prefetches the memory that an event of an id will need when it is scheduled: the
// queue's own, and that of the arrays given to Prefetch. It is for callers that know some events
// ahead which id they will schedule next.
func (q *Queue) PrefetchID(id ID) {
	q.gather(&id, 1, int(id>>pageBits) >= len(q.pages))
}

// Ahead returns the id of the event that comes k events after the next one, for callers that
// prefetch the memory they will need then. It does not search: ok is false if the id is not known
// without, which is so for every k that is negative or large. The event may have been cancelled.
func (q *Queue) Ahead(k int) (id ID, ok bool) {
	if bottom := q.bottom[q.head:]; uint(k) < uint(len(bottom)) {
		return bottom[k].ID, true
	}
	return 0, false
}

// prefetchChunk prefetches the first n entries of a chunk, and its link.
func (q *Queue) prefetchChunk(c uint32, n int) {
	const perLine = 64 / int(unsafe.Sizeof(entry{}))
	cpu.PrefetchLines(unsafe.Pointer(q.pool.link(c)), n/perLine+1)
}

// startPrefetch prefetches the first few chunks of a bucket that is to be read from the start, and
// returns the last of them.
func (q *Queue) startPrefetch(b bucket) uint32 {
	c := b.head
	for range chunksAhead {
		c = q.prefetchNext(c, b.last())
	}
	return c
}

// prefetchNext prefetches the chunk after c, unless that is the last, and returns it.
func (q *Queue) prefetchNext(c, last uint32) uint32 {
	if c == last {
		return c
	}
	c = q.pool.next(c)
	q.prefetchChunk(c, chunkLen)
	return c
}
