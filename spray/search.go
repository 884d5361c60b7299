package spray

import (
	"math"
	"sync/atomic"
	"unsafe"

	"github.com/almanac-sim/almanac/internal/cpu"
	"github.com/almanac-sim/almanac/internal/interleave"
)

// find searches for the place after all elements with keys up to the given one, and leaves in p
// what comes before and after it at every level from lowest up. If hinted is set, it goes on at
// each level from what findHints found, where that is nearer. Of equal keys it passes all, or, if
// exact is set, those up to a turn. Dead nodes in its way are unlinked.
//
// The list of a level, with the dead nodes that are linked there, is in the order of keys and
// turns: a node is linked between two that come before and after it, of which the first is not
// frozen, when all dead ones between them have been unlinked. So an exact search for the place of a
// dead node unlinks that at every level.
func (l *List[K, V]) find(p *participant, key K, turn uint32, exact bool, lowest int, hinted bool) {
	for !l.descend(p, key, turn, exact, headNode, int(l.height.Load())-1, lowest, math.MaxInt, hinted) {
	}
}

// findFrom searches as find does, with hints, but from an element that is known to come before the
// place, and from a level that it has. It gives up, and reports false, if the element dies or is
// far from the place.
func (l *List[K, V]) findFrom(p *participant, key K, turn uint32, exact bool, start uint32, level int) bool {
	const far = 24
	return l.descend(p, key, turn, exact, start, level, 0, far, true)
}

// descend searches from a level down to the lowest wanted, beginning at a node that comes before
// the place. It reports whether it got there in a number of steps, and without passing a node that
// died.
func (l *List[K, V]) descend(p *participant, key K, turn uint32, exact bool, at uint32, level, lowest, most int,
	hinted bool) bool {
	pred := l.nodes.At(at)
	bound := uint32(none) // a node that is known to come after the place
	steps := most
	if hinted && level > 0 {
		// Prefetch what comes after the nearest node of each level, which hints may not have named.
		from := pred
		for k := min(level, inline-1); k >= lowest; k-- {
			if i := p.Local.hinted[k&(inline-1)]; i != none {
				if c := l.nodes.At(i); fullyLinked(c.state.Load(), k) { // otherwise another goroutine may have it to itself
					from = c
				}
			}
			cpu.PrefetchLines(unsafe.Pointer(l.nodes.At(atomic.LoadUint32(&from.next[k&(inline-1)])&^frozen)), 1)
		}
	}
	for ; level >= lowest; level-- {
		if hinted && level < inline {
			if i := p.Local.hinted[level&(inline-1)]; i != none && i != at {
				c := l.nodes.At(i)
				interleave.Point()
				if fullyLinked(c.state.Load(), level) && (at == headNode || pred.key < c.key) &&
					(c.key < key || !exact && c.key == key) {
					at, pred = i, c
				}
				interleave.Point()
			}
		}
		from := l.link(pred, level)
		curr := atomic.LoadUint32(from)
		if curr&frozen != 0 {
			return false // pred has died
		}
		for curr != bound && curr != none {
			c := l.nodes.At(curr)
			link := l.link(c, level)
			next := atomic.LoadUint32(link)
			if next&frozen != 0 {
				var ok bool
				if curr, ok = l.unlink(p, from, curr, level); !ok {
					return false
				}
				continue
			}
			if key < c.key || exact && !(c.key < key) && int32(c.turn-turn) > 0 {
				break
			}
			if steps--; steps < 0 {
				p.Local.visited += most
				return false
			}
			at, pred, from, curr = curr, c, link, next
		}
		bound = curr
		p.Local.preds[level&(maxHeight-1)], p.Local.succs[level&(maxHeight-1)] = at, curr
	}
	p.Local.visited += most - steps
	return true
}

// How dead nodes are unlinked from a level, here b and c, which are frozen, between a and d, in one
// step for the whole run:
//
//	 a ─────▶ b ═════▶ c ═════▶ d ─────▶        a ────────────────────────▶ d ─────▶
//	                                                     b ═════▶ c ═════▶ d
//	 1. follow frozen links to d, which          2. compare-and-swap a's link from b to d
//	    never change                             3. drop a ref of b and of c
//
//  1. The run that begins at b is always the same as long as a links to b: nothing is inserted
//     behind what is frozen. It may only get longer at its end, if d dies, and then d is left for
//     others.
//  2. It fails if a's link is no longer b: another goroutine unlinked the run, inserted something
//     before it, or removed a, whose link then has the mark. Then it is not ours to drop.
//  3. A node whose last ref goes is linked nowhere, and is retired (reclaim.go). Operations that
//     are still at it go on by its links, which lead to what came after it.

// unlink takes the run of dead nodes that begins with first, to which a link points, out of the
// list of a level. It returns what comes after the run, and whether the link still was as it had
// been.
func (l *List[K, V]) unlink(p *participant, from *uint32, first uint32, level int) (after uint32, ok bool) {
	after = first
	for after != none {
		next := atomic.LoadUint32(l.link(l.nodes.At(after), level))
		if next&frozen == 0 {
			break
		}
		after = next &^ frozen
	}
	interleave.Point()
	if !atomic.CompareAndSwapUint32(from, first, after) {
		p.Counts[retries]++
		return 0, false
	}
	interleave.Point()
	for i := first; i != after; {
		n := l.nodes.At(i)
		next := atomic.LoadUint32(l.link(n, level)) &^ frozen
		p.Local.visited++
		l.drop(p, n, i, 1)
		i = next
	}
	return after, true
}

// unlinkBehind takes a node that has just died out of the lowest level, with dead ones before it,
// if pred comes before them and is not dead itself. Otherwise another operation will.
func (l *List[K, V]) unlinkBehind(p *participant, pred *node[K, V], i uint32, n *node[K, V]) {
	interleave.Point()
	first := atomic.LoadUint32(&pred.next[0])
	if first != i {
		if first != none && first&frozen == 0 {
			l.unlink(p, &pred.next[0], first, 0)
		}
		return
	}
	if atomic.CompareAndSwapUint32(&pred.next[0], i, atomic.LoadUint32(&n.next[0])&^frozen) {
		l.drop(p, n, i, 1)
	} else {
		p.Counts[retries]++
	}
}

// Search returns the value of an element with a key, if there is one: of several the one inserted
// first among those that were there all the time. No element has a key that is not a number.
func (l *List[K, V]) Search(key K) (value V, ok bool) {
	if key != key {
		return value, false
	}
	l.demandMade()
	p := l.epochs.Enter()
	defer p.Leave()
	// A dead node may stay linked at a level when it has long been unlinked at those below, where
	// its links, which are frozen, lead past all that was inserted since. So the search goes down
	// only from nodes that were not frozen when it came by. Links are frozen from the top: such a
	// node was in the list at all its levels at that moment, and what its links lead to was at some
	// moment since.
	pred := l.head
	for level := int(l.height.Load()) - 1; level > 0; level-- {
		curr := atomic.LoadUint32(l.link(pred, level)) &^ frozen
		for curr != none {
			c := l.nodes.At(curr)
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
		n := l.nodes.At(i)
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
