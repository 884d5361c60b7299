package importrules

import (
	"slices"
	"strings"
	"testing"
)

// Who writes a model with sim, or analyses its output, does not get the libraries for pictures and
// Parquet; who imports sim/output does.
func TestSimStaysLight(t *testing.T) {
	imports := map[string][]string{}
	for _, p := range packages(t) {
		imports[p.name] = p.imports
	}
	heavy := func(name string) bool {
		seen, todo := map[string]bool{}, []string{name}
		for len(todo) > 0 {
			next := todo[0]
			todo = todo[1:]
			if seen[next] {
				continue
			}
			seen[next] = true
			for _, path := range imports[next] {
				if to, mine := ours(path); mine {
					todo = append(todo, to)
				} else if slices.ContainsFunc([]string{"gonum.org/v1/plot", "github.com/parquet-go"}, func(prefix string) bool {
					return strings.HasPrefix(path, prefix)
				}) {
					return true
				}
			}
		}
		return false
	}
	for name, want := range map[string]bool{"sim": false, "sim/analysis": false, "sim/replicate": false,
		"sim/output": true} {
		if heavy(name) != want {
			t.Errorf("%s has the libraries for pictures and tables: %t", name, !want)
		}
	}
}
