package pictures

import (
	"fmt"
	"maps"
	"slices"
	"strings"

	"github.com/almanac-sim/almanac/population"
)

// narrow restricts a column to those whose attributes have some values.
func (c *Column) narrow(m *population.Model, where map[string][]string) {
	if len(where) == 0 {
		return
	}
	attributes := slices.Sorted(maps.Keys(where))
	var words []string
	for _, a := range attributes {
		words = append(words, a+"="+strings.Join(where[a], "|"))
	}
	c.group, c.record = strings.Join(words, ", "), strings.Join(attributes, ", ")
	if len(attributes) > 1 {
		c.record = "[" + c.record + "]"
	}
	all := m.Groups()
	var by []string // the recorded grouping with the fewest attributes that has all of these
	for _, g := range all {
		missing := slices.ContainsFunc(attributes, func(a string) bool { return !slices.Contains(g.Attributes, a) })
		if !missing && (by == nil || len(g.Attributes) < len(by)) {
			by = g.Attributes
		}
	}
	for i, g := range all {
		if by != nil && slices.Equal(g.Attributes, by) && !slices.ContainsFunc(attributes, func(a string) bool {
			return !slices.Contains(where[a], g.Values[slices.Index(by, a)])
		}) {
			c.groups = append(c.groups, i)
		}
	}
}

// problem says why a column cannot be drawn in a view, or is empty.
func (v View) problem(m *population.Model, c *Column) string {
	switch by, _ := v.grouping(m); {
	case c.of.delayed(m):
		return fmt.Sprintf("%s is of %s, which %s", c.Name, m.Observations()[c.of.index], resultsLater)
	case v.Panels != "" && c.group == "":
		return fmt.Sprintf("%s is of everybody, and panels are of groups", c.Name)
	case c.group != "" && c.groups == nil:
		return fmt.Sprintf("%s is of %s, by which the model does not record; write record: {by: [%s]}", c.Name, c.group,
			c.record)
	case v.Panels != "" && (len(c.groups) != 1 || !slices.Contains(by.Groups, c.groups[0])):
		return fmt.Sprintf("%s is of %s, which is not the group of a panel", c.Name, c.group)
	}
	return ""
}

// asObserved marks what is multiplied by the probability of being observed.
const asObserved = ", as observed"

// withData returns what is drawn of a quantity: itself, and the groups of which there are data. In
// panels it is one line, whose data differ from panel to panel.
func (v View) withData(m *population.Model, q quantity) (all []quantity) {
	everybody := false
	for _, c := range v.Data.of(q) {
		if v.problem(m, c) != "" {
			continue
		}
		one := c.of
		one.asked = q.asked
		if v.Panels == "" {
			everybody = everybody || c.group == ""
			all = append(all, one.over(c))
			continue
		}
		k := slices.IndexFunc(all, one.same)
		if k < 0 {
			k, all = len(all), append(all, one)
		}
		all[k].panels = append(all[k].panels, c)
		if c.observed != nil {
			all[k].name = one.name + asObserved
		}
	}
	if len(all) == 0 || v.Panels == "" && !everybody {
		all = append([]quantity{q}, all...)
	}
	return all
}

// over is a quantity with the data of a column, in its group.
func (q quantity) over(c *Column) quantity {
	q.column, q.groups = c, c.groups
	if c.group != "" {
		q.name += ", " + c.group
	}
	if c.observed != nil {
		q.name += asObserved
	}
	return q
}

// ofData returns what the data are of.
func (v View) ofData(m *population.Model) (all []quantity, err error) {
	for i := range v.Data.Columns {
		c := &v.Data.Columns[i]
		for _, q := range v.withData(m, c.of) {
			if q.hasData() {
				all = insert(all, q)
			}
		}
	}
	if len(all) == 0 {
		return nil, v.Data.nothing(v.undrawn(m, nil))
	}
	return all, nil
}

// hasData reports whether there are data of a quantity.
func (q quantity) hasData() bool { return q.column != nil || q.panels != nil }

// inPanel gives quantities the data of the panel of a group.
func inPanel(all []quantity, group int) []quantity {
	all = slices.Clone(all)
	for i, q := range all {
		for _, c := range q.panels {
			if c.groups[0] == group {
				all[i].column = c
			}
		}
	}
	return all
}

// blank reports whether a line is left out of a panel: it is said to be as observed, and which
// share of this group is observed is not known.
func (q quantity) blank() bool {
	return q.column == nil && slices.ContainsFunc(q.panels, func(c *Column) bool { return c.observed != nil })
}

// observedNote is the note about lines that are multiplied by the probability of being observed, and
// about those of surveys.
func (v View) observedNote(all []quantity) (note string) {
	if slices.ContainsFunc(all, func(q quantity) bool { return strings.Contains(q.name, asObserved) }) {
		note = "; what is observed of them, without errors of observation"
	}
	if slices.ContainsFunc(all, func(q quantity) bool { return q.kind == survey }) {
		note += "; share positive: the mean chance of those whom a survey could ask, without the scatter of tests"
	}
	return note
}

// Undrawn says which columns of the data are not drawn in a view that can be drawn, and why.
func (v View) Undrawn(m *population.Model) []string {
	if v.Data == nil {
		return nil
	}
	all, err := v.quantities(m)
	if err != nil {
		return nil
	}
	return v.undrawn(m, all)
}

// undrawn says which columns are not drawn among all that is shown.
func (v View) undrawn(m *population.Model, all []quantity) (why []string) {
	for i := range v.Data.Columns {
		c := &v.Data.Columns[i]
		problem := v.problem(m, c)
		if problem == "" && !slices.ContainsFunc(all, func(q quantity) bool {
			return q.column == c || slices.Contains(q.panels, c)
		}) {
			problem = c.notShown()
		}
		if problem != "" {
			why = append(why, problem)
		}
	}
	return why
}

func (c *Column) notShown() string {
	name := strings.ReplaceAll(c.of.name, " → ", "->")
	if name == c.Name {
		return name + " is not shown"
	}
	return fmt.Sprintf("%s is of %s, which is not shown", c.Name, name)
}

// nothing is the mistake that no column can be drawn.
func (d *Data) nothing(why []string) error {
	text := d.Name + ": nothing of it can be drawn: " + strings.Join(why, "; ")
	if !slices.ContainsFunc(d.Columns, func(c Column) bool { return !slices.Contains(why, c.notShown()) }) {
		text += "; name one of them with --show"
	}
	return &Mistake{"data", text}
}

// of returns the columns with observations of a quantity. What happened since the start is found by
// what happens.
func (d *Data) of(q quantity) (all []*Column) {
	if d == nil {
		return nil
	}
	since := map[kind]kind{cumulative: flow, happened: named}
	for i := range d.Columns {
		c := &d.Columns[i]
		if c.of.index == q.index && (c.of.kind == q.kind || since[c.of.kind] == q.kind && q.interval()) {
			all = append(all, c)
		}
	}
	return all
}

// counted reports whether a column is counted since the row before.
func (d *Data) counted() bool {
	return d != nil && slices.ContainsFunc(d.Columns, func(c Column) bool { return c.of.interval() })
}
