package spray

import (
	"cmp"
	"math/bits"
	"reflect"
	"sync/atomic"
	"unsafe"
)

// List is a concurrent skip list that many goroutines fill and empty at once: a priority queue whose [List.Spray] takes one of
// the first elements, chosen at random so that goroutines rarely meet, and whose [List.DeleteMin] takes the first.
// Elements of equal keys keep the order in which they were inserted. Use [New].
//
// Insert, Delete and Search visit a logarithm of nodes at most, and Insert and Delete a constant number where keys are spread as calendars like
// them; DeleteMin and Spray a constant number that depends on how far sprays go. No operation allocates once there is room.
//
// An element takes 80 bytes with a key and a value of 8 bytes each. There are at most about twice as many nodes as the most elements
// that were there at once, 128 more for each goroutine that works at the same time, and 4,096 for all, whoever inserts and whoever
// removes. When so many are in use, because a goroutine has been halted in the middle of an operation, Insert waits for it: for some 250 naps of a
// millisecond at most, which take longer where many wait for a processor. The list does not keep what a value points to once its
// element is removed.
type List[K cmp.Ordered, V any] struct {
	seats
	owner  uint32 // in handles
	pool   pool
	nodes  store[node[K, V]]
	towers store[tower]
	head   *node[K, V] // before all elements; it has a link at every level

	fresh      atomic.Uint32 // the last node that was ever handed out
	freshTower atomic.Uint32
	spare      stack        // of towers that no node has
	height     atomic.Int32 // of the tallest tower there has been

	kind   reflect.Kind // of keys
	clears bool         // values may point to something, and are let go of when they are removed
	posts  atomic.Pointer[posts]

	walk    Walk
	padding [][]uint32 // by level, where the padding has nodes of that height

	dirt sweeper
}

// headNode is the number of the head.
const headNode = 1

// New returns an empty list.
func New[K cmp.Ordered, V any](opts ...Option) *List[K, V] {
	o := forList(opts)
	l := &List[K, V]{owner: newOwner(), walk: *o.walk}
	l.seats.init(o.seed)
	l.nodes.ensure(none)
	l.nodes.ensure(headNode)
	l.fresh.Store(headNode)
	l.head = l.nodes.at(headNode)
	l.head.hold = l.newTower() << 8
	l.head.state.Store(stateOf(0, maxHeight) | alive)
	l.height.Store(1)
	l.kind = reflect.TypeFor[K]().Kind()
	l.clears = points(reflect.TypeFor[V]())
	l.posts.Store(newPosts(firstPosts, 0))
	l.padding = pad(l.walk.Padding, o.seed)
	l.dirt.init(&l.walk)
	l.reserve(o.capacity)
	return l
}

// reserve makes room for so many elements: nodes, the towers of as many as will have one, and signposts.
func (l *List[K, V]) reserve(elements int) {
	if elements == 0 {
		return
	}
	for i := uint32(1); int(i) <= elements+headNode+batch; i *= 2 {
		l.nodes.ensure(i)
	}
	for i := uint32(1); int(i) <= elements>>inline+1; i *= 2 {
		l.towers.ensure(i)
	}
	posts := newPosts(uint32(max(firstPosts, bits.Len(uint(elements/2)))), 0)
	posts.shape.Store(firstPosts << 8) // survey uses more of them as elements come
	l.posts.Store(posts)
}

// link is the link of a node at a level.
func (l *List[K, V]) link(n *node[K, V], level int) *uint32 {
	if level < inline {
		return &n.next[level]
	}
	return &l.towers.at(atomic.LoadUint32(&n.hold) >> 8)[level-inline]
}

// newTower hands out a tower, or none if there are too many.
func (l *List[K, V]) newTower() uint32 {
	if i := l.spare.pop(l.below); i != none {
		return i
	}
	if l.freshTower.Load() >= towers-1<<10 {
		return none
	}
	i := l.freshTower.Add(1)
	l.towers.ensure(i)
	return i
}

// below is where a spare tower has the one below it in the stack: in its first link.
func (l *List[K, V]) below(tower uint32) *atomic.Uint32 {
	return (*atomic.Uint32)(unsafe.Pointer(&l.towers.at(tower)[0]))
}

// build gives a node, which nobody else knows, a number of levels, or fewer if there are no more towers. It returns how many.
func (l *List[K, V]) build(n *node[K, V], height int) int {
	tower := n.hold >> 8
	switch {
	case height > inline && tower == none:
		if tower = l.newTower(); tower == none {
			height = inline
		}
	case height <= inline && tower != none:
		l.spare.push(tower, l.below(tower))
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
		atomic.StoreUint32(l.link(n, level), none) // one who wanted the tower may still look at it
	}
	return height
}

// Insert adds an element and returns its handle. A key that is not a number, which has no place in an order, is a bug of the caller, and panics.
func (l *List[K, V]) Insert(key K, value V) Handle {
	if key != key {
		panic("spray: a key must not be NaN")
	}
	s, i := l.obtain()
	n := l.nodes.at(i)
	height := l.build(n, bits.TrailingZeros64(s.random.Uint64()|1<<(maxHeight-1))+1)
	n.key, n.value = key, value
	stamp := stampOf(n.state.Load()) + 1
	n.state.Store(stateOf(stamp, height) | alive) // Delete may look at it with an old handle
	for old := l.height.Load(); int(old) < height && !l.height.CompareAndSwap(old, int32(height)); {
		old = l.height.Load()
	}

	place := axis(l.kind, key)
	for start := l.guide(key, place, height); ; start = none {
		if start == none || !l.findFrom(s, key, 0, false, start) {
			l.find(s, key, 0, false, 0)
		}
		pred := l.nodes.at(s.preds[0])
		n.turn = 0
		if s.preds[0] != headNode && !(pred.key < key) {
			n.turn = pred.turn + 1
		}
		n.next[0] = s.succs[0]
		interleave()
		if atomic.CompareAndSwapUint32(&pred.next[0], s.succs[0], i) {
			break
		}
	}
	interleave()
	s.count++
	l.survey(s)
	if height > 1 {
		l.raise(s, n, i, key, height)
	}
	l.signpost(i, stamp, place, height) // now that a search can begin there at any of its levels
	s.leave()
	return Handle{owner: l.owner, place: i, stamp: stamp}
}

// raise links a node, which is linked at the lowest level, at the others, unless it dies meanwhile.
func (l *List[K, V]) raise(s *seat, n *node[K, V], i uint32, key K, height int) {
	level := 1
	for level < height {
		own := l.link(n, level)
		old := atomic.LoadUint32(own)
		succ := s.succs[level]
		if old&frozen != 0 || old != succ && !atomic.CompareAndSwapUint32(own, old, succ) {
			break // it is dead: nobody else changes the link of a level at which it is not linked
		}
		interleave()
		if atomic.CompareAndSwapUint32(l.link(l.nodes.at(s.preds[level]), level), succ, i) {
			level++
			continue
		}
		// Elements of equal keys that came later may be linked at this level already: it goes before them.
		l.find(s, key, n.turn, true, level)
	}
	if n.state.Load()&alive == 0 {
		// It died, and may have been linked at a level after it was frozen there; a search unlinks what is frozen.
		l.find(s, key, n.turn, true, 0)
	}
	l.drop(s, n, i, uint32(height+1-level))
}

// drop takes back refs of a node, and puts it aside if they were the last.
func (l *List[K, V]) drop(s *seat, n *node[K, V], i, count uint32) {
	if atomic.AddUint32(&n.hold, -count)&refs == 0 {
		l.retire(s, i)
	}
}

// claim makes the caller the one who removes an element, if nobody has been. It then freezes the node's links, from the top.
func (l *List[K, V]) claim(s *seat, n *node[K, V], state uint64) bool {
	claimed := state &^ alive
	if state >= reader {
		claimed += reader // so that the others leave the value alone until it is released
	}
	if state&alive == 0 || !n.state.CompareAndSwap(state, claimed) {
		return false
	}
	interleave()
	l.freeze(n, heightOf(state))
	s.count--
	return true
}

// freeze marks the links of a dead node, so that nothing is inserted behind it. Several may do it.
func (l *List[K, V]) freeze(n *node[K, V], height int) {
	for level := height - 1; level >= 0; level-- {
		interleave()
		atomic.OrUint32(l.link(n, level), frozen)
	}
}

// Delete removes the element of a handle. It reports whether it did: for each element exactly one of all that try to remove it
// does. It costs as much as an insertion.
func (l *List[K, V]) Delete(h Handle) bool {
	if h.owner != l.owner { // a handle of this list has a node that there is
		return false
	}
	s := l.take()
	defer s.leave()
	n := l.nodes.at(h.place)
	for {
		state := n.state.Load()
		if stampOf(state) != h.stamp || state&alive == 0 {
			return false
		}
		if l.claim(s, n, state) { // or somebody begins to read it, or is done
			l.release(n, state)
			l.erase(s, n, heightOf(state))
			return true
		}
	}
}

// erase unlinks a dead node at all its levels, wherever it is. The search that does it is that of an insertion, and begins at a signpost if there is one.
func (l *List[K, V]) erase(s *seat, n *node[K, V], height int) {
	start := l.guide(n.key, axis(l.kind, n.key), height)
	if start != none {
		if m := l.nodes.at(start); !(m.key < n.key) && int32(m.turn-n.turn) >= 0 {
			start = none // one of equal key that comes after it
		}
	}
	if start == none || !l.findFrom(s, n.key, n.turn, true, start) {
		l.find(s, n.key, n.turn, true, 0)
	}
}

// Search returns the value of an element with a key, if there is one: of several the one inserted first among those that
// were there all the time.
func (l *List[K, V]) Search(key K) (value V, ok bool) {
	s := l.take()
	defer s.leave()
	// A dead node may stay linked at a level when it has long been unlinked at those below, where its links, which are frozen, lead past all
	// that was inserted since. So the search goes down only from nodes that were not frozen when it came by. Links are frozen from
	// the top: such a node was in the list at all its levels at that moment, and what its links lead to was at some moment since.
	pred := l.head
	for level := int(l.height.Load()) - 1; level > 0; level-- {
		curr := atomic.LoadUint32(l.link(pred, level)) &^ frozen
		for curr != none {
			c := l.nodes.at(curr)
			next := atomic.LoadUint32(l.link(c, level))
			if !(c.key < key) {
				break
			}
			if next&frozen == 0 {
				pred = c
			}
			curr = next &^ frozen
		}
	}
	for i := atomic.LoadUint32(&pred.next[0]) &^ frozen; i != none; {
		n := l.nodes.at(i)
		if key < n.key {
			break
		}
		if !(n.key < key) {
			if value, ok = l.read(n); ok {
				return value, true
			}
		}
		i = atomic.LoadUint32(&n.next[0]) &^ frozen
	}
	return value, false
}

// DeleteMin removes the first element. It is exact: at some moment during the call there was no element before the one that it
// returns. If ok is false, there was a moment at which the list was empty.
func (l *List[K, V]) DeleteMin() (key K, value V, ok bool) {
	s := l.take()
	key, value, ok = l.deleteMin(s)
	s.leave()
	return key, value, ok
}

func (l *List[K, V]) deleteMin(s *seat) (key K, value V, ok bool) {
	for {
		first := atomic.LoadUint32(&l.head.next[0])
		for i := first; ; {
			if i == none {
				if atomic.LoadUint32(&l.head.next[0]) == first {
					return key, value, false
				}
				break
			}
			interleave()
			n := l.nodes.at(i)
			state := n.state.Load()
			if state&alive != 0 {
				// All that came before this node is dead and frozen: an element that is inserted before it changes the head. If the head is as
				// it was, this is the first element now, and it is ours if it is still there when we claim it.
				interleave()
				if atomic.LoadUint32(&l.head.next[0]) != first {
					break
				}
				interleave()
				if !l.claim(s, n, state) {
					break
				}
				key, value = n.key, l.release(n, state)
				l.unlink(s, &l.head.next[0], first, 0) // all dead from the head to this one, and this one
				l.soiled(s)
				return key, value, true
			}
			next := atomic.LoadUint32(&n.next[0])
			if next&frozen == 0 {
				l.freeze(n, heightOf(state)) // the one who claimed it has not come to it yet
				next = atomic.LoadUint32(&n.next[0])
			}
			i = next &^ frozen
		}
	}
}

// Len is the number of elements. While others insert and remove it is approximate.
func (l *List[K, V]) Len() int { return l.elements() }
