package sim_test

import (
	"errors"
	"fmt"
	"math"
	"math/rand/v2"
	"strings"
	"testing"

	"gonum.org/v1/gonum/stat/distuv"

	"github.com/almanac-sim/almanac/sim"
	"github.com/almanac-sim/almanac/sim/replicate"
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

// The same queue without processes: an event for each arrival, and one for each departure, when a
// resource has granted a place.
func mm1Requests(lambda, mu float64) model {
	exact := mm1Exact(lambda, mu)
	delete(exact, "P(wait)")
	like := mm1(lambda, mu)
	return model{name: "M/M/1 by requests", like: &like, exact: exact, build: func(s *sim.Simulation,
		closing float64) *census {
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
			desk.RequestThen(1, func(g *sim.Grant, _ error) {
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
	like := mm1(lambda, mu)
	return model{name: "M/M/1 by events", like: &like, exact: exact, build: func(s *sim.Simulation,
		closing float64) *census {
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

// Several servers, and customers who leave the line after an exponential time: Palm's or Erlang's
// A.
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
					err := desk.Use(p, 1, func() error { must(p.Wait(times.ExpFloat64() / mu)); return nil },
						sim.Patience(patience.ExpFloat64()/theta))
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
			"Lq desk": lambda * wq, "Wq desk": wq, "L": lambda * (wq + mean), "W": wq + mean, "busy desk": lambda * mean,
			"P(wait)": lambda * mean,
		},
	}
}

// hyperexponential is exponential with mean ½ for two of three, and with mean 2 for the third: mean
// 1, second moment 2·(⅔·¼ + ⅓·4) = 3.
func hyperexponential(r *rand.Rand) float64 {
	if r.Float64() < 2./3 {
		return r.ExpFloat64() / 2
	}
	return r.ExpFloat64() * 2
}

// Machines that break, and men who repair them, one each: a queue with a finite source. Present are
// the machines that stand still.
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
							must(crew.Use(p, 1, func() error { must(p.Wait(work.ExpFloat64() / repairs)); return nil }))
						})
					}
				})
			}
			return c
		},
	}
}

// An open network whose customers go from station to station at random, also back and to the same
// one. Jackson: in the long run each station is at any moment as if it were a queue of its own with
// Poisson arrivals, and independent of the others, though what arrives at it is not Poisson.
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

	return model{name: "Jackson network", length: 24_000, exact: exact, build: func(s *sim.Simulation,
		closing float64) *census {
		c := newCensus(s)
		for i := range servers {
			c.resources = append(c.resources, sim.NewResource(s, fmt.Sprint("station ", i), servers[i]))
		}
		times, ways := s.Stream("service"), s.Stream("ways")
		tour := func(station int) func(p *sim.Process) {
			return func(p *sim.Process) {
				// Poisson arrivals see time averages: the system is empty for as large a share of
				// them as of the time.
				c.mean("P(empty)", share(c.present.Value() == 0))
				c.visit(p, func() {
					for at := station; at >= 0; at = next(routing[at], ways.Float64()) {
						must(c.resources[at].Use(p, 1, func() error { must(p.Wait(times.ExpFloat64() / mu[at])); return nil }))
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

// A kind of customer is a class, and a way to draw service times that have its moments.
type kind struct {
	class
	service func(*rand.Rand) float64
}

// Three kinds, served in this order, with a load of 0.15, 0.25 and 0.15: deterministic, exponential
// and uniform.
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
	return model{name: "priorities", length: 55_000, exact: exact, build: func(s *sim.Simulation,
		closing float64) *census {
		desk := sim.NewResource(s, "desk", 1)
		c := newCensus(s, desk)
		for rank, kind := range kinds {
			times, metric := s.Stream(fmt.Sprint("service of ", rank)), fmt.Sprint("Wq", rank)
			c.arrive(fmt.Sprint("arrivals of ", rank), kind.lambda, closing, func(p *sim.Process) {
				c.visit(p, func() {
					came := p.Now()
					must(desk.Use(p, 1, func() error {
						c.mean(metric, p.Now()-came)
						must(p.Wait(kind.service(times)))
						return nil
					}, sim.Rank(rank)))
				})
			})
		}
		return c
	}}
}

// preemptive is a desk that the urgent take from others, who go on later with what is left of their
// service. The function tells the rank of a customer by kind and by number among all customers, and
// work is how one is served.
func preemptive(name string, kinds []kind, rank func(kind, number int) int, work func(*sim.Process, *sim.Resource,
	float64, int)) model {
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
		err := desk.Use(p, 1, func() error { length = left(p.Wait(length)); return nil }, sim.Rank(rank),
			sim.Preempting(sim.Interrupt))
		if _, taken := errors.AsType[*sim.Preempted](err); !taken {
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

// With exponential service it does not matter in which order a kind is served, and the rank can be
// the kind: who was preempted goes to the end of the line of the kind.
func preemptiveExponential() model {
	return preemptive("preemption", []kind{
		{class{0.20, 1, 2}, exponential(1)},
		{class{0.20, 1, 2}, exponential(1)},
		{class{0.15, 1, 2}, exponential(1)},
	}, func(kind, _ int) int { return kind }, work)
}

// With other service it does matter. Ranks that are in the order of arrival within a kind give a
// customer the old place back.
func preemptiveGeneral() model {
	return preemptive("preemption, back to one's place", kinds(), func(kind, number int) int { return kind<<28 + number },
		work)
}

// The same by the rule Resume: work that was stopped goes on before others of its kind, without a
// loop and without special ranks.
func preemptiveByRule() model {
	like := preemptiveGeneral()
	m := preemptive("preemption, by the rule", kinds(), func(kind, _ int) int { return kind },
		func(p *sim.Process, desk *sim.Resource, length float64, rank int) {
			must(desk.Work(p, 1, length, sim.Rank(rank), sim.Preempting(sim.Resume)))
		})
	m.like = &like
	return m
}

// A server that breaks. The time from the beginning of a service to when the next one can begin,
// with all repairs in between, is the completion time C. If the server breaks in use only, C takes
// the place of the service in Pollaczek's and Khinchine's formula.
//
// The source is D. P. Gaver, A waiting line with interrupted service, including priorities, Journal
// of the Royal Statistical Society B 24 (1962).

// A transient is the law of the number of customers in M/M/c at a time, and the integral of its
// mean up to then.
type transient struct {
	lambda, mu float64
	law        []float64
	integral   float64
}

// pass lets time pass with c servers. The chain is looked at after 0, 1, 2, … events of a Poisson
// process of rate λ+cμ: after k of them it has made k steps of a chain in discrete time, and the
// expected time during which there have been k of them is P(more than k)/(λ+cμ).
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

// M/M/c whose servers come and go by a timetable, from an empty start: the number of customers when
// shifts change, and its mean over three days, against the chain with as many servers as there are.
// Work that is stopped goes on later; or who is thrown out asks again, for a service that is drawn
// anew, which for exponential times makes no difference.
func TestShiftsAgainstTheChain(t *testing.T) {
	const lambda, mu, days = 1.2, 1., 3
	table := sim.Daily{Shifts: []sim.Shift{{From: 1, To: 5, Units: 3}, {From: 5, To: 9, Units: 1}}, Day: 10}
	pieces := []sim.Shift{{From: 0, To: 1}, {From: 1, To: 5, Units: 3}, {From: 5, To: 9, Units: 1}, {From: 9, To: 10}}
	for _, rule := range []sim.WorkRule{sim.Resume, sim.Interrupt} {
		results, err := replicate.Run(t.Context(), 2000/shorter, func(r *replicate.Replication) error {
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
		}, replicate.Seed(seed))
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
