package fit

import (
	"cmp"
	"context"
	"fmt"
	"math"
	"slices"

	"github.com/almanac-sim/almanac/internal/random"
)

// The default method: sequential Monte Carlo ABC that ends with the likelihood of the error model.
//
// First come generations by distance, as in [Lenormand13]: of the runs there are, the nearer half
// is kept, with the threshold that this means; as many again are proposed from kernels about those
// that were kept, with twice their weighted covariance, and weighted by prior over proposal
// density. Every proposal that was handed out counts, whoever was quick. This finds the region in
// which the data are possible at all, for whatever distance; but as a posterior, it is that of data
// with more scatter.
//
// Then come generations by likelihood. Of each run it is known how likely the data are given how
// the model went, because the law of reports is part of the problem. A run that is accepted with a
// probability in proportion to that is an exact draw from the posterior: it is ABC with a threshold
// of 0 for data that are seen through that law [Wilkinson13]. Here runs are not thrown away by
// chance but weighted by the probability. At first the likelihood is raised to the power with which
// enough of the runs count, which is the same for data with more scatter, and the next proposals
// come from there.
//
// If the runs themselves differ so much that hardly any is likely, and the model can be stopped at
// each row, the likelihood is from then on not that of one run but of all of them, as a particle
// filter estimates it without bias: weights with such estimates are exact, too [Tran13].
//
// Last, runs from the best proposals are made until the effective sample is as large as wanted or
// the budget is used up. If the effective sample at power 1 remains below 100 (less for budgets
// below that of the method), the power is lowered until it is that, and the result says so.
//
// [Lenormand13]: https://doi.org/10.1007/s00180-013-0428-3
// [Wilkinson13]: https://doi.org/10.1515/sagmb-2013-0010
// [Tran13]: https://arxiv.org/abs/1309.3339
func abc(ctx context.Context, e *engine) (*Result, error) {
	a := &abcState{e: e, budget: e.o.Budget, n: e.o.Population}
	if a.budget == 0 {
		a.budget = ownBudget
	}
	if a.n == 0 {
		a.n = max(min(1000, a.budget/20), 50)
	}
	a.n = max(a.n, leastPopulation)
	// With less of a budget, a smaller sample that is exact is preferred to one that is not.
	a.least = math.Min(math.Max(leastSample*float64(a.budget)/ownBudget, 30), math.Min(leastSample, float64(a.n)))
	a.trace.Names = []string{"generation", "runs", "threshold", "power", "accepted", "effective", "particles"}
	if err := a.byDistance(ctx); err != nil {
		return nil, err
	}
	if err := a.byLikelihood(ctx); err != nil {
		return nil, err
	}
	return a.result()
}

const (
	keepShare   = 0.5    // of the runs of a generation that are kept by distance
	leastAccept = 0.05   // share of proposals under the threshold below which generations by distance end
	ownBudget   = 60_000 // runs: half a minute on two processors, if one takes a millisecond
	leastSample = 100    // effective, with that budget

	leastPopulation = 4 // of which half are kept: kernels need two points
	patience        = 2 // generations by likelihood that are no better than the best

	filterSample = 400 // effective, that is wanted of estimates by particles

	filterAccept = 0.3 // instead of leastAccept, if a particle filter can take over

	possibleShare = 0.2 // of runs with which the data are possible, from which on likelihoods are used
)

// An abcState is a fit by ABC on its way.
type abcState struct {
	e      *engine
	budget int
	n      int // runs of a generation, and the effective sample that is wanted of single runs

	filtered  bool    // runs can be stopped at each row
	least     float64 // effective sample that is to be had at power 1, if the result is to be exact
	particles int     // of each estimate of a likelihood; 0 if it is that of one run

	scales    [][]float64
	kept      []run // of the generations by distance
	threshold float64
	final     []run // all from the same proposals
	trace     Table
}

func (a *abcState) left() int { return a.budget - a.e.runs }

// propose makes n runs at proposals, or n estimates of likelihoods.
func (a *abcState) propose(ctx context.Context, what string, from *mixture, n int) ([]run, error) {
	return a.ask(ctx, what, runsArgs{Kernel: from, Scales: a.scales, Particles: a.particles}, n)
}

func (a *abcState) ask(ctx context.Context, what string, args runsArgs, n int) ([]run, error) {
	args.Seed = a.seed()
	runs := make([]run, 0, n)
	err := a.e.stage(ctx, what, "runs", args, n, func(_ int, ans answer) error {
		r, err := unpackRun(ans.numbers, len(a.e.problem.Unknowns))
		if math.IsInf(r.distance, 1) && len(r.told) == 0 { // see openRuns
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
	a.trace.Rows = append(a.trace.Rows, []float64{float64(len(a.trace.Rows)), float64(a.e.runs), threshold, power,
		accepted, effective, float64(a.particles)})
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
		told, err := a.e.problem.unpack(r.told)
		if err != nil {
			return err
		}
		if a.scales == nil {
			a.scales = a.e.problem.scales(told)
		}
		reports := make([][]float64, len(told))
		for k := range told {
			reports[k] = told[k].Mean // in the place of means, what was reported
		}
		runs[i].distance, runs[i].told = a.e.problem.distance(reports, a.scales), nil
	}
	if a.scales == nil {
		return fmt.Errorf("fit: at none of %d draws from the prior is there a model", len(runs))
	}
	a.kept, a.filtered = runs, runs[0].filtered
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
		a.note(a.threshold, math.NaN(), accepted, effectiveSize(likelihood))
		if ready(fresh) || accepted < leastAccept || a.filtered && accepted < filterAccept || a.threshold == 0 || a.e.runs >=
			a.budget/2 {
			return nil
		}
		points, weights := a.sample(a.kept, 0)
		before := a.threshold
		var err error
		fresh, err = a.propose(ctx, fmt.Sprintf("generation %d", generation), newMixture(points, weights, 2, 0.01),
			min(a.n-len(a.kept), a.left()))
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

// ready reports whether the data are possible, however unlikely, given enough of some runs that
// likelihoods can take over. They find the region in fewer generations: every run has a say in
// them, by how near it is.
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

// keep keeps the nearest n runs; of those that are equally near, the ones that were handed out
// first.
func (a *abcState) keep(n int) {
	slices.SortStableFunc(a.kept, func(r, s run) int { return cmp.Compare(r.distance, s.distance) })
	a.kept = slices.Clone(a.kept[:min(n, len(a.kept))])
	for len(a.kept) > 0 && math.IsInf(a.kept[len(a.kept)-1].distance, 1) {
		a.kept = a.kept[:len(a.kept)-1]
	}
	a.threshold = a.kept[len(a.kept)-1].distance
}
