//go:build soak

package detmath

import (
	"path/filepath"
	"slices"
	"strings"
	"testing"
)

// The files with functions that all others stand on.
var promising = []string{"detmath.go", "pow.go", "cos.go", "gamma.go", "normal.go", "beta.go", "../random/random.go",
	"../random/exp.go", "../random/source.go",
	"../../capped/internal/counts/binomial.go", "../../capped/internal/counts/poisson.go"}

// The compiler fuses nothing in these files, for any machine. This compiles the standard library for
// each of them, which takes a minute. The test of the same name in internal/importrules looks at
// these files and many more, for arm64 only.
func TestNothingIsFused(t *testing.T) {
	var files []string
	for _, f := range promising {
		path, err := filepath.Abs(f)
		if err != nil {
			t.Fatal(err)
		}
		files = append(files, path)
	}
	for _, environment := range fusing {
		out := listing(t, environment, ".", ".", "../random", "../../capped/internal/counts")
		for _, f := range files {
			if !strings.Contains(out, "("+f+":") {
				t.Errorf("%v: nothing of %s in the listing", environment, f)
			}
		}
		for _, found := range fusions(out) {
			if slices.Contains(files, found[1]) {
				t.Errorf("%v: %s:%s has %s", environment, found[1], found[2], found[3])
			}
		}
	}
}
