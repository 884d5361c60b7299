package erickson

import (
	"math"

	"gonum.org/v1/gonum/integrate/quad"
)

// Gauss and Legendre's rule of 16 places, from 0 to 1.
var places, weights = func() (x, w [16]float64) {
	quad.Legendre{}.FixedLocations(x[:], w[:], 0, 1)
	return x, w
}()

// fixed is the integral of f from a to b by one application of the rule.
func fixed(f func(float64) float64, a, b float64) float64 {
	sum := 0.0
	for i, x := range places {
		sum += weights[i] * f(a+(b-a)*x)
	}
	return sum * (b - a)
}

// integral is the integral of f from a to b. It halves the range as long as that changes the integral, which it does at the kinks of a
// distribution.
func integral(f func(float64) float64, a, b float64) float64 {
	whole := fixed(f, a, b)
	return halve(f, a, b, whole, 1e-14*math.Abs(whole), 25)
}

func halve(f func(float64) float64, a, b, whole, enough float64, halvings int) float64 {
	middle := a + (b-a)/2
	left, right := fixed(f, a, middle), fixed(f, middle, b)
	if halvings == 0 || math.Abs(left+right-whole) <= enough {
		return left + right
	}
	return halve(f, a, middle, left, enough, halvings-1) + halve(f, middle, b, right, enough, halvings-1)
}
