package sim

import (
	"math"
	"strings"
	"testing"

	"gonum.org/v1/gonum/stat"
)

// replicate is Replicate for experiments that cannot fail.
func replicate(t *testing.T, n int, seed uint64, run func(r *Replication), opts ...ReplicateOption) *Results {
	t.Helper()
	results, err := Replicate(t.Context(), n, func(r *Replication) error { run(r); return nil }, append(opts, ExperimentSeed(seed))...)
	if err != nil {
		t.Fatal(err)
	}
	return results
}

// queue records the mean wait of 200 customers by Lindley's recursion: who comes next waits as long as the one before and his service
// take, less the time between them.
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
	slow, quick, elsewhere := replicate(t, n, 1, queue(0.8)), replicate(t, n, 1, queue(0.7)), replicate(t, n, 2, queue(0.7))
	common, err := Compare(slow, quick, "wait")
	if err != nil {
		t.Fatal(err)
	}
	apart, err := Compare(slow, elsewhere, "wait")
	if err != nil {
		t.Fatal(err)
	}
	// Of independent runs the correlation is 0 with a standard error of 1/√n, and the ratio 1 with one of at most that.
	if math.Abs(apart.Correlation) > 4/math.Sqrt(n) || math.Abs(apart.VarianceRatio-1) > 4/math.Sqrt(n) {
		t.Errorf("independent runs have a correlation of %v and a ratio of %v", apart.Correlation, apart.VarianceRatio)
	}
	if common.Correlation < 0.5 || common.VarianceRatio > 0.5 || common.Difference.HalfWidth > 0.7*apart.Difference.HalfWidth {
		t.Errorf("common random numbers bring %v, others %v", common, apart)
	}
	// What the ratio promises is what is found when one really runs them independently. What differs is the variance of the quick ones,
	// of which the logarithm has a standard error of √((k−1)/n) each time, where k is the kurtosis.
	found := math.Pow(common.Difference.HalfWidth/apart.Difference.HalfWidth, 2)
	standardError := math.Sqrt(2 * (stat.ExKurtosis(quick.Values("wait"), nil) + 2) / n)
	if math.Abs(math.Log(found/common.VarianceRatio)) > 4*standardError || 4*standardError > 1 {
		t.Errorf("the ratio is told as %v and found as %v, ± %v of it", common.VarianceRatio, found, 4*standardError)
	}
	if !common.Differs() || common.Difference.Mean < 0 {
		t.Errorf("the slower server should make for longer waits: %v", common)
	}
}

// Two sums with a part in common, of variance 3 and 3 + 1 in all: the correlation is 3/4 and the differences have a variance of
// 2 instead of 8. Their mean is 1.
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
	// The standard error of the correlation is (1−ρ²)/√n, and that of the ratio, 1−ρ for equal variances, the same.
	tolerance := 4 * (1 - 0.75*0.75) / math.Sqrt(n)
	if math.Abs(c.Correlation-0.75) > tolerance || math.Abs(c.VarianceRatio-0.25) > tolerance {
		t.Errorf("correlation %v and ratio %v, want 0.75 and 0.25 ± %v", c.Correlation, c.VarianceRatio, tolerance)
	}
	if math.Abs(c.Difference.Mean-1) > 4*math.Sqrt(2.0/n) {
		t.Errorf("the difference is %v, want 1 ± %v", c.Difference.Mean, 4*math.Sqrt(2.0/n))
	}
	// 1.645 is the quantile for so many; the standard deviation of differences has a relative standard error of 1/√(2n).
	if !near(c.Difference.HalfWidth, 1.645*math.Sqrt(2.0/n), 4/math.Sqrt(2*n)) {
		t.Errorf("the half-width is %v, want %v", c.Difference.HalfWidth, 1.645*math.Sqrt(2.0/n))
	}
	// And the same numbers by the covariance.
	xs, ys := a.Values("x"), b.Values("x")
	covariance, variances := stat.Covariance(xs, ys, nil), stat.Variance(xs, nil)+stat.Variance(ys, nil)
	if !near(c.VarianceRatio, 1-2*covariance/variances, 1e-11) || !near(c.Correlation, stat.Correlation(xs, ys, nil), 1e-11) {
		t.Errorf("ratio %v and correlation %v, want %v and %v", c.VarianceRatio, c.Correlation,
			1-2*covariance/variances, stat.Correlation(xs, ys, nil))
	}
	if c.A != a.Interval("x") || c.B != b.Interval("x") || c.Metric != "x" || c.Difference.N != n || c.Difference.Level != 0.9 {
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
		if _, err := Compare(a, b, "wait"); err == nil || !strings.Contains(err.Error(), want) || !strings.HasPrefix(err.Error(), "sim: ") {
			t.Errorf("the error is %v, want %q", err, want)
		}
	}
	constant, err := Compare(other, other, "length")
	if err != nil || !math.IsNaN(constant.VarianceRatio) || constant.Differs() {
		t.Errorf("what does not vary compares as %v, %v", constant, err)
	}
}
