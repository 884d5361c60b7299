package study

import (
	"fmt"
	"io"
	"math"
	"slices"
	"strconv"
	"strings"

	"github.com/almanac-sim/almanac/internal/format"
)

// A Comparison compares scenarios run with common random numbers.
type Comparison struct {
	Replicas  int        // of each scenario; 0 if it is not known
	Scenarios []Scenario // the others are compared with the first
	Course    *Course    // over time; nil if nothing was recorded
	ICER      *ICER      // costs and effects; nil if they are not asked for
}

// A Scenario has the outputs of a scenario, and their differences from the first.
type Scenario struct {
	Name        string
	Outputs     []Output // the same, in the same order, in all scenarios
	Differences []Output // from the first scenario, replica by replica; nil in the first
}

// A Range is where 95 % of the runs lie: their 2.5 % and 97.5 % quantiles, as package quantile
// defines them. Of fewer than FewRuns runs these are the least and the largest.
type Range struct {
	Low, High float64
	Known     bool
}

// FewRuns is the number of runs below which the 2.5 % and 97.5 % quantiles are the least and the
// largest: the smallest n with Rank(n, 0.975) < n.
const FewRuns = 40

// Shares are the quantiles that a comparison needs of its job: those of Range, and of bands.
var Shares = []float64{0.025, 0.05, 0.5, 0.95, 0.975}

// RunsOf finds the range of runs among the quantiles of some shares.
func RunsOf(shares, quantiles []float64) Range {
	low, high := slices.Index(shares, 0.025), slices.Index(shares, 0.975)
	if low < 0 || high < 0 || len(quantiles) != len(shares) || math.IsNaN(quantiles[low]) {
		return Range{}
	}
	return Range{quantiles[low], quantiles[high], true}
}

// Helped is how many times as many replicas with independent random numbers would give an interval
// of the same width: the variance that the difference would have if the two were independent,
// against that which it has. Below 1 they did harm. It is NaN if nothing can be said: there is no
// variance at all.
func Helped(first, second, difference Output) float64 {
	apart := float64(first.SD*first.SD) + float64(second.SD*second.SD)
	together := difference.SD * difference.SD
	if !(apart > 0) || math.IsNaN(together) {
		return math.NaN()
	}
	return apart / together // +Inf if the difference does not vary at all
}

// Pairing says what common random numbers were worth in a scenario, over the outputs for which use
// reports true; empty if nothing can be said.
func (c *Comparison) Pairing(scenario int, use func(output int) bool) string {
	first, s := c.Scenarios[0], c.Scenarios[scenario]
	least, most, constant := math.Inf(1), 0.0, false
	for i, d := range s.Differences {
		x := Helped(first.Outputs[i], s.Outputs[i], d)
		switch {
		case !use(i) || math.IsNaN(x):
		case x > 1e12: // the difference is constant up to rounding
			constant = true
		default:
			least, most = min(least, x), max(most, x)
		}
	}
	from, to := factor(least), factor(most)
	switch {
	case most == 0 && constant:
		return "every pair of runs has the same difference"
	case most == 0:
		return ""
	case from == "1" && to == "1":
		return "pairing the runs gains nothing here"
	case from == to:
		return "pairing the runs is worth " + to + " times as many replicas"
	}
	return "pairing the runs is worth " + from + " to " + to + " times as many replicas, by output"
}

// factor formats a factor with three digits.
func factor(x float64) string {
	x, _ = strconv.ParseFloat(strconv.FormatFloat(x, 'g', 3, 64), 64)
	return Short(x)
}

// The names of the two intervals of a difference.
const (
	MeanDifference = "mean difference"
	MeanCI         = "95 % CI of the mean"
)

// RunsName names the range of n runs: below FewRuns it is from the least to the largest.
func RunsName(n int, kind string) string {
	if n >= FewRuns {
		return "95 % of " + kind
	}
	return fmt.Sprintf("least to most of %s %s", format.Thousands(float64(n)), kind)
}

// Text formats a range; n is the number of runs and all that of the heading. If they differ, n is
// said.
func (r Range) Text(n, all int) string {
	switch {
	case !r.Known:
		return "–"
	case n == all || n >= FewRuns:
		return between(r.Low, r.High)
	case all >= FewRuns:
		return between(r.Low, r.High) + fmt.Sprintf(" (least to most of %d)", n)
	}
	return between(r.Low, r.High) + fmt.Sprintf(" (of %d)", n)
}

// CI formats the confidence interval of the mean.
func (o *Output) CI() string {
	if math.IsNaN(o.Low) || math.IsNaN(o.High) {
		return "–"
	}
	return between(o.Low, o.High)
}

// MeanText formats the mean.
func (o *Output) MeanText() string {
	if o.N == 0 || math.IsNaN(o.Mean) {
		return "–"
	}
	return Short(o.Mean)
}

// between formats an interval.
func between(low, high float64) string { return Short(low) + " to " + Short(high) }

// Pairs is the largest number of pairs of a difference; 0 if it is not known.
func (s *Scenario) Pairs() (n int) {
	for _, d := range s.Differences {
		n = max(n, d.N)
	}
	return n
}

// printedDifferences is the number of outputs printed for each scenario.
const printedDifferences = 24

// Print prints a table for people for each scenario: means, the mean difference with the confidence
// interval of that mean, and where the differences of 95 % of the pairs lie.
func (c *Comparison) Print(w io.Writer) error {
	first := c.Scenarios[0]
	for k, s := range c.Scenarios[1:] {
		var t textTable
		pairs := s.Pairs()
		t.row("output", first.Name+": mean", s.Name+": mean", MeanDifference, MeanCI, RunsName(pairs, "paired runs"))
		for i, d := range s.Differences[:min(len(s.Differences), printedDifferences)] {
			t.row(d.Name, first.Outputs[i].MeanText(), s.Outputs[i].MeanText(), d.MeanText(), d.CI(), d.Runs.Text(d.N, pairs))
		}
		var b strings.Builder
		b.WriteString("\n")
		if err := t.print(&b); err != nil {
			return err
		}
		if n := len(s.Differences) - printedDifferences; n > 0 {
			fmt.Fprintf(&b, "… and %d more in differences.csv in the directory of --out\n", n)
		}
		for _, d := range s.Differences[:min(len(s.Differences), printedDifferences)] {
			if text := d.MissingPairs(max(c.Replicas, pairs)); text != "" {
				b.WriteString(text + "\n")
			}
		}
		if text := c.Pairing(k+1, func(int) bool { return true }); text != "" {
			b.WriteString(text + "\n")
		}
		if _, err := io.WriteString(w, b.String()); err != nil {
			return err
		}
	}
	return nil
}
