package population

import (
	"fmt"
	"math"
	"slices"
	"sort"
	"strings"

	"github.com/almanac-sim/almanac/internal/format"
	"github.com/almanac-sim/almanac/internal/portable"
	"github.com/almanac-sim/almanac/internal/random"
)

// A law is a distribution of durations, worked out in the unit of the model.
type law struct {
	family lawFamily
	a, b   float64 // its parameters, see each family
	c      float64 // of a third, if it has one
	steps  []lawStep
	parts  []law
	shares []float64 // of the parts
	total  float64   // of all of them: 1, but for rounding
	byAge  guide     // hazard: to the steps, by age
	bySum  guide     // hazard: to the steps, by the hazard up to them; mixture: to the parts, by the shares up to them
}

type lawFamily uint8

const (
	lawExactly     lawFamily = iota // a
	lawExponential                  // rate a
	lawGamma                        // shape a, rate b
	lawWeibull                      // scale a, shape b
	lawLognormal                    // a and b are mean and sd of the logarithm
	lawUniform                      // from a to b
	lawHazard                       // steps
	lawMixture                      // parts
	lawGompertz                     // rate a, growth b, makeham c
)

// A lawStep is an age from which on a rate holds, and the integral of the rate up to it.
type lawStep struct{ from, rate, until float64 }

func exactly(x float64) law        { return law{family: lawExactly, a: x} }
func exponential(rate float64) law { return law{family: lawExponential, a: rate} }
func gamma(mean, shape float64) law {
	return law{family: lawGamma, a: shape, b: shape / mean}
}
func weibull(scale, shape float64) law { return law{family: lawWeibull, a: scale, b: shape} }
func uniform(low, high float64) law    { return law{family: lawUniform, a: low, b: high} }

// lognormal takes mean m and standard deviation s of the time itself: the logarithm then has variance ln(1+s²/m²) and
// mean ln m minus half of that.
func lognormal(mean, sd float64) law {
	variance := portable.Log1p(sd / mean * (sd / mean))
	return law{family: lawLognormal, a: portable.Log(mean) - float64(variance/2), b: math.Sqrt(variance)}
}

// hazard has a rate that is constant from each age to the next: a life table.
func hazard(from, rate []float64) law {
	l := law{family: lawHazard}
	total, sums := 0.0, []float64(nil)
	for i := range from {
		if i > 0 {
			total += float64(rate[i-1] * (from[i] - from[i-1]))
		}
		l.steps = append(l.steps, lawStep{from[i], rate[i], total})
		sums = append(sums, total)
	}
	if len(from) > 0 {
		l.byAge, l.bySum = newGuide(from), newGuide(sums)
	}
	return l
}

func mixture(shares []float64, parts []law) law {
	l := law{family: lawMixture, parts: parts}
	before := []float64{}
	for _, s := range shares {
		sum := l.total + s
		before, l.shares, l.total = append(before, l.total), append(l.shares, sum-l.total), sum
	}
	if len(shares) > 0 {
		l.bySum = newGuide(before)
	}
	return l
}

// memoryless tells whether what is left of a duration is distributed as the whole of it was.
func (l *law) memoryless() bool {
	return l.family == lawExponential || l.family == lawGamma && l.a == 1 || l.family == lawWeibull && l.b == 1
}

// fixed tells whether every draw is the same.
func (l *law) fixed() bool { return l.family == lawExactly }

// rate is that of an exponential law.
func (l *law) rate() float64 { return l.a }

// same tells whether two laws are the same.
func (l *law) same(o *law) bool {
	return l.family == o.family && l.a == o.a && l.b == o.b && l.c == o.c && slices.Equal(l.steps, o.steps) && slices.Equal(l.shares, o.shares) &&
		slices.EqualFunc(l.parts, o.parts, func(a, b law) bool { return a.same(&b) })
}

// draw takes a duration from the law. It may be +Inf: a rate of 0, or a hazard that ends with one.
func (l *law) draw(s *random.Stream) float64 {
	switch l.family {
	case lawExactly:
		return l.a
	case lawExponential:
		return s.Exp() / l.a // Exp is never 0, so that a rate of 0 is +Inf
	case lawGamma:
		return random.Gamma(s, l.a) / l.b
	case lawWeibull:
		return l.a * portable.Pow(s.Exp(), 1/l.b)
	case lawLognormal:
		return portable.Exp(float64(random.Normal(s)*l.b) + l.a)
	case lawUniform:
		return l.a + float64((l.b-l.a)*s.Float64())
	case lawHazard:
		return l.reach(s.Exp())
	case lawGompertz:
		return l.gompertzLeft(s, 0)
	default:
		return l.parts[l.bySum.find(s.Float64()*l.total)].draw(s)
	}
}

// drawBeyond takes a duration from the law, given that it is longer than age. The age must be below l's longest.
func (l *law) drawBeyond(s *random.Stream, age float64) float64 {
	if age <= 0 {
		return l.draw(s)
	}
	switch l.family {
	case lawExactly:
		return l.a
	case lawExponential:
		return age + s.Exp()/l.a
	case lawWeibull:
		return l.a * portable.Pow(portable.Pow(age/l.a, l.b)+s.Exp(), 1/l.b)
	case lawUniform:
		low := max(l.a, age)
		return low + float64((l.b-low)*s.Float64())
	case lawHazard:
		now := &l.steps[l.byAge.find(age)]
		return max(age, l.reach(now.until+float64(now.rate*(age-now.from))+s.Exp()))
	case lawMixture:
		// By Bayes, a part is as probable as its share times the probability that it lasts that long.
		weights := make([]float64, len(l.parts))
		sum := 0.0
		for i := range l.parts {
			sum += float64(l.shares[i] * l.parts[i].survival(age))
			weights[i] = sum
		}
		if sum < faint {
			return l.parts[heaviest(s, weights, l.faintParts(age))].drawBeyond(s, age)
		}
		u := s.Positive() * sum // above 0, so that no part of weight 0 is taken
		return l.parts[sort.SearchFloat64s(weights, u)].drawBeyond(s, age)
	case lawGompertz:
		return age + l.gompertzLeft(s, age)
	case lawGamma:
		// Down the tail: solve Q(a, bx) = u·Q(a, b·age), unless that is too small a number.
		if q := float64(s.Positive() * l.survival(age)); q > faint {
			return max(age, portable.GammaQuantile(l.a, 1-q, q)/l.b)
		}
		return age + gammaTail(s, l.a, l.b*age)/l.b
	default: // lognormal
		if q := s.Positive() * l.survival(age); q > faint {
			return max(age, portable.Exp(l.a-float64(l.b*portable.NormalQuantile(q))))
		}
		return max(age, portable.Exp(l.a+float64(l.b*normalTail(s, (portable.Log(age)-l.a)/l.b))))
	}
}

// survival is the probability of more than x.
func (l *law) survival(x float64) float64 {
	switch l.family {
	case lawExactly:
		if x < l.a {
			return 1
		}
		return 0
	case lawExponential:
		return portable.Exp(-l.a * x)
	case lawGamma:
		_, above := portable.GammaInc(l.a, l.b*max(x, 0))
		return above
	case lawWeibull:
		return portable.Exp(-portable.Pow(max(x, 0)/l.a, l.b))
	case lawLognormal:
		return portable.Erfc((portable.Log(x)-l.a)/(l.b*math.Sqrt2)) / 2
	case lawUniform:
		return min(1, max(0, (l.b-x)/(l.b-l.a)))
	case lawHazard:
		s := l.steps[l.byAge.find(max(x, 0))]
		return portable.Exp(-s.until - float64(s.rate*(x-s.from)))
	case lawGompertz:
		return portable.Exp(-l.gompertzHazard(x))
	default:
		sum := 0.0
		for i := range l.parts {
			sum += float64(l.shares[i] * l.parts[i].survival(x))
		}
		return sum
	}
}

// reach is the age at which the hazard has added up to h.
func (l *law) reach(h float64) float64 {
	s := &l.steps[l.bySum.find(h)]
	if s.rate == 0 {
		return math.Inf(1) // only the last step can be without an end
	}
	return s.from + (h-s.until)/s.rate
}

// longest is the least upper bound of the durations.
func (l *law) longest() float64 {
	switch l.family {
	case lawExactly:
		return l.a
	case lawUniform:
		return l.b
	case lawMixture:
		most := 0.0
		for i := range l.parts {
			if l.shares[i] > 0 {
				most = max(most, l.parts[i].longest())
			}
		}
		return most
	}
	return math.Inf(1)
}

// mean is the expected duration; +Inf if it may never end.
func (l *law) mean() float64 {
	switch l.family {
	case lawExactly:
		return l.a
	case lawExponential:
		return 1 / l.a
	case lawGamma:
		return l.a / l.b
	case lawWeibull:
		return l.a * portable.Gamma(1+1/l.b)
	case lawLognormal:
		return portable.Exp(l.a + float64(l.b*l.b/2))
	case lawUniform:
		return (l.a + l.b) / 2
	case lawHazard:
		// The integral of the survival function, step by step.
		sum := 0.0
		for i, s := range l.steps {
			width := math.Inf(1)
			if i+1 < len(l.steps) {
				width = l.steps[i+1].from - s.from
			}
			if s.rate == 0 {
				sum += float64(portable.Exp(-s.until) * width)
			} else {
				sum += portable.Exp(-s.until) * -portable.Expm1(-s.rate*width) / s.rate
			}
		}
		return sum
	case lawGompertz:
		return l.gompertzMean()
	default:
		sum := 0.0
		for i := range l.parts {
			if l.shares[i] > 0 {
				sum += float64(l.shares[i] * l.parts[i].mean())
			}
		}
		return sum
	}
}

// sound tells whether the parameters are numbers to work with, and not too large or too small.
func (l *law) sound() bool {
	fine := func(xs ...float64) bool {
		for _, x := range xs {
			if !(x > 0) || math.IsInf(x, 0) {
				return false
			}
		}
		return true
	}
	switch l.family {
	case lawExponential:
		return fine(l.a, 1/l.a)
	case lawGamma:
		return fine(l.a, l.b, l.a/l.b)
	case lawWeibull:
		return fine(l.a, l.b, 1/l.b)
	case lawLognormal:
		return !math.IsInf(l.a, 0) && !math.IsNaN(l.a) && fine(l.b)
	case lawGompertz:
		return l.gompertzSound()
	}
	return true
}

// A unitOfTime puts durations and rates into words.
type unitOfTime interface {
	Duration(x float64) string
	Rate(x float64) string
}

// words describes the law, with times in the given unit.
func (l *law) words(u unitOfTime) string {
	d := u.Duration
	switch l.family {
	case lawExactly:
		return "exactly " + d(l.a)
	case lawExponential:
		return "exponential with mean " + d(1/l.a)
	case lawGamma:
		return fmt.Sprintf("gamma with mean %s and shape %.4g", d(l.mean()), l.a)
	case lawWeibull:
		return fmt.Sprintf("Weibull with scale %s and shape %.4g, mean %s", d(l.a), l.b, d(l.mean()))
	case lawLognormal:
		return fmt.Sprintf("lognormal with mean %s and standard deviation %s", d(l.mean()), d(l.mean()*math.Sqrt(portable.Expm1(l.b*l.b))))
	case lawUniform:
		return fmt.Sprintf("uniform between %s and %s", d(l.a), d(l.b))
	case lawGompertz:
		return l.gompertzWords(u)
	case lawHazard:
		return fmt.Sprintf("by a table of rates from %s on, mean %s", format.Plural(len(l.steps), "age"), d(l.mean()))
	default:
		var parts []string
		for i := range l.parts {
			parts = append(parts, fmt.Sprintf("%s %s", format.Percent(l.shares[i]), l.parts[i].words(u)))
		}
		return strings.Join(parts, " or ")
	}
}

// endless tells whether a duration may have no end.
func (l *law) endless() bool { return l.whyEndless() != "" }

// whyEndless says why a duration may have no end; it is empty if it always has one.
func (l *law) whyEndless() string {
	switch {
	case l.family == lawHazard && l.steps[len(l.steps)-1].rate == 0:
		return "a hazard that ends with a rate of 0 has no end"
	case l.family == lawGompertz && l.b < 0 && l.c == 0:
		return "a hazard whose growth is negative may have no end"
	}
	for i := range l.parts {
		if l.shares[i] > 0 {
			if why := l.parts[i].whyEndless(); why != "" {
				return why
			}
		}
	}
	return ""
}

// drawLonger is drawBeyond for ages that many reach: of gamma, lognormal and mixed durations some are drawn, of which the first that is longer than
// the age is one, before what that takes is worked out.
func (l *law) drawLonger(s *random.Stream, age float64) float64 {
	if l.family == lawGamma || l.family == lawLognormal || l.family == lawMixture {
		const tries = 8
		for range tries {
			if x := l.draw(s); x > age {
				return x
			}
		}
	}
	return l.drawBeyond(s, age)
}
