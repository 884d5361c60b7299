package spray

import (
	"cmp"
	"encoding/binary"
	"math/bits"
	"reflect"
	"sync/atomic"
	"unsafe"

	"github.com/almanac-sim/almanac/internal/huge"
	"github.com/almanac-sim/almanac/internal/prefetch"
	"github.com/almanac-sim/almanac/internal/release"
	"github.com/almanac-sim/almanac/internal/timekey"
)

// An insertion into a skip list walks past log N nodes, and in a large list most of them are not in the cache. Signposts save it most of
// the walk. They are a calendar laid over the list: a ring of buckets of key space, each of which names an element that was inserted
// there. An insertion looks into the bucket of its key and those before it, and begins its search at the element it finds.
//
// A signpost is a hint. It is believed only if the element that it names is still alive, which the stamp tells, and not after
// the key that is looked for; the search from there is the usual one. Where there is none, the search begins at the head.
//
// A search that begins at a node of height h knows what comes before the place only at the levels below h. So there are several
// rings: ring r has only elements of heights above r, and buckets 2^r times as wide, so that each holds about as many.

// rings is the number of rings: one for each height up to that of the inline links. The one node in 256 that is higher is inserted from the head.
const rings = inline

// A post is an entry of a ring.
type post struct {
	name atomic.Uint64 // stamp<<32 | node
	key  atomic.Uint64 // where on the axis of keys it stands
}

// posts are the rings of a list.
type posts struct {
	ring [rings][]post
	// shape is log<<8 | shift: the logarithm of how many posts of the first ring are used, and that of a bucket's width there. It is changed in place: posts
	// that were put up before then stand for other buckets, which can be told by their keys, as it is with those of another turn.
	shape atomic.Uint32
}

// A lay is how posts are laid out.
type lay struct{ log, shift uint32 }

// firstPosts is the logarithm of the length of the first ring of an empty list.
const firstPosts = 6

func newPosts(log, shift uint32) *posts {
	p := &posts{}
	for r := range p.ring {
		p.ring[r] = make([]post, lay{log: log}.length(r))
		huge.Advise(p.ring[r])
	}
	p.shape.Store(log<<8 | shift)
	return p
}

func (p *posts) lay() lay {
	shape := p.shape.Load()
	return lay{shape >> 8, shape & 0xff}
}

// length is how many posts of a ring are used. The upper rings, which are short, go round less often: elements far ahead, whose posts others take over in the
// lower rings, have theirs there.
func (y lay) length(r int) uint64 { return max(8, uint64(1)<<(y.log&63)>>min(r, 3)) }

// bucket is the number of the bucket of a place in a ring.
func (y lay) bucket(place uint64, r int) uint64 { return place >> ((y.shift + uint32(r)) & 63) }

// at is where a ring has the post of a bucket.
func (p *posts) at(y lay, bucket uint64, r int) *post { return &p.ring[r][bucket&(y.length(r)-1)] }

// axis maps keys to numbers in the same order; neighbours may share one. Which map it is depends on what kind of key there is.
func axis[K cmp.Ordered](kind reflect.Kind, key K) uint64 {
	p := unsafe.Pointer(&key)
	switch kind {
	case reflect.Float64:
		return timekey.Of(*(*float64)(p))
	case reflect.Float32:
		return timekey.Of(float64(*(*float32)(p)))
	case reflect.Int64:
		return *(*uint64)(p) ^ 1<<63
	case reflect.Int:
		return uint64(int64(*(*int)(p))) ^ 1<<63
	case reflect.Int32:
		return uint64(int64(*(*int32)(p))) ^ 1<<63
	case reflect.Int16:
		return uint64(int64(*(*int16)(p))) ^ 1<<63
	case reflect.Int8:
		return uint64(int64(*(*int8)(p))) ^ 1<<63
	case reflect.Uint64:
		return *(*uint64)(p)
	case reflect.Uint:
		return uint64(*(*uint)(p))
	case reflect.Uintptr:
		return uint64(*(*uintptr)(p))
	case reflect.Uint32:
		return uint64(*(*uint32)(p))
	case reflect.Uint16:
		return uint64(*(*uint16)(p))
	case reflect.Uint8:
		return uint64(*(*uint8)(p))
	}
	var first [8]byte // of a string
	copy(first[:], *(*string)(p))
	return binary.BigEndian.Uint64(first[:])
}

// guide looks for an element from which to search for a key. It is so high that the search finds what comes before the place at all levels
// below height. Where a ring has none, the next one, with wider buckets, may have one. It returns the element, and the level at which to begin: the
// highest that all elements of the ring have. A link further up mostly leads past the place, and what it leads to would have to come from memory to tell.
func (l *List[K, V]) guide(key K, place uint64, height int) (start uint32, level int) {
	posts := l.posts.Load()
	lay := posts.lay()
	for r := range min(height, rings) - 1 { // what signpost will look at
		prefetch.Lines(unsafe.Pointer(posts.at(lay, lay.bucket(place, r), r)), 1)
	}
	for r := height - 1; r < rings; r++ {
		bucket := lay.bucket(place, r)
		for back := range uint64(4) {
			p := posts.at(lay, bucket-back, r)
			at := p.key.Load()
			if at > place || bucket-lay.bucket(at, r) > 3 {
				continue // after the key, or of another turn of the ring
			}
			// The stamp tells whether the node still has the element that stood here, which was linked then; being alive, it is linked now.
			name := p.name.Load()
			n := l.nodes.at(uint32(name))
			state := n.state.Load()
			if state&alive != 0 && stampOf(state) == uint32(name>>32) && heightOf(state) > r && !(key < n.key) {
				return uint32(name), r
			}
		}
	}
	return none, 0
}

// signpost names an element that has been inserted, unless its bucket has one that comes before it.
//
// The two words of a post may be read from different elements, and nothing comes of it: what a name stands for is looked at before it is believed. So
// nobody has to wait until they are stored.
func (l *List[K, V]) signpost(i, stamp uint32, place uint64, height int) {
	posts := l.posts.Load()
	lay := posts.lay()
	for r := range min(height, rings) {
		bucket := lay.bucket(place, r)
		p := posts.at(lay, bucket, r)
		at := p.key.Load()
		if place <= at || lay.bucket(at, r) != bucket || l.gone(p.name.Load()) {
			release.Store(&p.name, uint64(stamp)<<32|uint64(i))
			release.Store(&p.key, place)
		}
	}
}

// gone says that the element of a signpost is not there any more.
func (l *List[K, V]) gone(name uint64) bool {
	state := l.nodes.at(uint32(name)).state.Load()
	return state&alive == 0 || stampOf(state) != uint32(name>>32)
}

// survey looks at the gap into which an element was inserted, and now and then at whether buckets are about as wide as the gaps, and
// as many as the elements; if they are not, they are laid out anew. Only when there have never been so many before does that take memory.
func (l *List[K, V]) survey(s *seat) {
	pred, succ := s.preds[0], s.succs[0]
	if pred == headNode || succ == none {
		return
	}
	gap := axis(l.kind, l.nodes.at(succ).key) - axis(l.kind, l.nodes.at(pred).key)
	s.gaps += bits.Len64(gap)
	if s.surveys++; s.surveys < 256 {
		return
	}
	want := uint32(min(s.gaps/s.surveys, 64-rings))
	s.gaps, s.surveys = 0, 0
	posts := l.posts.Load()
	now := posts.lay()
	log, elements := now.log, l.elements()
	for 1<<log < elements {
		log++
	}
	for 1<<log > 4*elements && log > firstPosts {
		log--
	}
	if want+1 >= now.shift && want <= now.shift+1 {
		if log == now.log {
			return
		}
		want = now.shift
	}
	if 1<<log <= len(posts.ring[0]) {
		posts.shape.Store(log<<8 | want)
	} else {
		l.posts.CompareAndSwap(posts, newPosts(log, want))
	}
}
