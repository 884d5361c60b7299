package pictures

import (
	"cmp"
	"fmt"
	"slices"
	"strings"

	"github.com/almanac-sim/almanac/internal/format"
	"github.com/almanac-sim/almanac/internal/plot"
	"github.com/almanac-sim/almanac/population"
)

// Of more groups, states and flows than these the largest are drawn. Eight lines have eight colours.
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
