package cma

import (
	"math"
	"math/rand/v2"
	"slices"
	"testing"

	"gonum.org/v1/gonum/optimize"

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
// evaluations in four dimensions bring the ellipsoid below 1e-6 and Rosenbrock's function below
// 1e-3. Gonum's CmaEsChol does not come below 0.01 on either: it adapts its step and never
// multiplies the points by it (docs/decisions/0020-fitting.md). If this test fails because gonum's
// is better, gonum's has been fixed and can replace ours.
func TestAgainstGonum(t *testing.T) {
	const d, size, evaluations = 4, 12, 1600
	for _, c := range []struct {
		name string
		f    func([]float64) float64
		most float64
	}{{"ellipsoid", ellipsoid, 1e-6}, {"Rosenbrock", rosenbrock, 1e-3}} {
		var ours, gonums []float64
		for seed := range uint64(11) {
			start := []float64{1.5, 1.5, 1.5, 1.5}
			e := New(start, 0.3, size, random.New(seed))
			best := math.Inf(1)
			for range evaluations / size {
				points, err := e.Ask(size)
				if err != nil {
					t.Fatal(err)
				}
				values := make([]float64, size)
				for k, x := range points {
					values[k] = c.f(x)
					best = min(best, values[k])
				}
				e.Tell(values)
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
func TestInfiniteValues(t *testing.T) {
	e := New([]float64{1, 1}, 1, 12, random.New(3))
	best := math.Inf(1)
	for range 100 {
		points, err := e.Ask(12)
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
		e.Tell(values)
	}
	if !(best < 1e-6) {
		t.Errorf("%g is left beside a wall", best)
	}
}
