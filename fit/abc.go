package fit

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"math"
	"slices"

	"github.com/almanac-sim/almanac/internal/random"
)

// The default method: sequential Monte Carlo ABC that ends with the likelihood of the error model.
//
// First come generations by distance, as in [Lenormand13]: of the runs there are, the nearer half is kept, with the threshold that this
// means; as many again are proposed from kernels about those that were kept, with twice their weighted covariance, and weighted by prior over
// proposal density. Every proposal that was handed out counts, whoever was quick. This finds the region in which the data are possible at
// all, for whatever distance; but as a posterior, it is that of data with more scatter.
//
// Then come generations by likelihood. Of each run it is known how likely the data are given how the model went, because the law of reports
// is part of the problem. A run that is accepted with a probability in proportion to that is an exact draw from the posterior: it is ABC
// with a threshold of 0 for data that are seen through that law [Wilkinson13]. Here runs are not thrown away by chance but weighted by the
// probability. At first the likelihood is raised to the power with which enough of the runs count, which is the same for data with more
// scatter, and the next proposals come from there.
//
// Last, runs from the best proposals are made until the effective sample is as large as wanted or the budget is used up. If the effective sample at
// power 1 remains below 100, the power is lowered until it is 100, and the result says so.
//
// [Lenormand13]: https://doi.org/10.1007/s00180-013-0428-3
// [Wilkinson13]: https://doi.org/10.1515/sagmb-2013-0010
func abc(ctx context.Context, e *engine) (*Result, error) {
	a := &abcState{e: e, budget: e.o.Budget, n: e.o.Population}
	if a.budget == 0 {
		a.budget = 60_000
	}
	if a.n == 0 {
		a.n = max(min(1000, a.budget/20), 50)
	}
	a.trace.Names = []string{"generation", "runs", "threshold", "power", "accepted", "effective"}
	if err := a.byDistance(ctx); err != nil {
		return nil, err
	}
	if err := a.byLikelihood(ctx); err != nil {
		return nil, err
	}
	return a.result()
}

const (
	keepShare   = 0.5  // of the runs of a generation that are kept by distance
	leastAccept = 0.05 // share of proposals under the threshold below which generations by distance end
	leastSample = 100  // effective
	patience    = 2    // generations by likelihood that are no better than the best

	possibleShare = 0.2 // of runs with which the data are possible, from which on likelihoods are used
)

// An abcState is a fit by ABC on its way.
type abcState struct {
	e      *engine
	budget int
	n      int // runs of a generation, and the effective sample that is wanted

	scales    [][]float64
	kept      []run // of the generations by distance
	threshold float64
	next      *mixture // where proposals come from
	final     []run    // all from the same proposals
	trace     Table
}

func (a *abcState) left() int { return a.budget - a.e.runs }

// propose makes n runs at proposals.
func (a *abcState) propose(ctx context.Context, what string, from *mixture, n int) ([]run, error) {
	args := runsArgs{Seed: a.seed(), Kernel: from, Scales: a.scales}
	runs := make([]run, 0, n)
	err := a.e.stage(ctx, what, "runs", args, n, func(_ int, ans answer) error {
		r, err := unpackRun(ans.numbers, len(a.e.problem.Unknowns))
		if math.IsInf(r.distance, 1) && len(r.told) == 0 {
			a.e.impossible++
		}
		runs = append(runs, r)
		return err
	})
	return runs, err
}

// seed names the luck of the next stage.
func (a *abcState) seed() uint64 {
	s := random.New(a.e.o.Seed, uint64(len(a.e.jobs)))
	return s.Uint64()
}

func (a *abcState) note(threshold, power, accepted, effective float64) {
	a.trace.Rows = append(a.trace.Rows, []float64{float64(len(a.trace.Rows)), float64(a.e.runs), threshold, power, accepted, effective})
}

// first makes runs at draws from the prior, and finds the scales of the distance.
func (a *abcState) first(ctx context.Context) error {
	runs, err := a.propose(ctx, "from the prior", &mixture{Share: 1}, min(a.n, a.budget))
	if err != nil {
		return err
	}
	for i, r := range runs {
		if len(r.told) == 0 {
			continue
		}
		laws, reports, err := a.e.problem.heard(r.told)
		if err != nil {
			return err
		}
		if a.scales == nil {
			a.scales = a.e.problem.scales(laws)
		}
		runs[i].distance, runs[i].told = a.e.problem.distance(reports, a.scales), nil
	}
	if a.scales == nil {
		return fmt.Errorf("fit: at none of %d draws from the prior is there a model", len(runs))
	}
	a.kept = runs
	return nil
}

// byDistance makes generations by distance, until what comes next is better found by likelihood.
func (a *abcState) byDistance(ctx context.Context) error {
	if err := a.first(ctx); err != nil {
		return err
	}
	fresh, accepted := a.kept, 1.0
	for generation := 1; ; generation++ {
		a.keep(int(keepShare * float64(a.n)))
		likelihood, _ := a.weigh(fresh, 1)
		a.note(a.threshold, math.NaN(), accepted, effective(likelihood))
		if ready(fresh) || accepted < leastAccept || a.threshold == 0 || a.e.runs >= a.budget/2 {
			return nil
		}
		points, weights := a.sample(a.kept, 0)
		before := a.threshold
		var err error
		fresh, err = a.propose(ctx, fmt.Sprintf("generation %d", generation), newMixture(points, weights, 2, 0.01), min(a.n-len(a.kept), a.left()))
		if err != nil {
			return err
		}
		near := 0
		for _, r := range fresh {
			if r.distance <= before {
				near++
			}
		}
		accepted = float64(near) / float64(len(fresh))
		a.kept = append(a.kept, fresh...)
	}
}

// ready reports whether the data are possible, however unlikely, given enough of some runs that likelihoods can take over. They find the
// region in fewer generations: every run has a say in them, by how near it is.
func ready(runs []run) bool {
	return float64(possible(runs)) >= possibleShare*float64(len(runs))
}

// possible is how many runs there are with which the data are possible.
func possible(runs []run) (n int) {
	for _, r := range runs {
		if !math.IsInf(r.likelihood, -1) {
			n++
		}
	}
	return n
}

// keep keeps the nearest n runs; of those that are equally near, the ones that were handed out first.
func (a *abcState) keep(n int) {
	slices.SortStableFunc(a.kept, func(r, s run) int { return cmp.Compare(r.distance, s.distance) })
	a.kept = slices.Clone(a.kept[:min(n, len(a.kept))])
	for len(a.kept) > 0 && math.IsInf(a.kept[len(a.kept)-1].distance, 1) {
		a.kept = a.kept[:len(a.kept)-1]
	}
	a.threshold = a.kept[len(a.kept)-1].distance
}

// weigh are the weights of runs, with the likelihood raised to a power.
func (a *abcState) weigh(runs []run, power float64) (weights []float64, ok bool) {
	logs := make([]float64, len(runs))
	for i, r := range runs {
		if logs[i] = r.ratio; power > 0 {
			logs[i] += power * r.likelihood
		}
	}
	return normalise(logs)
}

// power is the largest one with an effective sample of so many.
func (a *abcState) power(runs []run, want float64) float64 {
	logs, likelihoods := make([]float64, len(runs)), make([]float64, len(runs))
	for i, r := range runs {
		logs[i], likelihoods[i] = r.ratio, r.likelihood
	}
	return power(logs, likelihoods, want)
}

// enough is the power with which a generation is enough to make the next from: 1 if a twentieth of it counts then, and otherwise that with
// which a tenth of the runs do that are possible at all. A covariance needs some for each dimension.
func (a *abcState) enough(runs []run) (power, efficiency float64) {
	w, _ := a.weigh(runs, 1)
	n, least := float64(len(runs)), 10*float64(1+len(a.e.problem.Unknowns))
	if efficiency = effective(w) / n; efficiency >= 0.05 && effective(w) >= least {
		return 1, efficiency
	}
	p := float64(possible(runs))
	return a.power(runs, math.Min(math.Max(p/10, least), p/2)), efficiency
}

// sample are the places of runs with their weights, without those that have next to none.
func (a *abcState) sample(runs []run, power float64) (points [][]float64, weights []float64) {
	all, _ := a.weigh(runs, power)
	s := random.New(a.e.o.Seed, uint64(len(a.e.jobs)), 1)
	places, weights := thin(all, 1000, &s)
	for _, i := range places {
		points = append(points, runs[i].z)
	}
	return points, weights
}

// begin are the first proposals by likelihood: about the last of the runs by distance, weighted by likelihood if enough of them are possible.
func (a *abcState) begin() *mixture {
	power := 0.0
	if ready(a.kept) {
		power, _ = a.enough(a.kept)
	}
	points, weights := a.sample(a.kept, power)
	return newMixture(points, weights, 1, 0.1)
}

// byLikelihood makes generations by likelihood, and then runs until there are enough.
func (a *abcState) byLikelihood(ctx context.Context) error {
	from := a.begin()
	best := struct {
		power, efficiency float64
		from              *mixture
	}{from: from}
	for generation, worse := 1, 0; worse < patience && a.left() > a.budget/3; generation++ {
		runs, err := a.propose(ctx, fmt.Sprintf("by likelihood, %d", generation), from, min(a.n, a.left()))
		if err != nil {
			return err
		}
		p, f := a.enough(runs)
		w, _ := a.weigh(runs, p)
		a.note(math.NaN(), p, math.NaN(), effective(w))
		if p == 1 && f > 0.25 {
			a.final, best.from = runs, from // as good as it gets
			break
		}
		points, weights := a.sample(runs, p)
		from = newMixture(points, weights, 0.5, 0.1)
		if p > best.power*1.1 || p == 1 && f > best.efficiency*1.2 {
			best.power, best.efficiency, best.from, worse = p, f, from, 0
		} else {
			worse++
		}
	}
	return a.gather(ctx, best.from)
}

// gather makes runs until the effective sample is as large as wanted. How many are made at once depends on how many counted so far.
func (a *abcState) gather(ctx context.Context, from *mixture) error {
	for a.left() > 0 {
		batch := a.n
		if len(a.final) > 0 {
			w, _ := a.weigh(a.final, 1)
			size := effective(w)
			if size >= float64(a.n) {
				return nil
			}
			missing := (float64(a.n) - size) / size * float64(len(a.final))
			batch = int(math.Min(math.Max(1.05*missing, float64(a.n)), 8*float64(a.n)))
		}
		runs, err := a.propose(ctx, "for the sample", from, min(batch, a.left()))
		if err != nil {
			return err
		}
		a.final = append(a.final, runs...)
		p := a.power(a.final, leastSample)
		w, _ := a.weigh(a.final, p)
		a.note(math.NaN(), p, math.NaN(), effective(w))
	}
	return nil
}

// result is the weighted sample.
func (a *abcState) result() (*Result, error) {
	r := &Result{Trace: a.trace, Threshold: a.threshold, ScoreName: "log likelihood of the data, given one run there"}
	r.Power = a.power(a.final, math.Min(leastSample, float64(a.n)))
	r.Exact = r.Power == 1
	runs := a.final
	if r.Power == 0 {
		runs = a.kept
	}
	w, ok := a.weigh(runs, r.Power)
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
	best := a.e.problem.densest(points, p)
	r.Best, r.BestScore = p.Rows[best], runs[places[best]].likelihood
	switch {
	case r.Power == 0:
		r.Notes = append(r.Notes, fmt.Sprintf("the data are impossible, or nearly so, with all runs that were made: the sample is of values at which reports are within %.3g "+
			"of the data (root mean square, in units of the reports' scatter), and not of the posterior", a.threshold))
	case !r.Exact:
		r.Notes = append(r.Notes, fmt.Sprintf("the likelihood was raised to the power %.3g, as if reports were scattered %.3g times as much as they are: with all of it, fewer than "+
			"%d of the runs would count. Intervals are too wide; a larger budget or a method that follows the data from row to row narrows them", r.Power, 1/math.Sqrt(r.Power), leastSample))
	}
	return r, nil
}

// densest is the point of a sample at which the posterior's density is highest, as kernels about the points say.
func (p *Problem) densest(points [][]float64, sample *Posterior) (best int) {
	n, d := effective(sample.Weights), float64(len(p.Unknowns))
	// Silverman's width of kernels, as a share of the variance.
	m := newMixture(points, sample.Weights, math.Pow(4/(d+2)/n, 2/(d+4)), 0)
	m.open()
	most := math.Inf(-1)
	for i, z := range points {
		// The density of z, and what turns it into that of x: the ratio of the prior's densities.
		density := m.kernels(z) + square(z)/2
		for j, u := range p.Unknowns {
			density += u.Prior.LogDensity(sample.Rows[i][j])
		}
		if density > most {
			best, most = i, density
		}
	}
	return best
}
