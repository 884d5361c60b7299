package population_test

import (
	"fmt"
	"math"
	"testing"

	"gonum.org/v1/gonum/mathext"
	"gonum.org/v1/gonum/stat"

	"github.com/almanac-sim/almanac/internal/testscale"
)

// A duration is a law of durations: a clock as it is written, without where it leads, and the
// probability of more than x.
type duration struct {
	name, text string
	survival   func(x float64) float64
}

func exponentialSurvival(rate float64) func(float64) float64 {
	return func(x float64) float64 { return math.Exp(-rate * x) }
}

// erlangSurvival is the probability of fewer than k events of a Poisson process.
func erlangSurvival(mean float64, k int) func(float64) float64 {
	return func(x float64) float64 {
		y, term, sum := x*float64(k)/mean, 1.0, 0.0
		for i := range k {
			sum += term
			term *= y / float64(i+1)
		}
		return sum * math.Exp(-y)
	}
}

func gammaSurvival(mean, shape float64) func(float64) float64 {
	return func(x float64) float64 { return mathext.GammaIncRegComp(shape, x*shape/mean) }
}

func weibullSurvival(scale, shape float64) func(float64) float64 {
	return func(x float64) float64 { return math.Exp(-math.Pow(x/scale, shape)) }
}

func uniformSurvival(low, high float64) func(float64) float64 {
	return func(x float64) float64 { return min(1, max(0, (high-x)/(high-low))) }
}

func fixedSurvival(at float64) func(float64) float64 {
	return func(x float64) float64 {
		if x < at {
			return 1
		}
		return 0
	}
}

// lognormalSurvival has mean and sd of the time itself: that of its logarithm has mean
// ln(m²/√(m²+s²)), variance ln(1+s²/m²).
func lognormalSurvival(mean, sd float64) func(float64) float64 {
	mu, sigma := math.Log(mean*mean/math.Hypot(mean, sd)), math.Sqrt(math.Log(1+sd*sd/(mean*mean)))
	return func(x float64) float64 { return math.Erfc((math.Log(x)-mu)/(sigma*math.Sqrt2)) / 2 }
}

// hazardSurvival has rates that hold from each age on.
func hazardSurvival(from, rate []float64) func(float64) float64 {
	return func(x float64) float64 {
		sum := 0.0
		for i := range from {
			to := x
			if i+1 < len(from) {
				to = min(x, from[i+1])
			}
			sum += rate[i] * max(0, to-from[i])
		}
		return math.Exp(-sum)
	}
}

func mixtureSurvival(share float64, a, b func(float64) float64) func(float64) float64 {
	return func(x float64) float64 { return share*a(x) + (1-share)*b(x) }
}

// One of every family, and more than one where the engine may go different ways: shapes below and
// above 1, say.
var durations = []duration{
	{"rate", "rate: 0.2 per day", exponentialSurvival(0.2)},
	{"exponential, mean", "after: {exponential: {mean: 5 days}}", exponentialSurvival(0.2)},
	{"exponential, rate", "after: {exponential: {rate: 0.25 per day}}", exponentialSurvival(0.25)},
	{"gamma 2", "after: {gamma: {mean: 5 days, shape: 2}}", erlangSurvival(5, 2)},
	{"gamma 1/2", "after: {gamma: {mean: 5 days, shape: 0.5}}", func(x float64) float64 {
		return math.Erfc(math.Sqrt(x / 10))
	}},
	{"gamma 0.1", "after: {gamma: {mean: 5 days, shape: 0.1}}", gammaSurvival(5, 0.1)},
	{"gamma 7.3", "after: {gamma: {mean: 5 days, shape: 7.3}}", gammaSurvival(5, 7.3)},
	{"erlang", "after: {erlang: {mean: 6 days, k: 3}}", erlangSurvival(6, 3)},
	{"uniform", "after: {uniform: {low: 2 days, high: 8 days}}", uniformSurvival(2, 8)},
	{"fixed", "after: 5 days", fixedSurvival(5)},
	{"exactly", "after: {exactly: 1 week}", fixedSurvival(7)},
	{"lognormal", "after: {lognormal: {mean: 5 days, sd: 3 days}}", lognormalSurvival(5, 3)},
	{"weibull 2", "after: {weibull: {scale: 6 days, shape: 2}}", weibullSurvival(6, 2)},
	{"weibull 0.7", "after: {weibull: {scale: 6 days, shape: 0.7}}", weibullSurvival(6, 0.7)},
	{"hazard", "after: {hazard: {0 days: 0.1 per day, 2 days: 0 per day, 4 days: 0.4 per day, 9 days: 0.2 per day}}",
		hazardSurvival([]float64{0, 2, 4, 9}, []float64{0.1, 0, 0.4, 0.2})},
	{"gompertz", "after: {gompertz: {rate: 0.05 per day, growth: 0.3 per day}}", func(x float64) float64 {
		return math.Exp(-0.05 / 0.3 * math.Expm1(0.3*x))
	}},
	{"gompertz and makeham", "after: {gompertz: {rate: 0.05 per day, growth: 0.2 per day, makeham: 0.1 per day}}",
		func(x float64) float64 { return math.Exp(-0.1*x - 0.05/0.2*math.Expm1(0.2*x)) }},
	{"hazard that ends", "after: {hazard: {0 days: 0.3 per day, 4 days: 0 per day}}", hazardSurvival([]float64{0, 4},
		[]float64{0.3, 0})},
	{"mixture", "after: {mixture: [{share: 30%, of: 3 days}, {share: 70%, of: {gamma: {mean: 6 days, shape: 2}}}]}",
		mixtureSurvival(0.3, fixedSurvival(3), erlangSurvival(6, 2))},
}

// Individuals arrive as a Poisson process of rate λ and stay for times that are independent of each
// other: the queue M/G/∞. At a time t the present and those who have left are Poisson, independent
// of each other, with means λ∫₀ᵗS(u)du and λt less that (Takács, Introduction to the Theory of
// Queues, 1962; the Poisson process is split at random).
func TestExactInfiniteServerQueue(t *testing.T) {
	const lambda = 2.0
	replicas := testscale.Size(1000, 2500)
	n := float64(replicas)
	for i, d := range durations {
		r := exactSimulate(t, uint64(1+i), replicas, `
name: queue
time: {unit: day, end: 12}
population: {size: 0, start: {}}
immigration: {rate: %v per day, enter: present}
states: {present: {race: [{%s, to: out}]}}
record: {every: 6 days}
`, lambda, d.text)
		for row := 1; row < len(r.Times); row++ {
			time := r.Times[row]
			what := fmt.Sprintf("%s, day %v", d.name, time)
			mean := lambda * integral(d.survival, 0, time, 12_000)
			present, gone := r.counts(row, "present"), r.flows(row, "present", "out")
			checkPoisson(t, what+", present", present, mean)
			if left := lambda*time - mean; left > 1e-9 {
				checkPoisson(t, what+", gone", gone, left)
				// Independent values have a correlation of 0 with a standard error of 1/√n.
				checkZ(t, what+", correlation", stat.Correlation(present, gone, nil), 0, 1/math.Sqrt(n))
			}
			got, _, _, _ := moments(present)
			if time > 6 {
				checkNotices(t, "arrivals 10 % more frequent", got, 1.1*mean, math.Sqrt(mean/n))
			}
		}
	}
}
