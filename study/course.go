package study

import (
	"fmt"
	"math"
	"slices"

	"github.com/almanac-sim/almanac/ensemble"
	"github.com/almanac-sim/almanac/internal/format"
	tables "github.com/almanac-sim/almanac/internal/study"
	"github.com/almanac-sim/almanac/internal/suggest"
	"github.com/almanac-sim/almanac/population"
)

// A Course is what a comparison records of each run over time: states, the total, flows and names
// as counts of each interval, and outcomes since the start. A replica can report
// [ensemble.MaxOutputs] numbers. If there would be more, only every second or third recorded time
// is taken, and so on, down to about leastIntervals intervals; if there are still too many, the
// last columns are left out.
type Course struct {
	Notes []string // what was left out, in words

	columns []courseColumn
	rows    []int // recorded times that are taken
	every   int   // one of so many is
	times   []float64
}

// A courseColumn is a column of the model. Flows and names are counted in each interval.
type courseColumn struct {
	Column
	kind string // state, total, incidence or outcome
}

// leastIntervals is the number of intervals down to which a course is thinned.
const leastIntervals = 50

// NewCourse chooses what is recorded of a model over time, for a comparison of so many scenarios
// with so many outputs. Names are states, total, flows and names of the model; without any, all are
// chosen.
func NewCourse(m *population.Model, scenarios, outputs int, names []string) (*Course, error) {
	c := &Course{times: m.Times()}
	var known []string
	for _, column := range Columns(m) {
		kind := column.Kind
		if kind == "flow" || kind == "named" {
			kind = "incidence"
		}
		known = append(known, column.Name)
		if len(names) == 0 || slices.Contains(names, column.Name) {
			c.columns = append(c.columns, courseColumn{column, kind})
		}
	}
	for _, name := range names {
		if err := suggest.Among("--draw", name, known); err != nil {
			return nil, err
		}
	}
	each := 2*scenarios - 1 // numbers of a column at a time: scenarios, and their differences
	room := max(0, ensemble.MaxOutputs-outputs*each) / each
	step, rows := 1, len(c.times)
	for kept(rows, step)*len(c.columns) > room && kept(rows, step+1) > leastIntervals {
		step++
	}
	c.every = step
	for row := 0; row < rows; row += step {
		c.rows = append(c.rows, row)
	}
	if last := rows - 1; last%step != 0 {
		c.rows = append(c.rows, last)
	}
	if step > 1 {
		c.Notes = append(c.Notes, fmt.Sprintf("over time, one of %d recorded times is kept; with fewer names in --draw, "+
			"more are", step))
	}
	if most := room / max(1, len(c.rows)); most < len(c.columns) {
		c.Notes = append(c.Notes, fmt.Sprintf("over time, the first %d of %s states and flows are kept; choose with --draw",
			most, format.Thousands(float64(len(c.columns)))))
		c.columns = c.columns[:most]
	}
	return c, nil
}

// kept is the number of rows that are taken if every step-th of them is, and the last.
func kept(rows, step int) int { return (rows-2+step)/step + 1 }

// Of returns a function for the numbers over time of a run of a scenario, time by time. What the
// scenario does not have, such as other times, is NaN.
func (c *Course) Of(m *population.Model) func(run *population.Run) []float64 {
	own := make([]func(run *population.Run, row int) float64, len(c.columns))
	for _, column := range Columns(m) {
		for i, want := range c.columns {
			if want.Kind == column.Kind && want.Name == column.Name {
				own[i] = column.of
			}
		}
	}
	same := slices.Equal(m.Times(), c.times)
	return func(run *population.Run) []float64 {
		numbers := make([]float64, 0, len(c.rows)*len(own))
		before := make([]float64, len(own))
		for _, row := range c.rows {
			for i, of := range own {
				x := math.NaN()
				if of != nil && same && row < run.Rows() {
					x = of(run, row)
				}
				if c.columns[i].kind == "incidence" {
					x, before[i] = x-before[i], x
				}
				numbers = append(numbers, x)
			}
		}
		return numbers
	}
}

// Table arranges the series of a comparison's point: those of the scenarios, and their differences.
func (c *Course) Table(m *population.Model, scenarios []string, p ensemble.PointResult) (*tables.Course, error) {
	size := len(c.columns) * len(c.rows)
	if len(p.Series) != size*(2*len(scenarios)-1) {
		return nil, fmt.Errorf("the results have %d numbers over time where %d were asked for", len(p.Series),
			size*(2*len(scenarios)-1))
	}
	t := &tables.Course{Scenarios: scenarios, Unit: m.Unit(), Sketched: p.Sketched, Every: c.every}
	for _, row := range c.rows {
		t.Times = append(t.Times, c.times[row])
	}
	for i, column := range c.columns {
		line := tables.Line{Kind: column.kind, Name: column.Name}
		for k := range 2*len(scenarios) - 1 {
			var b tables.Band
			for row := range c.rows {
				s := p.Series[k*size+row*len(c.columns)+i]
				b.Add(Output(s, ""), p.Quantiles, s.Quantiles)
			}
			if k < len(scenarios) {
				line.Of = append(line.Of, b)
			} else {
				line.Differences = append(line.Differences, b)
			}
		}
		t.Lines = append(t.Lines, line)
	}
	return t, nil
}

// course is that of the study, which is a comparison.
func (s *Study) course() (*Course, error) {
	return NewCourse(s.Plain, len(s.Compared), len(s.OutputNames), s.Draw)
}
