package syntax

import (
	"github.com/almanac-sim/almanac/population/internal/diag"
	"github.com/almanac-sim/almanac/population/internal/quantity"
	"go.yaml.in/yaml/v3"
)

// maxParameters bounds the number of parameters, and so the length of a chain of parameters in
// which each names the next.
const maxParameters = 10_000

// maxScenarios bounds the number of scenarios: a check compiles the whole file once for each.
const maxScenarios = 1000

// A NamedValue is a parameter and its value.
type NamedValue struct {
	Label Ref
	Value
	Node *yaml.Node // the value as YAML
}

// A Scenario gives parameters other values, and replaces values by paths; see Changes.
type Scenario struct {
	Label Ref
	Set   []NamedValue
}

// defineParameters notes the names of all parameters before anything is read: an expression may
// name a parameter that is defined after it.
func (r *Reader) defineParameters(n *yaml.Node) {
	if n == nil || n.Kind != yaml.MappingNode {
		return
	}
	for i := 0; i < len(n.Content); i += 2 {
		r.Parameters[r.Resolve(n.Content[i]).Value] = true
	}
}

// parameters reads the section parameters.
func (r *Reader) parameters(m *File, n *yaml.Node) {
	all := r.Pairs(n, "parameters", "{beta: 0.5 per day}")
	if len(all) > maxParameters {
		r.Fail(n, "parameters: %d parameters are more than the %d there can be", len(all), maxParameters)
	}
	for i, p := range all {
		if !r.checkName(p.Key, "parameters", p.Name) {
			continue
		}
		v := Value{At: r.Place(p.Value), Bad: true}
		if i < maxParameters {
			v = r.Value(p.Value, "parameters: "+p.Name, quantity.Any)
		}
		m.Parameters = append(m.Parameters, NamedValue{Ref{Name: p.Name, At: r.Place(p.Key)}, v, p.Value})
	}
}

// scenarios reads the section scenarios.
func (r *Reader) scenarios(m *File, n *yaml.Node) {
	all := r.Pairs(n, "scenarios", "{lockdown: {beta: 0.2 per day}}")
	if len(all) > maxScenarios {
		r.Fail(n, "scenarios: %d are more than the %d there can be; give values that are many by --set",
			len(all), maxScenarios)
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
				kept.Value = r.Value(v.Value, what+": "+v.Name, quantity.Any)
			case !isPath(v.Name):
				r.Fail(v.Key, "%s: %s", what, diag.Unknown("parameter", v.Name, m.ParameterNames))
				continue
			}
			s.Set = append(s.Set, kept)
		}
		m.Scenarios = append(m.Scenarios, s)
	}
}

// ScenarioNames returns the names of the scenarios, in the order of the file.
func (m *File) ScenarioNames() []string {
	var names []string
	for _, s := range m.Scenarios {
		names = append(names, s.Label.Name)
	}
	return names
}

// ParameterNames returns the names of the parameters, in the order of the file.
func (m *File) ParameterNames() []string {
	var names []string
	for _, p := range m.Parameters {
		names = append(names, p.Label.Name)
	}
	return names
}

// HasParameter reports whether there is a parameter with this name.
func (m *File) HasParameter(name string) bool {
	for i := range m.Parameters {
		if m.Parameters[i].Label.Name == name {
			return true
		}
	}
	return false
}
