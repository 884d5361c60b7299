package store

import (
	"math"
	"math/bits"
)

// PersonTime is how long individuals have lived, all together: person-time, in fixed point.
//
// A time is a whole number of ticks, of which there are 2⁶² or more in a run, and the sum is one of 128 bits; no number of
// individuals overflows it. So the sum is exact, and whoever adds it up, in whichever order, has the same one to the last
// bit. Rounding a time to a tick moves it by less than the clock does that a float64 keeps, but for the first instants.
type PersonTime struct {
	Ticks   float64 // in a unit of the model; a power of two
	Sum     Uint128
	changed uint64 // when the number of the living last changed, in ticks
}

// NewPersonTime counts for a run that ends at a time.
func NewPersonTime(end float64) PersonTime {
	_, exponent := math.Frexp(end) // end < 2^exponent
	return PersonTime{Ticks: math.Ldexp(1, min(1000, 63-exponent))}
}

// Until adds what so many have lived since the last time.
func (l *PersonTime) Until(now float64, alive int) {
	tick := uint64(now * l.Ticks)
	high, low := bits.Mul64(tick-l.changed, uint64(alive))
	l.Sum.Add(Uint128{high, low})
	l.changed = tick
}

// Time is the sum, in units of the model.
func (l *PersonTime) Time() float64 {
	return (math.Ldexp(float64(l.Sum.high), 64) + float64(l.Sum.Low)) / l.Ticks
}

// A Uint128 is an unsigned number of 128 bits.
type Uint128 struct{ high, Low uint64 }

func (w *Uint128) Add(x Uint128) {
	var carry uint64
	w.Low, carry = bits.Add64(w.Low, x.Low, 0)
	w.high, _ = bits.Add64(w.high, x.high, carry)
}

func (w *Uint128) Subtract(x Uint128) {
	var borrow uint64
	w.Low, borrow = bits.Sub64(w.Low, x.Low, 0)
	w.high, _ = bits.Sub64(w.high, x.high, borrow)
}
