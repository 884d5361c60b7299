package fit

import (
	"context"
	"fmt"
	"math"
	"slices"
)

// Simulated annealing, by many chains that exchange [HI03]: at each temperature, chains are given up for others in proportion to
// exp(−Δβ·misfit), β being the inverse temperature, and take steps whose size and direction come from where all of them are. As the
// misfit is a log likelihood, temperature 1 is that at which chains would sample a posterior; they begin from the prior, β = 0.
//
// [HI03]: https://doi.org/10.1063/1.1632130
const (
	annealChains = 16
	annealBudget = 20_000 // runs, if none are asked for
	annealStages = 30     // temperatures, at most
	annealEnd    = 0.1    // the last temperature: differences of the misfit that data of this size could tell apart are 0.5 and more
	annealMost   = 64     // runs at one point, in a comparison
	finalShare   = 5      // one run in so many is kept for the choice among the last points
	finalFew     = 4      // points of which the best is chosen
)

func anneal(ctx context.Context, e *engine) (*Result, error) {
	budget, chains := e.o.Budget, e.o.Population
	if budget == 0 {
		budget = annealBudget
	}
	if chains == 0 {
		chains = min(max(budget/64, 2), annealChains)
	}
	o := &optimum{e: e, trace: Table{Names: []string{"temperature", "runs", "acceptance", "runs per step", "mean misfit", "least misfit", "error"}}}
	d := len(e.problem.Unknowns)
	until := budget - budget/finalShare

	// The prior, with the least number of runs that have an error, and as much of it as a tenth of the budget lets see.
	luck := e.luck()
	points := make([][]float64, max(min(8*chains, budget/10/2), chains))
	for k := range points {
		points[k] = gaussians(&luck, d)
	}
	trials, err := o.try(ctx, "points of the prior", points, 2)
	if err != nil {
		return nil, err
	}
	logs := make([]float64, len(trials))
	for k, t := range trials {
		m, _ := t.misfit(e.problem)
		logs[k] = -m
	}
	if math.IsInf(slices.Max(logs), -1) {
		return nil, fmt.Errorf("fit: there is no model at any of %d points of the prior", len(points))
	}
	stages := min(max((until-e.runs)/(chains*24), 2), annealStages)
	first := min(colder(logs, 0, 1), 1/annealEnd)
	if first <= 0 {
		first = 1e-9 // misfits that differ by more than numbers can say
	}
	beta, scale := 0.0, walkScale/math.Sqrt(float64(d))
	for s := range stages {
		next := first * math.Pow(1/annealEnd/first, float64(s)/float64(stages-1))
		weights := make([]float64, len(logs))
		for k, l := range logs {
			if weights[k] = (next - beta) * l; math.IsInf(l, -1) {
				weights[k] = l
			}
		}
		beta = next
		luck := e.luck()
		points, _ = chosen(points, logs, systematic(weights, chains, luck.Float64()))
		quota := max((until-e.runs)/(stages-s)/chains, 4)
		stage := annealStage{States: points, Temperature: 1 / beta, Runs: quota, Most: min(annealMost, max(quota/2, 2)), Kernel: kernelOf(points, scale)}
		var share float64
		if points, logs, share, err = o.steps(ctx, stage); err != nil {
			return nil, err
		}
		// Steps are to be accepted about one time in four.
		switch {
		case share > 0.4:
			scale *= 1.5
		case share < 0.15:
			scale /= 1.5
		}
		if e.runs >= until {
			break
		}
	}
	return o.finish(ctx, append(points, meanOf(points)), budget)
}

// An optimum is a search for the least misfit.
type optimum struct {
	e     *engine
	trace Table
	notes []string
}

// steps does one stage of the annealing.
func (o *optimum) steps(ctx context.Context, s annealStage) (points [][]float64, logs []float64, share float64, err error) {
	s.Seed = o.e.stageSeed()
	d := len(o.e.problem.Unknowns)
	before := o.e.runs
	var accepted, proposed, mean float64
	least, leastError := math.Inf(1), 0.0
	err = o.e.stage(ctx, fmt.Sprintf("temperature %.3g", s.Temperature), "anneal", s, len(s.States), func(k int, a answer) error {
		if len(a.numbers) != annealHead+d {
			return fmt.Errorf("fit: a chain came as %d numbers", len(a.numbers))
		}
		n := a.numbers
		accepted += n[annealAccepted]
		proposed += n[annealProposed]
		o.e.impossible += int(n[annealImpossible])
		mean += n[annealMisfit] / float64(len(s.States))
		if n[annealMisfit] < least {
			least, leastError = n[annealMisfit], n[annealError]
		}
		logs = append(logs, -n[annealMisfit])
		points = append(points, n[annealHead:])
		return nil
	})
	if err != nil {
		return nil, nil, 0, err
	}
	o.trace.Rows = append(o.trace.Rows, []float64{s.Temperature, float64(o.e.runs), accepted / proposed, float64(o.e.runs-before) / proposed, mean, least, leastError})
	return points, logs, accepted / proposed, nil
}

// try runs the model at points, with common luck.
func (o *optimum) try(ctx context.Context, what string, points [][]float64, runs int) ([]*trial, error) {
	trials := make([]*trial, len(points))
	for k, z := range points {
		trials[k] = &trial{z: z}
	}
	p := o.e.problem
	err := o.e.stage(ctx, what, "courses", courseStage{points, runs, o.e.stageSeed()}, runs*len(points), func(k int, a answer) error {
		t := trials[k/runs]
		c, possible, err := p.courseFrom(a)
		if err != nil {
			return err
		}
		if !possible {
			o.e.impossible++
			t.wrong = true
		} else if !t.wrong {
			t.add(p, c)
		}
		return nil
	})
	return trials, err
}

// finish chooses among points: all are tried with fresh luck, and the best few again, with more runs and fresh luck once more, so that the
// misfit that is reported is not that of the luckiest.
func (o *optimum) finish(ctx context.Context, points [][]float64, budget int) (*Result, error) {
	for round := range 2 {
		slices.SortFunc(points, slices.Compare)
		points = slices.CompactFunc(points, slices.Equal)
		runs := max((budget-o.e.runs)/(2-round)/len(points), 4)
		trials, err := o.try(ctx, "the best points again", points, runs)
		if err != nil {
			return nil, err
		}
		slices.SortStableFunc(trials, func(a, b *trial) int {
			x, _ := a.misfit(o.e.problem)
			y, _ := b.misfit(o.e.problem)
			return lessFirst(x, y)
		})
		points = points[:0]
		for _, t := range trials[:min(finalFew, len(trials))] {
			points = append(points, t.z)
		}
		if round == 1 || len(trials) == 1 {
			best := trials[0]
			r := &Result{Best: o.e.problem.place(best.z), ScoreName: "misfit", Trace: o.trace, Notes: o.notes}
			r.BestScore, r.BestError = best.misfit(o.e.problem)
			r.Posterior.Names, r.Posterior.Units = o.e.problem.names()
			return r, nil
		}
	}
	return nil, nil
}
