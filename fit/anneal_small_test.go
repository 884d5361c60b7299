package fit

import (
	"context"
	"math"
	"slices"
	"testing"

	"github.com/almanac-sim/almanac/internal/random"
)

// A village of 120 has an outbreak, day by day: each susceptible is infected with probability 1 −
// exp(−beta·infectious/120), and an infectious one recovers with probability 1/4. New cases of
// three days are reported by a Poisson law with mean rho times as many. The unknowns are beta, the
// number who brought it, and rho, as in examples/outbreak.yaml. Outbreaks fail to come as often as
// not, and many rows have no cases in most runs.
type village struct{}

const (
	villagers   = 120
	villageRows = 10
)

func (village) Simulate(_ context.Context, x []float64, seed uint64) (Course, error) {
	luck := random.New(seed)
	ill := int(x[1])
	well := villagers - ill
	c := Course{Columns: []Reports{{Mean: make([]float64, villageRows)}}}
	for day := range 3 * villageRows {
		if ill == 0 {
			break
		}
		p := -math.Expm1(-x[0] * float64(ill) / villagers)
		caught, recovered := 0, 0
		for range well {
			caught += int(oneIf(luck.Float64() < p))
		}
		for range ill {
			recovered += int(oneIf(luck.Float64() < 0.25))
		}
		well, ill = well-caught, ill+caught-recovered
		c.Columns[0].Mean[day/3] += x[2] * float64(caught)
		c.Events += uint64(caught + recovered)
	}
	return c, nil
}

// villageOf has the reports of one run at beta 0.4, 6 who brought it and rho 0.4.
func villageOf(t testing.TB, seed uint64) *Problem {
	c, err := village{}.Simulate(t.Context(), []float64{0.4, 6, 0.4}, seed)
	if err != nil {
		t.Fatal(err)
	}
	luck := random.New(seed, 1)
	var data []float64
	for _, m := range c.Columns[0].Mean {
		data = append(data, c.Columns[0].Law.Draw(m, &luck))
	}
	return oneColumn(data, Unknown{Name: "beta", Prior: Uniform(0.1, 1.5)},
		Unknown{Name: "seeds", Prior: Uniform(1, 30).Whole()},
		Unknown{Name: "rho", Prior: Beta(2, 2)})
}

// misfitAt is the misfit by many runs, whose luck no fit has seen.
func misfitAt(t testing.TB, p *Problem, x []float64, runs int) float64 {
	var all trial
	for k := range runs {
		c, err := village{}.Simulate(t.Context(), x, runSeed(1<<40, k))
		if err != nil {
			t.Fatal(err)
		}
		all.add(p, c)
	}
	m, _ := all.misfit(p)
	return m
}

// villageMedians fits the village with the seeds 0 to 9, and gives the median of the misfit at the
// best point for each method.
func villageMedians(t *testing.T, budget int, methods ...string) map[string]float64 {
	p := villageOf(t, 11) // whatever they are
	t.Logf("data: %v", p.Columns[0].Data)
	least := 0.0
	for _, y := range p.Columns[0].Data {
		least += saturated(Law{}, y)
	}
	medians := map[string]float64{}
	for _, method := range methods {
		var all []float64
		for seed := range uint64(10) {
			r, err := fitDirectly(p, village{}, Options{Method: method, Seed: seed, Budget: budget})
			if err != nil {
				t.Fatal(err)
			}
			if r.Runs > budget {
				t.Errorf("%s, seed %d: %d runs were made with a budget of %d", method, seed, r.Runs, budget)
			}
			column := slices.Index(r.Trace.Names, "least misfit")
			for _, row := range r.Trace.Rows {
				if row[column] < least-1e-9 {
					t.Errorf("%s, seed %d: the least misfit is said to be %.2f, and that of the saturated model is %.2f", method, seed,
						row[column], least)
				}
			}
			m := misfitAt(t, p, r.Best, 400)
			t.Logf("%s %d: %.3f, said to be %.3f ± %.3f, at %.3g", method, seed, m, r.BestScore, r.BestError, r.Best)
			all = append(all, m)
		}
		slices.Sort(all)
		medians[method] = (all[4] + all[5]) / 2
		t.Logf("%s: median %.3f of %.3f", method, medians[method], all)
	}
	return medians
}

// On a small model with much noise annealing is at least as good as random search with as many
// runs.
func TestAnnealingOfAVillage(t *testing.T) {
	medians := villageMedians(t, 3000, "random", "anneal")
	if !(medians["anneal"] <= medians["random"]) {
		t.Errorf("annealing is left with a misfit of %.3f, random search with %.3f", medians["anneal"], medians["random"])
	}
}
