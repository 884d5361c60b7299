package study

import (
	"encoding/csv"
	"errors"
	"fmt"
	"io"
	"math"
	"slices"
	"strconv"
	"strings"

	"github.com/almanac-sim/almanac/internal/format"
	"github.com/almanac-sim/almanac/internal/plot"
)

// A Course is how scenarios went over time, and how they differ from the first.
type Course struct {
	Title     string      // of pictures
	TimeLabel string      // of the time axis
	Dates     *plot.Dates // of the time axis; nil if the model has none
	Unit      string      // of the times; empty if it is not known
	Scenarios []string
	Times     []float64
	Every     int // Times are one of so many recorded times; 0 if it is not known
	Lines     []Line
	Sketched  bool // quantiles are by sketch, and not exact
}

// A Line is a state, the total, the incidence of a flow or name: what was counted since the time
// before; or an outcome: what has accrued since the start.
type Line struct {
	Kind        string // state, total, incidence or outcome
	Name        string
	Of          []Band // by scenario; nil if only differences are known
	Differences []Band // of the scenarios from the first, without it
}

// A Band summarises replicas, or differences of pairs of them, at each time.
type Band struct {
	N                 []int
	Mean, SD          []float64
	Low, High         []float64 // 95 % confidence interval of the mean
	Q05, Median, Q95  []float64
	RunsLow, RunsHigh []float64 // see Range
}

// Add adds the summary at the next time, with the quantiles of Shares.
func (b *Band) Add(o Output, shares, quantiles []float64) {
	b.N = append(b.N, o.N)
	b.Mean, b.SD = append(b.Mean, o.Mean), append(b.SD, o.SD)
	b.Low, b.High = append(b.Low, o.Low), append(b.High, o.High)
	for i, to := range []*[]float64{&b.RunsLow, &b.Q05, &b.Median, &b.Q95, &b.RunsHigh} {
		x := math.NaN()
		if len(shares) == len(Shares) && len(quantiles) == len(Shares) && shares[i] == Shares[i] {
			x = quantiles[i]
		}
		*to = append(*to, x)
	}
}

// Replicas is the largest number of replicas or pairs.
func (b *Band) Replicas() (n int) {
	for _, k := range b.N {
		n = max(n, k)
	}
	return n
}

// The columns of the tables of a course.
var (
	seriesColumns = []string{"scenario", "replicas", "time", "kind", "name", "mean", "sd", "q05", "median", "q95",
		"runs_low", "runs_high", "quantiles"}
	seriesDifferenceColumns = []string{"scenario", "pairs", "time", "kind", "name", "mean_difference", "sd", "mean_ci_low",
		"mean_ci_high", "runs_low", "runs_high", "quantiles"}
)

// WriteSeries writes series.csv: how each scenario went.
func (c *Course) WriteSeries(w io.Writer) error {
	return c.write(w, seriesColumns, c.Scenarios, func(l *Line, k int) (*Band, [][]float64) {
		b := &l.Of[k]
		return b, [][]float64{b.Mean, b.SD, b.Q05, b.Median, b.Q95, b.RunsLow, b.RunsHigh}
	})
}

// WriteDifferences writes series-differences.csv: how each scenario differs from the first.
func (c *Course) WriteDifferences(w io.Writer) error {
	return c.write(w, seriesDifferenceColumns, c.Scenarios[1:], func(l *Line, k int) (*Band, [][]float64) {
		b := &l.Differences[k]
		return b, [][]float64{b.Mean, b.SD, b.Low, b.High, b.RunsLow, b.RunsHigh}
	})
}

func (c *Course) write(w io.Writer, columns, scenarios []string, of func(l *Line, k int) (*Band, [][]float64)) error {
	out := csv.NewWriter(w)
	_ = out.Write(columns)
	quantiles := "exact"
	if c.Sketched {
		quantiles = "sketch"
	}
	var row []string
	for k, name := range scenarios {
		for at, t := range c.Times {
			for i := range c.Lines {
				l := &c.Lines[i]
				b, numbers := of(l, k)
				if len(b.N) == 0 { // of a scenario that is not paired
					continue
				}
				row = append(row[:0], name, strconv.Itoa(b.N[at]), number(t), l.Kind, l.Name)
				for _, x := range numbers {
					row = append(row, number(x[at]))
				}
				_ = out.Write(append(row, quantiles))
			}
		}
	}
	out.Flush()
	return out.Error()
}

// isEmpty reports whether there is nothing to see in a line: it is 0 in all scenarios, or a total
// that never changes.
func (l *Line) isEmpty() bool {
	if len(l.Of) == 0 {
		return false
	}
	level := 0.0
	if l.Kind == "total" {
		level = l.Of[0].Mean[0]
	}
	for _, b := range l.Of {
		for i, x := range b.Mean {
			if x != level || b.SD[i] > 0 {
				return false
			}
		}
	}
	return true
}

// isSame reports whether no pair of runs differs in a line.
func (l *Line) isSame() bool {
	for _, b := range l.Differences {
		for i, x := range b.Mean {
			if x != 0 || b.SD[i] > 0 {
				return false
			}
		}
	}
	return true
}

// Interval says how long the intervals of flows are.
func (c *Course) Interval() string {
	if len(c.Times) < 2 {
		return "each interval"
	}
	every, unit := c.Times[1]-c.Times[0], ""
	if c.Unit != "" {
		unit = " " + c.Unit
		if math.Round(every*1e6) != 1e6 {
			unit += "s"
		}
	}
	long := fmt.Sprintf("%.4g", every)
	if every >= 1e4 {
		long = format.Thousands(every)
	}
	return "each interval of " + long + unit
}

// rows is the number of times of a line that are drawn. A shorter last interval would look like a
// decline.
func (c *Course) rows(l *Line) int {
	n := len(c.Times)
	if l.Kind == "incidence" && n > 2 && c.Times[n-1]-c.Times[n-2] < 0.99*(c.Times[1]-c.Times[0]) {
		n--
	}
	return n
}

// series is a curve of a line.
func (c *Course) series(l *Line, name string, y, low, high []float64) plot.Series {
	n := c.rows(l)
	s := plot.Series{Name: name, X: c.Times[:n], Y: y[:n], Steps: l.Kind == "incidence"}
	if low != nil {
		s.Low, s.High = low[:n], high[:n]
	}
	return s
}

// arrow replaces the arrow of a flow's name.
func arrow(name string) string { return strings.ReplaceAll(name, "->", " → ") }

// ScenarioNote says what is drawn by Scenario.
func (c *Course) ScenarioNote() string {
	n := 0
	for i := range c.Lines {
		n = max(n, c.Lines[i].Of[0].Replicas())
	}
	return fmt.Sprintf("lines: medians of %s; bands: middle 90 %%", format.Count(n, "replica")) + c.thinned()
}

// Scenario is a chart of a line in all scenarios, over each other.
func (c *Course) Scenario(i int) plot.Chart {
	l := &c.Lines[i]
	chart := plot.Chart{Title: c.Name(i), XLabel: c.TimeLabel, Dates: c.Dates, FromZero: true}
	for k, name := range c.Scenarios {
		b := &l.Of[k]
		chart.Series = append(chart.Series, c.series(l, name, b.Median, b.Q05, b.Q95))
	}
	return chart
}

// DifferenceNote says what is drawn by Difference.
func (c *Course) DifferenceNote() string {
	n := 0
	for _, l := range c.Lines {
		for _, b := range l.Differences {
			n = max(n, b.Replicas())
		}
	}
	return fmt.Sprintf("lines: mean difference of %s paired runs; dark bands: %s; light bands: %s",
		format.Thousands(float64(n)), MeanCI, RunsName(n, "paired runs")) + c.thinned()
}

// thinned says that some of the recorded times are left out.
func (c *Course) thinned() string {
	if c.Every < 2 {
		return ""
	}
	return fmt.Sprintf("; one of %d recorded times", c.Every)
}

// Difference is a chart of the differences of a line from the first scenario, which is the line at
// 0. Scenarios have the colours that they have in Scenario.
func (c *Course) Difference(i int) plot.Chart {
	l := &c.Lines[i]
	chart := plot.Chart{Title: c.Name(i), XLabel: c.TimeLabel, Dates: c.Dates}
	zero := c.series(l, c.Scenarios[0]+" (no difference)", make([]float64, len(c.Times)), nil, nil)
	zero.Unmarked = true
	chart.Series = append(chart.Series, zero)
	for k, name := range c.Scenarios[1:] {
		b := &l.Differences[k]
		if len(b.N) == 0 {
			chart.Series = append(chart.Series, plot.Series{Name: name})
			continue
		}
		runs := c.series(l, name, b.Mean, b.RunsLow, b.RunsHigh)
		mean := c.series(l, "", b.Mean, b.Low, b.High)
		mean.Same, mean.Unmarked = true, true
		chart.Series = append(chart.Series, runs, mean)
	}
	return chart
}

// ComparisonPictures are the names that files of Comparison.Draw may have.
var ComparisonPictures = []string{"scenarios.svg", "scenarios.png", "scenarios-incidence.svg",
	"scenarios-incidence.png", "scenarios-outcomes.svg", "scenarios-outcomes.png", "differences.svg", "differences.png",
	"differences-incidence.svg", "differences-incidence.png", "differences-outcomes.svg", "differences-outcomes.png",
	"forest.svg", "forest.png"}

// Draw draws the comparison into a directory, as .svg and .png: scenarios over each other and their
// differences, of states, of incidences and of outcomes, and a forest plot of the outputs.
func (c *Comparison) Draw(dir, title string) error {
	errs := []error{plot.SaveBoth(dir, "forest", c.Forest(title))}
	if c.Course != nil {
		for _, suffix := range []string{"", "-incidence", "-outcomes"} {
			scenarios, differences := c.Course.panels(suffix)
			errs = append(errs, plot.SaveBoth(dir, "scenarios"+suffix, scenarios),
				plot.SaveBoth(dir, "differences"+suffix, differences))
		}
	}
	return errors.Join(errs...)
}

// suffixOf is the suffix of the picture that shows a kind of line.
func suffixOf(kind string) string {
	switch kind {
	case "incidence":
		return "-incidence"
	case "outcome":
		return "-outcomes"
	}
	return ""
}

// Forest is a forest plot: a row for each output and scenario but the first, with the mean
// difference, its confidence interval, and where 95 % of the pairs lie. Each output has an axis of
// its own, since outputs have different units.
func (c *Comparison) Forest(title string) plot.Forest {
	pairs := 0
	for _, s := range c.Scenarios {
		pairs = max(pairs, s.Pairs())
	}
	runs := RunsName(pairs, "paired runs")
	f := plot.Forest{Title: title + ": differences from “" + c.Scenarios[0].Name + "”",
		Note:  "points: mean difference; thick lines: " + MeanCI + "; thin lines: " + runs,
		Heads: [2]string{"mean (" + MeanCI + ")", runs}}
	left := 0
	for i, o := range c.Scenarios[0].Outputs {
		if c.isSame(i) || len(f.Blocks) == mostPanels {
			left++
			continue
		}
		block := plot.ForestBlock{Name: arrow(o.Name) + c.unitOf(o.Name)}
		if m := o.MeanText(); m != "–" {
			block.Name += "; " + c.Scenarios[0].Name + ": " + m
		}
		for k, s := range c.Scenarios[1:] {
			d := s.Differences[i]
			row := plot.ForestRow{Name: s.Name, Colour: k + 1, Mean: d.Mean, Low: d.Low, High: d.High,
				OuterLow: math.NaN(), OuterHigh: math.NaN(), Texts: [2]string{"–", minus(d.Runs.Text(d.N, pairs))}}
			if d.Runs.Known {
				row.OuterLow, row.OuterHigh = d.Runs.Low, d.Runs.High
			}
			if d.N != 0 && !math.IsNaN(d.Mean) {
				row.Texts[0] = minus(Short(d.Mean))
				if ci := d.CI(); ci != "–" {
					row.Texts[0] += " (" + minus(ci) + ")"
				}
			}
			block.Rows = append(block.Rows, row)
		}
		f.Blocks = append(f.Blocks, block)
	}
	if left > 0 {
		f.Note += fmt.Sprintf("; left out: %s, all in differences.csv", format.Count(left, "output"))
		if len(f.Blocks) < mostPanels {
			f.Note = strings.Replace(f.Note, "left out: ", "the same in every pair: ", 1)
		}
	}
	return f
}

// isSame reports whether every pair of runs of every scenario has the same value of an output.
func (c *Comparison) isSame(output int) bool {
	for _, s := range c.Scenarios[1:] {
		if d := s.Differences[output]; d.Mean != 0 || d.Low != 0 || d.High != 0 || d.Runs.Low != 0 || d.Runs.High != 0 {
			return false
		}
	}
	return true
}

// minus replaces hyphens of negative numbers by the sign of the axes.
func minus(numbers string) string { return strings.ReplaceAll(numbers, "-", "−") }

// unitOf is the unit of an output that is one time; other outputs are counts, or have none.
func (c *Comparison) unitOf(output string) string {
	before, _, _ := strings.Cut(output, "(")
	if c.Course == nil || c.Course.Unit == "" || !slices.Contains([]string{"time of peak", "first time", "last time"},
		before) || strings.Count(output, "(") != 1 || !strings.HasSuffix(output, ")") {
		return ""
	}
	return ", in " + c.Course.Unit + "s"
}
