package engine

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
	sum     wide
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
	l.sum.add(wide{high, low})
	l.changed = tick
}

// time is the sum, in units of the model.
func (l *lived) time() float64 {
	return (math.Ldexp(float64(l.sum.high), 64) + float64(l.sum.low)) / l.ticks
}

// A wide is an unsigned number of 128 bits.
type wide struct{ high, low uint64 }

func (w *wide) add(x wide) {
	var carry uint64
	w.low, carry = bits.Add64(w.low, x.low, 0)
	w.high, _ = bits.Add64(w.high, x.high, carry)
}

func (w *wide) subtract(x wide) {
	var borrow uint64
	w.low, borrow = bits.Sub64(w.low, x.low, 0)
	w.high, _ = bits.Sub64(w.high, x.high, borrow)
}
