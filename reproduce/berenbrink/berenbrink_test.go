package berenbrink

import (
	"math"
	"testing"

	"github.com/almanac-sim/almanac/capped"
	"github.com/almanac-sim/almanac/reproduce"
	"github.com/almanac-sim/almanac/reproduce/reproducetest"
)

// little is enough for the checks to hold, and for wrong theories to be noticed.
func little() effort {
	return effort{scale: 0.05, bins: 1 << 10, theory: paperTheory()}
}

func TestClaims(t *testing.T) {
	for _, c := range claims(little()) {
		t.Run(c.Name, func(t *testing.T) {
			want := reproduce.Holds
			if c.Name == "capped-burn-in" {
				want = reproduce.FailsThus
			}
			reproducetest.Illustrated(t, reproducetest.Verdict(t, c, 2021, want))
			if c.Paper != paper {
				t.Errorf("it is of %s", c.Paper)
			}
		})
	}
}

// What is wrong in a theory must be seen, also with little effort.
func TestWrongTheory(t *testing.T) {
	paper := paperTheory()
	times := func(f func(n, c int, lambda float64) float64, factor float64) func(n, c int, lambda float64) float64 {
		return func(n, c int, lambda float64) float64 { return factor * f(n, c, lambda) }
	}
	anotherSeed := func(y *theory) { y.partner = func(seed uint64) uint64 { return seed + 1 } }
	wrongCapacity := func(y *theory) {
		y.capped = func(c int, lambda float64) *capped.Limit { return paper.capped(c+1, lambda) }
	}
	for _, test := range []struct {
		name, claim string
		spoil       func(*theory)
		checks      []string // parts of the names of checks that must fail
	}{
		{"a twentieth of the bounds", "capped-theorem-1", func(y *theory) {
			y.poolBound, y.waitBound = times(paper.poolBound, 0.05), times(paper.waitBound, 0.05)
		}, []string{"largest pool over its bound", "longest wait over its bound"}},
		{"a twentieth of the bounds", "capped-theorem-2", func(y *theory) {
			y.poolBound, y.waitBound = times(paper.poolBound, 0.05), times(paper.waitBound, 0.05)
		}, []string{"largest pool over its bound, c = 2", "longest wait over its bound, c = 5"}},
		{"another seed", "capped-lemma-1", anotherSeed, []string{"out of order with one ball more in every round"}},
		{"another seed", "capped-lemma-6", anotherSeed, []string{"out of order with one ball more in every round"}},
		{"rounds that are too few", "capped-waiting-lemmas", func(y *theory) { y.lemma3, y.lemma4, y.lemma5 = 3, 1, -2 },
			[]string{"more than 2n survivors", "to n/(2e) survivors", "survivors to none"}},
		{"another capacity and number of choices", "capped-log-log", func(y *theory) {
			wrongCapacity(y)
			y.greedy = func(d int, lambda float64) *capped.Limit { return paper.greedy(3-d, lambda) }
		}, []string{"longest wait off the limit, in standard errors, at most, CAPPED, c = 1", "requests per bin",
			"longest wait off the limit, in standard errors, at most, GREEDY[1]",
			"growth of the longest wait from 2¹⁰ to 2¹⁸ bins, GREEDY[1]"}},
		{"another capacity, and two thirds of the line", "capped-figure-4", func(y *theory) {
			wrongCapacity(y)
			y.poolEstimate = times(paper.poolEstimate, 2.0/3)
		}, []string{"pool off the limit, in standard errors, at most, c = 1", "pool off the limit, in standard errors, at most, λ = 1−2⁻²",
			"pool over the dashed line"}},
		{"a rate that is off by a hundredth", "capped-figure-4", func(y *theory) {
			y.capped = func(c int, lambda float64) *capped.Limit { return paper.capped(c, 0.99*lambda) }
		}, []string{"pool off the limit, in standard errors, at most, λ = 1−2⁻²", "pool off the limit, in standard errors, at most, c = 3"}},
		{"another capacity, and half of the line", "capped-figure-5", func(y *theory) {
			wrongCapacity(y)
			y.waitEstimate = times(paper.waitEstimate, 0.5)
		}, []string{"mean wait off the limit, in standard errors, at most, c = 3", "mean wait over the dashed line",
			"longest wait of a round, on average, over the dashed line", "longest wait of 1000 rounds over the dashed line"}},
		{"another capacity", "capped-burn-in", wrongCapacity, []string{"pool off the mean field of the same rounds",
			"pool in rounds 1001–2000 over the long run", "pool in rounds 1001–2000, c = 1",
			"wait in rounds 1001–2000", "pool in the long run", "pool that > for ≥ takes away"}},
		{"another capacity", "capped-sweet-spot", wrongCapacity, []string{"capacity with the least mean wait, simulated",
			"capped.SweetSpot", "mean wait off the limit"}},
	} {
		t.Run(test.claim+": "+test.name, func(t *testing.T) {
			e := little()
			test.spoil(&e.theory)
			reproducetest.Notices(t, reproducetest.Named(t, claims(e), test.claim), 2021, test.checks...)
		})
	}
}

func TestStops(t *testing.T) { reproducetest.Stops(t, Claims()) }

func TestSeeds(t *testing.T) {
	c := reproducetest.Named(t, claims(little()), "capped-sweet-spot")
	reproducetest.Seeded(t, c, func(f reproduce.Finding) float64 { return f.Tables[1].Rows[0][2] })
}

// What is derived here and not in the capped package.
func TestFormulas(t *testing.T) {
	for _, c := range []struct {
		name      string
		got, want float64
		tolerance float64
	}{
		{"decay at 3/4", math.Exp(0.75*(queueDecay(0.75)-1)) / queueDecay(0.75), 1, 1e-12},
		{"decay at 0.95", queueDecay(0.95), 1 / ratioOfTail(capped.GreedyLimit(1, 0.95).Waits()), 1e-6},
		{"rounds of THRESHOLD[1] with one ball", thresholdField(0), 0.6321 + 0.3078 + 0.0583, 2e-3},
		{"rounds of THRESHOLD[1] with 2²⁵ balls", thresholdField(25), 5, 1e-3},
		{"rounds of THRESHOLD[1] with 2¹⁰⁰⁰ balls", thresholdField(1000), 10, 1e-3},
		{"longest of one ball of every second round", longestOf(capped.CappedLimit(1, 0.5), 1), 0.18, 0.05},
		{"share taken away", biasedPool{n: 1 << 10, i: 8}.want(), -math.Log(1.25), 1e-12},
	} {
		if !(math.Abs(c.got-c.want) <= c.tolerance) {
			t.Errorf("%s: %v, want %v", c.name, c.got, c.want)
		}
	}
	for i, want := range map[int]string{2: "1−2⁻²", 10: "1−2⁻¹⁰"} {
		if got := halvedName(i); got != want {
			t.Errorf("%q, want %q", got, want)
		}
	}
	for n, want := range map[int]string{16: "16", 100: "100", 1000: "1000", 1 << 15: "2¹⁵"} {
		if got := powerName(n); got != want {
			t.Errorf("%q, want %q", got, want)
		}
	}
	drawn := 0
	for round := 1; round <= 1<<16; round++ {
		if logarithmicRound(round) {
			drawn++
		}
	}
	if drawn < 100 || drawn > 200 {
		t.Errorf("%d of 2¹⁶ rounds are drawn", drawn)
	}
}

// ratioOfTail is by how much the law falls from one wait to the next, far out.
func ratioOfTail(waits []float64) float64 { return waits[200] / waits[199] }
