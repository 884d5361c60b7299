package store

import "math/bits"

// A FreeList is a queue of ids, first in, first out: a ring that doubles when it is full and never
// shrinks. The zero value is empty.
//
// Put takes amortised constant time, At and Take constant time. An id takes 4 bytes; the ring has
// room for less than twice as many ids as were ever in it at once (and for 8 at least).
//
// Invariants: len(Ring) is 0 or a power of two; N ≤ len(Ring); the ids are Ring[Head],
// Ring[Head+1], …, N of them, with indices modulo len(Ring).
//
// A FreeList must not be changed from several goroutines. Shards read it with At while a window is
// committed, when nothing changes it.
type FreeList struct {
	Ring []uint32
	Head int
	N    int
}

// Put appends an id.
func (l *FreeList) Put(id uint32) {
	if l.N == len(l.Ring) {
		longer := make([]uint32, 1<<bits.Len(uint(max(l.N, 7))))
		k := copy(longer, l.Ring[l.Head:])
		copy(longer[k:], l.Ring[:l.Head])
		l.Ring, l.Head = longer, 0
	}
	l.Ring[(l.Head+l.N)&(len(l.Ring)-1)] = id
	l.N++
}

// At returns the id at position k, counted from 0 at the front. There must be one.
func (l *FreeList) At(k int) uint32 { return l.Ring[(l.Head+k)&(len(l.Ring)-1)] }

// Take removes and returns the first id. The list must not be empty.
func (l *FreeList) Take() uint32 {
	id := l.Ring[l.Head]
	l.Head = (l.Head + 1) & (len(l.Ring) - 1)
	l.N--
	return id
}

// Clear removes all ids and keeps the memory.
func (l *FreeList) Clear() { l.Head, l.N = 0, 0 }

// All yields the ids from front to back.
func (l *FreeList) All(yield func(uint32) bool) {
	for i := range l.N {
		if !yield(l.At(i)) {
			return
		}
	}
}
