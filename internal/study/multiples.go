package study

import (
	"fmt"
	"math"
	"slices"
	"strings"

	"github.com/almanac-sim/almanac/internal/plot"
)

// mostBands is the number of scenarios whose bands can be told apart in one chart; of more, each
// has a chart with the first one.
const mostBands = 4

// mostMultiples is the number of charts of a picture with a chart for each scenario.
const mostMultiples = 60

// panels has a chart for each state, or for each incidence or outcome as the suffix of the file
// says, that is not empty, and one for each that differs; of many scenarios, a chart for each of
// them.
func (c *Course) panels(suffix string) (scenarios, differences plot.Panels) {
	what := "individuals in each state"
	switch suffix {
	case "-incidence":
		what = "individuals in " + c.Interval()
	case "-outcomes":
		what = "accrued since the start"
	}
	var drawn, differ []int
	for i := range c.Lines {
		l := &c.Lines[i]
		if suffixOf(l.Kind) != suffix || c.IsTwin(i) {
			continue
		}
		if !l.isEmpty() {
			drawn = append(drawn, i)
		}
		if !l.isSame() {
			differ = append(differ, i)
		}
	}
	scenarios = c.each(drawn, len(c.Scenarios), c.Scenario)
	scenarios.Title, scenarios.Note = c.Title, what+"; "+c.ScenarioNote()+scenarios.Note
	differences = c.each(differ, len(c.Scenarios)-1, c.Difference)
	differences.Title = c.Title + ": differences from “" + c.Scenarios[0] + "”"
	differences.Note = what + "; " + c.DifferenceNote() + differences.Note
	return scenarios, differences
}

// each has a chart for each of some lines, in which so many scenarios have bands. If these are too
// many for one chart, there is a chart for each scenario but the first, which is in all of them.
func (c *Course) each(lines []int, bands int, chart func(line int) plot.Chart) plot.Panels {
	ps := plot.Panels{Common: true}
	others, most := len(c.Scenarios)-1, mostPanels
	if bands > mostBands {
		most = max(1, mostMultiples/others)
		ps.Columns = 4
		for _, n := range []int{4, 5, 3} {
			if others%n == 0 {
				ps.Columns = n // a line begins a row
				break
			}
		}
	}
	if len(lines) > most {
		ps.Note, lines = fmt.Sprintf("; the first %d of %d", most, len(lines)), lines[:most]
	}
	for _, i := range lines {
		all := chart(i)
		if bands <= mostBands {
			ps.Charts = append(ps.Charts, all)
			continue
		}
		for k, name := range c.Scenarios[1:] {
			ps.Charts = append(ps.Charts, only(all, k+1, name))
		}
	}
	return ps
}

// only is a chart of scenarios with the first and one other. The scenarios keep their colours, and
// the axis is that of all of them.
func only(all plot.Chart, scenario int, name string) plot.Chart {
	one := all
	one.Title, one.Series = all.Title+": "+name, nil
	low, high := math.Inf(1), math.Inf(-1)
	at := -1
	for _, s := range all.Series {
		for _, y := range slices.Concat(s.Y, s.Low, s.High) {
			if !math.IsNaN(y) {
				low, high = min(low, y), max(high, y)
			}
		}
		if !s.Same {
			at++
		}
		if at != 0 && at != scenario {
			s.X, s.Y, s.Low, s.High = nil, nil, nil, nil
		}
		one.Series = append(one.Series, s)
	}
	one.RangeY = [2]float64{low, high}
	return one
}

// Name is the name of a line in pictures: of a flow, also the name that counts the same.
func (c *Course) Name(i int) string {
	for k := range c.Lines {
		if c.twins(i, k) {
			return arrow(c.Lines[i].Name) + " (" + c.Lines[k].Name + ")"
		}
	}
	return arrow(c.Lines[i].Name)
}

// IsTwin reports whether a line is drawn as another one: a name that counts the same as a flow.
func (c *Course) IsTwin(i int) bool {
	for k := range i {
		if c.twins(k, i) {
			return true
		}
	}
	return false
}

// twins reports whether a flow and a name have the same numbers in all scenarios, and are not
// always 0.
func (c *Course) twins(flow, name int) bool {
	f, n := &c.Lines[flow], &c.Lines[name]
	isFlow := func(l *Line) bool { return strings.Contains(l.Name, "->") }
	return f.Kind == "incidence" && n.Kind == "incidence" && isFlow(f) && !isFlow(n) && len(f.Of) == len(n.Of) &&
		len(f.Of) > 0 && !f.isEmpty() && slices.EqualFunc(f.Of, n.Of, sameBand) &&
		slices.EqualFunc(f.Differences, n.Differences, sameBand)
}

// sameBand reports whether two bands have the same numbers.
func sameBand(a, b Band) bool {
	same := func(a, b []float64) bool {
		return slices.EqualFunc(a, b, func(x, y float64) bool { return x == y || math.IsNaN(x) && math.IsNaN(y) })
	}
	return same(a.Mean, b.Mean) && same(a.SD, b.SD) && same(a.Q05, b.Q05) && same(a.Median, b.Median) &&
		same(a.Q95, b.Q95) && same(a.RunsLow, b.RunsLow) && same(a.RunsHigh, b.RunsHigh)
}
