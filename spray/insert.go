package spray

import (
	"math/bits"
	"sync/atomic"

	"github.com/almanac-sim/almanac/internal/interleave"
)

// How an element is inserted, here b of height 2 between a and c. Level 0 has all elements; a link
// is one word, so that each step that others can see is one compare-and-swap.
//
//	level 1   a ──────────▶ c     a ──────────▶ c     a ──────────▶ c     a ───▶ b ───▶ c
//	                                                         b ───▶ c
//	level 0   a ──────────▶ c     a ───▶ b ───▶ c     a ───▶ b ───▶ c     a ───▶ b ───▶ c
//	                 b ───▶ c
//	          1. b links to c,    2. a links to b:    3. b links to c     4. a links to b
//	          b is private        b is in the list    at level 1          at level 1
//
//  1. A search leaves in the participant what comes before and after the place at every level. The
//     node is the caller's: plain stores.
//  2. The compare-and-swap of a's link from c to b inserts the element, at once for all. It fails
//     if another goroutine inserted something between, or if a died: then its link is frozen. The
//     search is made again.
//  3. The node may die from here on, and its links be frozen by the goroutine that removes it. So
//     b's own link is changed by compare-and-swap, too, and if it is frozen, b stays as high as it
//     is.
//  4. As 2, level by level. If b dies between 3 and 4, it is linked at a level at which it is
//     frozen already, and the search at the end unlinks it again.
//
// Until it is done with all levels, an insertion holds one of the node's refs, so that the node is
// not used again meanwhile.

// Insert adds an element and returns its handle. A key that is not a number, which has no place in
// an order, is a bug of the caller, and panics.
func (l *List[K, V]) Insert(key K, value V) Handle {
	if key != key {
		panic("spray: a key must not be NaN")
	}
	l.demandMade()
	place := l.locate(key) // hints are fetched meanwhile
	p, i := l.acquire()
	n := l.nodes.At(i)
	height := l.build(n, bits.TrailingZeros64(p.Local.random.Uint64()|1<<(maxHeight-1))+1)
	n.key, n.value = key, value
	version := versionOf(n.state.Load()) + 1
	n.state.Store(stateOf(version, height) | alive) // Delete may look at it with an old handle
	for old := l.height.Load(); int(old) < height && !l.height.CompareAndSwap(old, int32(height)); {
		old = l.height.Load()
	}

	for start, level := l.findHints(p, key, place, height); ; start = none {
		if start == none || !l.findFrom(p, key, 0, false, start, level) {
			l.find(p, key, 0, false, 0, true)
		}
		pred := l.nodes.At(p.Local.preds[0])
		n.turn = 0
		if p.Local.preds[0] != headNode && !(pred.key < key) {
			n.turn = pred.turn + 1
		}
		n.next[0] = p.Local.succs[0]
		interleave.Point()
		if atomic.CompareAndSwapUint32(&pred.next[0], p.Local.succs[0], i) {
			break
		}
		p.Counts[retries]++
	}
	interleave.Point()
	p.Count++
	l.adaptHints(p, key)
	if height > 1 {
		l.raise(p, n, i, key, height)
	}
	interleave.Point()
	n.state.Or(linked) // now a search can begin there at any of its levels
	l.repairHint(p)
	interleave.Point()
	l.addHint(i, place, height)
	p.Leave()
	return Handle{owner: l.owner, place: i, version: version}
}

// raise links a node, which is linked at the lowest level, at the others, unless it dies meanwhile.
func (l *List[K, V]) raise(p *participant, n *node[K, V], i uint32, key K, height int) {
	level := 1
	for level < height {
		own := l.link(n, level)
		old := atomic.LoadUint32(own)
		succ := p.Local.succs[level]
		if old&frozen != 0 || old != succ && !atomic.CompareAndSwapUint32(own, old, succ) {
			break // it is dead: no other goroutine changes the link of a level at which it is not linked
		}
		interleave.Point()
		if atomic.CompareAndSwapUint32(l.link(l.nodes.At(p.Local.preds[level]), level), succ, i) {
			level++
			continue
		}
		p.Counts[retries]++
		// Elements of equal keys that came later may be linked at this level already: it goes
		// before them.
		l.find(p, key, n.turn, true, level, false)
	}
	if n.state.Load()&alive == 0 {
		// It died, and may have been linked at a level after it was frozen there; a search unlinks
		// what is frozen.
		l.find(p, key, n.turn, true, 0, false)
	}
	l.drop(p, n, i, uint32(height+1-level))
}
