package spray

import (
	"cmp"
	"math"
	"math/bits"
	"reflect"
	"unsafe"

	"github.com/almanac-sim/almanac/internal/timekey"
)

// A bucket should have as many elements as a line has hints, where most insertions go. So
// insertions measure the gaps that they find, and now and then the layout of the hints is changed.
// That makes most hints useless, and they are added again only as insertions come by: it should be
// rare.
//
// Keys that are floating-point numbers are mostly times, whose gaps stay the same while times grow.
// Buckets of equal width suit them; buckets of equal numbers of representable keys would have to
// change whenever times double. But where gaps grow with the keys, the latter suit better. The list
// uses the one under which gaps vary less.

// gapStats is what a participant knows of gaps: in places that are bits of keys, and in linear
// ones.
type gapStats struct {
	count           int // of gaps since buckets were found to be right, or were changed
	seen            int // of those whose spread is known
	bitwise, linear gapSums
	middle          int // about the mean of the last few, of linear ones
}

// gapSums are sums over the logarithms of gaps.
type gapSums struct {
	few, many    int // of the last few, and of the last many
	sum, squares int // of those whose spread is known
}

func (g *gapSums) add(log int) {
	g.few += log
	g.many += log
	g.sum += log
	g.squares += log * log
}

// spread is the variance.
func (g *gapSums) spread(count int) float64 {
	mean := float64(g.sum) / float64(count)
	return float64(g.squares)/float64(count) - mean*mean
}

const (
	few    = 64   // gaps that show when a width is wrong by far
	many   = 4096 // gaps that show when it is wrong by little
	enough = 1024 // gaps that show how they vary

	// outlier bounds how far from the others a gap is taken to be: the few elements that are never
	// due do not show how far apart the others are.
	outlier = 16
)

// widthFor is the binary logarithm of the best width of buckets, by a sum of logarithms of gaps. A
// gap that an insertion has found is wider than most, and gaps near the front, where most
// insertions go, are narrower than the mean: a bucket of two such gaps has some 10 elements there.
func widthFor(sum, count int) float64 { return float64(sum)/float64(count) + 0.9 }

// adaptHints measures the gap into which an element was inserted. Now and then it checks whether
// buckets have the right width, and are a quarter as many as the elements; if not, it changes the
// layout. That allocates only when there are more elements than ever before.
func (l *List[K, V]) adaptHints(p *participant, key K) {
	pred, succ, hints := p.Local.preds[0], p.Local.succs[0], l.hints.Load()
	if hints == nil || pred == headNode { // a search from the head is short
		return
	}
	end := key // behind all others, the gap is the one before it
	if succ != none {
		end = l.nodes.At(succ).key
	}
	bitwise, linear, ok := gapOf(l.kind, l.nodes.At(pred).key, end)
	if !ok {
		return
	}
	v := &p.Local.gaps
	v.bitwise.add(bitwise)
	v.linear.add(min(max(linear, v.middle-outlier), v.middle+outlier))
	if v.count++; v.count%few != 0 {
		return
	}
	now := hints.layout()
	isLinear, width := v.best(now, l.real)
	if isLinear == now.linear && width == now.width() && v.count%256 != 0 {
		return // elements are counted more rarely: that looks at all participants
	}
	log, elements := now.log, l.epochs.Total()
	for hintsPerLine/2<<log < elements {
		log++
	}
	for 1<<log > elements && log > firstHints {
		log--
	}
	if log == now.log && isLinear == now.linear && width == now.width() {
		return
	}
	if 1<<log <= len(hints.ring[0]) {
		hints.shape.Store(shapeOf(log, isLinear, width))
	} else {
		l.hints.CompareAndSwap(hints, newHintTable(log, isLinear, width))
	}
}

// best returns how buckets should be laid out, after few more gaps. A width that is wrong by little
// stays until many gaps have shown it.
func (v *gapStats) best(now layout, real bool) (linear bool, width int) {
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
			width = min(max(width, 0), 64-ringLevels*rings)
		}
	}
	v.middle = v.linear.few / few
	v.bitwise.few, v.linear.few = 0, 0
	if wrong > most || v.count == many {
		v.count, v.bitwise.many, v.linear.many = 0, 0, 0
	}
	return linear, width
}

// axis maps keys, which are numbers, to places in the same order; neighbours may share one. The map
// depends on the kind of key, and for floating-point numbers on the layout.
func axis[K cmp.Ordered](kind reflect.Kind, y layout, key K) uint64 {
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

// placeOf is the place of a floating-point number. If places are linear, it is ⌊x·2^scale⌋ modulo
// 2⁶⁴: after that many places they begin again, and the keys of the nodes that are named show
// whether a hint is meant.
func placeOf(y layout, x float64) uint64 {
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

// gapOf is about the binary logarithm of the distance between two keys of which the second is not
// less, in places that are not linear, and for floating-point numbers in keys. ok is false if it is
// not defined.
func gapOf[K cmp.Ordered](kind reflect.Kind, a, b K) (bitwise, linear int, ok bool) {
	p, q := unsafe.Pointer(&a), unsafe.Pointer(&b)
	d := 0.0
	switch kind {
	case reflect.Float64:
		d = *(*float64)(q) - *(*float64)(p)
	case reflect.Float32:
		d = float64(*(*float32)(q)) - float64(*(*float32)(p))
	}
	bitwise = bits.Len64(axis(kind, layout{}, b) - axis(kind, layout{}, a))
	return bitwise, int(math.Float64bits(d)>>52) - 1022, bitwise > 0 && d <= math.MaxFloat64
}
