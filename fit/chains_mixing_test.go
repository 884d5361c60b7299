package fit

import (
	"math"
	"testing"

	"github.com/almanac-sim/almanac/internal/random"
)

// autoregressive makes chains x' = rho·x + noise, stationary and of variance 1 about a mean of
// their own.
func autoregressive(chains, length int, rho float64, mean func(c int) float64, seed uint64) [][]float64 {
	all := make([][]float64, chains)
	s := random.New(seed)
	for c := range all {
		x := gaussian(&s)
		for range length {
			all[c] = append(all[c], mean(c)+x)
			x = rho*x + math.Sqrt(1-rho*rho)*gaussian(&s)
		}
	}
	return all
}

// The effective size of an autoregressive chain is n(1−ρ)/(1+ρ); estimated from 40,000 values it is
// within 15 %, and the standard error of the mean is the one that goes with it. Independent values
// are worth what they are, and anticorrelated ones more.
func TestMixing(t *testing.T) {
	for _, rho := range []float64{0, 0.5, 0.9, -0.4} {
		chains := autoregressive(4, 10_000, rho, func(int) float64 { return 0 }, 5)
		rhat, bulk := mixing(chains)
		want := 40_000 * (1 - rho) / (1 + rho)
		if math.Abs(bulk/want-1) > 0.15 {
			t.Errorf("ρ = %g: an effective size of %.0f, want %.0f", rho, bulk, want)
		}
		if e := meanError(chains); math.Abs(e*math.Sqrt(want)-1) > 0.1 {
			t.Errorf("ρ = %g: a standard error of %g, want %g", rho, e, 1/math.Sqrt(want))
		}
		if !(rhat > 0.999 && rhat < 1.005) {
			t.Errorf("ρ = %g: R-hat is %g", rho, rhat)
		}
	}
}

// What R-hat must see: a chain elsewhere, chains that all drift, and chains with one mean and
// different widths, which the values alone do not show; and the number it has where half the chains
// are a standard deviation from the others.
func TestMixingSees(t *testing.T) {
	apart := autoregressive(4, 1000, 0.3, func(c int) float64 { return float64(c % 2) }, 6)
	// The means of the eight halves are 0 or 1, four each: their variance is 0.25·8/7, that within
	// 1, and R-hat √(1 + 0.25·8/7) = 1.134.
	if rhat, bulk := mixing(apart); math.Abs(rhat-1.134) > 0.03 || bulk > 100 {
		t.Errorf("chains apart: R-hat %g, effective size %g", rhat, bulk)
	}
	drifting := autoregressive(4, 1000, 0.3, func(int) float64 { return 0 }, 7)
	for c := range drifting {
		for i := range drifting[c] {
			drifting[c][i] += float64(i) / 500
		}
	}
	if rhat, _ := mixing(drifting); rhat < 1.1 {
		t.Errorf("chains that drift together: R-hat %g", rhat)
	}
	widths := autoregressive(4, 1000, 0.3, func(int) float64 { return 0 }, 8)
	for i := range widths[0] {
		widths[0][i] *= 5
	}
	if rhat, _ := mixing(widths); rhat < 1.1 {
		t.Errorf("chains of different widths: R-hat %g", rhat)
	}
	if rhat, bulk := mixing([][]float64{{1, 1, 1, 1}, {1, 1, 1, 1}}); rhat != 1 || bulk != 8 {
		t.Errorf("a constant: R-hat %g, effective size %g", rhat, bulk)
	}
	if rhat, bulk := mixing([][]float64{{1, 2, 3}}); !math.IsNaN(rhat) || !math.IsNaN(bulk) {
		t.Errorf("three values: R-hat %g, effective size %g", rhat, bulk)
	}
}
