package compile

import "github.com/almanac-sim/almanac/population/internal/syntax"

// compileText compiles the text of a model.
func compileText(source string) (*Model, error) {
	return Text("model.yaml", []byte(source), syntax.Changes{})
}
