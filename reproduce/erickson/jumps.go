package erickson

import (
	"fmt"
	"math"
	"math/rand/v2"

	"gonum.org/v1/gonum/stat/distuv"

	"github.com/almanac-sim/almanac/calendar/static"
)

// jumps are a distribution of jumps, with mean 1 all of them. The residual is what is left of a
// jump at a time picked at random, with density (1−F)/μ: where events are, relative to the edge of
// a bucket, in the steady state (section A.3).
type jumps struct {
	name           string
	law            static.Jump
	draw, residual func(*rand.Rand) float64
}

func exponentialJumps() jumps {
	draw := func(rng *rand.Rand) float64 { return rng.ExpFloat64() }
	return jumps{"exponential", static.ExponentialJump(1), draw, draw} // without memory
}

// uniformJumps are uniform within so much of 1.
func uniformJumps(within float64) jumps {
	low, high := 1-within, 1+within
	law := static.Jump{Mean: 1, Support: high, CDF: func(x float64) float64 { return min(1, max(0, (x-low)/(high-low))) }}
	return bounded(fmt.Sprintf("uniform %g to %g", low, high), law, func(rng *rand.Rand) float64 {
		return low + (high-low)*rng.Float64()
	})
}

// triangularJumps are between 0 and 2, most often near 1.
func triangularJumps() jumps {
	law := static.Jump{Mean: 1, Support: 2, CDF: func(x float64) float64 {
		if x = min(2, max(0, x)); x < 1 {
			return x * x / 2
		}
		return 1 - (2-x)*(2-x)/2
	}}
	return bounded("triangular", law, func(rng *rand.Rand) float64 { return rng.Float64() + rng.Float64() })
}

// gammaJumps have variance 1/shape. Below shape 1 the density is not bounded near 0.
func gammaJumps(shape float64) jumps {
	draw := func(rng *rand.Rand) float64 { return distuv.Gamma{Alpha: shape, Beta: shape, Src: rng}.Rand() }
	// The jump that a time picked at random falls into has density x·f(x), and the time is anywhere
	// within it.
	residual := func(rng *rand.Rand) float64 {
		return rng.Float64() * distuv.Gamma{Alpha: shape + 1, Beta: shape, Src: rng}.Rand()
	}
	return jumps{fmt.Sprintf("gamma of shape %g", shape), static.Jump{Mean: 1, Support: math.Inf(1),
		CDF: func(x float64) float64 {
			return distuv.Gamma{Alpha: shape, Beta: shape}.CDF(max(0, x))
		}}, draw, residual}
}

// lognormalJumps have variance e^(σ²)−1.
func lognormalJumps(sigma float64) jumps {
	half := sigma * sigma / 2
	draw := func(rng *rand.Rand) float64 { return math.Exp(sigma*rng.NormFloat64() - half) }
	residual := func(rng *rand.Rand) float64 { return rng.Float64() * math.Exp(sigma*rng.NormFloat64()+half) }
	return jumps{fmt.Sprintf("lognormal of sigma %g", sigma), static.Jump{Mean: 1, Support: math.Inf(1),
		CDF: func(x float64) float64 {
			if x <= 0 {
				return 0
			}
			return math.Erfc(-(math.Log(x)+half)/(sigma*math.Sqrt2)) / 2
		}}, draw, residual}
}

// paretoJumps have the tail (1+x)^(−alpha), cut off at a length and scaled to have mean 1. The cut
// makes the series of Theorem 3.2 end: without it they would have millions of terms.
func paretoJumps(alpha, cut float64) jumps {
	beyond := math.Pow(1+cut, -alpha)
	mean := ((1-math.Pow(1+cut, 1-alpha))/(alpha-1) - cut*beyond) / (1 - beyond)
	law := static.Jump{Mean: 1, Support: cut / mean, CDF: func(x float64) float64 {
		return min(1, (1-math.Pow(1+max(0, x)*mean, -alpha))/(1-beyond))
	}}
	draw := func(rng *rand.Rand) float64 { return (math.Pow(1-rng.Float64()*(1-beyond), -1/alpha) - 1) / mean }
	// Without the cut, the residual has a tail of index alpha−1. The density with the cut is below
	// that everywhere.
	residual := func(rng *rand.Rand) float64 {
		for {
			x := math.Pow(1-rng.Float64(), -1/(alpha-1)) - 1
			if rng.Float64() < 1-beyond*math.Pow(1+x, alpha) {
				return x / mean
			}
		}
	}
	return jumps{fmt.Sprintf("Pareto of index %g", alpha), law, draw, residual}
}

// atomJumps are 0 with some probability, and else exponential. They have no density, which the
// paper assumes.
func atomJumps(share float64) jumps {
	mean := 1 / (1 - share) // of the others
	law := static.Jump{Mean: 1, Support: math.Inf(1), CDF: func(x float64) float64 {
		return share - (1-share)*math.Expm1(-max(0, x)/mean)
	}}
	draw := func(rng *rand.Rand) float64 {
		if rng.Float64() < share {
			return 0
		}
		return mean * rng.ExpFloat64()
	}
	return jumps{fmt.Sprintf("%g of them 0", share), law, draw, func(rng *rand.Rand) float64 {
		return mean * rng.ExpFloat64()
	}}
}

// bounded makes jumps that have a longest one. Drawing until one is taken, with probability in
// proportion to its length, gives the jump that a time picked at random falls into.
func bounded(name string, law static.Jump, draw func(*rand.Rand) float64) jumps {
	return jumps{name, law, draw, func(rng *rand.Rand) float64 {
		for {
			if x := draw(rng); rng.Float64()*law.Support < x {
				return x * rng.Float64()
			}
		}
	}}
}
