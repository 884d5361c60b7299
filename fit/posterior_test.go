package fit

import (
	"bytes"
	"math"
	"slices"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

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
	p.Weights, _ = normalize(logs)
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

// A sample that is thinned has the size that was asked for, heavy weights as they were, and on
// average over many thinnings the weights it had.
func TestThin(t *testing.T) {
	s := random.New(2)
	logs := make([]float64, 300)
	for i := range logs {
		logs[i] = 6 * s.Float64()
	}
	logs[17] = math.Inf(-1)
	weights, _ := normalize(logs)
	const most, times = 60, 4000
	mean := make([]float64, len(weights))
	bound := bounded(weights, most)
	for range times {
		places, thinned := thin(weights, most, &s)
		if len(places) < most-1 || len(places) > most || !slices.IsSorted(places) {
			t.Fatalf("%d are left of %d", len(places), most)
		}
		sum := 0.0
		for i, p := range places {
			mean[p] += thinned[i] / times
			sum += thinned[i]
		}
		if math.Abs(sum-1) > 1e-12 {
			t.Fatalf("weights add up to %v", sum)
		}
	}
	for i, w := range weights {
		// One that is drawn with probability w/bound has the bound for weight; normalising changes
		// that by less than one part in most.
		se := math.Sqrt(w * math.Max(bound-w, 0) / times)
		if math.Abs(mean[i]-w) > 4.5*se+w/most {
			t.Errorf("the weight of %d is %v on average, not %v", i, mean[i], w)
		}
	}
	if places, thinned := thin([]float64{0.5, 0, 0.5}, 5, &s); !slices.Equal(places, []int{0, 2}) ||
		!slices.Equal(thinned, []float64{0.5, 0.5}) {
		t.Error(places, thinned)
	}
}

// The power is the largest with an effective sample of so many; the most that can be had if that is
// too many; 0 if nothing is possible.
func TestPower(t *testing.T) {
	likelihoods, ratios := make([]float64, 200), make([]float64, 200)
	for i := range likelihoods {
		likelihoods[i] = -float64(i)
	}
	size := func(p float64) float64 {
		logs := make([]float64, 200)
		for i := range logs {
			logs[i] = p * likelihoods[i]
		}
		w, _ := normalize(logs)
		return effectiveSize(w)
	}
	for _, want := range []float64{3, 50, 150} {
		p := power(ratios, likelihoods, want)
		if got := size(p); got < want || size(p*1.001) >= want {
			t.Errorf("for %v, power %v has %v", want, p, got)
		}
	}
	if p := power(ratios, likelihoods, 1); p != 1 {
		t.Errorf("power %v, where 1 will do", p)
	}
	if p := power(ratios, likelihoods, 1000); !(p > 0 && p < 1e-6) {
		t.Errorf("power %v, where none will do", p)
	}
	if p := power([]float64{0, 0}, []float64{math.Inf(-1), math.Inf(-1)}, 1); p != 0 {
		t.Errorf("power %v of nothing", p)
	}
}

// A mixture draws what it says it does: over a grid, its density integrates to 1, and the share of
// draws in a quarter of the plane is that of the density there, within 4.5 standard errors.
func TestMixture(t *testing.T) {
	points := [][]float64{{-1, 0.5}, {1, 1}, {0.5, -2}, {2, 0}}
	m := newMixture(points, []float64{0.4, 0.3, 0.2, 0.1}, 0.5, 0.1)
	if err := m.open(2); err != nil {
		t.Fatal(err)
	}
	sum, quarter := 0.0, 0.0
	const step = 0.05
	for x := -10 + step/2; x < 10; x += step {
		for y := -10 + step/2; y < 10; y += step {
			d := math.Exp(m.logDensity([]float64{x, y})) / (2 * math.Pi) * step * step
			if sum += d; x > 0 && y > 0 {
				quarter += d
			}
		}
	}
	if math.Abs(sum-1) > 1e-6 {
		t.Errorf("the density integrates to %v", sum)
	}
	s, hits := random.New(4), 0
	const n = 20_000
	for range n {
		if z := m.draw(2, &s); z[0] > 0 && z[1] > 0 {
			hits++
		}
	}
	if z := (float64(hits) - n*quarter) / math.Sqrt(n*quarter*(1-quarter)); math.Abs(z) > 4.5 {
		t.Errorf("%d of %d where %.0f belong: off by %.1f standard errors", hits, n, n*quarter, z)
	}
}

// What the data did not move: a sample of the prior itself is not moved, one of a part of it is;
// whole numbers alike.
func TestMoved(t *testing.T) {
	for _, prior := range []Prior{Gamma(5, 2), Uniform(1, 6).Whole(), Beta(0.5, 0.5)} {
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
