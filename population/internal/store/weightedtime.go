package store

import (
	"math"
	"math/bits"
)

// WeightedTime is the integral of a sum of weights over time, in fixed point: weights change, and
// each counts for the time that it is there.
//
// A weight w that is added at time s and still there at t adds w·(t − s). So the integral is W·t −
// M, with the sum W of the weights that are there and M of each weight times the time at which it
// was added. Weights and times are whole numbers, and both sums are modulo 2¹²⁸: the result is
// exact if it fits 127 bits and a sign, whatever the sums were in between, and does not depend on
// the order in which weights were added.
//
// Add takes constant time; a WeightedTime takes 32 bytes. It must not be used from several
// goroutines at once.
type WeightedTime struct{ weight, moment Uint128 }

// Add adds a weight, which may be negative, at a time.
func (s *WeightedTime) Add(w int64, at uint64) {
	if w >= 0 {
		s.weight.AddUint64(uint64(w))
		high, low := bits.Mul64(uint64(w), at)
		s.moment.Add(Uint128{high, low})
		return
	}
	s.weight.Subtract(Uint128{0, -uint64(w)})
	high, low := bits.Mul64(-uint64(w), at)
	s.moment.Subtract(Uint128{high, low})
}

// Until returns the integral up to a time.
func (s *WeightedTime) Until(at uint64) Uint128 {
	high, low := bits.Mul64(s.weight.low, at)
	sum := Uint128{high + s.weight.high*at, low}
	sum.Subtract(s.moment)
	return sum
}

// Weight returns the sum of the weights that are there.
func (s *WeightedTime) Weight() Uint128 { return s.weight }

// Signed returns x as a number with a sign, in two's complement.
func (x Uint128) Signed() float64 {
	if x.high>>63 == 0 {
		return math.Ldexp(float64(x.high), 64) + float64(x.low)
	}
	var negative Uint128
	negative.Subtract(x)
	return -(math.Ldexp(float64(negative.high), 64) + float64(negative.low))
}

// AddInt64 adds x, which may be negative, to w.
func (w *Uint128) AddInt64(x int64) {
	if x >= 0 {
		w.AddUint64(uint64(x))
		return
	}
	w.Subtract(Uint128{0, -uint64(x)})
}
