package counts

import (
	"math"

	"github.com/almanac-sim/almanac/internal/detmath"
	"github.com/almanac-sim/almanac/internal/random"
)

// mostMean is the largest mean of a Poisson number: 2⁴⁰, or 2³⁰ where an int has 32 bits.
const mostMean = 1 << (30 + 10*(^uint(0)>>63))

// Poisson is the number of events that come independently of each other, mean of them on average.
// It panics if the mean is not in [0, 2⁴⁰], or [0, 2³⁰] where an int has 32 bits.
//
// It inverts the distribution function if the mean is below 10, and else uses transformed rejection
// with squeeze [H93p], with probabilities from the saddle-point expansion, as [Binomial] does, and
// as exactly. The constants are those of the binomial too, of which this is the limit for p → 0:
// with those of the paper, algorithm PTRS, the hat is up to 0.6 % too low for means between 10 and
// 1000, and makes single counts too rare by 4·10⁻⁵ of them.
//
// [H93p]: https://doi.org/10.1016/0167-6687(93)90997-4
func Poisson(s *random.Stream, mean float64) int {
	if !(mean >= 0 && mean <= mostMean) {
		panic("counts: the mean of a Poisson number is below 0, above what an int can count, or not a number")
	}
	if mean < manyMean {
		return fewEvents(s, mean)
	}
	return many(s, math.Inf(1), 0, mean)
}

// fewEvents is Poisson for a mean below manyMean, as fewSuccesses is Binomial.
func fewEvents(s *random.Stream, mean float64) int {
	u := float64(s.Float64())
	if u < 1-mean {
		return 0 // e⁻ˣ is not below 1 − x
	}
	none := detmath.Exp(-mean)
	for {
		mass := none
		for k := 0; k <= fewMost; k++ {
			if u < mass {
				return k
			}
			u -= mass
			mass = float64(mass * (mean / float64(k+1)))
		}
		u = float64(s.Float64())
	}
}

// poissonMass is the probability of k events for a mean above 0.
func poissonMass(mean, k float64) float64 {
	if k == 0 {
		return detmath.Exp(-mean)
	}
	return detmath.Exp(-stirlingError(k)-deviance(k, mean, k-mean)) * (normalTop / math.Sqrt(k))
}
