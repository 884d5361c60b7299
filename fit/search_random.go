package fit

import (
	"context"
	"fmt"
	"math"
	"slices"
)

// randomSearch tries points of the prior, a few runs at each, and chooses among the best as the
// other methods do: what a search must beat to be worth its name.
const randomRuns = 4

func randomSearch(ctx context.Context, e *engine) (*Result, error) {
	budget := e.o.Budget
	if budget == 0 {
		budget = searchBudget
	}
	if err := e.enough(2 * finalShare); err != nil { // two points, and two runs to say what the better one is worth
		return nil, err
	}
	o := &optimum{e: e, trace: Table{Names: []string{"runs", "least misfit", "error"}}}
	luck := e.luck()
	points := make([][]float64, max((budget-budget/finalShare)/randomRuns, 1))
	for k := range points {
		points[k] = gaussians(&luck, len(e.problem.Unknowns))
	}
	var trials []*trial
	for part := range slices.Chunk(points, 4096) { // so that no stage grows without bound
		some, err := o.try(ctx, "points of the prior", part, randomRuns)
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
	return o.finish(ctx, points, budget)
}

// byMisfit orders trials by their misfits.
func byMisfit(p *Problem, trials []*trial) []*trial {
	slices.SortStableFunc(trials, func(a, b *trial) int {
		x, _ := a.misfit(p)
		y, _ := b.misfit(p)
		return lessFirst(x, y)
	})
	return trials
}
