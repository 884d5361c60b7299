package page

import (
	"fmt"
	"slices"
	"strings"

	"github.com/almanac-sim/almanac/internal/format"
	"github.com/almanac-sim/almanac/internal/pictures"
	"github.com/almanac-sim/almanac/internal/plot"
	"github.com/almanac-sim/almanac/page/internal/compare"
	"github.com/almanac-sim/almanac/page/internal/figure"
	"github.com/almanac-sim/almanac/page/internal/runs"
	"github.com/almanac-sim/almanac/population"
	"github.com/almanac-sim/almanac/population/results"
)

// Bounds of a chart by group.
const (
	maxGroupLines = 8 // as many as colours
	maxGroupBands = 4 // more bands only overlap
)

// summary is a results.Summary and the note of its charts.
type summary struct {
	*results.Summary
	note string
}

// summaryFigures are the charts of a saved run, as runFigures has them.
func summaryFigures(of *results.Summary) []figure.Figure {
	sum := summary{of, "one replica"}
	if sum.Replicas > 1 {
		sum.note = "lines: median of " + format.Count(sum.Replicas, "replica") + "; bands: middle 90 %"
	}
	chart := func(all []course, what string, steps bool) plot.Chart {
		c := plot.Chart{Title: sum.Model, Note: sum.note, XLabel: sum.label(), Dates: sum.dates(), YLabel: "individuals",
			FromZero: true, LegendBeside: true}
		n := 0
		for _, one := range all {
			in, _ := one.of(sum.Counts)
			if s, ok := sum.line(one.name, in, steps); ok {
				if n++; n <= figure.MaxLines {
					c.Series = append(c.Series, s)
				}
			}
		}
		if n > figure.MaxLines {
			c.Note = fmt.Sprintf("the first %d of %s, all are in summary.json; %s", figure.MaxLines, format.Count(n, what),
				c.Note)
		}
		return c
	}
	figures := []figure.Figure{{ID: "states", Caption: "Individuals in each state",
		Chart: chart(sum.states(), "state", false)}}
	if !sum.Incidence.IsZero() {
		figures = append(figures, figure.Figure{ID: "incidence", Caption: "Changes of state in each interval",
			Chart: chart(sum.flows(true), "flow", true)})
	} else {
		figures = append(figures, figure.Figure{ID: "flows", Caption: "Changes of state since the start",
			Chart: chart(sum.flows(false), "flow", false)})
	}
	for name, machine := range sum.Machines.All() {
		var states []course
		for _, every := range []bool{false, true} { // those that were ever occupied, or all if none was
			for state, in := range machine.States.All() {
				if every || !sum.empty(in) {
					states = append(states, course{state, func(results.Counts) (population.Series, bool) { return in, true }})
				}
			}
			if len(states) > 0 {
				break
			}
		}
		figures = append(figures, figure.Figure{ID: "machine-" + figure.FileName(name),
			Caption: "Individuals in each state of " + name, Chart: chart(states, "state", false)})
	}
	n := len(sum.Outcomes.Names())
	for name, in := range sum.Outcomes.All() {
		one := course{name, func(results.Counts) (population.Series, bool) { return in, true }}
		c := chart([]course{one}, "outcome", false)
		c.YLabel = name
		figures = append(figures, figure.Figure{ID: "outcome-" + figure.FileName(name), Caption: name,
			Group: "Outcomes since the start", Small: n > 2, Chart: c})
	}
	base := chart(nil, "", false)
	some := sum.recorded()
	figures = append(figures, some.figures(base, sum.line)...)
	figures = append(figures, some.reproduction(base, sum.Done)...)
	groupings := sum.By.Names()
	for i, by := range groupings {
		if i == maxGroupings {
			figures[len(figures)-1].Chart.Note += omittedGroupings(groupings[i:])
			break
		}
		groups, _ := sum.By.Get(by)
		figures = append(figures, sum.groupFigures(by, groups)...)
	}
	return figures
}

func omittedGroupings(names []string) string {
	return "; no charts by " + strings.Join(names, ", by ") + ", which are in the tables"
}

// dates are the dates of the time axis, or nil.
func (sum summary) dates() *plot.Dates {
	if len(sum.Dates) == 0 || len(sum.Times) == 0 {
		return nil
	}
	return pictures.SavedDates(sum.Unit, sum.Times[0], sum.Dates[0])
}

// label is the name of the time axis.
func (sum summary) label() string {
	if sum.dates() != nil {
		return "date"
	}
	return sum.Unit
}

// A course is a line of a chart: its name, and where it is among the counts of everybody or of a
// group.
type course struct {
	name string
	of   func(results.Counts) (population.Series, bool)
}

// empty reports whether a series is 0 in all replicas of a complete run, which is not drawn.
func (sum summary) empty(in population.Series) bool {
	return sum.Done == sum.Replicas && (len(in.Max) == 0 || slices.Max(in.Max) == 0)
}

// states are the states that were ever occupied, or all if none was.
func (sum summary) states() (all []course) {
	for _, every := range []bool{false, true} {
		for name, in := range sum.States.All() {
			if every || !sum.empty(in) {
				all = append(all, course{name, func(c results.Counts) (population.Series, bool) { return c.States.Get(name) }})
			}
		}
		if len(all) > 0 {
			break
		}
	}
	return all
}

// machineStates are the states of machines that were ever occupied, but for machines that groups
// are by.
func (sum summary) machineStates(by string) (all []course) {
	for machine, of := range sum.Machines.All() {
		if slices.Contains(strings.Split(by, ","), machine) {
			continue
		}
		for state, in := range of.States.All() {
			if !sum.empty(in) {
				all = append(all, course{machine + "=" + state, func(c results.Counts) (population.Series, bool) {
					part, _ := c.Machines.Get(machine)
					return part.States.Get(state)
				}})
			}
		}
	}
	return all
}

// machineFlows are the flows of machines that ever happened, in each interval or since the start.
func (sum summary) machineFlows(incidence bool) (all []course) {
	for machine, of := range sum.Machines.All() {
		for flow, in := range of.Flows.All() {
			if sum.empty(in) {
				continue
			}
			all = append(all, course{figure.Arrow(machine + "=" + flow), func(c results.Counts) (population.Series, bool) {
				part, _ := c.Machines.Get(machine)
				if incidence {
					return part.Incidence.Get(flow)
				}
				return part.Flows.Get(flow)
			}})
		}
	}
	return all
}

// flows are the flows and names that ever happened, in each interval or since the start. A name
// that counts the same as a flow is told with it.
func (sum summary) flows(incidence bool) (all []course) {
	twins := map[string]string{} // of a flow: a name
	var alone []string           // names without a flow
	for name, in := range sum.Named.All() {
		flow := ""
		for candidate, f := range sum.Flows.All() {
			if slices.Equal(f.Mean, in.Mean) && slices.Equal(f.Min, in.Min) && slices.Equal(f.Max, in.Max) {
				flow = candidate
				break
			}
		}
		switch {
		case sum.empty(in):
		case flow == "" || sum.Done < sum.Replicas:
			alone = append(alone, name)
		case twins[flow] == "":
			twins[flow] = name
		}
	}
	for name, in := range sum.Flows.All() {
		if sum.empty(in) {
			continue
		}
		shown := figure.Arrow(name)
		if twins[name] != "" {
			shown += " (" + twins[name] + ")"
		}
		all = append(all, course{shown, func(c results.Counts) (population.Series, bool) {
			if incidence {
				return c.Incidence.Get(name)
			}
			return c.Flows.Get(name)
		}})
	}
	all = append(all, sum.machineFlows(incidence)...)
	for _, name := range alone {
		all = append(all, course{name, func(c results.Counts) (population.Series, bool) {
			if incidence {
				return c.NamedIncidence.Get(name)
			}
			return c.Named.Get(name)
		}})
	}
	return all
}

// line returns a series as a line, or false if its length is wrong.
func (sum summary) line(name string, in population.Series, steps bool) (plot.Series, bool) {
	n := len(sum.Times)
	if len(in.Median) != n {
		return plot.Series{}, false
	}
	s := plot.Series{Name: name, X: sum.Times, Y: in.Median, Steps: steps}
	if sum.Replicas > 1 && len(in.Q05) == n && len(in.Q95) == n {
		s.Low, s.High = in.Q05, in.Q95
	}
	return s, true
}

// groupFigures has a chart for each state and flow, with a line for each group, as pictures.Groups.
func (sum summary) groupFigures(by string, groups results.Ordered[results.Counts]) (figures []figure.Figure) {
	names := groups.Names()
	sizes := make([]float64, len(names))
	for i, name := range names {
		g, _ := groups.Get(name)
		sizes[i] = peak(g.Total)
	}
	drawn := pictures.Largest(sizes, maxGroupLines)
	words := strings.ReplaceAll(by, ",", " and ")
	which, note := "by "+words, sum.note
	if len(drawn) < len(names) {
		which = fmt.Sprintf("the largest %d of %s groups by %s", len(drawn), format.Thousands(float64(len(names))), words)
	}
	if len(drawn) > maxGroupBands && sum.Replicas > 1 {
		note = "lines: median of " + format.Count(sum.Replicas, "replica")
	}
	add := func(id, heading, what string, courses []course, steps bool) {
		tops := make([]float64, len(courses))
		for i, one := range courses {
			in, _ := one.of(sum.Counts)
			tops[i] = peak(in)
		}
		order := pictures.Largest(tops, figure.MaxLines)
		if len(order) < len(courses) {
			what = fmt.Sprintf("the largest %d of %s, %s", len(order), format.Thousands(float64(len(courses))), what)
		}
		for i, k := range order {
			name := courses[k].name
			c := plot.Chart{Title: name, Note: what + ", " + which + "; " + note, XLabel: sum.label(), Dates: sum.dates(),
				YLabel: "individuals", FromZero: true}
			for _, j := range drawn {
				g, _ := groups.Get(names[j])
				in, _ := courses[k].of(g)
				if s, ok := sum.line(strings.ReplaceAll(names[j], ",", ", "), in, steps); ok {
					if s.Unmarked = true; len(drawn) > maxGroupBands {
						s.Low, s.High = nil, nil
					}
					c.Series = append(c.Series, s)
				}
			}
			if len(c.Series) > 0 {
				figures = append(figures, figure.Figure{ID: fmt.Sprintf("%s-%s-%d", id, figure.FileName(by), i),
					Caption: name, Group: heading + by, Small: true, Chart: c})
			}
		}
	}
	add("by", "By ", "individuals in each state", slices.Concat(sum.states(), sum.machineStates(by)), false)
	if !sum.Incidence.IsZero() {
		add("incidence-by", "Changes of state, by ", "changes of state in each interval", sum.flows(true), true)
	}
	return figures
}

// peak is the largest mean of a series.
func peak(in population.Series) float64 {
	if len(in.Mean) == 0 {
		return 0
	}
	return slices.Max(in.Mean)
}

func (s *Server) readResult(dir string) (saved, error) {
	sum, err := s.files.Summary(dir)
	if err != nil {
		return saved{}, err
	}
	size := "" // other programs may not write the total
	if len(sum.Total.Mean) > 0 {
		size = compare.SummaryFacts(sum).Options[0] + ", "
	}
	return saved{View: runs.View{Figures: summaryFigures(sum), Tables: summaryTables(sum)}, data: map[string]any{
		"Title": sum.Model, "Model": sum.Model, "Size": size, "Replicas": sum.Replicas, "Seed": sum.Seed,
		"Incomplete": sum.Incomplete, "Stopped": sum.Stopped, "Pictures": s.filesIn(dir, samplePictures)}}, nil
}

// summaryTables summarise the end of a saved run, as runTables has it.
func summaryTables(sum *results.Summary) []figure.Table {
	last := len(sum.Times) - 1
	mean := func(in population.Series) string {
		if last < 0 || last >= len(in.Mean) {
			return "–"
		}
		return figure.Short(in.Mean[last])
	}
	states := figure.Table{Caption: "Each state at the end, and its peak", Head: []string{"state", "at the end", "peak",
		"when"}}
	for name, in := range sum.States.All() {
		row := []string{name, mean(in), "–", "–"}
		if p, ok := sum.Peaks.Get(name); ok {
			row[2], row[3] = figure.Short(p.Count), fmt.Sprintf("%.5g", p.Time)
		}
		states.Rows = append(states.Rows, row)
	}
	flows := figure.Table{Caption: "Since the start", Head: []string{"what happened", "individuals"}}
	for name, in := range sum.Flows.All() {
		flows.Rows = append(flows.Rows, []string{figure.Arrow(name), mean(in)})
	}
	for name, in := range sum.Named.All() {
		flows.Rows = append(flows.Rows, []string{name, mean(in)})
	}
	return slices.Concat([]figure.Table{states, flows}, summary{sum, ""}.recorded().tables(last))
}
