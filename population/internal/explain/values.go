package explain

import (
	"slices"
	"strings"

	"github.com/almanac-sim/almanac/internal/format"
	"github.com/almanac-sim/almanac/population/internal/eval"
	"github.com/almanac-sim/almanac/population/internal/program"
	"github.com/almanac-sim/almanac/population/internal/quantity"
	"github.com/almanac-sim/almanac/population/internal/syntax"
)

// rate returns a rate in words, with the name of its parameter if it has one.
func (e *explainer) rate(v syntax.Value) string {
	show := func(x float64) string { return e.number(x, quantity.RateDimension) }
	return e.withName(v, e.byGroup(v, func(here eval.Scope) string {
		return e.withEntryName(here, v, e.varying(here, v, show)+e.candidates(here, v))
	}))
}

// probability returns a probability in words, with the name of its parameter if it has one.
func (e *explainer) probability(v syntax.Value) string { return e.varyingByGroup(v, format.Percent) }

// varyingByGroup returns a value that may vary in words, with the name of its parameter if it has
// one.
func (e *explainer) varyingByGroup(v syntax.Value, show func(x float64) string) string {
	return e.withName(v, e.byGroup(v, func(here eval.Scope) string {
		return e.withEntryName(here, v, e.varying(here, v, show))
	}))
}

// duration returns a distribution in words, with the name of its parameter if it has one.
func (e *explainer) duration(v syntax.Value) string { return e.withName(v, e.unnamedDuration(v)) }

// unnamedDuration returns a distribution in words, without a name.
func (e *explainer) unnamedDuration(v syntax.Value) string {
	return e.byGroup(v, func(here eval.Scope) string {
		if here.Dependence(v).Number {
			return e.exponentialOfNumber(here, v)
		}
		l, _ := here.Law(v, "")
		return e.withEntryName(here, v, l.Describe(e.file.Unit))
	})
}

// value returns any value in words, in the time unit of the model.
func (e *explainer) value(v syntax.Value) string {
	return e.byGroup(v, func(here eval.Scope) string {
		got, _, ok := here.Dereference(v, "")
		kind := got.Quantity.Kind
		switch {
		case !ok:
			return v.Text
		case got.Distribution != nil && got.Distribution.IsWhole():
			return e.whole(here, got)
		case got.Distribution != nil && here.Dependence(got).Number:
			return e.exponentialOfNumber(here, v)
		case got.Distribution != nil:
			l, _ := here.Law(v, "")
			return l.Describe(e.file.Unit)
		case got.IsQuantity() && (kind == quantity.Number || kind == quantity.Share || kind == quantity.Date):
			return got.Text
		}
		d := quantity.RateDimension
		if got.CountDependent == nil {
			m, _ := here.Term(got, "")
			d = m.Dimension
		}
		return e.varying(here, got, func(x float64) string { return e.number(x, d) })
	})
}

// asWritten returns a duration as the file has it, or what a parameter or an expression stands for.
func (e *explainer) asWritten(v syntax.Value) string {
	if v.IsQuantity() {
		return v.Text
	}
	return e.withName(v, e.value(v))
}

// withName adds the name of the parameter, or the expression that a value was worked out from.
func (e *explainer) withName(v syntax.Value, words string) string {
	switch {
	case v.Name != "":
		return words + " (" + v.Name + ")"
	case v.Expr != nil && !e.here.Dependence(v).Time:
		return words + " (" + v.Text + ")"
	}
	return words
}

// withEntryName adds the name or the expression that a table has for the individual of a scope.
func (e *explainer) withEntryName(here eval.Scope, v syntax.Value, words string) string {
	if v.Table == nil {
		return words
	}
	for v.Table != nil {
		in, ok := here.TableEntry(v, "")
		if !ok {
			return words
		}
		v = in
	}
	return e.withName(v, words)
}

// maxGroups limits how many groups a value is listed for.
const maxGroups = 12

// byGroup returns a value in words for each group of individuals in which it differs.
func (e *explainer) byGroup(v syntax.Value, words func(here eval.Scope) string) string {
	d := e.here.Dependence(v)
	if !d.Cells() {
		if d.SinceMet {
			return words(e.here.MeetingAnybody())
		}
		return words(e.here)
	}
	// The digits of a counter: the attributes of the individual, then of the individual met. The
	// last is the least significant.
	cells := [2][]uint16{make([]uint16, len(e.program.Attributes)), make([]uint16, len(e.program.Attributes))}
	type digit struct {
		*program.Attribute
		at *uint16
	}
	var digits []digit
	count := 1
	for whose, attributes := range [2][]int{d.Own, d.Met} {
		for _, a := range attributes {
			digits = append(digits, digit{&e.program.Attributes[a], &cells[whose][a]})
			count = min(count*len(e.program.Attributes[a].Values), 1<<30)
		}
	}
	var groups []groupValue
	for range min(count, maxGroups) {
		g := groupValue{what: words(e.here.ForCell(cells[0]).Meeting(cells[1]))}
		for _, d := range digits {
			g.values = append(g.values, []string{d.Values[*d.at]})
		}
		groups = append(groups, g)
		for _, d := range slices.Backward(digits) {
			if *d.at++; int(*d.at) < len(d.Values) {
				break
			}
			*d.at = 0
		}
	}
	if count <= maxGroups {
		for i, d := range slices.Backward(digits) {
			groups = mergeGroups(groups, i, len(d.Values))
		}
	}
	var attributes, said []string
	for _, d := range digits {
		attributes = append(attributes, d.Name)
	}
	for _, g := range groups {
		said = append(said, g.what+" for "+g.name(attributes, len(d.Own)))
	}
	between := ", "
	if strings.Contains(strings.Join(said, ""), ",") {
		between = "; "
	}
	text := strings.Join(said, between)
	if count > maxGroups {
		text += ", and so on for " + format.Plural(count-maxGroups, "more group")
	}
	if len(d.Own) == 0 {
		text += ", of the one who is met"
	}
	return text
}

// A groupValue is the value in words of a group. A group has one or several values of each
// attribute, or nil if all have the same.
type groupValue struct {
	what   string
	values [][]string
}

// name names a group by its values of the attributes, of which the first are the individual's own
// and the others those of the individual met.
func (g *groupValue) name(attributes []string, own int) string {
	var ours, theirs []string
	for i, a := range attributes {
		switch {
		case g.values[i] == nil:
		case i < own:
			ours = append(ours, a+" "+strings.Join(g.values[i], " or "))
		default:
			theirs = append(theirs, a+" "+strings.Join(g.values[i], " or "))
		}
	}
	who, met := strings.Join(ours, " and "), strings.Join(theirs, " and ")
	switch {
	case who == "" && met == "" && len(attributes) == 1:
		return "every " + attributes[0]
	case who == "" && met == "":
		return "everybody"
	case own == 0:
		return met
	case who == "":
		return "whoever is meeting " + met
	case met != "":
		return who + " meeting " + met
	}
	return who
}

// mergeGroups merges groups that differ only in one attribute and have the same value in words. The
// attribute has the given number of values.
func mergeGroups(groups []groupValue, attribute, values int) []groupValue {
	var merged []groupValue
	for _, g := range groups {
		i := slices.IndexFunc(merged, func(m groupValue) bool {
			return m.what == g.what && slices.EqualFunc(m.values[:attribute], g.values[:attribute], slices.Equal) &&
				slices.EqualFunc(m.values[attribute+1:], g.values[attribute+1:], slices.Equal)
		})
		if i < 0 {
			merged = append(merged, g)
			continue
		}
		merged[i].values[attribute] = append(merged[i].values[attribute], g.values[attribute]...)
	}
	for i := range merged {
		if len(merged[i].values[attribute]) == values {
			merged[i].values[attribute] = nil
		}
	}
	return merged
}
