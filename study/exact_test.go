package study

import (
	"fmt"
	"maps"
	"math"
	"slices"
	"strings"
	"testing"

	"gonum.org/v1/gonum/stat/distuv"

	"github.com/almanac-sim/almanac/ensemble"
	"github.com/almanac-sim/almanac/fit"
	"github.com/almanac-sim/almanac/internal/testscale"
)

// An exactly is a model file of which the posterior is known, by code that has nothing in common
// with what runs and fits models.
type exactly struct {
	name, source string
	times, data  []float64
	tested       float64                         // in each row, if the data are positives of a survey
	least, most  []float64                       // of each unknown, between which the grid lies
	prior        func(x []float64) float64       // the logarithm of its density, but for a constant
	likelihood   func(x, data []float64) float64 // the logarithm
	expected     func(x []float64) []float64     // what is reported on average
	// the probability of the data and of each state at the last row, however states are numbered; for
	// projections
	filter    func(x, data []float64) []float64
	law       func(y, mean float64) float64     // the logarithm of the density of a report; for the misfit
	conjugate interface{ CDF(float64) float64 } // the posterior of a single unknown, if it has a name
}

// open makes the problem, with data in place of those of the model.
func (e *exactly) open(t testing.TB, data []float64) (*OpenedFit, []byte) {
	t.Helper()
	table := new(strings.Builder)
	fmt.Fprintln(table, "time,seen,tested")
	for i, y := range data {
		fmt.Fprintf(table, "%v,%v,%v\n", e.times[i], y, e.tested)
	}
	f := &Request{Kind: Fit, Model: "model.yaml", Source: []byte(e.source), Data: "data.csv",
		Table: []byte(table.String())}
	o, err := f.problem()
	if err != nil {
		t.Fatal(err)
	}
	payload, err := f.Payload()
	if err != nil {
		t.Fatal(err)
	}
	return o, payload
}

// fit fits the model file, in memory.
func (e *exactly) fit(t testing.TB, data []float64, o fit.Options) *fit.Result {
	t.Helper()
	r, err := e.tryFit(t, data, o)
	if err != nil {
		t.Fatalf("%s: %v", e.name, err)
	}
	return r
}

func (e *exactly) tryFit(t testing.TB, data []float64, o fit.Options) (*fit.Result, error) {
	t.Helper()
	opened, payload := e.open(t, data)
	o.Kind, o.Registry = FitKind, Registry()
	o.Executor = ensemble.InMemory{Slots: 2}
	return fit.Run(t.Context(), opened.Problem, payload, o)
}

// A marginal is the distribution of one unknown, by the middles of cells.
type marginal struct {
	least, width float64
	share        []float64
}

func (m *marginal) moments() (mean, sd float64) {
	square := 0.0
	for i, p := range m.share {
		x := m.least + m.width*(float64(i)+0.5)
		mean += p * x
		square += p * x * x
	}
	return mean, math.Sqrt(square - mean*mean)
}

// posterior is that of one or two unknowns on a grid of so many cells in each direction.
func (e *exactly) posterior(cells int) []*marginal {
	var all []*marginal
	points := [][]float64{nil}
	var places [][]int
	places = append(places, nil)
	for j := range e.least {
		m := &marginal{e.least[j], (e.most[j] - e.least[j]) / float64(cells), make([]float64, cells)}
		all = append(all, m)
		var next [][]float64
		var at [][]int
		for k, p := range points {
			for i := range cells {
				next = append(next, append(slices.Clone(p), m.least+m.width*(float64(i)+0.5)))
				at = append(at, append(slices.Clone(places[k]), i))
			}
		}
		points, places = next, at
	}
	logs := make([]float64, len(points))
	for k, x := range points {
		logs[k] = e.prior(x) + e.likelihood(x, e.data)
	}
	top, sum := slices.Max(logs), 0.0
	for k, l := range logs {
		logs[k] = math.Exp(l - top)
		sum += logs[k]
	}
	for k, w := range logs {
		for j, i := range places[k] {
			all[j].share[i] += w / sum
		}
	}
	return all
}

// compare compares a sample with the exact posterior: mean and standard deviation within four
// standard errors for the effective size (of a distribution with a kurtosis of at most 5), and the
// Kolmogorov distance times the root of the size, which exceeds 2.2 with a probability of 1e-4.
// With a size of 1,000, a distribution that is off or wider by a seventh of its standard deviation
// fails, and with 150 one by a third.
func compare(t *testing.T, what string, r *fit.Result, j int, m *marginal, conjugate interface {
	CDF(float64) float64
}) {
	t.Helper()
	n := r.Effective()
	if r.Chains != nil {
		n = r.Chains.Bulk[j]
	}
	mean, sd := m.moments()
	p := &r.Posterior
	off, wide := (p.Mean(j)-mean)/sd*math.Sqrt(n), (p.SD(j)/sd-1)*math.Sqrt(n)
	distance, upTo := 0.0, 0.0
	cdf := func(i int) float64 { return upTo }
	if conjugate != nil {
		cdf = func(i int) float64 { return conjugate.CDF(m.least + m.width*float64(i+1)) }
	}
	for i, share := range m.share {
		upTo += share
		below := 0.0
		for k, row := range p.Rows {
			if row[j] <= m.least+m.width*float64(i+1) {
				below += p.Weights[k]
			}
		}
		distance = max(distance, math.Abs(below-cdf(i)))
	}
	text := fmt.Sprintf("%s, %s: mean %.4f (exactly %.4f: %+.1f standard errors), sd %.4f (%.4f: %+.1f), distance %.3f "+
		"(%.2f), effective size %.0f, %d runs",
		what, r.Unknowns[j].Name, p.Mean(j), mean, off, p.SD(j), sd, wide, distance, distance*math.Sqrt(n), n, r.Runs)
	t.Log(text)
	if !r.Exact || n < 50 || math.Abs(off) > 4 || math.Abs(wide) > 4 || distance*math.Sqrt(n) > 2.2 {
		t.Errorf("exact %v, power %.3g: %s", r.Exact, r.Power, text)
	}
}

// What the default method finds is the posterior, for model files of which it is known exactly: for
// these here, and for the others in TestExactPredictions, with other data; what chains find, in
// TestStatesOfFit, of one model. The soak test has all of both, and larger samples.
func TestExactPosteriors(t *testing.T) {
	for _, e := range []*exactly{birthDeath(), finalSizes()} {
		exact := e.posterior(gridCells(len(e.least)))
		e.compareAll(t, exact, map[string]fit.Options{"abc": {Population: 100}})
	}
}

// compareAll compares what methods find. Where reports tell the whole number, likelihoods are
// estimated well or not at all, by whether some run is right; chains have enough runs for that.
func (e *exactly) compareAll(t *testing.T, exact []*marginal, methods map[string]fit.Options) {
	t.Helper()
	for _, method := range slices.Sorted(maps.Keys(methods)) {
		o := methods[method]
		o.Method, o.Seed = method, 1
		r := e.fit(t, e.data, o)
		if r.Chains != nil && r.Chains.Variance > 3 {
			t.Errorf("%s: with %d runs an estimate the variance of the log likelihood is %v", e.name, r.Chains.Particles,
				r.Chains.Variance)
		}
		for j, m := range exact {
			compare(t, e.name+" by "+method, r, j, m, e.conjugate)
		}
	}
}

func gridCells(unknowns int) int {
	if unknowns == 1 {
		return 400
	}
	return 24 // four or five cells in a standard deviation: the midpoint rule is exact to 1e-3 of it
}

// What annealing and CMA-ES find has the least misfit there is, −log p(data | expected course),
// within what they tell apart: 0.5, the difference that one standard deviation of the unknown
// makes. And the misfit that they say it has, it has. Both are tried on the first model, and one of
// them on each of the others; with time, both on all.
func TestExactMisfits(t *testing.T) {
	for i, e := range []*exactly{immigrationDeath(), birthDeath(), finalSizes(), elevenPeople()} {
		misfit := func(x []float64) (sum float64) {
			for row, m := range e.expected(x) {
				sum -= e.law(e.data[row], m)
			}
			return sum
		}
		// The least on a grid, made finer about it three times.
		least, most := slices.Clone(e.least), slices.Clone(e.most)
		best := math.Inf(1)
		for range 4 {
			at := make([]float64, len(least))
			const cells = 12
			for k := range int(math.Pow(cells, float64(len(least)))) {
				x := make([]float64, len(least))
				for j := range x {
					x[j] = least[j] + (most[j]-least[j])*(float64(k%cells)+0.5)/cells
					k /= cells
				}
				if m := misfit(x); m < best {
					best, at = m, x
				}
			}
			for j, x := range at {
				width := (most[j] - least[j]) / 8
				least[j], most[j] = max(e.least[j], x-width), min(e.most[j], x+width)
			}
		}
		methods := []string{"anneal", "search"}
		if i > 0 { // they are compared on other models in package fit
			methods = testscale.Size(methods[i%2:i%2+1], methods)
		}
		for _, method := range methods {
			r := e.fit(t, e.data, fit.Options{Method: method, Seed: 1, Budget: 4000})
			found := misfit(r.Best)
			t.Logf("%s by %s: misfit %.3f at %.4g, said to be %.3f ± %.3f; the least is %.3f; %d runs", e.name, method, found,
				r.Best, r.BestScore, r.BestError, best, r.Runs)
			if found > best+0.5 || found < best-0.01 {
				t.Errorf("%s by %s: the misfit is %.3f at %v, and the least %.3f", e.name, method, found, r.Best, best)
			}
			if math.Abs(r.BestScore-found) > 4*r.BestError+0.01 {
				t.Errorf("%s by %s: the misfit is %.3f, and said to be %.3f ± %.3f", e.name, method, found, r.BestScore,
					r.BestError)
			}
		}
	}
}

func logPoisson(y, mean float64) float64 {
	if mean == 0 {
		if y == 0 {
			return 0
		}
		return math.Inf(-1)
	}
	return distuv.Poisson{Lambda: mean}.LogProb(y)
}
