package population

import "github.com/almanac-sim/almanac/population/internal/syntax"

// A Parameter is a named value of a model, as it is at the start of a run.
type Parameter struct {
	Name  string `json:"name"`
	Value string `json:"value"` // as a file would write it on one line, and as [Set] takes it
}

// Parameters are the model's, in the order of the file, with the values that it is run with: those of the file, of the scenario that was
// asked for, or of [Set].
func (m *Model) Parameters() []Parameter {
	all := make([]Parameter, len(m.compiled.File.Parameters))
	for i, p := range m.compiled.File.Parameters {
		all[i] = Parameter{p.Label.Name, syntax.OneLine(p.Node)}
	}
	return all
}
