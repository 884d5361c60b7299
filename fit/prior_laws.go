package fit

import (
	"math"

	"github.com/almanac-sim/almanac/internal/detmath"
)

// The laws of priors. They are not gonum's, whose bits depend on the machine.

// A law is a distribution of numbers.
type law interface {
	CDF(x float64) float64
	LogProb(x float64) float64
	Quantile(p float64) float64
}

// A flat law is uniform.
type flat struct{ low, high float64 }

func (l flat) CDF(x float64) float64 { return min(max((x-l.low)/(l.high-l.low), 0), 1) }

func (l flat) LogProb(x float64) float64 {
	if !(x >= l.low && x <= l.high) {
		return math.Inf(-1)
	}
	return -detmath.Log(l.high - l.low)
}

func (l flat) Quantile(p float64) float64 { return l.low + float64(p*(l.high-l.low)) }

// A reciprocal law has density 1/(x·log(high/low)).
type reciprocal struct{ low, high float64 }

func (r reciprocal) CDF(x float64) float64 {
	return math.Min(math.Max(detmath.Log(x/r.low)/detmath.Log(r.high/r.low), 0), 1)
}

func (r reciprocal) LogProb(x float64) float64 {
	if !(x >= r.low && x <= r.high) {
		return math.Inf(-1)
	}
	return -detmath.Log(x) - detmath.Log(detmath.Log(r.high/r.low))
}

func (r reciprocal) Quantile(p float64) float64 { return r.low * detmath.Pow(r.high/r.low, p) }

// A bell is normal.
type bell struct{ mean, sd float64 }

func (l bell) CDF(x float64) float64 { return detmath.NormalCDF((x - l.mean) / l.sd) }

func (l bell) LogProb(x float64) float64 {
	z := (x - l.mean) / l.sd
	return float64(-float64(z*z)/2) - detmath.Log(l.sd) - logRoot2Pi
}

func (l bell) Quantile(p float64) float64 { return l.mean + float64(l.sd*detmath.NormalQuantile(p)) }

// logRoot2Pi is log √(2π).
const logRoot2Pi = 0.91893853320467274178

// A logBell has a logarithm that is normal.
type logBell struct{ bell }

func (l logBell) CDF(x float64) float64      { return l.bell.CDF(detmath.Log(x)) }
func (l logBell) LogProb(x float64) float64  { return l.bell.LogProb(detmath.Log(x)) - detmath.Log(x) }
func (l logBell) Quantile(p float64) float64 { return detmath.Exp(l.bell.Quantile(p)) }

// A gammaLaw has a shape and a rate.
type gammaLaw struct{ shape, rate float64 }

func (l gammaLaw) CDF(x float64) float64 {
	p, _ := detmath.GammaInc(l.shape, l.rate*x)
	return p
}

func (l gammaLaw) LogProb(x float64) float64 {
	if x < 0 {
		return math.Inf(-1)
	}
	return float64(l.shape*detmath.Log(l.rate)) - detmath.Lgamma(l.shape) + (powerTerm(l.shape-1, x) - float64(l.rate*x))
}

func (l gammaLaw) Quantile(p float64) float64 {
	return detmath.GammaQuantile(l.shape, p, 1-p) / l.rate
}

// powerTerm is log xᵃ, where 0⁰ is 1.
func powerTerm(a, x float64) float64 {
	if a == 0 {
		return 0
	}
	return a * detmath.Log(x)
}

// A betaLaw has two shapes.
type betaLaw struct{ a, b float64 }

func (l betaLaw) CDF(x float64) float64 {
	p, _ := detmath.BetaInc(l.a, l.b, x, 1-x)
	return p
}

func (l betaLaw) LogProb(x float64) float64 {
	if x < 0 || x > 1 {
		return math.Inf(-1)
	}
	norm := detmath.Lgamma(l.a+l.b) - detmath.Lgamma(l.a) - detmath.Lgamma(l.b)
	return norm + float64(powerTerm(l.a-1, x)) + float64(powerTerm(l.b-1, 1-x))
}

func (l betaLaw) Quantile(p float64) float64 { return detmath.BetaQuantile(l.a, l.b, p) }

// A weibullLaw has a scale and a shape; it is exponential with shape 1.
type weibullLaw struct{ scale, shape float64 }

func (l weibullLaw) CDF(x float64) float64 { return -detmath.Expm1(-detmath.Pow(x/l.scale, l.shape)) }

func (l weibullLaw) LogProb(x float64) float64 {
	if x < 0 {
		return math.Inf(-1)
	}
	return detmath.Log(l.shape/l.scale) + float64(powerTerm(l.shape-1, x/l.scale)) - detmath.Pow(x/l.scale, l.shape)
}

func (l weibullLaw) Quantile(p float64) float64 {
	return l.scale * detmath.Pow(-detmath.Log1p(-p), 1/l.shape)
}
