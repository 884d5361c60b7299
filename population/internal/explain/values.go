package explain

import (
	"slices"
	"strings"

	"github.com/almanac-sim/almanac/internal/format"
	"github.com/almanac-sim/almanac/population/internal/compile"
	"github.com/almanac-sim/almanac/population/internal/program"
	"github.com/almanac-sim/almanac/population/internal/syntax"
)

// rate is a rate in words, by the name of its parameter if it has one.
func (e *explainer) rate(v syntax.Value) string {
	return e.withName(v, e.byGroup(v, func(here compile.Scope) string {
		return e.withEntryName(here, v, e.varying(here, v, func(x float64) string { return e.number(x, syntax.OfRate) }))
	}))
}

// probability is one in words, by the name of its parameter if it has one.
func (e *explainer) probability(v syntax.Value) string {
	return e.withName(v, e.byGroup(v, func(here compile.Scope) string { return e.withEntryName(here, v, e.varying(here, v, format.Percent)) }))
}

// duration is a distribution in words, by the name of its parameter if it has one.
func (e *explainer) duration(v syntax.Value) string { return e.withName(v, e.unnamedDuration(v)) }

// unnamedDuration is the same without the name.
func (e *explainer) unnamedDuration(v syntax.Value) string {
	return e.byGroup(v, func(here compile.Scope) string {
		l, _ := here.Law(v, "")
		return e.withEntryName(here, v, l.Words(e.f.Unit))
	})
}

// value is a value as it is, in the unit of the model.
func (e *explainer) value(v syntax.Value) string {
	return e.byGroup(v, func(here compile.Scope) string {
		got, _, ok := here.Stands(v, "")
		switch {
		case !ok:
			return v.Text
		case got.Distribution != nil:
			l, _ := here.Law(v, "")
			return l.Words(e.f.Unit)
		case got.Plain() && (got.Quantity.Kind == syntax.KindNumber || got.Quantity.Kind == syntax.KindShare || got.Quantity.Kind == syntax.KindDate):
			return got.Text
		}
		d := syntax.OfRate
		if got.CountDependent == nil {
			m, _ := here.Part(got, "")
			d = m.Dimension
		}
		return e.varying(here, got, func(x float64) string { return e.number(x, d) })
	})
}

// withName adds the parameter's name to what it stands for, or the expression by which it was worked out.
func (e *explainer) withName(v syntax.Value, words string) string {
	switch {
	case v.Name != "":
		return words + " (" + v.Name + ")"
	case v.Expr != nil && !e.here.Depends(v).Time:
		return words + " (" + v.Text + ")"
	}
	return words
}

// withEntryName adds the name or the expression that stands in a table, to what it is for the individual of a scope.
func (e *explainer) withEntryName(here compile.Scope, v syntax.Value, words string) string {
	if v.Table == nil {
		return words
	}
	for v.Table != nil {
		in, ok := here.Entry(v, "")
		if !ok {
			return words
		}
		v = in
	}
	return e.withName(v, words)
}

// maxGroups is how many groups a value is told for.
const maxGroups = 12

// byGroup puts a value into words, for each of the groups that it differs in.
func (e *explainer) byGroup(v syntax.Value, words func(here compile.Scope) string) string {
	d := e.here.Depends(v)
	if !d.Cells() {
		return words(e.here)
	}
	// The attributes of the individual and then of the one who is met, of which the last changes fastest.
	cells := [2][]uint16{make([]uint16, len(e.p.Attributes)), make([]uint16, len(e.p.Attributes))}
	type digit struct {
		*program.Attribute
		at *uint16
	}
	var digits []digit
	count := 1
	for whose, attributes := range [2][]int{d.Own, d.Met} {
		for _, a := range attributes {
			digits = append(digits, digit{&e.p.Attributes[a], &cells[whose][a]})
			count = min(count*len(e.p.Attributes[a].Values), 1<<30)
		}
	}
	var groups []groupValue
	for range min(count, maxGroups) {
		g := groupValue{what: words(e.here.In(cells[0]).Met(cells[1]))}
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
	var said []string
	for _, g := range groups {
		var own, theirs []string
		for i, a := range digits {
			switch {
			case g.values[i] == nil:
			case i < len(d.Own):
				own = append(own, a.Name+" "+strings.Join(g.values[i], " or "))
			default:
				theirs = append(theirs, a.Name+" "+strings.Join(g.values[i], " or "))
			}
		}
		who := strings.Join(own, " and ")
		switch met := strings.Join(theirs, " and "); {
		case who == "" && met == "" && len(digits) == 1:
			who = "every " + digits[0].Name
		case who == "" && met == "":
			who = "everybody"
		case len(d.Own) == 0:
			who = met
		case who == "":
			who = "whoever is meeting " + met
		case met != "":
			who += " meeting " + met
		}
		said = append(said, g.what+" for "+who)
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

// A groupValue is what is said of a group: of each of some attributes one value, several, or none if it does not matter.
type groupValue struct {
	what   string
	values [][]string
}

// mergeGroups makes one of groups that differ in one attribute alone, of so many values, and of which the same is said.
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
