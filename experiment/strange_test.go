package experiment

import (
	"context"
	"math"
	"math/rand/v2"
	"strings"
	"testing"
	"time"

	"gonum.org/v1/gonum/mat"

	"github.com/almanac-sim/almanac/ensemble"
)

// A source that gives what is no number, or too little, is an error of the caller. In particular
// nobody waits for ever for a difference between numbers that have none.
func TestSourcesThatGiveNoNumbers(t *testing.T) {
	give := func(change func([][]float64) [][]float64) Source {
		return func(_ context.Context, points []ensemble.Params, first, n int) ([][]float64, error) {
			all := make([][]float64, len(points))
			for i := range all {
				for r := range n {
					all[i] = append(all[i], float64((first+r+i)%3))
				}
			}
			return change(all), nil
		}
	}
	ctx, cancel := context.WithTimeout(t.Context(), time.Minute)
	defer cancel()
	d, err := Full(letters(2)...)
	if err != nil {
		t.Fatal(err)
	}
	for want, source := range map[string]Source{
		"gives NaN":      give(func(all [][]float64) [][]float64 { all[0][1] = math.NaN(); return all }),
		"gives +Inf":     give(func(all [][]float64) [][]float64 { all[0][0] = math.Inf(1); return all }),
		"gives -Inf":     give(func(all [][]float64) [][]float64 { all[len(all)-1][0] = math.Inf(-1); return all }),
		"of 0 points":    give(func([][]float64) [][]float64 { return nil }),
		"gives 1 replic": give(func(all [][]float64) [][]float64 { all[0] = all[0][:1]; return all }),
	} {
		for what, f := range map[string]func() error{
			"Select": func() error {
				_, err := Select(ctx, source, slippage(3, 1), SelectOptions{Delta: 1})
				return err
			},
			"Minimize": func() error {
				_, err := Minimize(ctx, source, []Integer{{"x", 0, 9, 5}}, MinimizeOptions{Replicas: 100})
				return err
			},
			"Run": func() error {
				_, err := d.Run(ctx, source, 3)
				return err
			},
		} {
			if err := f(); err == nil || !strings.HasPrefix(err.Error(), "experiment: ") || !strings.Contains(err.Error(),
				want) {
				t.Errorf("%s: got %v, want %q", what, err, want)
			}
		}
	}
	values := [][]float64{{1, 2}, {1, 2}, {1, math.NaN()}, {1, 2}}
	if _, err := d.Means(values, 0.9); err == nil || !strings.Contains(err.Error(), "replica 1 of point 2 is NaN") {
		t.Error(err)
	}
}

// Effects are twice the coefficients of least squares, with −1 and 1 for the levels, in whatever
// order the runs are; a design that is not whole, or was not made here, has none.
func TestEffectsAreThoseOfLeastSquares(t *testing.T) {
	random := rand.New(rand.NewPCG(1, 2))
	for _, x := range [][2]int{{3, 8}, {4, 8}, {5, 16}, {6, 8}} {
		d, err := Fraction(x[1], letters(x[0])...)
		if err != nil {
			t.Fatal(err)
		}
		random.Shuffle(len(d.Runs), func(i, j int) { d.Runs[i], d.Runs[j] = d.Runs[j], d.Runs[i] })
		values, means := make([][]float64, len(d.Runs)), mat.NewDense(len(d.Runs), 1, nil)
		for i := range values {
			values[i] = []float64{random.NormFloat64(), random.NormFloat64(), random.NormFloat64()}
			means.Set(i, 0, (values[i][0]+values[i][1]+values[i][2])/3)
		}
		effects, err := d.Effects(values, 0.95)
		if err != nil {
			t.Fatal(err)
		}
		columns := mat.NewDense(len(d.Runs), len(effects)+1, nil)
		for i, run := range d.Runs {
			columns.Set(i, len(effects), 1)
			for k, e := range effects {
				sign := 1.0
				for _, name := range strings.Split(e.Name, "*") {
					sign *= float64(2*run[name[0]-'a'] - 1)
				}
				columns.Set(i, k, sign)
			}
		}
		var fit mat.Dense
		if err := fit.Solve(columns, means); err != nil {
			t.Fatal(err)
		}
		for k, e := range effects {
			if want := 2 * fit.At(k, 0); math.Abs(e.Size.Mean-want) > 1e-12 {
				t.Errorf("%d factors in %d runs: %v, by least squares %v", x[0], x[1], e, want)
			}
		}
	}
	d, err := Fraction(4, letters(3)...)
	if err != nil {
		t.Fatal(err)
	}
	values := [][]float64{{1, 2}, {1, 3}, {1, 4}, {1, 5}}
	for name, wrong := range map[string]*Design{
		"none":         {},
		"made by hand": {Factors: d.Factors, Runs: d.Runs},
		"a run twice": {Factors: d.Factors, Runs: [][]int{d.Runs[0], d.Runs[1], d.Runs[2], d.Runs[0]}, base: d.base,
			words: d.words},
		"another run": {Factors: d.Factors, Runs: [][]int{d.Runs[0], d.Runs[1], d.Runs[2], {1, 1, 0}}, base: d.base,
			words: d.words},
	} {
		if _, err := wrong.Effects(values[:len(wrong.Runs)], 0.95); err == nil || !strings.HasPrefix(err.Error(),
			"experiment: ") {
			t.Errorf("%s: %v", name, err)
		}
	}
}
