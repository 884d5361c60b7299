package explain

import (
	"slices"
	"strings"

	"github.com/almanac-sim/almanac/internal/format"
	"github.com/almanac-sim/almanac/population/internal/diag"
	"github.com/almanac-sim/almanac/population/internal/fitting"
	"github.com/almanac-sim/almanac/population/internal/syntax"
)

// recorded says by which groups there are records, and of what.
func (e *explainer) recorded() string {
	var by []string
	for _, g := range e.p.Groupings {
		names := e.p.Groups[g.First].Attributes
		by = append(by, strings.Join(names, " and ")+" ("+format.Plural(g.Groups, "group")+")")
	}
	words := ""
	if len(by) > 0 {
		words = ", by " + strings.Join(by, ", by ")
	}
	if e.f.Record.Incidence {
		words += ", with counts in each interval"
	}
	return words
}

// scenarios lists them, with what each changes.
func (e *explainer) scenarios() {
	e.section("Scenarios (--scenario NAME runs one)", len(e.f.Scenarios))
	for _, s := range e.f.Scenarios {
		var changes []string
		for _, v := range s.Set {
			words := syntax.OneLine(v.Node)
			if slices.Contains(e.f.ParameterNames(), v.Label.Name) {
				words = e.words(v.Value)
			}
			changes = append(changes, v.Label.Name+" is "+words)
		}
		if len(changes) == 0 {
			changes = []string{"everything as it is"}
		}
		e.line("  %s: %s", s.Label.Name, strings.Join(changes, ", "))
	}
}

// fit says what is to be fitted to what.
func (e *explainer) fit() {
	f := fitting.Read(e.m, &diag.List{}, fitting.Asked{})
	if f == nil {
		return
	}
	e.section("To be fitted to "+f.Data.Name, 1)
	for _, u := range f.Unknown {
		e.line("  %s is unknown: %s", u.Label.Name, syntax.OneLine(u.Node))
	}
	for i := range f.Match {
		m := &f.Match[i]
		what := map[string]string{"state": "how many are " + m.Of.Name, "flow": m.Of.Name + " since the start", "incidence": m.Of.Name + " in each interval"}[m.Kind]
		if m.Observed.Given() {
			what += ", of which " + e.probability(m.Observed) + " are seen"
		}
		e.line("  column %s: %s, with an error that is %s", m.Column.Name, what, e.errorLaw(&m.Error))
	}
}
