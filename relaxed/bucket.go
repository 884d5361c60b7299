package relaxed

import (
	"unsafe"

	"github.com/almanac-sim/almanac/internal/cpu"
	"github.com/almanac-sim/almanac/internal/ladder"
)

// An entry is an event as it lies in a bucket. It is valid while the slot with its id has its
// version.
type entry = ladder.Entry

// A bucket is entries in the order in which they came. Its zero value is empty.
//
// They lie in chunks of consecutive places, of which the first has the number of the chunk that
// follows. The place that the next entry would take is tail; where that is the first of a chunk,
// the last chunk is full, or, at 0, there is none.
type bucket struct {
	head uint32 // first chunk
	tail uint32 // place after the last entry, 0 when empty
	n    uint32 // entries
}

// last is the last chunk of a bucket that is not empty.
func (b bucket) last() uint32 { return (b.tail - 1) / chunkSlots }

// push appends an entry to a bucket.
func (q *subqueue[V]) push(b *bucket, e entry) {
	w := b.tail
	if w%chunkSlots == 0 {
		w = q.extend(b)
	}
	q.chunks[w] = e
	b.tail = w + 1
	b.n++
}

// extend gives b one more chunk and returns its first place.
//
//go:noinline
func (q *subqueue[V]) extend(b *bucket) uint32 {
	c := q.spare
	if c != 0 {
		q.spare = q.next(c)
	} else {
		c = q.fresh
		if int(c)*chunkSlots >= len(q.chunks) {
			if uint64(len(q.chunks)) >= 1<<32 {
				panic("relaxed: more than four billion events in one of the queues")
			}
			q.chunks = double(q.chunks)
		}
		q.fresh++
	}
	if b.tail == 0 {
		b.head = c
	} else {
		q.chunks[b.last()*chunkSlots].Key = uint64(c)
	}
	return c*chunkSlots + 1
}

// next is the chunk after c, in its bucket or among the spare ones.
func (q *subqueue[V]) next(c uint32) uint32 { return uint32(q.chunks[c*chunkSlots].Key) }

// release makes chunk c a spare one and returns the one that followed it.
func (q *subqueue[V]) release(c uint32) uint32 {
	link := &q.chunks[c*chunkSlots].Key
	next := uint32(*link)
	*link = uint64(q.spare)
	q.spare = c
	return next
}

// entries returns the entries in chunk c of bucket b.
func (q *subqueue[V]) entries(b bucket, c uint32) []entry {
	es := q.chunks[c*chunkSlots+1 : (c+1)*chunkSlots]
	if c == b.last() {
		es = es[:(b.tail-1)%chunkSlots]
	}
	return es
}

// drain calls do with the entries of each chunk of a bucket, and makes the chunks spare ones. The
// next ones are prefetched meanwhile.
func (q *subqueue[V]) drain(b bucket, do func([]entry)) {
	q.moved += uint64(b.n)
	last := b.last()
	ahead := q.prefetchNext(b.head, last)
	for c := b.head; ; {
		ahead = q.prefetchNext(ahead, last)
		do(q.entries(b, c))
		next := q.release(c)
		if c == last {
			return
		}
		c = next
	}
}

// prefetchChunk prefetches a chunk.
func (q *subqueue[V]) prefetchChunk(c uint32) {
	cpu.PrefetchLines(unsafe.Pointer(&q.chunks[c*chunkSlots]), chunkSlots*int(unsafe.Sizeof(entry{}))/64)
}

// prefetchNext prefetches the chunk after c and returns it, unless c is the last.
func (q *subqueue[V]) prefetchNext(c, last uint32) uint32 {
	if c == last {
		return c
	}
	c = q.next(c)
	q.prefetchChunk(c)
	return c
}
