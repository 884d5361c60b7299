package spray

import (
	"sync/atomic"

	"github.com/almanac-sim/almanac/internal/huge"
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
