package sim_test

import (
	"math"
	"testing"

	"github.com/almanac-sim/almanac/sim"
)

// M/M/3 of which two servers break at once, after exponential times by the clock, with exponential repairs: the state is how many are there and
// whether the two are broken, and its distribution in equilibrium is that of a Markov chain. Work that is stopped goes on with what is left, which is
// exponential again. Who finishes instead, with a server that is broken, leaves sooner.
func TestTwoOfThreeServersBreak(t *testing.T) {
	const lambda, mu, breaks, repairs, seeds = 1.2, 1., 0.1, 0.5, 12
	mean := func(rule sim.AtWork) *sim.Tally {
		var all sim.Tally
		for seed := range uint64(seeds) {
			s := sim.New(sim.Seed(seed))
			servers, inside := sim.NewResource(s, "servers", 3), s.NewLevel("inside", 0)
			servers.Break(sim.Breakdowns{ToFailure: sim.Exponential(1 / breaks), Repair: sim.Exponential(1 / repairs), Units: 2, AtWork: rule})
			service := s.Sampler("service", sim.Exponential(1/mu))
			s.Arrive(sim.Poisson(s.Stream("arrivals"), lambda), func() {
				takes := service()
				inside.Add(1)
				s.Go("customer", func(p *sim.Process) {
					must(servers.Work(p, 1, takes))
					inside.Add(-1)
				})
			})
			must(s.Run(t.Context(), 300))
			inside.Reset()
			must(s.Run(t.Context(), 10_300))
			all.Add(inside.Mean())
			s.Close()
		}
		return &all
	}
	exact := partlyBroken(lambda, mu, breaks, repairs, 2000)
	if got := mean(sim.Resume); math.Abs(got.Mean()-exact) > got.CI(0.998) || got.CI(0.998) > 0.06 {
		t.Errorf("%.4f ± %.4f are inside on average, should be %.4f", got.Mean(), got.CI(0.998), exact)
	}
	if got := mean(sim.Finish); got.Mean()+got.CI(0.95) > exact {
		t.Errorf("%.4f ± %.4f are inside on average where all finish, which should be below %.4f", got.Mean(), got.CI(0.95), exact)
	}
	if again := partlyBroken(lambda, mu, breaks, repairs, 4000); math.Abs(again-exact) > 1e-9 {
		t.Errorf("the chain is not in equilibrium: %v and %v", exact, again)
	}
}

// partlyBroken is how many are inside on average, by steps of the chain that is looked at at the rate of all events together.
func partlyBroken(lambda, mu, breaks, repairs float64, steps int) (mean float64) {
	const most = 200 // where nobody comes any more
	rate := lambda + 3*mu + max(breaks, repairs)
	change, servers := []float64{breaks, repairs}, []float64{3, 1}
	p := [2][most]float64{{1}}
	for range steps {
		var next [2][most]float64
		for broken := range p {
			for n, x := range p[broken] {
				out := change[broken]
				next[1-broken][n] += x * change[broken] / rate
				if n+1 < most {
					next[broken][n+1] += x * lambda / rate
					out += lambda
				}
				if n > 0 {
					served := mu * min(float64(n), servers[broken])
					next[broken][n-1] += x * served / rate
					out += served
				}
				next[broken][n] += x * (1 - out/rate)
			}
		}
		p = next
	}
	for broken := range p {
		for n, x := range p[broken] {
			mean += float64(n) * x
		}
	}
	return mean
}
