package spray

import (
	"cmp"
	"math"
	"math/bits"
	"reflect"
	"unsafe"

	"github.com/almanac-sim/almanac/internal/timekey"
)

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
