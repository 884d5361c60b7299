package population

import (
	"slices"

	"go.yaml.in/yaml/v3"
)

// mostScenarios is how many there can be: each of them is compiled to be checked, from a text with all of them.
const mostScenarios = 1000

func (r *reader) scenarios(m *file, n *yaml.Node) {
	all := r.pairs(n, "scenarios", "{lockdown: {beta: 0.2 per day}}")
	if len(all) > mostScenarios {
		r.fail(n, "scenarios: %d are more than the %d there can be; give values that are many by --set", len(all), mostScenarios)
		return
	}
	for _, p := range all {
		if !r.isName(p.key, "scenarios", p.name) {
			continue
		}
		what := "scenarios: " + p.name
		s := scenarioText{label: named{name: p.name, at: r.place(p.key)}}
		for _, v := range r.pairs(p.value, what, "{beta: 0.2 per day}") {
			kept := namedValue{label: named{name: v.name, at: r.place(v.key)}, node: v.value}
			switch {
			case m.hasParameter(v.name):
				kept.value = r.value(v.value, what+": "+v.name, aValue)
			case !inFile(v.name):
				r.fail(v.key, "%s: %s", what, unknown("parameter", v.name, m.parameterNames))
				continue
			}
			s.set = append(s.set, kept)
		}
		m.scenarios = append(m.scenarios, s)
	}
}

// applyScenario gives parameters the values that they have in a scenario. What it says of other things has been put into the file.
func (r *reader) applyScenario(f *file, name *string) {
	if name == nil {
		return
	}
	k := slices.Index(f.scenarioNames(), *name)
	if k < 0 {
		r.add(place{file: "--scenario"}, "%s", unknown("scenario", *name, f.scenarioNames))
		return
	}
	for _, s := range f.scenarios[k].set {
		if i := slices.Index(f.parameterNames(), s.label.name); i >= 0 {
			f.changed[s.label.name] = true
			f.parameters[i].value, f.parameters[i].node = s.value, s.node
		}
	}
}
