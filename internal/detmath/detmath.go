// Package detmath has elementary functions that give the same bits on every machine.
//
// Those of package math do not promise that: some machines have their own in assembly, and where a
// machine has a fused multiply-add, the compiler may round x*y + z once instead of twice. Here all
// is made of operations that IEEE 754 rounds in one way, and each product that is added to
// something is converted to float64 first, which forbids the fusion [spec].
//
// Exp, Log, Log1p, Expm1, Pow, Log2, Log10 and Cbrt have the special cases of their namesakes in
// package math. Their errors are below 1 unit in the last place (ulp) in all tests, and so are
// those of CosTurns; the denormal results of Exp have up to 1 unit of the smallest denormal. The
// special functions (Gamma, Erf, the incomplete gamma and beta functions and their inverses) have
// errors of some ulps, and more where a result is the difference of a number and 1.
//
// # Files
//
//	detmath.go           exponential and logarithm
//	pow.go, pow_table.go powers, the cube root, and logarithms to base 2 and 10
//	cos.go               cosine of turns
//	normal.go            error function and normal distribution
//	gamma.go             gamma function and incomplete gamma functions
//	beta.go              incomplete beta functions
//
// [spec]: https://go.dev/ref/spec#Floating_point_operators
package detmath

import "math"

const (
	// ln2High has 42 bits, so that its product with any exponent is exact; ln2Low is the rest of
	// log 2.
	ln2High = 0x1.62e42fefa38p-1
	ln2Low  = math.Ln2 - ln2High

	mantissa = 52                 // bits
	smallest = 0x1p-1022          // normal number
	halfRoot = 0x3fe6a09e667f3bcd // the bits of √½
	// Adding shifter and subtracting it again rounds a number below 2⁵¹ to the nearest integer.
	shifter = 0x1.8p52
)

// Log is the natural logarithm of x.
func Log(x float64) float64 {
	if !(x >= smallest && x <= math.MaxFloat64) {
		return rareLog(x)
	}
	k, f := octave(x)
	return logOf(k, f, 0)
}

// rareLog is Log of the numbers that are not positive, normal and finite.
func rareLog(x float64) float64 {
	switch {
	case x == 0:
		return math.Inf(-1)
	case x > 0 && x < smallest:
		k, f := octave(x * 0x1p54)
		return logOf(k-54, f, 0)
	case x > 0:
		return x
	}
	return math.NaN()
}

// Log1p is log(1 + x), accurate also where x is small.
func Log1p(x float64) float64 {
	switch {
	case x > -1.0/64 && x < 1.0/64:
		// The Taylor series, which needs no division; the first term left out is below 2⁻⁶³ of the sum.
		x2 := float64(x * x)
		x4 := float64(x2 * x2)
		low := (1.0/2 - float64(1.0/3*x)) + float64((1.0/4-float64(1.0/5*x))*x2)
		top := (1.0/6 - float64(1.0/7*x)) + float64((1.0/8-float64(1.0/9*x))*x2)
		return x - float64(x2*((low+float64(top*x4))+float64(1.0/10*float64(x4*x4))))
	case x > -0.29 && x < 0.41:
		return x - logTail(x)
	}
	if !(x > -1 && x <= math.MaxFloat64) {
		return rareLog(1 + x)
	}
	y := 1 + x
	// What y lacks of 1 + x, exactly (Knuth's sum of two numbers in any order); it changes the
	// logarithm by its share of y.
	z := y - 1
	lost := (1 - (y - z)) + (x - z)
	k, f := octave(y)
	return logOf(k, f, lost/y)
}

// logOf is log(2ᵏ·(1+f)) + small, for 1+f between √½ and √2.
func logOf(k, f, small float64) float64 {
	// The sum of the two large terms and its error; then the small terms, the smallest first.
	high := float64(k * ln2High)
	sum := high + f
	rest := (high - sum) + f
	return sum + (rest + (float64(k*ln2Low) + (small - logTail(f))))
}

// octave returns k and f with x = 2ᵏ·(1+f) and 1+f between √½ and √2, exactly, for a normal x > 0.
func octave(x float64) (k, f float64) {
	b := math.Float64bits(x)
	e := (int64(b) - halfRoot) >> mantissa
	return float64(e), math.Float64frombits(b-uint64(e)<<mantissa) - 1
}

// logTail is f − log(1+f) for 1+f between √½ and √2. With s = f/(2+f) the logarithm is 2·artanh s =
// 2s + s·r, where r = 2s²/3 + 2s⁴/5 + …, and 2s = f − s·f.
func logTail(f float64) float64 {
	s := f / (2 + f)
	z := s * s
	z2 := z * z
	z4 := z2 * z2
	// |s| ≤ 0.1716: the first term left out is below 2⁻⁶¹ of the logarithm.
	low := (2.0/3 + float64(2.0/5*z)) + float64((2.0/7+float64(2.0/9*z))*z2)
	middle := (2.0/11 + float64(2.0/13*z)) + float64((2.0/15+float64(2.0/17*z))*z2)
	top := 2.0/19 + float64(2.0/21*z)
	r := float64(z * ((low + float64(middle*z4)) + float64(top*float64(z4*z4))))
	return float64(s * (f - r))
}

// Exp is eˣ.
func Exp(x float64) float64 {
	if !(x > -708 && x < 709) {
		return rareExp(x)
	}
	y, k := expOf(x)
	return scale(y, k)
}

// rareExp is Exp where the result or 2ᵏ may not be a normal number.
func rareExp(x float64) float64 {
	switch {
	case x != x:
		return x
	case x > 709.782712893383973096: // log of the largest number
		return math.Inf(1)
	case x < -746:
		return 0
	}
	y, k := expOf(x)
	if k > 0 {
		return scale(y, k-1) * 2
	}
	return scale(y, k+64) * 0x1p-64
}

// expOf returns y and k with eˣ = 2ᵏ·y and y between √½ and √2, about.
func expOf(x float64) (y float64, k int64) {
	k, r, lost := nearestOctave(x)
	sum := 1 + r
	rest := (1 - sum) + r
	return sum + (expTail(r) + (rest + lost)), k
}

// Expm1 is eˣ − 1, accurate also where x is small.
func Expm1(x float64) float64 {
	switch {
	case x > -0x1p-54 && x < 0x1p-54:
		return x
	case x > -0.34 && x < 0.34:
		return x + expTail(x)
	case !(x < 40):
		return Exp(x) // the 1 is less than a hundredth of the last place; or x is not a number
	case x < -40:
		return -1
	}
	k, r, lost := nearestOctave(x)
	// 2ᵏ·eʳ − 1 = 2ᵏ·(1 − 2⁻ᵏ + r + …), where the sum of the large terms may cancel: so with its
	// error.
	unit := scale(1, -k)
	one := 1 - unit
	sum := one + r
	z := sum - one
	rest := ((one - (sum - z)) + (r - z)) + ((1 - one) - unit)
	return scale(sum+(rest+(expTail(r)+(lost+float64(lost*r)))), k)
}

// nearestOctave returns k and r + lost with x = k·log 2 + r + lost and |r| at most log(2)/2, about.
func nearestOctave(x float64) (k int64, r, lost float64) {
	n := (float64(x*math.Log2E) + shifter) - shifter
	high := x - float64(n*ln2High) // exact: the two are close to each other
	low := float64(n * ln2Low)
	r = high - low
	return int64(n), r, (high - r) - low
}

// expTail is eʳ − 1 − r for |r| at most log(2)/2: the Taylor series as far as r¹³, the rest of
// which is below 2⁻⁵⁷.
func expTail(r float64) float64 {
	r2 := r * r
	r4 := r2 * r2
	low := (1.0/2 + float64(1.0/6*r)) + float64((1.0/24+float64(1.0/120*r))*r2)
	middle := (1.0/720 + float64(1.0/5040*r)) + float64((1.0/40320+float64(1.0/362880*r))*r2)
	top := (1.0/3628800 + float64(1.0/39916800*r)) + float64((1.0/479001600+float64(1.0/6227020800*r))*r2)
	return float64(r2 * ((low + float64(middle*r4)) + float64(top*float64(r4*r4))))
}

// scale is 2ᵏ·y, for results that are normal numbers.
func scale(y float64, k int64) float64 {
	return math.Float64frombits(math.Float64bits(y) + uint64(k)<<mantissa)
}

// ULP is the distance from the size of a number to the next one.
func ULP(x float64) float64 { return math.Nextafter(math.Abs(x), math.Inf(1)) - math.Abs(x) }
