package fit

import (
	"bytes"
	"math"
	"slices"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/almanac-sim/almanac/fit/internal/weight"
	"github.com/almanac-sim/almanac/internal/random"
)

func sampleOf(rows [][]float64, weights ...float64) *Posterior {
	return &Posterior{Names: []string{"a", "b"}, Units: []string{"", ""}, Rows: rows, Weights: weights}
}

func TestMoments(t *testing.T) {
	p := sampleOf([][]float64{{1, 4}, {2, 2}, {5, -4}}, 0.5, 0.25, 0.25)
	// E a = 2.25, E a² = 7.75; E b = 1.5, E b² = 13; E ab = −2.
	near := func(what string, got, want float64) {
		t.Helper()
		if math.Abs(got-want) > 1e-12 {
			t.Errorf("%s is %v, not %v", what, got, want)
		}
	}
	near("the mean", p.Mean(0), 2.25)
	near("the sd", p.SD(0), math.Sqrt(7.75-2.25*2.25))
	near("the covariance", p.Covariance(0, 1), -2-2.25*1.5)
	near("the correlation", p.Correlation(1, 0), (-2-2.25*1.5)/math.Sqrt((7.75-2.25*2.25)*(13-1.5*1.5)))
	near("the effective size", p.Effective(), 1/0.375)
	// Middles of the steps are at 0.25, 0.625, 0.875.
	if got := p.Quantiles(0, 0, 0.25, 0.4375, 0.625, 0.75, 1); !cmp.Equal(got, []float64{1, 1, 1.5, 2, 3.5, 5}) {
		t.Error(got)
	}
	// Rows without weight are as if they were not there.
	p = sampleOf([][]float64{{-100, 0}, {1, 4}, {2, 2}, {3, 0}, {5, -4}, {100, 0}}, 0, 0.5, 0.25, 0, 0.25, 0)
	if got := p.Quantiles(0, 0, 0.1, 0.25, 0.4375, 0.625, 0.75, 1); !cmp.Equal(got, []float64{1, 1, 1, 1.5, 2, 3.5, 5}) {
		t.Error(got)
	}
	still := sampleOf([][]float64{{1, 4}, {1, 2}}, 0.5, 0.5)
	near("the correlation with what does not vary", still.Correlation(0, 1), 0)
}

// Draws have the weights as probabilities, within 4.5 standard errors, and more of them have the
// ones before among them.
func TestDraw(t *testing.T) {
	p := sampleOf([][]float64{{0, 0}, {1, 0}, {2, 0}}, 0.5, 0, 0.5)
	const n = 10_000
	var counts [3]int
	for k := range uint64(n) {
		counts[int(p.Draw(7, k)[0])]++
	}
	if z := (float64(counts[0]) - n/2.0) / math.Sqrt(n/4.0); math.Abs(z) > 4.5 || counts[1] != 0 {
		t.Error(counts)
	}
	// A last row without weight is not what is left when weights fall short of 1.
	p = sampleOf([][]float64{{0, 0}, {1, 0}}, 0x1p-60, 0)
	for k := range uint64(10) {
		if p.Draw(7, k)[0] != 0 {
			t.Fatalf("draw %d is of a row without weight", k)
		}
	}
}

// What is written is read as the same, to the last bit.
func TestCSV(t *testing.T) {
	s := random.New(1)
	p := &Posterior{Names: []string{"beta", "initial, number"}, Units: make([]string, 2)}
	var logs []float64
	for range 1000 {
		p.Rows = append(p.Rows, []float64{s.Float64() * 1e-7, math.Floor(s.Float64() * 1e9)})
		logs = append(logs, 20*s.Float64())
	}
	p.Weights, _ = weight.Normalize(logs)
	var b bytes.Buffer
	if err := p.WriteCSV(&b); err != nil {
		t.Fatal(err)
	}
	if !strings.HasPrefix(b.String(), "beta,\"initial, number\",weight\n") {
		t.Errorf("%.60s", b.String())
	}
	q, err := ReadCSV(&b, "posterior.csv")
	if err != nil {
		t.Fatal(err)
	}
	if d := cmp.Diff(p, q); d != "" {
		t.Error(d)
	}
	q, err = ReadCSV(strings.NewReader("\ufeffx, weight ,y\r\n1,2,3\r\n4,6,6\r\n"), "")
	if err != nil || !cmp.Equal(q.Weights, []float64{0.25, 0.75}) || !cmp.Equal(q.Rows, [][]float64{{1, 3}, {4, 6}}) {
		t.Error(q, err)
	}
	q, err = ReadCSV(strings.NewReader("x\n1\n4\n"), "")
	if err != nil || !cmp.Equal(q.Weights, []float64{0.5, 0.5}) {
		t.Error(q, err)
	}
	for text, want := range map[string]string{
		"":                       "p.csv:1: the file is empty",
		"weight\n1\n":            "p.csv:1: there is no column but the weights",
		"a,a\n1,2\n":             `p.csv:1: column 2 is called "a"`,
		"a,,b\n1,2,3\n":          `p.csv:1: column 2 is called ""`,
		"a,weight\n":             "p.csv:2: no draw has a weight above 0",
		"a,weight\n1,0\n":        "p.csv:2: no draw has a weight above 0",
		"a,weight\n1,1\n2,-1\n":  "p.csv:3: a weight of -1",
		"a,weight\n1,1\nx,1\n":   `p.csv:3: a is "x", which is no number`,
		"a,weight\n1,1\nNaN,1\n": `p.csv:3: a is "NaN", which is no number`,
		"a,weight\n1,1\n2\n":     "p.csv:3: 1 fields where the first line has 2",
		"a,weight\n\"1,1\n2,1\n": "p.csv:3: ",
	} {
		if _, err := ReadCSV(strings.NewReader(text), "p.csv"); err == nil || !strings.Contains(err.Error(), want) {
			t.Errorf("%q: %v, want %s", text, err, want)
		}
	}
}

// What the data did not move: a sample of the prior itself is not moved, one of a part of it is;
// whole numbers alike.
func TestMoved(t *testing.T) {
	for _, prior := range []Prior{GammaShape(5, 2), Uniform(1, 6).Whole(), Beta(0.5, 0.5)} {
		s := random.New(5)
		const n = 2000
		r := &Result{Unknowns: []Unknown{{"a", "", prior}, {"b", "", prior}}, Posterior: Posterior{Names: []string{"a", "b"}}}
		half := prior.Quantile(0.6)
		for range n {
			a, b := prior.Draw(&s), prior.Draw(&s)
			for b > half {
				b = prior.Draw(&s)
			}
			r.Posterior.Rows, r.Posterior.Weights = append(r.Posterior.Rows, []float64{a, b}), append(r.Posterior.Weights, 1.0/n)
		}
		m := r.Marginals()
		if m[0].Moved || !m[1].Moved || !slices.Equal(r.Unmoved(), []string{"a"}) {
			t.Errorf("%v: moved by %.3f and %.3f", prior, m[0].Shift, m[1].Shift)
		}
		// The variance of n normal numbers has a standard error of √(2/n).
		if math.Abs(m[0].Contraction) > 4.5*math.Sqrt(2.0/n) || m[1].Contraction < 0.2 {
			t.Errorf("%v: contracted by %.3f and %.3f", prior, m[0].Contraction, m[1].Contraction)
		}
	}
}

// The numbers of a table of correlations stand below the names they belong to.
func TestCorrelationColumns(t *testing.T) {
	r := &Result{Power: 1, Exact: true, Best: []float64{1, 1, 1, 1}}
	for _, name := range []string{"a", "a_rather_long_name", "b", "c"} {
		r.Unknowns = append(r.Unknowns, Unknown{Name: name, Prior: Uniform(0, 20)})
	}
	for i := range 10 {
		x := float64(i)
		r.Posterior.Rows = append(r.Posterior.Rows, []float64{x, -x, 10 - x, x})
		r.Posterior.Weights = append(r.Posterior.Weights, 0.1)
	}
	const want = `
correlation          a       a_rather_long_name   b
a_rather_long_name   -1.00
b                    -1.00   +1.00
c                    +1.00   -1.00                -1.00
`
	if got := r.Text(); !strings.Contains(got, want) {
		t.Error(got)
	}
}
