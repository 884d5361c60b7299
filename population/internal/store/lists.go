package store

import "github.com/almanac-sim/almanac/internal/huge"

// BucketLists has, for each window, a list of ids in no order: a calendar with one bucket a window, in which nothing is ever sorted or taken out before
// its time. Whoever is due at another time than it was is put on another list and stays on the first, where it will be found not to be due.
//
// A list is a chain of chunks, and an end: the last ids, up to a cache line of them, lie beside the ends of all other lists, because the next ids go to lists
// anywhere, and each chunk lies in a page of its own. An id takes 4 bytes, and a list half a chunk that is not full.
type BucketLists struct {
	ends   [][lineIDs]uint32 // of each list
	open   []openList
	slabs  [][]uint32 // of 1<<slabBits words each
	after  []uint32   // the chunk that follows on each, in its chain
	Listed int        // ids on all lists
	unused uint32     // the first of a chain of chunks to use again; 0 for none
}

// A openList says where a list goes on. Chunks are numbered, and none has the number 0.
type openList struct {
	first, last uint32
	full        uint16 // how many lines of the last chunk are
	n           uint16 // how many ids there are at the end
	lines       uint32 // how many lines are full, in all chunks
}

const (
	lineIDs    = 16
	chunkLines = 16
	chunkIDs   = lineIDs * chunkLines
	slabBits   = 18
	slabChunks = 1 << slabBits / chunkIDs
)

// NewBucketLists has so many lists.
func NewBucketLists(n int) BucketLists {
	return BucketLists{ends: make([][lineIDs]uint32, n), open: make([]openList, n), after: make([]uint32, 1)}
}

// Bytes is the memory of all lists.
func (l *BucketLists) Bytes() int {
	return len(l.slabs)<<slabBits*4 + len(l.ends)*(4*lineIDs+16) + 4*len(l.after)
}

// Add puts an id on a list.
func (l *BucketLists) Add(k int, id uint32) {
	e := &l.open[k]
	l.Listed++
	l.ends[k][e.n&(lineIDs-1)] = id
	if e.n++; e.n == lineIDs {
		l.flush(k)
	}
}

// flush moves the end of a list, which is a line, to its last chunk.
func (l *BucketLists) flush(k int) {
	e := &l.open[k]
	if e.last == 0 || e.full == chunkLines {
		chunk := l.chunk()
		if e.last == 0 {
			e.first = chunk
		} else {
			l.after[e.last] = chunk
		}
		e.last, e.full = chunk, 0
	}
	copy(l.ids(e.last)[int(e.full)*lineIDs:], l.ends[k][:])
	e.full++
	e.lines++
	e.n = 0
}

// chunk is one that is empty, and the last of its chain.
func (l *BucketLists) chunk() uint32 {
	if chunk := l.unused; chunk != 0 {
		l.unused, l.after[chunk] = l.after[chunk], 0
		return chunk
	}
	chunk := uint32(len(l.after))
	l.after = append(l.after, 0)
	if int(chunk)/slabChunks == len(l.slabs) {
		slab := make([]uint32, 1<<slabBits)
		huge.Around(slab)
		l.slabs = append(l.slabs, slab)
	}
	return chunk
}

// ids are those of a chunk.
func (l *BucketLists) ids(chunk uint32) []uint32 {
	at := int(chunk) % slabChunks * chunkIDs
	return l.slabs[int(chunk)/slabChunks][at : at+chunkIDs]
}

// Each calls back with the ids of a list, some at a time.
func (l *BucketLists) Each(k int, each func(ids []uint32)) {
	e := l.open[k]
	for chunk := e.first; chunk != 0; chunk = l.after[chunk] {
		ids := l.ids(chunk)
		if chunk == e.last {
			ids = ids[:int(e.full)*lineIDs]
		}
		each(ids)
	}
	end := l.ends[k]
	each(end[:e.n])
}

// Take empties a list and calls back with its ids, some at a time, which nobody may keep. Other lists may get ids meanwhile.
func (l *BucketLists) Take(k int, each func(ids []uint32)) {
	l.Each(k, each)
	l.Listed -= l.Count(k)
	e := &l.open[k]
	if e.last != 0 {
		l.after[e.last], l.unused = l.unused, e.first
	}
	*e = openList{}
}

// Count is how many are on a list.
func (l *BucketLists) Count(k int) int { return int(l.open[k].lines)*lineIDs + int(l.open[k].n) }
