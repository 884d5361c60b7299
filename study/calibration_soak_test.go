//go:build soak

package study

import (
	"testing"

	"github.com/almanac-sim/almanac/fit"
)

// Calibration of both methods on four models with two unknowns each: χ² with 20 bins, mean ranks and
// coverage, at a level of 1e-3 for all tests together, stated before they were run.
func TestSoakCalibration(t *testing.T) {
	for _, e := range []*exactly{finalSizes(), immigrationDeath(), elevenPeople(), birthDeath()} {
		for _, c := range []struct {
			sets int
			o    fit.Options
		}{
			{500, fit.Options{Method: "abc", Population: 400}},
			{300, fit.Options{Method: "pmmh", Population: 100, Budget: 25_000}},
		} {
			t.Run(e.name+" by "+c.o.Method, func(t *testing.T) { e.calibrate(t, c.sets, c.o).check(t, 20, 8, 1e-3) })
		}
	}
}
