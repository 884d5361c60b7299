package quantity

import (
	"fmt"
	"math"
)

// A Dimension is a power of time, N/D in lowest terms with D above 0: a duration is 1, a rate −1
// and a number 0. Powers that are not whole arise from roots: of two rates, sqrt(a * b) is a rate,
// but sqrt(a) * sqrt(b) is one by way of two factors whose dimension is −1/2.
type Dimension struct{ N, D int }

// The dimensions of a number, a duration and a rate.
var (
	Dimensionless     = Dimension{0, 1}
	DurationDimension = Dimension{1, 1}
	RateDimension     = Dimension{-1, 1}
)

// MaxPower bounds N and D, so that they cannot overflow. No meaningful expression comes near.
const MaxPower = 1000

// reduce returns n/d in lowest terms, and reports whether it is within MaxPower.
func reduce(n, d int) (Dimension, bool) {
	a, b := max(n, -n), d
	for b != 0 {
		a, b = b, a%b
	}
	if a == 0 {
		return Dimensionless, true
	}
	n, d = n/a, d/a
	return Dimension{n, d}, max(n, -n) <= MaxPower && d <= MaxPower
}

// Mul returns the dimension of a product: powers add up.
func (a Dimension) Mul(b Dimension) (Dimension, bool) { return reduce(a.N*b.D+b.N*a.D, a.D*b.D) }

// Div returns the dimension of a quotient.
func (a Dimension) Div(b Dimension) (Dimension, bool) { return a.Mul(Dimension{-b.N, b.D}) }

// Pow returns the dimension of a power. A power of a time has one only if the exponent is a
// fraction with a denominator of at most 12.
func (a Dimension) Pow(exponent float64) (Dimension, bool) {
	if a.N == 0 {
		return Dimensionless, true
	}
	for d := 1; d <= 12; d++ {
		n := math.Round(exponent * float64(d))
		if math.Abs(n-float64(exponent*float64(d))) < 1e-9 && math.Abs(n) <= MaxPower {
			return reduce(a.N*int(n), a.D*d)
		}
	}
	return Dimension{}, false
}

// Kind returns the kind of a quantity with this dimension.
func (a Dimension) Kind() Kind {
	switch a {
	case Dimensionless:
		return Number
	case DurationDimension:
		return Duration
	case RateDimension:
		return Rate
	}
	return Power
}

// Dimension returns the dimension of a quantity of this kind.
func (k Kind) Dimension() Dimension {
	switch k {
	case Duration:
		return DurationDimension
	case Rate:
		return RateDimension
	}
	return Dimensionless
}

// Describe describes a quantity of this dimension in a message.
func (a Dimension) Describe(u Unit) string {
	if k := a.Kind(); k != Power {
		return k.String()
	}
	if a.D == 1 {
		return fmt.Sprintf("a number in %s^%d", u.Name, a.N)
	}
	return fmt.Sprintf("a number in %s^(%d/%d)", u.Name, a.N, a.D)
}
