package spray

import (
	"cmp"
	"encoding/binary"
	"reflect"
	"unsafe"

	"github.com/almanac-sim/almanac/internal/timekey"
)

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
