package fit_test

import (
	"context"
	"fmt"
	"log"
	"sync"

	"github.com/almanac-sim/almanac/ensemble"
	"github.com/almanac-sim/almanac/fit"
)

// callsKind is the kind of job of a fit of calls, in a registry of its own.
func callsKind(p *fit.Problem) *ensemble.Registry {
	registry := new(ensemble.Registry)
	registry.AddKind(fit.NewKind("calls", "1", func([]byte) (*fit.Problem, fit.Simulator, error) {
		return p, calls{4},
			nil
	}))
	return registry
}

// What is known of an unknown, after the data and before.
func ExampleMarginal() {
	result := &fit.Result{Unknowns: []fit.Unknown{{Name: "moved", Prior: fit.Uniform(0, 1)},
		{Name: "left", Prior: fit.Uniform(0, 1)}}}
	for i := range 400 {
		u := (float64(i) + 0.5) / 400
		result.Posterior.Rows = append(result.Posterior.Rows, []float64{0.2 + u/10, u})
		result.Posterior.Weights = append(result.Posterior.Weights, 1.0/400)
	}
	for _, m := range result.Marginals() {
		fmt.Printf("%s: median %.2f, shift %.2f, contraction %.2f, moved by the data: %v\n", m.Name, m.Quantiles[3], m.Shift,
			m.Contraction, m.Moved)
	}
	// Output:
	// moved: median 0.25, shift 0.70, contraction 0.99, moved by the data: true
	// left: median 0.50, shift 0.00, contraction 0.00, moved by the data: false
}

// A model that can be stopped at each row is started and taken on row by row.
func ExampleFiltered() {
	var model fit.Filtered = colony{4}
	ctx := context.Background()
	run, err := model.Start(ctx, []float64{0.3}, 1)
	if err != nil {
		log.Fatal(err)
	}
	defer run.Close()
	whole, err := model.Simulate(ctx, []float64{0.3}, 1)
	if err != nil {
		log.Fatal(err)
	}
	for row := range 4 {
		means, _, err := run.Step(ctx)
		if err != nil {
			log.Fatal(err)
		}
		fmt.Println(means[0] == whole.Columns[0].Mean[row])
	}
	// Output:
	// true
	// true
	// true
	// true
}

// A guarded model lets one estimate have its particles at a time.
type guarded struct {
	colony
	mu *sync.Mutex
}

func (g guarded) Share(_ context.Context, f func() error) error {
	g.mu.Lock()
	defer g.mu.Unlock()
	return f()
}

// Where there is memory for the particles of one estimate alone, no other begins before they are
// gone.
func ExampleSharing() {
	var model fit.Sharing = guarded{colony{4}, new(sync.Mutex)}
	err := model.Share(context.Background(), func() error {
		run, err := model.Start(context.Background(), []float64{0.3}, 1)
		if err != nil {
			return err
		}
		defer run.Close()
		means, _, err := run.Step(context.Background())
		fmt.Println("died in the first row:", means[0])
		return err
	})
	if err != nil {
		log.Fatal(err)
	}
	// Output: died in the first row: 3
}

// A particle goes on several times from where it stands, each time with another luck.
func ExampleParticle() {
	ctx := context.Background()
	var particle fit.Particle
	particle, err := colony{4}.Start(ctx, []float64{0.3}, 1)
	if err != nil {
		log.Fatal(err)
	}
	defer particle.Close()
	first, _, err := particle.Step(ctx)
	if err != nil {
		log.Fatal(err)
	}
	fmt.Println("died in the first row:", first[0])
	for seed := range uint64(3) {
		fork, err := particle.Fork(seed)
		if err != nil {
			log.Fatal(err)
		}
		next, _, err := fork.Step(ctx)
		if err != nil {
			log.Fatal(err)
		}
		fmt.Println("and in the second:", next[0])
		fork.Close()
	}
	// Output:
	// died in the first row: 3
	// and in the second: 6
	// and in the second: 3
	// and in the second: 9
}

// A band has quantiles for each row: of reports, and, narrower, of their means.
func ExampleBand() {
	p := problem()
	registry := callsKind(p)
	from := &fit.Posterior{Names: []string{"rate", "noted"}, Rows: [][]float64{{54, 0.24}}, Weights: []float64{1}}
	predicted, err := fit.Predict(context.Background(), p, nil, from, 1000, fit.Options{Kind: "calls", Seed: 1,
		Registry: registry, Executor: ensemble.InMemory{}})
	if err != nil {
		log.Fatal(err)
	}
	var came fit.Band = predicted.Columns[0]
	fmt.Println("shares:", predicted.Shares)
	fmt.Printf("%s, first row: means %.0f, reports %.0f\n", came.Name, came.Means[0], came.Reports[0])
	// Output:
	// shares: [0.05 0.25 0.5 0.75 0.95]
	// came, first row: means [43 49 54 59 66], reports [38 46 54 61 71]
}

// The trace of a fit is a table.
func ExampleTable() {
	p := problem()
	registry := callsKind(p)
	result, err := fit.Run(context.Background(), p, nil, fit.Options{Kind: "calls", Method: "random", Seed: 1,
		Budget: 1000, Registry: registry, Executor: ensemble.InMemory{}})
	if err != nil {
		log.Fatal(err)
	}
	var trace fit.Table = result.Trace
	fmt.Println(trace.Names, len(trace.Rows), "row")
	// Output: [runs least misfit error] 1 row
}

// Progress is told at the beginning of each stage, and as it goes on.
func ExampleProgress() {
	p := problem()
	registry := callsKind(p)
	stages := 0
	_, err := fit.Run(context.Background(), p, nil, fit.Options{Kind: "calls", Method: "random", Seed: 1, Budget: 1000,
		Registry: registry, Executor: ensemble.InMemory{},
		Progress: func(progress fit.Progress) {
			if progress.Stage > stages {
				stages = progress.Stage
				fmt.Printf("stage %d: %s, %d tasks\n", progress.Stage, progress.What, progress.Tasks)
			}
		}})
	if err != nil {
		log.Fatal(err)
	}
	// Output:
	// stage 1: points of the prior, 800 tasks
	// stage 2: the best points again, 36 tasks
	// stage 3: the best points again, 35 tasks
	// stage 4: the best points again, 39 tasks
	// stage 5: the best points again, 40 tasks
	// stage 6: the best point, 50 tasks
}
