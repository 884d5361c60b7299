package fit

import (
	"encoding/json"
	"math"
	"testing"
)

// A chain keeps with each state the estimate that it was accepted with, as it was: that of a model
// without noise is the likelihood.
func TestChainsKeepTheirEstimates(t *testing.T) {
	o := opened{oneColumn([]float64{2}, Unknown{Name: "level", Prior: Normal(0, 1)}), level{}}
	args, err := json.Marshal(chainStage{States: [][]float64{{0}}, Beta: 1, Steps: 50, Runs: 1,
		Kernel: kernel{Lower: []float64{1}, Scale: 0.8}, Seed: 3})
	if err != nil {
		t.Fatal(err)
	}
	work, err := sorts["chains"](o, args)
	if err != nil {
		t.Fatal(err)
	}
	a, err := work(t.Context(), 0)
	if err != nil {
		t.Fatal(err)
	}
	if moved := a.numbers[0]; moved < 5 || moved > 45 {
		t.Errorf("%g steps of 50 were accepted", moved)
	}
	for i := chainHead; i < len(a.numbers); i += 2 {
		c, err := level{}.Simulate(t.Context(), o.problem.values(a.numbers[i:i+1]), 0)
		if err != nil {
			t.Fatal(err)
		}
		if want := o.problem.LogLikelihood(c); math.Abs(a.numbers[i+1]-want) > 1e-9 {
			t.Fatalf("a state keeps %g, and its likelihood is %g", a.numbers[i+1], want)
		}
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
	if got, want := independent([][]float64{x}), n/(2*monotone-1); math.Abs(got/want-1) > 1e-9 {
		t.Errorf("an effective size of %g, want %g", got, want)
	}
}
