package fit_test

import (
	"context"
	"fmt"
	"log"
	"math"
	"math/rand/v2"
	"os"

	"github.com/almanac-sim/almanac/ensemble"
	"github.com/almanac-sim/almanac/fit"
)

// A gap has no say: the likelihood is that of the other rows.
func ExampleColumn() {
	whole := fit.Problem{Times: []float64{1, 2}, Columns: []fit.Column{{Name: "calls", Data: []float64{3, 5}}}}
	gap := fit.Problem{Times: []float64{1, 2}, Columns: []fit.Column{{Name: "calls", Data: []float64{3, math.NaN()}}}}
	course := fit.Trajectory{Columns: []fit.Reports{{Mean: []float64{4, 4}}}}
	fmt.Printf("%.3f %.3f\n", whole.LogLikelihood(course), gap.LogLikelihood(course))
	// Output: -3.489 -1.633
}

// How a run went, and reports that are drawn from it.
func ExampleTrajectory() {
	course := fit.Trajectory{Columns: []fit.Reports{{Mean: []float64{10, 0}}, {Mean: []float64{2.5, 2.5},
		Law: fit.Law{Family: fit.Gaussian, Arg: 1e-9}}}}
	drawn := course.Draw(rand.NewPCG(1, 1))
	fmt.Println(len(drawn), drawn[0][0] == math.Round(drawn[0][0]), drawn[0][1])
	fmt.Printf("%.3f\n", drawn[1])
	// Output:
	// 2 true 0
	// [2.500 2.500]
}

// Families differ in how much what is reported scatters about the same mean.
func ExampleFamily() {
	for _, law := range []fit.Law{{}, {Family: fit.NegativeBinomial, Arg: 5}, {Family: fit.Gaussian, Arg: 3}} {
		fmt.Printf("%v: sd %.2f, counts: %v\n", law.Family, law.SD(20), law.Counts())
	}
	// Output:
	// poisson: sd 4.47, counts: true
	// negative binomial: sd 10.00, counts: true
	// normal: sd 3.00, counts: false
}

// What is reported of a column on average, and how it scatters.
func ExampleReports() {
	p := fit.Problem{Times: []float64{1}, Columns: []fit.Column{{Name: "cases", Data: []float64{30}}}}
	for _, law := range []fit.Law{{}, {Family: fit.NegativeBinomial, Arg: 5}} {
		course := fit.Trajectory{Columns: []fit.Reports{{Mean: []float64{20}, Law: law}}}
		fmt.Printf("%.2f\n", p.LogLikelihood(course))
	}
	// Output:
	// -4.79
	// -4.00
}

// A model that runs with values of the unknowns, by the same luck for the same seed.
func ExampleSimulator() {
	var model fit.Simulator = calls{days: 4}
	one, err := model.Simulate(context.Background(), []float64{50, 0.25}, 1)
	if err != nil {
		log.Fatal(err)
	}
	again, err := model.Simulate(context.Background(), []float64{50, 0.25}, 1)
	fmt.Println(len(one.Columns), one.Columns[0].Mean[0] == again.Columns[0].Mean[0], err)
	// Output: 2 true <nil>
}

// A function is a model.
func ExampleSimulatorFunc() {
	var model fit.Simulator = fit.SimulatorFunc(func(_ context.Context, x []float64, _ uint64) (fit.Trajectory, error) {
		return fit.Trajectory{Columns: []fit.Reports{{Mean: []float64{x[0], 2 * x[0]}}}}, nil
	})
	course, err := model.Simulate(context.Background(), []float64{7}, 1)
	fmt.Println(course.Columns[0].Mean, err)
	// Output: [7 14] <nil>
}

// A parameter that is to be found, and what is known of it beforehand.
func ExampleUnknown() {
	u := fit.Unknown{Name: "beta", Unit: "per day", Prior: fit.Uniform(0.1, 1)}
	fmt.Println(u.Name, u.Unit, u.Prior, u.Prior.Quantile(0.5))
	// Output: beta per day uniform 0.1..1 0.55
}

// By another method, with fewer runs.
func ExampleOptions() {
	p := problem()
	o := fit.Options{Method: "search", Seed: 1, Budget: 3000}
	result, err := fit.RunLocal(context.Background(), p, calls{4}, o)
	if err != nil {
		log.Fatal(err)
	}
	fmt.Println(result.Method, result.Runs <= o.Budget, len(result.Best))
	// Output: search true 2
}

// What the model says of data, with bands of 90 %.
func ExamplePrediction() {
	p := problem()
	posterior := &fit.Posterior{Names: []string{"rate", "noted"}, Rows: [][]float64{{50, 0.25}}, Weights: []float64{1}}
	prediction, err := fit.Predict(context.Background(), p, nil, posterior, 100, fit.Options{Kind: "calls", Seed: 1,
		Registry: callsKind(p), Executor: ensemble.InMemory{}})
	if err != nil {
		log.Fatal(err)
	}
	fmt.Println(prediction.Runs, prediction.Impossible, len(prediction.Columns), prediction.Shares)
	// Output:
	// 100 0 2 [0.05 0.25 0.5 0.75 0.95]
}

// The run by which a row of a posterior was accepted is run again with its seed.
func ExamplePath() {
	p := problem()
	result, err := fit.RunLocal(context.Background(), p, calls{4}, fit.Options{Seed: 1, Budget: 2000})
	if err != nil {
		log.Fatal(err)
	}
	row, path := result.Posterior.Rows[0], result.Posterior.Paths[0]
	run, err := calls{4}.Simulate(context.Background(), row, path.Seed)
	fmt.Println(len(path.Forks), p.LogLikelihood(run) > -100, err)
	// Output: 0 true <nil>
}

// A particle started with seed 7, and was forked after the second row of the data.
func ExampleFork() {
	posterior := &fit.Posterior{Names: []string{"rate"}, Rows: [][]float64{{0.3}}, Weights: []float64{1},
		Paths: []*fit.Path{{Seed: 7, Forks: []fit.Fork{{Row: 1, Seed: 12}}}}}
	if err := posterior.WriteCSV(os.Stdout); err != nil {
		log.Fatal(err)
	}
	// Output:
	// rate,weight,run.seed,run.forks,run.check
	// 0.3,1,7,2:12,0
}
