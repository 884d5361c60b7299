package fit

import (
	"math"

	"github.com/almanac-sim/almanac/internal/random"
)

// weigh are the weights of runs, with the likelihood raised to a power.
func (a *abcState) weigh(runs []run, power float64) (weights []float64, ok bool) {
	logs := make([]float64, len(runs))
	for i, r := range runs {
		if logs[i] = r.ratio; power > 0 {
			logs[i] += float64(power * r.likelihood)
		}
	}
	return normalize(logs)
}

// power is the largest one with an effective sample of so many.
func (a *abcState) power(runs []run, want float64) float64 {
	logs, likelihoods := make([]float64, len(runs)), make([]float64, len(runs))
	for i, r := range runs {
		logs[i], likelihoods[i] = r.ratio, r.likelihood
	}
	return power(logs, likelihoods, want)
}

// finalPower is that of the sample: the largest with which as many count as are to, or half of the
// runs that are possible if these are fewer. More than that could be had of them only by powers
// near 0, which are of the proposals and not of the posterior. It is 0 if none is possible.
func (a *abcState) finalPower() (power, want float64) {
	n := possible(a.final)
	if n == 0 {
		return 0, 0
	}
	want = math.Min(a.least, float64(n)/2)
	return a.power(a.final, want), want
}

// enough is the power with which a generation is enough to make the next from: 1 if a twentieth of
// it counts then, and otherwise that with which a tenth of the runs do that are possible at all. A
// covariance needs some for each dimension.
func (a *abcState) enough(runs []run) (power, efficiency float64) {
	w, _ := a.weigh(runs, 1)
	n, least := float64(len(runs)), 4*float64(1+len(a.e.problem.Unknowns))
	if efficiency = effectiveSize(w) / n; efficiency >= 0.05 && effectiveSize(w) >= least {
		return 1, efficiency
	}
	p := float64(possible(runs))
	return a.power(runs, math.Min(math.Max(p/10, least), p/2)), efficiency
}

// sample are the places of runs with their weights, without those that have next to none.
func (a *abcState) sample(runs []run, power float64) (points [][]float64, weights []float64) {
	all, _ := a.weigh(runs, power)
	s := random.New(a.e.o.Seed, uint64(len(a.e.jobs)), 1)
	places, weights := thin(all, 1000, &s)
	for _, i := range places {
		points = append(points, runs[i].z)
	}
	return points, weights
}
