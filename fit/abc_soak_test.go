//go:build soak

package fit

import (
	"context"
	"testing"

	"github.com/almanac-sim/almanac/internal/random"
)

// An outbreak is an SIR epidemic in which a share of the infections of each day is reported. The
// unknowns are the rates of contacts and of recovery.
type outbreak struct {
	people, ill float64
	days        int
	seen        float64
}

type outbreakParticle struct {
	outbreak
	contact, recovery float64
	well              float64
	stream            random.Stream
}

func (m outbreak) Start(_ context.Context, x []float64, seed uint64) (Particle, error) {
	return &outbreakParticle{m, x[0], x[1], m.people - m.ill, random.New(seed)}, nil
}

func (m outbreak) Simulate(ctx context.Context, x []float64, seed uint64) (Trajectory, error) {
	return courseOf(ctx, m, x, seed, m.days)
}

func (q *outbreakParticle) Step(context.Context) ([]float64, uint64, error) {
	count, events := 0.0, uint64(0)
	for now := 0.0; q.ill > 0; events++ {
		infection := q.contact * q.well * q.ill / q.people
		rate := infection + q.recovery*q.ill
		if now += q.stream.Exp() / rate; now > 1 {
			break
		}
		if q.stream.Float64()*rate < infection {
			q.well, q.ill, count = q.well-1, q.ill+1, count+1
		} else {
			q.ill--
		}
	}
	return []float64{count * q.seen}, events, nil
}

func (q *outbreakParticle) Fork(seed uint64) (Particle, error) {
	c := *q
	c.stream = random.New(seed)
	return &c, nil
}

func (q *outbreakParticle) Laws() []Law { return []Law{{}} }
func (q *outbreakParticle) Close()      {}

// An epidemic for which docs/design/fitting.md says why particles are needed: without them the
// power stays below 1, and with them it reaches 1 with the same budget. The posterior is that of
// particle marginal Metropolis–Hastings, within four standard errors for the smaller sample.
func TestSoakOutbreak(t *testing.T) {
	m := outbreak{1000, 10, 50, 0.5}
	c, err := m.Simulate(t.Context(), []float64{0.5, 0.2}, 3)
	if err != nil {
		t.Fatal(err)
	}
	s := random.New(8)
	p := oneColumn(c.Draw(&s)[0], Unknown{"contact", "per day", Uniform(0.1, 1)}, Unknown{"recovery", "per day",
		Uniform(0.05, 1)})
	chains, err := fitDirectly(p, m, Options{Seed: 1, Method: "pmmh"})
	if err != nil {
		t.Fatal(err)
	}
	for seed := range uint64(5) {
		r, err := fitDirectly(p, m, Options{Seed: seed})
		if err != nil {
			t.Fatal(err)
		}
		t.Logf("seed %d: %d particles, power %v, effective sample %.0f, %d runs", seed, r.Particles, r.Power,
			r.Posterior.Effective(), r.Runs)
		for j := range p.Unknowns {
			t.Logf("  %s %.4f ± %.4f, by chains %.4f ± %.4f", p.Unknowns[j].Name, r.Posterior.Mean(j), r.Posterior.SD(j),
				chains.Posterior.Mean(j), chains.Posterior.SD(j))
			agree(t, r, j, chains.Posterior.Mean(j), chains.Posterior.SD(j))
		}
		whole, err := fitDirectly(p, wholeRuns{m}, Options{Seed: seed})
		if err != nil {
			t.Fatal(err)
		}
		t.Logf("  by whole runs: power %.2f, effective sample %.0f, %d runs", whole.Power, whole.Posterior.Effective(),
			whole.Runs)
		if whole.Exact || len(whole.Notes) == 0 {
			t.Errorf("seed %d: by whole runs alone it is exact", seed)
		}
	}
}

// How often a budget of 3,000 runs is enough for four unknowns.
func TestSoakFourUnknowns(t *testing.T) {
	g, mean, sd := line(t)
	exact, runs := 0, 0
	for seed := range uint64(40) {
		r := g.fit(t, Options{Seed: seed, Budget: 3000})
		runs += r.Runs
		if !r.Exact {
			continue
		}
		exact++
		for j := range mean {
			agree(t, r, j, mean[j], sd[j])
		}
	}
	t.Logf("exact in %d of 40, after %d runs on average", exact, runs/40)
	if exact < 36 {
		t.Errorf("exact in %d of 40 only", exact)
	}
}
