package sim_test

import (
	"math"
	"math/rand/v2"
	"testing"

	"github.com/almanac-sim/almanac/sim"
)

// repairs are exponential with mean 1 in all of these.
const repairMean, repairSecond = 1., 2.

// breaking is a queue before one server that breaks at rate xi.
func breaking(s *sim.Simulation, closing, lambda, xi float64, inUse bool, rule sim.WorkRule,
	service func(*rand.Rand) float64) *census {
	desk := sim.NewResource(s, "desk", 1)
	c := newCensus(s, desk)
	trouble := desk.Break(sim.BreakdownConfig{ToFailure: sim.Exponential(1 / xi), Repair: sim.Exponential(repairMean),
		InUse: inUse, Rule: rule})
	if !math.IsInf(closing, 1) {
		s.At(2*closing, trouble.Stop)
	}
	times := s.Stream("service")
	c.customer = func(p *sim.Process) {
		c.visit(p, func() {
			came := p.Now()
			grant, err := desk.Request(p, 1)
			must(err)
			c.mean("P(wait)", share(p.Now() > came))
			err = grant.Work(service(times))
			grant.Release()
			c.mean("P(lost)", share(err != nil))
		})
	}
	c.arrive("arrivals", lambda, closing, c.customer)
	return c
}

// completed is what is known of such a queue: for the first two moments of C, how long a service is
// at work, how long a customer is there after it began, and what is added to the wait by those who
// come while the server is idle and broken.
func completed(lambda, first, second, atWork, inService, added float64) map[string]float64 {
	wq := pollaczekKhinchine(lambda, first, second) + added
	return map[string]float64{
		"Wq desk": wq, "Lq desk": lambda * wq, "W": wq + inService, "L": lambda * (wq + inService), "busy desk": lambda *
			atWork,
	}
}

// Breaks in use, and goes on with what is left: a service S has a Poisson number of repairs, with
// mean ξS.
func breaksInUse(lambda, xi float64) model {
	const mean, secondMoment = 1, 4. / 3 // uniform on 0 to 2
	first := mean * (1 + xi*repairMean)
	second := secondMoment*(1+xi*repairMean)*(1+xi*repairMean) + xi*mean*repairSecond
	exact := completed(lambda, first, second, mean, first, 0)
	exact["P(wait)"] = lambda * first
	return model{name: "M/G/1 that breaks in use", length: 50_000, exact: exact, build: func(s *sim.Simulation,
		closing float64) *census {
		return breaking(s, closing, lambda, xi, true, sim.Resume, func(r *rand.Rand) float64 { return 2 * r.Float64() })
	}}
}

// Breaks by the clock, also when it is idle ([FG86], with exponential times to failure). Whoever
// comes while nobody is served finds the server broken for ξE[R]/(1+ξE[R]) of that time, and what
// is left of that repair has mean E[R²]/2E[R]: by the decomposition of [FC85] the wait is longer by
// the product.
//
// [FG86]: https://doi.org/10.1287/opre.34.5.752
// [FC85]: https://doi.org/10.1287/opre.33.5.1117
func breaksByTheClock(lambda, xi float64) model {
	const mean, secondMoment = 1, 4. / 3
	first := mean * (1 + xi*repairMean)
	second := secondMoment*(1+xi*repairMean)*(1+xi*repairMean) + xi*mean*repairSecond
	broken := xi * repairMean / (1 + xi*repairMean)
	exact := completed(lambda, first, second, mean, first, broken*repairSecond/2/repairMean)
	exact["P(wait)"] = lambda*first + (1-lambda*first)*broken
	return model{name: "M/G/1 that breaks by the clock", length: 32_000, exact: exact, build: func(s *sim.Simulation,
		closing float64) *census {
		return breaking(s, closing, lambda, xi, false, 0, func(r *rand.Rand) float64 { return 2 * r.Float64() })
	}}
}

// Breaks in use, and the service, which takes 1, begins anew. It is done at a try with probability
// p = e^−ξ; the number of tries before is geometric, and each lasts as long as a time to failure
// that is below 1, and a repair.
func beginsAnew(lambda, xi float64) model {
	p := math.Exp(-xi)
	tries, triesVar := (1-p)/p, (1-p)/p/p
	tried := 1/xi - p/(1-p)
	triedSecond := 2/xi/xi - p*(1+2/xi)/(1-p)
	each := tried + repairMean
	eachVar := triedSecond - tried*tried + repairSecond - repairMean*repairMean
	first := 1 + tries*each
	second := tries*eachVar + triesVar*each*each + first*first
	exact := completed(lambda, first, second, 1+tries*tried, first, 0)
	return model{name: "M/D/1 that breaks and begins anew", length: 62_000, exact: exact, build: func(s *sim.Simulation,
		closing float64) *census {
		return breaking(s, closing, lambda, xi, true, sim.Restart, func(*rand.Rand) float64 { return 1 })
	}}
}

// Breaks in use, and who is served then is lost: the service ends at rate μ+ξ, and is followed by a
// repair with probability ξ/(μ+ξ).
func throwsOut(lambda, mu, xi float64) model {
	served, lost := 1/(mu+xi), xi/(mu+xi)
	first := served + lost*repairMean
	second := 2*served*served + 2*served*lost*repairMean + lost*repairSecond
	exact := completed(lambda, first, second, served, served, 0)
	exact["P(lost)"] = lost
	return model{name: "M/M/1 that breaks and throws out", length: 32_000, exact: exact, build: func(s *sim.Simulation,
		closing float64) *census {
		return breaking(s, closing, lambda, xi, true, sim.Interrupt, exponential(mu))
	}}
}

// M/M/3 of which two servers break at once, after exponential times by the clock, with exponential
// repairs: the state is how many are there and whether the two are broken, and its distribution in
// equilibrium is that of a Markov chain. Work that is stopped goes on with what is left, which is
// exponential again. Who finishes instead, with a server that is broken, leaves sooner.
func TestTwoOfThreeServersBreak(t *testing.T) {
	const lambda, mu, breaks, repairs, seeds = 1.2, 1., 0.1, 0.5, 12
	mean := func(rule sim.WorkRule) *sim.Tally {
		var all sim.Tally
		for seed := range uint64(seeds) {
			s := sim.New(sim.Seed(seed))
			servers, inside := sim.NewResource(s, "servers", 3), s.NewTimeWeighted("inside", 0)
			servers.Break(sim.BreakdownConfig{ToFailure: sim.Exponential(1 / breaks), Repair: sim.Exponential(1 / repairs),
				Units: 2, Rule: rule})
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
		t.Errorf("%.4f ± %.4f are inside on average where all finish, which should be below %.4f", got.Mean(), got.CI(0.95),
			exact)
	}
	if again := partlyBroken(lambda, mu, breaks, repairs, 4000); math.Abs(again-exact) > 1e-9 {
		t.Errorf("the chain is not in equilibrium: %v and %v", exact, again)
	}
}

// partlyBroken is how many are inside on average, by steps of the chain that is looked at at the
// rate of all events together.
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
