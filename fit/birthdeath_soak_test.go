//go:build soak

package fit

import (
	"math"
	"testing"
)

// Calibration of correlated unknowns, by particles and by whole runs.
func TestSoakCorrelatedCalibration(t *testing.T) {
	exactly, roughly := birthDeath{8, 3, 1, 1.2}, birthDeath{8, 3, 3, 1.2}
	t.Run("particles", func(t *testing.T) { exactly.calibrate(t, exactly, 300, Options{Population: 100}) })
	t.Run("whole runs", func(t *testing.T) { roughly.calibrate(t, wholeRuns{roughly}, 300, Options{Population: 100}) })
}

// What docs/guide/fitting.md says of the bias of a mean: by whole runs it is at most 3/n posterior
// standard deviations for an effective sample of n, within four standard errors of its estimate.
func TestSoakBiasOfMeans(t *testing.T) {
	m, data := birthDeath{10, 5, 4, 2}, []float64{14, 15, 22, 23, 31}
	exact := m.quadrature(data, 80)
	const n, seeds = 100, 400
	var sum, squares, size, said float64
	for seed := range uint64(seeds) {
		r, err := fitDirectly(m.problem(data), wholeRuns{m}, Options{Seed: seed, Population: n, Budget: 200 * n})
		if err != nil {
			t.Fatal(err)
		}
		z := (r.Posterior.Mean(0) - exact.Mean(0)) / exact.SD(0)
		sum += z
		squares += z * z
		size += r.Effective() / seeds
		said += r.Marginals()[0].MeanError / exact.SD(0) / seeds
	}
	bias := sum / seeds
	scatter := math.Sqrt(squares/seeds - bias*bias)
	se := scatter / math.Sqrt(seeds)
	t.Logf("effective sample %.0f: bias of birth %.4f ± %.4f standard deviations, scatter %.4f; standard error %.4f "+
		"as said, %.4f by the effective sample",
		size, bias, se, scatter, said, 1/math.Sqrt(size))
	if math.Abs(bias) > 3/size+4*se {
		t.Errorf("with an effective sample of %.0f the bias is %.4f ± %.4f", size, bias, se)
	}
}
