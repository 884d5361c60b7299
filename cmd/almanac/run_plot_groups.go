package main

import (
	"cmp"
	"errors"
	"fmt"
	"path/filepath"
	"slices"
	"strings"

	"github.com/almanac-sim/almanac/cmd/almanac/internal/format"
	"github.com/almanac-sim/almanac/internal/plot"
	"github.com/almanac-sim/almanac/population"
)

// Of more groups, states and flows than these the largest are drawn. Eight lines have eight colours.
const (
	mostBands       = 4 // of more, one would see only that they overlap
	mostGroupsDrawn = 8
	mostStatesDrawn = 24
)

// plotGroups draws, for all that the model records by, the states and the flows, with a line for each group.
func plotGroups(dir string, m *population.Model, r *population.Result) error {
	var errs []error
	for _, by := range groupings(m) {
		states, flows := groupCharts(m, r, by)
		for _, ending := range []string{".svg", ".png"} {
			errs = append(errs, states.Save(filepath.Join(dir, "by-"+by.name+ending)))
			if len(flows.Charts) > 0 {
				errs = append(errs, flows.Save(filepath.Join(dir, "incidence-by-"+by.name+ending)))
			}
		}
	}
	return errors.Join(errs...)
}

// A grouping is the groups that one entry of record: by asks for.
type grouping struct {
	name   string
	groups []int // as the model numbers them
}

func groupings(m *population.Model) (all []grouping) {
	for i, g := range m.Groups() {
		if n := len(all); n == 0 || all[n-1].name != g.By() {
			all = append(all, grouping{name: g.By()})
		}
		last := &all[len(all)-1]
		last.groups = append(last.groups, i)
	}
	return all
}

// largest is the positions of at most so many of the largest sums, in the order in which they are.
func largest(sums []float64, most int) []int {
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

// groupCharts are a chart for each state and for each flow, with a line for each group.
func groupCharts(m *population.Model, r *population.Result, by grouping) (states, flows plot.Panels) {
	sizes := make([]float64, len(by.groups))
	for i, g := range by.groups {
		sizes[i] = slices.Max(r.In(g).Total().Mean)
	}
	drawn := largest(sizes, mostGroupsDrawn)
	parts := make([]*population.Result, len(drawn))
	for i, k := range drawn {
		parts[i] = r.In(by.groups[k])
	}
	groups := m.Groups()
	words := strings.Join(groups[by.groups[0]].Attributes, " and ")
	which := "by " + words
	if len(drawn) < len(sizes) {
		which = fmt.Sprintf("the largest %d of %s groups by %s", len(drawn), format.Thousands(float64(len(sizes))), words)
	}
	lines := linesAndBands(r)
	if len(drawn) > mostBands && len(r.Runs) > 1 {
		lines = fmt.Sprintf("lines: median of %s", format.Count(len(r.Runs), "replica"))
	}
	chart := func(title string, series func(*population.Result) plot.Series) plot.Chart {
		c := plot.Chart{Title: title, XLabel: timeLabel(m), FromZero: true}
		for i, k := range drawn {
			s := series(parts[i])
			s.Name, s.Unmarked = strings.Join(groups[by.groups[k]].Values, ", "), true
			if len(drawn) > mostBands {
				s.Low, s.High = nil, nil
			}
			c.Series = append(c.Series, s)
		}
		return c
	}
	states = plot.Panels{Title: runTitle(m, r), Note: "individuals in each state, " + which + "; " + lines, Common: true}
	names := m.States()
	tops := make([]float64, len(names))
	for i := range names {
		tops[i] = slices.Max(r.State(i).Mean)
	}
	for _, i := range largest(tops, mostStatesDrawn) {
		states.Charts = append(states.Charts, chart(names[i], func(part *population.Result) plot.Series {
			s := part.State(i)
			return overReplicas(part, s.Median, [][]float64{s.Q05, s.Q95})
		}))
	}
	rows, order, note := flowsDrawn(m, r)
	flows = plot.Panels{Title: runTitle(m, r), Note: note + ", " + which + "; " + lines, Common: true}
	for _, i := range order {
		flows.Charts = append(flows.Charts, chart(flowTitle(m.Flows()[i]), func(part *population.Result) plot.Series {
			s := part.Incidence(i)
			return steps(overReplicas(part, s.Median, [][]float64{s.Q05, s.Q95}), rows)
		}))
	}
	return states, flows
}
