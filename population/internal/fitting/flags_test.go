package fitting

import (
	"testing"

	"github.com/almanac-sim/almanac/internal/priors"
	"github.com/almanac-sim/almanac/population/internal/syntax"
)

// TestPriorExamplesDisagree checks that the two examples of each family of priors mean the same.
func TestPriorExamplesDisagree(t *testing.T) {
	for _, f := range priors.Families {
		n, err := priorNode(f.Line)
		if err != nil {
			t.Fatal(err)
		}
		if got, want := syntax.OneLine(n), "{"+f.Name+": "+f.Like+"}"; got != want {
			t.Errorf("%s is %s, want %s", f.Line, got, want)
		}
	}
}
