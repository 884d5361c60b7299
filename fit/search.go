package fit

import (
	"context"
	"fmt"
	"math"
	"slices"

	"github.com/almanac-sim/almanac/fit/internal/cma"
	"github.com/almanac-sim/almanac/fit/internal/proposal"
	"github.com/almanac-sim/almanac/fit/internal/rank"
	"github.com/almanac-sim/almanac/internal/detmath"
)

// The search for the least misfit by CMA-ES. A generation is one stage. Its points are run with
// common random numbers, so that they are compared without noise between them, and each generation
// has new ones. With the same random numbers in all generations, the search would minimise the mean
// over these few runs. Where an outbreak occurs or not by chance, that minimum may be far from the
// minimum of the expectation. When the better half of a generation differs by no more than the
// uncertainty of a minimum found with that number of runs, the number of runs at each point grows
// [Pasupathy10]. A search that has converged with the largest number is followed by one with twice
// as many points from another good point of the prior [AH05], while the budget lasts.
//
// [Pasupathy10]: https://doi.org/10.1287/opre.1090.0773
// [AH05]: https://doi.org/10.1109/CEC.2005.1554902
const (
	searchBudget = 20_000 // runs, by default
	searchPrior  = 5      // one run in 5 is at points of the prior
	searchLeast  = 1      // runs at a point, at first
	searchMore   = 4      // factor by which they grow when the search is close
	searchMost   = 64
	searchSure   = 3    // consecutive generations that must be close
	searchClose  = 0.05 // differences of misfits that are ignored
	searchStep   = 1    // the first step, in standard deviations of the prior
	searchWorth  = 10   // a restart needs budget for this many generations
	searchEdge   = 2.5  // standard deviations of the prior; 1.2 % lies beyond
	searchNarrow = 1e-3 // a search whose spread is below has converged; in standard deviations of the prior
)

func search(ctx context.Context, e *engine) (*Result, error) {
	budget := e.o.Budget
	if budget == 0 {
		budget = searchBudget
	}
	o := &optimizer{e: e, trace: Table{Names: []string{"restart", "points", "runs per point", "runs", "least misfit",
		"error", "floor", "spread"}}}
	d := len(e.problem.Unknowns)
	size := e.o.Population
	if size == 0 {
		size = 2 * (4 + int(3*detmath.Log(float64(d)))) // twice the default for noiseless functions
	}
	size = max(size, 4)
	// Points of the prior, a generation, and the choice.
	if err := e.checkBudget((annealTried+1)*size*finalShare/(finalShare-1) + 1); err != nil {
		return nil, err
	}
	until := budget - budget/finalShare
	// Searches start at the best of points drawn from the prior.
	stream := e.stream()
	points := proposal.Prior(&stream, max(budget/searchPrior/annealTried, size), d)
	starts, err := o.evaluate(ctx, "points of the prior", points, annealTried)
	if err != nil {
		return nil, err
	}
	if starts = byMisfit(e.problem, starts); starts[0].impossible {
		return nil, fmt.Errorf("fit: there is no model at any of %d points of the prior", len(points))
	}
	var candidates [][]float64
	for restart, start := range starts {
		if restart > 0 && (start.impossible || e.runs+searchWorth*size*searchLeast > until) {
			break
		}
		found, err := o.evolve(ctx, cma.New(start.z, searchStep, size, stream.Split()), restart, size, until)
		if err != nil {
			return nil, err
		}
		candidates = append(candidates, found...)
		size *= 2
	}
	for _, t := range starts[:min(finalOld, len(starts))] { // in case the search followed noise
		candidates = append(candidates, t.z)
	}
	return o.choose(ctx, candidates, budget)
}

// evolve runs the strategy once. It returns its last mean and the best points of its last
// generations.
func (o *optimizer) evolve(ctx context.Context, s *cma.Strategy, restart, size, until int) (found [][]float64,
	err error) {
	p := o.e.problem
	runs := searchLeast
	var best [][]float64 // of each generation
	close := 0           // consecutive generations whose better half is close
	for s.Generation == 0 || o.e.runs+size*runs <= until {
		points, err := s.Ask(size)
		if err != nil {
			return nil, err
		}
		trials, err := o.evaluate(ctx, fmt.Sprintf("generation %d of search %d", s.Generation+1, restart+1), points, runs)
		if err != nil {
			return nil, err
		}
		values := make([]float64, size)
		for k, t := range trials {
			values[k], _ = t.misfit(p)
		}
		s.Tell(penalised(points, values))
		order := byMisfit(p, trials)
		best = append(best, order[0].z)
		value, se := order[0].misfit(p)
		middle, _ := order[size/2].misfit(p)
		floor := order[0].correction(p) * float64(len(s.Mean)) / float64(p.observed())
		if runs == 1 {
			floor = float64(len(s.Mean)) // one run gives no estimate; a posterior is about this wide
		}
		o.trace.Rows = append(o.trace.Rows, []float64{float64(restart), float64(size), float64(runs), float64(o.e.runs),
			value, se, floor, s.Spread()})
		if middle-value > max(floor, searchClose) {
			close = 0
		} else if close++; close >= searchSure {
			close = 0
			if runs >= searchMost {
				break
			}
			runs *= searchMore
			s.Step *= 2 // the minimum may be about as far away as the generation was wide
		}
		if s.Spread() < searchNarrow {
			break
		}
	}
	found = append(found, s.Mean)
	for i := len(best) - 1; i >= max(0, len(best)-3); i-- {
		found = append(found, best[i])
	}
	return found, nil
}

// penalised adds to misfits a penalty that keeps the search from drifting towards the ends of the
// priors, where the misfit hardly changes: from searchEdge on it grows with the square, on the
// scale of the better half's misfits.
func penalised(points [][]float64, values []float64) []float64 {
	order := slices.Clone(values)
	slices.SortFunc(order, rank.Compare)
	scale := order[len(order)/2] - order[0]
	if !(scale > 0) || math.IsInf(scale, 1) {
		scale = 1
	}
	kept := slices.Clone(values)
	for k, z := range points {
		for _, v := range z {
			if out := math.Abs(v) - searchEdge; out > 0 {
				kept[k] += float64(scale * out * out)
			}
		}
	}
	return kept
}

// randomRuns is the number of runs at each point of a random search.
const randomRuns = 4

// randomSearch tries points of the prior, and chooses among the best as the other methods do. It is
// the baseline of the searches.
func randomSearch(ctx context.Context, e *engine) (*Result, error) {
	budget := e.o.Budget
	if budget == 0 {
		budget = searchBudget
	}
	if err := e.checkBudget(2 * finalShare); err != nil { // two points, and two runs for the misfit of the better one
		return nil, err
	}
	o := &optimizer{e: e, trace: Table{Names: []string{"runs", "least misfit", "error"}}}
	stream := e.stream()
	points := proposal.Prior(&stream, max((budget-budget/finalShare)/randomRuns, 1), len(e.problem.Unknowns))
	var trials []*trial
	for part := range slices.Chunk(points, 4096) { // bounds the size of a stage
		some, err := o.evaluate(ctx, "points of the prior", part, randomRuns)
		if err != nil {
			return nil, err
		}
		trials = append(trials, some...)
		trials = byMisfit(e.problem, trials)
		trials = trials[:min(annealChains, len(trials))]
		value, se := trials[0].misfit(e.problem)
		if math.IsInf(value, 1) {
			return nil, fmt.Errorf("fit: there is no model at any of %d points of the prior", len(part))
		}
		o.trace.Rows = append(o.trace.Rows, []float64{float64(e.runs), value, se})
	}
	points = points[:0]
	for _, t := range trials {
		points = append(points, t.z)
	}
	return o.choose(ctx, points, budget)
}
