package fit

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"math"
	"slices"
	"strings"
	"sync/atomic"
	"testing"

	"github.com/almanac-sim/almanac/ensemble"
	"github.com/almanac-sim/almanac/fit/internal/proposal"
	"github.com/almanac-sim/almanac/internal/random"
	"github.com/almanac-sim/almanac/internal/testscale"
)

// The exponential of an estimate has the exact likelihood as its mean, by filter and by whole runs,
// however few the particles: within 4.5 standard errors of many estimates. Those of the filter are
// so few that copies are made at most rows.
func TestLikelihoodIsUnbiased(t *testing.T) {
	drift := model{oneColumn(driftingData), drifting{len(driftingData)}}
	die := model{oneColumn(dyingData), dying{50, len(dyingData)}}
	short := driftingData[:5]
	for _, c := range []struct {
		name  string
		o     model
		x     []float64
		runs  int
		times int
		exact float64
	}{
		{"linear Gaussian by filter", drift, []float64{0.8}, 20, 5_000, kalman(0.8, driftingData)},
		{"deaths by filter", die, []float64{0.3, 0.7}, 10, 1_000, dying{first: 50}.exact(0.3, 0.7, dyingData)},
		{"linear Gaussian by whole runs", model{oneColumn(short), wholeRuns{drifting{5}}}, []float64{0.8}, 20, 2_500,
			kalman(0.8, short)},
	} {
		var sum, squares float64
		for k := range c.times {
			e, err := c.o.likelihood(context.Background(), c.x, c.runs, uint64(k))
			if err != nil {
				t.Fatal(err)
			}
			w := math.Exp(e.log - c.exact)
			sum += w
			squares += w * w
		}
		n := float64(c.times)
		mean := sum / n
		se := math.Sqrt((squares/n - mean*mean) / n)
		t.Logf("%s: mean %.4f ± %.4f", c.name, mean, se)
		if se > 0.05 {
			t.Errorf("%s: the standard error is %.3f: nothing is shown", c.name, se)
		}
		if math.Abs(mean-1) > 4.5*se {
			t.Errorf("%s: the mean of the estimates is %.4f ± %.4f of the exact likelihood", c.name, mean, se)
		}
	}
}

// The posterior of the linear Gaussian model: mean and standard deviation against a grid with
// Kalman's likelihood, within 4.5 standard errors by the chains' own reckoning; by filter, and by
// whole runs of a few rows.
func TestPMMHAgainstKalman(t *testing.T) {
	for _, c := range []struct {
		name   string
		rows   int
		model  Simulator
		want   string
		budget int
	}{
		{"filter", len(driftingData), drifting{len(driftingData)}, "particle filter", 70_000},
		{"whole runs", 4, wholeRuns{drifting{4}}, "independent runs", 80_000},
	} {
		data := driftingData[:c.rows]
		p := oneColumn(data, Unknown{Name: "a", Prior: Uniform(-1, 2)})
		r, err := fitDirectly(p, c.model, Options{Method: "pmmh", Seed: 1, Budget: c.budget})
		if err != nil {
			t.Fatal(err)
		}
		if r.Chains.Estimator != c.want || !r.Exact {
			t.Errorf("%s: by %s, exact %v", c.name, r.Chains.Estimator, r.Exact)
		}
		mean, sd, _, _ := onGrid(func(a, _ float64) float64 { return kalman(a, data) }, -1, 2, 0, 0, 600, 1)
		compareMoments(t, c.name, r, 0, mean, sd)
	}
}

// The posterior of rate and share of the deaths, on a grid of both.
func TestPMMHAgainstDeaths(t *testing.T) {
	model := dying{50, len(dyingData)}
	p := oneColumn(dyingData, Unknown{Name: "rate", Prior: LogUniform(0.05, 1)}, Unknown{Name: "share", Prior: Beta(4, 2)})
	r, err := fitDirectly(p, model, Options{Method: "pmmh", Seed: 2, Budget: 40_000})
	if err != nil {
		t.Fatal(err)
	}
	// The rate's prior is uniform in its logarithm, and so is the grid.
	rate, rateSD, share, shareSD := onGrid(func(l, s float64) float64 {
		return model.exact(math.Exp(l), s, dyingData) + 3*math.Log(s) + math.Log1p(-s)
	}, math.Log(0.05), 0, 0, 1, 60, 40)
	_ = rate
	_ = rateSD
	compareMoments(t, "share", r, 1, share, shareSD)
	for i := range r.Posterior.Rows {
		r.Posterior.Rows[i][0] = math.Log(r.Posterior.Rows[i][0])
	}
	// The error of the mean of the logarithm is that of the mean, over the mean, to first order.
	r.Chains.MeanError[0] = rateSD / math.Sqrt(r.Chains.Bulk[0])
	compareMoments(t, "logarithm of the rate", r, 0, rate, rateSD)
}

// nowhere is a model that there is at no values.
type nowhere struct{ drifting }

func (nowhere) Start(context.Context, []float64, uint64) (Particle, error) {
	return nil, ErrImpossible
}

// Where there is no model at all, that is what is said, and not that the data do not belong to it.
func TestPMMHWithoutAModel(t *testing.T) {
	p := oneColumn(driftingData, Unknown{Name: "a", Prior: Uniform(-1, 2)})
	if _, err := fitDirectly(p, nowhere{}, Options{Method: "pmmh"}); err == nil || err.Error() !=
		"fit: there is no model at any of 1024 points of the prior" {
		t.Error(err)
	}
}

// onGrid integrates a density whose logarithm is given, over the middles of cells.
func onGrid(log func(a, b float64) float64, a0, a1, b0, b1 float64, na, nb int) (meanA, sdA, meanB, sdB float64) {
	logs := make([]float64, 0, na*nb)
	top := math.Inf(-1)
	at := func(i, j int) (float64, float64) {
		return a0 + (a1-a0)*(float64(i)+0.5)/float64(na), b0 + (b1-b0)*(float64(j)+0.5)/float64(nb)
	}
	for i := range na {
		for j := range nb {
			a, b := at(i, j)
			logs = append(logs, log(a, b))
			top = max(top, logs[len(logs)-1])
		}
	}
	var sum, sa, sb, saa, sbb float64
	for i := range na {
		for j := range nb {
			a, b := at(i, j)
			w := math.Exp(logs[i*nb+j] - top)
			sum += w
			sa += w * a
			sb += w * b
			saa += w * a * a
			sbb += w * b * b
		}
	}
	meanA, meanB = sa/sum, sb/sum
	return meanA, math.Sqrt(saa/sum - meanA*meanA), meanB, math.Sqrt(max(0, sbb/sum-meanB*meanB))
}

// compareMoments compares a sample with an exact mean and standard deviation. The standard error of
// the latter is that of a normal law, sd/√(2·size), half as much again for tails that are not
// normal.
func compareMoments(t *testing.T, what string, r *Result, i int, mean, sd float64) {
	t.Helper()
	var sum, squares float64
	for k, row := range r.Posterior.Rows {
		sum += r.Posterior.Weights[k] * row[i]
	}
	for k, row := range r.Posterior.Rows {
		squares += r.Posterior.Weights[k] * (row[i] - sum) * (row[i] - sum)
	}
	c := r.Chains
	t.Logf("%s: mean %.4f ± %.4f (exact %.4f), sd %.4f (exact %.4f); R-hat %.4f, effective size %.0f of %d, "+
		"acceptance %.2f, %d runs an estimate, variance %.2f, %d runs",
		what, sum, c.MeanError[i], mean, math.Sqrt(squares), sd, c.RHat[i], c.Bulk[i], len(r.Posterior.Rows), c.Acceptance,
		c.Particles, c.Variance, r.Runs)
	if c.RHat[i] > 1.1 || c.Bulk[i] < 50 { // fewer than with which chains end by themselves: a budget may be less
		t.Errorf("%s: R-hat is %.3f, and the effective size %.0f", what, c.RHat[i], c.Bulk[i])
	}
	if math.Abs(sum-mean) > 4.5*c.MeanError[i] {
		t.Errorf("%s: the mean is %.4f ± %.4f, and exactly %.4f", what, sum, c.MeanError[i], mean)
	}
	if se := 1.5 * sd / math.Sqrt(2*c.Bulk[i]); math.Abs(math.Sqrt(squares)-sd) > 4.5*se {
		t.Errorf("%s: the standard deviation is %.4f, and exactly %.4f ± %.4f", what, math.Sqrt(squares), sd, se)
	}
}

// A chain keeps with each state the estimate that it was accepted with, as it was: that of a model
// without noise is the likelihood.
func TestChainsKeepTheirEstimates(t *testing.T) {
	o := model{oneColumn([]float64{2}, Unknown{Name: "level", Prior: Normal(0, 1)}), level{}}
	args, err := json.Marshal(chainStage{States: [][]float64{{0}}, Beta: 1, Steps: 50, Runs: 1,
		Kernel: proposal.Walk{Lower: []float64{1}, Scale: 0.8}, Seed: 3})
	if err != nil {
		t.Fatal(err)
	}
	work, err := stageKinds["chains"](o, args)
	if err != nil {
		t.Fatal(err)
	}
	a, err := work(t.Context(), 0)
	if err != nil {
		t.Fatal(err)
	}
	if moved := a.numbers[0]; moved < 5 || moved > 45 {
		t.Errorf("%g steps of 50 were accepted", moved)
	}
	for rest := a.numbers[chainHead:]; len(rest) > 0; {
		c, err := level{}.Simulate(t.Context(), o.problem.values(rest[:1]), 0)
		if err != nil {
			t.Fatal(err)
		}
		if want := o.problem.LogLikelihood(c); math.Abs(rest[1]-want) > 1e-9 {
			t.Fatalf("a state keeps %g, and its likelihood is %g", rest[1], want)
		}
		if _, rest, err = unpackPath(rest[2:]); err != nil {
			t.Fatal(err)
		}
	}
}

// counted is a model that says when it begins.
type counted struct {
	Filtered
	begins func()
}

func (c counted) Simulate(ctx context.Context, x []float64, seed uint64) (Trajectory, error) {
	c.begins()
	if err := ctx.Err(); err != nil {
		return Trajectory{}, err
	}
	return c.Filtered.Simulate(ctx, x, seed)
}

func (c counted) Start(ctx context.Context, x []float64, seed uint64) (Particle, error) {
	c.begins()
	if err := ctx.Err(); err != nil {
		return nil, err
	}
	return c.Filtered.Start(ctx, x, seed)
}

// Each method gives the same, byte for byte, in memory with 2 slots, and on a hub with 7 after
// interruptions in the middle of runs; with time also in memory with 1 and 7; the default one with
// particles here, and with single runs in TestInterrupted.
func TestChainsAnywhere(t *testing.T) {
	data := dyingData
	p := oneColumn(data, Unknown{Name: "rate", Prior: LogUniform(0.05, 1)}, Unknown{Name: "share", Prior: Beta(4, 2)})
	for _, method := range []string{"abc", "anneal", "search", "pmmh"} {
		o := Options{Method: method, Seed: 5, Budget: 250, Kind: "test", Registry: new(ensemble.Registry)}
		switch method {
		case "abc":
			o.Budget, o.Population = 20_000, 100 // the least with which there are enough estimates
		case "pmmh":
			o.Budget = 12_000 // not much more than it must: the cloud, the warm-up and one block
		}
		begins := func() {}
		o.Registry.AddKind(NewKind("test", "1", func([]byte) (*Problem, Simulator, error) {
			return p, counted{dying{50, len(data)}, func() { begins() }}, nil
		}))
		here := func(ctx context.Context, dir string, slots int) (r *Result, err error) {
			d, err := ensemble.OpenDirectory(dir, ensemble.DirectoryOptions{Slots: slots})
			if err != nil {
				return nil, err
			}
			defer d.Close()
			o.Executor = d
			return Run(ctx, p, nil, o)
		}
		o.Executor = ensemble.InMemory{Slots: 2}
		r, err := Run(t.Context(), p, nil, o)
		if err != nil {
			t.Fatal(method, err)
		}
		if method == "abc" && r.Particles == 0 {
			t.Error("it is not by particles")
		}
		want := r.all(t)
		for _, slots := range testscale.Size(nil, []int{1, 7}) { // beside 2
			o.Executor = ensemble.InMemory{Slots: slots}
			r, err := Run(t.Context(), p, nil, o)
			if err != nil {
				t.Fatal(method, err)
			}
			if got := r.all(t); got != want {
				t.Errorf("%s with %d slots:\n%.500s\nwith 2:\n%.500s", method, slots, got, want)
			}
		}
		dir, stream := t.TempDir(), random.New(1)
		cuts := 0
		for {
			ctx, cancel := context.WithCancel(t.Context())
			var left atomic.Int64
			left.Store(int64(r.Runs/6) + int64(stream.Below(uint64(r.Runs/6))))
			begins = func() {
				if left.Add(-1) == 0 {
					cancel()
				}
			}
			r, err := here(ctx, dir, 7)
			stopped := ctx.Err() != nil
			cancel()
			if err == nil {
				if got := r.all(t); got != want {
					t.Errorf("%s after %d interruptions:\n%.500s\nwithout:\n%.500s", method, cuts, got, want)
				}
				break
			}
			if !stopped || !errors.Is(err, context.Canceled) {
				t.Fatal(method, err)
			}
			if cuts++; cuts > 50 {
				t.Fatalf("%s never ends", method)
			}
		}
		t.Logf("%s: %d stages, %d runs, %d interruptions", method, len(r.Jobs), r.Runs, cuts)
		if cuts < 2 {
			t.Errorf("%s: %d interruptions only", method, cuts)
		}
	}
}

// A budget is kept. One that is too small is refused before it is exceeded, the smallest before
// anything is run. The refusal says what would do if the variance of the log likelihood can be
// measured, and that does, as far as it can be known: chains take 0.6 to 4.1 times as many steps as
// the variance says (usualMixing), so that the effective size is 73 to 500 where 100 is said.
func TestPMMHKeepsItsBudget(t *testing.T) {
	p := oneColumn(dyingData, Unknown{Name: "rate", Prior: LogUniform(0.05, 1)}, Unknown{Name: "share", Prior: Beta(4, 2)})
	fits := func(budget int, seed uint64) (*Result, error) {
		return fitDirectly(p, dying{50, len(dyingData)}, Options{Method: "pmmh", Seed: seed, Budget: budget})
	}
	refusal := func(budget int, seed uint64) string {
		r, err := fits(budget, seed)
		if !errors.Is(err, ErrBudget) || !strings.Contains(err.Error(), "too small for pmmh") {
			t.Fatalf("a budget of %d: %+v, %v", budget, r, err)
		}
		return err.Error()
	}
	if text := refusal(1, 2); !strings.Contains(text, ": 0 were made") || strings.Contains(text, "about") ||
		!strings.Contains(text, fmt.Sprintf("it needs %d more", leastBudget)) ||
		!strings.Contains(text, fmt.Sprintf("with a budget of %d or more it measures", measureBudget)) {
		t.Errorf("a budget of 1: %s", text)
	}
	// The first refusal, whether the budget ends before anything, in the cooling, when the variance is
	// measured or in the warm-up.
	for i, budget := range []int{measureBudget, leastBudget - 1, leastBudget, leastBudget + 400, 9_500} {
		seed := uint64(i)
		_, rest, _ := strings.Cut(refusal(budget, seed), "about ")
		enough := 0
		if _, err := fmt.Sscan(rest, &enough); err != nil {
			t.Fatal(rest, err)
		}
		r, err := fits(enough, seed)
		if err != nil {
			t.Fatalf("a budget of %d: about %d would do: %v", budget, enough, err)
		}
		size := slices.Min(r.Chains.Bulk)
		t.Logf("seed %d, a budget of %d: about %d would do; %d runs have an effective size of %.0f", seed, budget, enough,
			r.Runs, size)
		// What is measured at points of the prior is larger than at those of the posterior.
		if r.Runs > enough || size < leastESS*typicalMixing/4.1 || size > leastESS*typicalMixing/0.6 &&
			budget >= leastBudget {
			t.Errorf("seed %d, a budget of %d: about %d would do, and %d runs have an effective size of %.0f", seed, budget,
				enough, r.Runs, size)
		}
	}
	const budget = 20_000
	if r, err := fits(budget, 2); err != nil || r.Runs > budget || r.Runs < budget/2 && slices.Min(r.Chains.Bulk) <
		chainESS {
		t.Errorf("a budget of %d: %+v, %v", budget, r, err)
	}
}

// The inefficiency is that of a chain whose proposals come from the posterior, in a simulation of
// the noise alone: the variance of the mean of a quantity that does not depend on the noise, over
// chains, within 4.5 standard errors. Without noise it is 1.
func TestInefficiency(t *testing.T) {
	if got := inefficiency(1e-9); math.Abs(got-1) > 1e-3 {
		t.Errorf("without noise it is %v", got)
	}
	for _, v := range []float64{0.3, 1.5} {
		const chains, steps = 400, 600
		stream := random.New(1, math.Float64bits(v))
		sum := 0.0
		for range chains {
			x, w := standardNormal(&stream), v/2+math.Sqrt(v)*standardNormal(&stream)
			mean := 0.0
			for range steps {
				if next := -v/2 + math.Sqrt(v)*standardNormal(&stream); math.Log(stream.Positive()) < next-w {
					x, w = standardNormal(&stream), next
				}
				mean += x / steps
			}
			sum += mean * mean * steps / chains
		}
		// A variance by so many chains has a relative standard error of √(2/chains).
		got, se := inefficiency(v), sum*math.Sqrt(2./chains)
		t.Logf("variance %g: %.3f, by simulation %.3f ± %.3f", v, got, sum, se)
		if math.Abs(got-sum) > 4.5*se {
			t.Errorf("variance %g: %.3f, by simulation %.3f ± %.3f", v, got, sum, se)
		}
	}
}

// What is said of a sample that is too small is what it takes from here on: the steps before count.
func TestWouldTake(t *testing.T) {
	f := &pmmhFit{e: &engine{runs: 30_000}, runs: 10}
	samples := make([][][]float64, 8)
	for c := range samples {
		samples[c] = make([][]float64, 250)
	}
	// 8 × 250 × 10 of the 30,000 runs gave 50: as many again give 100.
	if got := f.runsNeeded(samples, 50); got != "50000" {
		t.Errorf("it would take %s runs, and should 50000", got)
	}
}

// The best point is not a matter of luck: candidates that seem good because their estimates were
// lucky are estimated again, and what is said of the best one has no luck in it either. Its log
// likelihood is, on average over 40 choices among 32 states that seem better than they are by 2 ±
// 1, the exact one less half the relative variance of 16 estimates, which is below 0.1, within 4.5
// standard errors; and it has lost at most 0.3 on average against the best of the 32.
func TestBestIsNotLucky(t *testing.T) {
	model := dying{50, len(dyingData)}
	p := oneColumn(dyingData, Unknown{Name: "rate", Prior: LogUniform(0.05, 1)}, Unknown{Name: "share", Prior: Beta(4, 2)})
	g := new(ensemble.Registry)
	g.AddKind(NewKind("test", "1", func([]byte) (*Problem, Simulator, error) { return p, model, nil }))
	var off, squares, lost, z2 float64
	const times = 40
	stream := random.New(1)
	for k := range times {
		f := &pmmhFit{e: &engine{problem: p, o: Options{Seed: uint64(k), Kind: "test", Registry: g,
			Executor: ensemble.InMemory{Slots: 2}}}, runs: 8}
		var states []*candidate
		most := math.Inf(-1)
		exactly := map[float64]float64{}
		for range 32 {
			z := []float64{0.15 + 0.5*proposal.StandardNormal(&stream), 0.5 + 0.7*proposal.StandardNormal(&stream)}
			x := p.values(z)
			c := &candidate{z: z, prior: p.priorDensity(x)}
			l := model.exact(x[0], x[1], dyingData)
			c.chainDensity = l + c.prior + 2 + proposal.StandardNormal(&stream)
			states = append(states, c)
			exactly[z[0]] = l
			most = max(most, l+c.prior)
		}
		z, log, se, err := f.best(t.Context(), states)
		if err != nil {
			t.Fatal(err)
		}
		l := exactly[z[0]]
		off += (log - l) / times
		squares += (log - l) * (log - l) / times
		z2 += (log - l) * (log - l) / (se * se) / times
		lost += (most - l - p.priorDensity(p.values(z))) / times
	}
	se := math.Sqrt((squares - off*off) / times)
	t.Logf("the log likelihood is %+.3f ± %.3f off, the square of which is %.2f times what is said; %.3f were lost", off,
		se, z2, lost)
	if off > 4.5*se || off < -0.1-4.5*se {
		t.Errorf("the log likelihood at the best point is off by %+.3f ± %.3f on average", off, se)
	}
	if lost > 0.3 {
		t.Errorf("the best point has lost %.3f", lost)
	}
}
