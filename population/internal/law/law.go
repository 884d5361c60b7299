package law

import (
	"fmt"
	"math"
	"slices"
	"sort"
	"strings"

	"github.com/almanac-sim/almanac/internal/format"
	"github.com/almanac-sim/almanac/internal/portable"
	"github.com/almanac-sim/almanac/internal/random"
	"github.com/almanac-sim/almanac/population/internal/lookup"
)

// A Law is a distribution of durations, worked out in the unit of the model.
type Law struct {
	Family family
	A, b   float64 // its parameters, see each family
	c      float64 // of a third, if it has one
	steps  []lawStep
	parts  []Law
	shares []float64    // of the parts
	total  float64      // of all of them: 1, but for rounding
	byAge  lookup.Guide // hazard: to the steps, by age
	bySum  lookup.Guide // hazard: to the steps, by the hazard up to them; mixture: to the parts, by the shares up to them
}

type family uint8

const (
	LawExactly     family = iota // a
	lawExponential               // rate a
	lawGamma                     // shape a, rate b
	lawWeibull                   // scale a, shape b
	lawLognormal                 // a and b are mean and sd of the logarithm
	lawUniform                   // from a to b
	lawHazard                    // steps
	lawMixture                   // parts
	lawGompertz                  // rate a, growth b, makeham c
)

// A lawStep is an age from which on a rate holds, and the integral of the rate up to it.
type lawStep struct{ from, rate, until float64 }

func Exactly(x float64) Law        { return Law{Family: LawExactly, A: x} }
func Exponential(rate float64) Law { return Law{Family: lawExponential, A: rate} }
func Gamma(mean, shape float64) Law {
	return Law{Family: lawGamma, A: shape, b: shape / mean}
}
func Weibull(scale, shape float64) Law { return Law{Family: lawWeibull, A: scale, b: shape} }
func Uniform(low, high float64) Law    { return Law{Family: lawUniform, A: low, b: high} }

// Lognormal takes mean m and standard deviation s of the time itself: the logarithm then has variance ln(1+s²/m²) and
// mean ln m minus half of that.
func Lognormal(mean, sd float64) Law {
	variance := portable.Log1p(sd / mean * (sd / mean))
	return Law{Family: lawLognormal, A: portable.Log(mean) - float64(variance/2), b: math.Sqrt(variance)}
}

// Hazard has a rate that is constant from each age to the next: a life table.
func Hazard(from, rate []float64) Law {
	l := Law{Family: lawHazard}
	total, sums := 0.0, []float64(nil)
	for i := range from {
		if i > 0 {
			total += float64(rate[i-1] * (from[i] - from[i-1]))
		}
		l.steps = append(l.steps, lawStep{from[i], rate[i], total})
		sums = append(sums, total)
	}
	if len(from) > 0 {
		l.byAge, l.bySum = lookup.NewGuide(from), lookup.NewGuide(sums)
	}
	return l
}

func Mixture(shares []float64, parts []Law) Law {
	l := Law{Family: lawMixture, parts: parts}
	before := []float64{}
	for _, s := range shares {
		sum := l.total + s
		before, l.shares, l.total = append(before, l.total), append(l.shares, sum-l.total), sum
	}
	if len(shares) > 0 {
		l.bySum = lookup.NewGuide(before)
	}
	return l
}

// Memoryless tells whether what is left of a duration is distributed as the whole of it was.
func (l *Law) Memoryless() bool {
	return l.Family == lawExponential || l.Family == lawGamma && l.A == 1 || l.Family == lawWeibull && l.b == 1
}

// Fixed tells whether every draw is the same.
func (l *Law) Fixed() bool { return l.Family == LawExactly }

// Rate is that of an exponential law.
func (l *Law) Rate() float64 { return l.A }

// Same tells whether two laws are the same.
func (l *Law) Same(o *Law) bool {
	return l.Family == o.Family && l.A == o.A && l.b == o.b && l.c == o.c && slices.Equal(l.steps, o.steps) && slices.Equal(l.shares, o.shares) &&
		slices.EqualFunc(l.parts, o.parts, func(a, b Law) bool { return a.Same(&b) })
}

// Draw takes a duration from the law. It may be +Inf: a rate of 0, or a hazard that ends with one.
func (l *Law) Draw(s *random.Stream) float64 {
	switch l.Family {
	case LawExactly:
		return l.A
	case lawExponential:
		return s.Exp() / l.A // Exp is never 0, so that a rate of 0 is +Inf
	case lawGamma:
		return random.Gamma(s, l.A) / l.b
	case lawWeibull:
		return l.A * portable.Pow(s.Exp(), 1/l.b)
	case lawLognormal:
		return portable.Exp(float64(random.Normal(s)*l.b) + l.A)
	case lawUniform:
		return l.A + float64((l.b-l.A)*s.Float64())
	case lawHazard:
		return l.reach(s.Exp())
	case lawGompertz:
		return l.gompertzLeft(s, 0)
	default:
		return l.parts[l.bySum.Find(s.Float64()*l.total)].Draw(s)
	}
}

// DrawBeyond takes a duration from the law, given that it is longer than age. The age must be below l's longest.
func (l *Law) DrawBeyond(s *random.Stream, age float64) float64 {
	if age <= 0 {
		return l.Draw(s)
	}
	switch l.Family {
	case LawExactly:
		return l.A
	case lawExponential:
		return age + s.Exp()/l.A
	case lawWeibull:
		return l.A * portable.Pow(portable.Pow(age/l.A, l.b)+s.Exp(), 1/l.b)
	case lawUniform:
		low := max(l.A, age)
		return low + float64((l.b-low)*s.Float64())
	case lawHazard:
		now := &l.steps[l.byAge.Find(age)]
		return max(age, l.reach(now.until+float64(now.rate*(age-now.from))+s.Exp()))
	case lawMixture:
		// By Bayes, a part is as probable as its share times the probability that it lasts that long.
		weights := make([]float64, len(l.parts))
		sum := 0.0
		for i := range l.parts {
			sum += float64(l.shares[i] * l.parts[i].Survival(age))
			weights[i] = sum
		}
		if sum < faint {
			return l.parts[Heaviest(s, weights, l.faintParts(age))].DrawBeyond(s, age)
		}
		u := s.Positive() * sum // above 0, so that no part of weight 0 is taken
		return l.parts[sort.SearchFloat64s(weights, u)].DrawBeyond(s, age)
	case lawGompertz:
		return age + l.gompertzLeft(s, age)
	case lawGamma:
		// Down the tail: solve Q(a, bx) = u·Q(a, b·age), unless that is too small a number.
		if q := float64(s.Positive() * l.Survival(age)); q > faint {
			return max(age, portable.GammaQuantile(l.A, 1-q, q)/l.b)
		}
		return age + gammaTail(s, l.A, l.b*age)/l.b
	default: // lognormal
		if q := s.Positive() * l.Survival(age); q > faint {
			return max(age, portable.Exp(l.A-float64(l.b*portable.NormalQuantile(q))))
		}
		return max(age, portable.Exp(l.A+float64(l.b*normalTail(s, (portable.Log(age)-l.A)/l.b))))
	}
}

// Survival is the probability of more than x.
func (l *Law) Survival(x float64) float64 {
	switch l.Family {
	case LawExactly:
		if x < l.A {
			return 1
		}
		return 0
	case lawExponential:
		return portable.Exp(-l.A * x)
	case lawGamma:
		_, above := portable.GammaInc(l.A, l.b*max(x, 0))
		return above
	case lawWeibull:
		return portable.Exp(-portable.Pow(max(x, 0)/l.A, l.b))
	case lawLognormal:
		return portable.Erfc((portable.Log(x)-l.A)/(l.b*math.Sqrt2)) / 2
	case lawUniform:
		return min(1, max(0, (l.b-x)/(l.b-l.A)))
	case lawHazard:
		s := l.steps[l.byAge.Find(max(x, 0))]
		return portable.Exp(-s.until - float64(s.rate*(x-s.from)))
	case lawGompertz:
		return portable.Exp(-l.gompertzHazard(x))
	default:
		sum := 0.0
		for i := range l.parts {
			sum += float64(l.shares[i] * l.parts[i].Survival(x))
		}
		return sum
	}
}

// reach is the age at which the hazard has added up to h.
func (l *Law) reach(h float64) float64 {
	s := &l.steps[l.bySum.Find(h)]
	if s.rate == 0 {
		return math.Inf(1) // only the last step can be without an end
	}
	return s.from + (h-s.until)/s.rate
}

// Longest is the least upper bound of the durations.
func (l *Law) Longest() float64 {
	switch l.Family {
	case LawExactly:
		return l.A
	case lawUniform:
		return l.b
	case lawMixture:
		most := 0.0
		for i := range l.parts {
			if l.shares[i] > 0 {
				most = max(most, l.parts[i].Longest())
			}
		}
		return most
	}
	return math.Inf(1)
}

// Mean is the expected duration; +Inf if it may never end.
func (l *Law) Mean() float64 {
	switch l.Family {
	case LawExactly:
		return l.A
	case lawExponential:
		return 1 / l.A
	case lawGamma:
		return l.A / l.b
	case lawWeibull:
		return l.A * portable.Gamma(1+1/l.b)
	case lawLognormal:
		return portable.Exp(l.A + float64(l.b*l.b/2))
	case lawUniform:
		return (l.A + l.b) / 2
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
				sum += float64(l.shares[i] * l.parts[i].Mean())
			}
		}
		return sum
	}
}

// Sound tells whether the parameters are numbers to work with, and not too large or too small.
func (l *Law) Sound() bool {
	fine := func(xs ...float64) bool {
		for _, x := range xs {
			if !(x > 0) || math.IsInf(x, 0) {
				return false
			}
		}
		return true
	}
	switch l.Family {
	case lawExponential:
		return fine(l.A, 1/l.A)
	case lawGamma:
		return fine(l.A, l.b, l.A/l.b)
	case lawWeibull:
		return fine(l.A, l.b, 1/l.b)
	case lawLognormal:
		return !math.IsInf(l.A, 0) && !math.IsNaN(l.A) && fine(l.b)
	case lawGompertz:
		return l.gompertzSound()
	}
	return true
}

// A Unit puts durations and rates into words.
type Unit interface {
	Duration(x float64) string
	Rate(x float64) string
}

// Words describes the law, with times in the given unit.
func (l *Law) Words(u Unit) string {
	d := u.Duration
	switch l.Family {
	case LawExactly:
		return "exactly " + d(l.A)
	case lawExponential:
		return "exponential with mean " + d(1/l.A)
	case lawGamma:
		return fmt.Sprintf("gamma with mean %s and shape %.4g", d(l.Mean()), l.A)
	case lawWeibull:
		return fmt.Sprintf("Weibull with scale %s and shape %.4g, mean %s", d(l.A), l.b, d(l.Mean()))
	case lawLognormal:
		return fmt.Sprintf("lognormal with mean %s and standard deviation %s", d(l.Mean()), d(l.Mean()*math.Sqrt(portable.Expm1(l.b*l.b))))
	case lawUniform:
		return fmt.Sprintf("uniform between %s and %s", d(l.A), d(l.b))
	case lawGompertz:
		return l.gompertzWords(u)
	case lawHazard:
		return fmt.Sprintf("by a table of rates from %s on, mean %s", format.Plural(len(l.steps), "age"), d(l.Mean()))
	default:
		var parts []string
		for i := range l.parts {
			parts = append(parts, fmt.Sprintf("%s %s", format.Percent(l.shares[i]), l.parts[i].Words(u)))
		}
		return strings.Join(parts, " or ")
	}
}

// Endless tells whether a duration may have no end.
func (l *Law) Endless() bool { return l.WhyEndless() != "" }

// WhyEndless says why a duration may have no end; it is empty if it always has one.
func (l *Law) WhyEndless() string {
	switch {
	case l.Family == lawHazard && l.steps[len(l.steps)-1].rate == 0:
		return "a hazard that ends with a rate of 0 has no end"
	case l.Family == lawGompertz && l.b < 0 && l.c == 0:
		return "a hazard whose growth is negative may have no end"
	}
	for i := range l.parts {
		if l.shares[i] > 0 {
			if why := l.parts[i].WhyEndless(); why != "" {
				return why
			}
		}
	}
	return ""
}

// DrawLonger is drawBeyond for ages that many reach: of gamma, lognormal and mixed durations some are drawn, of which the first that is longer than
// the age is one, before what that takes is worked out.
func (l *Law) DrawLonger(s *random.Stream, age float64) float64 {
	if l.Family == lawGamma || l.Family == lawLognormal || l.Family == lawMixture {
		const tries = 8
		for range tries {
			if x := l.Draw(s); x > age {
				return x
			}
		}
	}
	return l.DrawBeyond(s, age)
}
