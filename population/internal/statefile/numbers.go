package statefile

import (
	"encoding/binary"
	"errors"
	"unsafe"
)

// A Number is what slices are written as they lie in memory.
type Number interface {
	~uint8 | ~uint16 | ~uint32 | ~uint64 | ~int32 | ~int64 | ~float64
}

// Bytes returns the bytes that a slice has in memory, without copying them.
func Bytes[T Number](s []T) []byte {
	var one T
	return unsafe.Slice((*byte)(unsafe.Pointer(unsafe.SliceData(s))), len(s)*int(unsafe.Sizeof(one)))
}

// CheckOrder returns an error on machines whose numbers are not little-endian, as those of files
// are.
func CheckOrder() error {
	if binary.NativeEndian.Uint16([]byte{1, 0}) != 1 {
		return errors.New("states can be saved and read on little-endian machines only, and this is none")
	}
	return nil
}
