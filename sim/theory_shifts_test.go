package sim_test

import (
	"fmt"
	"math"
	"testing"

	"gonum.org/v1/gonum/stat/distuv"

	"github.com/almanac-sim/almanac/sim"
)

// A transient is the law of the number of customers in M/M/c at a time, and the integral of its mean up to then.
type transient struct {
	lambda, mu float64
	law        []float64
	integral   float64
}

// pass lets time pass with c servers. The chain is looked at after 0, 1, 2, … events of a Poisson process of rate λ+cμ: after k of them it has
// made k steps of a chain in discrete time, and the expected time during which there have been k of them is P(more than k)/(λ+cμ).
func (x *transient) pass(d float64, c int) {
	rate := x.lambda + x.mu*float64(c)
	events := distuv.Poisson{Lambda: rate * d}
	law, next, after := x.law, make([]float64, len(x.law)), make([]float64, len(x.law))
	for k := range int(rate*d+12*math.Sqrt(rate*d)) + 20 {
		chance := events.Prob(float64(k))
		for n, p := range law {
			after[n] += chance * p
		}
		x.integral += events.Survival(float64(k)) / rate * mean(law)
		clear(next)
		for n, p := range law {
			down := x.mu * float64(min(n, c)) / rate
			up := x.lambda / rate
			if n == len(law)-1 {
				up = 0
			}
			if n > 0 {
				next[n-1] += p * down
			}
			if up > 0 {
				next[n+1] += p * up
			}
			next[n] += p * (1 - up - down)
		}
		law, next = next, append([]float64(nil), law...)
	}
	x.law = after
}

// M/M/c whose servers come and go by a timetable, from an empty start: the number of customers when shifts change, and its mean over three
// days, against the chain with as many servers as there are. Work that is stopped goes on later; or who is thrown out asks again,
// for a service that is drawn anew, which for exponential times makes no difference.
func TestShiftsAgainstTheChain(t *testing.T) {
	const lambda, mu, days = 1.2, 1., 3
	table := sim.Daily{Shifts: []sim.Shift{{From: 1, To: 5, Units: 3}, {From: 5, To: 9, Units: 1}}, Day: 10}
	pieces := []sim.Shift{{From: 0, To: 1}, {From: 1, To: 5, Units: 3}, {From: 5, To: 9, Units: 1}, {From: 9, To: 10}}
	for _, rule := range []sim.AtWork{sim.Resume, sim.ThrowOut} {
		results, err := sim.Replicate(t.Context(), 2000/shorter, func(r *sim.Replication) error {
			s := r.Sim()
			desk := sim.NewResource(s, "desk", 0)
			times := s.Stream("service")
			c := newCensus(s, desk)
			c.arrive("arrivals", lambda, math.Inf(1), func(p *sim.Process) {
				c.visit(p, func() {
					for desk.Work(p, 1, times.ExpFloat64()/mu) != nil {
						if rule == sim.Resume {
							panic("nobody is thrown out")
						}
					}
				})
			})
			desk.Schedule(table, rule)
			for day := range days {
				for _, x := range pieces {
					at := float64(day)*10 + x.To
					s.At(at, func() { r.Record(fmt.Sprint("N(", at, ")"), c.present.Value()) })
				}
			}
			err := s.Run(r.Context(), days*10)
			r.Record("L", c.present.Mean())
			return err
		}, sim.ExperimentSeed(seed))
		if err != nil {
			t.Fatal(err)
		}
		x := transient{lambda: lambda, mu: mu, law: make([]float64, 120)}
		x.law[0] = 1
		for day := range days {
			for _, piece := range pieces {
				x.pass(piece.To-piece.From, piece.Units)
				check(t, results, fmt.Sprint("N(", float64(day)*10+piece.To, ")"), mean(x.law), lessStrict*0.12)
			}
		}
		check(t, results, "L", x.integral/10/days, lessStrict*0.05)
		if tail := x.law[len(x.law)-1]; tail > 1e-9 {
			t.Errorf("the chain is cut off where it has %g", tail)
		}
	}
}
