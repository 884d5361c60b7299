package fit

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"math"
	"slices"

	"github.com/almanac-sim/almanac/fit/internal/matrix"
	"github.com/almanac-sim/almanac/fit/internal/proposal"
	"github.com/almanac-sim/almanac/fit/internal/weight"
	"github.com/almanac-sim/almanac/internal/detmath"
	"github.com/almanac-sim/almanac/internal/random"
)

// The default method: sequential Monte Carlo ABC that ends with the likelihood of the error model.
//
// First come generations by distance, as in [Lenormand13]: of the runs there are, the nearer half
// is kept, with the threshold that this means; as many again are proposed from kernels about those
// that were kept, with twice their weighted covariance, and weighted by prior over proposal
// density. Every proposal that was handed out counts, whoever was quick. This finds the region in
// which the data are possible at all, for whatever distance; but as a posterior, it is that of data
// with more scatter.
//
// Then come generations by likelihood. Of each run it is known how likely the data are given how
// the model went, because the law of reports is part of the problem. A run that is accepted with a
// probability in proportion to that is an exact draw from the posterior: it is ABC with a threshold
// of 0 for data that are seen through that law [Wilkinson13]. Here runs are not thrown away by
// chance but weighted by the probability. At first the likelihood is raised to the power with which
// enough of the runs count, which is the same for data with more scatter, and the next proposals
// come from there.
//
// If the runs themselves differ so much that hardly any is likely, and the model can be stopped at
// each row, the likelihood is from then on not that of one run but of all of them, as a particle
// filter estimates it without bias: weights with such estimates are exact, too [Tran13].
//
// Last, runs from the best proposals are made until the effective sample is as large as wanted or
// the budget is used up. If the effective sample at power 1 remains below 100 (less for budgets
// below that of the method), the power is lowered until it is that, and the result says so.
//
// [Lenormand13]: https://doi.org/10.1007/s00180-013-0428-3
// [Wilkinson13]: https://doi.org/10.1515/sagmb-2013-0010
// [Tran13]: https://arxiv.org/abs/1309.3339
func abc(ctx context.Context, e *engine) (*Result, error) {
	a := &abcState{e: e, budget: e.o.Budget, n: e.o.Population}
	if a.budget == 0 {
		a.budget = ownBudget
	}
	if a.n == 0 {
		a.n = max(min(1000, a.budget/20), 50)
	}
	a.n = max(a.n, leastPopulation)
	// With less of a budget, a smaller sample that is exact is preferred to one that is not.
	a.least = math.Min(math.Max(leastSample*float64(a.budget)/ownBudget, 30), math.Min(leastSample, float64(a.n)))
	a.trace.Names = []string{"generation", "runs", "threshold", "power", "accepted", "effective", "particles"}
	if err := a.byDistance(ctx); err != nil {
		return nil, err
	}
	if err := a.byLikelihood(ctx); err != nil {
		return nil, err
	}
	return a.result()
}

const (
	keepShare   = 0.5    // of the runs of a generation that are kept by distance
	leastAccept = 0.05   // share of proposals under the threshold below which generations by distance end
	ownBudget   = 60_000 // runs: half a minute on two processors, if one takes a millisecond
	leastSample = 100    // effective, with that budget

	leastPopulation = 4 // of which half are kept: kernels need two points
	patience        = 2 // generations by likelihood that are no better than the best

	filterSample = 400 // effective, that is wanted of estimates by particles

	filterAccept = 0.3 // instead of leastAccept, if a particle filter can take over

	possibleShare = 0.2 // of runs with which the data are possible, from which on likelihoods are used
)

// An abcState is a fit by ABC on its way.
type abcState struct {
	e      *engine
	budget int
	n      int // runs of a generation, and the effective sample that is wanted of single runs

	filtered  bool    // runs can be stopped at each row
	least     float64 // effective sample that is to be had at power 1, if the result is to be exact
	particles int     // of each estimate of a likelihood; 0 if it is that of one run

	scales    [][]float64
	kept      []run // of the generations by distance
	threshold float64
	final     []run // all from the same proposals
	trace     Table
}

func (a *abcState) remaining() int { return a.budget - a.e.runs }

// propose makes n runs at proposals, or n estimates of likelihoods.
func (a *abcState) propose(ctx context.Context, what string, from *proposal.Mixture, n int) ([]run, error) {
	return a.stage(ctx, what, runsArgs{Kernel: from, Scales: a.scales, Particles: a.particles}, n)
}

func (a *abcState) stage(ctx context.Context, what string, args runsArgs, n int) ([]run, error) {
	args.Seed = a.seed()
	runs := make([]run, 0, n)
	err := a.e.stage(ctx, what, "runs", args, n, func(_ int, ans output) error {
		r, err := unpackRun(ans.numbers, len(a.e.problem.Unknowns))
		if math.IsInf(r.distance, 1) && len(r.reports) == 0 { // see openRuns
			a.e.impossible++
		}
		runs = append(runs, r)
		return err
	})
	return runs, err
}

// seed names the luck of the next stage.
func (a *abcState) seed() uint64 {
	s := random.New(a.e.o.Seed, uint64(len(a.e.jobs)))
	return s.Uint64()
}

func (a *abcState) addTrace(threshold, power, accepted, effective float64) {
	a.trace.Rows = append(a.trace.Rows, []float64{float64(len(a.trace.Rows)), float64(a.e.runs), threshold, power,
		accepted, effective, float64(a.particles)})
}

// firstGeneration makes runs at draws from the prior, and finds the scales of the distance.
func (a *abcState) firstGeneration(ctx context.Context) error {
	runs, err := a.propose(ctx, "from the prior", &proposal.Mixture{Share: 1}, min(a.n, a.budget))
	if err != nil {
		return err
	}
	for i, r := range runs {
		if len(r.reports) == 0 {
			continue
		}
		told, err := a.e.problem.unpack(r.reports)
		if err != nil {
			return err
		}
		if a.scales == nil {
			a.scales = a.e.problem.scales(told)
		}
		reports := make([][]float64, len(told))
		for k := range told {
			reports[k] = told[k].Mean // in the place of means, what was reported
		}
		runs[i].distance, runs[i].reports = a.e.problem.distance(reports, a.scales), nil
	}
	if a.scales == nil {
		return fmt.Errorf("fit: at none of %d draws from the prior is there a model", len(runs))
	}
	a.kept, a.filtered = runs, runs[0].filtered
	return nil
}

// byDistance makes generations by distance, until what comes next is better found by likelihood.
func (a *abcState) byDistance(ctx context.Context) error {
	if err := a.firstGeneration(ctx); err != nil {
		return err
	}
	fresh, accepted := a.kept, 1.0
	for generation := 1; ; generation++ {
		a.keepNearest(int(keepShare * float64(a.n)))
		likelihood, _ := a.weights(fresh, 1)
		a.addTrace(a.threshold, math.NaN(), accepted, weight.EffectiveSize(likelihood))
		if ready(fresh) || accepted < leastAccept || a.filtered && accepted < filterAccept || a.threshold == 0 || a.e.runs >=
			a.budget/2 {
			return nil
		}
		points, weights := a.sample(a.kept, 0)
		before := a.threshold
		var err error
		fresh, err = a.propose(ctx, fmt.Sprintf("generation %d", generation), proposal.NewMixture(points, weights, 2, 0.01),
			min(a.n-len(a.kept), a.remaining()))
		if err != nil {
			return err
		}
		near := 0
		for _, r := range fresh {
			if r.distance <= before {
				near++
			}
		}
		accepted = float64(near) / float64(len(fresh))
		a.kept = append(a.kept, fresh...)
	}
}

// ready reports whether the data are possible, however unlikely, given enough of some runs that
// likelihoods can take over. They find the region in fewer generations: every run has a say in
// them, by how near it is.
func ready(runs []run) bool {
	return float64(possible(runs)) >= possibleShare*float64(len(runs))
}

// possible is how many runs there are with which the data are possible.
func possible(runs []run) (n int) {
	for _, r := range runs {
		if !math.IsInf(r.likelihood, -1) {
			n++
		}
	}
	return n
}

// keepNearest keeps the nearest n runs; of those that are equally near, the ones that were handed out
// first.
func (a *abcState) keepNearest(n int) {
	slices.SortStableFunc(a.kept, func(r, s run) int { return cmp.Compare(r.distance, s.distance) })
	a.kept = slices.Clone(a.kept[:min(n, len(a.kept))])
	for len(a.kept) > 0 && math.IsInf(a.kept[len(a.kept)-1].distance, 1) {
		a.kept = a.kept[:len(a.kept)-1]
	}
	a.threshold = a.kept[len(a.kept)-1].distance
}

// firstProposals are the first proposals by likelihood: about the last of the runs by distance, weighted by
// likelihood if enough of them are possible.
func (a *abcState) firstProposals() *proposal.Mixture {
	power := 0.0
	if ready(a.kept) {
		power, _ = a.nextPower(a.kept)
	}
	points, weights := a.sample(a.kept, power)
	return proposal.NewMixture(points, weights, 1, 0.1)
}

// byLikelihood makes generations by likelihood, and then runs until there are enough.
func (a *abcState) byLikelihood(ctx context.Context) error {
	best, size := source{from: a.firstProposals()}, a.n
	// If most single runs are impossible, there is little to learn from the others that a filter
	// would not tell.
	if ready(a.kept) || !a.filtered {
		var err error
		if best, err = a.refine(ctx, best, a.n, a.budget/3); err != nil {
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
	return a.collect(ctx, best.from, size)
}

// A source is where proposals come from, and how good they were: the power, and the share of runs
// that counts at power 1.
type source struct {
	from              *proposal.Mixture
	power, efficiency float64
}

// refine makes generations by likelihood of n runs each, as long as they become better and more
// of the budget is left than is to remain.
func (a *abcState) refine(ctx context.Context, best source, n, remain int) (source, error) {
	from := best.from
	for worse := 0; worse < patience && a.remaining() > remain; {
		runs, err := a.propose(ctx, "by likelihood", from, min(n, a.affordable()))
		if err != nil {
			return best, err
		}
		p, f := a.nextPower(runs)
		w, _ := a.weights(runs, p)
		a.addTrace(math.NaN(), p, math.NaN(), weight.EffectiveSize(w))
		if p == 1 && f > a.goodEnough() {
			a.final = runs
			return source{from, p, f}, nil
		}
		points, weights := a.sample(runs, p)
		from = proposal.NewMixture(points, weights, 0.5, 0.1)
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

// wanted is the effective sample at which a fit ends. Where an estimate takes dozens of runs, 400 are
// enough unless more are asked for, as with chains: means are then within a twentieth of the
// posterior's standard deviation.
func (a *abcState) wanted() float64 {
	if a.particles > 0 && a.e.o.Population == 0 {
		return math.Min(float64(a.n), filterSample)
	}
	return float64(a.n)
}

// affordable is for how many runs, or estimates of likelihoods, the budget is left.
func (a *abcState) affordable() int { return a.remaining() / max(a.particles, 1) }

// collect makes runs until the effective sample is as large as wanted, at least so many at once. How
// many depends on how many counted so far.
func (a *abcState) collect(ctx context.Context, from *proposal.Mixture, least int) error {
	for a.affordable() > 0 {
		batch := least
		if len(a.final) > 0 {
			w, _ := a.weights(a.final, 1)
			size := weight.EffectiveSize(w)
			want := a.wanted()
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
		w, _ := a.weights(a.final, p)
		a.addTrace(math.NaN(), p, math.NaN(), weight.EffectiveSize(w))
	}
	return nil
}

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
	first, err := a.refine(ctx, source{from: best.from}, least, max(a.remaining()-a.budget/6, a.budget/3))
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
	second, err := a.refine(ctx, source{from: first.from}, n, a.budget/3)
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
	at := matrix.Mean(best.from.Centers, best.from.Weights)
	if a.affordable() < 2*tries {
		return a.particles, nil
	}
	runs, err := a.stage(ctx, "how many particles", runsArgs{Kernel: best.from, Particles: a.particles, At: at}, tries)
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

// weights are the weights of runs, with the likelihood raised to a power.
func (a *abcState) weights(runs []run, power float64) (weights []float64, ok bool) {
	logs := make([]float64, len(runs))
	for i, r := range runs {
		if logs[i] = r.ratio; power > 0 {
			logs[i] += float64(power * r.likelihood)
		}
	}
	return weight.Normalize(logs)
}

// power is the largest one with an effective sample of so many.
func (a *abcState) power(runs []run, want float64) float64 {
	logs, likelihoods := make([]float64, len(runs)), make([]float64, len(runs))
	for i, r := range runs {
		logs[i], likelihoods[i] = r.ratio, r.likelihood
	}
	return weight.Power(logs, likelihoods, want)
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

// nextPower is the power with which a generation is enough to make the next from: 1 if a twentieth of
// it counts then, and otherwise that with which a tenth of the runs do that are possible at all. A
// covariance needs some for each dimension.
func (a *abcState) nextPower(runs []run) (power, efficiency float64) {
	w, _ := a.weights(runs, 1)
	n, least := float64(len(runs)), 4*float64(1+len(a.e.problem.Unknowns))
	if efficiency = weight.EffectiveSize(w) / n; efficiency >= 0.05 && weight.EffectiveSize(w) >= least {
		return 1, efficiency
	}
	p := float64(possible(runs))
	return a.power(runs, math.Min(math.Max(p/10, least), p/2)), efficiency
}

// sample are the places of runs with their weights, without those that have next to none.
func (a *abcState) sample(runs []run, power float64) (points [][]float64, weights []float64) {
	all, _ := a.weights(runs, power)
	s := random.New(a.e.o.Seed, uint64(len(a.e.jobs)), 1)
	places, weights := weight.Thin(all, 1000, &s)
	for _, i := range places {
		points = append(points, runs[i].z)
	}
	return points, weights
}

// result is the weighted sample.
func (a *abcState) result() (*Result, error) {
	r := &Result{Trace: a.trace, Threshold: a.threshold, Particles: a.particles,
		ScoreName: "log likelihood of the data, given one run there"}
	if a.particles > 0 {
		r.ScoreName = "log likelihood of the data, as estimated there"
	}
	var want float64
	r.Power, want = a.finalPower()
	r.Exact = r.Power == 1
	runs := a.final
	if r.Power == 0 {
		runs = a.kept
	}
	w, ok := a.weights(runs, r.Power)
	if shape := weight.TailShape(w); r.Power > 0 && shape > weight.HeavyTail {
		r.Notes = append(r.Notes, fmt.Sprintf("a few of the runs carry much of the weight, and heavier ones may not have "+
			"been seen (the tail of the weights has shape %.2f, "+
			"where %.1f is small enough): the sample is worth less than its effective size says. A larger budget helps, or pmmh",
			shape, weight.HeavyTail))
	}
	if !ok {
		return nil, errors.New("fit: no run has any weight")
	}
	s := random.New(a.e.o.Seed, math.MaxUint64)
	places, thinned := weight.Thin(w, 4*a.n, &s)
	p := &r.Posterior
	var points [][]float64
	for _, i := range places {
		points = append(points, runs[i].z)
		p.Rows = append(p.Rows, a.e.problem.values(runs[i].z))
	}
	p.Weights = thinned
	for _, u := range a.e.problem.Unknowns {
		p.Names, p.Units = append(p.Names, u.Name), append(p.Units, u.Unit)
	}
	best := densest(points, p.Weights)
	r.Best, r.BestScore = p.Rows[best], runs[places[best]].likelihood
	switch {
	case r.Power == 0 && len(a.final) == 0:
		r.Notes = append(r.Notes, fmt.Sprintf("the budget of %d runs was used up before any could be weighed by "+
			"likelihood: the sample is of values at which reports are within %.3g "+
			"of the data (root mean square, in units of the reports' scatter), and not of the posterior", a.budget, a.threshold))
	case r.Power == 0:
		r.Notes = append(r.Notes, fmt.Sprintf("the data are impossible, or nearly so, with all runs that were made: the "+
			"sample is of values at which reports are within %.3g "+
			"of the data (root mean square, in units of the reports' scatter), and not of the posterior", a.threshold))
	case !r.Exact:
		r.Notes = append(r.Notes, fmt.Sprintf("the likelihood was raised to the power %.3g, as if reports were scattered "+
			"%.3g times as much as they are: with all of it, fewer than "+
			"%.0f of the runs would count. Intervals are too wide; a larger budget or a method that follows the data from "+
			"row to row narrows them", r.Power, 1/math.Sqrt(r.Power), want))
	case weight.EffectiveSize(w) < a.least:
		r.Notes = append(r.Notes, fmt.Sprintf("the sample is of the posterior, but tells as much as %.0f draws: %d of the "+
			"runs that were made for it could have given the data. "+
			"A larger budget gives more", weight.EffectiveSize(w), possible(a.final)))
	}
	return r, nil
}

// densest is the point of a sample at which the posterior's density is highest, on the scale on
// which priors are normal, as kernels about the points say.
func densest(points [][]float64, weights []float64) (best int) {
	n, d := weight.EffectiveSize(weights), float64(len(points[0]))
	// Silverman's width of kernels, as a share of the variance.
	m := proposal.NewMixture(points, weights, detmath.Pow(4/(d+2)/n, 2/(d+4)), 0)
	if m.Prepare(len(points[0])) != nil {
		return 0 // it cannot be: the sample has points and weights
	}
	most := math.Inf(-1)
	for i, z := range points {
		if density := m.KernelLogDensity(z); density > most {
			best, most = i, density
		}
	}
	return best
}
