package fit

import (
	"context"
	"fmt"
	"math"
	"slices"
)

// The search for the least misfit by CMA-ES. A generation is one stage: its points are run with common luck, which changes from one
// generation to the next, so that the search does not settle on what is good for one luck alone. A run that has converged, or sees
// nothing but noise, is followed by one with twice as many points from elsewhere [AH05], for as long as there are runs left.
//
// [AH05]: https://doi.org/10.1109/CEC.2005.1554902
const (
	searchBudget = 20_000 // runs, if none are asked for
	searchLeast  = 2      // runs at one point
	searchMost   = 64
	searchNarrow = 1e-3 // standard deviations of the prior, within which a search has converged
	searchBlind  = 8    // generations in which most runs do not tell points apart, after which it ends
	searchKept   = 12   // points that the last choice is made from
)

func search(ctx context.Context, e *engine) (*Result, error) {
	budget := e.o.Budget
	if budget == 0 {
		budget = searchBudget
	}
	o := &optimum{e: e, trace: Table{Names: []string{"restart", "points", "runs per point", "runs", "least misfit", "error", "agreement", "spread"}}}
	d := len(e.problem.Unknowns)
	size := e.o.Population
	if size == 0 {
		size = 2 * (4 + int(3*math.Log(float64(d)))) // twice the default for functions without noise
	}
	size = max(size, 4)
	until := budget - budget/finalShare
	var candidates [][]float64
	for restart := 0; ; restart++ {
		if restart > 0 && e.runs+4*size*searchLeast > until {
			break // not even a few generations
		}
		luck := e.luck()
		mean := make([]float64, d)
		if restart > 0 {
			mean = gaussians(&luck, d)
		}
		found, err := o.evolve(ctx, newEvolution(mean, 1, size, luck.Split()), restart, size, until)
		if err != nil {
			return nil, err
		}
		candidates = append(candidates, found...)
		size *= 2
	}
	return o.finish(ctx, candidates[:min(searchKept, len(candidates))], budget)
}

// evolve is one run of the strategy, which begins as the prior: its last mean, and the best points of its last generations.
func (o *optimum) evolve(ctx context.Context, s *evolution, restart, size, until int) (found [][]float64, err error) {
	runs, blind := searchLeast, 0
	var best [][]float64 // of each generation
	for s.age == 0 || o.e.runs+size*runs <= until {
		points, err := s.ask(size)
		if err != nil {
			return nil, err
		}
		trials, err := o.try(ctx, fmt.Sprintf("generation %d of search %d", s.age+1, restart+1), points, runs)
		if err != nil {
			return nil, err
		}
		values, halves := make([]float64, size), [2][]float64{}
		least := 0
		for k, t := range trials {
			values[k], _ = t.misfit(o.e.problem)
			if t.wrong {
				continue
			}
			if lessFirst(values[k], values[least]) < 0 {
				least = k
			}
			for h := range halves {
				v, _ := meanAndError(o.e.problem.pseudoValues(t.laws, t.courses[h*runs/2:(h+1)*runs/2]))
				halves[h] = append(halves[h], v)
			}
		}
		if s.age == 0 && len(halves[0]) == 0 {
			return nil, fmt.Errorf("fit: there is no model at any of %d points of the prior", size)
		}
		s.tell(values)
		best = append(best, points[least])
		agreement := rankCorrelation(halves[0], halves[1])
		value, err2 := trials[least].misfit(o.e.problem)
		o.trace.Rows = append(o.trace.Rows, []float64{float64(restart), float64(size), float64(runs), float64(o.e.runs), value, err2, agreement, s.spread()})
		// Two halves of the runs that do not agree on the order of the points say that the order is noise.
		switch {
		case agreement < 0.5 && runs < searchMost:
			runs *= 2
		case agreement > 0.9 && runs > searchLeast:
			runs /= 2
		case agreement < 0.2:
			blind++
		}
		if s.spread() < searchNarrow || blind == searchBlind {
			break
		}
	}
	found = append(found, s.mean)
	for i := len(best) - 1; i >= max(0, len(best)-3); i-- {
		found = append(found, best[i])
	}
	return found, nil
}

// rankCorrelation is Spearman's; 1 if there are fewer than three pairs.
func rankCorrelation(a, b []float64) float64 {
	n := len(a)
	if n < 3 {
		return 1
	}
	ranks := func(v []float64) []float64 {
		order := make([]int, n)
		for i := range order {
			order[i] = i
		}
		slices.SortStableFunc(order, func(i, j int) int { return lessFirst(v[i], v[j]) })
		r := make([]float64, n)
		for rank, i := range order {
			r[i] = float64(rank)
		}
		return r
	}
	ra, rb := ranks(a), ranks(b)
	sum := 0.0
	for i := range ra {
		sum += (ra[i] - rb[i]) * (ra[i] - rb[i])
	}
	m := float64(n)
	return 1 - 6*sum/(m*(m*m-1))
}
