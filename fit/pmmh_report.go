package fit

import (
	"context"
	"fmt"
	"math"
	"slices"
)

// steps are what one task gave of a chain.
type steps struct {
	states   [][]float64
	logs     []float64
	accepted int
}

// hopeless stands for a likelihood of 0 where a number must be written down: any other is better.
const hopeless = -1e300

func (s steps) last() ([]float64, float64) {
	n := len(s.states) - 1
	return s.states[n], max(s.logs[n], hopeless)
}

// block does one block of steps of all chains.
func (f *pmmhFit) block(ctx context.Context, what string, phase int, s chainStage) ([]steps, error) {
	estimates := len(s.States) * s.Steps
	if len(s.Logs) == 0 {
		estimates += len(s.States) // where they begin
	}
	if err := f.afford(estimates * s.Runs); err != nil {
		return nil, err
	}
	s.Seed = f.e.stageSeed()
	d := len(f.e.problem.Unknowns)
	all := make([]steps, len(s.States))
	accepted, mean := 0, 0.0
	err := f.e.stage(ctx, what, "chains", s, len(s.States), func(k int, a answer) error {
		if len(a.numbers) != chainHead+s.Steps*(d+1) {
			return fmt.Errorf("fit: a block of %d steps came with %d numbers", s.Steps, len(a.numbers))
		}
		all[k].accepted = int(a.numbers[chainAccepted])
		accepted += all[k].accepted
		f.e.impossible += int(a.numbers[chainImpossible])
		for row := range slices.Chunk(a.numbers[chainHead:], d+1) {
			all[k].states = append(all[k].states, row[:d:d])
			all[k].logs = append(all[k].logs, row[d])
		}
		_, log := all[k].last()
		mean += log / float64(len(s.States))
		return nil
	})
	f.trace.Rows = append(f.trace.Rows, []float64{float64(phase), s.Beta, float64(f.e.runs), float64(s.Steps),
		float64(accepted) / float64(s.Steps*len(s.States)), mean, math.NaN(), math.NaN()})
	return all, err
}

// likelihoods estimates the likelihood at points, so many times at each; the answers are by
// repetition, then by point.
func (f *pmmhFit) likelihoods(ctx context.Context, what string, points [][]float64, times int) ([]float64, error) {
	if err := f.afford(times * len(points) * f.runs); err != nil {
		return nil, err
	}
	var logs []float64
	err := f.e.stage(ctx, what, "likelihoods", likelihoodStage{points, f.runs, f.e.stageSeed()}, times*len(points),
		func(_ int, a answer) error {
			if len(a.numbers) != 3 {
				return fmt.Errorf("fit: a likelihood came as %d numbers", len(a.numbers))
			}
			logs = append(logs, a.numbers[answerLog])
			f.e.impossible += int(a.numbers[answerImpossible])
			f.result.Estimator = "independent runs"
			if a.numbers[answerFiltered] == 1 {
				f.result.Estimator = "particle filter"
			}
			return nil
		})
	return logs, err
}

// report makes the result.
func (f *pmmhFit) report(ctx context.Context, samples [][][]float64, logs [][]float64) (*Result, error) {
	p := f.e.problem
	r := &Result{Exact: true, Power: 1, Particles: f.runs, ScoreName: "log likelihood", Chains: &f.result, Trace: f.trace,
		Notes: f.notes}
	r.Posterior.Names, r.Posterior.Units = p.names()
	var states []*candidate
	every := (len(samples)*len(samples[0]) + rowsKept - 1) / rowsKept
	for i := range samples[0] {
		for c := range samples {
			z := samples[c][i]
			x := p.values(z)
			if i%every == 0 {
				r.Posterior.Rows = append(r.Posterior.Rows, x)
			}
			if i == 0 || logs[c][i] != logs[c][i-1] {
				prior := p.priorDensity(x)
				states = append(states, &candidate{z: z, prior: prior, seems: logs[c][i] + prior})
			}
		}
	}
	r.Posterior.Weights = make([]float64, len(r.Posterior.Rows))
	for i := range r.Posterior.Weights {
		r.Posterior.Weights[i] = 1 / float64(len(r.Posterior.Weights))
	}
	z, log, se, err := f.best(ctx, states)
	if err != nil {
		return nil, err
	}
	r.Best, r.BestScore, r.BestError = p.values(z), log, se
	for i, u := range p.Unknowns {
		if f.result.RHat[i] > chainRHat {
			r.Notes = append(r.Notes, fmt.Sprintf("the chains do not agree on %s yet: R-hat is %.3f, where %.2f is small enough",
				u.Name, f.result.RHat[i], chainRHat))
		}
	}
	return r, nil
}

func (p *Problem) names() (names, units []string) {
	for _, u := range p.Unknowns {
		names, units = append(names, u.Name), append(units, u.Unit)
	}
	return names, units
}

// priorDensity is the logarithm of the prior's density.
func (p *Problem) priorDensity(x []float64) float64 {
	sum := 0.0
	for i, u := range p.Unknowns {
		sum += u.Prior.LogDensity(x[i])
	}
	return sum
}
