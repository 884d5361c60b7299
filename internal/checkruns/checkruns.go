// Package checkruns makes the tests of a package verify the invariants of every run of a model. A
// test imports it for its effect:
//
//	import _ "github.com/almanac-sim/almanac/internal/checkruns"
//
// It sets ALMANAC_CHECK, which commands that a test starts have, too. Benchmarks run without it.
package checkruns

import (
	"os"
	"slices"
	"strings"
)

func init() {
	measures := slices.ContainsFunc(os.Args, func(a string) bool {
		bench, ok := strings.CutPrefix(strings.TrimLeft(a, "-"), "test.bench=")
		return ok && bench != ""
	})
	if _, set := os.LookupEnv("ALMANAC_CHECK"); !set && !measures {
		if err := os.Setenv("ALMANAC_CHECK", "1"); err != nil {
			panic(err)
		}
	}
}
