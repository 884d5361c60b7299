package population

import (
	"context"
	"slices"

	"go.yaml.in/yaml/v3"
)

// A scenarioText gives parameters other values, under a name.
type scenarioText struct {
	label named
	set   []namedValue
}

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

func (f *file) scenarioNames() []string {
	var names []string
	for _, s := range f.scenarios {
		names = append(names, s.label.name)
	}
	return names
}

// Scenarios are the names of the file's scenarios, in its order; see [Scenario].
func (m *Model) Scenarios() []string { return m.file.scenarioNames() }

// blame says of problems that come with a scenario alone that they do.
func (c changes) blame(name string, source []byte, err error) error {
	problems, ok := err.(Problems)
	if !ok || c.scenario == nil {
		return err
	}
	scenario := *c.scenario
	c.scenario = nil
	_, without := compileWith(name, source, c)
	usual, _ := without.(Problems)
	for i, p := range problems {
		if p.File != "--scenario" && !slices.Contains(usual, p) {
			problems[i].Message = "scenario " + scenario + ": " + p.Message
		}
	}
	return problems
}

// Check looks at what a run does not: whether each scenario can be run, and what fit says. The error is of type [Problems], or that of the context:
// each scenario is compiled, so that a large model with a thousand of them takes minutes.
func (m *Model) Check(ctx context.Context) error {
	var all Problems
	for _, name := range m.Scenarios() {
		if err := ctx.Err(); err != nil {
			return err
		}
		asked := m.asked
		asked.scenario = &name
		if _, err := compileWith(m.file.path, m.source, asked); err != nil {
			problems, ok := asked.blame(m.file.path, m.source, err).(Problems)
			if !ok {
				return err
			}
			all = append(all, problems...)
		}
	}
	if m.file.fit != nil {
		f, err := m.Fit(FitOptions{})
		if err == nil {
			err = m.checkData(f)
		}
		if problems, ok := err.(Problems); ok {
			all = append(all, problems...)
		}
	}
	if len(all) == 0 {
		return nil
	}
	return all
}
