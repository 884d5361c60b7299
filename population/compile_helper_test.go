package population

// compiledText compiles the text of a model, with changes.
func compiledText(source string, asked ...func(*changes)) (*compiled, error) {
	var c changes
	for _, change := range asked {
		change(&c)
	}
	return compileText("model.yaml", []byte(source), c)
}

// set gives a parameter another value.
func set(name, text string) func(*changes) {
	return func(c *changes) { c.set = append(c.set, setting{name: name, text: text}) }
}

// scenario asks for a scenario.
func scenario(name string) func(*changes) { return func(c *changes) { c.scenario = &name } }
