// Package pictures has the charts of a run of a model: states, flows between them, and both by
// group. The command writes them into files, and the page shows them.
//
// # Files
//
//	states.go      states and flows
//	machines.go    states of machines
//	outcomes.go    outcomes
//	networks.go    samples of networks
//	trees.go       who infected whom
//	data.go        observations over a chart; datagroups.go the same by group
//	view.go        View: which charts are drawn
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

// Save writes the charts into a directory: all states in one and each in its own, those of each
// machine in one, the flows, states and flows by group, and outcomes.
func Save(dir string, r *population.Result) error {
	if r.Rows() == 0 {
		return nil
	}
	all, each := States(r)
	errs := []error{plot.SaveBoth(dir, "states", all), plot.SaveBoth(dir, "each", each),
		plot.SaveBoth(dir, "incidence", Flows(r)), plot.SaveBoth(dir, "outcomes", Outcomes(r, mostOutcomes))}
	for _, m := range Machines(r, len(r.Model.Counted())) {
		errs = append(errs, plot.SaveBoth(dir, "machine-"+m.Name, m.Chart))
	}
	for _, by := range Groupings(r.Model) {
		states, flows := Groups(r, by)
		if len(by.Groups) > mostBands {
			states, flows = eachGroup(r, by)
		}
		errs = append(errs, plot.SaveBoth(dir, "by-"+by.Name, states),
			plot.SaveBoth(dir, "incidence-by-"+by.Name, flows))
	}
	return errors.Join(errs...)
}

// mostOutcomes is how many outcomes are drawn.
const mostOutcomes = 24

// title names the model, and marks an incomplete run.
func title(r *population.Result) string {
	if r.Incomplete {
		return r.Model.Name() + " (incomplete)"
	}
	return r.Model.Name()
}

// TimeLabel is the name of the time axis: a unit, or date if the model has dates.
func TimeLabel(m *population.Model) string {
	if Dates(m) != nil {
		return "date"
	}
	return m.Unit()
}

// Dates are the dates of the time axis, or nil if the model has none.
func Dates(m *population.Model) *plot.Dates {
	start, dated := m.StartDate()
	if !dated {
		return nil
	}
	return &plot.Dates{Zero: start, Unit: unitSeconds(m.Unit())}
}

// unitSeconds is the length of a unit of time, or 0 if it is unknown.
func unitSeconds(unit string) float64 {
	const year = 365.25 * 86400
	return map[string]float64{"second": 1, "minute": 60, "hour": 3600, "day": 86400, "week": 7 * 86400,
		"month": year / 12, "year": year}[unit]
}

// SavedDates are the dates of a saved run, given its unit, its first time and its date; nil if it
// has none.
func SavedDates(unit string, first float64, date string) *plot.Dates {
	d := plot.Dates{Unit: unitSeconds(unit)}
	at, err := time.Parse(time.DateOnly, date)
	if err != nil {
		at, err = time.Parse("2006-01-02T15:04:05", date)
	}
	if err != nil || d.Unit == 0 {
		return nil
	}
	d.Zero = at
	d.Zero = d.At(-first)
	return &d
}

// SetTime makes the x axis of a chart the time of a model.
func SetTime(c *plot.Chart, m *population.Model) { c.XLabel, c.Dates = TimeLabel(m), Dates(m) }

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

// Note says what the lines and bands of a chart are.
func Note(r *population.Result) string { return linesAndBands(r) }

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
	return all, each(all, "individuals in each state; "+all.Note)
}

// each has a chart for each line of a chart.
func each(c plot.Chart, note string) plot.Panels {
	panels := plot.Panels{Title: c.Title, Note: note}
	for _, s := range c.Series {
		one := plot.Chart{Title: s.Name, XLabel: c.XLabel, Dates: c.Dates, FromZero: true, Series: []plot.Series{s}}
		panels.Charts = append(panels.Charts, one)
	}
	return panels
}

// FirstStates is a chart of at most most states. States that are never occupied are left out when
// all replicas have ended; before that, which ones are drawn does not change.
func FirstStates(r *population.Result, most int) plot.Chart {
	return statesChart(r, title(r), ofStates(r.Model), most, 0)
}

// FirstStatesPer is FirstStates with numbers per so many of the living.
func FirstStatesPer(r *population.Result, most int, per float64) plot.Chart {
	return statesChart(r, title(r), ofStates(r.Model), most, per)
}

// ofStates lists the states of a model, without those of machines.
func ofStates(m *population.Model) (all []quantity) {
	for i, name := range m.States() {
		all = append(all, quantity{kind: state, index: i, name: name})
	}
	return all
}

// statesChart is a chart of the first of some states, in numbers, or per so many of the living.
func statesChart(r *population.Result, heading string, of []quantity, most int, per float64) plot.Chart {
	c := plot.Chart{Title: heading, Note: linesAndBands(r), YLabel: "individuals", FromZero: true, LegendBeside: true}
	SetTime(&c, r.Model)
	var empty []string
	var all []quantity
	for _, q := range of {
		if r.Done == r.Replicas && q.empty(r) {
			empty = append(empty, q.name)
			continue
		}
		all = append(all, q)
	}
	switch {
	case len(all) == 0: // a population of nobody
		all = of
	case len(empty) > 0:
		c.Note += "; " + leftOut(empty)
	}
	if n := len(all); n > most {
		c.Note = fmt.Sprintf("the first %d of %s states; ", most, format.Thousands(float64(n))) + c.Note
		all = all[:most]
	}
	v := View{Per: per}
	for _, q := range all {
		s := plot.Series{}
		if per > 0 {
			s = v.line(r, q)
		} else {
			s = overReplicas(r, r.State(q.index))
		}
		s.Name = q.name
		c.Series = append(c.Series, s)
	}
	if per > 0 {
		c.YLabel = v.label(r, quantity{kind: state})
	}
	return c
}

// mostFlows is the number of flows that are drawn, the largest. A model of many states can have
// thousands.
const mostFlows = 24

// wholeIntervals is the number of rows without a shorter last interval, which would look like a
// decline.
func wholeIntervals(r *population.Result) int {
	rows := r.Rows()
	if rows > 2 && r.Times[rows-1]-r.Times[rows-2] < 0.99*(r.Times[1]-r.Times[0]) {
		rows--
	}
	return rows
}

// flowsDrawn returns the flows and names that are drawn, the number of rows, and a note. It needs
// one interval. What never happened is left out when all replicas have ended, and so is a name that
// counts the same as a flow.
func flowsDrawn(r *population.Result) (rows int, drawn []quantity, note string) {
	m := r.Model
	if rows = wholeIntervals(r); rows < 2 {
		return rows, nil, ""
	}
	var all []quantity
	var sums []float64
	add := func(q quantity, in population.Series) {
		if r.Done == r.Replicas && in.Max[len(in.Max)-1] == 0 {
			return
		}
		all, sums = append(all, q), append(sums, in.Mean[rows-1])
	}
	for i := range m.Flows() {
		add(quantity{kind: flow, index: i, name: flowName(r, i)}, r.Flow(i))
	}
	for i, name := range m.Names() {
		if r.Done < r.Replicas || twin(r, i) < 0 {
			add(quantity{kind: named, index: i, name: name}, r.Named(i))
		}
	}
	for _, i := range Largest(sums, mostFlows) {
		drawn = append(drawn, all[i])
	}
	which := "changes of state"
	if len(drawn) < len(all) {
		which = fmt.Sprintf("the largest %d of %s flows", mostFlows, format.Thousands(float64(len(all))))
	}
	return rows, drawn, fmt.Sprintf("%s in each interval of %s", which, length(m, r.Times[1]-r.Times[0]))
}

// length is a length of time in words.
func length(m *population.Model, every float64) string {
	unit := m.Unit()
	if math.Round(every*1e6) != 1e6 {
		unit += "s"
	}
	long := fmt.Sprintf("%.4g", every)
	if every >= 1e4 {
		long = format.Thousands(every)
	}
	return long + " " + unit
}

// twin returns the flow that counts the same as a name, at all rows of all replicas, or −1.
func twin(r *population.Result, name int) int {
	for i := range r.Model.Flows() {
		if same(r, i, name) {
			return i
		}
	}
	return -1
}

func same(r *population.Result, flow, name int) bool {
	for i := range r.Runs {
		run := &r.Runs[i]
		for row := run.Rows() - 1; row >= 0; row-- { // the last row differs most often
			if run.Flow(row, flow) != run.Named(row, name) {
				return false
			}
		}
	}
	return true
}

// flowName is a flow, with the name that counts the same when all replicas have ended.
func flowName(r *population.Result, flow int) string {
	text := flowTitle(r.Model.Flows()[flow])
	if r.Done < r.Replicas {
		return text
	}
	for i, name := range r.Model.Names() {
		if same(r, flow, i) && twin(r, i) == flow && slices.Max(r.Flow(flow).Max) > 0 {
			return text + " (" + name + ")"
		}
	}
	return text
}

// Flows has a chart for each flow and name: what happened in each interval.
func Flows(r *population.Result) plot.Panels {
	all := Incidence(r)
	return each(all, all.Note)
}

// Incidence is one chart with a line for each flow and name.
func Incidence(r *population.Result) plot.Chart {
	rows, drawn, note := flowsDrawn(r)
	c := plot.Chart{Title: title(r), Note: note + "; " + linesAndBands(r), YLabel: "individuals", FromZero: true,
		LegendBeside: true}
	SetTime(&c, r.Model)
	for _, q := range drawn {
		c.Series = append(c.Series, q.incidence(r, rows))
	}
	return c
}

// IncidencePer is Incidence with numbers per so many of the living at the start of each interval.
func IncidencePer(r *population.Result, per float64) plot.Chart {
	c, v := Incidence(r), View{Per: per}
	_, drawn, _ := flowsDrawn(r)
	for i, q := range drawn {
		c.Series[i] = v.line(r, q)
		c.YLabel = v.label(r, q)
	}
	return c
}

func flowTitle(f population.Flow) string { return f.From + " → " + f.To }

// incidence is a flow or a name per interval, as steps.
func (q quantity) incidence(r *population.Result, rows int) plot.Series {
	in := r.Incidence
	if q.kind == named {
		in = r.NamedIncidence
	}
	s := overReplicas(r, in(q.index))
	s.Name, s.X, s.Y, s.Steps = q.name, s.X[:rows], s.Y[:rows], true
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

// mostLines is the number of lines in a panel of a group, the largest.
const mostLines = 8

// eachGroup has a chart for each group, with a line and a band for each state or flow.
func eachGroup(r *population.Result, by Grouping) (states, flows plot.Panels) {
	lines := func(all plot.Chart, series func(part *population.Result, name string) plot.Series) plot.Panels {
		tops := make([]float64, len(all.Series))
		for i, s := range all.Series {
			tops[i] = slices.Max(s.Y)
		}
		some := Largest(tops, mostLines)
		note := all.Note
		if len(some) < len(all.Series) {
			note = fmt.Sprintf("the largest %d of %d lines; ", len(some), len(all.Series)) + note
		}
		return smallMultiples(r, by, func(part *population.Result, _ int) plot.Chart {
			c := plot.Chart{FromZero: true}
			SetTime(&c, r.Model)
			for _, i := range some {
				s := series(part, all.Series[i].Name)
				s.Name = all.Series[i].Name
				c.Series = append(c.Series, s)
			}
			return c
		}, title(r), note)
	}
	names := r.Model.States()
	all := FirstStates(r, len(names))
	states = lines(all, func(part *population.Result, name string) plot.Series {
		return overReplicas(part, part.State(slices.Index(names, name)))
	})
	states.Note = "individuals in each state, " + states.Note
	rows, drawn, note := flowsDrawn(r)
	incidence := Incidence(r)
	incidence.Series = slices.DeleteFunc(incidence.Series, func(s plot.Series) bool {
		return slices.ContainsFunc(drawn, func(q quantity) bool { return q.name == s.Name && q.ofNobody(r.Model) })
	})
	incidence.Note = linesAndBands(r)
	if len(incidence.Series) > 0 {
		flows = lines(incidence, func(part *population.Result, name string) plot.Series {
			i := slices.IndexFunc(drawn, func(q quantity) bool { return q.name == name })
			return drawn[i].incidence(part, rows)
		})
		flows.Note = note + ", " + flows.Note
	}
	return states, flows
}

// Groups has a chart for each state and each flow, with a line for each group.
func Groups(r *population.Result, by Grouping) (states, flows plot.Panels) {
	return GroupsPer(r, by, 0)
}

// GroupsPer is Groups with numbers per so many of the living of each group; 0 means counts.
func GroupsPer(r *population.Result, by Grouping, per float64) (states, flows plot.Panels) {
	v := View{Per: per}
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
		c := plot.Chart{Title: title, FromZero: true}
		SetTime(&c, m)
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
	some := slices.Concat(ofStates(m), otherMachines(m, groups[by.Groups[0]].Attributes))
	tops := make([]float64, len(some))
	for i, q := range some {
		tops[i] = slices.Max(r.State(q.index).Mean)
	}
	for _, i := range Largest(tops, mostStatesDrawn) {
		if tops[i] == 0 && r.Done == r.Replicas && slices.Max(tops) > 0 {
			continue
		}
		states.Charts = append(states.Charts, chart(some[i].name, func(part *population.Result) plot.Series {
			return v.line(part, quantity{kind: state, index: some[i].index})
		}))
	}
	_, drawnFlows, note := flowsDrawn(r)
	drawnFlows = slices.DeleteFunc(drawnFlows, func(q quantity) bool { return q.ofNobody(m) })
	flows = plot.Panels{Title: title(r), Note: note + ", " + which + "; " + lines, Common: true}
	for _, q := range drawnFlows {
		flows.Charts = append(flows.Charts, chart(q.name, func(part *population.Result) plot.Series {
			return v.line(part, q)
		}))
	}
	return states, flows
}
