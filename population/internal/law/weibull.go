package law

import (
	"fmt"
	"math"

	"github.com/almanac-sim/almanac/internal/detmath"
	"github.com/almanac-sim/almanac/internal/random"
)

// weibull has scale a and shape b:
//
//	P(X > x) = exp(−(x/A)^b)
//
// (X/A)^b is exponential with mean 1, from which draws are made.
type weibull Law

// Weibull returns the law with the given scale and shape.
func Weibull(scale, shape float64) Law {
	return Law{family: familyWeibull, memoryless: shape == 1, a: scale, b: shape}
}

func (l *weibull) draw(s *random.Stream) float64 { return l.a * detmath.Pow(s.Exp(), 1/l.b) }

func (l *weibull) drawBeyond(s *random.Stream, age float64) float64 {
	return l.a * detmath.Pow(detmath.Pow(age/l.a, l.b)+s.Exp(), 1/l.b)
}

func (l *weibull) survival(x float64) float64 {
	return detmath.Exp(-detmath.Pow(max(x, 0)/l.a, l.b))
}

func (l *weibull) logSurvival(x float64) float64 { return -detmath.Pow(x/l.a, l.b) }

func (l *weibull) mean() float64 { return l.a * detmath.Gamma(1+1/l.b) }

func (l *weibull) longest() float64 { return math.Inf(1) }

func (l *weibull) whyEndless() string { return "" }

func (l *weibull) sound() bool { return allPositive(l.a, l.b, 1/l.b) }

func (l *weibull) words(u Unit) string {
	return fmt.Sprintf("Weibull with scale %s and shape %.4g, mean %s", u.Duration(l.a), l.b, u.Duration(l.mean()))
}
