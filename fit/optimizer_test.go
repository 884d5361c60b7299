package fit

import (
	"fmt"
	"math"
	"testing"

	"github.com/almanac-sim/almanac/internal/random"
)

// Annealing and CMA-ES find the least misfit of surfaces on which it is known, with 3000 runs: with
// noise, along a bent valley, at a bound, at two points, where most of the minima are local ones,
// and of a whole number. What is left is at most 0.1, of which a posterior's standard deviation is
// 0.5, and the misfit that is reported is that of the point, within five standard errors.
func TestKnownOptima(t *testing.T) {
	t.Parallel()
	pair := func(from, to float64) []Unknown {
		return []Unknown{{"x", "", Uniform(from, to)}, {"y", "", Uniform(from, to)}}
	}
	for _, c := range []struct {
		name     string
		unknowns []Unknown
		data     []float64
		sd       float64
		mean     func(x []float64) []float64
		noise    float64
		least    float64 // sum of squares that is left at the optimum, in units of sd
	}{
		{"noise", pair(-5, 5), []float64{1, 2}, 0.3, func(x []float64) []float64 { return []float64{x[0], x[1]} }, 0.3, 0},
		{"valley", pair(-3, 3), []float64{1, 0}, 0.1,
			func(x []float64) []float64 { return []float64{x[0], x[1] - x[0]*x[0]} }, 0, 0},
		{"bound", []Unknown{{"x", "", Uniform(0, 1)}}, []float64{1.5}, 0.2,
			func(x []float64) []float64 { return []float64{x[0]} }, 0, 2.5 * 2.5},
		{"two", []Unknown{{"x", "", Uniform(-5, 5)}}, []float64{4}, 0.2,
			func(x []float64) []float64 { return []float64{x[0] * (x[0] + 0.1)} }, 0, 0},
		{"many", []Unknown{{"x", "", Uniform(0, 10)}}, []float64{3}, 0.2,
			func(x []float64) []float64 { return []float64{2*math.Sin(4*x[0]) + 1 - (x[0]-7)*(x[0]-7)/20} }, 0, 0},
		{"whole", []Unknown{{"x", "", Uniform(1, 40).Whole()}}, []float64{17}, 1,
			func(x []float64) []float64 { return []float64{x[0]} }, 1, 0},
	} {
		g := &goModel{problem: oneColumn(c.data, c.unknowns...), laws: []Law{{Gaussian, c.sd, false}},
			means: func(x []float64, s *random.Stream) [][]float64 {
				y := c.mean(x)
				for i := range y {
					y[i] += c.noise * standardNormal(s)
				}
				return [][]float64{y}
			}}
		for _, method := range []string{"anneal", "search"} {
			r, err := fitDirectly(g.problem, g, Options{Method: method, Seed: 1, Budget: 3000})
			if err != nil {
				t.Fatal(err)
			}
			misfit := 0.0
			for i, y := range c.mean(r.Best) {
				misfit -= g.laws[0].LogDensity(c.data[i], y)
			}
			left := misfit - c.least/2 - float64(len(c.data))*math.Log(math.Sqrt(2*math.Pi)*c.sd)
			text := fmt.Sprintf("%s, %s: best %.3f, %.3f above the least misfit; %.3f ± %.3f is reported, and is %.3f", c.name,
				method, r.Best, left, r.BestScore, r.BestError, misfit)
			t.Log(text)
			if !(left < 0.1) || math.Abs(r.BestScore-misfit) > 5*r.BestError+1e-9 || r.Runs > 3000 {
				t.Error(text)
			}
		}
	}
}
