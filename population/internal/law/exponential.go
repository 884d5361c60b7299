package law

import (
	"math"

	"github.com/almanac-sim/almanac/internal/detmath"
	"github.com/almanac-sim/almanac/internal/random"
)

// exponential has a constant hazard, the rate A:
//
//	P(X > x) = exp(−A·x)
//
// With rate 0 the duration is always +Inf. The compiler makes such a law for a clock that never
// runs.
type exponential Law

// Exponential returns the law with the given rate, which is 1 divided by its mean.
func Exponential(rate float64) Law {
	return Law{family: familyExponential, memoryless: true, a: rate}
}

// draw divides an exponential number with mean 1 by the rate. The number is never 0, so that a rate
// of 0 gives +Inf and not NaN.
func (l *exponential) draw(s *random.Stream) float64 { return s.Exp() / l.a }

func (l *exponential) drawBeyond(s *random.Stream, age float64) float64 { return age + s.Exp()/l.a }

func (l *exponential) survival(x float64) float64 { return detmath.Exp(-l.a * x) }

func (l *exponential) logSurvival(x float64) float64 { return -l.a * x }

func (l *exponential) mean() float64 { return 1 / l.a }

func (l *exponential) longest() float64 { return math.Inf(1) }

// whyEndless is empty also for rate 0, which a duration in a model file cannot have.
func (l *exponential) whyEndless() string { return "" }

func (l *exponential) sound() bool { return allPositive(l.a, 1/l.a) }

func (l *exponential) words(u Unit) string { return "exponential with mean " + u.Duration(1/l.a) }

// allPositive reports whether all numbers are above 0 and finite.
func allPositive(xs ...float64) bool {
	for _, x := range xs {
		if !(x > 0) || math.IsInf(x, 0) {
			return false
		}
	}
	return true
}
