package law

import (
	"fmt"
	"math"

	"github.com/almanac-sim/almanac/internal/detmath"
	"github.com/almanac-sim/almanac/internal/random"
)

// lognormal is the exponential of a normal number with mean a and standard deviation b:
//
//	P(X > x) = erfc((ln x − A)/(b·√2))/2
type lognormal Law

// Lognormal returns the law with mean m and standard deviation s of the duration itself. Its
// logarithm then has variance ln(1+s²/m²) and mean ln m minus half of that.
func Lognormal(mean, sd float64) Law {
	variance := detmath.Log1p(sd / mean * (sd / mean))
	return Law{
		family: familyLognormal,
		a:      detmath.Log(mean) - float64(variance/2),
		b:      math.Sqrt(variance),
	}
}

func (l *lognormal) draw(s *random.Stream) float64 {
	return detmath.Exp(float64(random.Normal(s)*l.b) + l.a)
}

// drawBeyond inverts the tail of the normal distribution: it solves survival(x) = u·survival(age)
// for x, with u uniform. Where the right-hand side underflows it draws the normal number by
// rejection.
func (l *lognormal) drawBeyond(s *random.Stream, age float64) float64 {
	if q := s.Positive() * l.survival(age); q > faint {
		return max(age, detmath.Exp(l.a-float64(l.b*detmath.NormalQuantile(q))))
	}
	return max(age, detmath.Exp(l.a+float64(l.b*normalTail(s, (detmath.Log(age)-l.a)/l.b))))
}

// normalTail draws a standard normal number given that it exceeds z, which is far above 0. It is
// exact [Marsaglia64].
//
// [Marsaglia64]: https://doi.org/10.1080/00401706.1964.10490150
func normalTail(s *random.Stream, z float64) float64 {
	for {
		if x := math.Sqrt(float64(z*z) + float64(2*s.Exp())); s.Float64()*x < z {
			return x
		}
	}
}

func (l *lognormal) survival(x float64) float64 {
	return detmath.Erfc((detmath.Log(x)-l.a)/(l.b*math.Sqrt2)) / 2
}

func (l *lognormal) logSurvival(x float64) float64 { return logSurvivalOrTail(l, x) }

// logTail is the asymptotic expansion of Mills' ratio for z = (ln x − A)/b far above 0, [DLMF]
// 7.12.1:
//
//	P(Z > z) = exp(−z²/2)/(z·√(2π)) · (1 − 1/z² + 3/z⁴ − …)
//
// [DLMF]: https://dlmf.nist.gov/7.12#E1
func (l *lognormal) logTail(x float64) float64 {
	z := (detmath.Log(x) - l.a) / l.b
	series := asymptotic(func(k float64) float64 { return -(float64(2*k) - 1) / (z * z) })
	return float64(-z*z/2) - detmath.Log(z*math.Sqrt(2*math.Pi)) + detmath.Log(series)
}

func (l *lognormal) mean() float64 { return detmath.Exp(l.a + float64(l.b*l.b/2)) }

func (l *lognormal) longest() float64 { return math.Inf(1) }

func (l *lognormal) whyEndless() string { return "" }

func (l *lognormal) sound() bool {
	return !math.IsInf(l.a, 0) && !math.IsNaN(l.a) && allPositive(l.b)
}

func (l *lognormal) words(u Unit) string {
	sd := l.mean() * math.Sqrt(detmath.Expm1(l.b*l.b))
	return fmt.Sprintf("lognormal with mean %s and standard deviation %s", u.Duration(l.mean()), u.Duration(sd))
}
