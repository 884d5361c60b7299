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

// The search for the least misfit by CMA-ES. A generation is one stage: its points are run with the
// same luck, so that they are compared by what they are, and the next generation with another one.
// With the same luck in all generations the search would see no noise, and go for the minimum of
// the mean over these few runs; but where an epidemic comes or fails to come by luck, that is where
// this luck happens to give the data, and may be far from the minimum of the expectation. When the
// better half of a generation differs by no more than a minimum that was found with so few runs is
// uncertain by, there are more runs at each point [Pasupathy10]. A search that has converged with
// most runs is followed by one with twice as many points from another good point of the prior
// [AH05], for as long as there are runs left.
//
// [Pasupathy10]: https://doi.org/10.1287/opre.1090.0773
// [AH05]: https://doi.org/10.1109/CEC.2005.1554902
const (
	searchBudget = 20_000 // runs, if none are asked for
	searchPrior  = 5      // one run in so many is for points of the prior
	searchLeast  = 1      // runs at one point, at first
	searchMore   = 4      // times as many when the search is close
	searchMost   = 64
	searchSure   = 3    // generations in a row in which it must be
	searchClose  = 0.05 // misfits that are not told apart
	searchStep   = 1    // the first step, in standard deviations of the prior
	searchWorth  = 10   // generations that a restart must have room for
	searchEdge   = 2.5  // standard deviations of the prior: 1.2 % of it lie beyond
	searchNarrow = 1e-3 // standard deviations of the prior, within which a search has converged
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
		size = 2 * (4 + int(3*detmath.Log(float64(d)))) // twice the default for functions without noise
	}
	size = max(size, 4)
	// Points of the prior, a generation, and the choice.
	if err := e.checkBudget((annealTried+1)*size*finalShare/(finalShare-1) + 1); err != nil {
		return nil, err
	}
	until := budget - budget/finalShare
	// Searches begin at the best points of the prior, as many of which are tried as a part of the
	// budget lets see.
	stream := e.stream()
	points := make([][]float64, max(budget/searchPrior/annealTried, size))
	for k := range points {
		points[k] = proposal.Normals(&stream, d)
	}
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
	for _, t := range starts[:min(finalOld, len(starts))] { // lest the search have followed its luck
		candidates = append(candidates, t.z)
	}
	return o.choose(ctx, candidates, budget)
}

// evolve is one run of the strategy: its last mean, and the best points of its last generations.
func (o *optimizer) evolve(ctx context.Context, s *cma.Strategy, restart, size, until int) (found [][]float64, err error) {
	p := o.e.problem
	runs := searchLeast
	var best [][]float64 // of each generation
	close := 0           // generations in a row whose better half is
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
			floor = float64(len(s.Mean)) // one run does not say; a posterior is about as wide as this
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
			s.Step *= 2 // the minimum may be elsewhere, about as far away as the generation was wide
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

// penalised adds to misfits what keeps the search from going on and on towards the ends of the
// priors, where the misfit hardly changes any more: from searchEdge on, a term that grows with the
// square, on the scale of the better half's misfits.
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

// randomSearch tries points of the prior, a few runs at each, and chooses among the best as the
// other methods do: what a search must beat to be worth its name.
const randomRuns = 4

func randomSearch(ctx context.Context, e *engine) (*Result, error) {
	budget := e.o.Budget
	if budget == 0 {
		budget = searchBudget
	}
	if err := e.checkBudget(2 * finalShare); err != nil { // two points, and two runs to say what the better one is worth
		return nil, err
	}
	o := &optimizer{e: e, trace: Table{Names: []string{"runs", "least misfit", "error"}}}
	stream := e.stream()
	points := make([][]float64, max((budget-budget/finalShare)/randomRuns, 1))
	for k := range points {
		points[k] = proposal.Normals(&stream, len(e.problem.Unknowns))
	}
	var trials []*trial
	for part := range slices.Chunk(points, 4096) { // so that no stage grows without bound
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
