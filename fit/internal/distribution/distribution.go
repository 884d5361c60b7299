// Package distribution has the distributions that priors are made of. They are not gonum's, whose
// bits depend on the machine.
package distribution

import (
	"math"

	"github.com/almanac-sim/almanac/internal/detmath"
)

// A Distribution is a continuous univariate distribution.
type Distribution interface {
	CDF(x float64) float64
	LogProb(x float64) float64
	Quantile(p float64) float64
}

// Uniform has constant density between its ends.
type Uniform struct{ Low, High float64 }

func (l Uniform) CDF(x float64) float64 { return min(max((x-l.Low)/(l.High-l.Low), 0), 1) }

func (l Uniform) LogProb(x float64) float64 {
	if !(x >= l.Low && x <= l.High) {
		return math.Inf(-1)
	}
	return -detmath.Log(l.High - l.Low)
}

func (l Uniform) Quantile(p float64) float64 { return l.Low + float64(p*(l.High-l.Low)) }

// LogUniform has density 1/(x·log(high/low)).
type LogUniform struct{ Low, High float64 }

func (r LogUniform) CDF(x float64) float64 {
	return math.Min(math.Max(detmath.Log(x/r.Low)/detmath.Log(r.High/r.Low), 0), 1)
}

func (r LogUniform) LogProb(x float64) float64 {
	if !(x >= r.Low && x <= r.High) {
		return math.Inf(-1)
	}
	return -detmath.Log(x) - detmath.Log(detmath.Log(r.High/r.Low))
}

func (r LogUniform) Quantile(p float64) float64 { return r.Low * detmath.Pow(r.High/r.Low, p) }

// Normal has a mean and a standard deviation.
type Normal struct{ Mean, Sd float64 }

func (l Normal) CDF(x float64) float64 { return detmath.NormalCDF((x - l.Mean) / l.Sd) }

func (l Normal) LogProb(x float64) float64 {
	z := (x - l.Mean) / l.Sd
	return float64(-float64(z*z)/2) - detmath.Log(l.Sd) - logRoot2Pi
}

func (l Normal) Quantile(p float64) float64 {
	return l.Mean + float64(l.Sd*detmath.NormalQuantile(p))
}

// logRoot2Pi is log √(2π).
const logRoot2Pi = 0.91893853320467274178

// Lognormal has a normal logarithm.
type Lognormal struct{ Normal }

func (l Lognormal) CDF(x float64) float64 { return l.Normal.CDF(detmath.Log(x)) }
func (l Lognormal) LogProb(x float64) float64 {
	return l.Normal.LogProb(detmath.Log(x)) - detmath.Log(x)
}
func (l Lognormal) Quantile(p float64) float64 { return detmath.Exp(l.Normal.Quantile(p)) }

// Gamma has a shape and a rate.
type Gamma struct{ Shape, Rate float64 }

func (l Gamma) CDF(x float64) float64 {
	p, _ := detmath.GammaInc(l.Shape, l.Rate*x)
	return p
}

func (l Gamma) LogProb(x float64) float64 {
	if x < 0 {
		return math.Inf(-1)
	}
	return float64(l.Shape*detmath.Log(l.Rate)) - detmath.Lgamma(l.Shape) + (powerTerm(l.Shape-1, x) - float64(l.Rate*x))
}

func (l Gamma) Quantile(p float64) float64 {
	return detmath.GammaQuantile(l.Shape, p, 1-p) / l.Rate
}

// powerTerm is log xᵃ, with 0⁰ = 1.
func powerTerm(a, x float64) float64 {
	if a == 0 {
		return 0
	}
	return a * detmath.Log(x)
}

// Beta has two shape parameters.
type Beta struct{ A, B float64 }

func (l Beta) CDF(x float64) float64 {
	p, _ := detmath.BetaInc(l.A, l.B, x, 1-x)
	return p
}

func (l Beta) LogProb(x float64) float64 {
	if x < 0 || x > 1 {
		return math.Inf(-1)
	}
	norm := detmath.Lgamma(l.A+l.B) - detmath.Lgamma(l.A) - detmath.Lgamma(l.B)
	return norm + float64(powerTerm(l.A-1, x)) + float64(powerTerm(l.B-1, 1-x))
}

func (l Beta) Quantile(p float64) float64 { return detmath.BetaQuantile(l.A, l.B, p) }

// Weibull has a scale and a shape; with shape 1 it is exponential.
type Weibull struct{ Scale, Shape float64 }

func (l Weibull) CDF(x float64) float64 { return -detmath.Expm1(-detmath.Pow(x/l.Scale, l.Shape)) }

func (l Weibull) LogProb(x float64) float64 {
	if x < 0 {
		return math.Inf(-1)
	}
	return detmath.Log(l.Shape/l.Scale) + float64(powerTerm(l.Shape-1, x/l.Scale)) - detmath.Pow(x/l.Scale, l.Shape)
}

func (l Weibull) Quantile(p float64) float64 {
	return l.Scale * detmath.Pow(-detmath.Log1p(-p), 1/l.Shape)
}
