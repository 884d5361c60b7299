package outputs

import (
	"fmt"
	"math"
	"slices"
	"strings"

	"github.com/almanac-sim/almanac/internal/suggest"
	"github.com/almanac-sim/almanac/population"
)

// names finds what the names of a model count.
type names struct {
	m *population.Model
	// missing collects combinations of attributes by which the model does not count; if it is nil,
	// they are an error.
	missing *[][]string
}

// A quantity is what can be counted in a run, or in a group.
type quantity struct {
	name    string
	outcome bool                                           // accrues to all who ever lived
	nobody  bool                                           // happens to no individual, and is not counted in groups
	value   bool                                           // of record: values, which is no number of individuals
	events  bool                                           // counted or accrued since the start; otherwise present
	of      func(run *population.Run, row int) float64     // in a run, or in one of its groups
	peak    func(run *population.Run) (most, when float64) // of everybody at any time; nil if only rows are known
	groups  []int                                          // to add up, in the order of Model.Groups
	times   []float64                                      // of the rows
	some    bool                                           // only those groups, not everybody
}

// A counter counts a quantity in one run.
type counter struct {
	*quantity
	parts []*population.Run // to add up
	rows  int
}

func (q *quantity) in(run *population.Run) counter {
	c := counter{q, []*population.Run{run}, run.Rows()}
	if q.some {
		c.parts = nil
		for _, g := range q.groups {
			c.parts = append(c.parts, run.In(g))
		}
	}
	return c
}

// count is the number at a row; of events, since the start.
func (c counter) count(row int) (sum float64) {
	for _, run := range c.parts {
		sum += c.of(run, row)
	}
	return sum
}

// level is the number at a row; of events, since the row before.
func (c counter) level(row int) float64 {
	if c.events && row > 0 {
		return c.count(row) - c.count(row-1)
	}
	return c.count(row)
}

// living is the number of the living at a row.
func (c counter) living(row int) (sum float64) {
	for _, run := range c.parts {
		sum += float64(run.Total(row))
	}
	return sum
}

// population is the number of the living of whom a level is a part: at the row, or, of events, at
// the row before.
func (c counter) population(row int) float64 {
	if c.events {
		row = max(row-1, 0)
	}
	return c.living(row)
}

// find finds what a text counts: a state, a flow, a name, an outcome, what is observed, a value or
// total, and behind commas the group.
func (n *names) find(text string) (*quantity, error) {
	text = strings.TrimSpace(text)
	name := text
	var group []string // attribute=value
	for {
		q, err := n.everybody(name)
		if err == nil {
			q.times = n.m.Times()
			return q, n.narrow(q, group)
		}
		before, last, ok := cutLast(name, ",")
		if !ok && isGroup(name) { // region=north: all who live there
			before, last, ok = "total", name, true
		}
		switch {
		case !ok:
			return nil, err
		case !isGroup(last):
			return nil, n.noGroup(err, before, last)
		}
		name, group = strings.TrimSpace(before), append([]string{last}, group...)
	}
}

// cutLast cuts a text at the last separator.
func cutLast(text, separator string) (before, after string, ok bool) {
	if k := strings.LastIndex(text, separator); k >= 0 {
		return text[:k], strings.TrimSpace(text[k+len(separator):]), true
	}
	return text, "", false
}

// isGroup reports whether a text looks like attribute=value.
func isGroup(text string) bool {
	attribute, _, ok := strings.Cut(text, "=")
	return ok && strings.TrimSpace(attribute) != ""
}

// noGroup is the error for what stands behind a comma and names no group.
func (n *names) noGroup(err error, before, last string) error {
	before, _ = cutGroup(before)
	if _, wrong := n.everybody(before); wrong != nil {
		return err
	}
	example := "region=north"
	for _, g := range n.m.Groups() {
		if len(g.Values) == 1 && (g.Values[0] == last || example == "region=north") {
			example = g.Attributes[0] + "=" + g.Values[0]
		}
	}
	return fmt.Errorf("%q behind the comma; a group is written ATTRIBUTE=VALUE, as in %s, %s", last,
		strings.TrimSpace(before), example)
}

// narrow restricts a quantity to a group.
func (n *names) narrow(q *quantity, group []string) error {
	if len(group) == 0 {
		return nil
	}
	if q.value {
		return fmt.Errorf("%s is a value of the whole population; leave out %s", q.name, strings.Join(group, ", "))
	}
	if q.nobody {
		return fmt.Errorf("%s only sets parameters, which happens to no individual, so no group has any; leave out %s",
			q.name, strings.Join(group, ", "))
	}
	var attributes, values []string
	for _, text := range group {
		attribute, value, _ := strings.Cut(text, "=")
		attribute, value = unquote(attribute), unquote(value)
		known := n.m.Attributes()
		switch {
		case len(known) == 0:
			return fmt.Errorf("%s: the model has no attributes, so there are no groups", text)
		case !slices.Contains(known, attribute):
			return fmt.Errorf("there is no attribute %q; %s", attribute, instead(attribute, known))
		case slices.Contains(attributes, attribute):
			return fmt.Errorf("%s stands there twice; an individual has one %s", attribute, attribute)
		}
		attributes, values = append(attributes, attribute), append(values, value)
	}
	all := n.m.Groups()
	by := n.recorded(all, attributes)
	if by == nil {
		if n.missing == nil {
			return fmt.Errorf("nothing is recorded by %s; write record: {by: %s} in the model",
				strings.Join(attributes, " and "), bracketed(attributes))
		}
		if !slices.ContainsFunc(*n.missing, func(other []string) bool { return sameSet(other, attributes) }) {
			*n.missing = append(*n.missing, attributes)
		}
		return nil
	}
	chosen := make([][]string, len(attributes)) // the values of each attribute
	for i, attribute := range attributes {
		k, known := slices.Index(by, attribute), []string(nil)
		for _, g := range all {
			if slices.Equal(g.Attributes, by) && !slices.Contains(known, g.Values[k]) {
				known = append(known, g.Values[k])
			}
		}
		if chosen[i] = []string{values[i]}; slices.Contains(known, values[i]) {
			continue
		}
		chosen[i] = nil
		for value := range strings.SplitSeq(values[i], "|") { // one of several
			if value = unquote(value); !slices.Contains(known, value) {
				return fmt.Errorf("%s has no value %q; %s", attribute, value, instead(value, known))
			}
			chosen[i] = append(chosen[i], value)
		}
	}
	q.some, q.peak = true, nil
	for g, of := range all {
		if !slices.Equal(of.Attributes, by) {
			continue
		}
		if !slices.ContainsFunc(attributes, func(attribute string) bool {
			return !slices.Contains(chosen[slices.Index(attributes, attribute)], of.Values[slices.Index(by, attribute)])
		}) {
			q.groups = append(q.groups, g)
		}
	}
	return nil
}

// recorded returns the attributes of a grouping that tells the attributes apart: the one with the
// fewest. It returns nil if there is none.
func (n *names) recorded(all []population.Group, attributes []string) (by []string) {
	for _, g := range all {
		if by != nil && len(g.Attributes) >= len(by) {
			continue
		}
		if !slices.ContainsFunc(attributes, func(a string) bool { return !slices.Contains(g.Attributes, a) }) {
			by = g.Attributes
		}
	}
	return by
}

// bracketed writes attributes as record: by has them: [region], or [[region, age]].
func bracketed(attributes []string) string {
	text := "[" + strings.Join(attributes, ", ") + "]"
	if len(attributes) > 1 {
		text = "[" + text + "]"
	}
	return text
}

func sameSet(a, b []string) bool {
	return slices.Equal(slices.Sorted(slices.Values(a)), slices.Sorted(slices.Values(b)))
}

// unquote removes spaces and quotes around a name.
func unquote(name string) string {
	name = strings.TrimSpace(name)
	if q := strings.Trim(name, `"`); len(q) == len(name)-2 {
		return q
	}
	return name
}

// everybody finds what a name counts.
func (n *names) everybody(name string) (*quantity, error) {
	name = unquote(name)
	var known []string
	if name == "total" {
		return &quantity{name: name,
			of: func(run *population.Run, row int) float64 { return float64(run.Total(row)) }}, nil
	}
	for i, state := range n.m.Counted() {
		if known = append(known, state); state == name {
			return &quantity{
				name: name,
				of:   func(run *population.Run, row int) float64 { return float64(run.Count(row, i)) },
				peak: func(run *population.Run) (float64, float64) {
					if run.Peaks[i].Count == 0 {
						return 0, math.NaN()
					}
					return float64(run.Peaks[i].Count), run.Peaks[i].Time
				},
			}, nil
		}
	}
	bare := strings.ReplaceAll(strings.ReplaceAll(name, " -> ", "->"), " → ", "->")
	for i, flow := range n.m.Flows() {
		if known = append(known, flow.String()); flow.String() == bare {
			return &quantity{name: name, events: true,
				of: func(run *population.Run, row int) float64 { return float64(run.Flow(row, i)) }}, nil
		}
	}
	for i, other := range n.m.Names() {
		if known = append(known, other); other == name || "["+other+"]" == name {
			return &quantity{name: name, events: true, nobody: !n.m.CountedByGroup(i),
				of: func(run *population.Run, row int) float64 { return float64(run.Named(row, i)) }}, nil
		}
	}
	for i, outcome := range n.m.Outcomes() {
		if known = append(known, outcome); outcome == name {
			return &quantity{name: name, events: true, outcome: true,
				of: func(run *population.Run, row int) float64 { return run.Outcome(row, i) }}, nil
		}
	}
	for i, observation := range n.m.Observations() {
		if known = append(known, observation); observation == name {
			return &quantity{name: name, events: true,
				of: func(run *population.Run, row int) float64 { return float64(run.Seen(row, i)) }}, nil
		}
	}
	for i, value := range n.m.Values() {
		if known = append(known, value); value == name {
			return &quantity{name: name, value: true,
				of: func(run *population.Run, row int) float64 { return run.Value(row, i) }}, nil
		}
	}
	return nil, fmt.Errorf("there is no %q; %s", name, instead(name, append(known, "total")))
}

// instead says what there is in place of an unknown name.
func instead(name string, known []string) string {
	if near := suggest.Name(name, known); near != "" {
		return fmt.Sprintf("did you mean %q?", near)
	}
	return "there are " + few(known)
}
