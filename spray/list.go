package spray

import (
	"cmp"
	"math"
	"math/bits"
	"reflect"
	"sync/atomic"
)

// A Handle names an element of a list. The zero Handle names none.
type Handle struct{ node, stamp uint32 }

// List is a concurrent skip list that many goroutines fill and empty at once: a priority queue whose [List.Spray] takes one of
// the first elements, chosen at random so that goroutines rarely meet, and whose [List.DeleteMin] takes the first.
// Elements of equal keys keep the order in which they were inserted. Use [New].
type List[K cmp.Ordered, V any] struct {
	seats
	nodes  store[node[K, V]]
	towers store[tower]
	head   *node[K, V] // before all elements; it has a link at every level

	fresh      atomic.Uint32 // the last node that was ever handed out
	freshTower atomic.Uint32
	height     atomic.Int32 // of the tallest tower there has been

	kind  reflect.Kind // of keys
	posts atomic.Pointer[posts]

	walk    Walk
	padding [][]uint32 // by level, where the padding has nodes of that height

	dirt sweeper
}

// headNode is the number of the head.
const headNode = 1

// New returns an empty list.
func New[K cmp.Ordered, V any](opts ...Option) *List[K, V] {
	o := defaults()
	for _, opt := range opts {
		opt(&o)
	}
	l := &List[K, V]{walk: o.walk()}
	l.seats.init(o.seed)
	l.nodes.ensure(none)
	l.nodes.ensure(headNode)
	l.fresh.Store(headNode)
	l.head = l.nodes.at(headNode)
	l.head.tower = l.newTower()
	l.head.state = stateOf(0, maxHeight) | alive
	l.height.Store(1)
	l.kind = reflect.TypeFor[K]().Kind()
	l.posts.Store(newPosts(firstPosts, 0))
	l.padding = pad(l.walk.Padding, o.seed)
	l.dirt.init(&l.walk)
	return l
}

// link is the link of a node at a level.
func (l *List[K, V]) link(n *node[K, V], level int) *uint32 {
	if level < inline {
		return &n.next[level]
	}
	return &l.towers.at(n.tower)[level-inline]
}

// newTower hands out a tower. Towers stay with their nodes for ever.
func (l *List[K, V]) newTower() uint32 {
	i := l.freshTower.Add(1)
	l.towers.ensure(i)
	return i
}

// batch is how many nodes a seat takes from the arena at a time.
const batch = 32

// node hands out a node that nobody uses.
func (l *List[K, V]) node(s *seat) uint32 {
	if len(s.free) == 0 {
		l.reclaim(s)
	}
	if len(s.free) == 0 {
		last := l.fresh.Add(batch)
		if last >= frozen {
			panic("spray: a list cannot have more than 2³¹ elements")
		}
		for i := last; i > last-batch; i-- {
			l.nodes.ensure(i)
			s.free = append(s.free, i)
		}
	}
	i := s.free[len(s.free)-1]
	s.free = s.free[:len(s.free)-1]
	return i
}

// Insert adds an element and returns its handle. A key that is not a number, which has no place in an order, is a bug of the caller, and panics.
func (l *List[K, V]) Insert(key K, value V) Handle {
	if key != key {
		panic("spray: a key must not be NaN")
	}
	s := l.take()
	i := l.node(s)
	n := l.nodes.at(i)
	height := bits.TrailingZeros64(s.random.Uint64()|1<<(maxHeight-1)) + 1
	if height > inline && n.tower == 0 {
		n.tower = l.newTower()
	}
	for level := range height {
		*l.link(n, level) = none
	}
	n.key, n.value = key, value
	stamp := stampOf(n.state)
	atomic.StoreUint64(&n.state, stateOf(stamp, height)|alive) // Delete may look at it with an old handle
	n.refs = 1
	if height > 1 {
		n.refs = int32(height) + 1
	}
	for old := l.height.Load(); int(old) < height && !l.height.CompareAndSwap(old, int32(height)); {
		old = l.height.Load()
	}

	place := axis(l.kind, key)
	for start := l.guide(key, place, height); ; start = none {
		if start == none || !l.findFrom(s, key, start) {
			l.find(s, key, 0)
		}
		n.next[0] = s.succs[0]
		pause()
		if atomic.CompareAndSwapUint32(&l.nodes.at(s.preds[0]).next[0], s.succs[0], i) {
			break
		}
	}
	pause()
	s.count++
	l.survey(s)
	if height > 1 {
		l.raise(s, n, i, key, height)
	}
	l.signpost(i, stamp, place, height) // now that a search can begin there at any of its levels
	s.leave()
	return Handle{i, stamp}
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
		pause()
		if atomic.CompareAndSwapUint32(l.link(l.nodes.at(s.preds[level]), level), succ, i) {
			level++
			continue
		}
		l.find(s, key, level)
	}
	if atomic.LoadUint64(&n.state)&alive == 0 {
		// It died, and may have been linked at a level after it was frozen there; a search unlinks what is frozen.
		l.find(s, key, 0)
	}
	if atomic.AddInt32(&n.refs, int32(level-height-1)) == 0 {
		l.retire(s, i)
	}
}

// find searches for the place after all elements with keys up to the given one, and leaves in the seat what comes before and
// after it at every level from the given one up. What is dead and in its way is unlinked.
func (l *List[K, V]) find(s *seat, key K, lowest int) {
again:
	at, pred := uint32(headNode), l.head
	bound := uint32(none) // a node that is known to come after the place
	level := int(l.height.Load()) - 1
	for ; level >= max(inline, lowest); level-- {
		from := l.link(pred, level)
		curr := atomic.LoadUint32(from)
		if curr&frozen != 0 {
			goto again // pred has died
		}
		for curr != bound && curr != none {
			c := l.nodes.at(curr)
			next := atomic.LoadUint32(l.link(c, level))
			if next&frozen != 0 {
				var ok bool
				if curr, ok = l.unlink(s, from, curr, level); !ok {
					goto again
				}
				continue
			}
			if key < c.key {
				break
			}
			at, pred, from, curr = curr, c, l.link(c, level), next
		}
		bound = curr
		s.preds[level&(maxHeight-1)], s.succs[level&(maxHeight-1)] = at, curr
	}
	if !l.descend(s, key, at, pred, bound, level, lowest, math.MaxInt) {
		goto again
	}
}

// findFrom searches as find does, but from an element that is known to come before the place, and at its levels. It gives up, and
// reports false, if the element dies or is far from the place.
func (l *List[K, V]) findFrom(s *seat, key K, start uint32) bool {
	const far = 24
	n := l.nodes.at(start)
	return l.descend(s, key, start, n, none, min(heightOf(atomic.LoadUint64(&n.state)), inline)-1, 0, far)
}

// descend searches at the inline levels, from a level down to the lowest wanted, beginning at a node that comes before the place. It reports whether
// it got there in a number of steps, and without coming by a node that died.
func (l *List[K, V]) descend(s *seat, key K, at uint32, pred *node[K, V], bound uint32, level, lowest, steps int) bool {
	for ; level >= lowest; level-- {
		curr := atomic.LoadUint32(&pred.next[level&(inline-1)])
		if curr&frozen != 0 {
			return false
		}
		for curr != bound && curr != none {
			c := l.nodes.at(curr)
			if level > 0 {
				// Where the search goes on if it does not go on to c: both may have to come from memory, and can do so at once.
				atomic.LoadUint64(&l.nodes.at(atomic.LoadUint32(&pred.next[(level-1)&(inline-1)]) &^ frozen).state)
			}
			next := atomic.LoadUint32(&c.next[level&(inline-1)])
			if next&frozen != 0 {
				var ok bool
				if curr, ok = l.unlink(s, &pred.next[level&(inline-1)], curr, level); !ok {
					return false
				}
				continue
			}
			if key < c.key {
				break
			}
			if steps--; steps < 0 {
				return false
			}
			at, pred, curr = curr, c, next
		}
		bound = curr
		s.preds[level&(maxHeight-1)], s.succs[level&(maxHeight-1)] = at, curr
	}
	return true
}

// unlink takes the run of dead nodes that begins with first, to which a link points, out of the list of a level. It returns
// what comes after the run, and whether the link still was as it had been.
func (l *List[K, V]) unlink(s *seat, from *uint32, first uint32, level int) (after uint32, ok bool) {
	after = first
	for after != none {
		next := atomic.LoadUint32(l.link(l.nodes.at(after), level))
		if next&frozen == 0 {
			break
		}
		after = next &^ frozen
	}
	pause()
	if !atomic.CompareAndSwapUint32(from, first, after) {
		return 0, false
	}
	pause()
	for i := first; i != after; {
		n := l.nodes.at(i)
		next := atomic.LoadUint32(l.link(n, level)) &^ frozen
		if atomic.AddInt32(&n.refs, -1) == 0 {
			l.retire(s, i)
		}
		i = next
	}
	return after, true
}

// snip takes a node that has just died out of the lowest level, with those before it that are dead too, if pred comes before them and
// is not dead itself; otherwise somebody else will.
func (l *List[K, V]) snip(s *seat, pred *node[K, V], i uint32, n *node[K, V]) {
	pause()
	first := atomic.LoadUint32(&pred.next[0])
	if first != i {
		if first != none && first&frozen == 0 {
			l.unlink(s, &pred.next[0], first, 0)
		}
		return
	}
	if atomic.CompareAndSwapUint32(&pred.next[0], i, atomic.LoadUint32(&n.next[0])&^frozen) && atomic.AddInt32(&n.refs, -1) == 0 {
		l.retire(s, i)
	}
}

// claim makes the caller the one who removes an element, if nobody has been. It then freezes the node's links, from the top.
func (l *List[K, V]) claim(s *seat, n *node[K, V], state uint64) bool {
	if state&alive == 0 || !atomic.CompareAndSwapUint64(&n.state, state, state&^alive) {
		return false
	}
	pause()
	l.freeze(n, heightOf(state))
	s.count--
	return true
}

// freeze marks the links of a dead node, so that nothing is inserted behind it. Several may do it.
func (l *List[K, V]) freeze(n *node[K, V], height int) {
	for level := height - 1; level >= 0; level-- {
		pause()
		atomic.OrUint32(l.link(n, level), frozen)
	}
}

// retire puts a node aside that is not linked anywhere any more.
func (l *List[K, V]) retire(s *seat, i uint32) {
	s.stats.Unlinked++
	pause()
	epoch := l.epoch.Load()
	k := epoch % 3
	if s.since[k] != epoch {
		// What lies here is from three epochs ago or more, and nobody can know of it.
		l.release(s, int(k))
		s.since[k] = epoch
	}
	s.aside[k] = append(s.aside[k], i)
	if len(s.aside[k])%batch == 0 {
		l.advance()
	}
}

// reclaim looks for nodes put aside by this seat that can be used again.
func (l *List[K, V]) reclaim(s *seat) {
	l.advance()
	epoch := l.epoch.Load()
	for k := range s.aside {
		if s.since[k]+2 <= epoch {
			l.release(s, k)
		}
	}
}

// release makes nodes that were put aside free to use. Their elements are forgotten, so that what values point to can be
// collected.
func (l *List[K, V]) release(s *seat, k int) {
	var key K
	var value V
	for _, i := range s.aside[k] {
		n := l.nodes.at(i)
		n.key, n.value = key, value
		// Delete may be looking at the state, to find that the stamp is not the one it wants.
		stamp := stampOf(atomic.LoadUint64(&n.state)) + 1
		atomic.StoreUint64(&n.state, stateOf(stamp, 0))
		if stamp != 0 { // a node whose stamps are used up rests for ever
			s.free = append(s.free, i)
		}
	}
	s.aside[k] = s.aside[k][:0]
}

// Delete removes the element of a handle. It reports whether it did: for each element exactly one of all that try to remove it
// does.
func (l *List[K, V]) Delete(h Handle) bool {
	if h.node <= headNode || h.node > l.fresh.Load() {
		return false
	}
	s := l.take()
	n := l.nodes.at(h.node)
	state := atomic.LoadUint64(&n.state)
	ok := stampOf(state) == h.stamp && l.claim(s, n, state)
	if ok {
		l.abandoned(s)
	}
	s.leave()
	return ok
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
		if !(n.key < key) && atomic.LoadUint64(&n.state)&alive != 0 {
			return n.value, true
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
			pause()
			n := l.nodes.at(i)
			state := atomic.LoadUint64(&n.state)
			if state&alive != 0 {
				// All that came before this node is dead and frozen: an element that is inserted before it changes the head. If the head is as
				// it was, this is the first element now, and it is ours if it is still there when we claim it.
				pause()
				if atomic.LoadUint32(&l.head.next[0]) != first {
					break
				}
				pause()
				if !l.claim(s, n, state) {
					break
				}
				key, value = n.key, n.value
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
