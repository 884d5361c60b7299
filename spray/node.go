package spray

import (
	"sync/atomic"

	"github.com/almanac-sim/almanac/internal/epoch"
)

// Nodes lie in an arena and are named by numbers of 31 bits, so that a link and the mark that freezes it fit into one word, nodes
// are no work for the garbage collector, and a node that is done with can be used again.

const (
	none   = epoch.None // no node: the end of a list
	frozen = 1 << 31    // a mark on a link: the node that it leaves from is dead at this level, and the link never changes again

	inline    = 8  // links that a node has in itself: 1 node in 256 has more
	maxHeight = 32 // of a tower
)

// A node is an element of a list. With keys and values of 8 bytes it is a cache line.
//
// What others can see is read and written atomically. Before a node is linked, and once it is reclaimed, it belongs to one seat, which
// uses plain memory: an atomic store takes as long as a compare-and-swap.
type node[K, V any] struct {
	key   K
	value V
	// state is readers<<40 | stamp<<8 | linked<<7 | height<<1 | alive. The stamp tells the elements apart that use the node one after the other. Readers
	// are those who are copying the value: see read.
	state atomic.Uint64
	// hold is tower<<8 | refs. The tower is the number of the links above the inline ones, if it has any. The refs are the number of levels
	// at which the node is linked or going to be, and 1 more while a node with several levels is being inserted. At 0 nobody can
	// find it any more.
	hold uint32
	// turn orders elements of equal keys: along the list it becomes greater from one to the next. It is that of the element before, if that has the
	// same key, plus 1. It may wrap around, as long as no two elements of equal keys are 2³¹ turns apart.
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

func stateOf(stamp uint32, height int) uint64 { return uint64(stamp)<<8 | uint64(height)<<1 }

func heightOf(state uint64) int { return int(state >> 1 & 0x3f) }

func stampOf(state uint64) uint32 { return uint32(state >> 8) }
