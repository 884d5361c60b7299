package spray

import (
	"sync/atomic"
	"unsafe"

	"github.com/almanac-sim/almanac/internal/cpu"
	"github.com/almanac-sim/almanac/internal/interleave"
)

// An insertion into a skip list passes log N nodes, and in a large list most of them are not in the
// cache. Hints save it most of the walk. They are a calendar laid over the list: a ring of buckets
// of key space, each of which names elements that were inserted there, with their heights and some
// bits of their keys. The hints of a bucket fill one cache line. So one access to memory gives an
// insertion what comes before its place and what comes after, at several levels, and these are then
// fetched all at once.
//
//	ring 0, all elements             │ b¹ c³ d¹ │ f¹ g² h¹ │ j⁴     │ …    buckets of width w
//	ring 1, those of heights above 3 │ a⁴                     j⁴ … │ …    8w
//	ring 2, those of heights above 6 │ …                                  64w
//
// A search that begins at an element finds what comes before the place only at the levels that the
// element has. A ring has elements of three heights; of higher ones there are too few in a bucket,
// and they have a ring of their own.
//
// A hint may be wrong. It is used only if the node that it names is in the list, at all its levels,
// and not after the key; the search from there is the usual one. Without a hint the search begins
// at the head. A hint that names nothing is removed by the operation that finds it.

const (
	rings      = 3
	ringLevels = 3

	hintsPerLine = 8
)

// A hintLine has the hints of a bucket. A hint is turn<<56 | fraction<<33 | above<<31 | node, and 0
// if there is none. The fraction is where in the bucket the element is. The turn is the number of
// the bucket, which is unbounded, over the length of the ring, modulo 256. Above is the number of
// levels that the element has above the lowest of the ring, 3 if there are more.
type hintLine [hintsPerLine]atomic.Uint64

const (
	turnShift     = 56
	fractionShift = 33
	aboveShift    = 31
	hintNode      = 1<<aboveShift - 1
)

// A hintTable has the rings of a list.
type hintTable struct {
	ring [rings][]hintLine
	// shape is log<<17 | linear<<16 | width+bias: the logarithm of the number of lines of the first
	// ring that are in use, and that of a bucket's width there. It is changed in place: hints that
	// were added before are mostly of other turns then, and otherwise the node shows that they are
	// wrong.
	shape atomic.Uint32
}

// A layout says where hints are: a bucket of the first ring has 2^shift places. Places are what
// axis returns. For keys that are floating-point numbers they may be linear: then 2^scale of them
// are a unit.
type layout struct {
	log, shift uint32
	linear     bool
	scale      int
}

const (
	widthBias   = 1 << 15
	linearShift = turnShift - fractionShift // so that a hint has all bits of a place within its bucket
)

func shapeOf(log uint32, linear bool, width int) uint32 {
	shape := log<<17 | uint32(width+widthBias)
	if linear {
		shape |= 1 << 16
	}
	return shape
}

// width is the binary logarithm of the width of a bucket of the first ring: in keys if it is
// linear, and otherwise in places.
func (y layout) width() int { return int(y.shift) - y.scale }

// firstHints is the logarithm of the length of the first ring of an empty list.
const firstHints = 4

func newHintTable(log uint32, linear bool, width int) *hintTable {
	t := &hintTable{}
	for r := range t.ring {
		t.ring[r] = make([]hintLine, 1<<layout{log: log}.length(r))
		cpu.AdviseHuge(t.ring[r])
	}
	t.shape.Store(shapeOf(log, linear, width))
	return t
}

func (t *hintTable) layout() layout {
	shape := t.shape.Load()
	width := int(shape&0xffff) - widthBias
	if shape&(1<<16) != 0 {
		return layout{shape >> 17, linearShift, true, linearShift - width}
	}
	return layout{shape >> 17, uint32(width), false, 0}
}

// length is the logarithm of the number of lines of a ring that are in use.
func (y layout) length(r int) uint32 {
	return max(y.log, uint32(ringLevels*r)+2) - uint32(ringLevels*r)
}

// bucket is the number of the bucket of a place in a ring.
func (y layout) bucket(place uint64, r int) uint64 {
	return place >> ((y.shift + uint32(ringLevels*r)) & 63)
}

// turn is the turn of a bucket, shifted as it is in a hint.
func (y layout) turn(bucket uint64, r int) uint64 { return bucket >> (y.length(r) & 63) << turnShift }

// fraction is where in its bucket a place is, shifted as it is in a hint.
func (y layout) fraction(place uint64, r int) uint64 {
	return place << (64 - y.shift - uint32(ringLevels*r)) >> (64 - turnShift + fractionShift) << fractionShift
}

// line returns the hints of a bucket.
func (t *hintTable) line(y layout, bucket uint64, r int) *hintLine {
	return &t.ring[r][bucket&(1<<(y.length(r)&63)-1)]
}

// golden is 2⁶⁴ over the golden ratio: multiplying by it scatters the high bits.
const golden = 0x9e3779b97f4a7c15

// addHint names an element that is linked at all its levels. Other goroutines may write the same
// slot at the same time: then one of the elements has no hint.
func (l *List[K, V]) addHint(i uint32, place uint64, height int) {
	hints := l.hints.Load()
	if hints == nil {
		return
	}
	y := hints.layout()
	for r := 0; r < rings && ringLevels*r < height; r++ {
		bucket := y.bucket(place, r)
		turn := y.turn(bucket, r)
		e := turn | y.fraction(place, r) | uint64(min(height-1-ringLevels*r, ringLevels))<<aboveShift | uint64(i)
		b := hints.line(y, bucket, r)
		// Best is an empty slot, then one of a past turn, then one of a turn to come, then any.
		slot, worth := uint64(i)*golden>>61, 0
		for j := range b {
			old := b[j].Load()
			if old == 0 || old == e {
				slot = uint64(j)
				break
			}
			if ahead := int8((old - turn) >> turnShift); ahead < 0 && worth < 2 {
				slot, worth = uint64(j), 2
			} else if ahead > 0 && worth < 1 {
				slot, worth = uint64(j), 1
			}
		}
		cpu.StoreRelease(&b[slot&(hintsPerLine-1)], e)
	}
}

// repairHint adds a hint for the element before the place that a search has found, if no hint named
// it: there was no room, or it was inserted when buckets had another width.
func (l *List[K, V]) repairHint(p *participant) {
	i, hints := p.Local.preds[0], l.hints.Load()
	if hints == nil || i == p.Local.hinted[0] || i == headNode {
		return
	}
	n := l.nodes.At(i)
	if state := n.state.Load(); fullyLinked(state, 0) {
		l.addHint(i, axis(l.kind, hints.layout(), n.key), heightOf(state))
	}
}

// neighbours are the hints around a place in a ring: for each of the ring's levels the nearest hint
// before it, 0 if there is none, and the nearest after it, nowhere if there is none; without their
// turns.
type neighbours struct{ before, after [ringLevels]uint64 }

const nowhere = 1 << turnShift

// collect adds the hints of a line that are of a turn. limit is given by the fraction of the place.
// Which hints are of that turn, and how high their elements are, cannot be predicted, and so there
// are no branches: the compiler makes conditional moves of these.
func (v *neighbours) collect(b *hintLine, turn, fraction uint64) {
	limit := fraction | 1<<fractionShift - 1
	for i := range b {
		e := b[i].Load() - turn // if it is of another turn, that is at least nowhere
		before, after := e, e
		if e > limit {
			before = 0
		}
		if e <= limit {
			after = nowhere
		}
		v.before[0], v.after[0] = max(v.before[0], before), min(v.after[0], after)
		if e&(3<<aboveShift) == 0 {
			before, after = 0, nowhere
		}
		v.before[1], v.after[1] = max(v.before[1], before), min(v.after[1], after)
		if e&(2<<aboveShift) == 0 {
			before, after = 0, nowhere
		}
		v.before[2], v.after[2] = max(v.before[2], before), min(v.after[2], after)
	}
}

// lookBack is how many buckets before that of a place are searched for hints.
const lookBack = 2

// neighbours returns the hints around a place in a ring. If its bucket has none before it at a
// level, the buckets before are searched.
func (t *hintTable) neighbours(y layout, place uint64, r, level int) neighbours {
	bucket := y.bucket(place, r)
	v := neighbours{after: [ringLevels]uint64{nowhere, nowhere, nowhere}}
	v.collect(t.line(y, bucket, r), y.turn(bucket, r), y.fraction(place, r))
	for i := uint64(1); i <= lookBack && v.before[level] == 0; i++ {
		var w neighbours
		w.collect(t.line(y, bucket-i, r), y.turn(bucket-i, r), nowhere-1)
		for k := range v.before {
			if v.before[k] == 0 {
				v.before[k] = w.before[k]
			}
		}
	}
	return v
}

// locate returns the place of a key, if there are hints, and prefetches its hints of the first
// ring.
func (l *List[K, V]) locate(key K) (place uint64) {
	if hints := l.hints.Load(); hints != nil {
		y := hints.layout()
		place = axis(l.kind, y, key)
		hints.prefetch(y, place, 0)
	}
	return place
}

// prefetch prefetches the hints of a place in a ring: those of its bucket, and those of the one
// before, since there may be none before it in its own.
func (t *hintTable) prefetch(y layout, place uint64, r int) {
	bucket := y.bucket(place, r)
	cpu.PrefetchLines(unsafe.Pointer(t.line(y, bucket, r)), 1)
	cpu.PrefetchLines(unsafe.Pointer(t.line(y, bucket-1, r)), 1)
}

// fullyLinked reports whether a node in a state is in the list at a level, and at all below it.
func fullyLinked(state uint64, level int) bool {
	return state&(alive|linked) == alive|linked && heightOf(state) > level
}

// findHints looks for elements from which to search for a key. It returns one that is so high that
// the search finds what comes before the place at all levels below height, and the level at which
// to begin. Where a ring has none, the next one, with wider buckets, may have one. For every level
// below, it leaves the nearest element in p, so that the search can go on from there if that is
// further ahead.
func (l *List[K, V]) findHints(p *participant, key K, place uint64, height int) (start uint32, level int) {
	hints := l.hints.Load()
	if hints == nil {
		return none, 0
	}
	y := hints.layout()
	p.Local.hinted = [inline]uint32{}
	if p.Local.preds[0] == headNode { // the last key came before all others; if this one does too, the head is next to it
		if first := atomic.LoadUint32(&l.head.next[0]); first == none || key < l.nodes.At(first).key {
			return none, 0
		}
	}
	level = min(height, inline) - 1
	top := level / ringLevels
	for r := 1; r <= top; r++ {
		hints.prefetch(y, place, r)
	}
	for r := range top {
		v := hints.neighbours(y, place, r, 0)
		l.noteHints(p, &v, r, ringLevels)
	}
	if height > inline { // only a search from the head finds what comes before it at the top levels
		v := hints.neighbours(y, place, top, 0)
		l.noteHints(p, &v, top, inline-ringLevels*top)
		return none, 0
	}
	for r := top; r < rings; r++ {
		level = max(level, ringLevels*r)
		for range 3 {
			v := hints.neighbours(y, place, r, level-ringLevels*r)
			l.noteHints(p, &v, r, level-ringLevels*r+1)
			i := p.Local.hinted[level]
			if i == none {
				break
			}
			// It is in the list, so that it is not reclaimed before this operation is over, and its
			// key can be read.
			n := l.nodes.At(i)
			interleave.Point()
			if fullyLinked(n.state.Load(), level) {
				interleave.Point()
				if key < n.key {
					break
				}
				if y.bucket(place, r)-y.bucket(axis(l.kind, y, n.key), r) <= lookBack {
					return i, level
				}
			}
			hints.remove(y, place, r, i) // the node holds another element now
		}
	}
	return none, 0
}

// noteHints leaves the nearest nodes before a place in p, for some levels of a ring, and prefetches
// them and those after it.
func (l *List[K, V]) noteHints(p *participant, v *neighbours, r, levels int) {
	for k := range levels {
		before := uint32(v.before[k]) & hintNode
		p.Local.hinted[(ringLevels*r+k)&(inline-1)] = before
		if before != none {
			cpu.PrefetchLines(unsafe.Pointer(l.nodes.At(before)), 1)
		}
		if v.after[k] < nowhere {
			cpu.PrefetchLines(unsafe.Pointer(l.nodes.At(uint32(v.after[k])&hintNode)), 1)
		}
	}
}

// remove removes the hints that name a node, where neighbours has found one.
func (t *hintTable) remove(y layout, place uint64, r int, node uint32) {
	bucket := y.bucket(place, r)
	for i := range uint64(lookBack + 1) {
		b := t.line(y, bucket-i, r)
		for j := range b {
			if e := b[j].Load(); uint32(e)&hintNode == node {
				b[j].CompareAndSwap(e, 0)
			}
		}
	}
}

// prefetchNext is called with the key of a removal. When that is in another bucket than the last,
// it prefetches the elements of the next bucket. They were inserted long ago; removals will soon
// pass them one after the other, and would wait for each.
func (l *List[K, V]) prefetchNext(p *participant, key K) {
	hints := l.hints.Load()
	if hints == nil {
		return
	}
	y := hints.layout()
	next := y.bucket(axis(l.kind, y, key), 0) + 1
	if p.Local.prefetched-next < 4 {
		return // sprays go to and fro
	}
	p.Local.prefetched = next
	turn := y.turn(next, 0)
	b := hints.line(y, next, 0)
	for j := range b {
		if e := b[j].Load() - turn; e < nowhere {
			cpu.PrefetchLines(unsafe.Pointer(l.nodes.At(uint32(e)&hintNode)), 1)
		}
	}
	cpu.PrefetchLines(unsafe.Pointer(hints.line(y, next+1, 0)), 1)
}
