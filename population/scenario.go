package population

import (
	"context"
	"slices"

	"github.com/almanac-sim/almanac/population/internal/diag"
	"github.com/almanac-sim/almanac/population/internal/syntax"
)

// Scenarios are the names of the file's scenarios, in its order; see [Scenario].
func (m *Model) Scenarios() []string { return m.compiled.File.ScenarioNames() }

// blame names the scenario in problems that occur only with it.
func blame(c syntax.Changes, name string, source []byte, err error) error {
	problems, ok := err.(diag.Problems)
	if !ok || c.Scenario == nil {
		return err
	}
	scenario := *c.Scenario
	c.Scenario = nil
	_, without := compileWith(name, source, c)
	usual, _ := without.(diag.Problems)
	for i, p := range problems {
		if p.File != "--scenario" && !slices.Contains(usual, p) {
			problems[i].Message = "scenario " + scenario + ": " + p.Message
		}
	}
	return problems
}

// Check checks what a run does not need: whether each scenario compiles, and the section fit. The
// error is of type [Problems], or that of the context. Each scenario is compiled, so that a large
// model with a thousand of them takes minutes.
func (m *Model) Check(ctx context.Context) error {
	var all diag.Problems
	for _, name := range m.Scenarios() {
		if err := ctx.Err(); err != nil {
			return err
		}
		asked := m.compiled.Changes
		asked.Scenario = &name
		if _, err := compileWith(m.compiled.File.Path, m.source, asked); err != nil {
			problems, ok := blame(asked, m.compiled.File.Path, m.source, err).(diag.Problems)
			if !ok {
				return err
			}
			all = append(all, problems...)
		}
	}
	if m.compiled.File.Fit != nil {
		f, err := m.Fit(FitOptions{})
		if err == nil {
			err = m.checkData(f)
		}
		if problems, ok := err.(diag.Problems); ok {
			all = append(all, problems...)
		}
	}
	if len(all) == 0 {
		return nil
	}
	return all
}
