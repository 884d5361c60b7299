package calendar

import "math"

// Times are kept as keys: unsigned integers in the same order as the times they stand for. Buckets are then runs of keys
// that share their leading bits, found by a shift: no rounding, no drift, no width that could be zero, infinite or not a
// number, and never more than 64 bits to tell any two times apart, however far or near they are.

const (
	// noKey marks an id without an event. It is the key of a NaN, so no finite time has it.
	noKey uint64 = 0
	// pastAll is above the key of every finite time.
	pastAll uint64 = math.MaxUint64

	// firstKey and lastKey are those of the least and the greatest float64.
	firstKey uint64 = 1 << 52
	lastKey  uint64 = math.MaxUint64 - 1<<52

	signBit = 1 << 63
)

// keyOf maps a finite time to its key: negative numbers have all their bits flipped, the others their sign bit.
// Adding zero turns minus zero into zero, which it must equal.
func keyOf(t float64) uint64 {
	b := math.Float64bits(t + 0)
	return b ^ (uint64(int64(b)>>63) | signBit)
}

// timeOf is the inverse of keyOf.
func timeOf(k uint64) float64 {
	return math.Float64frombits(k ^ (uint64(int64(^k)>>63) | signBit))
}
