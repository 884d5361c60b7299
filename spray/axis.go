package spray

import (
	"cmp"
	"math"
	"math/bits"
	"reflect"
	"unsafe"
)

// axis maps keys, which are numbers of a kind, to places in the same order: to x·2^scale without what comes after the point, modulo 2⁶⁴. Neighbours may share a place. After so many
// buckets places begin again, and the nodes that posts name tell what is meant.
func axis[K cmp.Ordered](kind reflect.Kind, y lay, key K) uint64 {
	m, shift, negative := y.parts(kind, unsafe.Pointer(&key), unsafe.Sizeof(key))
	if shift >= 0 {
		m <<= uint(shift)
	} else {
		m >>= uint(-shift)
	}
	if negative {
		return -m
	}
	return m
}

// parts are those of a number: it is ±m·2^shift, where the scale of the lay is in the shift.
func (y lay) parts(kind reflect.Kind, p unsafe.Pointer, size uintptr) (m uint64, shift int, negative bool) {
	if kind != reflect.Float64 && kind != reflect.Float32 {
		m = integer(kind, p, size)
		if negative = kind <= reflect.Int64 && m>>63 != 0; negative {
			m = -m
		}
		return m, y.scale, negative
	}
	b := math.Float64bits(real(kind, p))
	m, exponent := b&(1<<52-1)|1<<52, int(b>>52&0x7ff)
	if exponent == 0 {
		m, exponent = b&(1<<52-1), 1
	}
	return m, exponent - 1075 + y.scale, b>>63 != 0
}

// integer is a key that is an integer, extended to 64 bits.
func integer(kind reflect.Kind, p unsafe.Pointer, size uintptr) (x uint64) {
	switch size {
	case 8:
		return *(*uint64)(p)
	case 4:
		x = uint64(*(*uint32)(p))
	case 2:
		x = uint64(*(*uint16)(p))
	case 1:
		x = uint64(*(*uint8)(p))
	}
	if above := 64 - 8*size; kind <= reflect.Int64 { // of the kinds of integers, those with a sign come first
		return uint64(int64(x<<above) >> above)
	}
	return x
}

// real is a key that is a floating-point number.
func real(kind reflect.Kind, p unsafe.Pointer) float64 {
	if kind == reflect.Float32 {
		return float64(*(*float32)(p))
	}
	return *(*float64)(p)
}

// gapOf is about the binary logarithm of the distance between two keys, if the second is larger and it can be told.
func gapOf[K cmp.Ordered](kind reflect.Kind, a, b K) (log int, ok bool) {
	p, q := unsafe.Pointer(&a), unsafe.Pointer(&b)
	if kind == reflect.Float64 || kind == reflect.Float32 {
		d := real(kind, q) - real(kind, p)
		return int(math.Float64bits(d)>>52) - 1022, d > 0 && d <= math.MaxFloat64
	}
	log = bits.Len64(integer(kind, q, unsafe.Sizeof(b)) - integer(kind, p, unsafe.Sizeof(a)))
	return log, log > 0
}
