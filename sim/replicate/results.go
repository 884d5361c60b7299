package replicate

import (
	"fmt"
	"math"
	"slices"

	"github.com/almanac-sim/almanac/sim"
	"github.com/almanac-sim/almanac/sim/internal/text"
)

// Results are what the replications of an experiment have recorded, in the order of the
// replications.
type Results struct {
	seed    uint64
	level   float64
	n       int
	metrics []string // as replication 0 recorded them
	values  map[string][]float64
	tallies map[string]*sim.Tally
	reached bool
}

func newResults(seed uint64, level float64) *Results {
	return &Results{seed: seed, level: level, values: make(map[string][]float64), tallies: make(map[string]*sim.Tally)}
}

// add adds the records of the next replication, or returns what is wrong with them.
func (r *Results) add(p *Replication) error {
	if r.n == 0 {
		r.metrics = p.metrics
		for _, m := range r.metrics {
			r.tallies[m] = new(sim.Tally)
		}
	}
	for _, m := range r.metrics {
		if _, ok := p.values[m]; !ok {
			return fmt.Errorf("metric %q is not recorded, as it was in replication 0", m)
		}
	}
	for _, m := range p.metrics {
		if _, ok := r.tallies[m]; !ok {
			return fmt.Errorf("metric %q is recorded, but was not in replication 0", m)
		}
	}
	for _, m := range r.metrics {
		x := p.values[m]
		r.values[m] = append(r.values[m], x)
		if !math.IsNaN(x) {
			r.tallies[m].Add(x)
		}
	}
	r.n++
	return nil
}

// N is the number of replications.
func (r *Results) N() int { return r.n }

// Seed is the seed of the experiment.
func (r *Results) Seed() uint64 { return r.seed }

// Reached reports whether all half-widths of the options have been reached. It is false if the
// experiment ended before that was decided.
func (r *Results) Reached() bool { return r.reached }

// Metrics returns the names of the metrics, in the order of recording.
func (r *Results) Metrics() []string { return slices.Clone(r.metrics) }

// Values returns a metric's values by replication, NaN where one is missing. Like the methods
// below, it panics if there is no such metric.
func (r *Results) Values(metric string) []float64 {
	r.tally(metric)
	return slices.Clone(r.values[metric])
}

// Missing counts the replications without a value of a metric: those that recorded NaN. All
// statistics are of the others. They may be biased: a day without customers has no mean wait, and
// if it had one it would be short.
func (r *Results) Missing(metric string) int { return r.n - int(r.tally(metric).N()) }

// Mean is the mean of a metric, NaN if all its values are missing.
func (r *Results) Mean(metric string) float64 { return r.tally(metric).Mean() }

// Tally returns the statistics of a metric. It is a copy.
func (r *Results) Tally(metric string) *sim.Tally {
	t := *r.tally(metric)
	return &t
}

// Interval is the confidence interval of a metric's mean, by Student's t. Replications are
// independent, and so it holds if a metric is normal, which means over a long run nearly are, or if
// there are many replications.
func (r *Results) Interval(metric string) Interval { return interval(r.tally(metric), r.level) }

func interval(t *sim.Tally, level float64) Interval {
	return Interval{Mean: t.Mean(), HalfWidth: t.CI(level), Level: level, N: int(t.N())}
}

func (r *Results) tally(metric string) *sim.Tally {
	t, ok := r.tallies[metric]
	if !ok {
		panic(fmt.Sprintf("replicate: there is no metric %q; recorded is %s", metric, text.Quoted(r.metrics)))
	}
	return t
}

// String returns a table with a line for each metric, which says if values are missing.
func (r *Results) String() string {
	rows := [][]string{{"metric", "mean", "± " + text.Percent(r.level), "sd", "min", "max", "n"}}
	missing := false
	for _, m := range r.metrics {
		t, i := r.tallies[m], r.Interval(m)
		row := []string{
			m, text.Short(i.Mean), text.Short(i.HalfWidth), text.Short(t.StdDev()), text.Short(t.Min()), text.Short(t.Max()),
			fmt.Sprint(i.N),
		}
		if k := r.Missing(m); k > 0 {
			row = append(row, fmt.Sprint(k))
			missing = true
		}
		rows = append(rows, row)
	}
	if missing {
		rows[0] = append(rows[0], "missing")
	}
	return text.Table(rows)
}

// An Interval is a confidence interval of a mean.
type Interval struct {
	Mean      float64
	HalfWidth float64 // infinite for fewer than two observations
	Level     float64 // the probability that such an interval covers the true mean, such as 0.95
	N         int     // the number of observations
}

// Low is the lower end.
func (i Interval) Low() float64 { return i.Mean - i.HalfWidth }

// High is the upper end.
func (i Interval) High() float64 { return i.Mean + i.HalfWidth }

// Contains reports whether x is in the interval, including its ends.
func (i Interval) Contains(x float64) bool { return i.Low() <= x && x <= i.High() }

// String is like "3.21 ± 0.14 (95 %, n 20)".
func (i Interval) String() string {
	return fmt.Sprintf("%s ± %s (%s, n %d)", text.Short(i.Mean), text.Short(i.HalfWidth), text.Percent(i.Level), i.N)
}

// A Comparison is the difference of a metric between two scenarios, A and B, by the differences
// within pairs of replications with the same number.
type Comparison struct {
	Metric string
	A, B   Interval // of each scenario alone

	// Difference is the interval of the mean of A − B.
	Difference Interval

	// VarianceRatio is the variance of the differences over what it would be if the scenarios were
	// run independently, which is the sum of their variances. A quarter means that four times as
	// many independent replications would be needed for the same half-width: that is what common
	// random numbers have bought. About 1 means that they have bought nothing, and above 1 that
	// they do harm. It is NaN for fewer than two replications, and where neither scenario varies.
	VarianceRatio float64

	// Correlation is that of the metric in A and B. It is NaN for fewer than two replications, and
	// where one does not vary.
	Correlation float64

	// Missing is how many pairs do not count, since the metric is missing in A, in B or in both;
	// see [Results.Missing]. The variances and the correlation are of the pairs that count.
	Missing int
}

// Compare compares a metric of two scenarios by paired replications. If both were run with the same
// [Seed], and draw their random numbers from streams of the same names, then replication i of one
// met the same circumstances as replication i of the other, and the differences vary less than the
// scenarios do. The interval is right in any case.
//
// It is an error if one has no such metric, or if they do not have the same number of replications
// and level of confidence.
func Compare(a, b *Results, metric string) (Comparison, error) {
	for _, r := range []*Results{a, b} {
		if !slices.Contains(r.metrics, metric) {
			return Comparison{}, fmt.Errorf("replicate: Compare: there is no metric %q in both; one has %s, the other %s",
				metric, text.Quoted(a.metrics), text.Quoted(b.metrics))
		}
	}
	if a.n != b.n {
		return Comparison{}, fmt.Errorf("replicate: Compare: %d and %d replications cannot be paired; run both with the "+
			"same fixed number",
			a.n, b.n)
	}
	if a.level != b.level {
		return Comparison{}, fmt.Errorf("replicate: Compare: the levels of confidence are %v and %v; run both with the same",
			a.level, b.level)
	}
	var ofA, ofB, differences sim.Tally
	for i, x := range a.values[metric] {
		if y := b.values[metric][i]; !math.IsNaN(x - y) {
			ofA.Add(x)
			ofB.Add(y)
			differences.Add(x - y)
		}
	}
	c := Comparison{Metric: metric, A: a.Interval(metric), B: b.Interval(metric), Difference: interval(&differences,
		a.level)}
	c.Missing = a.n - int(differences.N())
	varA, varB := ofA.Var(), ofB.Var()
	c.VarianceRatio = differences.Var() / (varA + varB)
	// Var(A−B) = Var A + Var B − 2 Cov(A, B)
	c.Correlation = (varA + varB - differences.Var()) / (2 * math.Sqrt(varA*varB))
	return c, nil
}

// Differs reports whether the interval of the difference excludes 0, so that the scenarios differ
// at its level of confidence. It is false if all pairs are missing.
func (c Comparison) Differs() bool { return c.Difference.Low() > 0 || c.Difference.High() < 0 }

// String is like "wait: A − B = 0.31 ± 0.02 (95 %, n 20); variance 0.08 of that of independent
// runs".
func (c Comparison) String() string {
	text := fmt.Sprintf("%s: A − B = %v; variance %s of that of independent runs", c.Metric, c.Difference,
		text.Short(c.VarianceRatio))
	if c.Missing > 0 {
		text += fmt.Sprintf("; %d pairs are missing", c.Missing)
	}
	return text
}
