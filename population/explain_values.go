package population

import "strings"

// mostGroups is how many groups a value is told for.
const mostGroups = 12

// perUnit is a rate in words, by the name of its parameter if it has one.
func (e *explainer) perUnit(v value) string {
	return e.called(v, e.forEach(v, func(here scope) string {
		return e.changing(here, v, func(x float64) string { return e.figure(x, ofRate) })
	}))
}

// probability is one in words, by the name of its parameter if it has one.
func (e *explainer) probability(v value) string {
	return e.called(v, e.forEach(v, func(here scope) string { return e.changing(here, v, percent) }))
}

// duration is a distribution in words, by the name of its parameter if it has one.
func (e *explainer) duration(v value) string { return e.called(v, e.durationOnly(v)) }

// durationOnly is the same without the name.
func (e *explainer) durationOnly(v value) string {
	return e.forEach(v, func(here scope) string {
		l, _ := here.law(v, "")
		return l.words(e.m.unit)
	})
}

// forEach puts a value into words, for each of the groups that it differs in.
func (e *explainer) forEach(v value, words func(here scope) string) string {
	d := e.here.depends(v)
	if !d.cells() {
		return words(e.here)
	}
	// The attributes of the individual and then of the one who is met, of which the last changes fastest.
	cell, theirs := make([]uint16, len(e.m.attributes)), make([]uint16, len(e.m.attributes))
	type digit struct {
		cell []uint16
		attribute
		at  int
		met bool
	}
	var digits []digit
	groups := 1
	add := func(attributes []int, cell []uint16, met bool) {
		for _, a := range attributes {
			digits = append(digits, digit{cell, e.m.attributes[a], a, met})
			groups = min(groups*len(e.m.attributes[a].values), 1<<30)
		}
	}
	add(d.own, cell, false)
	add(d.met, theirs, true)
	var all []string
	for range min(groups, mostGroups) {
		var group []string
		for _, d := range digits {
			name := d.name + " " + d.values[d.cell[d.at]]
			if d.met {
				name += " of the one who is met"
			}
			group = append(group, name)
		}
		all = append(all, words(e.here.in(cell).met(theirs))+" for "+strings.Join(group, " and "))
		for i := len(digits) - 1; i >= 0; i-- {
			d := &digits[i]
			if d.cell[d.at]++; int(d.cell[d.at]) < len(d.values) {
				break
			}
			d.cell[d.at] = 0
		}
	}
	between := ", "
	if strings.Contains(strings.Join(all, ""), ",") {
		between = "; "
	}
	text := strings.Join(all, between)
	if groups > mostGroups {
		text += ", and so on for " + plural(groups-mostGroups, "more group")
	}
	return text
}
