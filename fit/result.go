package fit

import (
	"math"
	"slices"

	"github.com/almanac-sim/almanac/fit/internal/rank"
)

// A Table has named columns of numbers; NaN stands where there is none.
type Table struct {
	Names []string
	Rows  [][]float64
}

// A Result is what a fit gives.
type Result struct {
	Method   string
	Seed     uint64
	Unknowns []Unknown

	// Posterior is empty if the method gives a best point alone.
	Posterior Posterior

	Best      []float64 // the best point: where the posterior is densest, as estimated, or the misfit is least
	BestScore float64   // there, of what ScoreName says
	ScoreName string
	BestError float64 // the standard error of BestScore, which comes from so many runs; 0 if it is not known

	Chains *Chains // how the chains went, if the method has chains

	// Exact reports whether the sample is of the posterior itself, but for the error of a finite
	// sample. If not, Power and Threshold say what it is of: the likelihood was raised to a power
	// below 1; or, if that is 0, what is less alike than the threshold was left out.
	Exact     bool
	Power     float64
	Threshold float64
	Particles int // of each estimate of a likelihood by a particle filter; 0 if it is that of one run

	Trace      Table // how it went
	Notes      []string
	Runs       int // of the model
	Events     uint64
	Impossible int      // runs at values at which there is no model
	Jobs       []string // keys of the jobs, so that they can be forgotten
}

// Effective is the effective size of the sample: by the weights, or by how the chains have mixed in
// the unknown that has mixed least.
func (r *Result) Effective() float64 {
	if r.Chains != nil {
		return slices.Min(r.Chains.Bulk)
	}
	return r.Posterior.Effective()
}

// A Marginal is what became known of one unknown.
type Marginal struct {
	Name, Unit, Prior string
	Mean, SD          float64
	MeanError         float64   // the standard error of Mean: of the finite sample, not of what the data tell
	Quantiles         []float64 // for [MarginalShares]
	PriorQuantiles    []float64

	// Contraction is by how much the variance has shrunk, on the scale on which the prior is
	// normal: 1 − the posterior's variance there over the prior's. It is about 0 if the data say
	// nothing, near 1 if they say nearly all, and below 0 if less is known than before, which
	// happens.
	Contraction float64

	// Shift is the Kolmogorov distance of posterior and prior, the most by which their distribution
	// functions differ.
	Shift float64

	// Moved reports whether the data moved it: whether Shift exceeds both 0.1 and 1.63/√n, the
	// distance that a sample of the prior with the same effective size n exceeds with a probability
	// of 1 %.
	Moved bool
}

// MarginalShares returns the shares for which a [Marginal] has quantiles, in ascending order.
func MarginalShares() []float64 { return []float64{0.025, 0.05, 0.25, 0.5, 0.75, 0.95, 0.975} }

// leastShift is the Kolmogorov distance below which an unknown counts as not moved: at most a tenth
// of the probability has gone elsewhere.
const leastShift = 0.1

// Marginals are what became known of each unknown; none if the method gives no sample.
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

// Unmoved are the names of the unknowns that the data did not move.
func (r *Result) Unmoved() (names []string) {
	for _, m := range r.Marginals() {
		if !m.Moved {
			names = append(names, m.Name)
		}
	}
	return names
}

// compare is by how much a sample is narrower than the prior, and how far from it.
func (p Prior) compare(x, weights []float64) (contraction, shift float64) {
	q := Posterior{Weights: weights}
	for _, v := range x {
		q.Rows = append(q.Rows, []float64{p.z(v)})
	}
	contraction = 1 - q.Covariance(0, 0)/p.varianceZ()
	order, sum := rank.Order(x), 0.0
	for n, i := range order {
		// The sample's distribution function, to the left of a value and at it. Of equal values,
		// the last has all.
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
