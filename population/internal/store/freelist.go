package store

import "math/bits"

// A FreeList is a queue of ids: first in, first out. It keeps the room that it once had.
type FreeList struct {
	Ring []uint32 // a power of two
	Head int
	N    int
}

// Put adds an id at the end.
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

// At is the one behind so many others, which must be there.
func (l *FreeList) At(k int) uint32 { return l.Ring[(l.Head+k)&(len(l.Ring)-1)] }

// Take removes the first, which must be there.
func (l *FreeList) Take() uint32 {
	id := l.Ring[l.Head]
	l.Head = (l.Head + 1) & (len(l.Ring) - 1)
	l.N--
	return id
}

// Clear takes all out.
func (l *FreeList) Clear() { l.Head, l.N = 0, 0 }

// All are the ids in the line, in order.
func (l *FreeList) All(yield func(uint32) bool) {
	for i := range l.N {
		if !yield(l.At(i)) {
			return
		}
	}
}
