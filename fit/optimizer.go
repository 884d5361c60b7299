package fit

import (
	"context"
	"fmt"
	"math"
	"math/bits"
	"slices"

	"github.com/almanac-sim/almanac/fit/internal/rank"
)

// The final choice among candidates.
const (
	finalShare  = 5  // one run in 5 of the budget is reserved for it
	finalLeast  = 4  // runs of each point in a round
	finalReport = 4  // one of these runs in 4 estimates the misfit of the chosen point
	finalOld    = 16 // points of the prior among the candidates
)

// An optimizer searches for the point of least misfit.
type optimizer struct {
	e     *engine
	trace Table
	notes []string
}

// evaluate runs the model at points, with common random numbers.
func (o *optimizer) evaluate(ctx context.Context, what string, points [][]float64, runs int) ([]*trial, error) {
	trials := make([]*trial, len(points))
	for k, z := range points {
		trials[k] = &trial{z: z}
	}
	return trials, o.addRuns(ctx, what, trials, runs, o.e.stageSeed())
}

// addRuns adds runs to trials, with common random numbers.
func (o *optimizer) addRuns(ctx context.Context, what string, trials []*trial, runs int, stream uint64) error {
	points := make([][]float64, len(trials))
	for k, t := range trials {
		points[k] = t.z
	}
	p := o.e.problem
	return o.e.stage(ctx, what, "courses", trajectoryStage{points, runs, stream}, runs*len(points),
		func(k int, a output) error {
			t := trials[k/runs]
			c, possible, err := p.trajectory(a)
			if err != nil {
				return err
			}
			if !possible {
				o.e.impossible++
				t.impossible = true
			} else if !t.impossible {
				t.add(p, c)
			}
			return nil
		})
}

// A trajectoryStage asks for the trajectories of several runs at each of several points: task k is
// run k mod Runs at point k/Runs. Run r has the same seed at every point.
type trajectoryStage struct {
	Points [][]float64 `json:"points"`
	Runs   int         `json:"runs"`
	Seed   uint64      `json:"seed"`
}

func openTrajectories(o model, s *trajectoryStage) (task, error) {
	if err := o.problem.checkPoints(s.Points); err != nil {
		return nil, err
	}
	if s.Runs < 1 {
		return nil, fmt.Errorf("fit: courses of %d runs", s.Runs)
	}
	return func(ctx context.Context, k int) (output, error) {
		c, possible, err := o.simulate(ctx, o.problem.values(s.Points[k/s.Runs]), runSeed(s.Seed, k%s.Runs))
		a := output{runs: 1, events: c.Events}
		if err != nil || !possible {
			return a, err
		}
		for _, r := range c.Columns {
			a.numbers = append(r.Law.pack(a.numbers), r.Mean...)
		}
		return a, nil
	}, nil
}

// trajectory decodes the output of a task of a trajectoryStage; possible is false where there is no
// model.
func (p *Problem) trajectory(a output) (c Trajectory, possible bool, err error) {
	if len(a.numbers) == 0 {
		return c, false, nil
	}
	c.Columns, err = p.unpack(a.numbers)
	return c, err == nil, err
}

// byMisfit sorts trials by their misfits.
func byMisfit(p *Problem, trials []*trial) []*trial {
	slices.SortStableFunc(trials, func(a, b *trial) int {
		x, _ := a.misfit(p)
		y, _ := b.misfit(p)
		return rank.Compare(x, y)
	})
	return trials
}

// choose chooses among points, the most promising first, by successive halving [KKS13]: all are run
// with new seeds, the better half by all runs so far again, and so on. The misfit of the chosen
// point is estimated from runs that had no part in the choice, so that it has no selection bias.
//
// [KKS13]: https://proceedings.mlr.press/v28/karnin13.html
func (o *optimizer) choose(ctx context.Context, points [][]float64, budget int) (*Result, error) {
	p := o.e.problem
	var race []*trial
	for _, z := range points {
		if !slices.ContainsFunc(race, func(t *trial) bool { return slices.Equal(t.z, z) }) {
			race = append(race, &trial{z: z})
		}
	}
	left := budget - o.e.runs
	left -= max(left/finalReport, min(left, 2))
	rounds := func() int { return bits.Len(uint(len(race) - 1)) }
	for len(race) > 1 && len(race)*rounds()*finalLeast > left {
		race = race[:len(race)-1]
	}
	for len(race) > 1 {
		runs := left / rounds() / len(race)
		left -= runs * len(race)
		if err := o.addRuns(ctx, "the best points again", race, runs, o.e.stageSeed()); err != nil {
			return nil, err
		}
		race = byMisfit(p, race)[:(len(race)+1)/2]
	}
	best := &trial{z: race[0].z}
	if err := o.addRuns(ctx, "the best point", []*trial{best}, budget-o.e.runs, o.e.stageSeed()); err != nil {
		return nil, err
	}
	r := &Result{Best: p.values(best.z), ScoreName: "misfit", Trace: o.trace, Notes: o.notes}
	r.BestScore, r.BestError = best.misfit(p)
	// The variance of the runs over the variance of the reports, averaged over the data. It is
	// always reported: that it is small at the best point does not say that it is small at the true
	// one.
	if ratio := 2 * float64(len(best.trajectories)) * best.correction(p) / float64(p.observed()); !math.IsNaN(ratio) {
		r.Notes = append(r.Notes, fmt.Sprintf("the best point is where the mean course comes nearest to the data, and has "+
			"no interval. Runs with the same values differ, here with %.2g times "+
			"the variance of reports, elsewhere with more or less: the values that gave the data may be as far off as that "+
			"makes likely, in small populations far; abc and pmmh say how far", ratio))
	}
	r.Posterior.Names, r.Posterior.Units = p.names()
	return r, nil
}
