package spray

import (
	"sync/atomic"
	"unsafe"

	"github.com/almanac-sim/almanac/internal/huge"
	"github.com/almanac-sim/almanac/internal/interleave"
	"github.com/almanac-sim/almanac/internal/prefetch"
	"github.com/almanac-sim/almanac/internal/release"
)

// An insertion into a skip list walks past log N nodes, and in a large list most of them are not in the cache. Signposts save it most of
// the walk. They are a calendar laid over the list: a ring of buckets of key space, each of which names elements that were inserted
// there, with their heights and some bits of their keys. The posts of a bucket stand on a board, which is a cache line. So one look at memory tells an
// insertion what comes before its place and what comes after, at several levels, and these come from memory all at once.
//
//	ring 0, all elements             │ b¹ c³ d¹ │ f¹ g² h¹ │ j⁴     │ …    buckets of width w
//	ring 1, those of heights above 3 │ a⁴                     j⁴ … │ …    8w
//	ring 2, those of heights above 6 │ …                                  64w
//
// A search that begins at an element knows what comes before the place only at the levels that the element has. A bucket has elements of three heights; of higher
// ones there are too few, and they have a ring of their own.
//
// A signpost is a hint. It is believed only if the node that it names is in the list, at all its levels, and not after the key that is looked for; the search
// from there is the usual one. Where there is none, the search begins at the head. Who finds a post that names nothing takes it down.

const (
	rings  = 3
	storey = 3 // levels of a ring

	perBoard = 8
)

// A board has the posts of a bucket. A post is turn<<56 | fraction<<33 | above<<31 | node, and 0 if there is none. The fraction is how far in the bucket the
// element is. The turn is the number of the bucket, of which there is no end, over the length of the ring, modulo 256. Above is how many levels the element has above the
// lowest of the ring, 3 if there are more.
type board [perBoard]atomic.Uint64

const (
	turnShift     = 56
	fractionShift = 33
	aboveShift    = 31
	postNode      = 1<<aboveShift - 1
)

// posts are the rings of a list.
type posts struct {
	ring [rings][]board
	// shape is log<<17 | linear<<16 | width+bias: the logarithm of how many boards of the first ring are used, and that of a bucket's width there. It is changed in
	// place: posts that were put up before then are mostly of other turns, and otherwise the node tells.
	shape atomic.Uint32
}

// A lay is how posts are laid out: a bucket of the first ring has 2^shift places. Places are what axis says, which for keys that are floating-point numbers may
// be linear: then 2^scale of them are a unit.
type lay struct {
	log, shift uint32
	linear     bool
	scale      int
}

const (
	widthBias   = 1 << 15
	linearShift = turnShift - fractionShift // all of a place that is in its bucket is in a post
)

func shapeOf(log uint32, linear bool, width int) uint32 {
	shape := log<<17 | uint32(width+widthBias)
	if linear {
		shape |= 1 << 16
	}
	return shape
}

// width is the binary logarithm of the width of a bucket of the first ring: in keys if it is linear, and otherwise in places.
func (y lay) width() int { return int(y.shift) - y.scale }

// firstPosts is the logarithm of the length of the first ring of an empty list.
const firstPosts = 4

func newPosts(log uint32, linear bool, width int) *posts {
	p := &posts{}
	for r := range p.ring {
		p.ring[r] = make([]board, 1<<lay{log: log}.length(r))
		huge.Advise(p.ring[r])
	}
	p.shape.Store(shapeOf(log, linear, width))
	return p
}

func (p *posts) lay() lay {
	shape := p.shape.Load()
	width := int(shape&0xffff) - widthBias
	if shape&(1<<16) != 0 {
		return lay{shape >> 17, linearShift, true, linearShift - width}
	}
	return lay{shape >> 17, uint32(width), false, 0}
}

// length is the logarithm of how many boards of a ring are used.
func (y lay) length(r int) uint32 { return max(y.log, uint32(storey*r)+2) - uint32(storey*r) }

// bucket is the number of the bucket of a place in a ring.
func (y lay) bucket(place uint64, r int) uint64 { return place >> ((y.shift + uint32(storey*r)) & 63) }

// turn is the turn of the posts of a bucket, as they have it.
func (y lay) turn(bucket uint64, r int) uint64 { return bucket >> (y.length(r) & 63) << turnShift }

// fraction is how far in its bucket a place is, as posts have it.
func (y lay) fraction(place uint64, r int) uint64 {
	return place << (64 - y.shift - uint32(storey*r)) >> (64 - turnShift + fractionShift) << fractionShift
}

// board is where the posts of a bucket are.
func (p *posts) board(y lay, bucket uint64, r int) *board {
	return &p.ring[r][bucket&(1<<(y.length(r)&63)-1)]
}

// golden is 2⁶⁴ over the golden ratio: multiplying by it scatters the high bits.
const golden = 0x9e3779b97f4a7c15

// signpost names an element that is linked at all its levels.
//
// Others may put something up in the same place at the same time: then one of them has no post.
func (l *List[K, V]) signpost(i uint32, place uint64, height int) {
	posts := l.posts.Load()
	if posts == nil {
		return
	}
	lay := posts.lay()
	for r := 0; r < rings && storey*r < height; r++ {
		bucket := lay.bucket(place, r)
		turn := lay.turn(bucket, r)
		e := turn | lay.fraction(place, r) | uint64(min(height-1-storey*r, storey))<<aboveShift | uint64(i)
		b := posts.board(lay, bucket, r)
		// Where there is none is best, then where one is of a turn that is over, and then where one is of a turn to come. Otherwise any.
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
		release.Store(&b[slot&(perBoard-1)], e)
	}
}

// mend puts up a post for the element before the place that a search has found, if no post told of it: there was no room, or it was inserted when buckets were
// of another width.
func (l *List[K, V]) mend(p *participant) {
	i, posts := p.Local.preds[0], l.posts.Load()
	if posts == nil || i == p.Local.near[0] || i == headNode {
		return
	}
	n := l.nodes.At(i)
	if state := n.state.Load(); standing(state, 0) {
		l.signpost(i, axis(l.kind, posts.lay(), n.key), heightOf(state))
	}
}

// A view is what posts tell of the surroundings of a place in a ring: for each of the ring's levels, the nearest post before it and the nearest after it,
// without their turns. There is none before it if that is 0, and none after it if that is nowhere.
type view struct{ before, after [storey]uint64 }

const nowhere = 1 << turnShift

// look looks at the posts of a turn on a board, from so far in the bucket. Which of them are of that turn, and how high, cannot be foreseen, and so there are no
// branches: the compiler makes conditional moves of these.
func (v *view) look(b *board, turn, fraction uint64) {
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

// back is how many buckets before that of a place are looked at.
const back = 2

// sight is the view of a place in a ring. If its bucket has nothing before it at a level, those before are looked at.
func (p *posts) sight(y lay, place uint64, r, level int) view {
	bucket := y.bucket(place, r)
	v := view{after: [storey]uint64{nowhere, nowhere, nowhere}}
	v.look(p.board(y, bucket, r), y.turn(bucket, r), y.fraction(place, r))
	for i := uint64(1); i <= back && v.before[level] == 0; i++ {
		var w view
		w.look(p.board(y, bucket-i, r), y.turn(bucket-i, r), nowhere-1)
		for k := range v.before {
			if v.before[k] == 0 {
				v.before[k] = w.before[k]
			}
		}
	}
	return v
}

// approach is the place of a key, if there are posts. It asks for the boards of it in the first ring.
func (l *List[K, V]) approach(key K) (place uint64) {
	if posts := l.posts.Load(); posts != nil {
		lay := posts.lay()
		place = axis(l.kind, lay, key)
		posts.ask(lay, place, 0)
	}
	return place
}

// ask asks for the boards of a place in a ring: that of its bucket, and the one before, since there may be nothing before it in its own.
func (p *posts) ask(y lay, place uint64, r int) {
	bucket := y.bucket(place, r)
	prefetch.Lines(unsafe.Pointer(p.board(y, bucket, r)), 1)
	prefetch.Lines(unsafe.Pointer(p.board(y, bucket-1, r)), 1)
}

// standing says whether a node in a state is in the list at a level, and all below it.
func standing(state uint64, level int) bool {
	return state&(alive|linked) == alive|linked && heightOf(state) > level
}

// guide looks for elements from which to search for a key. One is so high that the search finds what comes before the place at all levels below height; it returns
// that, and the level at which to begin. Where a ring has none, the next one, with wider buckets, may have one. The nearest of every level below, which search
// goes on from if it is further ahead, it leaves in the seat.
func (l *List[K, V]) guide(p *participant, key K, place uint64, height int) (start uint32, level int) {
	posts := l.posts.Load()
	if posts == nil {
		return none, 0
	}
	y := posts.lay()
	p.Local.near = [inline]uint32{}
	if p.Local.preds[0] == headNode { // the last one came before all others: if this does, too, it is found from the head at once
		if first := atomic.LoadUint32(&l.head.next[0]); first == none || key < l.nodes.At(first).key {
			return none, 0
		}
	}
	level = min(height, inline) - 1
	top := level / storey
	for r := 1; r <= top; r++ {
		posts.ask(y, place, r)
	}
	for r := range top {
		v := posts.sight(y, place, r, 0)
		l.ask(p, &v, r, storey)
	}
	if height > inline { // only a search from the head finds what comes before it further up
		v := posts.sight(y, place, top, 0)
		l.ask(p, &v, top, inline-storey*top)
		return none, 0
	}
	for r := top; r < rings; r++ {
		level = max(level, storey*r)
		for range 3 {
			v := posts.sight(y, place, r, level-storey*r)
			l.ask(p, &v, r, level-storey*r+1)
			i := p.Local.near[level]
			if i == none {
				break
			}
			// Being in the list, it is there until this operation is over at least, and its key can be read.
			n := l.nodes.At(i)
			interleave.Point()
			if standing(n.state.Load(), level) {
				interleave.Point()
				if key < n.key {
					break
				}
				if y.bucket(place, r)-y.bucket(axis(l.kind, y, n.key), r) <= back {
					return i, level
				}
			}
			posts.takeDown(y, place, r, i) // it is, or it was used again for, another element
		}
	}
	return none, 0
}

// ask leaves the nearest nodes before a place in the seat, for some levels of a ring, and asks for them and for those after it.
func (l *List[K, V]) ask(p *participant, v *view, r, levels int) {
	for k := range levels {
		before := uint32(v.before[k]) & postNode
		p.Local.near[(storey*r+k)&(inline-1)] = before
		if before != none {
			prefetch.Lines(unsafe.Pointer(l.nodes.At(before)), 1)
		}
		if v.after[k] < nowhere {
			prefetch.Lines(unsafe.Pointer(l.nodes.At(uint32(v.after[k])&postNode)), 1)
		}
	}
}

// takeDown takes down the posts of a node where sight has found one.
func (p *posts) takeDown(y lay, place uint64, r int, node uint32) {
	bucket := y.bucket(place, r)
	for i := range uint64(back + 1) {
		b := p.board(y, bucket-i, r)
		for j := range b {
			if e := b[j].Load(); uint32(e)&postNode == node {
				b[j].CompareAndSwap(e, 0)
			}
		}
	}
}

// scout is told of the last key that was removed. When that is in another bucket than before, it asks for the elements of the next one. They were inserted long ago;
// removals will soon come by one after the other, and would wait for each.
func (l *List[K, V]) scout(p *participant, key K) {
	posts := l.posts.Load()
	if posts == nil {
		return
	}
	y := posts.lay()
	next := y.bucket(axis(l.kind, y, key), 0) + 1
	if p.Local.scouted-next < 4 {
		return // sprays go to and fro
	}
	p.Local.scouted = next
	turn := y.turn(next, 0)
	b := posts.board(y, next, 0)
	for j := range b {
		if e := b[j].Load() - turn; e < nowhere {
			prefetch.Lines(unsafe.Pointer(l.nodes.At(uint32(e)&postNode)), 1)
		}
	}
	prefetch.Lines(unsafe.Pointer(posts.board(y, next+1, 0)), 1)
}
