package spray

import (
	"cmp"
	"math/bits"
	"reflect"
	"sync/atomic"
	"unsafe"

	"github.com/almanac-sim/almanac/internal/epoch"
	"github.com/almanac-sim/almanac/internal/owner"
	"github.com/almanac-sim/almanac/internal/random"
)

// List is a concurrent skip list that many goroutines fill and empty at once: a priority queue
// whose [List.Spray] takes one of the first elements, chosen at random so that goroutines rarely
// meet, and whose [List.DeleteMin] takes the first.
//
// Elements of equal keys keep the order in which they were inserted, and leave in it by DeleteMin.
//
// Insert, Delete and Search visit O(log n) nodes of n elements, expected; Insert and Delete visit a
// constant number if the keys are spread evenly enough for hints. DeleteMin and Spray visit a
// constant number that depends on how far sprays go: with p processes, one of the first 2p or so.
// No operation allocates once there is room. An element takes 85 to 105 bytes with a key and a
// value of 8 bytes each. The number of nodes is at most about twice the largest number of elements
// that were there at once, and 128 more for each goroutine that works at the same time, and 4,096
// more in all, whichever goroutines insert and remove. The list does not keep what a value points
// to once its element is removed.
//
// It differs from Jerry Li's report, "SprayLists: Provably Correct Approximate Priority Queues in a
// Shared Memory Setting", in that
//   - the default walk makes at most 2 steps at each height, where the report's make up to log p or
//     log³p, and takes the first element every so often, so that none is passed over for ever;
//     [PerfectSpray], [BasicSpray] and [FullSpray] are the report's, for [Spraying];
//   - a spray that ends on a dead element takes one of the next, where the report's is tried again;
//   - dummy elements before the list are not nodes, and only walks see them;
//   - where keys are numbers, insertions begin at hints, a calendar laid over the list, and not at
//     the head;
//   - nodes are used again, by epochs.
//
// All methods may be called from any number of goroutines at once, without registration. There are
// no locks except where memory grows. When too many nodes are in use, because a goroutine was
// suspended in the middle of an operation, Insert waits for it: at most some 250 sleeps of a
// millisecond, which take longer where many goroutines wait for a processor.
//
// The zero value is not ready for use, and its methods panic; call [New]. The order of keys and the walk of sprays are
// fixed when a List is made, and checking for that in every operation would cost more than it is
// worth.
type List[K cmp.Ordered, V any] struct {
	epochs epoch.Domain[local]
	owner  uint32 // in handles
	nodes  epoch.Arena[node[K, V]]
	towers epoch.Arena[tower]
	head   *node[K, V] // before all elements; it has a link at every level

	fresh      atomic.Uint32 // the last node that was ever handed out
	freshTower atomic.Uint32
	spare      epoch.Stack  // of towers that no node has
	height     atomic.Int32 // of the tallest tower there has been

	kind   reflect.Kind // of keys
	real   bool         // keys are floating-point numbers
	clears bool         // values may point to something, and are let go of when they are removed
	// nil if keys are strings: those that share their beginning would all be in one bucket
	hints atomic.Pointer[hintTable]

	walk    Walk
	padding [][]uint32 // by level, where the padding has nodes of that height

	sweeper sweeper
}

// headNode is the number of the head.
const headNode = 1

// New returns an empty list. It needs no tuning; the options only help.
func New[K cmp.Ordered, V any](opts ...Option) *List[K, V] {
	o := apply(opts)
	l := &List[K, V]{owner: owner.New(), walk: *o.walk}
	l.nodes.Ensure(none)
	l.nodes.Ensure(headNode)
	l.fresh.Store(headNode)
	l.head = l.nodes.At(headNode)
	l.head.hold = l.newTower() << 8
	l.head.state.Store(stateOf(0, maxHeight) | alive)
	l.height.Store(1)
	l.kind = reflect.TypeFor[K]().Kind()
	l.real = l.kind == reflect.Float64 || l.kind == reflect.Float32
	var reclaimed func(*[epoch.Batch]uint32)
	if l.kind == reflect.String {
		reclaimed = l.forget
	}
	l.epochs.Init(func(n int) local { return local{random: random.New(o.seed, uint64(n))} }, reclaimed)
	l.clears = points(reflect.TypeFor[V]())
	if l.kind != reflect.String {
		l.hints.Store(newHintTable(firstHints, l.real, 0))
	}
	l.padding = pad(l.walk.Padding, o.seed)
	l.sweeper.init(&l.walk)
	l.reserve(o.capacity)
	return l
}

// reserve makes room for so many elements, or for as many as maxReserved has room for: nodes, the
// towers of as many as will have one, and hints. The number of nodes is rounded up to a power of
// two.
func (l *List[K, V]) reserve(elements int) {
	elements = min(elements, maxReserved/2/int(unsafe.Sizeof(node[K, V]{})))
	if elements == 0 {
		return
	}
	for i := uint32(1); int(i) <= elements+headNode+epoch.Batch; i *= 2 {
		l.nodes.Ensure(i)
	}
	for i := uint32(1); int(i) <= elements>>inline+1; i *= 2 {
		l.towers.Ensure(i)
	}
	if l.hints.Load() == nil {
		return
	}
	hints := newHintTable(uint32(max(firstHints, bits.Len(uint(elements-1))-2)), l.real, 0)
	hints.shape.Store(shapeOf(firstHints, l.real, 0)) // adaptHints uses more of them as elements come
	l.hints.Store(hints)
}

// Len is the number of elements. While others insert and remove it is approximate.
func (l *List[K, V]) Len() int {
	l.demandMade()
	return l.epochs.Total()
}

// demandMade panics if New did not make the list.
func (l *List[K, V]) demandMade() {
	if l == nil || l.head == nil {
		panic("spray: the zero List or Blocking is not ready for use; call New or NewBlocking")
	}
}
