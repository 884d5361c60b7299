// Package timekey maps times to keys: unsigned integers in the same order as the times they stand
// for.
//
// The bits of a float64, sign, exponent and mantissa from the top, are in the order of the numbers
// as long as these are positive: a larger exponent, or with the same one a larger mantissa, is a
// larger number. Negative ones are in the opposite order and, by their sign bit, above. So these
// have all their bits flipped, and the others their sign bit.
//
//	bits                 number       key
//	ffef ffff ffff ffff  −MaxFloat64  0010 0000 0000 0000  First
//	8000 0000 0000 0001  −5e−324      7fff ffff ffff fffe
//	0000 0000 0000 0000  0, and −0    8000 0000 0000 0000  Zero
//	0000 0000 0000 0001  5e−324       8000 0000 0000 0001
//	7fef ffff ffff ffff  MaxFloat64   ffef ffff ffff ffff  Last
//	7ff0 0000 0000 0000  +∞           fff0 0000 0000 0000  Infinity
//
// Buckets of time are then runs of keys that share their leading bits, found by a shift: no
// rounding, no drift, no width that could be zero, infinite or NaN, and never more than 64 bits to
// tell any two times apart, however far or near they are.
package timekey

import "math"

const (
	None     uint64 = 0                           // the key of a NaN, so no time has it
	First    uint64 = 1 << 52                     // of −MaxFloat64, the least finite time
	Zero     uint64 = 1 << 63                     // of 0 and of −0
	Last     uint64 = math.MaxUint64 - Octave     // of MaxFloat64, the greatest finite time
	Infinity uint64 = math.MaxUint64 - Octave + 1 // of +∞, which is above those of all finite times
	PastAll  uint64 = math.MaxUint64              // above all keys

	// Octave is how far the key of twice a positive time is from that of the time.
	Octave uint64 = 1 << 52
)

// Of is the key of a time, which must not be NaN. Adding zero turns −0 into 0, which it must equal.
func Of(t float64) uint64 {
	b := math.Float64bits(t + 0)
	return b ^ (uint64(int64(b)>>63) | 1<<63)
}

// Time is the time of a key, the inverse of Of.
func Time(key uint64) float64 {
	return math.Float64frombits(key ^ (uint64(int64(^key)>>63) | 1<<63))
}
