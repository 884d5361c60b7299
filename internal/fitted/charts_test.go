package fitted

import (
	"bytes"
	"fmt"
	"math"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/almanac-sim/almanac/fit"
	"github.com/almanac-sim/almanac/internal/random"
)

// sampled is a posterior of n draws of unknowns that are normal about 0.4, with a standard
// deviation of 0.1, or the whole numbers next to ten times that.
func sampled(n int, whole ...bool) *fit.Posterior {
	q, s := &fit.Posterior{}, random.New(1)
	for range n {
		var row []float64
		for _, whole := range whole {
			x := fit.Normal(0.4, 0.1).Draw(&s)
			if whole {
				x = math.Round(10 * x)
			}
			row = append(row, x)
		}
		q.Rows, q.Weights = append(q.Rows, row), append(q.Weights, 1/float64(n))
	}
	return q
}

// Bars have the area of the draws that they stand for, and the line the density of the prior.
func TestFitMarginal(t *testing.T) {
	q := sampled(2000, false, true)
	area := func(heights []float64, width float64) (sum float64) {
		for _, y := range heights {
			sum += y * width
		}
		return sum
	}
	after, before := marginal(fit.Uniform(0, 2), q, 0, 2000)
	// At most 0.2 % of the draws are beyond each end.
	if a := area(after.Y, after.Bars); a < 0.995 || a > 1+1e-9 || len(after.Y) != 26 {
		t.Errorf("%d bars with an area of %g", len(after.Y), a)
	}
	for k, x := range after.X {
		n := 0
		for _, row := range q.Rows {
			if math.Abs(row[0]-x) < after.Bars/2 {
				n++
			}
		}
		if want := float64(n) / 2000 / after.Bars; math.Abs(after.Y[k]-want) > 0.5/2000/after.Bars+1e-9 {
			t.Errorf("the bar at %g is %g high, want %g", x, after.Y[k], want)
		}
	}
	if x := before.X; slices.Min(before.Y) != 0.5 || slices.Max(before.Y) != 0.5 || x[0] < 0 || x[0] > 0.05 ||
		x[len(x)-1] > 1.5 {
		t.Errorf("the prior is %g to %g, from %g to %g", slices.Min(before.Y), slices.Max(before.Y), x[0], x[len(x)-1])
	}
	// Whole numbers have a bar each, as high as their probability, and so does the prior.
	after, before = marginal(fit.Uniform(-10, 9).Whole(), q, 1, 2000)
	four := 0
	for _, row := range q.Rows {
		if row[1] == 4 {
			four++
		}
	}
	if k := slices.Index(after.X, 4); k < 0 || math.Abs(after.Y[k]-float64(four)/2000) > 1e-9 || after.Bars != 1 {
		t.Errorf("bars of %g at %v", after.Bars, after.X)
	}
	if k := slices.Index(before.X, 4); k < 0 || math.Abs(before.Y[k]-0.05) > 1e-9 {
		t.Errorf("the prior of a whole number: %v, %v", before.X, before.Y)
	}
	// A single value is one bar of area 1; a density without bound has an end.
	for _, prior := range []fit.Prior{fit.Uniform(0, 1), fit.Beta(0.1, 0.1), fit.GammaShape(1, 0.01),
		fit.Uniform(0, 20).Whole()} {
		one := &fit.Posterior{Rows: [][]float64{{1}, {1}}, Weights: []float64{0.5, 0.5}}
		after, before = marginal(prior, one, 0, 1)
		if a := area(after.Y, after.Bars); math.Abs(a-1) > 1e-9 || len(after.X) != 1 || after.X[0] != 1 ||
			slices.Max(before.Y) > 3*after.Y[0] {
			t.Errorf("%v: bars of %g at %v, %v high", prior, after.Bars, after.X, after.Y)
		}
	}
}

// Draws are taken in proportion to their weights.
func TestEvenly(t *testing.T) {
	if got := fmt.Sprint(evenly([]float64{0.5, 0, 0.1, 0.1, 0.1, 0.2}, 10)); got != "[0 2 3 4 5]" {
		t.Error(got)
	}
	even := make([]float64, 3000)
	for i := range even {
		even[i] = 1.0 / 3000
	}
	if got := evenly(even, 300); len(got) != 300 || got[299]-got[298] != 10 {
		t.Errorf("%d draws, the last at %d", len(got), got[len(got)-1])
	}
}

// fitted is a report of a fit that was not made, of so many unknowns.
func fitted(t *testing.T, unknowns int, times []float64, data ...[]float64) *Fit {
	t.Helper()
	whole := make([]bool, unknowns)
	r := &fit.Result{Method: "abc", Posterior: *sampled(400, whole...), Best: make([]float64, unknowns),
		Trace: fit.Table{Names: []string{"generation", "runs", "threshold", "power", "accepted", "effective", "particles"},
			Rows: [][]float64{{0, 100, 8, math.NaN(), 1, 3, 0}, {1, 200, math.NaN(), 0.5, math.NaN(), 20, 0},
				{2, 900, math.NaN(), 1, math.NaN(), 120, 0}}}}
	for j := range unknowns {
		r.Unknowns = append(r.Unknowns, fit.Unknown{Name: strings.Repeat("a long name ", 4) + fmt.Sprint(j), Unit: "per day",
			Prior: fit.LogUniform(0.001, 100)})
	}
	p := &Fit{Model: "a model", Result: r, TimeLabel: "days since 2020-03-01", Data: Data{Times: times}}
	p.Predictive = &Predictive{Runs: 400, Shares: fit.PredictionShares()}
	for i, column := range data {
		c, b := Column{Name: fmt.Sprint("column ", i)}, PredictiveColumn{Name: fmt.Sprint("column ", i), Seen: len(column)}
		for _, y := range column {
			if math.IsNaN(y) {
				c.Values = append(c.Values, nil)
				y = 5
			} else {
				c.Values = append(c.Values, &y)
			}
			b.Reports = append(b.Reports, []float64{y / 4, y / 2, y, 2 * y, 4 * y})
		}
		p.Data.Columns, p.Predictive.Columns = append(p.Data.Columns, c), append(p.Predictive.Columns, b)
	}
	return p
}

// Data stand over the bands of what would be reported, gaps nowhere, and there is a band even if
// there is but one row.
func TestFitPredictive(t *testing.T) {
	p := fitted(t, 1, []float64{1, 2, 4}, []float64{3, math.NaN(), 8})
	c := p.Predictions().Charts[0]
	if got := fmt.Sprint(c.XLabel, c.Series[0].Low, c.Series[0].High, c.Series[1].Low, c.Series[1].High, c.Series[2].X,
		c.Series[2].Y); got !=
		"days since 2020-03-01[0.75 1.25 2] [12 20 32] [1.5 2.5 4] [6 10 16] [1 4] [3 8]" {
		t.Error(got)
	}
	c = fitted(t, 1, []float64{7}, []float64{3}).Predictions().Charts[0]
	if got := fmt.Sprint(c.Series[0].X, c.Series[0].Low, c.Series[2].X); got != "[6.5 7.5] [0.75 0.75] [7]" {
		t.Error(got)
	}
}

// Chains are told apart in a sample, and the unknowns on which they agree least are drawn.
func TestFitTraces(t *testing.T) {
	p := fitted(t, 12, []float64{1}, []float64{1})
	var titles []string
	for _, c := range p.Traces().Charts {
		titles = append(titles, c.Title)
	}
	if got := strings.Join(titles, ", "); got != "threshold of the distance, power of the likelihood, effective "+
		"sample size" {
		t.Error(got)
	}
	if c := p.Traces().Charts[1]; fmt.Sprint(c.Series[0].X, c.Series[0].Y, c.UpToX, c.FromZeroX) !=
		"[200 900] [0.5 1] 900 true" {
		t.Errorf("%+v", c)
	}
	p.Result.Method, p.Result.Chains = "pmmh", &fit.Chains{Count: 4, Steps: 200, RHat: make([]float64, 12),
		Bulk: make([]float64, 12)}
	p.Result.Chains.RHat[11] = 2
	for i := range p.Result.Posterior.Rows {
		p.Result.Posterior.Rows[i][11] = float64(i % 4) // by chain
	}
	charts := p.Traces().Charts
	if c := charts[0]; len(charts) != mostChains || c.Title != p.Result.Unknowns[11].Name ||
		c.Note != "R-hat 2.000, effective size 0" || len(c.Series) != 4 {
		t.Fatalf("%d charts, the first %s, %s", len(charts), c.Title, c.Note)
	}
	for k, s := range charts[0].Series {
		if slices.Min(s.Y) != float64(k) || slices.Max(s.Y) != float64(k) || s.X[1]-s.X[0] != 2 {
			t.Errorf("chain %d: %v, %v", k, s.X, s.Y)
		}
	}
}

// Pictures of all sorts of fits can be drawn. Of many unknowns, few pairs are.
func TestFitPictures(t *testing.T) {
	none := math.NaN()
	best := fitted(t, 2, []float64{1, 2}, []float64{1, 2})
	best.Result.Method, best.Result.Posterior = "search", fit.Posterior{}
	single := fitted(t, 2, []float64{1}, []float64{none})
	single.Result.Posterior.Rows, single.Result.Posterior.Weights = [][]float64{{0, 1}}, []float64{1}
	for name, test := range map[string]struct {
		report *Fit
		files  string
		pairs  int
	}{
		"one unknown": {fitted(t, 1, []float64{1, 2}, []float64{0, 0}), "marginals predictive trace", 0},
		"five, columns": {fitted(t, 5, []float64{1, 2, 3}, []float64{1, none, 3}, []float64{none, none, none}),
			"marginals pairs predictive trace", 10},
		"thirty":        {fitted(t, 30, []float64{1}, []float64{1e9}), "marginals pairs predictive trace", mostPairs},
		"a best point":  {best, "predictive", 0},
		"a single draw": {single, "marginals pairs predictive trace", 1},
	} {
		t.Run(name, func(t *testing.T) {
			dir := t.TempDir()
			if err := test.report.Draw(dir); err != nil {
				t.Fatal(err)
			}
			if n := len(test.report.Pairs().Charts); n != test.pairs {
				t.Errorf("%d pairs", n)
			}
			files, _ := filepath.Glob(filepath.Join(dir, "*.svg"))
			pngs, _ := filepath.Glob(filepath.Join(dir, "*.png"))
			var names []string
			for _, file := range files {
				names = append(names, strings.TrimSuffix(filepath.Base(file), ".svg"))
				if svg, err := os.ReadFile(file); err != nil || bytes.Contains(svg, []byte("NaN")) ||
					bytes.Contains(svg, []byte("Inf")) {
					t.Errorf("%s: a coordinate is not a number, or %v", file, err)
				}
			}
			if got := strings.Join(names, " "); got != test.files || len(pngs) != len(files) {
				t.Errorf("%s, and %d PNG", got, len(pngs))
			}
		})
	}
}
