package sim_test

import (
	"errors"
	"math"
	"math/rand/v2"
	"strings"

	"github.com/almanac-sim/almanac/sim"
)

// One server, first come, first served. The time in the system is exponential with rate μ−λ.
func mm1(lambda, mu float64) model {
	return model{
		name: "M/M/1", length: 36_000,
		build: func(s *sim.Simulation, closing float64) *census {
			return single(s, closing, lambda, 1, exponential(mu))
		},
		exact: mm1Exact(lambda, mu),
	}
}

func mm1Exact(lambda, mu float64) map[string]float64 {
	rho := lambda / mu
	return map[string]float64{
		"L": rho / (1 - rho), "Lq desk": rho * rho / (1 - rho), "W": 1 / (mu - lambda), "Wq desk": rho / (mu - lambda),
		"busy desk": rho, "P(wait)": rho, "W90": math.Log(10) / (mu - lambda),
	}
}

// The same queue without processes: an event for each arrival, and one for each departure, when a resource has granted a place.
func mm1Requests(lambda, mu float64) model {
	exact := mm1Exact(lambda, mu)
	delete(exact, "P(wait)")
	return model{name: "M/M/1 by requests", length: 36_000, exact: exact, build: func(s *sim.Simulation, closing float64) *census {
		desk := sim.NewResource(s, "desk", 1)
		c := newCensus(s, desk)
		gaps, times := s.Stream("arrivals"), s.Stream("service")
		var arrive func()
		arrive = func() {
			if s.Now() > closing {
				return
			}
			came := s.Now()
			c.present.Add(1)
			desk.RequestThen(1, func(g *sim.Grant) {
				s.After(times.ExpFloat64()/mu, func() {
					g.Release()
					c.present.Add(-1)
					c.sojourns.Add(s.Now() - came)
				})
			})
			s.After(gaps.ExpFloat64()/lambda, arrive)
		}
		s.After(gaps.ExpFloat64()/lambda, arrive)
		return c
	}}
}

// The same queue by events and a list of those who are there.
func mm1Events(lambda, mu float64) model {
	exact := mm1Exact(lambda, mu)
	for name := range exact {
		if strings.HasSuffix(name, " desk") {
			delete(exact, name)
		}
	}
	return model{name: "M/M/1 by events", length: 36_000, exact: exact, build: func(s *sim.Simulation, closing float64) *census {
		c := newCensus(s)
		gaps, times := s.Stream("arrivals"), s.Stream("service")
		var came []float64 // when those who are there came; the first is being served
		var arrive, depart func()
		arrive = func() {
			if s.Now() > closing {
				return
			}
			c.mean("P(wait)", share(len(came) > 0))
			came = append(came, s.Now())
			c.present.Add(1)
			if len(came) == 1 {
				s.After(times.ExpFloat64()/mu, depart)
			}
			s.After(gaps.ExpFloat64()/lambda, arrive)
		}
		depart = func() {
			c.present.Add(-1)
			c.sojourns.Add(s.Now() - came[0])
			came = came[1:]
			if len(came) > 0 {
				s.After(times.ExpFloat64()/mu, depart)
			}
		}
		s.After(gaps.ExpFloat64()/lambda, arrive)
		return c
	}}
}

// Several servers, one line: Erlang's C.
func mmc(lambda, mu float64, c int) model {
	a := lambda / mu
	delayed := erlangC(c, a)
	wq := delayed / (float64(c)*mu - lambda)
	return model{
		name: "M/M/c", length: 29_000,
		build: func(s *sim.Simulation, closing float64) *census {
			return single(s, closing, lambda, c, exponential(mu))
		},
		exact: map[string]float64{
			"L": lambda*wq + a, "Lq desk": lambda * wq, "W": wq + 1/mu, "Wq desk": wq, "busy desk": a, "P(wait)": delayed,
		},
	}
}

// One server with room for so many in the line; others balk. The law is geometric, cut off.
func mm1k(lambda, mu float64, room int) model {
	rho := lambda / mu
	k := float64(room + 1) // with the one who is served
	blocked := (1 - rho) * math.Pow(rho, k) / (1 - math.Pow(rho, k+1))
	l := rho/(1-rho) - (k+1)*math.Pow(rho, k+1)/(1-math.Pow(rho, k+1))
	entering := lambda * (1 - blocked)
	lq := l - entering/mu
	return model{
		name: "M/M/1/K", length: 16_000,
		build: func(s *sim.Simulation, closing float64) *census {
			return single(s, closing, lambda, 1, exponential(mu), sim.AtMost(room))
		},
		exact: map[string]float64{
			// Those who balk leave at once, so that W is over all who came.
			"P(lost)": blocked, "L": l, "W": l / lambda, "Lq desk": lq, "Wq desk": lq / entering, "busy desk": entering / mu,
		},
	}
}

// Several servers, and customers who leave the line after an exponential time: Palm's or Erlang's A.
func impatient(lambda, mu float64, servers int, theta float64) model {
	var up, down []float64
	for n := range 200 {
		up = append(up, lambda)
		down = append(down, mu*float64(min(n+1, servers))+theta*float64(max(0, n+1-servers)))
	}
	law := birthDeath(up, down)
	l, lq := mean(law), waiting(law, servers)
	return model{
		name: "M/M/c with reneging", length: 4_000,
		exact: map[string]float64{
			"P(lost)": theta * lq / lambda, "L": l, "W": l / lambda, "Lq desk": lq, "busy desk": l - lq,
		},
		build: func(s *sim.Simulation, closing float64) *census {
			desk := sim.NewResource(s, "desk", servers)
			c := newCensus(s, desk)
			times, patience := s.Stream("service"), s.Stream("patience")
			c.arrive("arrivals", lambda, closing, func(p *sim.Process) {
				c.visit(p, func() {
					came := p.Now()
					err := desk.Use(p, 1, func() { must(p.Wait(times.ExpFloat64() / mu)) }, sim.Patience(patience.ExpFloat64()/theta))
					if errors.Is(err, sim.ErrReneged) {
						c.reneged += p.Now() - came
					} else {
						must(err)
					}
					c.mean("P(lost)", share(err != nil))
				})
			})
			return c
		},
	}
}

// One server and any service time: Pollaczek and Khinchine.
func mg1(law string, length, lambda, mean, secondMoment float64, service func(*rand.Rand) float64) model {
	wq := pollaczekKhinchine(lambda, mean, secondMoment)
	return model{
		name: "M/G/1 " + law, length: length,
		build: func(s *sim.Simulation, closing float64) *census { return single(s, closing, lambda, 1, service) },
		exact: map[string]float64{
			"Lq desk": lambda * wq, "Wq desk": wq, "L": lambda * (wq + mean), "W": wq + mean, "busy desk": lambda * mean, "P(wait)": lambda * mean,
		},
	}
}

// hyperexponential is exponential with mean ½ for two of three, and with mean 2 for the third: mean 1, second moment
// 2·(⅔·¼ + ⅓·4) = 3.
func hyperexponential(r *rand.Rand) float64 {
	if r.Float64() < 2./3 {
		return r.ExpFloat64() / 2
	}
	return r.ExpFloat64() * 2
}
