package population

import (
	"fmt"
	"math"
)

// A dimension is a power of time, n/d with d above 0 and no common divisor: a duration is 1, a rate −1 and a number 0. Powers that are not whole arise
// from roots: sqrt(a * b) of two rates is a rate, by way of nothing that is none, but sqrt(a) * sqrt(b) goes through time to the −1/2.
type dimension struct{ n, d int }

var (
	noDimension = dimension{0, 1}
	ofDuration  = dimension{1, 1}
	ofRate      = dimension{-1, 1}
)

// mostPower bounds powers of time, above and below the line. Nothing that means anything comes near.
const mostPower = 1000

// lowest is n/d in lowest terms; false if it is out of bounds.
func lowest(n, d int) (dimension, bool) {
	a, b := max(n, -n), d
	for b != 0 {
		a, b = b, a%b
	}
	if a == 0 {
		return noDimension, true
	}
	n, d = n/a, d/a
	return dimension{n, d}, max(n, -n) <= mostPower && d <= mostPower
}

// plus is the dimension of a product.
func (a dimension) plus(b dimension) (dimension, bool) { return lowest(a.n*b.d+b.n*a.d, a.d*b.d) }

// minus is the dimension of a quotient.
func (a dimension) minus(b dimension) (dimension, bool) { return a.plus(dimension{-b.n, b.d}) }

// times is the dimension of a power. The exponent must be a fraction of small numbers, if it is to mean anything.
func (a dimension) times(exponent float64) (dimension, bool) {
	if a.n == 0 {
		return noDimension, true
	}
	for d := 1; d <= 12; d++ {
		if n := math.Round(exponent * float64(d)); math.Abs(n-float64(exponent*float64(d))) < 1e-9 && math.Abs(n) <= mostPower {
			return lowest(a.n*int(n), a.d*d)
		}
	}
	return dimension{}, false
}

// kind is what a number of the dimension is.
func (a dimension) kind() kind {
	switch a {
	case noDimension:
		return aNumber
	case ofDuration:
		return aDuration
	case ofRate:
		return aRate
	}
	return aPower
}

// dimension is that of a kind.
func (k kind) dimension() dimension {
	switch k {
	case aDuration:
		return ofDuration
	case aRate:
		return ofRate
	}
	return noDimension
}

// words says what a number of the dimension is.
func (a dimension) words(u unit) string {
	if k := a.kind(); k != aPower {
		return k.String()
	}
	if a.d == 1 {
		return fmt.Sprintf("a number in %s^%d", u.name, a.n)
	}
	return fmt.Sprintf("a number in %s^(%d/%d)", u.name, a.n, a.d)
}
