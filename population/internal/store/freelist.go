package store

import "math/bits"

// A FreeList is a queue of ids, first in, first out: a ring that doubles when it is full and never
// shrinks. The zero value is empty.
//
// Put takes amortised constant time, At and Take constant time. An id takes 4 bytes; the ring has
// room for less than twice as many ids as were ever in it at once (and for 8 at least).
//
// Invariants: len(ring) is 0 or a power of two; n ≤ len(ring); the ids are ring[head],
// ring[head+1], …, n of them, with indices modulo len(ring).
//
// A FreeList must not be changed from several goroutines. Shards read it with At while a window is
// committed, when nothing changes it.
type FreeList struct {
	ring []uint32
	head int
	n    int
}

// Len returns the number of ids.
func (l *FreeList) Len() int { return l.n }

// Bytes returns the memory of the ring.
func (l *FreeList) Bytes() int { return 4 * len(l.ring) }

// CopyFrom makes l a copy of from, in the memory of l where that is enough.
func (l *FreeList) CopyFrom(from *FreeList) {
	l.ring = append(l.ring[:0], from.ring...)
	l.head, l.n = from.head, from.n
}

// Put appends an id.
func (l *FreeList) Put(id uint32) {
	if l.n == len(l.ring) {
		longer := make([]uint32, 1<<bits.Len(uint(max(l.n, 7))))
		k := copy(longer, l.ring[l.head:])
		copy(longer[k:], l.ring[:l.head])
		l.ring, l.head = longer, 0
	}
	l.ring[(l.head+l.n)&(len(l.ring)-1)] = id
	l.n++
}

// At returns the id at position k, counted from 0 at the front. There must be one.
func (l *FreeList) At(k int) uint32 { return l.ring[(l.head+k)&(len(l.ring)-1)] }

// Take removes and returns the first id. The list must not be empty.
func (l *FreeList) Take() uint32 {
	id := l.ring[l.head]
	l.head = (l.head + 1) & (len(l.ring) - 1)
	l.n--
	return id
}

// Clear removes all ids and keeps the memory.
func (l *FreeList) Clear() { l.head, l.n = 0, 0 }

// All yields the ids from front to back.
func (l *FreeList) All(yield func(uint32) bool) {
	for i := range l.n {
		if !yield(l.At(i)) {
			return
		}
	}
}
