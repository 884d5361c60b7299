package fit

import (
	"math"
	"slices"

	"github.com/almanac-sim/almanac/fit/internal/rank"
)

// A Table has named columns of numbers; NaN marks a missing number.
type Table struct {
	Names []string
	Rows  [][]float64
}

// A Result is the result of a fit.
type Result struct {
	Method   string
	Seed     uint64
	Unknowns []Unknown

	// Posterior is empty if the method only returns a best point.
	Posterior Posterior

	Best      []float64 // the estimated mode of the posterior, or the point of least misfit
	BestScore float64   // the score there; ScoreName says what it is
	ScoreName string
	BestError float64 // the standard error of BestScore; 0 if it is not known

	Chains *Chains // diagnostics of methods with chains; else nil

	// Exact reports whether the sample is of the posterior itself, up to Monte Carlo error. If not,
	// the likelihood was raised to Power, which is below 1; or, if Power is 0, the sample is of
	// runs whose distance from the data is at most Threshold.
	Exact     bool
	Power     float64
	Threshold float64
	Particles int // for each likelihood estimate by a particle filter; 0 if likelihoods are of single runs

	Trace      Table // progress of the fit
	Notes      []string
	Runs       int // of the model
	Events     uint64
	Impossible int      // runs at points without a model
	Jobs       []string // keys of the jobs, for deleting them
}

// Effective is the effective sample size: by the weights, or the smallest of the chains' bulk
// sizes.
func (r *Result) Effective() float64 {
	if r.Chains != nil {
		return slices.Min(r.Chains.Bulk)
	}
	return r.Posterior.Effective()
}

// A Marginal is the marginal posterior of one unknown.
type Marginal struct {
	Name, Unit, Prior string
	Mean, SD          float64
	MeanError         float64   // the Monte Carlo standard error of Mean
	Quantiles         []float64 // for [MarginalShares]
	PriorQuantiles    []float64

	// Contraction is 1 − the posterior variance over the prior variance, on the scale on which the
	// prior is normal. It is about 0 if the data carry no information, near 1 if they carry nearly
	// all, and negative if the posterior is wider than the prior, which can happen.
	Contraction float64

	// Shift is the Kolmogorov distance of posterior and prior: the largest difference of their
	// distribution functions.
	Shift float64

	// Moved reports whether the data are informative: Shift exceeds both 0.1 and 1.63/√n, which a
	// sample of the prior with effective size n exceeds with a probability of 1 %.
	Moved bool
}

// MarginalShares returns the probabilities for which a [Marginal] has quantiles, in ascending
// order.
func MarginalShares() []float64 { return []float64{0.025, 0.05, 0.25, 0.5, 0.75, 0.95, 0.975} }

// leastShift is the Kolmogorov distance below which an unknown counts as not moved.
const leastShift = 0.1

// Marginals returns the marginal posteriors; none if the method returns no sample.
func (r *Result) Marginals() []Marginal {
	var all []Marginal
	p, shares := &r.Posterior, MarginalShares()
	for j, u := range r.Unknowns {
		if len(p.Rows) == 0 {
			break
		}
		m := Marginal{Name: u.Name, Unit: u.Unit, Prior: u.Prior.String(), Mean: p.Mean(j), SD: p.SD(j),
			Quantiles: p.Quantiles(j, shares...)}
		if m.MeanError = p.meanError(j); r.Chains != nil {
			m.MeanError = r.Chains.MeanError[j]
		}
		for _, share := range shares {
			m.PriorQuantiles = append(m.PriorQuantiles, u.Prior.Quantile(share))
		}
		m.Contraction, m.Shift = u.Prior.compare(p.column(j), p.Weights)
		m.Moved = m.Shift > math.Max(leastShift, 1.63/math.Sqrt(r.Effective()))
		all = append(all, m)
	}
	return all
}

// Unmoved returns the names of the unknowns that the data did not move.
func (r *Result) Unmoved() (names []string) {
	for _, m := range r.Marginals() {
		if !m.Moved {
			names = append(names, m.Name)
		}
	}
	return names
}

// compare returns the contraction of a sample and its Kolmogorov distance from the prior.
func (p Prior) compare(x, weights []float64) (contraction, shift float64) {
	q := Posterior{Weights: weights}
	for _, v := range x {
		q.Rows = append(q.Rows, []float64{p.z(v)})
	}
	contraction = 1 - q.Covariance(0, 0)/p.varianceZ()
	order, sum := rank.Order(x), 0.0
	for n, i := range order {
		// Compare the distribution functions just below each distinct value and at it.
		if n == 0 || x[order[n-1]] != x[i] {
			below := p.CDF(x[i])
			if p.whole {
				below = p.CDF(x[i] - 1)
			}
			shift = math.Max(shift, math.Abs(below-sum))
		}
		sum += weights[i]
		if n == len(order)-1 || x[order[n+1]] != x[i] {
			shift = math.Max(shift, math.Abs(p.CDF(x[i])-sum))
		}
	}
	return contraction, shift
}
