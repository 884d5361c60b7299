package population

import (
	"slices"
	"strings"
)

// mostGroups is how many groups a value is told for.
const mostGroups = 12

// perUnit is a rate in words, by the name of its parameter if it has one.
func (e *explainer) perUnit(v value) string {
	return e.called(v, e.forEach(v, func(here scope) string {
		return e.entry(here, v, e.changing(here, v, func(x float64) string { return e.figure(x, ofRate) }))
	}))
}

// probability is one in words, by the name of its parameter if it has one.
func (e *explainer) probability(v value) string {
	return e.called(v, e.forEach(v, func(here scope) string { return e.entry(here, v, e.changing(here, v, percent)) }))
}

// duration is a distribution in words, by the name of its parameter if it has one.
func (e *explainer) duration(v value) string { return e.called(v, e.durationOnly(v)) }

// durationOnly is the same without the name.
func (e *explainer) durationOnly(v value) string {
	return e.forEach(v, func(here scope) string {
		l, _ := here.law(v, "")
		return e.entry(here, v, l.words(e.m.unit))
	})
}

// entry adds the name or the expression that stands in a table, to what it is for the individual of a scope.
func (e *explainer) entry(here scope, v value, words string) string {
	if v.table == nil {
		return words
	}
	for v.table != nil {
		in, ok := here.entry(v, "")
		if !ok {
			return words
		}
		v = in
	}
	return e.called(v, words)
}

// A groupWords is a group of individuals that a value is told for: its attributes and their values.
type groupWords struct{ attributes, values []string }

func (g groupWords) String() string {
	var all []string
	for i := range g.attributes {
		all = append(all, g.attributes[i]+" "+g.values[i])
	}
	return strings.Join(all, " and ")
}

// forEach puts a value into words, for each of the groups that it differs in.
func (e *explainer) forEach(v value, words func(here scope) string) string {
	d := e.here.depends(v)
	if !d.cells() {
		return words(e.here)
	}
	// The attributes of the individual and then of the one who is met, of which the last changes fastest.
	cells := [2][]uint16{make([]uint16, len(e.m.attributes)), make([]uint16, len(e.m.attributes))}
	type digit struct{ whose, attribute int }
	var digits []digit
	groups := 1
	for whose, attributes := range [2][]int{d.own, d.met} {
		for _, a := range attributes {
			digits = append(digits, digit{whose, a})
			groups = min(groups*len(e.m.attributes[a].values), 1<<30)
		}
	}
	var said, of []string // what is said, and of whom
	for range min(groups, mostGroups) {
		var who [2]groupWords
		for _, d := range digits {
			a, g := &e.m.attributes[d.attribute], &who[d.whose]
			g.attributes, g.values = append(g.attributes, a.name), append(g.values, a.values[cells[d.whose][d.attribute]])
		}
		what, whom := words(e.here.in(cells[0]).met(cells[1])), who[0].String()
		switch {
		case len(d.own) == 0:
			whom = who[1].String()
		case len(d.met) > 0:
			whom += " meeting " + who[1].String()
		}
		if i := slices.Index(said, what); i >= 0 && len(digits) == 1 {
			of[i] += " or " + who[digits[0].whose].values[0]
		} else {
			said, of = append(said, what), append(of, whom)
		}
		for i := len(digits) - 1; i >= 0; i-- {
			d := digits[i]
			at := &cells[d.whose][d.attribute]
			if *at++; int(*at) < len(e.m.attributes[d.attribute].values) {
				break
			}
			*at = 0
		}
	}
	if len(said) == 1 && len(digits) == 1 && groups <= mostGroups {
		of[0] = "every " + e.m.attributes[digits[0].attribute].name
	}
	for i := range said {
		said[i] += " for " + of[i]
	}
	between := ", "
	if strings.Contains(strings.Join(said, ""), ",") {
		between = "; "
	}
	text := strings.Join(said, between)
	if groups > mostGroups {
		text += ", and so on for " + plural(groups-mostGroups, "more group")
	}
	if len(d.own) == 0 {
		text += ", of the one who is met"
	}
	return text
}
