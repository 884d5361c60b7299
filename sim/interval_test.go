package sim

import (
	"math"
	"math/rand/v2"
	"testing"

	"gonum.org/v1/gonum/stat/distuv"

	"github.com/almanac-sim/almanac/internal/portable"
)

// Values of published tables of Student's t, and the closed forms for 1 and 2 degrees of freedom.
func TestStudentQuantile(t *testing.T) {
	for _, c := range []struct{ p, degrees, want, tolerance float64 }{
		{0.975, 1, math.Tan(math.Pi * 0.475), 1e-9},
		{0.95, 2, 0.9 * math.Sqrt(2/(1-0.81)), 1e-9},
		{0.975, 9, 2.262, 0.0005},
		{0.995, 4, 4.604, 0.0005},
		{0.95, 29, 1.699, 0.0005},
		{0.975, 120, 1.980, 0.0005},
		{0.975, math.Inf(1), 1.959963984540054, 1e-12},
	} {
		if got := portable.StudentQuantile(c.degrees, c.p); math.Abs(got-c.want) > c.tolerance {
			t.Errorf("the %v-quantile for %v degrees is %v, want %v", c.p, c.degrees, got, c.want)
		}
	}
}

// 1 … 10 have the standard deviation √(55/6), and t for 9 degrees is 2.2621571628.
func TestHalfWidthByHand(t *testing.T) {
	var tally Tally
	for i := 1; i <= 10; i++ {
		tally.Add(float64(i))
	}
	if want := 2.2621571628 * math.Sqrt(55.0/6/10); !near(tally.CI(0.95), want, 1e-9) {
		t.Errorf("the half-width is %v, want %v", tally.CI(0.95), want)
	}
}

// coverage is the share of experiments with n observations each of which the 90 % interval contains the true mean.
func coverage(experiments, n int, mean float64, draw func() float64) float64 {
	covered := 0
	for range experiments {
		var tally Tally
		for range n {
			tally.Add(draw())
		}
		if interval(&tally, 0.9).Contains(mean) {
			covered++
		}
	}
	return float64(covered) / float64(experiments)
}

// Of normal data the coverage is exactly what the interval says. With 5 observations, quantiles of the normal distribution instead
// of Student's would cover 82 %, and n in place of n−1 in the variance 87 %.
func TestCoverageOfNormalData(t *testing.T) {
	const experiments, want = 40_000, 0.9
	random := rand.New(rand.NewPCG(7, 8))
	got := coverage(experiments, 5, 3, func() float64 { return 3 + 2*random.NormFloat64() })
	if standardError := math.Sqrt(want * (1 - want) / experiments); math.Abs(got-want) > 4*standardError {
		t.Errorf("%v of the intervals cover the mean, want %v ± %v", got, want, 4*standardError)
	}
}

// Of skewed data it is less. For two exponential observations it can be found: their sum S has the density s·e⁻ˢ and, given S, their
// distance D is uniform between 0 and S. The half-width is t·D/2, so the interval covers 1 if D ≥ |S−2|/t, and the
// probability of that is
//
//	∫ e⁻ˢ max(0, s − |s−2|/t) ds = (1 + 1/t)·e^(−2/(t+1)) − 2e⁻²/t,
//
// 0.838 for the 90 % interval.
func TestCoverageOfExponentialData(t *testing.T) {
	const experiments = 40_000
	quantile := distuv.StudentsT{Sigma: 1, Nu: 1}.Quantile(0.95)
	want := (1+1/quantile)*math.Exp(-2/(quantile+1)) - 2*math.Exp(-2)/quantile
	random := rand.New(rand.NewPCG(9, 10))
	got := coverage(experiments, 2, 1, random.ExpFloat64)
	if standardError := math.Sqrt(want * (1 - want) / experiments); math.Abs(got-want) > 4*standardError {
		t.Errorf("%v of the intervals cover the mean, want %v ± %v", got, want, 4*standardError)
	}
}

func TestInterval(t *testing.T) {
	i := Interval{Mean: 3, HalfWidth: 0.5, Level: 0.999, N: 12}
	if i.Low() != 2.5 || i.High() != 3.5 || !i.Contains(2.5) || !i.Contains(3.5) || i.Contains(3.6) || i.Contains(math.NaN()) {
		t.Errorf("the interval %v goes from %v to %v", i, i.Low(), i.High())
	}
	if want := "3 ± 0.5 (99.9 %, n 12)"; i.String() != want {
		t.Errorf("it is %q, want %q", i, want)
	}
}
