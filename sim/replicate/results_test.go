//go:build !race

package replicate

import (
	"math"
	"math/rand/v2"
	"strings"
	"testing"

	"gonum.org/v1/gonum/stat"
	"gonum.org/v1/gonum/stat/distuv"

	"github.com/almanac-sim/almanac/internal/detmath"
	"github.com/almanac-sim/almanac/sim"
)

// replicate is Replicate for experiments that cannot fail.
func replicate(t *testing.T, n int, seed uint64, run func(r *Replication), opts ...Option) *Results {
	t.Helper()
	results, err := Run(t.Context(), n, func(r *Replication) error { run(r); return nil }, append(opts, Seed(seed))...)
	if err != nil {
		t.Fatal(err)
	}
	return results
}

// queue records the mean wait of 200 customers by Lindley's recursion: who comes next waits as long
// as the one before and his service take, less the time between them.
func queue(serviceMean float64) func(r *Replication) {
	return func(r *Replication) {
		const customers = 200
		arrivals, service := r.Stream("arrivals"), r.Stream("service")
		wait, sum := 0.0, 0.0
		for range customers {
			wait = max(0, wait+serviceMean*service.ExpFloat64()-arrivals.ExpFloat64())
			sum += wait
		}
		r.Record("wait", sum/customers)
	}
}

func TestCommonRandomNumbersHelp(t *testing.T) {
	const n = 400
	slow, quick, elsewhere := replicate(t, n, 1, queue(0.8)), replicate(t, n, 1, queue(0.7)),
		replicate(t, n, 2, queue(0.7))
	common, err := Compare(slow, quick, "wait")
	if err != nil {
		t.Fatal(err)
	}
	apart, err := Compare(slow, elsewhere, "wait")
	if err != nil {
		t.Fatal(err)
	}
	// Of independent runs the correlation is 0 with a standard error of 1/√n, and the ratio 1 with
	// one of at most that.
	if math.Abs(apart.Correlation) > 4/math.Sqrt(n) || math.Abs(apart.VarianceRatio-1) > 4/math.Sqrt(n) {
		t.Errorf("independent runs have a correlation of %v and a ratio of %v", apart.Correlation, apart.VarianceRatio)
	}
	if common.Correlation < 0.5 || common.VarianceRatio > 0.5 || common.Difference.HalfWidth >
		0.7*apart.Difference.HalfWidth {
		t.Errorf("common random numbers bring %v, others %v", common, apart)
	}
	// What the ratio promises is what is found when one really runs them independently. What
	// differs is the variance of the quick ones, of which the logarithm has a standard error of
	// √((k−1)/n) each time, where k is the kurtosis.
	found := math.Pow(common.Difference.HalfWidth/apart.Difference.HalfWidth, 2)
	standardError := math.Sqrt(2 * (stat.ExKurtosis(quick.Values("wait"), nil) + 2) / n)
	if math.Abs(math.Log(found/common.VarianceRatio)) > 4*standardError || 4*standardError > 1 {
		t.Errorf("the ratio is told as %v and found as %v, ± %v of it", common.VarianceRatio, found, 4*standardError)
	}
	if !common.Differs() || common.Difference.Mean < 0 {
		t.Errorf("the slower server should make for longer waits: %v", common)
	}
}

// Two sums with a part in common, of variance 3 and 3 + 1 in all: the correlation is 3/4 and the
// differences have a variance of 2 instead of 8. Their mean is 1.
func TestCompareKnown(t *testing.T) {
	const n = 3000
	scenario := func(own string, mean float64) *Results {
		return replicate(t, n, 5, func(r *Replication) {
			r.Record("x", mean+math.Sqrt(3)*r.Stream("common").NormFloat64()+r.Stream(own).NormFloat64())
		}, Confidence(0.9))
	}
	a, b := scenario("a", 4), scenario("b", 3)
	c, err := Compare(a, b, "x")
	if err != nil {
		t.Fatal(err)
	}
	// The standard error of the correlation is (1−ρ²)/√n, and that of the ratio, 1−ρ for equal
	// variances, the same.
	tolerance := 4 * (1 - 0.75*0.75) / math.Sqrt(n)
	if math.Abs(c.Correlation-0.75) > tolerance || math.Abs(c.VarianceRatio-0.25) > tolerance {
		t.Errorf("correlation %v and ratio %v, want 0.75 and 0.25 ± %v", c.Correlation, c.VarianceRatio, tolerance)
	}
	if math.Abs(c.Difference.Mean-1) > 4*math.Sqrt(2.0/n) {
		t.Errorf("the difference is %v, want 1 ± %v", c.Difference.Mean, 4*math.Sqrt(2.0/n))
	}
	// 1.645 is the quantile for so many; the standard deviation of differences has a relative
	// standard error of 1/√(2n).
	if !near(c.Difference.HalfWidth, 1.645*math.Sqrt(2.0/n), 4/math.Sqrt(2*n)) {
		t.Errorf("the half-width is %v, want %v", c.Difference.HalfWidth, 1.645*math.Sqrt(2.0/n))
	}
	// And the same numbers by the covariance.
	xs, ys := a.Values("x"), b.Values("x")
	covariance, variances := stat.Covariance(xs, ys, nil), stat.Variance(xs, nil)+stat.Variance(ys, nil)
	if !near(c.VarianceRatio, 1-2*covariance/variances, 1e-11) || !near(c.Correlation, stat.Correlation(xs, ys, nil),
		1e-11) {
		t.Errorf("ratio %v and correlation %v, want %v and %v", c.VarianceRatio, c.Correlation,
			1-2*covariance/variances, stat.Correlation(xs, ys, nil))
	}
	if c.A != a.Interval("x") || c.B != b.Interval("x") || c.Metric != "x" || c.Difference.N != n || c.Difference.Level !=
		0.9 {
		t.Errorf("the comparison is %+v", c)
	}
	back, err := Compare(b, a, "x")
	if err != nil || back.Difference.Mean != -c.Difference.Mean || back.VarianceRatio != c.VarianceRatio {
		t.Errorf("the other way round it is %v, %v", back, err)
	}
}

// Two scenarios that are the same differ by nothing, exactly, and nothing varies.
func TestCompareWithItself(t *testing.T) {
	a, b := replicate(t, 10, 1, queue(0.5)), replicate(t, 10, 1, queue(0.5))
	c, err := Compare(a, b, "wait")
	if err != nil || c.Difference.Mean != 0 || c.Difference.HalfWidth != 0 || c.Differs() {
		t.Errorf("%v, %v", c, err)
	}
	if c.VarianceRatio != 0 || !near(c.Correlation, 1, 1e-15) {
		t.Errorf("the ratio is %v and the correlation %v, want 0 and 1", c.VarianceRatio, c.Correlation)
	}
}

func TestCompareRefuses(t *testing.T) {
	a := replicate(t, 10, 1, queue(0.5))
	other := replicate(t, 10, 1, func(r *Replication) { r.Record("length", 1) })
	for want, b := range map[string]*Results{
		`no metric "wait" in both; one has "wait", the other "length"`: other,
		"10 and 11 replications cannot be paired":                      replicate(t, 11, 1, queue(0.5)),
		"levels of confidence are 0.95 and 0.9":                        replicate(t, 10, 1, queue(0.5), Confidence(0.9)),
	} {
		if _, err := Compare(a, b, "wait"); err == nil || !strings.Contains(err.Error(), want) ||
			!strings.HasPrefix(err.Error(), "replicate: ") {
			t.Errorf("the error is %v, want %q", err, want)
		}
	}
	constant, err := Compare(other, other, "length")
	if err != nil || !math.IsNaN(constant.VarianceRatio) || constant.Differs() {
		t.Errorf("what does not vary compares as %v, %v", constant, err)
	}
}

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
		if got := detmath.StudentQuantile(c.degrees, c.p); math.Abs(got-c.want) > c.tolerance {
			t.Errorf("the %v-quantile for %v degrees is %v, want %v", c.p, c.degrees, got, c.want)
		}
	}
}

// 1 … 10 have the standard deviation √(55/6), and t for 9 degrees is 2.2621571628.
func TestHalfWidthByHand(t *testing.T) {
	var tally sim.Tally
	for i := 1; i <= 10; i++ {
		tally.Add(float64(i))
	}
	if want := 2.2621571628 * math.Sqrt(55.0/6/10); !near(tally.CI(0.95), want, 1e-9) {
		t.Errorf("the half-width is %v, want %v", tally.CI(0.95), want)
	}
}

// coverage is the share of experiments with n observations each of which the 90 % interval contains
// the true mean.
func coverage(experiments, n int, mean float64, draw func() float64) float64 {
	covered := 0
	for range experiments {
		var tally sim.Tally
		for range n {
			tally.Add(draw())
		}
		if interval(&tally, 0.9).Contains(mean) {
			covered++
		}
	}
	return float64(covered) / float64(experiments)
}

// Of normal data the coverage is exactly what the interval says. With 5 observations, quantiles of
// the normal distribution instead of Student's would cover 82 %, and n in place of n−1 in the
// variance 87 %.
func TestCoverageOfNormalData(t *testing.T) {
	const experiments, want = 40_000, 0.9
	random := rand.New(rand.NewPCG(7, 8))
	got := coverage(experiments, 5, 3, func() float64 { return 3 + 2*random.NormFloat64() })
	if standardError := math.Sqrt(want * (1 - want) / experiments); math.Abs(got-want) > 4*standardError {
		t.Errorf("%v of the intervals cover the mean, want %v ± %v", got, want, 4*standardError)
	}
}

// Of skewed data it is less. For two exponential observations it can be found: their sum S has the
// density s·e⁻ˢ and, given S, their distance D is uniform between 0 and S. The half-width is t·D/2,
// so the interval covers 1 if D ≥ |S−2|/t, and the probability of that is
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
	if i.Low() != 2.5 || i.High() != 3.5 || !i.Contains(2.5) || !i.Contains(3.5) || i.Contains(3.6) ||
		i.Contains(math.NaN()) {
		t.Errorf("the interval %v goes from %v to %v", i, i.Low(), i.High())
	}
	if want := "3 ± 0.5 (99.9 %, n 12)"; i.String() != want {
		t.Errorf("it is %q, want %q", i, want)
	}
}
