package syntax

import (
	"fmt"
	"math"
)

// A Dimension is a power of time, n/d with d above 0 and no common divisor: a duration is 1, a rate −1 and a number 0. Powers that are not whole arise
// from roots: sqrt(a * b) of two rates is a rate, by way of nothing that is none, but sqrt(a) * sqrt(b) goes through time to the −1/2.
type Dimension struct{ N, D int }

var (
	NoDimension = Dimension{0, 1}
	OfDuration  = Dimension{1, 1}
	OfRate      = Dimension{-1, 1}
)

// MostPower bounds powers of time, above and below the line. Nothing that means anything comes near.
const MostPower = 1000

// reduce is n/d in lowest terms; false if it is out of bounds.
func reduce(n, d int) (Dimension, bool) {
	a, b := max(n, -n), d
	for b != 0 {
		a, b = b, a%b
	}
	if a == 0 {
		return NoDimension, true
	}
	n, d = n/a, d/a
	return Dimension{n, d}, max(n, -n) <= MostPower && d <= MostPower
}

// Plus is the dimension of a product.
func (a Dimension) Plus(b Dimension) (Dimension, bool) { return reduce(a.N*b.D+b.N*a.D, a.D*b.D) }

// Minus is the dimension of a quotient.
func (a Dimension) Minus(b Dimension) (Dimension, bool) { return a.Plus(Dimension{-b.N, b.D}) }

// Times is the dimension of a power. The exponent must be a fraction of small numbers, if it is to mean anything.
func (a Dimension) Times(exponent float64) (Dimension, bool) {
	if a.N == 0 {
		return NoDimension, true
	}
	for d := 1; d <= 12; d++ {
		if n := math.Round(exponent * float64(d)); math.Abs(n-float64(exponent*float64(d))) < 1e-9 && math.Abs(n) <= MostPower {
			return reduce(a.N*int(n), a.D*d)
		}
	}
	return Dimension{}, false
}

// Kind is what a number of the dimension is.
func (a Dimension) Kind() Kind {
	switch a {
	case NoDimension:
		return KindNumber
	case OfDuration:
		return KindDuration
	case OfRate:
		return KindRate
	}
	return KindPower
}

// Dimension is that of a kind.
func (k Kind) Dimension() Dimension {
	switch k {
	case KindDuration:
		return OfDuration
	case KindRate:
		return OfRate
	}
	return NoDimension
}

// Words says what a number of the dimension is.
func (a Dimension) Words(u Unit) string {
	if k := a.Kind(); k != KindPower {
		return k.String()
	}
	if a.D == 1 {
		return fmt.Sprintf("a number in %s^%d", u.Name, a.N)
	}
	return fmt.Sprintf("a number in %s^(%d/%d)", u.Name, a.N, a.D)
}
