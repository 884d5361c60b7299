package eval_test

import (
	"strings"
	"testing"

	"github.com/almanac-sim/almanac/population/internal/compile"
	"github.com/almanac-sim/almanac/population/internal/diag"
	"github.com/almanac-sim/almanac/population/internal/eval"
	"github.com/almanac-sim/almanac/population/internal/syntax"
)

// compileText compiles the text of a model, with changes.
func compileText(source string, asked ...func(*syntax.Changes)) (*compile.Model, error) {
	var c syntax.Changes
	for _, change := range asked {
		change(&c)
	}
	return compile.Text("model.yaml", []byte(source), c)
}

// set changes the value of a parameter.
func set(name, text string) func(*syntax.Changes) {
	return func(c *syntax.Changes) { c.Set = append(c.Set, syntax.Setting{Name: name, Text: text}) }
}

// scenario selects a scenario.
func scenario(name string) func(*syntax.Changes) {
	return func(c *syntax.Changes) { c.Scenario = &name }
}

// scopeOf compiles a model with the given parameters and the attributes age and region. It returns
// the scope of the start and the list that its problems go to.
func scopeOf(t *testing.T, parameters string) (eval.Scope, *diag.List) {
	t.Helper()
	source := "name: m\ntime: {unit: day, end: 10}\npopulation: {size: 1, start: {a: 1}}\nstates: {a: {}, b: {}}\n" +
		"attributes: {age: {child: 20%, adult: 60%, elder: 20%}, region: {north: 50%, south: 50%}}\nparameters:\n"
	for line := range strings.Lines(parameters) {
		source += "  " + strings.TrimSpace(line) + "\n"
	}
	m, err := compileText(source)
	if err != nil {
		t.Fatal(err)
	}
	list := &diag.List{}
	return m.Start.AtStart(list), list
}
