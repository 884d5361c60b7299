package eval

import (
	"slices"

	"github.com/almanac-sim/almanac/population/internal/diag"
	"github.com/almanac-sim/almanac/population/internal/program"
	"github.com/almanac-sim/almanac/population/internal/quantity"
	"github.com/almanac-sim/almanac/population/internal/syntax"
)

// Unset stands in a cell for an attribute whose value is not known.
const Unset = ^uint16(0)

// A tableIndex is a table with its names looked up.
type tableIndex struct {
	attribute int
	entries   []int // number of the table's entry, for each value of the attribute
	bad       bool  // something is wrong with it, and has been reported
}

// indexOf looks up the names of a table, once for the whole compilation.
func (s Scope) indexOf(t *syntax.Table, what string) *tableIndex {
	if x, ok := s.indexes[t]; ok {
		return x
	}
	x := &tableIndex{attribute: s.Attributes.Index(t.By.Name)}
	s.indexes[t] = x
	if x.attribute < 0 && slices.ContainsFunc(s.Numbers, func(n program.Number) bool { return n.Name == t.By.Name }) {
		s.Add(t.By.At, "%s: by: %s: a number has no values to tell apart; write a table of groups beside it", what, t.By.Name)
		x.bad = true
		return x
	}
	if x.attribute < 0 {
		names := func() []string { return append(s.Attributes.Names(), syntax.StateName) }
		s.Add(t.By.At, "%s: by: %s", what, diag.Unknown("attribute", t.By.Name, names))
		x.bad = true
		return x
	}
	values := s.Attributes[x.attribute].Values
	number := make(map[string]int, len(values))
	x.entries = make([]int, len(values))
	for i, name := range values {
		number[name], x.entries[i] = i, -1
	}
	other := -1
	for k := range t.Entries {
		e := &t.Entries[k]
		i, ok := number[e.Of.Name]
		switch {
		case ok:
			x.entries[i] = k
		case !e.Other:
			s.Add(e.Of.At, "%s: %s", what,
				diag.Unknown("value of "+t.By.Name, e.Of.Name, func() []string { return values }))
			x.bad = true
		}
		if e.Other {
			other = k
		}
	}
	var without []string
	for i, k := range x.entries {
		if k < 0 {
			x.entries[i] = other
			without = append(without, values[i])
		}
	}
	if t.File != "" && len(without) > 0 && !x.bad {
		s.Add(t.Entries[0].Of.At, "there is no row for %s %s; expected one for each value", t.By.Name,
			diag.ListNames(without))
		x.bad = true
	}
	if other < 0 && len(without) > 0 && !x.bad {
		s.Add(t.By.At,
			"%s: there is nothing for %s %s; write %s: and what holds for it, or other: for all that are not named",
			what, t.By.Name, diag.ListNames(without), diag.Shorten(without[0]))
		x.bad = true
	}
	if !x.bad {
		x.bad = s.mixesKinds(t, what)
	}
	return x
}

// mixesKinds reports whether a table has values of different kinds, and adds a problem if so.
// Expressions are checked where the table is used.
func (s Scope) mixesKinds(t *syntax.Table, what string) bool {
	first := -1
	kindOf := func(v syntax.Value) quantity.Kind {
		v, _, _ = s.follow(v, what)
		switch {
		case v.Distribution != nil && v.Distribution.IsWhole():
			return quantity.Number
		case v.Distribution != nil:
			return quantity.Duration // a duration may stand for a distribution
		case !v.IsQuantity():
			return quantity.Any
		case v.Quantity.Kind == quantity.Share:
			return quantity.Number
		}
		return v.Quantity.Kind
	}
	for i := range t.Entries {
		k := kindOf(t.Entries[i].Value)
		if k == quantity.Any {
			continue
		}
		if first < 0 {
			first = i
		}
		if a, b := t.Entries[first], t.Entries[i]; k != kindOf(a.Value) {
			s.ReportTogether(b.Value.At, []syntax.Value{a.Value, b.Value},
				"%s: %s is %s, and %s is %s; expected the same kind of value for all", what,
				diag.Shorten(a.Of.Name), s.Describe(a.Value), diag.Shorten(b.Of.Name), s.Describe(b.Value))
			return true
		}
	}
	return false
}

// TableEntry returns the entry of a table for the individual of the scope.
func (s Scope) TableEntry(v syntax.Value, what string) (syntax.Value, bool) {
	t := v.Table
	cell := s.Own
	if t.Met {
		cell = s.met
	}
	if cell == nil {
		s.reportNoIndividual(v, what)
		return syntax.Value{}, false
	}
	x := s.indexOf(t, what)
	if x.bad {
		return syntax.Value{}, false
	}
	i := cell[x.attribute]
	if i == Unset {
		s.reportNoIndividual(v, what)
		return syntax.Value{}, false
	}
	e := &t.Entries[x.entries[i]]
	found := e.Value
	found.Cell = v.Cell + " for " + t.Describe() + " " + s.Attributes[x.attribute].Values[i]
	return found, true
}

// reportNoIndividual reports that a table is used where there is no individual to read it for.
func (s Scope) reportNoIndividual(v syntax.Value, what string) {
	if s.Attributes != nil && s.indexOf(v.Table, what).bad {
		return // another problem of it has been reported
	}
	if v.Table.Met {
		s.Report(v, v.At,
			"%s: a table of: met is read for the one who is met; only the chance of a transmission can be", what)
		return
	}
	s.Report(v, v.At,
		"%s: a table by %s is read for an individual, and there is none here; expected one value for all", what,
		diag.Shorten(v.Table.By.Name))
}
