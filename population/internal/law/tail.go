package law

import (
	"math"
	"slices"

	"github.com/almanac-sim/almanac/internal/portable"
	"github.com/almanac-sim/almanac/internal/random"
)

// Where almost nobody comes: durations given that they are so long that the probability of it is no number any more.

// faint is the least probability that is worked with as it is; below it, with its logarithm.
const faint = 1e-300

// gammaTail draws by how much a gamma number of a shape and rate 1 exceeds x, given that it does, exactly, by rejection: its density
// at x+y is proportional to (1+y/x)^(shape−1)·exp(−y). Up to shape 1 the first factor is a probability; above, it is at most
// exp((shape−1)·y/x), which is taken from the exponent. It is for x far above the shape, where hardly any are rejected.
func gammaTail(s *random.Stream, shape, x float64) float64 {
	slope := max(0, (shape-1)/x)
	for {
		y := s.Exp() / (1 - slope)
		if s.Float64() < portable.Exp(float64((shape-1)*portable.Log1p(y/x))-float64(slope*y)) {
			return y
		}
	}
}

// normalTail draws a normal number given that it exceeds z, which is far out, exactly [Marsaglia64].
//
// [Marsaglia64]: https://doi.org/10.1080/00401706.1964.10490150
func normalTail(s *random.Stream, z float64) float64 {
	for {
		if x := math.Sqrt(float64(z*z) + float64(2*s.Exp())); s.Float64()*x < z {
			return x
		}
	}
}

// LogSurvival is the logarithm of the probability of more than x, also where that is no number.
func (l *Law) LogSurvival(x float64) float64 {
	x = max(x, 0)
	switch l.Family {
	case lawExponential:
		return -l.A * x
	case lawWeibull:
		return -portable.Pow(x/l.A, l.b)
	case lawHazard:
		s := l.steps[l.byAge.Find(x)]
		return -s.until - float64(s.rate*(x-s.from))
	case lawGompertz:
		return -l.gompertzHazard(x)
	}
	if p := l.Survival(x); p > faint || x >= l.Longest() {
		return portable.Log(p)
	}
	return l.logTail(x)
}

// logTail is the same far out, for the families that have no plain formula for it.
func (l *Law) logTail(x float64) float64 {
	switch l.Family {
	case lawGamma:
		// Q(a, y) = y^(a−1)·exp(−y)/Γ(a) · (1 + (a−1)/y + (a−1)(a−2)/y² + …), DLMF 8.11.2, for y far above a.
		y := float64(l.b * x)
		norm := portable.Lgamma(l.A)
		return float64((l.A-1)*portable.Log(y)) - y - norm + portable.Log(asymptotic(func(k float64) float64 { return (l.A - k) / y }))
	case lawLognormal:
		// Mills' ratio: exp(−z²/2)/(z·√2π) · (1 − 1/z² + 3/z⁴ − …), DLMF 7.12.1.
		z := (portable.Log(x) - l.A) / l.b
		return float64(-z*z/2) - portable.Log(z*math.Sqrt(2*math.Pi)) + portable.Log(asymptotic(func(k float64) float64 { return -(float64(2*k) - 1) / (z * z) }))
	default: // mixture
		logs := l.faintParts(x)
		sum, most := 0.0, slices.Max(logs)
		for _, x := range logs {
			sum += portable.Exp(x - most)
		}
		return most + portable.Log(sum)
	}
}

// asymptotic adds up 1 + r₁ + r₁r₂ + …, with the ratio of each term to the one before, as long as terms get smaller.
func asymptotic(ratio func(k float64) float64) float64 {
	sum, term := 1.0, 1.0
	for k := 1.0; k < 100; k++ {
		r := ratio(k)
		if math.Abs(r) >= 1 {
			break
		}
		if term *= r; math.Abs(term) < 1e-17 {
			break
		}
		sum += float64(term)
	}
	return sum
}

// faintParts are the logarithms of what the parts of a mixture weigh at an age: their shares times the probabilities that they last.
func (l *Law) faintParts(age float64) []float64 {
	logs := make([]float64, len(l.parts))
	for i := range l.parts {
		logs[i] = portable.Log(l.shares[i]) + l.parts[i].LogSurvival(age)
	}
	return logs
}

// Heaviest draws one of some weights that are given by their logarithms, of which at least one is finite. The sums are scratch space.
func Heaviest(s *random.Stream, sums, logs []float64) int {
	sum, most := 0.0, slices.Max(logs)
	for i, x := range logs {
		sum += portable.Exp(x - most)
		sums[i] = sum
	}
	u := s.Positive() * sum // above 0, so that none of weight 0 is taken
	for i, upTo := range sums {
		if u <= upTo {
			return i
		}
	}
	return len(sums) - 1
}
