package fit

import (
	"math"
	"math/rand/v2"
	"slices"
	"testing"

	"gonum.org/v1/gonum/optimize"

	"github.com/almanac-sim/almanac/ensemble"
	"github.com/almanac-sim/almanac/internal/random"
)

// ellipsoid has axes whose squares differ by a factor of 10,000, turned by nothing: what a
// covariance must learn.
func ellipsoid(x []float64) float64 {
	s := 0.0
	for i, v := range x {
		s += math.Pow(1e4, float64(i)/float64(len(x)-1)) * v * v
	}
	return s
}

func rosenbrock(x []float64) float64 {
	s := 0.0
	for i := range len(x) - 1 {
		s += 100*math.Pow(x[i+1]-x[i]*x[i], 2) + math.Pow(1-x[i], 2)
	}
	return s
}

// The strategy finds minima of functions that are hard for others. At the median of 11 seeds, 1,600
// evaluations in four dimensions bring the ellipsoid below 1e-6 and Rosenbrock's function below 1e-3.
// Gonum's CmaEsChol does not come below 0.01 on either: it adapts its step and never multiplies the
// points by it (docs/decisions/0020-fitting.md). If this test fails because gonum's is better, gonum's
// has been fixed and can replace ours.
func TestEvolution(t *testing.T) {
	const d, size, evaluations = 4, 12, 1600
	for _, c := range []struct {
		name string
		f    func([]float64) float64
		most float64
	}{{"ellipsoid", ellipsoid, 1e-6}, {"Rosenbrock", rosenbrock, 1e-3}} {
		var ours, gonums []float64
		for seed := range uint64(11) {
			start := []float64{1.5, 1.5, 1.5, 1.5}
			e := newEvolution(start, 0.3, size, random.New(seed))
			best := math.Inf(1)
			for range evaluations / size {
				points, err := e.ask(size)
				if err != nil {
					t.Fatal(err)
				}
				values := make([]float64, size)
				for k, x := range points {
					values[k] = c.f(x)
					best = min(best, values[k])
				}
				e.tell(values)
			}
			ours = append(ours, best)
			r, err := optimize.Minimize(optimize.Problem{Func: c.f}, start, &optimize.Settings{FuncEvaluations: evaluations,
				Converger: optimize.NeverTerminate{}},
				&optimize.CmaEsChol{InitStepSize: 0.3, Population: size, Src: rand.NewPCG(seed, 1), StopLogDet: math.NaN()})
			if err != nil {
				t.Fatal(err)
			}
			gonums = append(gonums, r.F)
		}
		slices.Sort(ours)
		slices.Sort(gonums)
		t.Logf("%s: median %.2g, gonum's %.2g", c.name, ours[5], gonums[5])
		if !(ours[5] < c.most) {
			t.Errorf("%s: the median of what is left is %.2g, want below %.2g", c.name, ours[5], c.most)
		}
		if gonums[5] < 0.01 {
			t.Errorf("%s: gonum's strategy comes down to %.2g", c.name, gonums[5])
		}
	}
}

// A search sees infinities where there is no model, and goes elsewhere.
func TestEvolutionGoesAroundWalls(t *testing.T) {
	e := newEvolution([]float64{1, 1}, 1, 12, random.New(3))
	best := math.Inf(1)
	for range 100 {
		points, err := e.ask(12)
		if err != nil {
			t.Fatal(err)
		}
		values := make([]float64, len(points))
		for k, x := range points {
			if values[k] = x[0]*x[0] + x[1]*x[1]; x[0] < 0 {
				values[k] = math.Inf(1)
			}
			best = min(best, values[k])
		}
		e.tell(values)
	}
	if !(best < 1e-6) {
		t.Errorf("%g is left beside a wall", best)
	}
}

// On a small model with much noise the search by itself, without the points of the prior that it is
// compared with in the end, is about as good as random search with as many runs: over six data sets
// the misfit at its best point is on average at most 1 above. With four seeds of each it is 0.14 ±
// 0.22 below; with the same luck in all generations it went where that luck gives the data, and was
// 2.40 ± 0.96 above.
func TestSearchOfAVillage(t *testing.T) {
	const budget, seeds = 3000, 2
	var above []float64
	for data := uint64(31); data < 37; data++ {
		p := villageOf(t, data)
		g := new(ensemble.Registry)
		g.AddKind(NewKind("test", "1", func([]byte) (*Problem, Simulator, error) { return p, village{}, nil }))
		for seed := range uint64(seeds) {
			options := Options{Method: "random", Seed: seed, Budget: budget, Kind: "test", Registry: g,
				Executor: ensemble.InMemory{Slots: 2}}
			other, err := Run(t.Context(), p, nil, options)
			if err != nil {
				t.Fatal(err)
			}
			o := &optimum{e: &engine{problem: p, o: options}}
			found, err := o.evolve(t.Context(), newEvolution(make([]float64, 3), searchStep, 14, random.New(seed)), 0, 14,
				budget-budget/finalShare)
			if err != nil {
				t.Fatal(err)
			}
			r, err := o.finish(t.Context(), found, budget)
			if err != nil {
				t.Fatal(err)
			}
			above = append(above, misfitAt(t, p, r.Best, 200)-misfitAt(t, p, other.Best, 200))
		}
	}
	mean, se := meanAndError(above)
	t.Logf("%.2f ± %.2f above random search: %.1f", mean, se, above)
	if mean > 1 {
		t.Errorf("the search is left %.2f ± %.2f above random search", mean, se)
	}
}
