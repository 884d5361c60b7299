// Package pictures has the charts of a run of a model: the states, the flows between them, and both by group. The command writes them into
// files, and the page shows them.
package pictures

import (
	"errors"
	"fmt"
	"math"
	"time"

	"github.com/almanac-sim/almanac/internal/format"
	"github.com/almanac-sim/almanac/internal/plot"
	"github.com/almanac-sim/almanac/population"
)

// Save draws the states over time, all in one chart and each in its own, the flows, and both by group, into files of a directory.
func Save(dir string, r *population.Result) error {
	if r.Rows() == 0 {
		return nil
	}
	all, each := States(r)
	errs := []error{plot.SaveBoth(dir, "states", all), plot.SaveBoth(dir, "each", each), plot.SaveBoth(dir, "incidence", Flows(r))}
	for _, by := range Groupings(r.Model) {
		states, flows := Groups(r, by)
		errs = append(errs, plot.SaveBoth(dir, "by-"+by.Name, states), plot.SaveBoth(dir, "incidence-by-"+by.Name, flows))
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

// linesAndBands says what is drawn. The line is the median, which is somewhere that a replica was; means are in summary.json.
func linesAndBands(r *population.Result) string {
	if len(r.Runs) == 1 {
		return "one replica"
	}
	text := fmt.Sprintf("lines: median of %s; bands: middle 90 %%", format.Count(len(r.Runs), "replica"))
	if r.Drawn != nil { // bands are then wider than chance makes them
		text += "; parameters from a posterior"
	}
	return text
}

// overReplicas is a line for the median, with a band for the middle 90 % if there are several replicas.
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
	each := plot.Panels{Title: title(r), Note: "individuals in each state; " + linesAndBands(r)}
	for _, s := range all.Series {
		each.Charts = append(each.Charts, plot.Chart{Title: s.Name, XLabel: TimeLabel(r.Model), FromZero: true, Series: []plot.Series{s}})
	}
	return all, each
}

// FirstStates are how many were in each of the first states, so many at most, in one chart: those that a page has room for. Which they are does not
// change while a run goes on.
func FirstStates(r *population.Result, most int) plot.Chart {
	c := plot.Chart{Title: title(r), Note: linesAndBands(r), XLabel: TimeLabel(r.Model), YLabel: "individuals", FromZero: true, LegendBeside: true}
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

// mostFlows is how many flows are drawn; of more, the largest. A model of many states can have thousands.
const mostFlows = 24

// flowsDrawn says which flows are drawn, up to which row, and what they are. There are none if there is no interval.
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
	rows, order, note := flowsDrawn(r)
	panels := plot.Panels{Title: title(r), Note: note + "; " + linesAndBands(r)}
	for _, i := range order {
		panels.Charts = append(panels.Charts, plot.Chart{Title: flowTitle(r.Model.Flows()[i]), XLabel: TimeLabel(r.Model), FromZero: true, Series: []plot.Series{incidence(r, i, rows)}})
	}
	return panels
}

// Incidence is the same in one chart, with a line for each flow.
func Incidence(r *population.Result) plot.Chart {
	rows, order, note := flowsDrawn(r)
	c := plot.Chart{Title: title(r), Note: note + "; " + linesAndBands(r), XLabel: TimeLabel(r.Model), YLabel: "individuals", FromZero: true, LegendBeside: true}
	for _, i := range order {
		s := incidence(r, i, rows)
		s.Name = flowTitle(r.Model.Flows()[i])
		c.Series = append(c.Series, s)
	}
	return c
}

func flowTitle(f population.Flow) string { return f.From + " → " + f.To }

// incidence is how many went a way in each of the first intervals: what a row has was so since the row before.
func incidence(r *population.Result, flow, rows int) plot.Series {
	s := overReplicas(r, r.Incidence(flow))
	s.X, s.Y, s.Steps = s.X[:rows], s.Y[:rows], true
	if s.Low != nil {
		s.Low, s.High = s.Low[:rows], s.High[:rows]
	}
	return s
}
