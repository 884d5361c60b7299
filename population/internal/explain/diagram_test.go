package explain

import (
	"bytes"
	"os"
	"testing"

	"github.com/almanac-sim/almanac/population/internal/compile"
	"github.com/almanac-sim/almanac/population/internal/syntax"
)

// TestDiagramShowsVaryingShareAsZero checks that a share that varies with time is not labelled 0%.
func TestDiagramShowsVaryingShareAsZero(t *testing.T) {
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
