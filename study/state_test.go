package study

import (
	"fmt"
	"math"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"gonum.org/v1/gonum/stat/distuv"

	"github.com/almanac-sim/almanac/ensemble"
	"github.com/almanac-sim/almanac/fit"
	"github.com/almanac-sim/almanac/population"
)

// Replicas that go on with the states that a fit by pmmh has saved at the last data point are those
// that run up to there, and have the whole law of what is to come given the data: immigration and
// death, whose law is known exactly. What the fit found is the posterior.
func TestStatesOfFit(t *testing.T) {
	all := predictions()
	e := all[slices.IndexFunc(all, func(e *predicted) bool { return e.name == "immigration and death" })]
	r := e.fit(t, e.data, fit.Options{Method: "pmmh", Seed: 1, Population: 100, Budget: 25_000})
	for j, m := range e.posterior(gridCells(len(e.least))) {
		compare(t, e.name+" by pmmh", r, j, m, nil)
	}
	opened, _ := e.open(t, e.data)
	const replicas = 1000
	project := func(from *From) *population.Result {
		request := &Request{Kind: Run, Model: "model.yaml", Source: []byte(e.source), Until: e.until, Posterior: from}
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
		return result
	}
	past := &Past{Times: e.times, Last: len(e.times) - 1, Data: "data.csv"}
	replayed := project(&From{Posterior: r.Posterior, Past: past})
	law := e.exact(gridCells(len(e.least)))
	e.data = []float64{13, 4, 3, 2}
	other := e.exact(gridCells(len(e.least)))
	for _, states := range []int{1_000_000, 80} {
		request := &Request{Kind: Fit, Model: "model.yaml", Source: []byte(e.source), Data: "data.csv", States: states}
		s, err := request.compiled()
		if err != nil {
			t.Fatal(err)
		}
		dir := t.TempDir()
		if err := s.WriteStates(t.Context(), opened, &r.Posterior, filepath.Join(dir, StatesName)); err != nil {
			t.Fatal(err)
		}
		from := &From{Posterior: r.Posterior, Past: past, path: filepath.Join(dir, "posterior.csv")}
		if err := from.readStates(); err != nil {
			t.Fatal(err)
		}
		defer from.states.Close()
		result := project(from)
		if states > len(r.Posterior.Rows) {
			for i := range result.Runs { // rows are those of the fit's end, not of this one
				want, got := &replayed.Runs[i], &result.Runs[i]
				if want.Events != got.Events || !slices.Equal(want.Peaks, got.Peaks) ||
					e.count(result.Model, got) != e.count(replayed.Model, want) {
					t.Fatalf("replica %d is another one than without the states", i)
				}
			}
		} else if len(from.Posterior.Rows) > states || len(from.Posterior.Rows) < states/2 {
			t.Errorf("%d rows have states, of %d", len(from.Posterior.Rows), states)
		}
		size := 1 / (1/float64(replicas) + 1/min(r.Effective(), from.Posterior.Effective()))
		share := make([]float64, len(law)+100)
		for i := range result.Runs {
			share[e.count(result.Model, &result.Runs[i])] += 1.0 / replicas
		}
		found, distance, chi := compareLaws(share, law, size)
		text := fmt.Sprintf("with %d states: %+.1f standard errors of the mean, distance %.2f, chi-square %.4f, size %.0f",
			states, found, distance, chi, size)
		if t.Log(text); math.Abs(found) > 4 || distance > 2.2 || chi < 1e-4 {
			t.Error(text)
		}
		// The comparison tells it from what would follow other data.
		if _, distance, chi := compareLaws(share, other, size); distance < 2.2 || chi > 1e-4 {
			t.Errorf("with %d states: after other data the distance is %.2f, and chi-square %.4f", states, distance, chi)
		}
	}
}

// compareLaws compares shares, of so many independent draws, with a law: by how many standard
// errors the mean is off, the Kolmogorov distance times the root of the size, and the probability
// of a chi-square as large, of numbers that are put together until each has a probability of 4 %.
func compareLaws(share, law []float64, size float64) (mean, distance, chi float64) {
	exact, square, upTo := 0.0, 0.0, 0.0
	sum, cells, p, q := 0.0, 0, 0.0, 0.0
	left := 1.0
	for n := range law {
		exact += law[n] * float64(n)
		square += law[n] * float64(n*n)
		mean += share[n] * float64(n)
		upTo += share[n] - law[n]
		distance = max(distance, math.Abs(upTo)*math.Sqrt(size))
		p, q, left = p+law[n], q+share[n], left-law[n]
		if p >= 0.04 && left >= 0.04 || n == len(law)-1 {
			sum += size * (q - p) * (q - p) / p
			cells, p, q = cells+1, 0, 0
		}
	}
	return (mean - exact) / math.Sqrt((square-exact*exact)/size), distance,
		distuv.ChiSquared{K: float64(cells - 1)}.Survival(sum)
}

const stateModel = `
name: town
time: {unit: day, end: 30}
population: {size: 400, start: {well: rest, ill: 10}}
parameters: {beta: 0.6 per day, seen: 50%}
states:
  well: {}
  ill: {race: [{after: {gamma: {mean: 5 days, shape: 2}}, to: immune}]}
  immune: {race: [{after: {exponential: {mean: 20 days}}, to: well}]}
transmission: [{from: ill, rate: beta, to: {well: ill}, name: infection}]
scenarios: {base: {}, less: {beta: 0.2 per day}, none: {beta: 0 per day}}
record: {every: 1 day}
fit: {data: data.csv, unknown: {beta: {uniform: {low: 0 per day, high: 2 per day}},
  seen: {uniform: {low: 0%, high: 100%}}},
  match: [{column: cases, incidence: infection, observed: seen, error: poisson}]}
`

// stateOf saves the state of a model at day 12.
func stateOf(t *testing.T, source string, replicas int) string {
	t.Helper()
	m, err := population.Compile("model.yaml", []byte(source), population.SaveAt("12"))
	if err != nil {
		t.Fatal(err)
	}
	path := filepath.Join(t.TempDir(), "calm.almanac")
	o := population.Options{Seed: 4, Replicas: replicas}
	if o.Save, err = m.CreateState(path); err != nil {
		t.Fatal(err)
	}
	if _, err := m.Run(t.Context(), o); err != nil {
		t.Fatal(err)
	}
	if err := o.Save.Keep(); err != nil {
		t.Fatal(err)
	}
	return path
}

// numbersOf runs a study, and returns the numbers of each replica, one point after the other.
func numbersOf(t *testing.T, r *Request) [][]float64 {
	t.Helper()
	if err := r.ReadModel(strings.NewReader("")); err != nil {
		t.Fatal(err)
	}
	s, err := r.Open()
	if err != nil {
		t.Fatal(err)
	}
	job, err := s.Job()
	if err != nil {
		t.Fatal(err)
	}
	job.Keep = true
	all := make([][]float64, len(job.Points)*job.Replicas)
	_, err = ensemble.InMemory{Slots: 2}.Run(t.Context(), job, ensemble.RunOptions{Registry: Registry(),
		Replica: func(point, replica int, v ensemble.Values) error {
			all[point*job.Replicas+replica] = v.Numbers
			return nil
		}})
	if err != nil {
		t.Fatal(err)
	}
	return all
}

// A comparison and a sweep go on with the states: what changes nothing is the run that was not
// interrupted, and a scenario has the same past.
func TestStudiesFromState(t *testing.T) {
	path := stateOf(t, stateModel, 6)
	m, err := population.Compile("model.yaml", []byte(stateModel))
	if err != nil {
		t.Fatal(err)
	}
	whole, err := m.Run(t.Context(), population.Options{Seed: 4, Replicas: 6})
	if err != nil {
		t.Fatal(err)
	}
	outputs := []string{"final(infection)", "at(infection, 12 days)"}
	compared := numbersOf(t, &Request{Kind: Compare, FromState: path, Seed: 4, Replicas: 6, Outputs: outputs})
	swept := numbersOf(t, &Request{Kind: Sweep, FromState: path, Seed: 4, Replicas: 6, Outputs: outputs,
		Vary: []string{"beta=0.2 per day, 0.6 per day"}})
	if len(compared) != 6 || len(swept) != 12 {
		t.Fatalf("%d replicas are compared, and %d swept", len(compared), len(swept))
	}
	for i, v := range compared {
		run := &whole.Runs[i]
		last, then := float64(run.Named(run.Rows()-1, 0)), float64(run.Named(12, 0))
		if v[0] != last || v[1] != then {
			t.Errorf("replica %d: %v and %v, where the run without an interruption has %v and %v", i, v[0], v[1], last, then)
		}
		if v[3] != then || v[5] != then || v[4] != then || !(v[2] < last) {
			t.Errorf("replica %d: %v, after a past of %v", i, v, then)
		}
		if swept[i][0] != v[2] || swept[i][1] != then || swept[6+i][0] != last {
			t.Errorf("replica %d: swept %v and %v", i, swept[i], swept[6+i])
		}
	}
}

// The runs of a fit go on with the state: whole ones and particles are the same, incidence counts
// from the state on, and unknowns hold from then on, also for what is observed.
func TestFitFromState(t *testing.T) {
	path := stateOf(t, stateModel, 3)
	r := &Request{Kind: Fit, FromState: path, Data: "data.csv", Table: []byte("time,cases\n13,5\n15,9\n20,4\n")}
	if err := r.ReadModel(strings.NewReader("")); err != nil {
		t.Fatal(err)
	}
	o, err := r.problem()
	if err != nil {
		t.Fatal(err)
	}
	off, most := 0.0, 0.0
	for seed := range uint64(20) {
		for _, x := range [][]float64{{0, 50}, {1.5, 20}} {
			run, err := o.Simulator.Simulate(t.Context(), x, seed)
			if err != nil {
				t.Fatal(err)
			}
			p, err := o.Simulator.(fit.Filtered).Start(t.Context(), x, seed)
			if err != nil {
				t.Fatal(err)
			}
			for row, mean := range run.Columns[0].Mean {
				means, _, err := p.Step(t.Context())
				if err != nil || means[0] != mean {
					t.Fatalf("row %d: %v and %v, %v", row, means, mean, err)
				}
				if x[0] == 0 && mean != 0 {
					t.Errorf("row %d: %v cases without infections", row, mean)
				}
				n := mean / (x[1] / 100)
				off, most = max(off, math.Abs(n-math.Round(n))), max(most, n)
			}
			p.Close()
		}
	}
	if off > 1e-6 || most == 0 {
		t.Errorf("cases are not observed with the unknown share: %v of at most %v", off, most)
	}
	early := &Request{Kind: Fit, FromState: path, Data: "data.csv", Table: []byte("time,cases\n11,5\n15,9\n")}
	if err := early.ReadModel(strings.NewReader("")); err != nil {
		t.Fatal(err)
	}
	if _, err := early.problem(); err == nil || !strings.Contains(err.Error(), "state") {
		t.Error("data before the state:", err)
	}
}

func TestStateRequests(t *testing.T) {
	for want, r := range map[string]Request{
		"--save-at: to which file?":           {SaveAt: "3"},
		"the state at which time?":            {As: "calm.almanac"},
		"leave out --from":                    {FromState: "calm.almanac", From: "fit"},
		"Name a file that --save-at has":      {FromState: StatesOfFit},
		"start afresh; leave out one":         {FromState: StatesOfFit, From: "fit", ParametersOnly: true},
		"--states: where to?":                 {States: 3, Method: "pmmh"},
		"gives no sample of runs":             {States: 3, Method: "search", Out: "results"},
		"--states -1: expected":               {States: -1},
		"leave out --states or --from-state":  {States: 3, Method: "pmmh", Out: "results", FromState: "calm.almanac"},
		"different models, and a state is of": {SaveAt: "3", As: "x", From: "fit"},
	} {
		r.Kind, r.Replicas = Run, 1
		if err := r.Validate(nil); err == nil || !strings.Contains(err.Error(), want) {
			t.Errorf("%s: %v", want, err)
		}
	}
	r := Request{Kind: Run, FromState: StatesOfFit, From: "fit", Model: "m.yaml", Seed: 1, Replicas: 3}
	if got, want := r.Command(), "almanac run m.yaml --seed 1 --replicas 3 --from-state --from fit"; got != want {
		t.Error(got)
	}
	r = Request{Kind: Run, FromState: "calm.almanac", Seed: 1, Replicas: 3}
	if got, want := r.Command(), "almanac run --seed 1 --replicas 3 --from-state calm.almanac"; got != want {
		t.Error(got)
	}
	if rows, weights := chooseStates(&fit.Posterior{Rows: make([][]float64, 4), Weights: []float64{0.5, 0, 0.25, 0.25}},
		2); fmt.Sprint(rows, weights) != "[0 3] [0.5 0.5]" {
		t.Error(rows, weights)
	}
}
