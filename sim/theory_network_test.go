package sim_test

import (
	"fmt"

	"github.com/almanac-sim/almanac/sim"
)

// Machines that break, and men who repair them, one each: a queue with a finite source. Present are the machines that stand still.
func repair() model {
	const machines, men, breaks, repairs = 6, 2, 0.25, 0.8
	var up, down []float64
	for n := range machines {
		up = append(up, float64(machines-n)*breaks)
		down = append(down, float64(min(n+1, men))*repairs)
	}
	law := birthDeath(up, down)
	l, lq := mean(law), waiting(law, men)
	throughput := breaks * (machines - l)
	return model{
		name: "machine repair", length: 7_000,
		exact: map[string]float64{
			"L": l, "W": l / throughput, "Lq men": lq, "Wq men": lq / throughput, "busy men": l - lq,
		},
		build: func(s *sim.Simulation, closing float64) *census {
			crew := sim.NewResource(s, "men", men)
			c := newCensus(s, crew)
			for i := range machines {
				life, work := s.Stream(fmt.Sprint("life of ", i)), s.Stream(fmt.Sprint("repairs of ", i))
				s.Go("machine", func(p *sim.Process) {
					for {
						must(p.Wait(life.ExpFloat64() / breaks))
						if p.Now() > closing {
							return
						}
						c.visit(p, func() {
							must(crew.Use(p, 1, func() { must(p.Wait(work.ExpFloat64() / repairs)) }))
						})
					}
				})
			}
			return c
		},
	}
}

// An open network whose customers go from station to station at random, also back and to the same one. Jackson: in the long run each
// station is at any moment as if it were a queue of its own with Poisson arrivals, and independent of the others, though
// what arrives at it is not Poisson.
func jackson() model {
	outside := []float64{0.30, 0.10, 0}
	routing := [][]float64{{0, 0.5, 0.3}, {0.2, 0, 0.2}, {0.1, 0, 0.2}} // the rest leaves
	servers := []int{1, 2, 1}
	mu := []float64{0.9, 0.35, 0.55}

	rates := traffic(outside, routing)
	exact := map[string]float64{}
	total, came, empty := 0.0, 0.0, 1.0
	for i, lambda := range rates {
		var up, down []float64
		for n := range 400 {
			up = append(up, lambda)
			down = append(down, mu[i]*float64(min(n+1, servers[i])))
		}
		law := birthDeath(up, down)
		name := fmt.Sprint(" station ", i)
		exact["busy"+name] = lambda / mu[i]
		exact["L"+name] = mean(law)
		total += mean(law)
		came += outside[i]
		empty *= law[0]
	}
	exact["L"], exact["W"], exact["P(empty)"] = total, total/came, empty

	return model{name: "Jackson network", length: 24_000, exact: exact, build: func(s *sim.Simulation, closing float64) *census {
		c := newCensus(s)
		for i := range servers {
			c.resources = append(c.resources, sim.NewResource(s, fmt.Sprint("station ", i), servers[i]))
		}
		times, ways := s.Stream("service"), s.Stream("ways")
		tour := func(station int) func(p *sim.Process) {
			return func(p *sim.Process) {
				// Poisson arrivals see time averages: the system is empty for as large a share of them as of the time.
				c.mean("P(empty)", share(c.present.Value() == 0))
				c.visit(p, func() {
					for at := station; at >= 0; at = next(routing[at], ways.Float64()) {
						must(c.resources[at].Use(p, 1, func() { must(p.Wait(times.ExpFloat64() / mu[at])) }))
					}
				})
			}
		}
		for i, rate := range outside {
			if rate > 0 {
				c.arrive(fmt.Sprint("arrivals at ", i), rate, closing, tour(i))
			}
		}
		return c
	}}
}

// next is where a customer goes, −1 for away, by a number from 0 to 1.
func next(shares []float64, u float64) int {
	for i, share := range shares {
		if u < share {
			return i
		}
		u -= share
	}
	return -1
}
