package population_test

import (
	"fmt"
	"math"
	"testing"

	"github.com/almanac-sim/almanac/internal/testscale"
	"github.com/almanac-sim/almanac/population"
)

// logChoose is the logarithm of n over k.
func logChoose(n, k float64) float64 {
	a, _ := math.Lgamma(n + 1)
	b, _ := math.Lgamma(k + 1)
	c, _ := math.Lgamma(n - k + 1)
	return a - b - c
}

// In the beginning of an epidemic, while nearly all are susceptible, the numbers of offspring are
// geometric if individuals are infectious for an exponential period, and Poisson if for a fixed
// one. Below the threshold all epidemics are beginnings. The sizes of trees then have the law of
// Borel for a fixed period, that of all who were ever infected the law of Borel and Tanner; for an
// exponential period there are Catalan numbers in it.
//
// By Wald's second identity, the number of those with k offspring out of n in whole trees has the
// variance of n independent ones.
func TestExactOffspring(t *testing.T) {
	const r, roots = 0.7, 3
	geometric := func(k float64) float64 { return math.Pow(r/(1+r), k) / (1 + r) }
	poisson := func(k float64) float64 {
		logGamma, _ := math.Lgamma(k + 1)
		return math.Exp(k*math.Log(r) - r - logGamma)
	}
	for _, c := range []struct {
		name, after      string
		offspring, wrong func(k float64) float64
		// total is the probability that m individuals begin trees of n in all.
		total func(m, n float64) float64
	}{
		{"exponential", "{exponential: {mean: 1 day}}", geometric, poisson, func(m, n float64) float64 {
			return m / n * math.Exp(logChoose(2*n-m-1, n-m)+(n-m)*math.Log(r)-(2*n-m)*math.Log(1+r))
		}},
		{"fixed", "1 day", poisson, geometric, func(m, n float64) float64 {
			logGamma, _ := math.Lgamma(n - m + 1)
			return m / n * math.Exp(-r*n+(n-m)*math.Log(r*n)-logGamma)
		}},
	} {
		n := testscale.Size(800, 10_000)
		run := exactSimulate(t, 4, n, `
name: chains
time: {unit: day, end: 400}
population: {size: %d, start: {well: rest}}
states: {well: {}, ill: {race: [{after: %s, to: done}]}, done: {}}
interventions: [{at: 0 days, who: well, count: %d, to: ill, name: infection}]
transmission: [{from: ill, rate: %v per day, to: {well: ill}, name: infection}]
record: {every: 400 days, tree: {of: infection}}
`, testscale.Size(4000, 30_000), c.after, roots, r)
		tree, all, totals := run.Tree(), 0.0, map[uint64]float64{}
		for i := range run.Runs {
			infected := run.Runs[i].Named(1, 0)
			all += float64(infected)
			totals[infected]++
		}
		for k := range 6 {
			p := c.offspring(float64(k))
			checkShare(t, fmt.Sprintf("%s: %d offspring", c.name, k), tree.Offspring[k]*all, all, p)
		}
		p := c.offspring(0)
		checkNotices(t, "offspring of the other law", tree.Offspring[0], c.wrong(0), math.Sqrt(p*(1-p)/all))
		for size := 1; size <= 8; size++ {
			what := fmt.Sprintf("%s: trees of %d", c.name, size)
			checkShare(t, what, float64(tree.Chains[size]), float64(roots*n), c.total(1, float64(size)))
			what = fmt.Sprintf("%s: %d in all", c.name, size+2)
			checkShare(t, what, totals[uint64(size+2)], float64(n), c.total(roots, float64(size+2)))
		}
		trees := uint64(0)
		for size, n := range tree.Chains {
			trees += n
			all -= float64(size) * float64(n)
		}
		if trees != uint64(roots*n) || all != 0 {
			t.Errorf("%s: %d trees, want %d; %v individuals more than in trees", c.name, trees, roots*n, all)
		}
	}
}

// While an epidemic grows at rate r, the times back from infections to those of their infectors
// have density R·e^(−rτ)·w(τ), where w is the density of the times forward: they are shorter, since
// most infectors were infected lately.
func TestExactBackwardIntervals(t *testing.T) {
	const beta, sigma = 2.0, 1.5
	for _, c := range []struct {
		name, states, enter string
		rate                float64                   // of growth
		density             func(tau float64) float64 // of the times back
		forward             float64                   // mean of the times forward
		longest             float64
	}{
		{"exponential", "ill: {race: [{rate: 1 per day, to: done}]}", "ill", beta - 1,
			func(tau float64) float64 { return beta * math.Exp(-(beta-1)*tau) * math.Exp(-tau) }, 1, 20},
		{"fixed", "ill: {race: [{after: 1 day, to: done}]}", "ill", 1.5936242600400401, // 2(1 − e^−r) = r
			func(tau float64) float64 { return beta * math.Exp(-1.5936242600400401*tau) }, 0.5, 1},
		{"latent", "ill: {race: [{rate: 1.5 per day, to: shedding}]}, shedding: {race: [{rate: 1 per day, to: done}]}",
			"shedding", latentGrowth(beta, sigma),
			func(tau float64) float64 {
				w := sigma / (sigma - 1) * (math.Exp(-tau) - math.Exp(-sigma*tau))
				return beta * math.Exp(-latentGrowth(beta, sigma)*tau) * w
			}, 1 + 1/sigma, 20},
	} {
		// The law holds once the beginning is forgotten, and until infections are an appreciable share.
		const seeds, size = 40, 1_000_000
		from := 5.0 / (c.rate + 1)
		to := max(math.Log(40)/c.rate, from+0.5)
		var times []float64
		o := population.Options{Seed: 6, Replicas: testscale.Size(3, 20), Workers: 1}
		o.OnInfection = func(e population.Infection) {
			if e.Time > from {
				times = append(times, e.Time-e.ByTime)
			}
		}
		exactObserve(t, o, `
name: growth
time: {unit: day, end: %v}
population: {size: %d, start: {well: rest}}
states: {well: {}, %s, done: {}}
interventions: [{at: 0 days, who: well, count: %d, to: ill, name: infection}]
transmission: [{from: %s, rate: %v per day, to: {well: ill}, name: infection}]
record: {every: %v days, tree: {of: infection}}
`, to, size, c.states, seeds, c.enter, beta, to)
		n := float64(len(times))
		if n < 5000 {
			t.Fatalf("%s: %v times", c.name, n)
		}
		// below is the probability of less than τ, by the midpoint rule.
		below := func(tau float64) (p float64) {
			const steps = 4000
			for k := range steps {
				p += c.density((float64(k)+0.5)*tau/steps) * tau / steps
			}
			return p
		}
		if all := below(c.longest); math.Abs(all-1) > 1e-4 {
			t.Fatalf("%s: the density is of %v", c.name, all)
		}
		mean := 0.0
		for _, x := range times {
			mean += x / n
		}
		for _, tau := range []float64{0.1, 0.2, 0.35, 0.5, 0.75, 0.9, 1.5, 2} {
			if tau >= c.longest {
				break
			}
			shorter := 0.0
			for _, x := range times {
				if x < tau {
					shorter++
				}
			}
			p := below(tau)
			checkZ(t, fmt.Sprintf("%s: less than %v days", c.name, tau), shorter/n, p, math.Sqrt(p*(1-p)/n))
		}
		checkNotices(t, "the mean that of times forward", mean, c.forward, mean/math.Sqrt(n))
	}
}

// latentGrowth is the rate of growth with exponential latent and infectious periods: (r + σ)(r + 1)
// = βσ.
func latentGrowth(beta, sigma float64) float64 {
	b := sigma + 1
	return (-b + math.Sqrt(b*b-4*(sigma-beta*sigma))) / 2
}
