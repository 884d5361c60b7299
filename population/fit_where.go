package population

import (
	"slices"

	"github.com/almanac-sim/almanac/population/internal/program"
)

// groupings returns the groupings that the columns with where need, and for each column the groups
// that it counts; nil for a column of everybody.
func (f *Fit) groupings() (by []program.Grouping, groups []program.Group, counted [][]int) {
	all := f.m.program.Attributes
	counted = make([][]int, len(f.text.Match))
	for i := range f.text.Match {
		where := f.text.Match[i].Where
		if len(where) == 0 {
			continue
		}
		g := program.Grouping{Groups: 1, First: len(groups)}
		var names []string
		for _, c := range where {
			g.Attributes, g.Sizes = append(g.Attributes, c.Attribute), append(g.Sizes, len(c.Is))
			g.Groups *= len(c.Is)
			names = append(names, all[c.Attribute].Name)
		}
		if k := slices.IndexFunc(by, func(o program.Grouping) bool {
			return slices.Equal(o.Attributes, g.Attributes)
		}); k >= 0 {
			g = by[k]
		} else {
			by = append(by, g)
			for range g.Groups {
				groups = append(groups, program.Group{Attributes: names})
			}
		}
		counted[i] = []int{}
		for k := range g.Groups {
			values, inside, rest := make([]string, len(where)), true, k
			for d := len(where) - 1; d >= 0; d-- {
				v := rest % g.Sizes[d]
				rest /= g.Sizes[d]
				values[d], inside = all[where[d].Attribute].Values[v], inside && where[d].Is[v]
			}
			groups[g.First+k].Values = values
			if inside {
				counted[i] = append(counted[i], g.First+k)
			}
		}
	}
	return by, groups, counted
}

// where is the group of a column as fit.json has it: the values of each attribute.
func (f *Fit) where(conditions []program.Condition) map[string][]string {
	if len(conditions) == 0 {
		return nil
	}
	all := map[string][]string{}
	for _, c := range conditions {
		a := f.m.program.Attributes[c.Attribute]
		for v, is := range c.Is {
			if is {
				all[a.Name] = append(all[a.Name], a.Values[v])
			}
		}
	}
	return all
}

// inRun is the number at a row of a run: of a state, or of events since the start.
func (c *counted) inRun(run *Run, row int) (sum float64) {
	count := func(run *Run) float64 {
		switch {
		case c.kind == "seen":
			return float64(run.Seen(row, c.index))
		case c.kind == "survey":
			return run.meanChance(row, c.index)
		case c.kind == "value":
			return run.Value(row, c.index)
		case c.kind == "state" && c.index < 0: // of a group
			return float64(run.Total(row))
		case c.kind == "state":
			return float64(run.Count(row, c.index))
		case c.named:
			return float64(run.Named(row, c.index))
		}
		return float64(run.Flow(row, c.index))
	}
	if c.groups == nil {
		return count(run)
	}
	for _, g := range c.groups {
		sum += count(run.In(g))
	}
	return sum
}

// level is the number where a process stands, if it is one that was not counted.
func (c *counted) level(p *Process) (x float64, ok bool) {
	switch c.kind {
	case "survey":
		return p.r.MeanChance(c.index), true
	case "value":
		return p.r.Value(c.index), true
	}
	return 0, false
}

// inProcess is the number where a process stands.
func (c *counted) inProcess(p *Process) (sum uint64) {
	if c.kind == "seen" {
		if c.groups == nil {
			return p.Seen(c.index)
		}
		for _, g := range c.groups {
			seen, _ := p.r.SeenIn(1+g, c.index)
			sum += seen
		}
		return sum
	}
	if c.groups == nil {
		switch {
		case c.kind == "state":
			return uint64(p.Count(c.index))
		case c.named:
			return p.Named(c.index)
		}
		return p.Flow(c.index)
	}
	for _, g := range c.groups {
		switch tally := &p.r.ByGroup.Groups[g]; {
		case c.kind == "state" && c.index < 0:
			for _, n := range tally.Counts[:len(p.m.program.States)] {
				sum += uint64(n)
			}
		case c.kind == "state":
			sum += uint64(tally.Counts[c.index])
		case c.named:
			sum += tally.Named[c.index]
		default:
			sum += tally.Flows[c.index]
		}
	}
	return sum
}
