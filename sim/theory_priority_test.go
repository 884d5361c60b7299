package sim_test

import (
	"errors"
	"fmt"
	"math/rand/v2"

	"github.com/almanac-sim/almanac/sim"
)

// A kind of customer is a class, and a way to draw service times that have its moments.
type kind struct {
	class
	service func(*rand.Rand) float64
}

// Three kinds, served in this order, with a load of 0.15, 0.25 and 0.15: deterministic, exponential and uniform.
func kinds() []kind {
	return []kind{
		{class{0.30, 0.5, 0.25}, func(*rand.Rand) float64 { return 0.5 }},
		{class{0.25, 1, 2}, exponential(1)},
		{class{0.12, 1.25, 6.25 / 3}, func(r *rand.Rand) float64 { return 2.5 * r.Float64() }},
	}
}

func classes(kinds []kind) (all []class) {
	for _, k := range kinds {
		all = append(all, k.class)
	}
	return all
}

// The urgent go first, but wait for the one who is being served.
func nonPreemptive() model {
	kinds := kinds()
	exact := map[string]float64{}
	for k := range kinds {
		exact[fmt.Sprint("Wq", k)] = cobham(classes(kinds), k)
	}
	return model{name: "priorities", length: 55_000, exact: exact, build: func(s *sim.Simulation, closing float64) *census {
		desk := sim.NewResource(s, "desk", 1)
		c := newCensus(s, desk)
		for rank, kind := range kinds {
			times, metric := s.Stream(fmt.Sprint("service of ", rank)), fmt.Sprint("Wq", rank)
			c.arrive(fmt.Sprint("arrivals of ", rank), kind.lambda, closing, func(p *sim.Process) {
				c.visit(p, func() {
					came := p.Now()
					must(desk.Use(p, 1, func() {
						c.mean(metric, p.Now()-came)
						must(p.Wait(kind.service(times)))
					}, sim.Rank(rank)))
				})
			})
		}
		return c
	}}
}

// preemptive is a desk that the urgent take from others, who go on later with what is left of their service. The function tells
// the rank of a customer by kind and by number among all customers.
func preemptive(name string, kinds []kind, rank func(kind, number int) int) model {
	exact := map[string]float64{}
	for k := range kinds {
		exact[fmt.Sprint("W", k)] = preemptiveResume(classes(kinds), k)
	}
	return model{name: name, length: 24_000, exact: exact, build: func(s *sim.Simulation, closing float64) *census {
		desk := sim.NewResource(s, "desk", 1)
		c := newCensus(s, desk)
		customers := 0
		for k, kind := range kinds {
			times, metric := s.Stream(fmt.Sprint("service of ", k)), fmt.Sprint("W", k)
			c.arrive(fmt.Sprint("arrivals of ", k), kind.lambda, closing, func(p *sim.Process) {
				came := p.Now()
				customers++
				own := rank(k, customers)
				c.visit(p, func() { work(p, desk, kind.service(times), own) })
				c.mean(metric, p.Now()-came)
			})
		}
		return c
	}}
}

// work is service of some length, in as many parts as it takes.
func work(p *sim.Process, desk *sim.Resource, length float64, rank int) {
	for length > 0 {
		err := desk.Use(p, 1, func() { length = left(p.Wait(length)) }, sim.Rank(rank), sim.Preempting())
		if _, taken := errors.AsType[sim.Preempted](err); !taken {
			must(err)
		}
	}
}

// left is what a wait that was interrupted leaves to be done.
func left(err error) float64 {
	if i, interrupted := errors.AsType[*sim.Interrupted](err); interrupted {
		return i.Remaining
	}
	return 0
}

// With exponential service it does not matter in which order a kind is served, and the rank can be the kind: who was preempted goes to the
// end of the line of the kind.
func preemptiveExponential() model {
	return preemptive("preemption", []kind{
		{class{0.20, 1, 2}, exponential(1)},
		{class{0.20, 1, 2}, exponential(1)},
		{class{0.15, 1, 2}, exponential(1)},
	}, func(kind, _ int) int { return kind })
}

// With other service it does matter. Ranks that are in the order of arrival within a kind give a customer the old place back.
func preemptiveGeneral() model {
	return preemptive("preemption, back to one's place", kinds(), func(kind, number int) int { return kind<<28 + number })
}
