package store

import "github.com/almanac-sim/almanac/internal/cpu"

// BucketLists holds a list of ids for each window, not ordered by time: a calendar with one bucket
// for each window, in which nothing is ever sorted, or removed before its time. An individual that
// is rescheduled is added to another list and stays on the old one. The reader of a list must check
// of each id whether it is due.
//
// A list is a chain of chunks and a tail. The tail has the last ids, up to a cache line of them,
// and lies beside the tails of all other lists, because consecutive ids go to lists anywhere and
// each chunk lies in a page of its own:
//
//	tails   [ 16 ids ][ 16 ids ][ 16 ids ] …            one cache line a list
//	                      │ flush when full
//	chunks  first ─▶ [ 256 ids ] ─▶ [ 256 ids ] ─▶ last [ full·16 ids │ unused ]
//
// Add takes amortised constant time; Each and Take take time proportional to the length of the
// list. An id takes 4 bytes; a list takes 80 bytes and, on average, half a chunk that is not full
// (512 bytes). Chunks of a list that was taken are used again.
//
// Invariants: each chunk below len(after), except 0, is in exactly one chain, that of a list or
// that of the unused ones; all chunks of a list but the last are full; n < lineIDs between calls.
//
// BucketLists must not be used from several goroutines at once; each shard has its own.
type BucketLists struct {
	tails  [][lineIDs]uint32 // of each list
	open   []openList
	slabs  [][]uint32 // of 1<<slabBits words each
	after  []uint32   // by chunk: the next one in its chain, or 0
	total  int        // ids on all lists
	unused uint32     // the first of the chain of unused chunks, or 0
}

// An openList is where a list goes on. Chunks are numbered from 1; 0 is no chunk.
type openList struct {
	first, last uint32 // chunks
	full        uint16 // lines of the last chunk that are full
	n           uint16 // ids in the tail
	lines       uint32 // full lines in all chunks
}

const (
	lineIDs    = 16 // ids in a cache line
	chunkLines = 16
	chunkIDs   = lineIDs * chunkLines
	slabBits   = 18
	slabChunks = 1 << slabBits / chunkIDs
)

// NewBucketLists returns n empty lists.
func NewBucketLists(n int) BucketLists {
	return BucketLists{tails: make([][lineIDs]uint32, n), open: make([]openList, n), after: make([]uint32, 1)}
}

// Bytes returns the memory of all lists.
func (l *BucketLists) Bytes() int {
	return len(l.slabs)<<slabBits*4 + len(l.tails)*(4*lineIDs+16) + 4*len(l.after)
}

// Add appends an id to list k.
func (l *BucketLists) Add(k int, id uint32) {
	e := &l.open[k]
	l.total++
	l.tails[k][e.n&(lineIDs-1)] = id
	if e.n++; e.n == lineIDs {
		l.flush(k)
	}
}

// flush moves the tail of a list, which is full, to its last chunk.
func (l *BucketLists) flush(k int) {
	e := &l.open[k]
	if e.last == 0 || e.full == chunkLines {
		chunk := l.newChunk()
		if e.last == 0 {
			e.first = chunk
		} else {
			l.after[e.last] = chunk
		}
		e.last, e.full = chunk, 0
	}
	copy(l.ids(e.last)[int(e.full)*lineIDs:], l.tails[k][:])
	e.full++
	e.lines++
	e.n = 0
}

// newChunk returns an unused chunk, with no chunk after it.
func (l *BucketLists) newChunk() uint32 {
	if chunk := l.unused; chunk != 0 {
		l.unused, l.after[chunk] = l.after[chunk], 0
		return chunk
	}
	chunk := uint32(len(l.after))
	l.after = append(l.after, 0)
	if int(chunk)/slabChunks == len(l.slabs) {
		slab := make([]uint32, 1<<slabBits)
		cpu.AdviseHugeAround(slab)
		l.slabs = append(l.slabs, slab)
	}
	return chunk
}

// ids returns the memory of a chunk.
func (l *BucketLists) ids(chunk uint32) []uint32 {
	at := int(chunk) % slabChunks * chunkIDs
	return l.slabs[int(chunk)/slabChunks][at : at+chunkIDs]
}

// Each calls each with the ids of list k, some at a time, in the order in which they were added.
func (l *BucketLists) Each(k int, each func(ids []uint32)) {
	e := l.open[k]
	for chunk := e.first; chunk != 0; chunk = l.after[chunk] {
		ids := l.ids(chunk)
		if chunk == e.last {
			ids = ids[:int(e.full)*lineIDs]
		}
		each(ids)
	}
	tail := l.tails[k]
	each(tail[:e.n])
}

// Take calls each with the ids of list k, as Each does, and empties the list. The callback must not
// keep the slice. It may add to other lists.
func (l *BucketLists) Take(k int, each func(ids []uint32)) {
	l.Each(k, each)
	l.total -= l.Count(k)
	e := &l.open[k]
	if e.last != 0 {
		l.after[e.last], l.unused = l.unused, e.first
	}
	*e = openList{}
}

// Len returns how many ids are on all lists together.
func (l *BucketLists) Len() int { return l.total }

// Count returns how many ids are on list k.
func (l *BucketLists) Count(k int) int { return int(l.open[k].lines)*lineIDs + int(l.open[k].n) }
