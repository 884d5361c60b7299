package fit

import (
	"context"
	"math"
)

// begin are the first proposals by likelihood: about the last of the runs by distance, weighted by
// likelihood if enough of them are possible.
func (a *abcState) begin() *mixture {
	power := 0.0
	if ready(a.kept) {
		power, _ = a.enough(a.kept)
	}
	points, weights := a.sample(a.kept, power)
	return newMixture(points, weights, 1, 0.1)
}

// byLikelihood makes generations by likelihood, and then runs until there are enough.
func (a *abcState) byLikelihood(ctx context.Context) error {
	best, size := source{from: a.begin()}, a.n
	// If most single runs are impossible, there is little to learn from the others that a filter
	// would not tell.
	if ready(a.kept) || !a.filtered {
		var err error
		if best, err = a.approach(ctx, best, a.n, a.budget/3); err != nil {
			return err
		}
	}
	if best.power < 1 && a.filtered {
		found, n, err := a.byParticles(ctx, best)
		if err != nil {
			return err
		}
		if n > 0 {
			best, size = found, n
		}
	}
	return a.gather(ctx, best.from, size)
}

// A source is where proposals come from, and how good they were: the power, and the share of runs
// that counts at power 1.
type source struct {
	from              *mixture
	power, efficiency float64
}

// approach makes generations by likelihood of n runs each, as long as they become better and more
// of the budget is left than is to remain.
func (a *abcState) approach(ctx context.Context, best source, n, remain int) (source, error) {
	from := best.from
	for worse := 0; worse < patience && a.left() > remain; {
		runs, err := a.propose(ctx, "by likelihood", from, min(n, a.affordable()))
		if err != nil {
			return best, err
		}
		p, f := a.enough(runs)
		w, _ := a.weigh(runs, p)
		a.note(math.NaN(), p, math.NaN(), effectiveSize(w))
		if p == 1 && f > a.goodEnough() {
			a.final = runs
			return source{from, p, f}, nil
		}
		points, weights := a.sample(runs, p)
		from = newMixture(points, weights, 0.5, 0.1)
		if p > best.power*1.1 || p == 1 && f > best.efficiency*1.2 {
			best, worse = source{from, p, f}, 0
		} else {
			worse++
		}
	}
	return best, nil
}

// goodEnough is the share of runs that count at which proposals need not become better. With
// particles, estimates scatter, too: e⁻¹ is the most there can be.
func (a *abcState) goodEnough() float64 {
	if a.particles > 0 {
		return 0.15
	}
	return 0.25
}

// want is the effective sample at which a fit ends. Where an estimate takes dozens of runs, 400 are
// enough unless more are asked for, as with chains: means are then within a twentieth of the
// posterior's standard deviation.
func (a *abcState) want() float64 {
	if a.particles > 0 && a.e.o.Population == 0 {
		return math.Min(float64(a.n), filterSample)
	}
	return float64(a.n)
}

// affordable is for how many runs, or estimates of likelihoods, the budget is left.
func (a *abcState) affordable() int { return a.left() / max(a.particles, 1) }

// gather makes runs until the effective sample is as large as wanted, at least so many at once. How
// many depends on how many counted so far.
func (a *abcState) gather(ctx context.Context, from *mixture, least int) error {
	for a.affordable() > 0 {
		batch := least
		if len(a.final) > 0 {
			w, _ := a.weigh(a.final, 1)
			size := effectiveSize(w)
			want := a.want()
			if size >= want {
				return nil
			}
			missing := (want - size) / size * float64(len(a.final))
			batch = int(math.Min(math.Max(1.05*missing, float64(least)), 8*float64(least)))
		}
		runs, err := a.propose(ctx, "for the sample", from, min(batch, a.affordable()))
		if err != nil {
			return err
		}
		a.final = append(a.final, runs...)
		p, _ := a.finalPower()
		w, _ := a.weigh(a.final, p)
		a.note(math.NaN(), p, math.NaN(), effectiveSize(w))
	}
	return nil
}
