package reproduce

import (
	"math"
	"testing"

	"github.com/almanac-sim/almanac/capped"
)

// cappedLittle is enough for the checks to hold, and for wrong theories to be noticed.
func cappedLittle() cappedEffort {
	return cappedEffort{scale: 0.05, bins: 1 << 10, theory: cappedPapers()}
}

// berenbrinkNamed returns the claim of that name, checked with some effort.
func berenbrinkNamed(t *testing.T, e cappedEffort, name string) Claim {
	t.Helper()
	for _, c := range berenbrinkWith(e) {
		if c.Name == name {
			return c
		}
	}
	t.Fatalf("there is no claim %s", name)
	return Claim{}
}

func TestBerenbrinkClaims(t *testing.T) {
	for _, c := range berenbrinkWith(cappedLittle()) {
		t.Run(c.Name, func(t *testing.T) {
			last := 0.0
			f, err := c.Run(t.Context(), Options{Seed: 2021, Progress: func(fraction float64) {
				if fraction < last || fraction > 1 {
					t.Errorf("progress is %v after %v", fraction, last)
				}
				last = fraction
			}})
			if err != nil {
				t.Fatal(err)
			}
			want := Holds
			if c.Name == "capped-burn-in" {
				want = FailsThus
			}
			if got := c.verdict(&f); got != want || c.Paper != berenbrinkPaper {
				t.Errorf("%s: %s, want %s", c.Paper, got, want)
			}
			if last != 1 {
				t.Errorf("progress ends at %v", last)
			}
			for _, k := range f.Checks {
				if !k.OK {
					t.Errorf("%s: %v, want %v ± %v", k.What, k.Measured, k.Expected, k.Tolerance)
				}
			}
			checkShape(t, f)
			wellFormed(t, c, f)
		})
	}
}

// What is wrong in a theory must be seen, also with little effort.
func TestBerenbrinkWrongTheory(t *testing.T) {
	paper := cappedPapers()
	times := func(f func(n, c int, lambda float64) float64, factor float64) func(n, c int, lambda float64) float64 {
		return func(n, c int, lambda float64) float64 { return factor * f(n, c, lambda) }
	}
	anotherSeed := func(y *cappedTheory) { y.partner = func(seed uint64) uint64 { return seed + 1 } }
	wrongCapacity := func(y *cappedTheory) {
		y.capped = func(c int, lambda float64) *capped.Limit { return paper.capped(c+1, lambda) }
	}
	for _, test := range []struct {
		name, claim string
		spoil       func(*cappedTheory)
		checks      []string // parts of the names of checks that must fail
	}{
		{"a twentieth of the bounds", "capped-theorem-1", func(y *cappedTheory) {
			y.poolBound, y.waitBound = times(paper.poolBound, 0.05), times(paper.waitBound, 0.05)
		}, []string{"largest pool over its bound", "longest wait over its bound"}},
		{"a twentieth of the bounds", "capped-theorem-2", func(y *cappedTheory) {
			y.poolBound, y.waitBound = times(paper.poolBound, 0.05), times(paper.waitBound, 0.05)
		}, []string{"largest pool over its bound, c = 2", "longest wait over its bound, c = 5"}},
		{"another seed", "capped-lemma-1", anotherSeed, []string{"out of order with one ball more in every round"}},
		{"another seed", "capped-lemma-6", anotherSeed, []string{"out of order with one ball more in every round"}},
		{"rounds that are too few", "capped-waiting-lemmas", func(y *cappedTheory) { y.lemma3, y.lemma4, y.lemma5 = 3, 1, -2 },
			[]string{"more than 2n survivors", "to n/(2e) survivors", "survivors to none"}},
		{"another capacity and number of choices", "capped-log-log", func(y *cappedTheory) {
			wrongCapacity(y)
			y.greedy = func(d int, lambda float64) *capped.Limit { return paper.greedy(3-d, lambda) }
		}, []string{"longest wait off the limit, in standard errors, at most, CAPPED, c = 1", "requests per bin",
			"longest wait off the limit, in standard errors, at most, GREEDY[1]",
			"growth of the longest wait from 2¹⁰ to 2¹⁸ bins, GREEDY[1]"}},
		{"another capacity, and two thirds of the line", "capped-figure-4", func(y *cappedTheory) {
			wrongCapacity(y)
			y.poolEstimate = times(paper.poolEstimate, 2.0/3)
		}, []string{"pool off the limit, in standard errors, at most, c = 1", "pool off the limit, in standard errors, at most, λ = 1−2⁻²",
			"pool over the dashed line"}},
		{"a rate that is off by a hundredth", "capped-figure-4", func(y *cappedTheory) {
			y.capped = func(c int, lambda float64) *capped.Limit { return paper.capped(c, 0.99*lambda) }
		}, []string{"pool off the limit, in standard errors, at most, λ = 1−2⁻²", "pool off the limit, in standard errors, at most, c = 3"}},
		{"another capacity, and half of the line", "capped-figure-5", func(y *cappedTheory) {
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
			e := cappedLittle()
			test.spoil(&e.theory)
			c := berenbrinkNamed(t, e, test.claim)
			notices(t, c, 2021, test.checks)
		})
	}
}

func TestBerenbrinkCancelled(t *testing.T) {
	cancelled(t, berenbrinkClaims())
}

// The same seed must give the same findings, and another seed others.
func TestBerenbrinkSeeds(t *testing.T) {
	c := berenbrinkNamed(t, cappedLittle(), "capped-sweet-spot")
	var measured [3]float64
	for i, seed := range []uint64{1, 1, 2} {
		f, err := c.Run(t.Context(), Options{Seed: seed})
		if err != nil {
			t.Fatal(err)
		}
		measured[i] = f.Tables[1].Rows[0][2]
	}
	if measured[0] != measured[1] || measured[0] == measured[2] {
		t.Errorf("seeds 1, 1, 2 give %v", measured)
	}
}

// The order of two processes is seen bin by bin: one that is alike is in order, and one that is ahead is not.
func TestOrder(t *testing.T) {
	config := capped.Config{Bins: 200, Capacity: 3, Rate: 0.9, ByBin: true, Seed: 1}
	more := config
	more.Rate = 0.95
	for _, test := range []struct {
		name      string
		low, high capped.Config
		wrong     bool
	}{{"alike", config, config, false}, {"more balls", config, more, false}, {"fewer balls", more, config, true}} {
		low, err := capped.NewProcess(test.low)
		if err != nil {
			t.Fatal(err)
		}
		high, err := capped.NewProcess(test.high)
		if err != nil {
			t.Fatal(err)
		}
		var o order
		for range 50 {
			o.see(low, high, low.Round(), high.Round())
		}
		if wrong := o.pools > 0 && o.thrown > 0 && o.bins > 0; wrong != test.wrong || !wrong && o.wrong() > 0 {
			t.Errorf("%s: %+v", test.name, o)
		}
		if o.rounds != 50 || o.binRounds != 50*200 {
			t.Errorf("%s: %d rounds and %d bins were compared", test.name, o.rounds, o.binRounds)
		}
	}
}

// What is followed by the ages of a pool is what a process does whose younger balls do not exist: for c = 1 THRESHOLD[1] has
// the same law.
func TestDrains(t *testing.T) {
	r := newCappedRunner(t.Context(), Options{Seed: 3}, "test", 2)
	pools := drains{n: 1 << 10, c: 1, lambda: halved(6), lemma3: 1 - 1/math.E}
	if err := r.drainPools(&pools, 2000, 0); err != nil {
		t.Fatal(err)
	}
	batch := drains{n: 1 << 10, c: 1, balls: 3, lemma3: 1 - 1/math.E}
	if err := r.drainBatch(&batch, 300, 1); err != nil {
		t.Fatal(err)
	}
	y := 3.0
	for k := range 4 {
		if math.Abs(batch.surviving[k]-y) > 0.01 {
			t.Errorf("of 3 n balls %v n are left after %d rounds, want %v n", batch.surviving[k], k, y)
		}
		y += math.Expm1(-y)
	}
	y = pools.pool
	for k := range 5 {
		if math.Abs(pools.surviving[k]-y) > 0.01 {
			t.Errorf("of the pool of %v n balls %v n are left after %d rounds, want %v n", pools.pool, pools.surviving[k], k, y)
		}
		y += math.Expm1(-y)
	}
	if pools.count != 2000 || batch.count != 300 || batch.pool != 3 {
		t.Errorf("%+v\n%+v", pools, batch)
	}
}

// What is derived here and not in the capped package.
func TestBerenbrinkFormulas(t *testing.T) {
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
