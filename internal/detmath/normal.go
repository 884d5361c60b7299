package detmath

import "math"

// erfcTerms are the coefficients of h(u) = (x + 5/2)·exp(x²)·erfc(x) in Chebyshev polynomials of u
// = 1 − 6/(x + 5/2), which is from −1 to 1 for x from ½ on; the first that is left out is 10⁻¹⁸.
// TestErfcTerms computes them again.
var erfcTerms = [...]float64{
	1.066958042139233354104, -6.202500452595417531796e-1, 1.369762148917103099065e-1, -2.129165989908616847348e-2,
	1.737185369180851687881e-3, 9.968682989122619416069e-5, -4.200483513207504734992e-5, 1.364552711999231838492e-6,
	8.926157059063146208759e-7, -7.307856068468331804299e-8, -2.282365808778524943532e-8, 2.405265916661525334688e-9,
	7.330462324136272694863e-10, -6.751873639359263307381e-11, -2.792323622543186727907e-11, 1.310683747552910657559e-12,
	1.148413026146030194218e-12, 2.129959389647899178743e-14, -4.629178506202400610569e-14, -4.815967267078592635891e-15,
	1.613770546438230682571e-15, 3.862112529458770024824e-16, -3.35864580578980254016e-17, -2.275174989917420596214e-17,
}

// Erf is the error function of x.
func Erf(x float64) float64 {
	if !(math.Abs(x) < 0.5) {
		if x < 0 {
			return Erfc(-x) - 1
		}
		return 1 - Erfc(x)
	}
	// The Taylor series, DLMF 7.6.1; the first term left out is below 2⁻⁶⁰ of the sum.
	z := float64(x * x)
	s := 0.0
	for n := 13; n >= 0; n-- {
		s = erfTerms[n] - float64(s*z)
	}
	return x * s
}

// erfTerms are 2/√π / (n!·(2n+1)).
var erfTerms = func() (terms [14]float64) {
	term := 1.128379167095512573896159
	for n := range terms {
		terms[n] = term / float64(2*n+1)
		term /= float64(n + 1)
	}
	return terms
}()

// Erfc is 1 − Erf(x), with a small relative error also where it is small.
func Erfc(x float64) float64 {
	switch {
	case x != x:
		return x
	case x < -0.5:
		return 2 - Erfc(-x)
	case x < 0.5:
		return 1 - Erf(x)
	case x > 28:
		return 0
	}
	square, lost := product(x, x)
	return expDouble(-square, -lost) * scaledErfc(x)
}

// scaledErfc is exp(x²)·erfc(x) for x ≥ ½.
func scaledErfc(x float64) float64 {
	u := 1 - 6/(x+2.5)
	a, b := 0.0, 0.0 // Clenshaw's recurrence
	for n := len(erfcTerms) - 1; n > 0; n-- {
		a, b = (float64(2*float64(u*a))-b)+erfcTerms[n], a
	}
	return ((float64(u*a) - b) + erfcTerms[0]) / (x + 2.5)
}

// NormalCDF is the probability that a standard normal number is up to z.
func NormalCDF(z float64) float64 { return float64(Erfc(-z/math.Sqrt2) / 2) }

// NormalQuantile is the z up to which a standard normal number is with probability p.
func NormalQuantile(p float64) float64 { return normalQuantile(p, 1-float64(p)) }

// normalQuantile is NormalQuantile of p, where q = 1 − p may have more digits.
func normalQuantile(p, q float64) float64 {
	switch {
	case !(p >= 0 && q >= 0):
		return math.NaN()
	case p > q:
		return -normalQuantile(q, p)
	case p == 0:
		return math.Inf(-1)
	case p == q:
		return 0
	}
	// From the approximation 26.2.23 of Abramowitz and Stegun, with an error below 0.00045, three
	// steps of Newton for the upper end: near the middle for the error function, and outside for
	// the logarithm of the tail, whose derivative is the inverse of Mills' ratio.
	t := math.Sqrt(-2 * Log(p))
	above := 2.515517 + float64(t*(0.802853+float64(0.010328*t)))
	below := 1 + float64(t*(1.432788+float64(t*(0.189269+float64(0.001308*t)))))
	z := t - above/below
	for range 3 {
		if y := z / math.Sqrt2; y < 0.5 {
			z += float64((float64(2*(0.5-p)) - Erf(y)) * (math.Sqrt(math.Pi/2) * Exp(float64(y*y))))
		} else {
			z += float64(Log(Erfc(y)/2/p) * (math.Sqrt(math.Pi/2) * scaledErfc(y)))
		}
	}
	return -z
}
