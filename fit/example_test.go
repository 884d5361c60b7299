package fit_test

import (
	"context"
	"fmt"
	"log"
	"math"
	"math/rand/v2"
	"os"
	"strings"

	"sync"

	"github.com/almanac-sim/almanac/ensemble"
	"github.com/almanac-sim/almanac/fit"
	"github.com/almanac-sim/almanac/internal/random"
)

// calls come at a rate that is to be found; each is noted with a probability that is to be found,
// too. Of each day it is known how many were noted, and of how many it was found out later that
// they came.
type calls struct{ days int }

func (c calls) Simulate(_ context.Context, x []float64, seed uint64) (fit.Trajectory, error) {
	s := rand.NewPCG(seed, 0)
	rate, noted := x[0], x[1]
	all, some := fit.Reports{}, fit.Reports{} // both by Poisson's law
	for range c.days {
		n := fit.Law{}.Draw(rate, s) // calls of the day
		all.Mean = append(all.Mean, n)
		some.Mean = append(some.Mean, noted*n)
	}
	return fit.Trajectory{Columns: []fit.Reports{all, some}, Events: uint64(c.days)}, nil
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
	result, err := fit.Run(context.Background(), p, nil, fit.Options{Kind: "calls", Seed: 1, Population: 400,
		Registry: registry, Executor: ensemble.InMemory{}})
	if err != nil {
		log.Fatal(err)
	}
	fmt.Print(result.Text())
	fmt.Println("exact:", result.Exact)
	// Output:
	// unknown          mean     sd       5 %     median   95 %     best    prior
	// rate (per day)   52.78    5.87     42.74   52.79    62.95    51.43   log-uniform 1..1000
	// noted            0.2444   0.0396   0.184   0.2443   0.3131   0.248   beta a 1 b 1
	//
	// correlation   rate
	// noted         -0.40
	//
	// the data moved all unknowns
	// effective sample 574 of 1600 rows, 6700 runs, 26800 events
	// exact: true
}

// A model of this program, in one call.
func ExampleRunLocal() {
	model := fit.SimulatorFunc(func(_ context.Context, x []float64, _ uint64) (fit.Trajectory, error) {
		rate := x[0] // calls per day, which scatter by Poisson's law
		return fit.Trajectory{Columns: []fit.Reports{{Mean: []float64{rate, rate, rate}}}}, nil
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

// A particle is continued several times from the same row, each time with another random stream.
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

// colony is a model that can be stopped and copied: of 30 at first, each dies within a row with a
// probability that is unknown.
type colony struct{ rows int }

type colonyRun struct {
	alive  int
	death  float64
	stream random.Stream
}

func (c colony) Start(_ context.Context, x []float64, seed uint64) (fit.Particle, error) {
	return &colonyRun{30, x[0], random.New(seed)}, nil
}

func (c colony) Simulate(ctx context.Context, x []float64, seed uint64) (fit.Trajectory, error) {
	r, _ := c.Start(ctx, x, seed)
	var means []float64
	for range c.rows {
		m, _, _ := r.Step(ctx)
		means = append(means, m...)
	}
	return fit.Trajectory{Columns: []fit.Reports{{Mean: means}}}, nil
}

func (r *colonyRun) Step(context.Context) ([]float64, uint64, error) {
	before := r.alive
	for range before {
		if r.stream.Float64() < r.death {
			r.alive--
		}
	}
	return []float64{float64(before - r.alive)}, 1, nil // deaths are reported with Poisson's law
}

func (r *colonyRun) Fork(seed uint64) (fit.Particle, error) {
	c := *r
	c.stream = random.New(seed)
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
