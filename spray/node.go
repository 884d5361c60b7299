package spray

import (
	"reflect"
	"sync/atomic"
	"unsafe"

	"github.com/almanac-sim/almanac/internal/epoch"
	"github.com/almanac-sim/almanac/internal/interleave"
)

// Nodes lie in an arena and are named by numbers of 31 bits, so that a link and the mark that
// freezes it fit into one word, nodes are no work for the garbage collector, and a node that is
// done with can be used again.

const (
	none = epoch.None // no node: the end of a list
	// a mark on a link: the node that it leaves from is dead at this level, and the link never
	// changes again
	frozen = 1 << 31

	inline    = 8  // links that a node has in itself: 1 node in 256 has more
	maxHeight = 32 // of a tower
)

// A node is an element of a list. With keys and values of 8 bytes it is a cache line.
//
// What others can see is read and written atomically. Before a node is linked, and once it is
// reclaimed, it belongs to one participant, which uses plain memory: an atomic store takes as long
// as a compare-and-swap.
type node[K, V any] struct {
	key   K
	value V
	// state is readers<<40 | version<<8 | linked<<7 | height<<1 | alive. The version tells apart
	// the elements that use the node one after the other. Readers are operations that are copying
	// the value: see read.
	state atomic.Uint64
	// hold is tower<<8 | refs. The tower is the number of the links above the inline ones, if it
	// has any. The refs are the number of levels at which the node is linked or going to be, and 1
	// more while a node with several levels is being inserted. At 0 no operation can find it any
	// more.
	hold uint32
	// turn orders elements of equal keys: along the list it becomes greater from one to the next.
	// It is that of the element before, if that has the same key, plus 1. It may wrap around, as
	// long as no two elements of equal keys are 2³¹ turns apart.
	turn uint32
	next [inline]uint32
}

// A tower holds the links of a tall node above the inline ones.
type tower [maxHeight - inline]uint32

const (
	alive  = 1
	linked = 1 << 7  // at all its levels
	reader = 1 << 40 // one reader, in a state
	refs   = 1<<8 - 1
	towers = 1 << 24 // numbers of towers
)

func stateOf(version uint32, height int) uint64 { return uint64(version)<<8 | uint64(height)<<1 }

func heightOf(state uint64) int { return int(state >> 1 & 0x3f) }

func versionOf(state uint64) uint32 { return uint32(state >> 8) }

// link is the link of a node at a level.
func (l *List[K, V]) link(n *node[K, V], level int) *uint32 {
	if level < inline {
		return &n.next[level]
	}
	return &l.towers.At(atomic.LoadUint32(&n.hold) >> 8)[level-inline]
}

// newTower hands out a tower, or none if there are too many.
func (l *List[K, V]) newTower() uint32 {
	if i := l.spare.Pop(l.below); i != none {
		return i
	}
	if l.freshTower.Load() >= towers-1<<10 {
		return none
	}
	i := l.freshTower.Add(1)
	l.towers.Ensure(i)
	return i
}

// below is where a spare tower has the one below it in the stack: in its first link.
func (l *List[K, V]) below(tower uint32) *atomic.Uint32 {
	return (*atomic.Uint32)(unsafe.Pointer(&l.towers.At(tower)[0]))
}

// build gives a node, which is not linked, a number of levels, or fewer if there are no more
// towers. It returns how many.
func (l *List[K, V]) build(n *node[K, V], height int) int {
	tower := n.hold >> 8
	switch {
	case height > inline && tower == none:
		if tower = l.newTower(); tower == none {
			height = inline
		}
	case height <= inline && tower != none:
		l.spare.Push(tower, l.below(tower))
		tower = none
	}
	refs := uint32(1)
	if height > 1 {
		refs = uint32(height) + 1
	}
	n.hold = tower<<8 | refs
	for level := range min(height, inline) {
		n.next[level] = none
	}
	for level := inline; level < height; level++ {
		atomic.StoreUint32(l.link(n, level), none) // an operation that had the tower before may still read it
	}
	return height
}

// The goroutine that removes an element takes its value and clears it in the node at once, so that
// the list keeps nothing alive that has left it. Only Search reads values of elements that others
// may remove at the same time. It counts itself as a reader in the node's state; then the last of
// the readers and the remover clears the value. Where values do not point to anything there is
// nothing to clear, and no reader is counted.

// read is the value of a node, if it is alive.
func (l *List[K, V]) read(n *node[K, V]) (value V, ok bool) {
	if !l.clears {
		return n.value, n.state.Load()&alive != 0
	}
	for {
		state := n.state.Load()
		if state&alive == 0 {
			return value, false
		}
		if n.state.CompareAndSwap(state, state+reader) {
			break
		}
	}
	interleave.Point()
	value = n.value
	l.unread(n)
	return value, true
}

// unread is called when a value has been read.
func (l *List[K, V]) unread(n *node[K, V]) {
	if state := n.state.Add(^uint64(reader - 1)); state&alive == 0 && state < reader {
		var value V
		n.value = value
	}
}

// release is the value of a node that the caller has claimed when it was in a state.
func (l *List[K, V]) release(n *node[K, V], state uint64) V {
	v := n.value
	if l.clears {
		if state < reader {
			var value V
			n.value = value
		} else {
			interleave.Point()
			l.unread(n)
		}
	}
	return v
}

// points says whether values of a type may point to something.
func points(t reflect.Type) bool {
	switch k := t.Kind(); {
	case k <= reflect.Complex128:
		return false
	case k == reflect.Array:
		return t.Len() > 0 && points(t.Elem())
	case k == reflect.Struct:
		for i := range t.NumField() {
			if points(t.Field(i).Type) {
				return true
			}
		}
		return false
	}
	return true
}
