package population

import (
	"context"
	"slices"
)

// Scenarios are the names of the file's scenarios, in its order; see [Scenario].
func (m *Model) Scenarios() []string { return m.compiled.file.scenarioNames() }

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
		asked := m.compiled.asked
		asked.scenario = &name
		if _, err := compileWith(m.compiled.file.path, m.source, asked); err != nil {
			problems, ok := asked.blame(m.compiled.file.path, m.source, err).(Problems)
			if !ok {
				return err
			}
			all = append(all, problems...)
		}
	}
	if m.compiled.file.fit != nil {
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
