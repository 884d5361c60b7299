package detmath

import "math"

// The two parts of 2π.
const (
	twoPiHigh = 0x1.921fb54442d18p+2
	twoPiLow  = 2*math.Pi - twoPiHigh
)

// CosTurns is cos(2πx), the cosine of x full turns. It is exact at multiples of a quarter.
func CosTurns(x float64) float64 {
	if !(math.Abs(x) <= math.MaxFloat64) {
		return math.NaN()
	}
	x = math.Abs(x)
	x -= math.Floor(x)
	if x > 0.5 {
		x = 1 - x
	}
	negative := x > 0.25
	if negative {
		x = 0.5 - x
	}
	var y float64
	if x <= 0.125 {
		y = cosOf(turns(x))
	} else {
		y = sinOf(turns(0.25 - x))
	}
	if negative {
		return -y
	}
	return y
}

// turns is 2πx as a sum of two numbers.
func turns(x float64) (high, low float64) {
	high, low = product(x, twoPiHigh)
	return high, low + float64(x*twoPiLow)
}

// cosOf is cos(t + low) for t from 0 to π/4: the Taylor series as far as t¹⁶, the rest of which is
// below 2⁻⁵⁸.
func cosOf(t, low float64) float64 {
	z := float64(t * t)
	z2 := float64(z * z)
	tail := (1.0/24 - float64(1.0/720*z)) + float64((1.0/40320-float64(1.0/3628800*z))*z2)
	far := (1.0/479001600 - float64(1.0/87178291200*z)) + float64(1.0/20922789888000*z2)
	half := float64(z / 2)
	one := 1 - half
	rest := (1 - one) - half
	return one + (rest + (float64(z2*(tail+float64(far*float64(z2*z2)))) - float64(t*low)))
}

// sinOf is sin(t + low) for t from 0 to π/4: the Taylor series as far as t¹⁷.
func sinOf(t, low float64) float64 {
	z := float64(t * t)
	z2 := float64(z * z)
	tail := (1.0/6 - float64(1.0/120*z)) + float64((1.0/5040-float64(1.0/362880*z))*z2)
	far := (1.0/39916800 - float64(1.0/6227020800*z)) + float64((1.0/1307674368000-float64(1.0/355687428096000*z))*z2)
	return t + (float64(low*(1-float64(z/2))) - float64(float64(t*z)*(tail+float64(far*float64(z2*z2)))))
}
