package detmath

import "math"

// betaTerm is xᵃ·yᵇ/B(a, b) for x + y = 1.
func betaTerm(a, b, x, y float64) float64 {
	if a > b {
		a, b, x, y = b, a, y, x
	}
	if a >= far {
		// About its maximum, at x = a/(a+b), where the large terms cancel.
		n := a + b
		u, v := (float64(x*b)-float64(y*a))/a, (float64(y*a)-float64(x*b))/b
		exponent := -(float64(a*deviance(u)) + float64(b*deviance(v))) + (stirling(n) - (stirling(a) + stirling(b)))
		return Exp(exponent) * math.Sqrt(a/n*b/(2*math.Pi))
	}
	log := Log(y)
	if x < 0.5 {
		log = Log1p(-x)
	}
	return Exp((float64(a*Log(x)) + float64(b*log)) + (rise(b, a) - Lgamma(a)))
}

// BetaInc are the regularised incomplete beta functions I_x(a, b) and 1 − I_x(a, b), the
// probabilities that a beta number is up to x, and above it. y is 1 − x, which may have more
// digits. The smaller of the two has a small relative error.
func BetaInc(a, b, x, y float64) (p, q float64) {
	switch {
	case !(a > 0 && b > 0) || x != x || y != y:
		return math.NaN(), math.NaN()
	case x <= 0:
		return 0, 1
	case y <= 0:
		return 1, 0
	case float64(a*y) < float64(b*x):
		q, p = BetaInc(b, a, y, x)
		return p, q
	}
	p = min(betaTerm(a, b, x, y)/betaFraction(a, b, x, y), 1)
	return p, 1 - p
}

// betaFraction is the continued fraction of [DM92], equation 9, by the algorithm of [Lentz76]. Its
// terms are made of x and y, so that nothing is lost where one of them is close to 1.
//
// [DM92]: https://doi.org/10.1145/131766.131776
// [Lentz76]: https://doi.org/10.1364/AO.15.000668
func betaFraction(a, b, x, y float64) float64 {
	slope := float64(a*y) - float64(b*x)
	f := a / (a + 1) * (slope + 1)
	c, d := f, 0.0
	for n := 1.0; ; n++ {
		m := a + 2*n - 1
		alpha := (a + n - 1) / m * ((a + b + n - 1) / m) * float64(float64(n*(b-n))*float64(x*x))
		beta := n + float64(n*(b-n))*x/m + float64((a+n)/(a+float64(2*n)+1)*((slope+1)+float64(n*(1+y))))
		d = 1 / (beta + float64(alpha*d))
		c = beta + alpha/c
		last := float64(c * d)
		f *= last
		if math.Abs(last-1) < 4*enough {
			return f
		}
	}
}

// BetaQuantile is the x with I_x(a, b) = p.
func BetaQuantile(a, b, p float64) float64 {
	switch {
	case !(a > 0 && b > 0 && p >= 0 && p <= 1):
		return math.NaN()
	case p == 0 || p == 1:
		return p
	}
	q := 1 - p
	// For the odds x/y, whose logarithm is about normal if a and b are large; where x is small, I_x
	// is about xᵃ/(a·B(a, b)), and likewise at the other end.
	var odds float64
	logBeta := Lgamma(min(a, b)) - rise(max(a, b), min(a, b))
	lower, upper := (Log(p)+(Log(a)+logBeta))/a, (Log1p(-p)+(Log(b)+logBeta))/b
	switch {
	case lower < -40:
		return Exp(lower)
	case upper < -40:
		return 1 - Exp(upper)
	case a < 1 && lower < -1:
		odds = Exp(lower)
	case b < 1 && upper < -1:
		odds = Exp(-upper)
	default:
		odds = a / b * Exp(normalQuantile(p, q)*math.Sqrt(1/a+1/b))
	}
	odds = solve(odds, func(odds float64) (share, slope float64) {
		x, y := odds/(1+odds), 1/(1+odds)
		lower, upper := BetaInc(a, b, x, y)
		return pick(p, q, lower, upper), betaTerm(a, b, x, y)
	}, p, q)
	return odds / (1 + odds)
}

// StudentQuantile is the t up to which a number from Student's distribution is with probability p.
func StudentQuantile(freedom, p float64) float64 {
	q := 1 - p
	switch {
	case !(freedom > 0 && p >= 0 && p <= 1):
		return math.NaN()
	case p < 0.5:
		return -studentQuantile(freedom, p)
	case p == 0.5:
		return 0
	}
	return studentQuantile(freedom, q)
}

// studentQuantile is the t above which a number is with probability q < ½.
func studentQuantile(freedom, q float64) float64 {
	if q == 0 {
		return math.Inf(1)
	}
	// Cornish and Fisher's expansion, Abramowitz and Stegun 26.7.5, where that is close.
	z := -NormalQuantile(q)
	z2 := float64(z * z)
	t := z * (1 + (z2+1)/(4*freedom) + (float64((float64(5*z2)+16)*z2)+3)/(96*freedom*freedom))
	const many = 1e8 // the next term is of the order of freedom⁻³
	if freedom > many {
		return t
	}
	return solve(t, func(t float64) (share, slope float64) {
		square := float64(t * t)
		x, y := square/(freedom+square), freedom/(freedom+square)
		_, upper := BetaInc(0.5, freedom/2, x, y)
		// d log(t²) = 2·d log t, and x·y·density is the derivative by the logarithm of the odds,
		// t²/freedom.
		return upper / 2, betaTerm(0.5, freedom/2, x, y)
	}, 1-q, q)
}
