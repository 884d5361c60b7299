package sim_test

import (
	"math"
	"math/rand/v2"

	"github.com/almanac-sim/almanac/sim"
)

// A server that breaks. The time from the beginning of a service to when the next one can begin, with all repairs in between, is the
// completion time C. If the server breaks in use only, C takes the place of the service in Pollaczek's and Khinchine's formula.
//
// The source is D. P. Gaver, A waiting line with interrupted service, including priorities, Journal of the Royal Statistical Society B 24 (1962).

// repairs are exponential with mean 1 in all of these.
const repairMean, repairSecond = 1., 2.

// breaking is a queue before one server that breaks at rate xi.
func breaking(s *sim.Simulation, closing, lambda, xi float64, inUse bool, rule sim.AtWork, service func(*rand.Rand) float64) *census {
	desk := sim.NewResource(s, "desk", 1)
	c := newCensus(s, desk)
	trouble := desk.Break(sim.Breakdowns{ToFailure: sim.Exponential(1 / xi), Repair: sim.Exponential(repairMean), InUse: inUse, AtWork: rule})
	if !math.IsInf(closing, 1) {
		s.At(2*closing, trouble.End)
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

// completed is what is known of such a queue: for the first two moments of C, how long a service is at work, how long a customer is there
// after it began, and what is added to the wait by those who come while the server is idle and broken.
func completed(lambda, first, second, atWork, inService, added float64) map[string]float64 {
	wq := pollaczekKhinchine(lambda, first, second) + added
	return map[string]float64{
		"Wq desk": wq, "Lq desk": lambda * wq, "W": wq + inService, "L": lambda * (wq + inService), "busy desk": lambda * atWork,
	}
}

// Breaks in use, and goes on with what is left: a service S has a Poisson number of repairs, with mean ξS.
func breaksInUse(lambda, xi float64) model {
	const mean, secondMoment = 1, 4. / 3 // uniform on 0 to 2
	first := mean * (1 + xi*repairMean)
	second := secondMoment*(1+xi*repairMean)*(1+xi*repairMean) + xi*mean*repairSecond
	exact := completed(lambda, first, second, mean, first, 0)
	exact["P(wait)"] = lambda * first
	return model{name: "M/G/1 that breaks in use", length: 50_000, exact: exact, build: func(s *sim.Simulation, closing float64) *census {
		return breaking(s, closing, lambda, xi, true, sim.Resume, func(r *rand.Rand) float64 { return 2 * r.Float64() })
	}}
}

// Breaks by the clock, also when it is idle ([FG86], with exponential times to failure). Whoever comes while nobody is served finds the
// server broken for ξE[R]/(1+ξE[R]) of that time, and what is left of that repair has mean E[R²]/2E[R]: by the decomposition of
// [FC85] the wait is longer by the product.
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
	return model{name: "M/G/1 that breaks by the clock", length: 32_000, exact: exact, build: func(s *sim.Simulation, closing float64) *census {
		return breaking(s, closing, lambda, xi, false, 0, func(r *rand.Rand) float64 { return 2 * r.Float64() })
	}}
}

// Breaks in use, and the service, which takes 1, begins anew. It is done at a try with probability p = e^−ξ; the number of tries before
// is geometric, and each lasts as long as a time to failure that is below 1, and a repair.
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
	return model{name: "M/D/1 that breaks and begins anew", length: 62_000, exact: exact, build: func(s *sim.Simulation, closing float64) *census {
		return breaking(s, closing, lambda, xi, true, sim.Restart, func(*rand.Rand) float64 { return 1 })
	}}
}

// Breaks in use, and who is served then is lost: the service ends at rate μ+ξ, and is followed by a repair with probability ξ/(μ+ξ).
func throwsOut(lambda, mu, xi float64) model {
	served, lost := 1/(mu+xi), xi/(mu+xi)
	first := served + lost*repairMean
	second := 2*served*served + 2*served*lost*repairMean + lost*repairSecond
	exact := completed(lambda, first, second, served, served, 0)
	exact["P(lost)"] = lost
	return model{name: "M/M/1 that breaks and throws out", length: 32_000, exact: exact, build: func(s *sim.Simulation, closing float64) *census {
		return breaking(s, closing, lambda, xi, true, sim.ThrowOut, exponential(mu))
	}}
}
