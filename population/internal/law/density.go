package law

import (
	"fmt"
	"math"

	"github.com/almanac-sim/almanac/internal/detmath"
)

// Densities. The density of a law is a rate that a model may use: an individual that makes contacts
// at R times the density makes R of them on average. Events at a rate are drawn by thinning, which
// needs bounds, so only laws with a largest density can stand there.

// NoDensity returns why nothing can be drawn at the density of a law, as the end of a message; ""
// if it has a largest density.
func (l *Law) NoDensity() string {
	const because = "has no largest density, so that nothing can be drawn from it; "
	switch l.family {
	case familyExactly:
		return "a fixed time has no density; take a distribution, or steps"
	case familySupplied:
		return "the density of a distribution that a program supplies is not known; take a line"
	case familyGamma:
		if l.a < 1 {
			return fmt.Sprintf("a gamma with shape %.6g %stake a shape of 1 or more, or a line", l.a, because)
		}
	case familyWeibull:
		if l.b < 1 {
			return fmt.Sprintf("a weibull with shape %.6g %stake a shape of 1 or more, or a line", l.b, because)
		}
	case familyMixture:
		for i := range l.parts {
			if why := l.parts[i].NoDensity(); why != "" && l.shares[i] > 0 {
				return why
			}
		}
	}
	return ""
}

// Density returns the density at x. NoDensity must be "".
func (l *Law) Density(x float64) float64 {
	if !(x >= 0) {
		return 0
	}
	switch l.family {
	case familyExponential:
		return l.a * detmath.Exp(-l.a*x)
	case familyGamma:
		y := float64(l.b * x)
		if y == 0 {
			if l.a == 1 {
				return l.b
			}
			return 0
		}
		return l.b * detmath.Exp(float64((l.a-1)*detmath.Log(y))-y-detmath.Lgamma(l.a))
	case familyWeibull:
		y := x / l.a
		return l.b / l.a * detmath.Pow(y, l.b-1) * detmath.Exp(-detmath.Pow(y, l.b))
	case familyLognormal:
		if x == 0 {
			return 0
		}
		z := (detmath.Log(x) - l.a) / l.b
		return detmath.Exp(float64(-z*z/2)) / (x * l.b * math.Sqrt(2*math.Pi))
	case familyUniform:
		if x < l.a || x >= l.b {
			return 0
		}
		return 1 / (l.b - l.a)
	case familyHazard:
		return l.steps[l.byAge.Find(x)].rate * l.Survival(x)
	case familyGompertz:
		return (l.c + float64(l.a*detmath.Exp(l.b*x))) * l.Survival(x)
	case familyMixture:
		sum := 0.0
		for i := range l.parts {
			if l.shares[i] > 0 {
				sum += float64(l.shares[i] * l.parts[i].Density(x))
			}
		}
		return sum
	}
	panic("law: no density")
}

// MaxDensity returns a bound of the density in [from, to): the largest value, except of a mixture.
func (l *Law) MaxDensity(from, to float64) float64 {
	from = max(from, 0)
	if !(from < to) {
		return 0
	}
	switch l.family {
	case familyUniform:
		if to <= l.a || from >= l.b {
			return 0
		}
		return 1 / (l.b - l.a)
	case familyHazard: // it falls within each step
		most := 0.0
		for i, s := range l.steps {
			if s.from < to && (i+1 == len(l.steps) || l.steps[i+1].from > from) {
				most = max(most, s.rate*l.Survival(max(s.from, from)))
			}
		}
		return most
	case familyMixture:
		sum := 0.0
		for i := range l.parts {
			if l.shares[i] > 0 {
				sum += float64(l.shares[i] * l.parts[i].MaxDensity(from, to))
			}
		}
		return sum
	}
	// Where the density rises to a mode and falls after it, the largest value is at the mode, or at
	// the end that is next to it. That of gompertz may fall before it rises.
	most := l.Density(from)
	if mode := l.mode(); mode > from {
		most = max(most, l.Density(min(mode, to)))
	}
	return most
}

// mode returns the time after which the density falls, of the families that MaxDensity asks for.
func (l *Law) mode() float64 {
	switch l.family {
	case familyGamma:
		return (l.a - 1) / l.b
	case familyWeibull:
		return l.a * detmath.Pow((l.b-1)/l.b, 1/l.b)
	case familyLognormal:
		return detmath.Exp(l.a - float64(l.b*l.b))
	case familyGompertz:
		// With y = a·exp(b·x) the density rises where b·y > (c + y)²: between two roots.
		half := float64(l.b/2) - l.c
		root := float64(half*half) - float64(l.c*l.c)
		if y := half + math.Sqrt(max(root, 0)); root > 0 && y > l.a {
			return detmath.Log(y/l.a) / l.b
		}
	}
	return 0
}
