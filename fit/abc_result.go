package fit

import (
	"errors"
	"fmt"
	"math"

	"github.com/almanac-sim/almanac/internal/detmath"
	"github.com/almanac-sim/almanac/internal/random"
)

// result is the weighted sample.
func (a *abcState) result() (*Result, error) {
	r := &Result{Trace: a.trace, Threshold: a.threshold, Particles: a.particles,
		ScoreName: "log likelihood of the data, given one run there"}
	if a.particles > 0 {
		r.ScoreName = "log likelihood of the data, as estimated there"
	}
	var want float64
	r.Power, want = a.finalPower()
	r.Exact = r.Power == 1
	runs := a.final
	if r.Power == 0 {
		runs = a.kept
	}
	w, ok := a.weigh(runs, r.Power)
	if shape := tailShape(w); r.Power > 0 && shape > heavyTail {
		r.Notes = append(r.Notes, fmt.Sprintf("a few of the runs carry much of the weight, and heavier ones may not have "+
			"been seen (the tail of the weights has shape %.2f, "+
			"where %.1f is small enough): the sample is worth less than its effective size says. A larger budget helps, or pmmh",
			shape, heavyTail))
	}
	if !ok {
		return nil, errors.New("fit: no run has any weight")
	}
	s := random.New(a.e.o.Seed, math.MaxUint64)
	places, thinned := thin(w, 4*a.n, &s)
	p := &r.Posterior
	var points [][]float64
	for _, i := range places {
		points = append(points, runs[i].z)
		p.Rows = append(p.Rows, a.e.problem.values(runs[i].z))
	}
	p.Weights = thinned
	for _, u := range a.e.problem.Unknowns {
		p.Names, p.Units = append(p.Names, u.Name), append(p.Units, u.Unit)
	}
	best := densest(points, p.Weights)
	r.Best, r.BestScore = p.Rows[best], runs[places[best]].likelihood
	switch {
	case r.Power == 0 && len(a.final) == 0:
		r.Notes = append(r.Notes, fmt.Sprintf("the budget of %d runs was used up before any could be weighed by "+
			"likelihood: the sample is of values at which reports are within %.3g "+
			"of the data (root mean square, in units of the reports' scatter), and not of the posterior", a.budget, a.threshold))
	case r.Power == 0:
		r.Notes = append(r.Notes, fmt.Sprintf("the data are impossible, or nearly so, with all runs that were made: the "+
			"sample is of values at which reports are within %.3g "+
			"of the data (root mean square, in units of the reports' scatter), and not of the posterior", a.threshold))
	case !r.Exact:
		r.Notes = append(r.Notes, fmt.Sprintf("the likelihood was raised to the power %.3g, as if reports were scattered "+
			"%.3g times as much as they are: with all of it, fewer than "+
			"%.0f of the runs would count. Intervals are too wide; a larger budget or a method that follows the data from "+
			"row to row narrows them", r.Power, 1/math.Sqrt(r.Power), want))
	case effectiveSize(w) < a.least:
		r.Notes = append(r.Notes, fmt.Sprintf("the sample is of the posterior, but tells as much as %.0f draws: %d of the "+
			"runs that were made for it could have given the data. "+
			"A larger budget gives more", effectiveSize(w), possible(a.final)))
	}
	return r, nil
}

// densest is the point of a sample at which the posterior's density is highest, on the scale on
// which priors are normal, as kernels about the points say.
func densest(points [][]float64, weights []float64) (best int) {
	n, d := effectiveSize(weights), float64(len(points[0]))
	// Silverman's width of kernels, as a share of the variance.
	m := newMixture(points, weights, detmath.Pow(4/(d+2)/n, 2/(d+4)), 0)
	if m.open(len(points[0])) != nil {
		return 0 // it cannot be: the sample has points and weights
	}
	most := math.Inf(-1)
	for i, z := range points {
		if density := m.kernels(z); density > most {
			best, most = i, density
		}
	}
	return best
}
