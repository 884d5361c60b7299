package sim

import (
	"fmt"
	"math"
	"slices"
	"strings"
)

// Results are what the replications of an experiment have recorded, in the order of the replications.
type Results struct {
	seed    uint64
	level   float64
	n       int
	metrics []string // as replication 0 recorded them
	values  map[string][]float64
	tallies map[string]*Tally
	reached bool
}

func newResults(seed uint64, level float64) *Results {
	return &Results{seed: seed, level: level, values: make(map[string][]float64), tallies: make(map[string]*Tally)}
}

// add takes the records of the next replication, or none of them and says what is wrong.
func (r *Results) add(p *Replication) error {
	if r.n == 0 {
		r.metrics = p.metrics
		for _, m := range r.metrics {
			r.tallies[m] = new(Tally)
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

// Reached tells whether all half-widths that were asked for have been reached, which is false if the experiment ended before it
// could be told.
func (r *Results) Reached() bool { return r.reached }

// Metrics are the names of what was recorded, in the order of recording.
func (r *Results) Metrics() []string { return slices.Clone(r.metrics) }

// Values are a metric's values by replication, NaN where one is missing. Like the methods below, it panics if there is no such metric.
func (r *Results) Values(metric string) []float64 {
	r.tally(metric)
	return slices.Clone(r.values[metric])
}

// Missing is in how many replications nothing was observed of a metric: those that recorded NaN. All statistics are of the others.
// Where they tell of what was observed, and not of what is usual, they are biased: a day without customers has no mean wait, and
// if it had one it would be short.
func (r *Results) Missing(metric string) int { return r.n - int(r.tally(metric).N()) }

// Mean is the mean of a metric, NaN if all its values are missing.
func (r *Results) Mean(metric string) float64 { return r.tally(metric).Mean() }

// Tally has the statistics of a metric. It is a copy.
func (r *Results) Tally(metric string) *Tally {
	t := *r.tally(metric)
	return &t
}

// Interval is the confidence interval of a metric's mean, by Student's t. Replications are independent, and so it holds if a
// metric is normal, which means over a long run nearly are, or if there are many replications.
func (r *Results) Interval(metric string) Interval { return interval(r.tally(metric), r.level) }

func interval(t *Tally, level float64) Interval {
	return Interval{Mean: t.Mean(), HalfWidth: t.CI(level), Level: level, N: int(t.N())}
}

func (r *Results) tally(metric string) *Tally {
	t, ok := r.tallies[metric]
	if !ok {
		panic(fmt.Sprintf("sim: there is no metric %q; recorded is %s", metric, quoted(r.metrics)))
	}
	return t
}

// quoted is a list of names for a message.
func quoted(names []string) string {
	if len(names) == 0 {
		return "nothing"
	}
	var all []string
	for _, name := range names {
		all = append(all, fmt.Sprintf("%q", name))
	}
	return strings.Join(all, ", ")
}

// String is a table with a line for each metric, which says if values are missing.
func (r *Results) String() string {
	rows := [][]string{{"metric", "mean", "± " + percent(r.level), "sd", "min", "max", "n"}}
	missing := false
	for _, m := range r.metrics {
		t, i := r.tallies[m], r.Interval(m)
		row := []string{
			m, short(i.Mean), short(i.HalfWidth), short(t.StdDev()), short(t.Min()), short(t.Max()), fmt.Sprint(i.N),
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
	return table(rows)
}
