// Package counts draws binomial and Poisson numbers, the same on every machine.
package counts

import (
	"math"

	"github.com/almanac-sim/almanac/internal/detmath"
	"github.com/almanac-sim/almanac/internal/random"
)

const (
	// A count with a mean from manyMean on is drawn by rejection, of which the constants do not
	// hold for less, and one with a lower mean by inversion.
	manyMean = 10
	// A count with a mean below manyMean is not above fewMost: the probability of that is below
	// 10⁻⁷⁰.
	fewMost = 110
	// As many trials as a float64 can count.
	mostTrials = 1 << 53
	// A power of a number by multiplication, up to this one, has a relative error below 2·10⁻¹³.
	mostFactors = 1024
)

// Binomial is the number of successes among n trials, each of which has one with probability p. It
// panics if n is negative or above 2⁵³, or if p is not in [0, 1].
//
// It inverts the distribution function if n·p or n·(1−p) is below 10, and else uses transformed
// rejection with squeeze [H93], with probabilities from the saddle-point expansion [L00]. Both are
// exact but for the 53 bits of the uniform numbers and for rounding, which changes a probability by
// less than 10⁻¹² of it. The numbers of a stream are the same on every machine.
//
// [H93]: https://doi.org/10.1080/00949659308811496
// [L00]: C. Loader, Fast and Accurate Computation of Binomial Probabilities, 2000
func Binomial(s *random.Stream, n int, p float64) int {
	if n < 0 || uint64(n) > mostTrials {
		panic("counts: the number of trials of a binomial is negative or above 2⁵³")
	}
	if !(p >= 0 && p <= 1) {
		panic("counts: the probability of a binomial is not in [0, 1]")
	}
	if p > 0.5 {
		return n - binomial(s, n, 1-p) // 1−p is exact
	}
	return binomial(s, n, p)
}

// binomial is Binomial for p ≤ 1/2.
func binomial(s *random.Stream, n int, p float64) int {
	mean := float64(float64(n) * p)
	if mean < manyMean {
		return fewSuccesses(s, n, p, mean)
	}
	return many(s, float64(n), p, mean)
}

// fewSuccesses is Binomial for p ≤ 1/2 and n·p below manyMean: it goes up from 0 until the
// probabilities passed exceed a uniform number.
func fewSuccesses(s *random.Stream, n int, p, mean float64) int {
	u := float64(s.Float64())
	if u < 1-mean {
		return 0 // (1−p)ⁿ is not below 1 − n·p
	}
	trials := float64(n)
	var none float64
	if n <= mostFactors {
		none = power(1-p, n)
	} else {
		none = detmath.Exp(trials * detmath.Log1p(-p))
	}
	odds := p / (1 - p)
	last := min(n, fewMost)
	for {
		mass := none
		for k := 0; k <= last; k++ {
			if u < mass {
				return k
			}
			u -= mass
			mass = float64(mass * (odds * (trials - float64(k)) / float64(k+1)))
		}
		u = float64(s.Float64()) // u was above the sum of all, which is not quite 1
	}
}

// power is xⁿ.
func power(x float64, n int) float64 {
	y := 1.0
	for ; n > 0; n >>= 1 {
		if n&1 != 0 {
			y *= x
		}
		x *= x
	}
	return y
}

// The constants of Hörmann's algorithm BTRS. A uniform u in [−1/2, 1/2) with the distance us = 1/2
// − |u| from the nearer end is mapped to
//
//	(2a/us + b)·u + c
//
// of which the integer part is the count k, and a uniform v in (0, 1] accepts it if
//
//	v·hat ≤ probability of k · (a/us² + b).
//
// That makes the count exact if the right side is nowhere above the hat, which the paper scales by
// the probability of the mode; here it is the normal one, 1/(σ√2π), so that no second probability
// is needed. The right side over the hat is the chance to be accepted. Where us ≥ sureEnds it is at
// least sureChance − sureLess/b. Everywhere it is within chanceError/σ of what it is for the normal
// distribution. TestConstants has all this for means from 10 on, and for the Poisson distribution
// as well.
const (
	bConst, bSlope       = 1.15, 2.53            // b = bConst + bSlope·σ
	aConst, aSlope, aByP = -0.0873, 0.0248, 0.01 // a = aConst + aSlope·b + aByP·p
	center               = 0.5                   // c = mean + center
	hatConst, hatSlope   = 2.83, 5.1             // hat = (hatConst + hatSlope/b)/√2π
	sureEnds             = 0.07
	sureChance, sureLess = 0.92, 4.2
	chanceError          = 2.2

	normalTop = 0.398942280401432677939946 // 1/√2π
)

// chances has the chance to be accepted for the normal distribution at the middles of chanceCells
// cells per unit of us. It changes by less than cellError from there to the ends of a cell.
var chances [chanceCells/2 + 1]float64

const (
	chanceCells = 2048
	cellError   = 0.0085
)

func init() {
	for i := range chances {
		us := float64((float64(i) + 0.5) / chanceCells)
		x := (2*aSlope/us + 1) * (0.5 - us) * bSlope
		chances[i] = detmath.Exp(-x*x/2) * ((aSlope/(us*us) + 1) * bSlope / hatConst)
	}
}

// many is Binomial for p ≤ 1/2 and a mean n·p from manyMean on, and with n = ∞ and p = 0 it is
// Poisson.
func many(s *random.Stream, n, p, mean float64) int {
	sigma := math.Sqrt(mean * (1 - p))
	b := bConst + float64(bSlope*sigma)
	a := aConst + float64(aSlope*b) + float64(aByP*p)
	// The whole part by itself, so that the place within a count is as fine for large means as for
	// small ones.
	whole := math.Floor(mean)
	part := (mean - whole) + center
	for {
		u := float64(s.Float64()) - 0.5
		v := float64(s.Positive())
		us := 0.5 - math.Abs(u)
		k := whole + math.Floor(float64((float64(a*(2/us))+b)*u)+part)
		// v ≤ sureChance − sureLess/b, without the wait for a division before the processor knows
		// which way it goes.
		if us >= sureEnds && (sureChance-v)*b >= sureLess {
			return int(k)
		}
		if !(k >= 0 && k <= n) {
			continue // also where us is 0
		}
		spare := (chances[int(us*chanceCells)] - v) * sigma
		enough := chanceError + float64(cellError*sigma)
		if spare > enough {
			return int(k)
		}
		if spare < -enough {
			continue
		}
		var mass float64
		if p > 0 {
			mass = binomialMass(n, p, k)
		} else {
			mass = poissonMass(mean, k)
		}
		if v*((hatConst+hatSlope/b)*normalTop) <= mass*(a/(us*us)+b) {
			return int(k)
		}
	}
}

// binomialMass is the probability of k successes among n trials, for 0 < p ≤ 1/2.
func binomialMass(n, p, k float64) float64 {
	switch k {
	case 0:
		return detmath.Exp(n * detmath.Log1p(-p))
	case n:
		return detmath.Exp(n * detmath.Log(p))
	}
	// The distance from the mean needs more digits than the mean has: n·p = 10¹¹ is rounded by up
	// to 10⁻⁵, which would change the probability of a count 5 standard deviations off by 10⁻¹⁰ of
	// it.
	mean := float64(n * p)
	d := (k - mean) - lost(n, p, mean)
	rest := n - k
	e := stirlingError(n) - stirlingError(k) - stirlingError(rest)
	e -= deviance(k, mean, d) + deviance(rest, n-mean, -d)
	return detmath.Exp(e) * (math.Sqrt(n/(k*rest)) * normalTop)
}

// lost is x·y − product, where product is x·y rounded: Dekker's sum of the products of the halves,
// which are exact.
func lost(x, y, product float64) float64 {
	xHigh, yHigh := upperHalf(x), upperHalf(y)
	xLow, yLow := x-xHigh, y-yHigh
	return ((float64(xHigh*yHigh) - product) + float64(xHigh*yLow) + float64(xLow*yHigh)) + float64(xLow*yLow)
}

// upperHalf is x with 26 bits of its mantissa.
func upperHalf(x float64) float64 { return math.Float64frombits(math.Float64bits(x) &^ (1<<27 - 1)) }

// deviance is x·log(x/m) + m − x for x and m above 0, where d is x − m, and may have more digits
// than those two.
func deviance(x, m, d float64) float64 {
	v := d / (x + m)
	if math.Abs(v) > 0.25 {
		return float64(x*detmath.Log1p(d/m)) - d
	}
	// log(x/m) is 2·artanh v = 2v + 2v³/3 + 2v⁵/5 + …, and 2x·v is d + d·v. The first term left out
	// is below 2⁻⁵³ of the result.
	z := float64(v * v)
	z2 := float64(z * z)
	z4 := float64(z2 * z2)
	low := (2.0/3 + float64(2.0/5*z)) + float64((2.0/7+float64(2.0/9*z))*z2)
	middle := (2.0/11 + float64(2.0/13*z)) + float64((2.0/15+float64(2.0/17*z))*z2)
	top := (2.0/19 + float64(2.0/21*z)) + float64((2.0/23+float64(2.0/25*z))*z2)
	series := (low + float64(middle*z4)) + float64(top*float64(z4*z4))
	return float64(v * (d + float64(x*z*series)))
}

// stirlingError is log k! − log(√(2πk)·(k/e)ᵏ) for a whole k from 1 on.
func stirlingError(k float64) float64 {
	if k < float64(len(stirlingErrors)) {
		return stirlingErrors[int(k)]
	}
	// Stirling's series; the first term left out is below 2⁻⁵³.
	r := 1 / k
	z := float64(r * r)
	low := 1.0/12 - float64(1.0/360*z)
	top := (1.0/1260 - float64(1.0/1680*z)) + float64(1.0/1188*float64(z*z))
	return float64(r * (low + float64(top*float64(z*z))))
}

var stirlingErrors = [16]float64{
	1:  0.08106146679532725821967,
	2:  0.04134069595540929409382,
	3:  0.02767792568499833914879,
	4:  0.02079067210376509311152,
	5:  0.01664469118982119216319,
	6:  0.01387612882307074799875,
	7:  0.01189670994589177009506,
	8:  0.01041126526197209649748,
	9:  0.009255462182712732917729,
	10: 0.008330563433362871256469,
	11: 0.007573675487951840794972,
	12: 0.006942840107209529865664,
	13: 0.00640899418800420706844,
	14: 0.005951370112758847735624,
	15: 0.005554733551962801371039,
}
