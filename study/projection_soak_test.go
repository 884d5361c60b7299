//go:build soak

package study

import (
	"testing"

	"github.com/almanac-sim/almanac/fit"
)

// All models and both methods, with the budgets that they have if none is given.
func TestSoakExactPredictions(t *testing.T) {
	for _, e := range predictions() {
		for _, method := range []string{"abc", "pmmh"} {
			e.compare(t, method, fit.Options{}, 10_000)
		}
	}
}
