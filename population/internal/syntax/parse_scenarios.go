package syntax

import (
	"slices"

	"github.com/almanac-sim/almanac/population/internal/diag"
	"go.yaml.in/yaml/v3"
)

// mostScenarios is how many there can be: each of them is compiled to be checked, from a text with all of them.
const mostScenarios = 1000

func (r *Reader) scenarios(m *File, n *yaml.Node) {
	all := r.Pairs(n, "scenarios", "{lockdown: {beta: 0.2 per day}}")
	if len(all) > mostScenarios {
		r.Fail(n, "scenarios: %d are more than the %d there can be; give values that are many by --set", len(all), mostScenarios)
		return
	}
	for _, p := range all {
		if !r.isName(p.Key, "scenarios", p.Name) {
			continue
		}
		what := "scenarios: " + p.Name
		s := Scenario{Label: Ref{Name: p.Name, At: r.Place(p.Key)}}
		for _, v := range r.Pairs(p.Value, what, "{beta: 0.2 per day}") {
			kept := NamedValue{Label: Ref{Name: v.Name, At: r.Place(v.Key)}, Node: v.Value}
			switch {
			case m.HasParameter(v.Name):
				kept.Value = r.Value(v.Value, what+": "+v.Name, KindAny)
			case !inFile(v.Name):
				r.Fail(v.Key, "%s: %s", what, diag.Unknown("parameter", v.Name, m.ParameterNames))
				continue
			}
			s.Set = append(s.Set, kept)
		}
		m.Scenarios = append(m.Scenarios, s)
	}
}

// applyScenario gives parameters the values that they have in a scenario. What it says of other things has been put into the file.
func (r *Reader) applyScenario(f *File, name *string) {
	if name == nil {
		return
	}
	k := slices.Index(f.ScenarioNames(), *name)
	if k < 0 {
		r.Add(diag.Place{File: "--scenario"}, "%s", diag.Unknown("scenario", *name, f.ScenarioNames))
		return
	}
	for _, s := range f.Scenarios[k].Set {
		if i := slices.Index(f.ParameterNames(), s.Label.Name); i >= 0 {
			f.Changed[s.Label.Name] = true
			f.Parameters[i].Value, f.Parameters[i].Node = s.Value, s.Node
		}
	}
}
