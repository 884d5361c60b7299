package compare

import (
	"fmt"
	"io"
	"slices"

	"github.com/almanac-sim/almanac/ensemble"
	"github.com/almanac-sim/almanac/internal/plot"
	tables "github.com/almanac-sim/almanac/internal/study"
	"github.com/almanac-sim/almanac/page/internal/figure"
	"github.com/almanac-sim/almanac/population"
	"github.com/almanac-sim/almanac/study"
)

// pairs are the values of each replica in all sides, for pairs.csv.
type pairs struct {
	names    []string // of the sides
	outputs  []string
	replicas []int
	values   [][][]float64 // by output and side
}

// samePairs reports whether all sides have the same replicas with common random numbers.
func (c *Comparison) samePairs() bool {
	first := c.sides[0]
	return len(first.Replicas) > 0 && !slices.ContainsFunc(c.sides, func(s *Side) bool {
		return !paired(first, s) || !slices.Equal(first.Replicas, s.Replicas)
	})
}

// findPairs returns the outputs that are known of every replica; nil if the sides have different
// replicas.
func (c *Comparison) findPairs() *pairs {
	if !c.samePairs() {
		return nil
	}
	p := &pairs{replicas: c.sides[0].Replicas}
	for _, s := range c.sides {
		p.names = append(p.names, s.Name)
	}
	for _, o := range c.Scenarios[0].Outputs {
		var values [][]float64
		for _, s := range c.sides {
			if of := s.Values[o.Name]; of != nil {
				values = append(values, of)
			}
		}
		if len(values) == len(c.sides) {
			p.outputs, p.values = append(p.outputs, o.Name), append(p.values, values)
		}
	}
	if len(p.outputs) == 0 {
		return nil
	}
	return p
}

// write writes pairs.csv.
func (p *pairs) write(w io.Writer) error {
	table := tables.NewPairWriter(w, p.names)
	for row, replica := range p.replicas {
		for k, output := range p.outputs {
			if err := table.Write(replica, output, func(side int) float64 { return p.values[k][side][row] }); err != nil {
				return err
			}
		}
	}
	return table.Flush()
}

// findCourse summarises the sides over time: all at once if they have the same replicas, as almanac
// compare does, or else each with the first, of which only the differences are taken. It is nil if
// no side is paired with the first.
func (c *Comparison) findCourse() (*tables.Course, error) {
	first := c.sides[0]
	if first.Result == nil || len(first.Times) != len(first.Result.Times) {
		return nil, nil
	}
	plan, err := study.NewCourse(first.Result.Model, len(c.sides), len(c.Scenarios[0].Outputs), nil)
	if err != nil {
		return nil, err
	}
	unknown := func(s *Side) bool { return s.Result == nil || !paired(first, s) || !slices.Equal(first.Times, s.Times) }
	var course *tables.Course
	if c.samePairs() && !slices.ContainsFunc(c.sides, unknown) {
		course, err = overTime(plan, c.sides)
	} else {
		course, err = c.pairwise(plan, unknown)
	}
	if course != nil {
		course.Title, course.TimeLabel, course.Dates = first.Result.Model.Name(), first.Label, first.Dates
	}
	return course, err
}

// pairwise compares each side with the first.
func (c *Comparison) pairwise(plan *study.Course, unknown func(*Side) bool) (all *tables.Course, err error) {
	for k, s := range c.sides[1:] {
		if unknown(s) {
			continue
		}
		one, err := overTime(plan, []*Side{c.sides[0], s})
		if err != nil {
			return nil, err
		}
		if all == nil {
			all = &tables.Course{Unit: one.Unit, Times: one.Times, Every: one.Every}
			for _, side := range c.sides {
				all.Scenarios = append(all.Scenarios, side.Name)
			}
			for _, l := range one.Lines {
				all.Lines = append(all.Lines, tables.Line{Kind: l.Kind, Name: l.Name,
					Differences: make([]tables.Band, len(c.sides)-1)})
			}
		}
		all.Sketched = all.Sketched || one.Sketched
		for i, l := range one.Lines {
			all.Lines[i].Differences[k] = l.Differences[0]
		}
	}
	return all, nil
}

// overTime summarises the replicas that all sides have.
func overTime(plan *study.Course, sides []*Side) (*tables.Course, error) {
	var names []string
	runs := make([]map[int]*population.Run, len(sides))
	of := make([]func(*population.Run) []float64, len(sides))
	for i, s := range sides {
		names, of[i] = append(names, s.Name), plan.Of(s.Result.Model)
		runs[i] = map[int]*population.Run{}
		for n := range s.Result.Runs {
			if r := &s.Result.Runs[n]; r.Rows() == len(s.Result.Times) {
				runs[i][r.Replica] = r
			}
		}
	}
	p, err := ensemble.Merge(func(yield func(ensemble.Values) bool) {
		for _, replica := range sides[0].Replicas {
			v := ensemble.Values{}
			in := 0 // how many sides have the replica
			for i := range sides {
				if run := runs[i][replica]; run != nil {
					in++
					v.Series = append(v.Series, of[i](run)...)
				}
			}
			if in < len(sides) {
				continue
			}
			size := len(v.Series) / in
			for k := size; k < size*in; k++ {
				v.Series = append(v.Series, v.Series[k]-v.Series[k%size])
			}
			if !yield(v) {
				return
			}
		}
	}, tables.Shares...)
	if err != nil {
		return nil, err
	}
	return plan.Table(sides[0].Result.Model, names, p)
}

// Forests has the forest plot of the outputs, if there are any.
func (c *Comparison) Forests() []figure.Figure {
	if len(c.Scenarios[0].Outputs) == 0 {
		return nil
	}
	f := c.Forest("outputs")
	return []figure.Figure{{ID: "forest", Caption: "Difference from " + c.Scenarios[0].Name + " in each output",
		Group: "Outputs", Forest: &f}}
}

// overTime has a chart of differences for each line of the course.
func (c *Comparison) overTime() (figures []figure.Figure) {
	if c.Course == nil {
		return nil
	}
	note := c.Course.DifferenceNote()
	for _, kind := range []string{"state", "incidence", "outcome"} {
		some := c.linesOf(kind)
		group, id, all := "Difference from "+c.Scenarios[0].Name+" over time", "difference", len(some)
		if kind == "incidence" {
			group, id = "Difference from "+c.Scenarios[0].Name+" in "+c.Course.Interval(), "difference-incidence"
		}
		if kind == "outcome" {
			group, id = "Difference from "+c.Scenarios[0].Name+" in outcomes since the start", "difference-outcome"
		}
		note := note
		if all > figure.MaxLines {
			note, some = fmt.Sprintf("the first %d of %d; %s", figure.MaxLines, all, note), some[:figure.MaxLines]
		}
		for k, i := range some {
			chart := c.Course.Difference(i)
			chart.Note, chart.YLabel, chart.LegendBeside = note, yLabel(&c.Course.Lines[i]), true
			nameBands(&chart)
			figures = append(figures, figure.Figure{ID: fmt.Sprintf("%s-%d", id, k),
				Caption: c.Course.Name(i), Group: group, Small: all > 2,
				Band: "mean difference (the band of its column)", Chart: chart})
		}
	}
	return figures
}

// scenarios has a chart for each line of the course, with all scenarios over each other.
func (c *Comparison) scenarios() (figures []figure.Figure) {
	for _, kind := range []string{"state", "incidence", "outcome"} {
		group := "Individuals in each state"
		switch kind {
		case "incidence":
			group = "Changes of state in each interval"
		case "outcome":
			group = "Outcomes since the start"
		}
		some := c.linesOf(kind)
		for k, i := range some[:min(len(some), figure.MaxLines)] {
			chart := c.Course.Scenario(i)
			chart.Note, chart.YLabel, chart.LegendBeside = c.Course.ScenarioNote(), yLabel(&c.Course.Lines[i]), true
			figures = append(figures, figure.Figure{ID: fmt.Sprintf("%s-%d", kind, k),
				Caption: c.Course.Name(i), Group: group, Small: len(some) > 2, Chart: chart})
		}
	}
	return figures
}

// yLabel is the label of the y axis of a line.
func yLabel(l *tables.Line) string {
	if l.Kind == "outcome" {
		return l.Name
	}
	return "individuals"
}

// linesOf are the lines of a kind.
func (c *Comparison) linesOf(kind string) (some []int) {
	for i, l := range c.Course.Lines {
		if l.Kind == kind && !c.Course.IsTwin(i) {
			some = append(some, i)
		}
	}
	return some
}

// nameBands names the series of the second band of a scenario, which a page lists.
func nameBands(c *plot.Chart) {
	for i := range c.Series {
		if s := &c.Series[i]; s.Name == "" && i > 0 {
			s.Name = c.Series[i-1].Name + ": " + tables.MeanCI
		}
	}
}
