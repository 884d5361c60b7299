package fit

import (
	"math"
	"testing"

	"gonum.org/v1/gonum/stat/distuv"

	"github.com/almanac-sim/almanac/ensemble"
)

// A prediction of Poisson counts whose rate has a gamma posterior is negative binomial, with the
// mean of the posterior: the medians and the 90 % bands are those of that law, within one count and
// four standard errors of the probability; the bands of means are the posterior's.
func TestPredict(t *testing.T) {
	y := []float64{7, 12, math.NaN(), 9, 11, 14}
	g, a, b := rateModel(y)
	exact := distuv.Gamma{Alpha: a, Beta: b}
	from := &Posterior{Names: []string{"rate"}}
	for i := range 1000 {
		from.Rows, from.Weights = append(from.Rows, []float64{exact.Quantile((float64(i) + 0.5) / 1000)}),
			append(from.Weights, 0.001)
	}
	o := Options{Kind: "fit", Registry: g.register(), Seed: 1}
	o.Executor = ensemble.InMemory{Slots: 2}
	const n = 2000
	r, err := Predict(t.Context(), g.problem, nil, from, n, o)
	if err != nil {
		t.Fatal(err)
	}
	law := Law{NegativeBinomial, a, false}
	cdf := func(x float64) (sum float64) {
		for k := 0.0; k <= x; k++ {
			sum += math.Exp(law.LogDensity(k, a/b))
		}
		return sum
	}
	band := r.Columns[0]
	if r.Runs != n || band.Seen != 5 || band.Inside < 3 || len(band.Reports) != 6 {
		t.Errorf("%d runs, %d of %d inside", r.Runs, band.Inside, band.Seen)
	}
	for row := range y {
		for i, share := range r.Shares {
			q, se := band.Reports[row][i], 4*math.Sqrt(share*(1-share)/n)
			if cdf(q+1) < share-se || cdf(q-1) > share+se {
				t.Errorf("row %d: the %v-quantile of reports is %v", row, share, q)
			}
			if m := band.Means[row][i]; math.Abs(exact.CDF(m)-share) > se {
				t.Errorf("row %d: the %v-quantile of means is %v", row, share, m)
			}
		}
	}
	if _, err := Predict(t.Context(), g.problem, nil, &Posterior{}, n, o); err == nil {
		t.Error("a prediction from nothing")
	}
}
