package diagnostics

import (
	"math"
	"testing"

	"github.com/almanac-sim/almanac/fit/internal/proposal"
	"github.com/almanac-sim/almanac/internal/random"
)

// autoregressive makes chains x' = rho·x + noise, stationary and of variance 1 about a mean of
// their own.
func autoregressive(chains, length int, rho float64, mean func(c int) float64, seed uint64) [][]float64 {
	all := make([][]float64, chains)
	s := random.New(seed)
	for c := range all {
		x := proposal.StandardNormal(&s)
		for range length {
			all[c] = append(all[c], mean(c)+x)
			x = rho*x + math.Sqrt(1-rho*rho)*proposal.StandardNormal(&s)
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
		rhat, bulk := RHatAndSize(chains)
		want := 40_000 * (1 - rho) / (1 + rho)
		if math.Abs(bulk/want-1) > 0.15 {
			t.Errorf("ρ = %g: an effective size of %.0f, want %.0f", rho, bulk, want)
		}
		if e := MeanError(chains); math.Abs(e*math.Sqrt(want)-1) > 0.1 {
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
	if rhat, bulk := RHatAndSize(apart); math.Abs(rhat-1.134) > 0.03 || bulk > 100 {
		t.Errorf("chains apart: R-hat %g, effective size %g", rhat, bulk)
	}
	drifting := autoregressive(4, 1000, 0.3, func(int) float64 { return 0 }, 7)
	for c := range drifting {
		for i := range drifting[c] {
			drifting[c][i] += float64(i) / 500
		}
	}
	if rhat, _ := RHatAndSize(drifting); rhat < 1.1 {
		t.Errorf("chains that drift together: R-hat %g", rhat)
	}
	widths := autoregressive(4, 1000, 0.3, func(int) float64 { return 0 }, 8)
	for i := range widths[0] {
		widths[0][i] *= 5
	}
	if rhat, _ := RHatAndSize(widths); rhat < 1.1 {
		t.Errorf("chains of different widths: R-hat %g", rhat)
	}
	if rhat, bulk := RHatAndSize([][]float64{{1, 1, 1, 1}, {1, 1, 1, 1}}); rhat != 1 || bulk != 8 {
		t.Errorf("a constant: R-hat %g, effective size %g", rhat, bulk)
	}
	if rhat, bulk := RHatAndSize([][]float64{{1, 2, 3}}); !math.IsNaN(rhat) || !math.IsNaN(bulk) {
		t.Errorf("three values: R-hat %g, effective size %g", rhat, bulk)
	}
}

// Pairs of autocorrelations that grow again count no more than the least before them. A slow wave
// and a quick one have such pairs: the effective size is that of the pairs as the definition has
// them, made monotone.
func TestPairsAreMadeMonotone(t *testing.T) {
	const n = 400
	x := autoregressive(1, n, 0.95, func(int) float64 { return 0 }, 9)[0]
	mean := 0.0
	for i := range x {
		x[i] += math.Cos(2 * math.Pi * float64(i) / 8)
		mean += x[i] / n
	}
	rho := func(lag int) float64 { // of one chain: over (n−1)/n times its variance
		cov, square := 0.0, 0.0
		for i := range x {
			square += (x[i] - mean) * (x[i] - mean) / (n - 1)
			if i >= lag {
				cov += (x[i] - mean) * (x[i-lag] - mean) / (n - 1)
			}
		}
		return 1 - (square-cov)/(square*(n-1)/n)
	}
	monotone, plain, last := 0.0, 0.0, math.Inf(1)
	for lag := 0; lag+1 < n; lag += 2 {
		pair := rho(lag) + rho(lag+1)
		if pair <= 0 {
			break
		}
		last = min(last, pair)
		monotone += last
		plain += pair
	}
	if plain < 1.1*monotone {
		t.Fatalf("pairs add up to %g, made monotone to %g: the chain shows nothing", plain, monotone)
	}
	if got, want := effectiveSize([][]float64{x}), n/(2*monotone-1); math.Abs(got/want-1) > 1e-9 {
		t.Errorf("an effective size of %g, want %g", got, want)
	}
}
