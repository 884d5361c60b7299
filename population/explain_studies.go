package population

import (
	"slices"
	"strings"

	"github.com/almanac-sim/almanac/internal/format"
)

// recorded says by which groups there are records, and of what.
func (e *explainer) recorded() string {
	var by []string
	for _, g := range e.p.groupings {
		names := e.p.groups[g.first].Attributes
		by = append(by, strings.Join(names, " and ")+" ("+format.Plural(g.groups, "group")+")")
	}
	words := ""
	if len(by) > 0 {
		words = ", by " + strings.Join(by, ", by ")
	}
	if e.f.record.incidence {
		words += ", with counts in each interval"
	}
	return words
}

// scenarios lists them, with what each changes.
func (e *explainer) scenarios() {
	e.section("Scenarios (--scenario NAME runs one)", len(e.f.scenarios))
	for _, s := range e.f.scenarios {
		var changes []string
		for _, v := range s.set {
			words := oneLine(v.node)
			if slices.Contains(e.f.parameterNames(), v.label.name) {
				words = e.words(v.value)
			}
			changes = append(changes, v.label.name+" is "+words)
		}
		if len(changes) == 0 {
			changes = []string{"everything as it is"}
		}
		e.line("  %s: %s", s.label.name, strings.Join(changes, ", "))
	}
}

// fit says what is to be fitted to what.
func (e *explainer) fit() {
	f := readFit(e.m, &problemList{}, fitAsked{})
	if f == nil {
		return
	}
	e.section("To be fitted to "+f.data.name, 1)
	for _, u := range f.unknown {
		e.line("  %s is unknown: %s", u.label.name, oneLine(u.node))
	}
	for i := range f.match {
		m := &f.match[i]
		what := map[string]string{"state": "how many are " + m.of.name, "flow": m.of.name + " since the start", "incidence": m.of.name + " in each interval"}[m.kind]
		if m.observed.given() {
			what += ", of which " + e.probability(m.observed) + " are seen"
		}
		e.line("  column %s: %s, with an error that is %s", m.column.name, what, m.error.words(e))
	}
}
