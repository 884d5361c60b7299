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
	annealShare  = 150    // runs for which there is a chain, if there are few
	annealStages = 40     // temperatures, at most
	annealQuota  = 12     // runs of a chain at one temperature, at least
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
		chains = min(max(budget/annealShare, 4), annealChains)
	}
	o := &optimum{e: e, trace: Table{Names: []string{"temperature", "runs", "acceptance", "runs per step", "mean misfit", "least misfit", "noise"}}}
	d := len(e.problem.Unknowns)
	until := budget - budget/finalShare

	// The prior, as much of it as a tenth of the budget lets see.
	luck := e.luck()
	points := make([][]float64, max(min(16*chains, budget/10), chains))
	for k := range points {
		points[k] = gaussians(&luck, d)
	}
	trials, err := o.try(ctx, "points of the prior", points, 1)
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
	stages := min(max((until-e.runs)/(chains*annealQuota), 4), annealStages)
	first := powerFor(logs, float64(chains), 1/annealEnd)
	scale, noise := walkScale/math.Sqrt(float64(d)), 0.0
	for s := range stages {
		beta := first * math.Pow(1/annealEnd/first, float64(s)/float64(stages-1))
		luck := e.luck()
		weights := powered(logs, powerFor(logs, float64(chains)/2, beta))
		states, _ := chosen(points, logs, systematic(weights, chains, luck.Float64()))
		quota := max((until-e.runs)/(stages-s)/chains, 2)
		stage := annealStage{States: states, Temperature: 1 / beta, Runs: quota, Most: min(annealMost, max(quota/4, 2)), Noise: noise,
			Kernel: kernelOf(points, powered(logs, powerFor(logs, float64(3*d), beta)), scale)}
		var share float64
		if points, logs, share, noise, err = o.steps(ctx, stage); err != nil {
			return nil, err
		}
		// Steps are to be accepted about one time in four.
		switch {
		case share > 0.4:
			scale *= 1.3
		case share < 0.15:
			scale /= 1.3
		}
		if e.runs >= until {
			break
		}
	}
	// The best of the last stage, and the middle of its good ones.
	middle := meanOf(points, powered(logs, powerFor(logs, float64(3*d), 1/annealEnd)))
	order := make([]int, len(points))
	for k := range order {
		order[k] = k
	}
	slices.SortStableFunc(order, func(a, b int) int { return lessFirst(logs[b], logs[a]) })
	last := [][]float64{middle}
	for _, k := range order[:min(chains, len(order))] {
		last = append(last, points[k])
	}
	return o.finish(ctx, last, budget)
}

// An optimum is a search for the least misfit.
type optimum struct {
	e     *engine
	trace Table
	notes []string
}

// steps does one stage of the annealing: all points that were tried, with the negative of their misfits, what share of the steps was
// accepted, and the noise of a comparison with one run each.
func (o *optimum) steps(ctx context.Context, s annealStage) (points [][]float64, logs []float64, share, noise float64, err error) {
	s.Seed = o.e.stageSeed()
	d := len(o.e.problem.Unknowns)
	before := o.e.runs
	var accepted, variances, compared, sum, counted float64
	err = o.e.stage(ctx, fmt.Sprintf("temperature %.3g", s.Temperature), "anneal", s, len(s.States), func(k int, a answer) error {
		if len(a.numbers) < annealHead || (len(a.numbers)-annealHead)%(d+1) != 0 {
			return fmt.Errorf("fit: a chain came as %d numbers", len(a.numbers))
		}
		accepted += a.numbers[annealAccepted]
		variances += a.numbers[annealVariances]
		compared += a.numbers[annealCompared]
		o.e.impossible += int(a.numbers[annealImpossible])
		for row := range slices.Chunk(a.numbers[annealHead:], d+1) {
			points = append(points, row[:d:d])
			logs = append(logs, -row[d])
			if !math.IsInf(row[d], 1) {
				sum += row[d]
				counted++
			}
		}
		return nil
	})
	if err != nil {
		return nil, nil, 0, 0, err
	}
	noise = s.Noise
	if compared > 0 {
		noise = math.Sqrt(variances / compared)
	}
	proposed := float64(len(points) - len(s.States))
	o.trace.Rows = append(o.trace.Rows, []float64{s.Temperature, float64(o.e.runs), accepted / proposed, float64(o.e.runs-before) / proposed,
		sum / counted, -slices.Max(logs), noise})
	return points, logs, accepted / proposed, noise, nil
}

// try runs the model at points, with common luck.
func (o *optimum) try(ctx context.Context, what string, points [][]float64, runs int) ([]*trial, error) {
	return o.tryWith(ctx, what, points, runs, o.e.stageSeed())
}

func (o *optimum) tryWith(ctx context.Context, what string, points [][]float64, runs int, luck uint64) ([]*trial, error) {
	trials := make([]*trial, len(points))
	for k, z := range points {
		trials[k] = &trial{z: z}
	}
	p := o.e.problem
	err := o.e.stage(ctx, what, "courses", courseStage{points, runs, luck}, runs*len(points), func(k int, a answer) error {
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
		trials = byMisfit(o.e.problem, trials)
		points = points[:0]
		for _, t := range trials[:min(finalFew, len(trials))] {
			points = append(points, t.z)
		}
		if round == 1 || len(trials) == 1 {
			best := trials[0]
			r := &Result{Best: o.e.problem.values(best.z), ScoreName: "misfit", Trace: o.trace, Notes: o.notes}
			r.BestScore, r.BestError = best.misfit(o.e.problem)
			// How much the runs differ, in units of what the reports scatter: the variances' ratio in the mean over the data. It is told
			// whatever it is: that it is small at the best point does not say that it is where the data come from.
			if ratio := 2 * float64(runs) * best.bias(o.e.problem) / float64(o.e.problem.seen()); !math.IsNaN(ratio) {
				r.Notes = append(r.Notes, fmt.Sprintf("the best point is where the mean course comes nearest to the data, and has no interval. Runs with the same values differ, here with %.2g times "+
					"the variance of reports, elsewhere with more or less: the values that gave the data may be as far off as that makes likely, in small populations far; abc and pmmh say how far", ratio))
			}
			r.Posterior.Names, r.Posterior.Units = o.e.problem.names()
			return r, nil
		}
	}
	return nil, nil
}
