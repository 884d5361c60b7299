//go:build soak

package study

import (
	"testing"

	"github.com/almanac-sim/almanac/fit"
)

// All models and both methods, with the budgets that they have if none is given.
func TestSoakExactPosteriors(t *testing.T) {
	for _, e := range allExactly() {
		e.compareAll(t, e.posterior(gridCells(len(e.least))), map[string]fit.Options{"abc": {}, "pmmh": {}})
	}
}

func allExactly() []*exactly {
	return []*exactly{pureDeath(), immigrationAlone(), immigrationDeath(), birthDeath(), finalSizes(), elevenPeople()}
}
