// Package pictures has the charts of a run of a model: the states, the flows between them, and both
// by group. The command writes them into files, and the page shows them.
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

// Save draws the states over time, all in one chart and each in its own, the flows, and both by
// group, into files of a directory.
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

// title names the model, and says if not all of it is there.
func title(r *population.Result) string {
	if r.Incomplete {
		return r.Model.Name() + " (incomplete)"
	}
	return r.Model.Name()
}

// TimeLabel is what the times below a chart are.
func TimeLabel(m *population.Model) string {
	if start, dated := m.StartDate(); dated {
		return m.Unit() + "s since " + start.Format(time.DateOnly)
	}
	return m.Unit()
}

// linesAndBands says what is drawn. The line is the median, which is somewhere that a replica was;
// means are in summary.json.
func linesAndBands(r *population.Result) string {
	if len(r.Runs) == 1 {
		return "one replica"
	}
	text := fmt.Sprintf("lines: median of %s; bands: middle 90 %%", format.Count(len(r.Runs), "replica"))
	if modelfit.DrawnOf(r) != nil { // bands are then wider than chance makes them
		text += "; parameters from a posterior"
	}
	return text
}

// overReplicas is a line for the median, with a band for the middle 90 % if there are several
// replicas.
func overReplicas(r *population.Result, in population.Series) plot.Series {
	s := plot.Series{X: r.Times[:r.Rows()], Y: in.Median}
	if len(r.Runs) > 1 {
		s.Low, s.High = in.Q05, in.Q95
	}
	return s
}

// States are how many were in each state: all in one chart, and a chart for each.
func States(r *population.Result) (plot.Chart, plot.Panels) {
	all := FirstStates(r, len(r.Model.States()))
	return all, each(all, "individuals in each state; "+linesAndBands(r))
}

// each is a chart for each line of another.
func each(c plot.Chart, note string) plot.Panels {
	panels := plot.Panels{Title: c.Title, Note: note}
	for _, s := range c.Series {
		one := plot.Chart{Title: s.Name, XLabel: c.XLabel, FromZero: true, Series: []plot.Series{s}}
		panels.Charts = append(panels.Charts, one)
	}
	return panels
}

// FirstStates are how many were in each of the first states, so many at most, in one chart: those
// that a page has room for. Which they are does not change while a run goes on.
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

// mostFlows is how many flows are drawn; of more, the largest. A model of many states can have
// thousands.
const mostFlows = 24

// flowsDrawn says which flows are drawn, up to which row, and what they are. There are none if
// there is no interval.
func flowsDrawn(r *population.Result) (rows int, order []int, note string) {
	m := r.Model
	rows = r.Rows()
	// The last interval may be shorter than the others, and would look as if something had ended.
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

// Flows are how many changed state in each interval between two rows, a chart for each flow.
func Flows(r *population.Result) plot.Panels {
	all := Incidence(r)
	return each(all, all.Note)
}

// Incidence is the same in one chart, with a line for each flow.
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

// incidence is how many went a way in each of the first intervals: what a row has was so since the
// row before.
func incidence(r *population.Result, flow, rows int) plot.Series {
	s := overReplicas(r, r.Incidence(flow))
	s.X, s.Y, s.Steps = s.X[:rows], s.Y[:rows], true
	if s.Low != nil {
		s.Low, s.High = s.Low[:rows], s.High[:rows]
	}
	return s
}

// Of more groups, states and flows than these the largest are drawn. Eight lines have eight
// colours.
const (
	mostBands       = 4 // of more, one would see only that they overlap
	mostGroupsDrawn = 8
	mostStatesDrawn = 24
)

// A Grouping is the groups that one entry of record: by asks for.
type Grouping struct {
	Name   string
	Groups []int // as the model numbers them
}

// Groupings are all that a model records by, in its order.
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

// Largest is the positions of at most so many of the largest sums, in the order in which they are.
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

// Groups are a chart for each state and for each flow, with a line for each group.
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
