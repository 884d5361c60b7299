//go:build soak

package study

import (
	"testing"

	"github.com/almanac-sim/almanac/fit"
)

// Calibration of three models with two unknowns each, and 500 data sets: χ² with 20 bins and
// coverage, at a level of 1e-3 for all tests together, stated before they were run.
func TestSoakCalibration(t *testing.T) {
	for _, c := range []struct {
		model *exactly
		o     fit.Options
	}{
		{finalSizes(), fit.Options{Method: "abc", Population: 150}},
		{immigrationDeath(), fit.Options{Method: "abc", Population: 150}},
		{elevenPeople(), fit.Options{Method: "abc", Population: 150}},
		{immigrationDeath(), fit.Options{Method: "pmmh", Population: 100, Budget: 25_000}},
	} {
		t.Run(c.model.name+" by "+c.o.Method, func(t *testing.T) { c.model.calibrate(t, 500, c.o).check(t, 20, 4, 1e-3) })
	}
}
