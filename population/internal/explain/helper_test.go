package explain

import (
	"testing"

	"github.com/almanac-sim/almanac/population/internal/compile"
	"github.com/almanac-sim/almanac/population/internal/syntax"
)

// explainText compiles a model and explains it. Any table file it names has the same content.
func explainText(t *testing.T, source string) string {
	t.Helper()
	table := func(string) ([]byte, error) { return []byte("time,x\n0,1\n1,2\n2,3\n3,4\n4,5\n5,6\n6,7\n8,9\n"), nil }
	m, err := compile.Text("model.yaml", []byte(source), syntax.Changes{ReadFile: table})
	if err != nil {
		t.Fatal(err)
	}
	return Model(m)
}
