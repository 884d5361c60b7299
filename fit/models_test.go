package fit

import (
	"context"
	"math"
	"testing"

	"gonum.org/v1/gonum/stat/distuv"

	"github.com/almanac-sim/almanac/ensemble"
	"github.com/almanac-sim/almanac/internal/random"
)

// A goModel is a model in Go: a problem, the laws of its columns, and the means of one run.
type goModel struct {
	problem *Problem
	laws    []Law
	means   func(x []float64, s *random.Stream) [][]float64
	before  func() error // is called before each run, if there is one
}

func (g *goModel) Simulate(_ context.Context, x []float64, seed uint64) (Course, error) {
	if g.before != nil {
		if err := g.before(); err != nil {
			return Course{}, err
		}
	}
	s := random.New(seed)
	c := Course{Events: uint64(len(g.problem.Times))}
	for i, m := range g.means(x, &s) {
		c.Columns = append(c.Columns, Reports{m, g.laws[i]})
	}
	return c, nil
}

// register is a registry that has the model, as kind "fit".
func (g *goModel) register() *ensemble.Registry {
	r := new(ensemble.Registry)
	r.AddKind(NewKind("fit", "1", func([]byte) (*Problem, Simulator, error) { return g.problem, g, nil }))
	return r
}

// fit fits a model in memory.
func (g *goModel) fit(t testing.TB, o Options) *Result {
	t.Helper()
	o.Kind, o.Registry = "fit", g.register()
	o.Executor = ensemble.InMemory{Slots: 2}
	r, err := Run(t.Context(), g.problem, []byte("model"), o)
	if err != nil {
		t.Fatal(err)
	}
	return r
}

func rows(n int) (times []float64) {
	for i := range n {
		times = append(times, float64(i+1))
	}
	return times
}

func same(x float64, n int) (y []float64) {
	for range n {
		y = append(y, x)
	}
	return y
}

// rate is a Poisson rate with a gamma prior, seen n times: the posterior is gamma with shape a and
// rate b.
func rateModel(y []float64) (g *goModel, a, b float64) {
	g = &goModel{problem: &Problem{Unknowns: []Unknown{{"rate", "per day", Gamma(10, 2)}}, Times: rows(len(y)),
		Columns: []Column{{"y", y}}}, laws: []Law{{}}}
	g.means = func(x []float64, _ *random.Stream) [][]float64 { return [][]float64{same(x[0], len(y))} }
	a, b = 2, 2.0/10
	for _, k := range y {
		if !math.IsNaN(k) {
			a += k
			b++
		}
	}
	return g, a, b
}

// coins counts successes of n, seen as good as exactly; the prior of the probability is Beta(a, b).
func coins(a, b float64, n int, seen float64) *goModel {
	return &goModel{problem: &Problem{Unknowns: []Unknown{{"p", "", Beta(a, b)}}, Times: rows(1),
		Columns: []Column{{"successes", []float64{seen}}}},
		laws: []Law{{Gaussian, 0.1, false}},
		means: func(x []float64, s *random.Stream) [][]float64 {
			return [][]float64{{distuv.Binomial{N: float64(n), P: x[0], Src: s}.Rand()}}
		}}
}
