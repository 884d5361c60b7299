package detmath

import "math"

const (
	oneMinusEuler = 0.4227843350984671393934879
	halfLog2Pi    = 0.9189385332046727417803297
)

// zetas are (−1)ᵏ·(ζ(k) − 1)/k for k from 2 on: the Taylor coefficients of log Γ at 2, DLMF 5.7.3.
var zetas = [...]float64{
	3.224670334241132182362e-1, -6.735230105319809513325e-2, 2.0580808427784547879e-2, -7.385551028673985266273e-3,
	2.890510330741523285753e-3, -1.192753911703260977114e-3, 5.096695247430424223357e-4, -2.231547584535793797614e-4,
	9.94575127818085337146e-5, -4.492623673813314170021e-5, 2.050721277567069155317e-5, -9.439488275268395903987e-6,
	4.374866789907487804182e-6, -2.039215753801366236782e-6, 9.551412130407419832857e-7, -4.492469198764566043294e-7,
	2.120718480555466586923e-7, -1.004322482396809960872e-7, 4.76981016936398056576e-8, -2.271109460894316491032e-8,
	1.083865921489695409107e-8, -5.183475041970046655121e-9, 2.483674543802478317185e-9, -1.192140140586091207443e-9,
	5.73136724167886201333e-10,
}

// nearTwo is log Γ(2 + z) for |z| ≤ ½. Its relative error is small also where z is.
func nearTwo(z float64) float64 {
	s := 0.0
	for i := len(zetas) - 1; i >= 0; i-- {
		s = zetas[i] + float64(s*z)
	}
	return float64(z * (oneMinusEuler + float64(s*z)))
}

// far is from where on Stirling's series has all the digits of a number.
const far = 12

// stirling is the remainder of Stirling's formula, log Γ(x) − (x−½)·log x + x − ½·log 2π, for x ≥
// 12: DLMF 5.11.1.
func stirling(x float64) float64 {
	z := 1 / float64(x*x)
	s := 1.0/156 - float64(3617.0/122400*z)
	s = -691.0/360360 + float64(s*z)
	s = 1.0/1188 + float64(s*z)
	s = -1.0/1680 + float64(s*z)
	s = 1.0/1260 + float64(s*z)
	s = -1.0/360 + float64(s*z)
	s = 1.0/12 + float64(s*z)
	return s / x
}

// reduced returns z and f with Γ(x) = Γ(2 + z)·f and |z| ≤ ½, for 0 < x < far. If inverse, it is
// Γ(2 + z)/f.
func reduced(x float64) (z, f float64, inverse bool) {
	f = 1
	if x < 1.5 {
		for x < 1.5 {
			f *= x
			x++
		}
		return x - 2, f, true
	}
	for x > 2.5 {
		x--
		f *= x
	}
	return x - 2, f, false
}

// Lgamma is log Γ(x) for x > 0.
func Lgamma(x float64) float64 {
	switch {
	case !(x >= 0):
		return math.NaN()
	case x == 0 || math.IsInf(x, 1):
		return math.Inf(1)
	case x >= far:
		return (float64((x-0.5)*(Log(x)-1)) - 0.5) + (halfLog2Pi + stirling(x))
	case x > 0.5 && x < 1.5:
		z := x - 1
		return nearTwo(z) - Log1p(z)
	}
	z, f, inverse := reduced(x)
	if inverse {
		return nearTwo(z) - Log(f)
	}
	return nearTwo(z) + Log(f)
}

// Gamma is Γ(x) for x > 0.
func Gamma(x float64) float64 {
	switch {
	case !(x >= 0):
		return math.NaN()
	case x == 0 || x > 172:
		return math.Inf(1)
	case x >= far:
		// xˣ⁻½·e⁻ˣ⁺ʳ·√2π, with the logarithm in two numbers, since it is large.
		high, low := logDouble(x)
		high, low = times(high, low, x-0.5)
		high, lost := sum(high, -x)
		high, more := sum(high, halfLog2Pi+stirling(x))
		return expDouble(high, low+(lost+more))
	}
	z, f, inverse := reduced(x)
	if inverse {
		return Exp(nearTwo(z)) / f
	}
	return Exp(nearTwo(z)) * f
}

// rise is log Γ(b+a) − log Γ(b), without the difference of large numbers if b is large.
func rise(b, a float64) float64 {
	if b < far {
		return Lgamma(b+a) - Lgamma(b)
	}
	return (float64((b-0.5)*Log1p(a/b)) - a) + (float64(a*Log(b+a)) + (stirling(b+a) - stirling(b)))
}

// deviance is u − log(1+u).
func deviance(u float64) float64 {
	if u > -0.29 && u < 0.41 {
		return logTail(u)
	}
	return u - Log1p(u)
}

// gammaTerm is xᵃ·e⁻ˣ/Γ(a+1).
func gammaTerm(a, x float64) float64 {
	if a < far {
		return Exp((float64(a*Log(x)) - x) - Lgamma(a+1))
	}
	u := (x - a) / a
	d := u - Log(x/a)
	if u > -0.29 && u < 0.41 {
		d = logTail(u)
	}
	return Exp(-float64(a*d)-stirling(a)) / math.Sqrt(2*math.Pi*a)
}

// enough is where a sum or a fraction has all its digits.
const enough = 0x1p-54

// uniformShape is from where on the incomplete gamma function is computed by its uniform expansion:
// sums would need some √a terms.
const uniformShape = 1e6

// GammaInc are the regularised incomplete gamma functions P(a, x) and Q(a, x) = 1 − P(a, x), the
// probabilities that a gamma number of shape a > 0 and rate 1 is up to x, and above it. The smaller
// of the two has a small relative error.
func GammaInc(a, x float64) (p, q float64) {
	switch {
	case !(a > 0) || x != x:
		return math.NaN(), math.NaN()
	case x <= 0 || math.IsInf(a, 1):
		return 0, 1
	case math.IsInf(x, 1):
		return 1, 0
	case a >= uniformShape:
		return gammaUniform(a, x)
	case x < a+1:
		p = gammaTerm(a, x) * gammaSeries(a, x)
		p = min(p, 1)
		return p, 1 - p
	}
	q = float64(gammaTerm(a, x) * a * gammaFraction(a, x))
	return 1 - q, q
}

// gammaSeries is 1 + x/(a+1) + x²/((a+1)(a+2)) + …: DLMF 8.7.1.
func gammaSeries(a, x float64) float64 {
	s, term := 1.0, 1.0
	for n := 1.0; term > s*enough; n++ {
		term = float64(term * (x / (a + n)))
		s += term
	}
	return s
}

// gammaFraction is the continued fraction of eˣ·x⁻ᵃ·Γ(a, x) for x ≥ a + 1, DLMF 8.9.2, by the
// algorithm of [Lentz76].
//
// [Lentz76]: https://doi.org/10.1364/AO.15.000668
func gammaFraction(a, x float64) float64 {
	b := x + 1 - a
	c, d := math.Inf(1), 1/b
	f := d
	for n := 1.0; ; n++ {
		an := float64(n * (a - n))
		b += 2
		d = 1 / (float64(an*d) + b)
		c = b + an/c
		delta := float64(c * d)
		f *= delta
		if math.Abs(delta-1) < 4*enough {
			return f
		}
	}
}

// gammaUniform is Temme's expansion for large a, DLMF 8.12: with η²/2 = μ − log(1+μ), μ = x/a − 1,
// the tail is that of a normal number, and a correction of the order of 1/√a; the next is of the
// order of a⁻⁵ᐟ².
func gammaUniform(a, x float64) (p, q float64) {
	mu := (x - a) / a
	half := deviance(mu)
	eta := math.Sqrt(2 * half)
	if mu < 0 {
		eta = -eta
	}
	var first, second float64
	if math.Abs(eta) < 0.1 {
		first = -1.0/3 + float64(
			eta*(1.0/12+float64(eta*(-2.0/135+float64(eta*(1.0/864+float64(eta*(1.0/2835-float64(eta*(139.0/777600))))))))))
		second = -1.0/540 - float64(eta*(1.0/288-float64(eta*(25.0/12096))))
	} else {
		first = 1/mu - 1/eta
	}
	z := eta * math.Sqrt(a/2)
	rest := float64(Exp(-float64(a*half)) / math.Sqrt(2*math.Pi*a) * (first + second/a))
	return max(0, float64(Erfc(-z)/2)-rest), max(0, float64(Erfc(z)/2)+rest)
}

// GammaQuantile is the x with P(a, x) = p and Q(a, x) = q, where p + q = 1; the smaller of them
// counts.
func GammaQuantile(a, p, q float64) float64 {
	switch {
	case !(a > 0) || !(p >= 0) || !(q >= 0):
		return math.NaN()
	case p == 0:
		return 0
	case q == 0:
		return math.Inf(1)
	}
	// Where x is small, P(a, x) = xᵃ/Γ(a+1)·(1 − O(x)). Elsewhere, by Wilson and Hilferty, the cube
	// root is about normal.
	small := (logOfShare(p, q) + Lgamma(a+1)) / a
	if small < -40 {
		return Exp(small)
	}
	z := normalQuantile(p, q)
	x := 1 - 1/(9*a) + z/(3*math.Sqrt(a))
	if x = float64(a*x) * float64(x*x); !(x > 0) || a < 0.5 && small < 0 {
		x = Exp(small)
	}
	return solve(x, func(x float64) (share, slope float64) {
		lower, upper := GammaInc(a, x)
		return pick(p, q, lower, upper), float64(gammaTerm(a, x) * a)
	}, p, q)
}

// logOfShare is log p for p + q = 1.
func logOfShare(p, q float64) float64 {
	if p < 0.5 {
		return Log(p)
	}
	return Log1p(-q)
}

// pick is the share of the end that the solution is sought from: the smaller one of p and q.
func pick(p, q, lower, upper float64) float64 {
	if p <= q {
		return lower
	}
	return upper
}

// solve finds the x > 0 at which a share is the smaller one of p and q, which is that of the lower
// end or of the upper one. of returns the share, and its derivative by log x, up to the sign. It is
// Newton's iteration for the logarithm of the share as a function of log x, within bounds that are
// known to be below and above the solution.
func solve(x float64, of func(x float64) (share, slope float64), p, q float64) float64 {
	const most = 2.0 // of a step, as a logarithm
	want, sign := p, -1.0
	if q < p {
		want, sign = q, 1
	}
	low, high := 0.0, math.Inf(1)
	for range 500 {
		share, slope := of(x)
		step := math.Copysign(most, share-want)
		if share > 0 && slope > 0 {
			step = min(max(Log(share/want)*share/slope, -most), most)
		}
		step *= sign
		switch {
		case math.Abs(step) < 1e-8:
			return x + float64(x*step)
		case step > 0:
			low = x
		default:
			high = x
		}
		if x *= Exp(step); !(x > low && x < high) {
			x = math.Sqrt(low) * math.Sqrt(high)
		}
	}
	return x
}
