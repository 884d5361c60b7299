package fit

import (
	"context"
	"fmt"
	"math"
	"math/bits"
	"slices"

	"github.com/almanac-sim/almanac/internal/detmath"
)

// Simulated annealing, by many chains that exchange [HI03]: at each temperature, chains are given
// up for others in proportion to exp(−Δβ·misfit), β being the inverse temperature, and take steps
// whose size and direction come from where all of them are. As the misfit is a log likelihood,
// temperature 1 is that at which chains would sample a posterior; they begin from the prior, β = 0.
//
// [HI03]: https://doi.org/10.1063/1.1632130
const (
	annealChains = 16
	annealBudget = 20_000 // runs, if none are asked for
	annealShare  = 250    // runs for which there is a chain, if there are few
	annealPrior  = 4      // one run in so many is for points of the prior
	annealTried  = 4      // runs at each of them
	annealFew    = 2      // temperatures, at least
	annealStages = 40     // and at most
	annealQuota  = 24     // runs of a chain at one temperature, unless there are few
	annealLeast  = 8      // and at least: comparisons of two runs; about half the budget is for them
	// the last temperature: differences of the misfit that data of this size could tell apart are
	// 0.5 and more
	annealEnd  = 0.1
	annealMost = 64 // runs at one point, in a comparison
	finalShare = 5  // one run in so many is kept for the choice among the last points
	finalLeast = 4  // runs of each point in a round of the choice
	finalSaid  = 4  // one of the last runs in so many says what the misfit of the chosen point is
	finalOld   = 16 // points of the prior that are among the last
)

func anneal(ctx context.Context, e *engine) (*Result, error) {
	budget, chains := e.o.Budget, e.o.Population
	if budget == 0 {
		budget = annealBudget
	}
	if chains == 0 {
		chains = min(max(budget/annealShare, 4), annealChains)
	}
	if err := e.enough(2 * annealFew * chains * annealLeast); err != nil {
		return nil, err
	}
	o := &optimum{e: e, trace: Table{Names: []string{"temperature", "runs", "acceptance", "runs per step", "mean misfit",
		"least misfit", "noise"}}}
	d := len(e.problem.Unknowns)
	until := budget - budget/finalShare

	// The prior, as much of it as a part of the budget lets see.
	luck := e.luck()
	points := make([][]float64, budget/annealPrior/annealTried)
	for k := range points {
		points[k] = gaussians(&luck, d)
	}
	trials, err := o.try(ctx, "points of the prior", points, annealTried)
	if err != nil {
		return nil, err
	}
	logs := make([]float64, len(trials))
	for k, t := range trials {
		m, se := t.misfit(e.problem)
		logs[k] = -m - se
	}
	if math.IsInf(slices.Max(logs), -1) {
		return nil, fmt.Errorf("fit: there is no model at any of %d points of the prior", len(points))
	}
	old := leadersOf(points, logs, finalOld)
	var middles [][]float64
	stages := min(max((until-e.runs)/(chains*annealQuota), annealFew), annealStages)
	first := powerFor(logs, float64(chains), 1/annealEnd)
	scale, noise := walkScale/math.Sqrt(float64(d)), 0.0
	for s := range stages {
		beta := first * detmath.Pow(1/annealEnd/first, float64(s)/float64(stages-1))
		quota := (until - e.runs) / (stages - s) / chains // annealLeast or more, as no stage before made more than its own
		most := min(annealMost, quota/4)
		// What is colder than the noise of the most runs would choose the lucky.
		if noise > 0 {
			beta = min(beta, 2*math.Sqrt(float64(most))/noise)
		}
		luck := e.luck()
		weights := powered(logs, powerFor(logs, float64(chains)/2, beta))
		states, _ := chosen(points, logs, systematic(weights, chains, luck.Float64()))
		stage := annealStage{States: states, Temperature: 1 / beta, Runs: quota, Most: most, Noise: noise,
			Kernel: kernelOf(points, powered(logs, powerFor(logs, float64(3*d), beta)), scale)}
		var share float64
		if points, logs, share, noise, err = o.steps(ctx, stage); err != nil {
			return nil, err
		}
		middles = append(middles, meanOf(points, sharesOf(powered(logs, powerFor(logs, float64(3*d), beta)), len(points))))
		// Steps are to be accepted about one time in four.
		switch {
		case share > 0.4:
			scale *= 1.3
		case share < 0.15:
			scale /= 1.3
		}
	}
	// The middles of the good ones, the coldest first, the best of the last stage, and the best of
	// the prior, lest cooling have gone astray.
	slices.Reverse(middles)
	last := append(middles[:1:1], leadersOf(points, logs, chains)...)
	return o.finish(ctx, append(append(last, old...), middles[1:]...), budget)
}

// leadersOf are the n points with the largest logarithms, best first.
func leadersOf(points [][]float64, logs []float64, n int) [][]float64 {
	misfits := make([]float64, len(logs))
	for k, l := range logs {
		misfits[k] = -l
	}
	var best [][]float64
	for _, k := range sorted(misfits)[:min(n, len(misfits))] {
		best = append(best, points[k])
	}
	return best
}

// enough reports whether the budget is at least what a search needs.
func (e *engine) enough(least int) error {
	if e.o.Budget > 0 && e.o.Budget < least {
		return budgetError{fmt.Sprintf("fit: a budget of %d runs: %s needs %d at least", e.o.Budget, e.o.Method, least)}
	}
	return nil
}

// An optimum is a search for the least misfit.
type optimum struct {
	e     *engine
	trace Table
	notes []string
}

// steps does one stage of the annealing: all points that were tried, with the negative of their
// misfits, a standard error being added lest those with the most noise have the best prospects,
// what share of the steps was accepted, and the noise of a comparison with one run each.
func (o *optimum) steps(ctx context.Context, s annealStage) (points [][]float64, logs []float64, share, noise float64,
	err error) {
	s.Seed = o.e.stageSeed()
	d := len(o.e.problem.Unknowns)
	before := o.e.runs
	least := math.Inf(1)
	var accepted, variances, compared, sum, counted float64
	err = o.e.stage(ctx, fmt.Sprintf("temperature %.3g", s.Temperature), "anneal", s, len(s.States),
		func(k int, a answer) error {
			if len(a.numbers) < annealHead || (len(a.numbers)-annealHead)%(d+2) != 0 {
				return fmt.Errorf("fit: a chain came as %d numbers", len(a.numbers))
			}
			accepted += a.numbers[annealAccepted]
			variances += a.numbers[annealVariances]
			compared += a.numbers[annealCompared]
			o.e.impossible += int(a.numbers[annealImpossible])
			for row := range slices.Chunk(a.numbers[annealHead:], d+2) {
				points = append(points, row[:d:d])
				logs = append(logs, -row[d]-row[d+1])
				least = min(least, row[d])
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
	o.trace.Rows = append(o.trace.Rows, []float64{s.Temperature, float64(o.e.runs), accepted / proposed,
		float64(o.e.runs-before) / proposed,
		sum / counted, least, noise})
	return points, logs, accepted / proposed, noise, nil
}

// try runs the model at points, with common luck.
func (o *optimum) try(ctx context.Context, what string, points [][]float64, runs int) ([]*trial, error) {
	trials := make([]*trial, len(points))
	for k, z := range points {
		trials[k] = &trial{z: z}
	}
	return trials, o.more(ctx, what, trials, runs, o.e.stageSeed())
}

// more adds runs to trials, with common luck.
func (o *optimum) more(ctx context.Context, what string, trials []*trial, runs int, luck uint64) error {
	points := make([][]float64, len(trials))
	for k, t := range trials {
		points[k] = t.z
	}
	p := o.e.problem
	return o.e.stage(ctx, what, "courses", courseStage{points, runs, luck}, runs*len(points), func(k int, a answer) error {
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
}

// finish chooses among points, those with the best prospects first, by successive halving [KKS13]:
// all are run with fresh luck, the better half by all runs of this kind once more, and so on. What
// the misfit of the chosen one is, runs say that had no part in the choice, so that it is not that
// of the luckiest.
//
// [KKS13]: https://proceedings.mlr.press/v28/karnin13.html
func (o *optimum) finish(ctx context.Context, points [][]float64, budget int) (*Result, error) {
	p := o.e.problem
	var race []*trial
	for _, z := range points {
		if !slices.ContainsFunc(race, func(t *trial) bool { return slices.Equal(t.z, z) }) {
			race = append(race, &trial{z: z})
		}
	}
	left := budget - o.e.runs
	left -= max(left/finalSaid, min(left, 2))
	rounds := func() int { return bits.Len(uint(len(race) - 1)) }
	for len(race) > 1 && len(race)*rounds()*finalLeast > left {
		race = race[:len(race)-1]
	}
	for len(race) > 1 {
		runs := left / rounds() / len(race)
		left -= runs * len(race)
		if err := o.more(ctx, "the best points again", race, runs, o.e.stageSeed()); err != nil {
			return nil, err
		}
		race = byMisfit(p, race)[:(len(race)+1)/2]
	}
	best := &trial{z: race[0].z}
	if err := o.more(ctx, "the best point", []*trial{best}, budget-o.e.runs, o.e.stageSeed()); err != nil {
		return nil, err
	}
	r := &Result{Best: p.values(best.z), ScoreName: "misfit", Trace: o.trace, Notes: o.notes}
	r.BestScore, r.BestError = best.misfit(p)
	// How much the runs differ, in units of what the reports scatter: the variances' ratio in the
	// mean over the data. It is told whatever it is: that it is small at the best point does not
	// say that it is where the data come from.
	if ratio := 2 * float64(len(best.courses)) * best.bias(p) / float64(p.seen()); !math.IsNaN(ratio) {
		r.Notes = append(r.Notes, fmt.Sprintf("the best point is where the mean course comes nearest to the data, and has "+
			"no interval. Runs with the same values differ, here with %.2g times "+
			"the variance of reports, elsewhere with more or less: the values that gave the data may be as far off as that "+
			"makes likely, in small populations far; abc and pmmh say how far", ratio))
	}
	r.Posterior.Names, r.Posterior.Units = p.names()
	return r, nil
}
