package explain

import (
	"bytes"
	"os"
	"testing"

	"github.com/almanac-sim/almanac/population/internal/compile"
	"github.com/almanac-sim/almanac/population/internal/syntax"
)

// explained is what is said of a model. It may name a table, which is always the same.
func explained(t *testing.T, source string) string {
	t.Helper()
	table := func(string) ([]byte, error) { return []byte("time,x\n0,1\n1,2\n2,3\n3,4\n4,5\n5,6\n6,7\n8,9\n"), nil }
	m, err := compile.Text("model.yaml", []byte(source), syntax.Changes{Files: table})
	if err != nil {
		t.Fatal(err)
	}
	return Model(m)
}

// The diagram does not say that a share that changes with time is 0.
func TestDiagramOfChangingShares(t *testing.T) {
	source, err := os.ReadFile("../../testdata/each.yaml")
	if err != nil {
		t.Fatal(err)
	}
	m, err := compile.Text("each.yaml", source, syntax.Changes{})
	if err != nil {
		t.Fatal(err)
	}
	d, err := Diagram(t.Context(), m)
	if err != nil {
		t.Fatal(err)
	}
	if svg := d.SVG(); !bytes.Contains(svg, []byte(">by time births<")) || bytes.Contains(svg, []byte(">0% ")) {
		t.Error("the diagram has not that a share changes with time")
	}
}
