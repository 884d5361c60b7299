// Package pictures has the charts of a run of a model: states, flows between them, and both by
// group. The command writes them into files, and the page shows them.
package pictures

import (
	"cmp"
	"errors"
	"fmt"
	"math"
	"slices"
	"strings"
	"time"

	"github.com/almanac-sim/almanac/internal/format"
	"github.com/almanac-sim/almanac/internal/modelfit"
	"github.com/almanac-sim/almanac/internal/plot"
	"github.com/almanac-sim/almanac/population"
)

// Save writes the charts into a directory: all states in one and each in its own, the flows, and
// both by group.
func Save(dir string, r *population.Result) error {
	if r.Rows() == 0 {
		return nil
	}
	all, each := States(r)
	errs := []error{plot.SaveBoth(dir, "states", all), plot.SaveBoth(dir, "each", each),
		plot.SaveBoth(dir, "incidence", Flows(r))}
	for _, by := range Groupings(r.Model) {
		states, flows := Groups(r, by)
		errs = append(errs, plot.SaveBoth(dir, "by-"+by.Name, states),
			plot.SaveBoth(dir, "incidence-by-"+by.Name, flows))
	}
	return errors.Join(errs...)
}

// title names the model, and marks an incomplete run.
func title(r *population.Result) string {
	if r.Incomplete {
		return r.Model.Name() + " (incomplete)"
	}
	return r.Model.Name()
}

// TimeLabel is the label of the time axis.
func TimeLabel(m *population.Model) string {
	if start, dated := m.StartDate(); dated {
		return m.Unit() + "s since " + start.Format(time.DateOnly)
	}
	return m.Unit()
}

// linesAndBands is the note of a chart. Lines are medians, which a replica has reached; means are
// in summary.json.
func linesAndBands(r *population.Result) string {
	if len(r.Runs) == 1 {
		return "one replica"
	}
	text := fmt.Sprintf("lines: median of %s; bands: middle 90 %%", format.Count(len(r.Runs), "replica"))
	if modelfit.DrawnOf(r) != nil { // so bands are wider
		text += "; parameters from a posterior"
	}
	return text
}

// overReplicas is the median, with a band for the middle 90 % of several replicas.
func overReplicas(r *population.Result, in population.Series) plot.Series {
	s := plot.Series{X: r.Times[:r.Rows()], Y: in.Median}
	if len(r.Runs) > 1 {
		s.Low, s.High = in.Q05, in.Q95
	}
	return s
}

// States has a chart of all states, and a chart for each.
func States(r *population.Result) (plot.Chart, plot.Panels) {
	all := FirstStates(r, len(r.Model.States()))
	return all, each(all, "individuals in each state; "+linesAndBands(r))
}

// each has a chart for each line of a chart.
func each(c plot.Chart, note string) plot.Panels {
	panels := plot.Panels{Title: c.Title, Note: note}
	for _, s := range c.Series {
		one := plot.Chart{Title: s.Name, XLabel: c.XLabel, FromZero: true, Series: []plot.Series{s}}
		panels.Charts = append(panels.Charts, one)
	}
	return panels
}

// FirstStates is a chart of at most most states. Which ones does not change during a run.
func FirstStates(r *population.Result, most int) plot.Chart {
	c := plot.Chart{Title: title(r), Note: linesAndBands(r), XLabel: TimeLabel(r.Model), YLabel: "individuals",
		FromZero: true, LegendBeside: true}
	names := r.Model.States()
	if len(names) > most {
		c.Note = fmt.Sprintf("the first %d of %s states; ", most, format.Thousands(float64(len(names)))) + c.Note
		names = names[:most]
	}
	for i, name := range names {
		s := overReplicas(r, r.State(i))
		s.Name = name
		c.Series = append(c.Series, s)
	}
	return c
}

// mostFlows is the number of flows that are drawn, the largest. A model of many states can have
// thousands.
const mostFlows = 24

// flowsDrawn returns the flows that are drawn, the number of rows, and a note. It needs one
// interval.
func flowsDrawn(r *population.Result) (rows int, order []int, note string) {
	m := r.Model
	rows = r.Rows()
	// A shorter last interval would look like a decline.
	if rows > 2 && r.Times[rows-1]-r.Times[rows-2] < 0.99*(r.Times[1]-r.Times[0]) {
		rows--
	}
	if rows < 2 {
		return rows, nil, ""
	}
	sums := make([]float64, len(m.Flows()))
	for i := range sums {
		sums[i] = r.Flow(i).Mean[rows-1]
	}
	order = Largest(sums, mostFlows)
	which := "changes of state"
	if len(order) < len(sums) {
		which = fmt.Sprintf("the largest %d of %s flows", mostFlows, format.Thousands(float64(len(sums))))
	}
	every := r.Times[1] - r.Times[0]
	unit := m.Unit()
	if math.Round(every*1e6) != 1e6 {
		unit += "s"
	}
	long := fmt.Sprintf("%.4g", every)
	if every >= 1e4 {
		long = format.Thousands(every)
	}
	return rows, order, fmt.Sprintf("%s in each interval of %s %s", which, long, unit)
}

// Flows has a chart for each flow: the changes of state per interval.
func Flows(r *population.Result) plot.Panels {
	all := Incidence(r)
	return each(all, all.Note)
}

// Incidence is one chart with a line for each flow.
func Incidence(r *population.Result) plot.Chart {
	rows, order, note := flowsDrawn(r)
	c := plot.Chart{Title: title(r), Note: note + "; " + linesAndBands(r), XLabel: TimeLabel(r.Model),
		YLabel: "individuals", FromZero: true, LegendBeside: true}
	for _, i := range order {
		s := incidence(r, i, rows)
		s.Name = flowTitle(r.Model.Flows()[i])
		c.Series = append(c.Series, s)
	}
	return c
}

func flowTitle(f population.Flow) string { return f.From + " → " + f.To }

// incidence is a flow per interval, as steps.
func incidence(r *population.Result, flow, rows int) plot.Series {
	s := overReplicas(r, r.Incidence(flow))
	s.X, s.Y, s.Steps = s.X[:rows], s.Y[:rows], true
	if s.Low != nil {
		s.Low, s.High = s.Low[:rows], s.High[:rows]
	}
	return s
}

// Of more groups, states and flows the largest are drawn. Eight lines have eight colours.
const (
	mostBands       = 4 // more bands only overlap
	mostGroupsDrawn = 8
	mostStatesDrawn = 24
)

// A Grouping is the groups of one entry of record: by.
type Grouping struct {
	Name   string
	Groups []int // numbers of the model
}

// Groupings returns the groupings of a model, in its order.
func Groupings(m *population.Model) (all []Grouping) {
	for i, g := range m.Groups() {
		if n := len(all); n == 0 || all[n-1].Name != g.By() {
			all = append(all, Grouping{Name: g.By()})
		}
		last := &all[len(all)-1]
		last.Groups = append(last.Groups, i)
	}
	return all
}

// Largest returns the positions of at most most of the largest sums, in order.
func Largest(sums []float64, most int) []int {
	order := make([]int, len(sums))
	for i := range order {
		order[i] = i
	}
	if len(order) > most {
		slices.SortStableFunc(order, func(a, b int) int { return cmp.Compare(sums[b], sums[a]) })
		order = order[:most]
		slices.Sort(order)
	}
	return order
}

// Groups has a chart for each state and each flow, with a line for each group.
func Groups(r *population.Result, by Grouping) (states, flows plot.Panels) {
	m := r.Model
	sizes := make([]float64, len(by.Groups))
	for i, g := range by.Groups {
		sizes[i] = slices.Max(r.In(g).Total().Mean)
	}
	drawn := Largest(sizes, mostGroupsDrawn)
	parts := make([]*population.Result, len(drawn))
	for i, k := range drawn {
		parts[i] = r.In(by.Groups[k])
	}
	groups := m.Groups()
	words := strings.Join(groups[by.Groups[0]].Attributes, " and ")
	which := "by " + words
	if len(drawn) < len(sizes) {
		which = fmt.Sprintf("the largest %d of %s groups by %s", len(drawn), format.Thousands(float64(len(sizes))), words)
	}
	lines := linesAndBands(r)
	if len(drawn) > mostBands && len(r.Runs) > 1 {
		lines = fmt.Sprintf("lines: median of %s", format.Count(len(r.Runs), "replica"))
	}
	chart := func(title string, series func(*population.Result) plot.Series) plot.Chart {
		c := plot.Chart{Title: title, XLabel: TimeLabel(m), FromZero: true}
		for i, k := range drawn {
			s := series(parts[i])
			s.Name, s.Unmarked = strings.Join(groups[by.Groups[k]].Values, ", "), true
			if len(drawn) > mostBands {
				s.Low, s.High = nil, nil
			}
			c.Series = append(c.Series, s)
		}
		return c
	}
	states = plot.Panels{Title: title(r), Note: "individuals in each state, " + which + "; " + lines, Common: true}
	names := m.States()
	tops := make([]float64, len(names))
	for i := range names {
		tops[i] = slices.Max(r.State(i).Mean)
	}
	for _, i := range Largest(tops, mostStatesDrawn) {
		states.Charts = append(states.Charts, chart(names[i], func(part *population.Result) plot.Series {
			return overReplicas(part, part.State(i))
		}))
	}
	rows, order, note := flowsDrawn(r)
	flows = plot.Panels{Title: title(r), Note: note + ", " + which + "; " + lines, Common: true}
	for _, i := range order {
		flows.Charts = append(flows.Charts, chart(flowTitle(m.Flows()[i]), func(part *population.Result) plot.Series {
			return incidence(part, i, rows)
		}))
	}
	return states, flows
}
