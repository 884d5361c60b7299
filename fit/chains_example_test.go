package fit_test

import (
	"context"
	"fmt"
	"math"

	"github.com/almanac-sim/almanac/ensemble"
	"github.com/almanac-sim/almanac/fit"
	"github.com/almanac-sim/almanac/internal/random"
)

// colony is a model that can be stopped and copied: of 30 at first, each dies within a row with a
// probability that is unknown.
type colony struct{ rows int }

type colonyRun struct {
	alive int
	death float64
	luck  random.Stream
}

func (c colony) Start(_ context.Context, x []float64, seed uint64) (fit.Particle, error) {
	return &colonyRun{30, x[0], random.New(seed)}, nil
}

func (c colony) Simulate(ctx context.Context, x []float64, seed uint64) (fit.Course, error) {
	r, _ := c.Start(ctx, x, seed)
	var means []float64
	for range c.rows {
		m, _, _ := r.Step(ctx)
		means = append(means, m...)
	}
	return fit.Course{Columns: []fit.Reports{{Mean: means}}}, nil
}

func (r *colonyRun) Step(context.Context) ([]float64, uint64, error) {
	before := r.alive
	for range before {
		if r.luck.Float64() < r.death {
			r.alive--
		}
	}
	return []float64{float64(before - r.alive)}, 1, nil // deaths are reported with Poisson's law
}

func (r *colonyRun) Fork(seed uint64) (fit.Particle, error) {
	c := *r
	c.luck = random.New(seed)
	return &c, nil
}

func (r *colonyRun) Laws() []fit.Law { return make([]fit.Law, 1) }
func (r *colonyRun) Close()          {}

// How chains went is in the result of a method that has some.
func ExampleChains() {
	p := &fit.Problem{
		Unknowns: []fit.Unknown{{Name: "death", Prior: fit.Uniform(0, 1)}},
		Times:    []float64{1, 2, 3, 4},
		Columns:  []fit.Column{{Name: "deaths", Data: []float64{8, 4, math.NaN(), 3}}},
	}
	kinds := new(ensemble.Registry)
	kinds.AddKind(fit.NewKind("colony", "1", func([]byte) (*fit.Problem, fit.Simulator, error) {
		return p, colony{4},
			nil
	}))
	r, err := fit.Run(context.Background(), p, nil, fit.Options{Kind: "colony", Method: "pmmh", Seed: 1, Registry: kinds,
		Executor: ensemble.InMemory{Slots: 2}})
	if err != nil {
		fmt.Println(err)
		return
	}
	c := r.Chains
	fmt.Printf("%d chains, likelihoods by %s\n", c.Count, c.Estimator)
	fmt.Println("mixed:", c.RHat[0] <= 1.02 && c.Bulk[0] >= 400)
	fmt.Printf("death: %.1f ± %.1f\n", r.Posterior.Mean(0), r.Posterior.SD(0))
	// Output:
	// 8 chains, likelihoods by particle filter
	// mixed: true
	// death: 0.3 ± 0.1
}
