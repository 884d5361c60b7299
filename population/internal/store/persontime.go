package store

import (
	"math"
	"math/bits"
)

// PersonTime adds up the time that individuals live, all together: person-time, in fixed point.
//
// A time is a whole number of ticks, of which a run has at least 2⁶², and the sum has 128 bits,
// which no number of individuals overflows. So the sum is exact, and the same to the last bit in
// whatever order it is added up, by however many goroutines. A tick is shorter than the distance of
// two neighbouring float64 values after the first thousandth of the run, so that only the times
// before are rounded at all.
//
// All methods take constant time. A PersonTime must not be used from several goroutines at once;
// shards add up Uint128s of their own.
type PersonTime struct {
	perUnit float64 // ticks in a unit of the model's time; a power of two
	Sum     Uint128 // in ticks
	changed uint64  // when the number of the living last changed, in ticks
}

// NewPersonTime returns the person-time of a run that ends at a time, with nothing added.
func NewPersonTime(end float64) PersonTime {
	_, exponent := math.Frexp(end) // end < 2^exponent
	return PersonTime{perUnit: math.Ldexp(1, min(1000, 63-exponent))}
}

// Ticks returns a time in ticks.
func (l *PersonTime) Ticks(t float64) uint64 { return uint64(t * l.perUnit) }

// AdvanceTo adds the time from the last call, or the start, until now, for the number of the
// living.
func (l *PersonTime) AdvanceTo(now float64, alive int) {
	tick := l.Ticks(now)
	high, low := bits.Mul64(tick-l.changed, uint64(alive))
	l.Sum.Add(Uint128{high, low})
	l.changed = tick
}

// Time returns the sum in units of the model's time.
func (l *PersonTime) Time() float64 {
	return (math.Ldexp(float64(l.Sum.high), 64) + float64(l.Sum.low)) / l.perUnit
}

// A Uint128 is an unsigned integer of 128 bits. Sums wrap around.
type Uint128 struct{ high, low uint64 }

// Add adds x to w.
func (w *Uint128) Add(x Uint128) {
	var carry uint64
	w.low, carry = bits.Add64(w.low, x.low, 0)
	w.high, _ = bits.Add64(w.high, x.high, carry)
}

// AddUint64 adds x to w.
func (w *Uint128) AddUint64(x uint64) { w.Add(Uint128{0, x}) }

// Subtract subtracts x from w.
func (w *Uint128) Subtract(x Uint128) {
	var borrow uint64
	w.low, borrow = bits.Sub64(w.low, x.low, 0)
	w.high, _ = bits.Sub64(w.high, x.high, borrow)
}
