package sim

import (
	"fmt"
	"math"
	"slices"
)

// A Comparison is how a metric differs between two scenarios, A and B, by the differences within pairs of replications with
// the same number.
type Comparison struct {
	Metric string
	A, B   Interval // of each scenario alone

	// Difference is the interval of the mean of A − B.
	Difference Interval

	// VarianceRatio is the variance of the differences over what it would be if the scenarios were run independently, which is the
	// sum of their variances. A quarter means that four times as many independent replications would be needed for the same
	// half-width: that is what common random numbers have bought. About 1 means that they have bought nothing, and above 1 that
	// they do harm. It is NaN for fewer than two replications, and where neither scenario varies.
	VarianceRatio float64

	// Correlation is that of the metric in A and B. It is NaN for fewer than two replications, and where one does not vary.
	Correlation float64

	// Missing is how many pairs do not count, since the metric is missing in A, in B or in both; see [Results.Missing]. The
	// variances and the correlation are of the pairs that count.
	Missing int
}

// Compare compares a metric of two scenarios by paired replications. If both were run with the same [ExperimentSeed], and draw
// their random numbers from streams of the same names, then replication i of one met the same circumstances as
// replication i of the other, and the differences vary less than the scenarios do. The interval is right in any case.
//
// It is an error if one has no such metric, or if they do not have the same number of replications and level of confidence.
func Compare(a, b *Results, metric string) (Comparison, error) {
	for _, r := range []*Results{a, b} {
		if !slices.Contains(r.metrics, metric) {
			return Comparison{}, fmt.Errorf("sim: Compare: there is no metric %q in both; one has %s, the other %s",
				metric, quoted(a.metrics), quoted(b.metrics))
		}
	}
	if a.n != b.n {
		return Comparison{}, fmt.Errorf("sim: Compare: %d and %d replications cannot be paired; run both with the same fixed number",
			a.n, b.n)
	}
	if a.level != b.level {
		return Comparison{}, fmt.Errorf("sim: Compare: the levels of confidence are %v and %v; run both with the same", a.level, b.level)
	}
	var ofA, ofB, differences Tally
	for i, x := range a.values[metric] {
		if y := b.values[metric][i]; !math.IsNaN(x - y) {
			ofA.Add(x)
			ofB.Add(y)
			differences.Add(x - y)
		}
	}
	c := Comparison{Metric: metric, A: a.Interval(metric), B: b.Interval(metric), Difference: interval(&differences, a.level)}
	c.Missing = a.n - int(differences.N())
	varA, varB := ofA.Var(), ofB.Var()
	c.VarianceRatio = differences.Var() / (varA + varB)
	// Var(A−B) = Var A + Var B − 2 Cov(A, B)
	c.Correlation = (varA + varB - differences.Var()) / (2 * math.Sqrt(varA*varB))
	return c, nil
}

// Differs tells whether the interval of the difference leaves out 0, so that the scenarios differ at its level of confidence.
// It does not tell if all pairs are missing.
func (c Comparison) Differs() bool { return c.Difference.Low() > 0 || c.Difference.High() < 0 }

// String is like "wait: A − B = 0.31 ± 0.02 (95 %, n 20); variance 0.08 of that of independent runs".
func (c Comparison) String() string {
	text := fmt.Sprintf("%s: A − B = %v; variance %s of that of independent runs", c.Metric, c.Difference, short(c.VarianceRatio))
	if c.Missing > 0 {
		text += fmt.Sprintf("; %d pairs are missing", c.Missing)
	}
	return text
}
