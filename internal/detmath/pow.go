package detmath

import "math"

// A power needs its logarithm with ten bits more than a number has, since the exponent multiplies
// its error. So the logarithm is a sum of two numbers here, high + low, with a relative error of
// about 2⁻⁶⁵.

const tableBits = 7

// logOffset is where the first interval of logTable begins. One interval has 1 in it, with the
// factor 1, so that the logarithm of a number near 1 has all its digits.
const logOffset = 0x3fe6980000000000

// split returns the upper 26 bits of x, and the rest.
func split(x float64) (high, low float64) {
	high = math.Float64frombits(math.Float64bits(x) &^ (1<<27 - 1))
	return high, x - high
}

// product returns x·y, rounded, and what is lost by that.
func product(x, y float64) (p, lost float64) {
	p = float64(x * y)
	xh, xl := split(x)
	yh, yl := split(y)
	return p, ((float64(xh*yh) - p) + (float64(xh*yl) + float64(xl*yh))) + float64(xl*yl)
}

// sum returns x + y, rounded, and what is lost by that.
func sum(x, y float64) (s, lost float64) {
	s = x + y
	z := s - x
	return s, (x - (s - z)) + (y - z)
}

// logDouble is log x as a sum of two numbers, for a normal x > 0.
func logDouble(x float64) (high, low float64) {
	b := math.Float64bits(x)
	e := int64(b-logOffset) >> mantissa
	entry := &logTable[(b-logOffset)>>(mantissa-tableBits)&(1<<tableBits-1)]
	k := float64(e)
	// x = 2ᵏ·m and m·c = 1 + r with |r| < 2⁻⁷; c has 10 bits, so that the two products are exact.
	c := float64(entry.factor) * (1.0 / 512)
	mh, ml := split(math.Float64frombits(b - uint64(e)<<mantissa))
	r, rl := sum(float64(mh*c)-1, float64(ml*c))
	// log(1+r) = r − r²/2 + r³·(1/3 − r/4 + …); the first term left out is below 2⁻⁷⁰ of the sum.
	q, ql := product(r, r)
	ql += float64(2 * float64(r*rl))
	tail := (1.0/3 - float64(1.0/4*r)) + float64((1.0/5-float64(1.0/6*r))*q)
	tail += float64(float64(q*q) * ((1.0/7 - float64(1.0/8*r)) + float64(1.0/9*q)))
	tail = float64(tail * float64(q*r))

	start := float64(k*ln2High) + entry.high // exact: both are multiples of 2⁻⁴²
	high, lost := sum(start, r)
	high, more := sum(high, float64(-q/2))
	low = (lost + more) + ((rl + (float64(k*ln2Low) + entry.low)) + (tail - float64(ql/2)))
	return sum(high, low)
}

// times is (high + low)·y, again as a sum of two numbers.
func times(high, low, y float64) (float64, float64) {
	p, lost := product(high, y)
	return p, lost + float64(low*y)
}

// expDouble is e to the power of high + low.
func expDouble(high, low float64) float64 {
	switch {
	case high > 710:
		return math.Inf(1)
	case high < -750:
		return 0
	}
	k, r, lost := nearestOctave(high)
	lost += low
	one := 1 + r
	rest := (1 - one) + r
	tail := expTail(r)
	y := one + (tail + (rest + float64(lost*(1+(r+tail)))))
	switch {
	case k > 1022:
		return scale(y, k-1) * 2
	case k < -1020:
		return scale(y, k+64) * 0x1p-64
	}
	return scale(y, k)
}

// normal returns x·2ᵏ, which is a normal number, and k, for x > 0.
func normal(x float64) (y, k float64) {
	if x < smallest {
		return x * 0x1p54, 54
	}
	return x, 0
}

// Pow is x to the power of y.
func Pow(x, y float64) float64 {
	switch {
	case y == 0 || x == 1:
		return 1
	case x != x || y != y:
		return math.NaN()
	case x > 0 && x <= math.MaxFloat64 && y >= -math.MaxFloat64 && y <= math.MaxFloat64:
		return power(x, y)
	}
	whole := math.Floor(y) == y
	odd := whole && math.Abs(y) < 0x1p53 && int64(y)&1 != 0
	size := math.Abs(x)
	var z float64
	switch {
	case size == 1 && whole: // an infinite y is whole, too
		z = 1
	case math.IsInf(y, 0):
		z = 0
		if (size > 1) == (y > 0) {
			z = math.Inf(1)
		}
		return z
	case size == 0 || math.IsInf(size, 0):
		z = 0
		if (size == 0) == (y < 0) {
			z = math.Inf(1)
		}
	case !whole:
		return math.NaN()
	default:
		z = power(size, y)
	}
	if math.IsInf(y, 0) || !math.Signbit(x) || !odd {
		return z
	}
	return -z
}

// power is Pow of finite numbers with x > 0.
func power(x, y float64) float64 {
	if y == 1 {
		return x
	}
	x, k := normal(x)
	high, low := logDouble(x)
	if k > 0 {
		high, low = high-float64(k*ln2High), low-float64(k*ln2Low)
	}
	if p := high * y; !(math.Abs(p) < 800) {
		return expDouble(p, 0)
	}
	return expDouble(times(high, low, y))
}

// The reciprocals of log 2 and log 10, and 1/3, in two numbers each.
const (
	overLn2      = 1.44269504088896340735992468100189213742664595
	overLn10     = 0.434294481903251827651128918916605082294397006
	overLn2High  = 0x1.71547652b82fep+0
	overLn10High = 0x1.bcb7b1526e50ep-2
	thirdHigh    = 0x1.5555555555555p-2
)

// Log2 is the binary logarithm of x, exact if x is a power of 2.
func Log2(x float64) float64 {
	if !(x > 0 && x <= math.MaxFloat64) {
		return rareLog(x)
	}
	x, shift := normal(x)
	k, f := octave(x)
	if f == 0 {
		return k - shift
	}
	high, low := logDouble(1 + f)
	p, rest := times(high, low, overLn2High)
	p, lost := sum(k-shift, p)
	return p + (lost + (rest + float64(high*(overLn2-overLn2High))))
}

// Log10 is the decimal logarithm of x, exact if x is a power of 10.
func Log10(x float64) float64 {
	if !(x > 0 && x <= math.MaxFloat64) {
		return rareLog(x)
	}
	x, k := normal(x)
	high, low := logDouble(x)
	if k > 0 {
		high, low = high-float64(k*ln2High), low-float64(k*ln2Low)
	}
	p, rest := times(high, low, overLn10High)
	return p + (rest + float64(high*(overLn10-overLn10High)))
}

// Cbrt is the cube root of x.
func Cbrt(x float64) float64 {
	switch {
	case x < 0:
		return -Cbrt(-x)
	case x == 0 || !(x <= math.MaxFloat64):
		return x
	}
	x, k := normal(x)
	high, low := logDouble(x)
	p, rest := times(high, low, thirdHigh)
	y := expDouble(p, rest+float64(high*(1.0/3-thirdHigh)))
	if k > 0 {
		return y * 0x1p-18
	}
	return y
}
