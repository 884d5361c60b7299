package law

import (
	"fmt"
	"math"

	"github.com/almanac-sim/almanac/internal/detmath"
	"github.com/almanac-sim/almanac/internal/random"
)

// gamma has shape a and rate b:
//
//	density   b^a·x^(a−1)·exp(−b·x)/Γ(a)
//	P(X > x)  Q(a, b·x), the regularized upper incomplete gamma function
//
// With a whole shape k it is the Erlang distribution: the sum of k exponential durations.
type gamma Law

// Gamma returns the law with the given mean and shape.
func Gamma(mean, shape float64) Law {
	return Law{family: familyGamma, memoryless: shape == 1, a: shape, b: shape / mean}
}

func (l *gamma) draw(s *random.Stream) float64 { return random.Gamma(s, l.a) / l.b }

// drawBeyond inverts the tail: it solves Q(a, b·x) = u·Q(a, b·age) for x, with u uniform. Where the
// right-hand side underflows it draws the excess over the age by rejection.
func (l *gamma) drawBeyond(s *random.Stream, age float64) float64 {
	if q := float64(s.Positive() * l.survival(age)); q > faint {
		return max(age, detmath.GammaQuantile(l.a, 1-q, q)/l.b)
	}
	return age + gammaTail(s, l.a, l.b*age)/l.b
}

// gammaTail draws by how much a gamma number of the given shape and rate 1 exceeds x, given that it
// does. It is exact, by rejection: the density of the excess y is proportional to
// (1+y/x)^(shape−1)·exp(−y). Up to shape 1 the first factor is at most 1, and is the probability to
// accept an exponential y. Above, it is at most exp(slope·y) with slope = (shape−1)/x; y is then
// exponential with rate 1 − slope, and the factor divided by its bound is the probability. It is
// meant for x far above the shape, where hardly any y is rejected.
func gammaTail(s *random.Stream, shape, x float64) float64 {
	slope := max(0, (shape-1)/x)
	for {
		y := s.Exp() / (1 - slope)
		if s.Float64() < detmath.Exp(float64((shape-1)*detmath.Log1p(y/x))-float64(slope*y)) {
			return y
		}
	}
}

func (l *gamma) survival(x float64) float64 {
	_, above := detmath.GammaInc(l.a, l.b*max(x, 0))
	return above
}

func (l *gamma) logSurvival(x float64) float64 { return logSurvivalOrTail(l, x) }

// logTail is the asymptotic expansion for y = b·x far above the shape, [DLMF] 8.11.2:
//
//	Q(a, y) = y^(a−1)·exp(−y)/Γ(a) · (1 + (a−1)/y + (a−1)(a−2)/y² + …)
//
// [DLMF]: https://dlmf.nist.gov/8.11#E2
func (l *gamma) logTail(x float64) float64 {
	y := float64(l.b * x)
	norm := detmath.Lgamma(l.a)
	series := asymptotic(func(k float64) float64 { return (l.a - k) / y })
	return float64((l.a-1)*detmath.Log(y)) - y - norm + detmath.Log(series)
}

func (l *gamma) mean() float64 { return l.a / l.b }

func (l *gamma) longest() float64 { return math.Inf(1) }

func (l *gamma) whyEndless() string { return "" }

func (l *gamma) sound() bool { return allPositive(l.a, l.b, l.a/l.b) }

func (l *gamma) words(u Unit) string {
	return fmt.Sprintf("gamma with mean %s and shape %.4g", u.Duration(l.mean()), l.a)
}
