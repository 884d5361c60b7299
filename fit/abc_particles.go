package fit

import (
	"context"
	"math"
)

// useParticles finds how many particles an estimate needs: so many that the logarithm has a variance of about 1, with which the effective
// sample is largest for the same work. (Weights are e^variance times as uneven, and the variance goes with one over the number of particles.)
// It returns how many estimates make a generation, and 0 if the budget is not enough for any.
func (a *abcState) useParticles(ctx context.Context, best source) (n int, err error) {
	const tries = 24 // estimates, for a variance within about 30 %
	at := make([]float64, len(a.e.problem.Unknowns))
	for i, c := range best.from.Centres {
		for j := range at {
			at[j] += best.from.Weights[i] * c[j]
		}
	}
	particles := 32
	for {
		if a.left() < 2*tries*particles {
			return 0, nil
		}
		runs, err := a.ask(ctx, "how many particles", runsArgs{Kernel: best.from, Particles: particles, At: at}, tries)
		if err != nil {
			return 0, err
		}
		v := variance(runs)
		if v > 4 && particles < mostParticles {
			particles *= 4 // too rough to tell
			continue
		}
		particles = min(max(int(float64(particles)*v), 4), mostParticles)
		break
	}
	a.particles = particles
	least := 20 * (1 + len(at))
	if a.affordable() < 2*least {
		a.particles = 0
		return 0, nil
	}
	return max(least, min(a.affordable()/8, a.n)), nil
}

const mostParticles = 2048

// variance is that of the log likelihoods of some runs; infinite if one is impossible.
func variance(runs []run) float64 {
	mean, v := 0.0, 0.0
	for _, r := range runs {
		mean += r.likelihood / float64(len(runs))
	}
	if math.IsInf(mean, -1) {
		return math.Inf(1)
	}
	for _, r := range runs {
		v += (r.likelihood - mean) * (r.likelihood - mean) / float64(len(runs)-1)
	}
	return v
}
