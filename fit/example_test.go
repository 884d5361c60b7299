package fit_test

import (
	"context"
	"fmt"
	"log"
	"math"
	"math/rand/v2"
	"os"
	"strings"

	"github.com/almanac-sim/almanac/ensemble"
	"github.com/almanac-sim/almanac/fit"
)

// calls come at a rate that is to be found; each is noted with a probability that is to be found,
// too. Of each day it is known how many were noted, and of how many it was found out later that
// they came.
type calls struct{ days int }

func (c calls) Simulate(_ context.Context, x []float64, seed uint64) (fit.Course, error) {
	s := rand.NewPCG(seed, 0)
	rate, noted := x[0], x[1]
	all, some := fit.Reports{}, fit.Reports{} // both by Poisson's law
	for range c.days {
		n := fit.Law{}.Draw(rate, s) // calls of the day
		all.Mean = append(all.Mean, n)
		some.Mean = append(some.Mean, noted*n)
	}
	return fit.Course{Columns: []fit.Reports{all, some}, Events: uint64(c.days)}, nil
}

func problem() *fit.Problem {
	return &fit.Problem{
		Unknowns: []fit.Unknown{{Name: "rate", Unit: "per day", Prior: fit.LogUniform(1, 1000)},
			{Name: "noted", Prior: fit.Beta(1, 1)}},
		Times: []float64{1, 2, 3, 4},
		Columns: []fit.Column{{Name: "came", Data: []float64{52, 61, math.NaN(), 48}},
			{Name: "noted", Data: []float64{11, 17, 9, 13}}},
	}
}

// A fit in this process. On other machines, workers register the same kind, and the executor is a
// connection to a hub.
func ExampleRun() {
	p := problem()
	registry := new(ensemble.Registry)
	registry.AddKind(fit.NewKind("calls", "1", func(payload []byte) (*fit.Problem, fit.Simulator, error) {
		return p,
			calls{4}, nil
	}))
	result, err := fit.Run(context.Background(), p, nil, fit.Options{Kind: "calls", Seed: 1, Population: 200,
		Registry: registry, Executor: ensemble.InMemory{}})
	if err != nil {
		log.Fatal(err)
	}
	fmt.Print(result.Text())
	fmt.Println("exact:", result.Exact)
	// Output:
	// unknown          mean     sd       5 %      median   95 %     best     prior
	// rate (per day)   52.18    5.36     44.39    52.12    61.48    48.47    log-uniform 1..1000
	// noted            0.2395   0.0398   0.1823   0.2342   0.3075   0.2343   beta a 1 b 1
	//
	// correlation   rate
	// noted         -0.33
	//
	// the data moved all unknowns
	// effective sample 247 of 800 rows, 2872 runs, 11488 events
	// exact: true
}

// A model of this program, in one call.
func ExampleRunLocal() {
	model := fit.SimulatorFunc(func(_ context.Context, x []float64, _ uint64) (fit.Course, error) {
		rate := x[0] // calls per day, which scatter by Poisson's law
		return fit.Course{Columns: []fit.Reports{{Mean: []float64{rate, rate, rate}}}}, nil
	})
	p := &fit.Problem{
		Unknowns: []fit.Unknown{{Name: "rate", Unit: "per day", Prior: fit.Uniform(0, 200)}},
		Times:    []float64{1, 2, 3},
		Columns:  []fit.Column{{Name: "calls", Data: []float64{52, 61, 48}}},
	}
	result, err := fit.RunLocal(context.Background(), p, model, fit.Options{Seed: 1})
	if err != nil {
		log.Fatal(err)
	}
	m := result.Marginals()[0]
	// exactly: a gamma law with mean 54 and sd √162/3 = 4.2
	fmt.Printf("%s: %.0f ± %.0f %s\n", m.Name, m.Mean, m.SD, m.Unit)
	// Output:
	// rate: 54 ± 4 per day
}

// A fit that keeps what it has done in a directory: given again, it goes on.
func ExampleRun_directory() {
	p := problem()
	registry := new(ensemble.Registry)
	registry.AddKind(fit.NewKind("calls", "1", func([]byte) (*fit.Problem, fit.Simulator, error) {
		return p, calls{4},
			nil
	}))
	dir, err := os.MkdirTemp("", "fit")
	if err != nil {
		log.Fatal(err)
	}
	defer os.RemoveAll(dir)
	directory, err := ensemble.OpenDirectory(dir, ensemble.DirectoryOptions{})
	if err != nil {
		log.Fatal(err)
	}
	defer directory.Close()
	o := fit.Options{Kind: "calls", Seed: 1, Budget: 2000, Registry: registry, Executor: directory}
	result, err := fit.Run(context.Background(), p, nil, o)
	if err != nil {
		log.Fatal(err)
	}
	fmt.Println("unmoved:", len(result.Unmoved()), "runs within the budget:", result.Runs <= o.Budget)
	// Output:
	// unmoved: 0 runs within the budget: true
}

func ExamplePrior() {
	p := fit.Normal(3, 2).Within(0, math.Inf(1))
	fmt.Println(p)
	fmt.Printf("half of it is below %.2f, and %.3f below 1\n", p.Quantile(0.5), p.CDF(1))
	fmt.Println(fit.Uniform(2, 1).Check())
	die := fit.Uniform(1, 6).Whole()
	fmt.Printf("%.4f\n", math.Exp(die.LogDensity(6)))
	// Output:
	// normal mean 3 sd 2 within 0..
	// half of it is below 3.17, and 0.098 below 1
	// uniform 2..1: its ends are finite, and the low one is below the high one
	// 0.1667
}

func ExampleLaw() {
	overdispersed := fit.Law{Family: fit.NegativeBinomial, Arg: 5}
	fmt.Printf("about 20: sd %.2f, and %.2f by Poisson's law\n", overdispersed.SD(20), fit.Law{}.SD(20))
	fmt.Printf("log probability of 30: %.2f and %.2f\n", overdispersed.LogDensity(30, 20), fit.Law{}.LogDensity(30, 20))
	// Output:
	// about 20: sd 10.00, and 4.47 by Poisson's law
	// log probability of 30: -4.00 and -4.79
}

func ExamplePosterior() {
	p, err := fit.ReadCSV(strings.NewReader("beta,weight\n0.3,1\n0.4,2\n0.5,1\n"), "posterior.csv")
	if err != nil {
		log.Fatal(err)
	}
	fmt.Printf("mean %.2f, sd %.3f, effective size %.2f\n", p.Mean(0), p.SD(0), p.Effective())
	for k := range uint64(3) {
		fmt.Println("replica", k, "runs with beta", p.Draw(1, k)[0])
	}
	// Output:
	// mean 0.40, sd 0.071, effective size 2.67
	// replica 0 runs with beta 0.4
	// replica 1 runs with beta 0.4
	// replica 2 runs with beta 0.4
}

func ExampleProblem() {
	p := problem()
	p.Columns[0].Data = p.Columns[0].Data[:3]
	fmt.Println(p.Check())
	// Output: fit: column came has 3 numbers for 4 times
}

func ExampleResult() {
	result := &fit.Result{Method: "abc", Unknowns: []fit.Unknown{
		{Name: "beta", Unit: "per day", Prior: fit.Uniform(0, 1)}}, Best: []float64{0.4}, Exact: true, Power: 1}
	for i := range 101 {
		result.Posterior.Rows = append(result.Posterior.Rows, []float64{0.3 + 0.002*float64(i)})
		result.Posterior.Weights = append(result.Posterior.Weights, 1.0/101)
	}
	m := result.Marginals()[0]
	fmt.Printf("%s: %.2f, the prior is %s; moved: %v\n", m.Name, m.Mean, m.Prior, m.Moved)
	fmt.Printf("from %.3f to %.3f, the prior from %.3f to %.3f\n", m.Quantiles[1], m.Quantiles[5], m.PriorQuantiles[1],
		m.PriorQuantiles[5])
	// Output:
	// beta: 0.40, the prior is uniform 0..1; moved: true
	// from 0.309 to 0.491, the prior from 0.050 to 0.950
}

func ExamplePredict() {
	p := problem()
	registry := new(ensemble.Registry)
	registry.AddKind(fit.NewKind("calls", "1", func([]byte) (*fit.Problem, fit.Simulator, error) {
		return p, calls{4},
			nil
	}))
	posterior := &fit.Posterior{Names: []string{"rate", "noted"}, Rows: [][]float64{{50, 0.25}, {55, 0.22}},
		Weights: []float64{0.5, 0.5}}
	bands, err := fit.Predict(context.Background(), p, nil, posterior, 200, fit.Options{Kind: "calls", Seed: 1,
		Registry: registry, Executor: ensemble.InMemory{}})
	if err != nil {
		log.Fatal(err)
	}
	for _, b := range bands.Columns {
		fmt.Printf("%s: %d of %d within 90 %%\n", b.Name, b.Inside, b.Seen)
	}
	// Output:
	// came: 3 of 3 within 90 %
	// noted: 4 of 4 within 90 %
}
