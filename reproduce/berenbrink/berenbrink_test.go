package berenbrink

import (
	"math"
	"testing"

	"github.com/almanac-sim/almanac/capped"
	"github.com/almanac-sim/almanac/internal/testscale"
	"github.com/almanac-sim/almanac/reproduce"
	"github.com/almanac-sim/almanac/reproduce/reproducetest"
)

// little is enough for the checks to hold, and for wrong theories to be noticed.
func little() effort {
	return effort{scale: testscale.Size(0.03, 0.05), bins: 1 << 10, theory: paperTheory()}
}

// before is what each claim finds as it is, computed once.
func before(t *testing.T) map[string]reproduce.Result {
	all := map[string]reproduce.Result{}
	for _, c := range claims(little()) {
		t.Run(c.Name, func(t *testing.T) {
			f := reproducetest.Verdict(t, c, 2021)
			reproducetest.Illustrated(t, f)
			if c.Paper != "Berenbrink et al. 2021" {
				t.Errorf("it is of %s", c.Paper)
			}
			all[c.Name] = reproduce.Result{Name: c.Name, Verdict: f.Verdict(), Checks: f.Checks, Finding: f}
		})
	}
	return all
}

// Every claim has the verdict that was found before, and another one when the theory or the paper's
// number is wrong, also with little effort.
func TestClaims(t *testing.T) {
	found := before(t)
	paper := paperTheory()
	times := func(f func(n, c int, lambda float64) float64, factor float64) func(n, c int, lambda float64) float64 {
		return func(n, c int, lambda float64) float64 { return factor * f(n, c, lambda) }
	}
	anotherSeed := func(y *theory) { y.partner = func(seed uint64) uint64 { return seed + 1 } }
	thrown := func(factor float64) func(*theory) {
		return func(y *theory) {
			y.leastThrown = func(c capped.Config) float64 { return factor * paper.leastThrown(c) }
		}
	}
	wrongCapacity := func(y *theory) {
		y.capped = func(c int, lambda float64) *capped.Limit { return paper.capped(c+1, lambda) }
	}
	tooLittle := func(y *theory) { y.poolBound, y.waitBound = times(paper.poolBound, 0.05), times(paper.waitBound, 0.05) }
	tested := map[string]bool{}
	for _, test := range []struct {
		name, claim string
		spoil       func(*theory)
		checks      []string // parts of the names of checks that must turn
	}{
		{"ln ln n", "capped-log-log", func(y *theory) { y.logLog = math.Log },
			[]string{"growth of the longest wait beyond that of log₂log₂n, from 2¹⁰ to 2⁹⁰⁰ bins, CAPPED, c = " +
				"1, λ = 0.75"}},
		{"another number of choices", "capped-log-log", func(y *theory) {
			y.greedy = func(d int, lambda float64) *capped.Limit { return paper.greedy(3-d, lambda) }
		}, []string{"longest wait off the limit, in standard errors, at most, GREEDY[1]",
			"growth of the longest wait for each doubling of n",
			"growth of the longest wait, GREEDY[2]"}},
		{"another capacity", "capped-log-log", wrongCapacity,
			[]string{"longest wait off the limit, in standard errors, at most, CAPPED, c = 1", "requests per bin"}},
		{"the cube root", "capped-root-log", func(y *theory) { y.rootLog = 1.0 / 3 },
			[]string{"power of ln n as which the longest wait grows from 2²⁰ to e⁶⁰⁰ bins, c = √ln n"}},
		{"a constant capacity", "capped-root-log", func(y *theory) { y.rootCapacity = func(float64) int { return 3 } },
			[]string{"power of ln n as which the longest wait grows from 2²⁰ to e⁶⁰⁰ bins, c = √ln n"}},
		{"log₂log₂n", "capped-threshold", func(y *theory) { y.logLogThreshold = math.Log2 },
			[]string{"growth of the rounds beyond that of the printed ln ln n"}},
		{"a ball more than bins in every round", "capped-recurrence",
			func(y *theory) { y.arrivals = func(n int, _ float64) int { return n + 1 } },
			[]string{"exact mean time of return over Foster's bound, at least", "runs of 24 that have not come back"}},
		{"c + 1/2", "capped-factor-c", func(y *theory) { y.factor = func(c float64) float64 { return c + 0.5 } },
			[]string{"the pool is off c, over c²/ln(1/(1−λ)), c = 4",
				"the mean wait is off c, over c²/ln(1/(1−λ)), c = 2"}},
		{"√ln n for ln n", "capped-pool-n-log-n", func(y *theory) { y.poolLog = math.Sqrt }, []string{"pool times c"}},
		{"a tenth of the bounds", "capped-pool-n-log-n", func(y *theory) { y.poolBound = times(paper.poolBound, 0.1) },
			[]string{"largest pool over the bound"}},
		{"ℓ(t−1) in section II", "capped-algorithm-1", func(y *theory) {
			y.sectionII = func(load, _ int) int { return load }
		}, []string{"section II gives no number"}},
		{"a capacity of 3", "capped-infinite", func(y *theory) { y.infinite = 3 }, []string{"balls served", "bins of"}},
		{"GREEDY[2]", "capped-infinite", func(y *theory) { y.choices = 2 }, []string{"bins of"}},
		{"generators that never fail", "capped-footnote-2", func(y *theory) { y.idle = 0 },
			[]string{"the bound on the probability"}},
		{"a twentieth of the bounds", "capped-footnote-2", tooLittle, []string{"largest pool", "longest wait"}},
		{"a twentieth of the bounds", "capped-theorem-1", tooLittle, []string{"largest pool over its bound",
			"longest wait over its bound"}},
		{"a twentieth of the bounds", "capped-theorem-2", tooLittle, []string{"largest pool over its bound, c = 2",
			"longest wait over its bound, c = 5"}},
		{"another seed", "capped-lemma-1", anotherSeed, []string{"out of order with one ball more in every round"}},
		{"red is ⌊t/c⌋", "capped-lemma-6", func(y *theory) { y.red = func(t, c int) int { return t / c } },
			[]string{"a buffer holds more than its capacity, as printed"}},
		{"another seed", "capped-lemma-6", anotherSeed, []string{"out of order with one ball more in every round"}},
		{"twice m*", "capped-lemma-1", thrown(2), []string{"throws fewer than m*"}},
		{"a fifth of m*", "capped-lemma-6", thrown(0.2), []string{"after which the pool of MODCAPPED is 2m* or more"}},
		{"3n go in a round", "capped-waiting-lemmas", func(y *theory) { y.lemma3 = 3 }, []string{"more than 2n survivors"}},
		{"1 round of Lemma 4", "capped-waiting-lemmas", func(y *theory) { y.lemma4 = 1 }, []string{"to n/(2e) survivors"}},
		{"log log n − 2", "capped-waiting-lemmas", func(y *theory) { y.lemma5.Value = -2 }, []string{"survivors to none"}},
		{"more for fewer", "capped-equations-3-4", func(y *theory) { y.fewer = false }, []string{"the sentences' events"}},
		{"n² for n", "capped-lemma-5-sketch", func(y *theory) {
			y.lemma5Until = func(n float64) float64 { return 4 * n * math.Log(n) }
		}, []string{"i* as printed"}},
		{"a chance of two thirds", "capped-filled-buffers", func(y *theory) { y.goodChance.Value = 2.0 / 3 },
			[]string{"for c ≤ 1/(1−λ)"}},
		{"four times as large a capacity", "capped-filled-buffers", func(y *theory) {
			y.upTo = func(lambda float64) float64 {
				return 4 / (1 - lambda)
			}
		},
			[]string{"for c ≤ 1/(1−λ)"}},
		{"a chance of 1 in a billion", "capped-filled-buffers", func(y *theory) { y.goodChance.Value = 1e-9 },
			[]string{"c up to 64"}},
		{"another capacity", "capped-filled-buffers", wrongCapacity, []string{"where balls land, off the limit"}},
		{"less the balls of the phase before", "capped-lemma-7-increase", func(y *theory) {
			y.lemma7Deleted = func(c, n, failed int) float64 { return float64(c*(n-failed) - (c-1)*n) }
		}, []string{"grows more than printed"}},
		{"2c for c", "capped-lemma-7-increase", func(y *theory) {
			y.lemma7Deleted = func(c, n, failed int) float64 { return float64(2 * c * (n - failed)) }
		}, []string{"with (c−1)n added"}},
		{"e^(1−3c²)", "capped-lemma-7-equality", func(y *theory) {
			y.lemma7Middle = func(c float64) float64 { return c*math.Log(4) - 3*c*c + 1 }
		}, []string{"left and middle differ"}},
		{"e^(1−4c²)", "capped-lemma-7-equality", func(y *theory) {
			y.lemma7Middle = func(c float64) float64 { return c*math.Log(4) - 4*c*c + 1 }
		}, []string{"the left is above the middle"}},
		{"m*/c", "capped-equation-10", func(y *theory) { y.equation10 = func(least, c float64) float64 { return least / c } },
			[]string{"above the printed one"}},
		{"half is negligible", "capped-size", func(y *theory) { y.negligible.Value = 50 },
			[]string{"impact of n on the longest wait"}},
		{"another capacity", "capped-size", wrongCapacity, []string{"pool and mean wait off the limit"}},
		{"two thirds of the line", "capped-figure-4", func(y *theory) { y.poolEstimate = times(paper.poolEstimate, 2.0/3) },
			[]string{"pool over the dashed line"}},
		{"a rate that is off by a hundredth", "capped-figure-4", func(y *theory) {
			y.capped = func(c int, lambda float64) *capped.Limit { return paper.capped(c, 0.99*lambda) }
		}, []string{"pool off the limit, in standard errors, at most, λ = 1−2⁻²",
			"pool off the limit, in standard errors, at most, c = 3"}},
		{"1/c in the text", "capped-figure-5", func(y *theory) { y.waitText = paper.waitEstimate },
			[]string{"the line of the text"}},
		{"half of the line", "capped-figure-5", func(y *theory) { y.waitEstimate = times(paper.waitEstimate, 0.5) },
			[]string{"longest wait of a round, on average, over the dashed line",
				"longest wait of 1000 rounds over the dashed line"}},
		{"a figure that shows the long run", "capped-burn-in", func(y *theory) { y.figure5 = &reading{8.0, 0.2} }, nil},
		{"a figure that shows 2000 rounds", "capped-burn-in", func(y *theory) { y.figure5 = &reading{6.2, 0.2} }, nil},
		{"another capacity", "capped-published-code", wrongCapacity, []string{"pool off the mean field of the same rounds",
			"pool in the long run"}},
		{"three times as many rounds as it takes", "capped-published-code",
			func(y *theory) { y.versions = []version{{"none", 120_000, 0, 0}} }, nil},
		{"c = 4", "capped-sweet-spot", func(y *theory) { y.sweet = [2]float64{4, 4} },
			[]string{"best capacity for the mean wait", "best capacity for the longest wait"}},
		{"another capacity", "capped-sweet-spot", wrongCapacity, []string{"capacity with the least mean wait, simulated",
			"capped.SweetSpot", "mean wait off the limit"}},
		{"2 for 2e", "capped-lemma-8", func(y *theory) { y.lemma8 = 2 }, []string{"independent trials"}},
		{"1+δ for 2+δ", "capped-lemma-9", func(y *theory) { y.lemma9 = 1 }, []string{"independent trials"}},
		{"six times the exponent", "capped-lemma-10", func(y *theory) { y.lemma10 = 6 },
			[]string{"probability over its bound"}},
		{"a hundredth more than p", "capped-lemma-11", func(y *theory) { y.lemma11 = 1.01 },
			[]string{"over that of the binomial law"}},
	} {
		if tested[test.claim] && !testscale.On {
			continue
		}
		tested[test.claim] = true
		t.Run(test.claim+": "+test.name, func(t *testing.T) {
			e := little()
			test.spoil(&e.theory)
			reproducetest.Notices(t, found[test.claim], reproducetest.Named(t, claims(e), test.claim), 2021, test.checks...)
		})
	}
	for name := range found {
		if !tested[name] {
			t.Errorf("nothing that would be wrong is tried on %s", name)
		}
	}
}

func TestStops(t *testing.T) { reproducetest.Stops(t, Claims()) }

func TestSeeds(t *testing.T) {
	c := reproducetest.Named(t, claims(little()), "capped-waiting-lemmas")
	reproducetest.Seeded(t, c, func(f reproduce.Finding) float64 { return f.Tables[0].Rows[0][4] })
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
		{"rounds of THRESHOLD[1] with two balls, exactly", thresholdExact(2), 1.5, 1e-12},
		{"rounds of THRESHOLD[1] with 2¹⁰ balls, exactly and by the mean field", thresholdExact(1 << 10),
			thresholdField(10), thresholdRest(10)},
		{"empty bins of 3 after 2 balls", emptiesMean(3, 2), 4.0 / 3, 1e-12},
		{"rounds from 2 balls to 0, 2 bins, none coming", returnTimes(2, 0, 0, 2)[1], 1.5, 1e-12},
		{"half full by the diffusion, c = 1/(1−λ)", landingByDiffusion(1), landingOf(capped.NewLimit(1<<10, halved(10)),
			10).half, 1e-3},
		{"half full by the diffusion, c = 1/(2(1−λ))", landingByDiffusion(0.5), 0.5, 1e-9},
		{"others in a bin without a limit", landingOf(capped.NewLimit(64, 0.75), 2).others, 1.5, 1e-3},
		{"balls of all places", landingShares(capped.NewLimit(5, 0.75)), 1, 1e-12},
		{"pool of the far limit", far(3, 10).pool(), capped.NewLimit(3, halved(10)).Pool, 1e-9},
		{"wait of the far limit", far(3, 10).wait() / halved(10), capped.NewLimit(3, halved(10)).Wait, 1e-9},
		{"time in the pool, 2²⁰ bins, c = 1", pooled(1, rootNear), longestOf(capped.NewLimit(1, halved(20)), 1<<20), 1e-6},
		{"rounds of THRESHOLD[1] with 2²⁵ balls", thresholdField(25), 5, 1e-3},
		{"rounds of THRESHOLD[1] with 2¹⁰⁰⁰ balls", thresholdField(1000), 10, 1e-3},
		{"longest of one ball of every second round", longestOf(capped.NewLimit(1, 0.5), 1), 0.18, 0.05},
		{"pool that > for ≥ takes away, with 8 empty bins", biasedPool(64, 3, 1) - biasedPool(64, 3, 0),
			math.Log(1+1.0/64) - math.Log(1+1.0/8), 2e-3},
		{"pool of 64 bins, with its finite size", biasedPool(64, 4, 0), capped.NewLimit(1, halved(4)).Pool -
			(4*math.Ln2-0.5)/128, 2e-3},
		{"pool after 2000 rounds, by the recursion and by the mean field", emptyStart(1<<25, 0.999, 0, 2000)[1999],
			capped.NewLimit(1, 0.999).FromEmpty(2000)[1999], 1e-5},
		{"pool in the long run with > for ≥, by the recursion", emptyStart(1<<15, halved(6), 1, 2000)[1999] -
			emptyStart(1<<15, halved(6), 0, 2000)[1999], math.Log1p(1.0/(1<<15)) - math.Log1p(1.0/512), 1e-6},
		{"B(4, 1/2) above 2", binomialAbove(4, 0.5, 2.5), 5.0 / 16, 1e-12},
		{"B(4, 1/2) above 4", binomialAbove(4, 0.5, 4), 0, 0},
		{"the probability that some of 2 survivors are left after a round, 11 bins, is 1/11",
			float64(lastRounds(11, 0.0910)), 1, 0},
		{"and no less", float64(lastRounds(11, 0.0909)), 2, 0},
		{"capacity of a buffer in its first phase", float64(bufferCapacity(3, 9, 4)), 1, 0},
		{"capacity of a buffer in its last phase", float64(bufferCapacity(3, 13, 4)), 3, 0},
		{"m* of section IV at λ = 1−e⁻², c = 2", leastPerBin(2, -math.Expm1(-2)), 14, 1e-12},
		{"bound with n generators, two bins, λ = 1/2, c = 1", generatorBound(1, 2, 0.5, 1),
			-2*(math.Ln2+2)*math.Log2E - math.Log2(math.Expm1(1-1/math.E-(math.E-1)*math.Exp(-2))), 1e-12},
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

// emptiesMean is the mean number of empty bins, by their law.
func emptiesMean(n, balls int) float64 {
	mean := 0.0
	empties(n, balls, func(m int, law []float64) {
		if mean = 0; m == balls {
			for k, p := range law {
				mean += float64(k) * p
			}
		}
	})
	return mean
}

// far is the far limit of 2^power bins.
func far(c int, power float64) *farLimit {
	l := newFarLimit(c, power*math.Ln2)
	return &l
}

// landingShares is the share of the balls that land anywhere: in bins that are half full, and in
// others.
func landingShares(l *capped.Limit) float64 {
	asks, sum := tails(poisson(l.Requests, 200)), 0.0
	for p := range l.Capacity {
		for load := range p + 1 {
			sum += l.Loads[load] * asks[p+1-load] / l.Rate
		}
	}
	return sum
}

// ratioOfTail is by how much the law falls from one wait to the next, far out.
func ratioOfTail(waits []float64) float64 { return waits[200] / waits[199] }
