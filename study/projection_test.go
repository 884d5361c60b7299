package study

import (
	"fmt"
	"math"
	"slices"
	"strings"
	"testing"

	"gonum.org/v1/gonum/stat/distuv"

	"github.com/almanac-sim/almanac/fit"
	"github.com/almanac-sim/almanac/population"
)

// A predicted is a model file with data, of which the law of a count after the data is known.
type predicted struct {
	*exactly
	until string
	count func(m *population.Model, run *population.Run) int // at the end
	known func(run *population.Run, row int) (int, int)      // if the data tell it: what is counted there, and what was
	// future is the law of the count with values of the unknowns, times the probability of the data
	future func(x []float64) []float64
}

// final is the count of a state at the end.
func final(state int) func(*population.Model, *population.Run) int {
	return func(_ *population.Model, run *population.Run) int { return run.Count(run.Rows()-1, state) }
}

// predictions are the models.
func predictions() []*predicted {
	// Ten of twenty are alive on day 3, and of these a binomial number on day 4.
	death := &predicted{exactly: pureDeath(), until: "4", count: final(0)}
	death.data = []float64{16, 12, 10}
	death.conjugate = distuv.Beta{Alpha: 2 + 16 + 12 + 10, Beta: 3 + 4 + 4 + 2}
	death.future = func(x []float64) []float64 {
		weight := math.Exp(death.likelihood(x, death.data))
		return binomial(10, x[0], weight)
	}
	death.known = func(run *population.Run, row int) (int, int) { return run.Count(row, 0), 10 }

	// Thirteen are there on day 2. Half a day later there are a binomial number of them, and a Poisson
	// one of those who came since.
	immigration := &predicted{exactly: immigrationAlone(), until: "2.5", count: final(0)}
	immigration.data = []float64{13}
	immigration.conjugate = distuv.Gamma{Alpha: 2 + 13, Beta: 2./3 - 2*math.Expm1(-1)}
	immigration.future = func(x []float64) []float64 {
		weight := math.Exp(immigration.likelihood(x, immigration.data))
		stays := math.Exp(-0.5 * 0.5)
		return plusPoisson(binomial(13, stays, weight), x[0]*(1-stays)/0.5)
	}
	immigration.known = func(run *population.Run, row int) (int, int) { return run.Count(row, 0), 13 }

	// How many are there is not known exactly, and the rates are not, either.
	both := &predicted{exactly: immigrationDeath(), until: "5.5", count: final(0)}
	both.data = []float64{2, 3, 4, 13}
	both.future = func(x []float64) []float64 {
		stays := math.Exp(-x[1] * 0.5)
		left := make([]float64, 100)
		for n, p := range both.filter(x, both.data) {
			for k, q := range binomial(n, stays, p) {
				left[k] += q
			}
		}
		return plusPoisson(left, x[0]*(1-stays)/x[1])
	}

	// The final size of an epidemic of which the reports up to day 6 are known.
	size := &predicted{exactly: elevenPeople(), until: "100"}
	size.count = func(m *population.Model, run *population.Run) int {
		return int(run.Flow(run.Rows()-1, slices.Index(m.Flows(), population.Flow{From: "susceptible", To: "infectious"})))
	}
	size.future = func(x []float64) []float64 {
		var at [11][13]float64
		for i, p := range size.filter(x, size.data) {
			at[i/12][i%12] = p
		}
		sizes := make([]float64, 11)
		for well := 10; well >= 0; well-- {
			for ill := 11 - well; ill > 0; ill-- {
				infection := x[0] * float64(well) / 10 / (x[0]*float64(well)/10 + x[1])
				if well > 0 {
					at[well-1][ill+1] += at[well][ill] * infection
				}
				at[well][ill-1] += at[well][ill] * (1 - infection)
			}
			sizes[10-well] = at[well][0]
		}
		return sizes
	}
	return []*predicted{death, immigration, both, size}
}

// binomial is the law of a binomial number, times a weight.
func binomial(n int, p, weight float64) []float64 {
	all := make([]float64, n+1)
	for k := range all {
		all[k] = weight * math.Exp(distuv.Binomial{N: float64(n), P: p}.LogProb(float64(k)))
	}
	return all
}

// plusPoisson is the law of a number and a Poisson one.
func plusPoisson(law []float64, mean float64) []float64 {
	all := make([]float64, len(law)+60)
	for k := range 60 {
		q := math.Exp(logPoisson(float64(k), mean))
		for n, p := range law {
			all[n+k] += p * q
		}
	}
	return all
}

// exact is the law of the count given the data, over a grid of the unknowns.
func (e *predicted) exact(cells int) []float64 {
	points := [][]float64{nil}
	for j := range e.least {
		width := (e.most[j] - e.least[j]) / float64(cells)
		var next [][]float64
		for _, p := range points {
			for i := range cells {
				next = append(next, append(slices.Clone(p), e.least[j]+width*(float64(i)+0.5)))
			}
		}
		points = next
	}
	all, sum := make([]float64, 200), 0.0
	for _, x := range points {
		prior := math.Exp(e.prior(x))
		for n, p := range e.future(x) {
			all[n] += prior * p
			sum += prior * p
		}
	}
	for n := range all {
		all[n] /= sum
	}
	return all
}

// project runs replicas from a sample, with the data or without.
func (e *predicted) project(t *testing.T, r *fit.Result, replicas int, parametersOnly bool) (*population.Model,
	*population.Result) {
	t.Helper()
	request := &Request{Kind: Run, Model: "model.yaml", Source: []byte(e.source), Until: e.until}
	from := &From{Posterior: r.Posterior}
	if !parametersOnly {
		from.Past = &Past{Times: e.times, Last: len(e.times) - 1, Data: "data.csv"}
		if !from.sound() {
			t.Fatal("the paths are not sound")
		}
	}
	request.Posterior = from
	m, err := request.Compile()
	if err != nil {
		t.Fatal(err)
	}
	o := population.Options{Seed: 5, Replicas: replicas, Workers: 2}
	if err := from.Use(m, &o); err != nil {
		t.Fatal(err)
	}
	result, err := m.Run(t.Context(), o)
	if err != nil {
		t.Fatal(err)
	}
	return m, result
}

// compare compares the posterior, and the counts with their law: the mean within four standard
// errors, and the Kolmogorov distance times the root of the size below 2.2. The size counts the
// replicas and the effective size of the sample that they draw from.
func (e *predicted) compare(t *testing.T, method string, o fit.Options, replicas int) {
	t.Helper()
	o.Method, o.Seed = method, 1
	r := e.fit(t, e.data, o)
	what := e.name + " by " + method
	if !r.Exact {
		t.Fatalf("%s: the power is %g", what, r.Power)
	}
	for j, m := range e.posterior(gridCells(len(e.least))) {
		compare(t, what, r, j, m, e.conjugate)
	}
	law := e.exact(gridCells(len(e.least)))
	mean, square := 0.0, 0.0
	for n, p := range law {
		mean += p * float64(n)
		square += p * float64(n*n)
	}
	sd := math.Sqrt(square - mean*mean)
	moments := func(parametersOnly bool) (found, distance float64) {
		m, result := e.project(t, r, replicas, parametersOnly)
		share := make([]float64, len(law)+100)
		for i := range result.Runs {
			n := e.count(m, &result.Runs[i])
			found += float64(n) / float64(replicas)
			share[n] += 1 / float64(replicas)
			if e.known != nil && !parametersOnly {
				row := slices.Index(m.Times(), e.times[len(e.times)-1])
				if row < 0 {
					t.Fatalf("%s: there is no row at the last data point", what)
				}
				if n, want := e.known(&result.Runs[i], row); n != want {
					t.Fatalf("%s: replica %d has %d at the last data point, which say %d", what, i, n, want)
				}
			}
		}
		upTo := 0.0
		for n, p := range law {
			upTo += share[n] - p
			distance = max(distance, math.Abs(upTo))
		}
		return found, distance
	}
	size := 1 / (1/float64(replicas) + 1/r.Effective())
	found, distance := moments(false)
	text := fmt.Sprintf("%s: mean %.3f (exactly %.3f: %+.1f standard errors), distance %.3f (%.2f), effective size %.0f",
		what, found, mean, (found-mean)/sd*math.Sqrt(size), distance, distance*math.Sqrt(size), r.Effective())
	without, off := moments(true)
	t.Logf("%s; without the data %.3f, distance %.3f (%.2f)", text, without, off, off*math.Sqrt(size))
	if math.Abs(found-mean) > 4*sd/math.Sqrt(size) || distance*math.Sqrt(size) > 2.2 {
		t.Error(text)
	}
	// Runs that do not know the data have another law, which the comparison tells apart.
	if off*math.Sqrt(size) < 2.2 {
		t.Errorf("%s: the comparison cannot tell projections from runs that start afresh: distance %.3f (%.2f)", what, off,
			off*math.Sqrt(size))
	}
}

// Fits find the posterior, and projections have the law of what is to come given the data, for model
// files of which both are known exactly. Those of chains are in TestStatesOfFit, of one model; the
// soak test has them of all.
func TestExactPredictions(t *testing.T) {
	for _, e := range predictions() {
		e.compare(t, "abc", fit.Options{Population: 150}, 400)
	}
}

// Up to the last data point, a projection is the run that the fit accepted: what was reported on
// average there is what the simulator of the fit gives with the same seeds and forks, to the last
// bit; also if something else holds from then on, and whatever the end.
func TestProjectionIsTheRunOfTheFit(t *testing.T) {
	e := elevenPeople()
	opened, _ := e.open(t, e.data)
	for method, o := range map[string]fit.Options{"abc": {Budget: 3000}, "pmmh": {Budget: 40_000}} {
		o.Method, o.Seed = method, 2
		r := e.fit(t, e.data, o)
		forks := 0
		for _, set := range [][]population.Parameter{nil, {{Name: "beta", Value: "0 per day"}}} {
			from := &From{Posterior: r.Posterior, Past: &Past{Times: e.times, Last: len(e.times) - 1, Data: "data.csv"}}
			request := &Request{Kind: Run, Model: "model.yaml", Source: []byte(e.source), Until: "10", Set: set,
				Posterior: from}
			m, err := request.Compile(population.Set("gamma", "0.1 per day"))
			if err != nil {
				t.Fatal(err)
			}
			options := population.Options{Seed: 3, Replicas: 40}
			if err := from.Use(m, &options); err != nil {
				t.Fatal(err)
			}
			result, err := m.Run(t.Context(), options)
			if err != nil {
				t.Fatal(err)
			}
			cases := slices.Index(m.Flows(), population.Flow{From: "susceptible", To: "infectious"})
			for k := range result.Runs {
				i := from.index(3, k)
				path := r.Posterior.Paths[i]
				particle, err := opened.Simulator.(fit.Filtered).Start(t.Context(), r.Posterior.Rows[i], path.Seed)
				if err != nil {
					t.Fatal(err)
				}
				forks += len(path.Forks)
				before := uint64(0)
				for row, at := range e.times {
					means, _, err := particle.Step(t.Context())
					if err != nil {
						t.Fatal(err)
					}
					n := result.Runs[k].Flow(slices.Index(m.Times(), at), cases)
					if got := 0.7 * float64(n-before); got != means[0] {
						t.Fatalf("%s, replica %d, row %d: %v are reported on average, and in the run of the fit %v", method, k, row,
							got, means[0])
					}
					before = n
					for _, f := range path.Forks {
						if f.Row == row {
							if particle, err = particle.Fork(f.Seed); err != nil {
								t.Fatal(err)
							}
						}
					}
				}
				particle.Close()
			}
		}
		if method == "pmmh" && forks == 0 {
			t.Error("no particle was forked")
		}
	}
}

// Projected reports are those of the replicas: of pure death, ten at the last data point, with the
// error of reports, and then a number whose quantiles are those of its law.
func TestProjectedReports(t *testing.T) {
	e := predictions()[0]
	r := e.fit(t, e.data, fit.Options{Seed: 1, Population: 300})
	past := &Past{Times: e.times, Last: 2, Data: "data.csv", Columns: []fit.Column{{Name: "seen", Data: e.data}}}
	request := &Request{Kind: Run, Model: "model.yaml", Source: []byte(e.source), Until: e.until,
		Posterior: &From{Posterior: r.Posterior, Past: past}}
	m, err := request.Compile()
	if err != nil {
		t.Fatal(err)
	}
	p, err := request.Posterior.Project(t.Context(), m, 1, 0, 1000)
	if err != nil {
		t.Fatal(err)
	}
	if p.Runs != MostProjected || !slices.Equal(p.Times, []float64{1, 2, 3, 4}) {
		t.Fatalf("%d runs at %v", p.Runs, p.Times)
	}
	for row, y := range e.data {
		q := p.Columns[0].Quantiles[row]
		if p.Columns[0].Data[row] != y || math.Abs(q[2]-y) > 0.1 || q[0] < y-0.5 || q[4] > y+0.5 {
			t.Errorf("at %v reports are %v, where %v were", p.Times[row], q, y)
		}
	}
	quantilesOf(t, p, 3, e.exact(gridCells(1)), r.Effective())
}

// quantilesOf checks the quantiles of the first column in a row, which is of a law with jumps: the
// law is above the share at the quantile, and below it before, within four standard errors.
func quantilesOf(t *testing.T, p *Projection, row int, law []float64, effective float64) {
	t.Helper()
	for i, share := range p.Shares {
		n := int(math.Round(p.Columns[0].Quantiles[row][i]))
		upTo := 0.0
		for k := range n {
			upTo += law[k]
		}
		slack := 4 * math.Sqrt(share*(1-share)*(1./float64(p.Runs)+1/effective))
		if upTo > share+slack || upTo+law[n] < share-slack {
			t.Errorf("%g %% of the reports are at most %d, of the law %.3f to %.3f", 100*share, n, upTo, upTo+law[n])
		}
	}
}

// What a survey is expected to find is a number of those tested, with binomial noise, up to the last
// data point and after it: of as many as in the last row. Nothing happens in the model, so that each
// row has the same law, of 40 and of 20 tests.
func TestProjectedSurvey(t *testing.T) {
	e := surveyed()
	r := e.fit(t, e.data, fit.Options{Seed: 1, Population: 300})
	past := &Past{Times: e.times, Last: 1, Data: "data.csv", Columns: []fit.Column{{Name: "seen", Data: e.data}},
		Tested: [][]float64{{40, 20}}}
	request := &Request{Kind: Run, Model: "model.yaml", Source: []byte(e.source),
		Posterior: &From{Posterior: r.Posterior, Past: past}}
	m, err := request.Compile()
	if err != nil {
		t.Fatal(err)
	}
	p, err := request.Posterior.Project(t.Context(), m, 1, 0, 400)
	if err != nil {
		t.Fatal(err)
	}
	if !slices.Equal(p.Times, []float64{1, 2, 3}) {
		t.Fatal(p.Times)
	}
	for row, tests := range []int{40, 20, 20} {
		law := make([]float64, tests+1)
		for i, share := range e.posterior(gridCells(1))[0].share {
			x := (float64(i) + 0.5) / float64(gridCells(1))
			for k, q := range binomial(tests, 0.9*x+0.02*(1-x), share) {
				law[k] += q
			}
		}
		quantilesOf(t, p, row, law, r.Effective())
	}
	past.Tested = nil
	if _, err := request.Posterior.Project(t.Context(), m, 1, 0, 400); err == nil ||
		!strings.Contains(err.Error(), "how many were tested for seen") {
		t.Error(err)
	}
}
