// Package frame encodes a message of a head and a body, and lists of numbers.
package frame

import (
	"encoding/binary"
	"errors"
	"math"
)

// Join returns the length of head in four bytes, head, and body.
func Join(head, body []byte) []byte {
	data := make([]byte, 4, 4+len(head)+len(body))
	binary.LittleEndian.PutUint32(data, uint32(len(head)))
	return append(append(data, head...), body...)
}

// Split undoes [Join]. The slices share the memory of data.
func Split(data []byte) (head, body []byte, err error) {
	if len(data) < 4 || uint64(binary.LittleEndian.Uint32(data)) > uint64(len(data)-4) {
		return nil, nil, errors.New("the message is truncated")
	}
	n := 4 + int(binary.LittleEndian.Uint32(data))
	return data[4:n:n], data[n:], nil
}

// EncodeFloats encodes numbers in eight bytes each, infinities and NaN included.
func EncodeFloats(numbers []float64) []byte {
	b := make([]byte, 0, 8*len(numbers))
	for _, x := range numbers {
		b = binary.LittleEndian.AppendUint64(b, math.Float64bits(x))
	}
	return b
}

// DecodeFloats undoes [EncodeFloats].
func DecodeFloats(b []byte) ([]float64, error) {
	if len(b)%8 != 0 {
		return nil, errors.New("the message is truncated")
	}
	numbers := make([]float64, len(b)/8)
	for i := range numbers {
		numbers[i] = math.Float64frombits(binary.LittleEndian.Uint64(b[8*i:]))
	}
	return numbers, nil
}
