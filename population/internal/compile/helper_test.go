package compile

import "github.com/almanac-sim/almanac/population/internal/syntax"

// compiledText compiles the text of a model, with changes.
func compiledText(source string, asked ...func(*syntax.Changes)) (*Model, error) {
	var c syntax.Changes
	for _, change := range asked {
		change(&c)
	}
	return Text("model.yaml", []byte(source), c)
}

// set gives a parameter another value.
func set(name, text string) func(*syntax.Changes) {
	return func(c *syntax.Changes) { c.Set = append(c.Set, syntax.Setting{Name: name, Text: text}) }
}

// scenario asks for a scenario.
func scenario(name string) func(*syntax.Changes) {
	return func(c *syntax.Changes) { c.Scenario = &name }
}
