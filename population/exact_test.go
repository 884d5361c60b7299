package population_test

import (
	"fmt"
	"math"
	"slices"
	"testing"

	"gonum.org/v1/gonum/floats"
	"gonum.org/v1/gonum/stat/distuv"

	"github.com/almanac-sim/almanac/population"
)

// The tests named TestExact run small models of which something is known exactly, and compare. What
// is measured is random, but the seeds are fixed, so that a test either always passes or always
// fails. The limits are such that a right engine passes whatever the seed: a z-score beyond zLimit
// has a chance of 7 in a million, and so has a p-value below pLimit, and there are about two
// thousand comparisons. Where it is natural, a test also shows that it would notice a plausible
// mistake.
const (
	zLimit = 4.5
	pLimit = 7e-6
)

// exactRun is a model that has been run, with states and flows by their names.
type exactRun struct {
	*population.Result
	t *testing.T
}

// exactCompile compiles a model whose text has verbs as fmt has them.
func exactCompile(t *testing.T, text string, args ...any) *population.Model {
	t.Helper()
	m, err := population.Compile("exact.yaml", fmt.Appendf(nil, text, args...))
	if err != nil {
		t.Fatal(err)
	}
	return m
}

// exactSimulate compiles a model and runs it.
func exactSimulate(t *testing.T, seed uint64, replicas int, text string, args ...any) exactRun {
	t.Helper()
	return exactObserve(t, population.Options{Seed: seed, Replicas: replicas}, text, args...)
}

// exactObserve does so with any options.
func exactObserve(t *testing.T, o population.Options, text string, args ...any) exactRun {
	t.Helper()
	r, err := exactCompile(t, text, args...).Run(t.Context(), o)
	if err != nil {
		t.Fatal(err)
	}
	return exactRun{r, t}
}

// state is the number of a state, or of a state of a machine, such as hiv=positive.
func (r exactRun) state(name string) int {
	r.t.Helper()
	i := slices.Index(r.Model.Counted(), name)
	if i < 0 {
		r.t.Fatalf("no state %s", name)
	}
	return i
}

// last is the number of the last row.
func (r exactRun) last() int { return len(r.Times) - 1 }

// counts are how many were in a state at the time of a row, by replica.
func (r exactRun) counts(row int, state string) []float64 {
	r.t.Helper()
	k := r.state(state)
	values := make([]float64, len(r.Runs))
	for i := range r.Runs {
		values[i] = float64(r.Runs[i].Count(row, k))
	}
	return values
}

// flows are how many had gone a way by the time of a row, by replica.
func (r exactRun) flows(row int, from, to string) []float64 {
	r.t.Helper()
	k := slices.Index(r.Model.Flows(), population.Flow{From: from, To: to})
	if k < 0 {
		r.t.Fatalf("no flow from %s to %s", from, to)
	}
	values := make([]float64, len(r.Runs))
	for i := range r.Runs {
		values[i] = float64(r.Runs[i].Flow(row, k))
	}
	return values
}

// individuals is how many there were at the start, in all replicas together.
func (r exactRun) individuals() float64 { return float64(r.Model.Size() * len(r.Runs)) }

// all is how many were in a state at the time of a row, in all replicas together.
func (r exactRun) all(row int, state string) float64 {
	r.t.Helper()
	return floats.Sum(r.counts(row, state))
}

// allFlows is how many had gone a way.
func (r exactRun) allFlows(row int, from, to string) float64 {
	r.t.Helper()
	return floats.Sum(r.flows(row, from, to))
}

// alive is how many were alive.
func (r exactRun) alive(row int) float64 {
	sum := 0
	for i := range r.Runs {
		sum += r.Runs[i].Total(row)
	}
	return float64(sum)
}

// checkZ compares with what is expected, given the standard error.
func checkZ(t *testing.T, what string, got, want, se float64) {
	t.Helper()
	z := (got - want) / se
	t.Logf("%s: %.6g, expected %.6g ± %.2g, z = %.2f", what, got, want, se, z)
	if !(math.Abs(z) <= zLimit) {
		t.Errorf("%s: %.6g, expected %.6g ± %.2g: off by %.1f standard errors", what, got, want, se, z)
	}
}

// checkNotices makes sure that a comparison with a wrong value fails.
func checkNotices(t *testing.T, what string, got, wrong, se float64) {
	t.Helper()
	z := (got - wrong) / se
	t.Logf("were %s so, z would be %.1f", what, z)
	if math.Abs(z) <= zLimit {
		t.Errorf("the test has too few replicas: were %s so, it would not notice (z = %.1f)", what, z)
	}
}

// moments are the mean of the values, their variance with n−1, and the standard error of either.
func moments(values []float64) (mean, variance, meanError, varianceError float64) {
	n := float64(len(values))
	for _, x := range values {
		mean += x / n
	}
	fourth := 0.0
	for _, x := range values {
		d := (x - mean) * (x - mean)
		variance += d / (n - 1)
		fourth += d * d / n
	}
	// The variance of a sample variance is (m4 − σ⁴)/n, to first order in 1/n.
	return mean, variance, math.Sqrt(variance / n), math.Sqrt((fourth - variance*variance) / n)
}

// checkMean compares the mean of independent values; the standard error is that of their spread.
func checkMean(t *testing.T, what string, values []float64, want float64) {
	t.Helper()
	mean, _, se, _ := moments(values)
	checkZ(t, what+": mean", mean, want, se)
}

// checkVariance compares the variance of independent values.
func checkVariance(t *testing.T, what string, values []float64, want float64) {
	t.Helper()
	_, variance, _, se := moments(values)
	checkZ(t, what+": variance", variance, want, se)
}

// checkShare compares a number out of n with a binomial law: by its standard error, or by its tails
// where it is far from normal.
func checkShare(t *testing.T, what string, got, n, p float64) {
	t.Helper()
	if sd := math.Sqrt(n * p * (1 - p)); sd > 20 {
		checkZ(t, what, got/n, p, sd/n)
		return
	}
	low, high := 0.0, 0.0 // the chances of so few and of so many
	switch law := (distuv.Binomial{N: n, P: p}); {
	case p > 1e-14 && p < 1-1e-14:
		low, high = law.CDF(got), 1-law.CDF(got-1)
	case got == math.Round(n*p):
		low, high = 1, 1
	}
	t.Logf("%s: %.0f of %.0f, expected %.6g, tails %.2g and %.2g", what, got, n, n*p, low, high)
	if min(low, high) < pLimit/2 {
		t.Errorf("%s: %.0f of %.0f, expected %.6g: tails %.2g and %.2g", what, got, n, n*p, low, high)
	}
}

// chiSquare is the p-value of Pearson's test. Neighbouring classes are pooled until ten are
// expected in each, so that the statistic is near enough its law. There is one degree of freedom
// fewer than classes.
func chiSquare(observed, expected []float64) (p, statistic float64, classes int) {
	var o, e []float64
	sumO, sumE := 0.0, 0.0
	for i := range observed {
		sumO += observed[i]
		sumE += expected[i]
		if sumE >= 10 {
			o, e = append(o, sumO), append(e, sumE)
			sumO, sumE = 0, 0
		}
	}
	if k := len(o) - 1; k >= 0 {
		o[k] += sumO
		e[k] += sumE
	}
	for i := range o {
		statistic += (o[i] - e[i]) * (o[i] - e[i]) / e[i]
	}
	if len(o) < 2 {
		return math.NaN(), statistic, len(o)
	}
	return distuv.ChiSquared{K: float64(len(o) - 1)}.Survival(statistic), statistic, len(o)
}

// checkChiSquare compares numbers of observations in classes with those expected.
func checkChiSquare(t *testing.T, what string, observed, expected []float64) {
	t.Helper()
	p, statistic, classes := chiSquare(observed, expected)
	t.Logf("%s: χ² = %.1f in %d classes, p = %.3g", what, statistic, classes, p)
	if !(p >= pLimit) {
		t.Errorf("%s: χ² = %.1f in %d classes, p = %.2g\nobserved %.0f\nexpected %.1f", what, statistic, classes, p,
			observed, expected)
	}
}

// histogram counts how often each whole number up to and including most occurs; the last class
// takes larger ones too.
func histogram(values []float64, most int) []float64 {
	h := make([]float64, most+1)
	for _, x := range values {
		h[min(int(x), most)]++
	}
	return h
}

// checkPoisson compares values with the law of Poisson: mean, variance, and the whole.
func checkPoisson(t *testing.T, what string, values []float64, mean float64) {
	t.Helper()
	n := float64(len(values))
	got, variance, _, _ := moments(values)
	checkZ(t, what+": mean", got, mean, math.Sqrt(mean/n))
	// The fourth central moment of the law is μ(1+3μ), so that of n values the variance has the
	// variance μ(1+2μ)/n.
	checkZ(t, what+": variance", variance, mean, math.Sqrt(mean*(1+2*mean)/n))
	most := int(mean + 8*math.Sqrt(mean) + 8)
	expected := make([]float64, most+1)
	law, left := distuv.Poisson{Lambda: mean}, 1.0
	for k := range most {
		expected[k] = n * law.Prob(float64(k))
		left -= law.Prob(float64(k))
	}
	expected[most] = n * max(0, left)
	checkChiSquare(t, what, histogram(values, most), expected)
}

// integral is that of f from a to b by the rule of midpoints, which does not mind where f jumps.
func integral(f func(float64) float64, a, b float64, steps int) float64 {
	h, sum := (b-a)/float64(steps), 0.0
	for i := range steps {
		sum += f(a + (float64(i)+0.5)*h)
	}
	return sum * h
}

// rungeKutta takes y along y' = f(y) for a time, by the classical method of fourth order.
func rungeKutta(f func(y []float64) []float64, y []float64, time float64, steps int) []float64 {
	h := time / float64(steps)
	along := func(k []float64, by float64) []float64 {
		z := slices.Clone(y)
		for i := range z {
			z[i] += by * k[i]
		}
		return z
	}
	for range steps {
		k1 := f(y)
		k2 := f(along(k1, h/2))
		k3 := f(along(k2, h/2))
		k4 := f(along(k3, h))
		y = slices.Clone(y)
		for i := range y {
			y[i] += h / 6 * (k1[i] + 2*k2[i] + 2*k3[i] + k4[i])
		}
	}
	return y
}

// binomialError is the standard error of a share out of n.
func binomialError(p, n float64) float64 { return math.Sqrt(p * (1 - p) / n) }
