// Package compare compares runs: scenarios of a model, runs of the server, runs in directories.
//
//	side.go     one of the runs: from memory or from a directory
//	compare.go  differences with intervals, as tables, charts and JSON
//	labels.go   names that say how the runs differ
//	saved.go    comparisons that almanac compare wrote
package compare

import (
	"fmt"
	"io"
	"math"
	"slices"

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
	SinceStart    bool

	Outputs  []string             // names, in order
	Replicas []int                // numbers of the complete replicas, sorted
	Values   map[string][]float64 // of each output, by replica; if missing, Found has a summary
	Found    map[string]tables.Output

	Result *population.Result // of a run of this server
	Facts  facts              // of runs and directories
	total  map[string]int     // number of states ("state") and flows ("incidence"), with those beyond MaxLines
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
	})
	if err != nil {
		return tables.Output{}, err
	}
	return study.Output(p.Outputs[0], name), nil
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
}

const pairedText = "replica by replica, which have the same luck in both"

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
			c.methods = append(c.methods, pairedText+"; those with a star of independent replicas, since only summaries are "+
				"there (Welch)")
		default:
			c.methods = append(c.methods, pairedText)
		}
	}
	return c, nil
}

// View returns charts, tables and files, and drops the sides.
func (c *Comparison) View() runs.View {
	v := runs.View{Figures: append(Figures(c.sides), c.overTime()...), Tables: c.Tables(), Files: []figure.File{
		{Name: "differences.csv", About: "how each differs from the first, with the 95 % interval, as almanac compare " +
			"--out writes it",
			Write: c.WriteDifferences},
		{Name: "scenarios.csv", About: "what each gave", Write: c.WriteScenarios},
		{Name: JSONFile, About: "both", Write: c.WriteJSON},
	}}
	c.sides = nil // the files do not need them, and are kept
	return v
}

// Tables has a table for each side but the first.
func (c *Comparison) Tables() (all []figure.Table) {
	first := c.Scenarios[0]
	for k, s := range c.Scenarios[1:] {
		t := figure.Table{Caption: fmt.Sprintf("%s against %s: means ± half of the 95 %% interval, and the difference "+
			"with its "+
			"95 %% interval, %s", s.Name, first.Name, c.methods[k+1]),
			Head: []string{"output", first.Name, s.Name, "difference", "from", "to"}}
		pairs := c.paired[k+1]
		some := slices.Contains(pairs, true)
		if some {
			t.Head = append(t.Head, "common random numbers")
		}
		for i, d := range s.Differences {
			cell := func(x float64) string {
				if math.IsNaN(x) {
					return "–"
				}
				return tables.Short(x)
			}
			row := []string{d.Name, first.Outputs[i].Text(), s.Outputs[i].Text(), cell(d.Mean), cell(d.Low), cell(d.High)}
			switch {
			case some && pairs[i]:
				row = append(row, tables.Factor(tables.Helped(first.Outputs[i], s.Outputs[i], d)))
			case some:
				row[0] += " *"
				row = append(row, "–")
			}
			t.Rows = append(t.Rows, row)
		}
		all = append(all, t)
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
	since := slices.ContainsFunc(sides, func(s *Side) bool { return s.SinceStart })
	if since {
		return figures
	}
	add(func(s *Side) []line { return s.Flows }, "incidence", "Changes of state in each interval", true)
	return figures
}

// overTime has the mean differences of the states over time with 95 % intervals, for paired sides.
func (c *Comparison) overTime() (figures []figure.Figure) {
	first := c.sides[0]
	if first.Result == nil {
		return nil
	}
	note := "mean difference in each pair of replicas; bands: its 95 % interval"
	states := first.Result.Model.States()
	if len(states) > figure.MaxLines {
		note = fmt.Sprintf("the first %d of %d states; %s", figure.MaxLines, len(states), note)
		states = states[:figure.MaxLines]
	}
	for i, name := range states {
		chart := plot.Chart{Title: name, Note: note, XLabel: first.Label, Dates: first.Dates,
			YLabel: "individuals", LegendBeside: true,
			Series: []plot.Series{{Name: first.Name, X: first.Times, Y: make([]float64, len(first.Times))}}}
		there := false
		for _, s := range c.sides[1:] {
			one := plot.Series{Name: s.Name}
			if s.Result != nil && paired(first, s) && slices.Equal(first.Times, s.Times) {
				if k := slices.Index(s.Result.Model.States(), name); k >= 0 {
					one.X = first.Times
					one.Y, one.Low, one.High = pairedDifferences(first.Result, s.Result, i, k)
					there = there || one.Y != nil
				}
			}
			if one.Y == nil {
				one.X = nil
			}
			chart.Series = append(chart.Series, one)
		}
		if there {
			figures = append(figures, figure.Figure{ID: fmt.Sprintf("difference-%d", i), Caption: figure.Arrow(name),
				Group: "Difference from " + first.Name + " over time",
				Small: len(first.Result.Model.States()) > 2, Band: "mean difference (95 % interval)", Chart: chart})
		}
	}
	return figures
}

// pairedDifferences is the mean difference between state i of a and state k of b over pairs of
// replicas, at each time, with its interval.
func pairedDifferences(a, b *population.Result, i, k int) (mean, low, high []float64) {
	rows := len(a.Times)
	runs := map[int]*population.Run{}
	for n := range a.Runs {
		if r := &a.Runs[n]; r.Rows() == rows {
			runs[r.Replica] = r
		}
	}
	mean, m2 := make([]float64, rows), make([]float64, rows)
	n := 0
	for j := range b.Runs {
		y := &b.Runs[j]
		x := runs[y.Replica]
		if x == nil || y.Rows() != rows {
			continue
		}
		n++
		for row := range rows { // Welford's algorithm
			d := float64(y.Count(row, k)) - float64(x.Count(row, i))
			was := d - mean[row]
			mean[row] += was / float64(n)
			m2[row] += was * (d - mean[row])
		}
	}
	switch n {
	case 0:
		return nil, nil, nil
	case 1:
		return mean, nil, nil
	}
	t := detmath.StudentQuantile(float64(n-1), 0.975) / math.Sqrt(float64(n))
	for row := range rows {
		half := t * math.Sqrt(m2[row]/float64(n-1))
		low, high = append(low, mean[row]-half), append(high, mean[row]+half)
	}
	return mean, low, high
}

// WriteJSON writes the comparison; missing numbers are null.
func (c *Comparison) WriteJSON(w io.Writer) error {
	type number struct {
		Output   string   `json:"output"`
		Replicas *int     `json:"replicas"`
		Mean     *float64 `json:"mean"`
		Low      *float64 `json:"low"`
		High     *float64 `json:"high"`
		Pairs    *bool    `json:"replica_by_replica,omitempty"` // of differences
	}
	type scenario struct {
		Name        string   `json:"name"`
		Outputs     []number `json:"outputs"`
		Differences []number `json:"differences,omitempty"`
		How         string   `json:"differences_are,omitempty"`
	}
	numbers := func(all []tables.Output) (out []number) {
		for _, o := range all {
			one := number{o.Name, &o.N, figure.Finite(o.Mean), figure.Finite(o.Low), figure.Finite(o.High), nil}
			if o.N < 0 {
				one.Replicas = nil
			}
			out = append(out, one)
		}
		return out
	}
	var all []scenario
	for i, s := range c.Scenarios {
		differences := numbers(s.Differences)
		for k := range c.paired[i] {
			differences[k].Pairs = &c.paired[i][k]
		}
		all = append(all, scenario{s.Name, numbers(s.Outputs), differences, c.methods[i]})
	}
	return figure.WriteJSON(w, all)
}
