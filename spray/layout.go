package spray

import (
	"cmp"
	"math"
	"math/bits"
	"reflect"
	"unsafe"

	"github.com/almanac-sim/almanac/internal/timekey"
)

// Buckets of signposts should have as many elements as a board has room for, where most insertions go. So insertions look at the gaps they find, and now and then
// buckets are laid out anew. That costs most posts their place, and they are put up again only as insertions come by: it should be rare.
//
// Keys that are floating-point numbers are mostly times, whose gaps stay as they are while times grow. Buckets of equal width suit them; buckets of equal
// numbers of representable keys would have to be laid out anew whenever times double. But where gaps grow with the keys, the latter suit better: the list
// looks at which of the two has the gaps more alike.

// A survey is what a seat knows of gaps: by places that are bits of keys, and by linear ones.
type survey struct {
	count           int // of gaps since buckets were found to be right, or were changed
	seen            int // of those whose spread is known
	bitwise, linear gaps
	middle          int // about the mean of the last few, of linear ones
}

// gaps are sums over the logarithms of gaps.
type gaps struct {
	few, many    int // of the last few, and of the last many
	sum, squares int // of those whose spread is known
}

func (g *gaps) add(log int) {
	g.few += log
	g.many += log
	g.sum += log
	g.squares += log * log
}

// spread is the variance.
func (g *gaps) spread(count int) float64 {
	mean := float64(g.sum) / float64(count)
	return float64(g.squares)/float64(count) - mean*mean
}

const (
	few    = 64   // gaps that tell when a width is wrong by far
	many   = 4096 // and when it is by little
	enough = 1024 // to tell how alike they are

	// outlier is how far from the others a gap is taken to be at most: the few elements that are never due do not tell how far apart the others are.
	outlier = 16
)

// widthFor is the binary logarithm of the best width of buckets, by a sum of logarithms of gaps. A gap that an insertion has found is wider than most, and those near
// the front, where most insertions go, are narrower than the mean tells: a bucket of two such gaps has some 10 elements there.
func widthFor(sum, count int) float64 { return float64(sum)/float64(count) + 0.9 }

// survey looks at the gap into which an element was inserted, and now and then at whether buckets are as wide as they should be, and
// a quarter as many as the elements; if they are not, they are laid out anew. Only when there have never been so many before does that take memory.
func (l *List[K, V]) survey(p *participant, key K) {
	pred, succ, posts := p.Local.preds[0], p.Local.succs[0], l.posts.Load()
	if posts == nil || pred == headNode { // a search from the head is short
		return
	}
	end := key // of what is inserted behind all others, a gap comes to be before it
	if succ != none {
		end = l.nodes.At(succ).key
	}
	bitwise, linear, ok := gapOf(l.kind, l.nodes.At(pred).key, end)
	if !ok {
		return
	}
	v := &p.Local.survey
	v.bitwise.add(bitwise)
	v.linear.add(min(max(linear, v.middle-outlier), v.middle+outlier))
	if v.count++; v.count%few != 0 {
		return
	}
	now := posts.lay()
	isLinear, width := v.best(now, l.real)
	if isLinear == now.linear && width == now.width() && v.count%256 != 0 {
		return // elements are counted more rarely: that looks at all seats
	}
	log, elements := now.log, l.epochs.Total()
	for perBoard/2<<log < elements {
		log++
	}
	for 1<<log > elements && log > firstPosts {
		log--
	}
	if log == now.log && isLinear == now.linear && width == now.width() {
		return
	}
	if 1<<log <= len(posts.ring[0]) {
		posts.shape.Store(shapeOf(log, isLinear, width))
	} else {
		l.posts.CompareAndSwap(posts, newPosts(log, isLinear, width))
	}
}

// best says how buckets are to be laid out, whenever few more gaps have been seen. What is wrong by little stays until many say so.
func (v *survey) best(now lay, real bool) (linear bool, width int) {
	linear, width = now.linear, now.width()
	if v.seen += few; v.seen == enough {
		ratio := v.linear.spread(enough) / v.bitwise.spread(enough)
		if real && (linear && ratio > 2.4 || !linear && ratio < 1.6) {
			linear = !linear
		}
		v.seen = 0
		v.linear.sum, v.linear.squares, v.bitwise.sum, v.bitwise.squares = 0, 0, 0, 0
	}
	g := &v.bitwise
	if linear {
		g = &v.linear
	}
	ideal := widthFor(g.few, few)
	wrong, most := math.Abs(ideal-float64(width)), 1.6
	if linear != now.linear {
		most = 0
	} else if wrong <= most && v.count == many {
		ideal, most = widthFor(g.many, many), 0.8
		wrong = math.Abs(ideal - float64(width))
	}
	if wrong > most {
		width = int(math.Round(ideal))
		if !linear {
			width = min(max(width, 0), 64-storey*rings)
		}
	}
	v.middle = v.linear.few / few
	v.bitwise.few, v.linear.few = 0, 0
	if wrong > most || v.count == many {
		v.count, v.bitwise.many, v.linear.many = 0, 0, 0
	}
	return linear, width
}

// axis maps keys, which are numbers, to places in the same order; neighbours may share one. Which map it is depends on what kind of key there is, and for floating-point numbers on
// the lay of buckets.
func axis[K cmp.Ordered](kind reflect.Kind, y lay, key K) uint64 {
	p := unsafe.Pointer(&key)
	switch kind {
	case reflect.Float64:
		return placeOf(y, *(*float64)(p))
	case reflect.Float32:
		return placeOf(y, float64(*(*float32)(p)))
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
	panic("spray: an axis is for numbers")
}

// placeOf is the place of a floating-point number. If places are linear, it is x·2^scale without what comes after the point, modulo 2⁶⁴: after so many buckets they
// begin again, and the nodes that posts name tell what is meant.
func placeOf(y lay, x float64) uint64 {
	if !y.linear {
		return timekey.Of(x)
	}
	b := math.Float64bits(x)
	exponent := int(b >> 52 & 0x7ff)
	m := b&(1<<52-1) | 1<<52
	if exponent == 0 {
		m, exponent = b&(1<<52-1), 1
	}
	if shift := exponent - 1075 + y.scale; shift >= 0 {
		m <<= uint(shift)
	} else {
		m >>= uint(-shift)
	}
	if x < 0 {
		return -m
	}
	return m
}

// gapOf is about the binary logarithm of the distance between two keys of which the second is not the lesser, in places that are not linear, and for floating-point
// numbers in keys, if it can be told.
func gapOf[K cmp.Ordered](kind reflect.Kind, a, b K) (bitwise, linear int, ok bool) {
	p, q := unsafe.Pointer(&a), unsafe.Pointer(&b)
	d := 0.0
	switch kind {
	case reflect.Float64:
		d = *(*float64)(q) - *(*float64)(p)
	case reflect.Float32:
		d = float64(*(*float32)(q)) - float64(*(*float32)(p))
	}
	bitwise = bits.Len64(axis(kind, lay{}, b) - axis(kind, lay{}, a))
	return bitwise, int(math.Float64bits(d)>>52) - 1022, bitwise > 0 && d <= math.MaxFloat64
}
