package population

import (
	"math"
	"math/bits"
)

// lived is how long individuals have lived, all together: person-time, in fixed point.
//
// A time is a whole number of ticks, of which there are 2⁶² or more in a run, and the sum is one of 128 bits; no number of
// individuals overflows it. So the sum is exact, and whoever adds it up, in whichever order, has the same one to the last
// bit. Rounding a time to a tick moves it by less than the clock does that a float64 keeps, but for the first instants.
type lived struct {
	ticks   float64 // in a unit of the model; a power of two
	high    uint64
	low     uint64
	changed uint64 // when the number of the living last changed, in ticks
}

// newLived counts for a run that ends at a time.
func newLived(end float64) lived {
	_, exponent := math.Frexp(end) // end < 2^exponent
	return lived{ticks: math.Ldexp(1, min(1000, 63-exponent))}
}

// until adds what so many have lived since the last time.
func (l *lived) until(now float64, alive int) {
	tick := uint64(now * l.ticks)
	high, low := bits.Mul64(tick-l.changed, uint64(alive))
	var carry uint64
	l.low, carry = bits.Add64(l.low, low, 0)
	l.high += high + carry
	l.changed = tick
}

// add adds what some have lived, and takes away what others have not.
func (l *lived) add(more, less wide) {
	var carry uint64
	l.low, carry = bits.Add64(l.low, more.low, 0)
	l.high, _ = bits.Add64(l.high, more.high, carry)
	l.low, carry = bits.Sub64(l.low, less.low, 0)
	l.high, _ = bits.Sub64(l.high, less.high, carry)
}

// time is the sum, in units of the model.
func (l *lived) time() float64 {
	return (math.Ldexp(float64(l.high), 64) + float64(l.low)) / l.ticks
}
