package analysis

import (
	"fmt"
	"math"
	"slices"
	"sort"

	"github.com/almanac-sim/almanac/internal/detmath"
	"github.com/almanac-sim/almanac/internal/quantile"
)

// Quantile is a quantile of the distribution of a sequence of observations from one run, such as
// the wait that nine of ten do not exceed. The interval is that of R. S. Woodruff, Confidence
// intervals for medians and other position measures, JASA 47, 1952: the share of observations that
// are not above the estimate has an interval by batch means, as [Mean] makes it, and the quantiles
// at the ends of that are the ends of this one. So the check for a run that is too short is that of
// this share. It panics if p is not between 0 and 1.
func Quantile(x []float64, p float64, opts ...Option) Estimate {
	checkShare("Quantile", p)
	o := optionsOf(opts)
	x, e := begin("Quantile", x, o)
	sorted := slices.Sorted(slices.Values(x))
	at := quantileOf(sorted, p)
	below := make([]float64, len(x))
	for i, v := range x {
		if v <= at {
			below[i] = 1
		}
	}
	e.mean(below, o)
	e.invert(sorted, at, p)
	return e
}

func checkShare(call string, p float64) {
	if !(p > 0 && p < 1) {
		panic(fmt.Sprintf("analysis: %s of %v: it must be between 0 and 1, such as 0.9", call, p))
	}
}

// quantileOf is the smallest number that has at least a share p of them at or below it. Below all
// there is −∞, above all +∞.
func quantileOf(sorted []float64, p float64) float64 {
	switch k := quantile.Rank(len(sorted), p); {
	case len(sorted) == 0:
		return math.NaN()
	case k < 1:
		return math.Inf(-1)
	case k > len(sorted):
		return math.Inf(1)
	default:
		return sorted[k-1]
	}
}

// invert turns the estimate of the share that is not above a quantile into one of the quantile. If
// the share is really larger than p, the quantile lies lower.
func (e *Estimate) invert(sorted []float64, at, p float64) {
	above, below := e.High-e.Value, e.Value-e.Low
	e.Value = at
	e.Low, e.High = quantileOf(sorted, p-above), quantileOf(sorted, p+below)
	if len(sorted) == 0 || math.IsNaN(above) {
		e.Low, e.High = math.Inf(-1), math.Inf(1)
	}
	if above == 0 && below == 0 { // the share is the same in all batches or runs, by chance or since all are below
		e.Low, e.High = math.Inf(-1), math.Inf(1)
		if e.Enough() {
			e.problem("as many are at or below the quantile of %g in all parts, and nothing tells how much that might vary", p)
		}
	}
	if e.Enough() && (math.IsInf(e.Low, 0) || math.IsInf(e.High, 0)) {
		e.problem("there are too few observations beyond the quantile of %g for an interval", p)
	}
}

// QuantileOfReplications is a quantile of observations that come from several independent runs,
// whose numbers need not be the same. The estimate is that of all together. Its interval is made as
// that of [Quantile], where the share that is not above the estimate is a ratio of sums over runs:
// of several runs it is Student's t with as many degrees of freedom less one. It panics if p is not
// between 0 and 1, or if a value is NaN.
func QuantileOfReplications(runs [][]float64, p float64, opts ...Option) Estimate {
	checkShare("QuantileOfReplications", p)
	o := optionsOf(opts)
	if o.skip < 0 {
		o.skip = 0 // the warm-up is the business of the runs
	}
	e := Estimate{Level: o.level, Correlation: math.NaN()}
	var all []float64
	for i, run := range runs {
		if slices.ContainsFunc(run, math.IsNaN) {
			panic(fmt.Sprintf("analysis: QuantileOfReplications: there is a NaN in run %d", i))
		}
		skip := min(o.skip, len(run))
		e.Skipped += skip
		all = append(all, run[skip:]...)
	}
	slices.Sort(all)
	at := quantileOf(all, p)
	e.N, e.Batches = len(all), len(runs)
	not := func(run []float64) (below, n float64) {
		run = run[min(o.skip, len(run)):]
		for _, v := range run {
			if v <= at {
				below++
			}
		}
		return below, float64(len(run))
	}
	sum := 0.0
	for _, run := range runs {
		b, _ := not(run)
		sum += b
	}
	share, squares, k := sum/float64(len(all)), 0.0, float64(len(runs))
	for _, run := range runs {
		b, n := not(run)
		// from share·n, and 0 exactly if it is
		distance := (float64(b*float64(len(all))) - float64(sum*n)) / float64(len(all))
		squares += float64(distance * distance)
	}
	half := math.Inf(1)
	switch {
	case len(runs) < 2:
		e.problem("there are %d runs, at least two are needed", len(runs))
	case len(all) > 0 && squares == 0:
		e.problem("the share that is not above the quantile is the same in all runs, and nothing tells how much it " +
			"might vary")
	case len(all) > 0:
		se := math.Sqrt(squares*k/(k-1)) / float64(len(all))
		half = se * detmath.StudentQuantile(k-1, (1+o.level)/2)
		e.Effective = share * (1 - share) / (se * se)
	}
	e.Value, e.Low, e.High = share, share-half, share+half
	e.invert(all, at, p)
	return e
}

// QuantileOfIndependent is a quantile of the distribution of independent observations, such as the
// results of replications: the wait of the worst of ten days. The interval is from one order
// statistic to another, by the binomial distribution (H. A. David and H. N. Nagaraja, Order
// Statistics, third edition, section 7.1). It is valid for any distribution, and covers with at
// least the stated probability. It panics if p is not between 0 and 1, or if a value is NaN.
func QuantileOfIndependent(x []float64, p float64, opts ...Option) Estimate {
	checkShare("QuantileOfIndependent", p)
	if slices.ContainsFunc(x, math.IsNaN) {
		panic("analysis: QuantileOfIndependent: there is a NaN")
	}
	o := optionsOf(opts)
	sorted := slices.Sorted(slices.Values(x))
	n := len(sorted)
	e := Estimate{Level: o.level, Value: quantileOf(sorted, p), N: n, Effective: float64(n), Correlation: math.NaN()}
	e.Low, e.High = math.Inf(-1), math.Inf(1)
	// The true quantile is below the r-th value, from 1 on, if fewer than r are at or below it:
	// with probability P(B < r).
	upTo := func(k int) float64 { // the distribution function of the binomial law
		_, above := detmath.BetaInc(float64(k+1), float64(n-k), p, 1-p)
		return above
	}
	tail := float64((1 - o.level) / 2)
	if r := sort.Search(n, func(r int) bool { return upTo(r) > tail }); r >= 1 { // P(B < r) ≤ tail
		e.Low = sorted[r-1]
	}
	if r := sort.Search(n, func(r int) bool { return upTo(r-1) >= 1-tail }); r >= 1 && r <= n && upTo(r-1) >= 1-tail {
		e.High = sorted[r-1]
	}
	if math.IsInf(e.Low, 0) || math.IsInf(e.High, 0) {
		e.problem("%d values are too few for an interval of the quantile of %g", n, p)
	}
	return e
}
