package main

import (
	"errors"
	"fmt"
	"math"
	"path/filepath"
	"time"

	"github.com/almanac-sim/almanac/cmd/almanac/internal/format"
	"github.com/almanac-sim/almanac/internal/plot"
	"github.com/almanac-sim/almanac/population"
)

// plotRun draws the states over time, all in one chart and each in its own, and the flows.
func plotRun(dir string, m *population.Model, r *population.Result) error {
	if r.Rows() == 0 {
		return nil
	}
	all, each := stateCharts(m, r)
	flows := flowCharts(m, r)
	var errs []error
	for _, ending := range []string{".svg", ".png"} {
		errs = append(errs, all.Save(filepath.Join(dir, "states"+ending)), each.Save(filepath.Join(dir, "each"+ending)))
		if len(flows.Charts) > 0 {
			errs = append(errs, flows.Save(filepath.Join(dir, "incidence"+ending)))
		}
	}
	return errors.Join(append(errs, plotGroups(dir, m, r))...)
}

// runTitle names the model, and says if not all of it is there.
func runTitle(m *population.Model, r *population.Result) string {
	if r.Incomplete {
		return m.Name() + " (incomplete)"
	}
	return m.Name()
}

// timeLabel is what the times below a chart are.
func timeLabel(m *population.Model) string {
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
func overReplicas(r *population.Result, median []float64, quantiles [][]float64) plot.Series {
	s := plot.Series{X: r.Times[:r.Rows()], Y: median}
	if len(r.Runs) > 1 {
		s.Low, s.High = quantiles[0], quantiles[1]
	}
	return s
}

func stateCharts(m *population.Model, r *population.Result) (plot.Chart, plot.Panels) {
	all := plot.Chart{Title: runTitle(m, r), Note: linesAndBands(r), XLabel: timeLabel(m), YLabel: "individuals", FromZero: true, LegendBeside: true}
	each := plot.Panels{Title: runTitle(m, r), Note: "individuals in each state; " + linesAndBands(r)}
	for i, name := range m.States() {
		in := r.State(i)
		s := overReplicas(r, in.Median, [][]float64{in.Q05, in.Q95})
		s.Name = name
		all.Series = append(all.Series, s)
		each.Charts = append(each.Charts, plot.Chart{Title: name, XLabel: timeLabel(m), FromZero: true, Series: []plot.Series{s}})
	}
	return all, each
}

// mostFlows is how many flows are drawn; of more, the largest. A model of many states can have thousands.
const mostFlows = 24

// flowsDrawn says which flows are drawn, up to which row, and what they are. There are none if there is no interval.
func flowsDrawn(m *population.Model, r *population.Result) (rows int, order []int, note string) {
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
	order = largest(sums, mostFlows)
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

// flowCharts are how many changed state in each interval between two rows.
func flowCharts(m *population.Model, r *population.Result) plot.Panels {
	rows, order, note := flowsDrawn(m, r)
	panels := plot.Panels{Title: runTitle(m, r), Note: note + "; " + linesAndBands(r)}
	for _, i := range order {
		in := r.Incidence(i)
		s := overReplicas(r, in.Median, [][]float64{in.Q05, in.Q95})
		panels.Charts = append(panels.Charts, plot.Chart{Title: flowTitle(m.Flows()[i]), XLabel: timeLabel(m), FromZero: true, Series: []plot.Series{steps(s, rows)}})
	}
	return panels
}

func flowTitle(f population.Flow) string { return f.From + " → " + f.To }

// steps draws what a row has as what was so since the row before.
func steps(s plot.Series, rows int) plot.Series {
	out := plot.Series{Name: s.Name, Unmarked: true}
	twice := func(y []float64) (all []float64) {
		for k := 1; k < min(rows, len(y)); k++ {
			all = append(all, y[k], y[k])
		}
		return all
	}
	for k := 1; k < rows; k++ {
		out.X = append(out.X, s.X[k-1], s.X[k])
	}
	out.Y, out.Low, out.High = twice(s.Y), twice(s.Low), twice(s.High)
	return out
}
