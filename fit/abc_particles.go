package fit

import (
	"context"
	"math"
)

// byParticles makes generations by likelihoods that particles estimate: first with some number of
// them, as far as a sixth of the budget goes; then with the number that was found to do there. It
// returns how many estimates make a generation, and 0 if the budget is not enough for any.
func (a *abcState) byParticles(ctx context.Context, best source) (source, int, error) {
	least := 20 * (1 + len(a.e.problem.Unknowns)) // estimates of a generation
	a.particles = firstParticles
	if a.affordable() < 4*least {
		a.particles = 0
		return best, 0, nil
	}
	first, err := a.approach(ctx, source{from: best.from}, least, max(a.left()-a.budget/6, a.budget/3))
	if err != nil {
		return best, 0, err
	}
	if a.particles, err = a.enoughParticles(ctx, first); err != nil {
		return best, 0, err
	}
	n := max(least, min(a.affordable()/8, a.n))
	if a.affordable() < n {
		// So many would be too few estimates: they remain as rough as they were.
		a.particles = firstParticles
		return first, least, nil
	}
	a.final = nil
	second, err := a.approach(ctx, source{from: first.from}, n, a.budget/3)
	return second, n, err
}

const (
	firstParticles = 64
	mostParticles  = 2048
)

// enoughParticles is how many particles an estimate needs: so many that its logarithm has a
// variance of about 1, with which the effective sample is largest for the same work. (Weights are
// e^variance times as uneven, and the variance goes with one over the number of particles.)
func (a *abcState) enoughParticles(ctx context.Context, best source) (int, error) {
	const tries = 24 // estimates, for a variance within about 30 %
	at := meanOf(best.from.Centers, best.from.Weights)
	if a.affordable() < 2*tries {
		return a.particles, nil
	}
	runs, err := a.ask(ctx, "how many particles", runsArgs{Kernel: best.from, Particles: a.particles, At: at}, tries)
	if err != nil {
		return 0, err
	}
	// A variance of several is not to be trusted: the best estimates are missing.
	logs := make([]float64, len(runs))
	for i, r := range runs {
		logs[i] = r.likelihood
	}
	v := math.Min(varianceOf(logs), 8)
	return min(max(int(float64(a.particles)*v), 8), mostParticles), nil
}
