// Package compare compares runs: scenarios of a model, runs of the server, runs in directories.
//
//	side.go     one of the runs: from memory or from a directory
//	compare.go  differences with intervals, as tables, charts and JSON
//	pairs.go    what is known of every pair: pairs.csv, differences over time, the forest plot
//	labels.go   names that say how the runs differ
//	saved.go    comparisons that almanac compare wrote
package compare

import (
	"fmt"
	"io"
	"math"
	"slices"
	"strings"

	"github.com/almanac-sim/almanac/ensemble"
	"github.com/almanac-sim/almanac/internal/detmath"
	"github.com/almanac-sim/almanac/internal/plot"
	tables "github.com/almanac-sim/almanac/internal/study"
	"github.com/almanac-sim/almanac/page/internal/figure"
	"github.com/almanac-sim/almanac/page/internal/httperr"
	"github.com/almanac-sim/almanac/page/internal/runs"
	"github.com/almanac-sim/almanac/population"
	"github.com/almanac-sim/almanac/study"
)

// MaxSides is the number of lines that can be told apart in a chart.
const MaxSides = 8

// A line is a time series of a side.
type line struct {
	Name string
	population.Series
}

// A Side is one of the runs that are compared. The first side of a comparison is the baseline.
type Side struct {
	Name          string
	Seed          uint64
	Count         int // of replicas
	Times         []float64
	Unit, Label   string // unit of the times; label of the axis
	Dates         *plot.Dates
	States, Flows []line // flows per interval
	outcomes      []line // since the start
	SinceStart    bool

	Outputs  []string             // names, in order
	Replicas []int                // numbers of the complete replicas, sorted
	Values   map[string][]float64 // of each output, by replica; if missing, Found has a summary
	Found    map[string]tables.Output

	Result *population.Result // of a run of this server
	Facts  facts              // of runs and directories
	total  map[string]int     // number of states ("state"), flows ("incidence") and "outcome"s, with those beyond MaxLines
}

// paired reports whether two sides have replicas with common random numbers: equal seeds, and some
// equal replica numbers.
func paired(a, b *Side) bool {
	return a.Seed == b.Seed && slices.ContainsFunc(b.Replicas, func(replica int) bool {
		_, ok := slices.BinarySearch(a.Replicas, replica)
		return ok
	})
}

// pairedOutput reports whether the values of an output are known for paired replicas.
func pairedOutput(a, b *Side, name string) bool {
	return paired(a, b) && a.Values[name] != nil && b.Values[name] != nil
}

// output summarises an output over the replicas.
func (s *Side) output(name string) (tables.Output, error) {
	values, ok := s.Values[name]
	if !ok {
		return s.Found[name], nil
	}
	return summarise(name, slices.Values(values))
}

// summarise computes what a study reports for an output.
func summarise(name string, values func(func(float64) bool)) (tables.Output, error) {
	names := []string{name}
	p, err := ensemble.Merge(func(yield func(ensemble.Values) bool) {
		values(func(x float64) bool { return yield(ensemble.Values{Names: names, Numbers: []float64{x}}) })
	}, tables.Shares...)
	if err != nil {
		return tables.Output{}, err
	}
	return study.ComparedOutput(p.Outputs[0], name, p.Quantiles), nil
}

// difference is the mean difference of an output: over pairs of replicas, or else between two
// independent samples with unequal variances (Welch, Biometrika 34, 1947).
func difference(a, b *Side, name string) (tables.Output, error) {
	if x, y := a.Values[name], b.Values[name]; pairedOutput(a, b, name) {
		return summarise(name, func(yield func(float64) bool) {
			for i, replica := range b.Replicas {
				if k, ok := slices.BinarySearch(a.Replicas, replica); ok && !yield(y[i]-x[k]) {
					return
				}
			}
		})
	}
	first, err := a.output(name)
	if err != nil {
		return tables.Output{}, err
	}
	second, err := b.output(name)
	if err != nil {
		return tables.Output{}, err
	}
	return welch(first, second), nil
}

// welch is the difference of two independent means.
func welch(a, b tables.Output) tables.Output {
	d := tables.Output{Name: a.Name, N: min(a.N, b.N), Mean: b.Mean - a.Mean, SD: math.NaN(), Low: math.NaN(),
		High: math.NaN()}
	if a.N < 2 || b.N < 2 || math.IsNaN(a.SD) || math.IsNaN(b.SD) {
		return d
	}
	u, v := a.SD*a.SD/float64(a.N), b.SD*b.SD/float64(b.N)
	if u+v == 0 {
		d.Low, d.High = d.Mean, d.Mean
		return d
	}
	freedom := (u + v) * (u + v) / (u*u/float64(a.N-1) + v*v/float64(b.N-1))
	half := detmath.StudentQuantile(freedom, 0.975) * math.Sqrt(u+v)
	d.Low, d.High = d.Mean-half, d.Mean+half
	return d
}

// A Comparison has the outputs of all sides and their differences from the first.
type Comparison struct {
	sides []*Side
	tables.Comparison
	methods []string // of the differences of each side, in words
	paired  [][]bool // which differences are over pairs; nil if unknown
	pairs   *pairs   // nil if the sides have different replicas
}

// New compares sides by the outputs that all of them have.
func New(sides []*Side) (*Comparison, error) {
	for _, s := range sides[1:] {
		if s.Unit != sides[0].Unit {
			return nil, httperr.Unprocessable("times are in %ss in %s and in %ss in %s; they cannot stand in one chart",
				sides[0].Unit, sides[0].Name, s.Unit, s.Name)
		}
	}
	first := sides[0]
	var names []string
	for _, name := range first.Outputs {
		if !slices.ContainsFunc(sides, func(s *Side) bool { return !slices.Contains(s.Outputs, name) }) {
			names = append(names, name)
		}
	}
	c := &Comparison{sides: sides}
	for i, s := range sides {
		one := tables.Scenario{Name: s.Name}
		var pairs []bool
		for _, name := range names {
			o, err := s.output(name)
			if err != nil {
				return nil, err
			}
			one.Outputs = append(one.Outputs, o)
			if i == 0 {
				continue
			}
			if o, err = difference(first, s, name); err != nil {
				return nil, err
			}
			one.Differences, pairs = append(one.Differences, o), append(pairs, pairedOutput(first, s, name))
		}
		c.Scenarios, c.paired = append(c.Scenarios, one), append(c.paired, pairs)
		switch {
		case i == 0:
			c.methods = append(c.methods, "")
		case !slices.Contains(pairs, true):
			c.methods = append(c.methods,
				"of independent replicas, since their seeds differ or only summaries are there (Welch)")
		case slices.Contains(pairs, false):
			c.methods = append(c.methods, tables.PairedText+"; those with a star of independent replicas, since only "+
				"summaries are there (Welch)")
		default:
			c.methods = append(c.methods, tables.PairedText)
		}
	}
	c.pairs = c.findPairs()
	var err error
	c.Course, err = c.findCourse()
	return c, err
}

// View returns charts, tables and files, and drops the sides.
func (c *Comparison) View() runs.View {
	v := runs.View{Figures: slices.Concat(c.Forests(), Figures(c.sides), c.overTime()), Tables: c.Tables(),
		Files: []figure.File{
			{Name: "differences.csv", About: "how each differs from the first: the mean difference with its 95 % CI, and 95 % " +
				"of paired runs, as almanac compare --out writes it", Write: c.WriteDifferences},
			{Name: "scenarios.csv", About: "what each gave", Write: c.WriteScenarios},
			{Name: JSONFile, About: "both", Write: c.WriteJSON},
		}}
	add := func(name, about string, write func(io.Writer) error) {
		v.Files = append(v.Files, figure.File{Name: name, About: about, Write: write})
	}
	if c.pairs != nil {
		add(tables.PairsFile, "every replica, with its difference from the first", c.pairs.write)
	}
	if c.Course != nil {
		if len(c.Course.Lines) > 0 && c.Course.Lines[0].Of != nil {
			add(tables.SeriesFile, "how each went over time", c.Course.WriteSeries)
		}
		add(tables.SeriesDifferenceFile, "how each differs from the first over time", c.Course.WriteDifferences)
	}
	c.sides = nil // the files do not need them, and are kept
	return v
}

// Tables has a table for each side but the first.
func (c *Comparison) Tables() (all []figure.Table) {
	first := c.Scenarios[0]
	for k, s := range c.Scenarios[1:] {
		pairs, n := c.paired[k+1], 0
		for i, d := range s.Differences { // those of independent replicas have no pairs
			if pairs == nil || pairs[i] {
				n = max(n, d.N)
			}
		}
		t := figure.Table{Caption: fmt.Sprintf("%s against %s: means, and the difference %s", s.Name, first.Name,
			c.methods[k+1]),
			Head: []string{"output", first.Name + ": mean", s.Name + ": mean", tables.MeanDifference, tables.MeanCI,
				tables.RunsName(n, "paired runs")}}
		some := slices.Contains(pairs, true)
		if text := c.Pairing(k+1, func(i int) bool { return some && pairs[i] }); text != "" {
			t.Note = strings.ToUpper(text[:1]) + text[1:] + "."
		}
		var missing []string
		for i, d := range s.Differences {
			mean := "–"
			if !math.IsNaN(d.Mean) {
				mean = tables.Short(d.Mean)
			}
			row := []string{d.Name, first.Outputs[i].MeanText(), s.Outputs[i].MeanText(), mean, d.CI(), d.Runs.Text(d.N, n)}
			if some && !pairs[i] {
				row[0] += " *"
			} else if text := d.MissingPairs(n); some && text != "" {
				missing = append(missing, text)
			}
			t.Rows = append(t.Rows, row)
		}
		if len(missing) > 0 {
			t.Note = strings.TrimSpace(t.Note + " " + strings.Join(missing, ". ") + ".")
		}
		all = append(all, t)
	}
	if c.ICER != nil {
		head, rows := c.ICER.Table()
		costs := figure.Table{Caption: "What each costs and gains more than " + first.Name, Head: head, Rows: rows}
		all = append([]figure.Table{costs}, all...)
	}
	return all
}

// Figures has a chart for each state and flow, with a line for each side. Missing lines keep their
// colours.
func Figures(sides []*Side) (figures []figure.Figure) {
	note := "lines: medians; bands: middle 90 % of the replicas"
	add := func(of func(*Side) []line, id, group string, steps bool) {
		var names []string
		all := 0
		for _, s := range sides {
			all = max(all, s.total[id])
			for _, l := range of(s) {
				if !slices.Contains(names, l.Name) && len(names) < figure.MaxLines {
					names = append(names, l.Name)
				}
			}
		}
		note := note
		if all > len(names) {
			note = fmt.Sprintf("the first %d of %d, the others are in the files of each; %s", len(names), all, note)
		}
		for i, name := range names {
			c := plot.Chart{Title: name, Note: note, XLabel: sides[0].Label, Dates: sides[0].Dates,
				YLabel: "individuals", FromZero: true, LegendBeside: true}
			if id == "outcome" {
				c.YLabel = name
			}
			for _, s := range sides {
				one := plot.Series{Name: s.Name, Steps: steps}
				for _, l := range of(s) {
					if n := len(l.Median); l.Name == name && n <= len(s.Times) {
						if one.X, one.Y = s.Times[:n], l.Median; s.Count > 1 && len(l.Q05) == n && len(l.Q95) == n {
							one.Low, one.High = l.Q05, l.Q95
						}
					}
				}
				c.Series = append(c.Series, one)
			}
			figures = append(figures, figure.Figure{ID: fmt.Sprintf("%s-%d", id, i), Caption: figure.Arrow(name), Group: group,
				Small: len(names) > 2, Chart: c})
		}
	}
	add(func(s *Side) []line { return s.States }, "state", "Individuals in each state", false)
	add(func(s *Side) []line { return s.outcomes }, "outcome", "Outcomes since the start", false)
	since := slices.ContainsFunc(sides, func(s *Side) bool { return s.SinceStart })
	if since {
		return figures
	}
	add(func(s *Side) []line { return s.Flows }, "incidence", "Changes of state in each interval", true)
	return figures
}

// WriteJSON writes the comparison; missing numbers are null.
func (c *Comparison) WriteJSON(w io.Writer) error {
	return c.Comparison.WriteJSON(w, c.methods, c.paired)
}
