package syntax

import (
	"slices"

	"github.com/almanac-sim/almanac/population/internal/diag"
	"go.yaml.in/yaml/v3"
)

// maxParameters bounds how many parameters there are, and so how long a chain of them can be that stand for one another.
const maxParameters = 10_000

// maxScenarios is how many there can be: each of them is compiled to be checked, from a text with all of them.
const maxScenarios = 1000

type NamedValue struct {
	Label Ref
	Value
	Node *yaml.Node // as it is written
}

// A Scenario gives parameters other values, under a name.
type Scenario struct {
	Label Ref
	Set   []NamedValue
}

func (r *Reader) scenarios(m *File, n *yaml.Node) {
	all := r.Pairs(n, "scenarios", "{lockdown: {beta: 0.2 per day}}")
	if len(all) > maxScenarios {
		r.Fail(n, "scenarios: %d are more than the %d there can be; give values that are many by --set", len(all), maxScenarios)
		return
	}
	for _, p := range all {
		if !r.checkName(p.Key, "scenarios", p.Name) {
			continue
		}
		what := "scenarios: " + p.Name
		s := Scenario{Label: Ref{Name: p.Name, At: r.Place(p.Key)}}
		for _, v := range r.Pairs(p.Value, what, "{beta: 0.2 per day}") {
			kept := NamedValue{Label: Ref{Name: v.Name, At: r.Place(v.Key)}, Node: v.Value}
			switch {
			case m.HasParameter(v.Name):
				kept.Value = r.Value(v.Value, what+": "+v.Name, KindAny)
			case !isPath(v.Name):
				r.Fail(v.Key, "%s: %s", what, diag.Unknown("parameter", v.Name, m.ParameterNames))
				continue
			}
			s.Set = append(s.Set, kept)
		}
		m.Scenarios = append(m.Scenarios, s)
	}
}

func (f *File) ScenarioNames() []string {
	var names []string
	for _, s := range f.Scenarios {
		names = append(names, s.Label.Name)
	}
	return names
}

func (f *File) ParameterNames() []string {
	var names []string
	for _, p := range f.Parameters {
		names = append(names, p.Label.Name)
	}
	return names
}

func (f *File) HasParameter(name string) bool { return slices.Contains(f.ParameterNames(), name) }
