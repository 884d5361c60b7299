//go:build soak && unix

package study

import (
	"math"
	"os"
	"slices"
	"strings"
	"testing"

	"gonum.org/v1/gonum/mat"
	"gonum.org/v1/gonum/stat"

	"github.com/almanac-sim/almanac/fit"
	"github.com/almanac-sim/almanac/internal/random"
)

// yearly are reports that look better and are worse: of each year, and with no more scatter than
// Poisson's law has.
const yearly = `
fit:
  data: tuberculosis.csv
  unknown:
    contacts: {log-uniform: {low: 2 per year, high: 20 per year}}
  match:
    - {column: cases, incidence: report, observed: 80%, error: poisson}
    - {column: deaths, incidence: death of tuberculosis, error: poisson}
    - {column: converted, state: latent_recent, error: {normal: {sd: 15%}}}
`

// What the reports of the example can tell about the four unknowns, and how much of it a fit by
// single runs can use: the numbers that they were chosen by.
func TestSoakTuberculosisInformation(t *testing.T) {
	reports, err := os.ReadFile(tuberculosisReports)
	if err != nil {
		t.Fatal(err)
	}
	f, o, truth := tuberculosis(t, string(reports))
	at := courses(t, o, truth, 48)
	five := noiseOf(o, at)
	t.Logf("variance of the log likelihood between runs with the true values, median over data: %.1f", five)
	if !(five < 3) {
		t.Errorf("a variance of %.1f is more than single runs can do with", five)
	}
	head, _, _ := strings.Cut(string(f.Source), "\nfit:")
	f.Source = []byte(head + yearly)
	f.Table = []byte("time,cases,deaths,converted\n1982,1,1,1\n1983,1,1,1\n1984,1,1,1\n1985,1,1,1\n1986,1,1,1\n" +
		"1987,1,1,1\n1988,1,1,1\n1989,1,1,1\n1990,1,1,1\n1991,1,1,1\n")
	p, err := f.problem()
	if err != nil {
		t.Fatal(err)
	}
	each := noiseOf(p, courses(t, p, truth[:1], 48))
	t.Logf("the same for ten years by Poisson's law: %.0f", each)
	if !(each > 20) {
		t.Errorf("a variance of %.1f: these reports would have done", each)
	}
	for j, sd := range information(t, o, truth, at) {
		low, high := o.Problem.Unknowns[j].Prior.Support()
		ratio := sd / (math.Log(high/low) / math.Sqrt(12))
		t.Logf("%s: the logarithm can be known within %.3f, %.2f of the prior's", o.Problem.Unknowns[j].Name, sd, ratio)
		if !(ratio < 1./3) {
			t.Errorf("%s cannot be found from such reports: %.2f of what the prior has", o.Problem.Unknowns[j].Name, ratio)
		}
	}
}

// noiseOf is the variance of the log likelihood between runs, for data drawn from each of them in
// turn and the others; the median over these.
func noiseOf(o *OpenedFit, runs []fit.Trajectory) float64 {
	var variances []float64
	for d, c := range runs {
		luck := random.New(uint64(d), 2)
		p := fit.Problem{Times: o.Problem.Times}
		for _, data := range c.Draw(&luck) {
			p.Columns = append(p.Columns, fit.Column{Data: data})
		}
		var logs []float64
		for k := range runs {
			if l := p.LogLikelihood(runs[k]); k != d && !math.IsInf(l, -1) {
				logs = append(logs, l)
			}
		}
		variances = append(variances, stat.Variance(logs, nil))
	}
	slices.Sort(variances)
	return variances[len(variances)/2]
}

// information says how well the logarithms of the unknowns can be known: by Fisher's information of
// a normal law that has the mean of the reports, and the scatter of runs and reports together, and
// the priors' precision. Derivatives are differences over e^±0.3, with the same luck.
func information(t *testing.T, o *OpenedFit, truth []float64, at []fit.Trajectory) []float64 {
	n := len(flat(at[0]))
	table := mat.NewDense(len(at), n, nil)
	for k, c := range at {
		table.SetRow(k, flat(c))
	}
	total := mat.NewSymDense(n, nil)
	stat.CovarianceMatrix(total, table, nil)
	i := 0
	for _, column := range at[0].Columns {
		for range column.Mean {
			s := column.Law.SD(stat.Mean(mat.Col(nil, i, table), nil))
			total.SetSym(i, i, total.At(i, i)+s*s)
			i++
		}
	}
	const step, replicas = 0.3, 16
	slopes := mat.NewDense(n, len(truth), nil)
	precision := mat.NewSymDense(len(truth), nil)
	for j := range truth {
		for _, sign := range []float64{-1, 1} {
			x := slices.Clone(truth)
			x[j] *= math.Exp(sign * step)
			for _, c := range courses(t, o, x, replicas) {
				for i, m := range flat(c) {
					slopes.Set(i, j, slopes.At(i, j)+sign*m/(2*step*replicas))
				}
			}
		}
		low, high := o.Problem.Unknowns[j].Prior.Support()
		precision.SetSym(j, j, 12/math.Pow(math.Log(high/low), 2))
	}
	var c mat.Cholesky
	if !c.Factorize(total) {
		t.Fatal("the scatter of reports is no covariance")
	}
	var solved, sum mat.Dense
	if err := c.SolveTo(&solved, slopes); err != nil {
		t.Fatal(err)
	}
	sum.Mul(slopes.T(), &solved)
	sum.Add(&sum, precision)
	if err := sum.Inverse(&sum); err != nil {
		t.Fatal(err)
	}
	sds := make([]float64, len(truth))
	for j := range sds {
		sds[j] = math.Sqrt(sum.At(j, j))
	}
	return sds
}

// flat are the means of a course, column after column.
func flat(c fit.Trajectory) (all []float64) {
	for _, column := range c.Columns {
		all = append(all, column.Mean...)
	}
	return all
}
