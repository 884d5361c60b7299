package spray

import (
	"sync/atomic"

	"github.com/almanac-sim/almanac/internal/interleave"
)

// How an element is removed, here b of height 2 between a and c. A frozen link, ══▶, has its mark
// set and never changes again.
//
//	level 1   a ───▶ b ───▶ c     a ───▶ b ═══▶ c     a ───▶ b ═══▶ c     a ──────────▶ c
//	level 0   a ───▶ b ───▶ c     a ───▶ b ───▶ c     a ───▶ b ═══▶ c     a ──────────▶ c
//	          1. b is dead        2. its link at      3. and at           4. a links to c, level
//	                              level 1 is frozen   level 0 too         by level; refs go to 0:
//	                                                                      b is retired
//
//  1. The compare-and-swap of b's state from alive to dead removes the element. It succeeds for
//     exactly one of all that try, and has the version in it, so that an old handle cannot touch an
//     element that has come into the node since.
//  2. Links are frozen from the top, by an or that cannot fail and that several may do. From then
//     on nothing is inserted behind b at that level: a compare-and-swap of its link expects no
//     mark.
//  3. When level 0 is frozen, all are.
//  4. Unlinking is in search.go. Any operation that comes by may do it, and need not: readers pass
//     what is frozen.

// claim makes the caller the one that removes an element, if no other has. It then freezes the
// links of the node, from the top.
func (l *List[K, V]) claim(p *participant, n *node[K, V], state uint64) bool {
	claimed := state &^ alive
	if state >= reader {
		claimed += reader // so that the others leave the value alone until it is released
	}
	if state&alive == 0 || !n.state.CompareAndSwap(state, claimed) {
		return false
	}
	interleave.Point()
	l.freeze(n, heightOf(state))
	p.Count--
	return true
}

// freeze marks the links of a dead node, so that nothing is inserted behind it. Several may do it.
func (l *List[K, V]) freeze(n *node[K, V], height int) {
	for level := height - 1; level >= 0; level-- {
		interleave.Point()
		atomic.OrUint32(l.link(n, level), frozen)
	}
}

// Delete removes the element of a handle. It reports whether it did: for each element exactly one
// of all that try to remove it does. It costs as much as an insertion.
func (l *List[K, V]) Delete(h Handle) bool {
	l.demandMade()
	if h.owner != l.owner { // a handle of this list has a node that there is
		return false
	}
	p := l.epochs.Enter()
	defer p.Leave()
	n := l.nodes.At(h.place)
	for {
		state := n.state.Load()
		if versionOf(state) != h.version || state&alive == 0 {
			return false
		}
		if l.claim(p, n, state) { // or a reader comes or goes
			l.release(n, state)
			l.erase(p, n, heightOf(state))
			return true
		}
	}
}

// erase unlinks a dead node at all its levels, wherever it is. The search that does it is that of
// an insertion, with hints.
func (l *List[K, V]) erase(p *participant, n *node[K, V], height int) {
	start, level := l.findHints(p, n.key, l.locate(n.key), height)
	if start != none {
		if m := l.nodes.At(start); !(m.key < n.key) && int32(m.turn-n.turn) >= 0 {
			start = none // one of equal key that comes after it
		}
	}
	if start == none || !l.findFrom(p, n.key, n.turn, true, start, level) {
		l.find(p, n.key, n.turn, true, 0, true)
	}
}

// drop takes back refs of a node, and retires it if they were the last.
func (l *List[K, V]) drop(p *participant, n *node[K, V], i, count uint32) {
	if atomic.AddUint32(&n.hold, -count)&refs == 0 {
		p.Counts[unlinked]++
		l.epochs.Retire(p, i)
	}
}

// DeleteMin removes the first element. It is exact: at some moment during the call there was no
// element before the one that it returns. If ok is false, there was a moment at which the list was
// empty.
func (l *List[K, V]) DeleteMin() (key K, value V, ok bool) {
	l.demandMade()
	p := l.epochs.Enter()
	key, value, ok = l.deleteMin(p)
	p.Leave()
	return key, value, ok
}

func (l *List[K, V]) deleteMin(p *participant) (key K, value V, ok bool) {
	for {
		first := atomic.LoadUint32(&l.head.next[0])
		for i := first; ; {
			if i == none {
				if atomic.LoadUint32(&l.head.next[0]) == first {
					return key, value, false
				}
				break
			}
			interleave.Point()
			n := l.nodes.At(i)
			state := n.state.Load()
			if state&alive != 0 {
				// All that came before this node is dead and frozen: an element that is inserted
				// before it changes the head. If the head is as it was, this is the first element
				// now, and it is ours if it is still there when we claim it.
				interleave.Point()
				if atomic.LoadUint32(&l.head.next[0]) != first {
					break
				}
				interleave.Point()
				if !l.claim(p, n, state) {
					break
				}
				key, value = n.key, l.release(n, state)
				l.unlink(p, &l.head.next[0], first, 0) // all dead from the head to this one, and this one
				l.sweepIfDue(p)
				l.prefetchNext(p, key)
				return key, value, true
			}
			next := atomic.LoadUint32(&n.next[0])
			if next&frozen == 0 {
				l.freeze(n, heightOf(state)) // the goroutine that claimed it has not done so yet
				next = atomic.LoadUint32(&n.next[0])
			}
			i = next &^ frozen
		}
	}
}
