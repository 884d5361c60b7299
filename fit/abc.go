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

// abc is the default method: sequential Monte Carlo ABC that ends with the likelihood of the
// observation model.
//
// The first generations go by distance, as in [Lenormand13]: the nearer half of the runs is kept,
// which sets the threshold. As many again are proposed from kernels about those that were kept,
// with twice their weighted covariance, and weighted by prior density over proposal density. Every
// proposal counts, whichever run finishes first. This finds the region in which the data are
// possible, whatever the distance, but its sample is of a posterior with additional observation
// error.
//
// The next generations go by likelihood. The likelihood of the data given a run is known, because
// the law of the reports is part of the problem. Accepting a run with a probability proportional to
// it gives an exact draw from the posterior: this is ABC with threshold 0 for data observed through
// that law [Wilkinson13]. Here runs are weighted by that probability instead of rejected at random.
// At first the likelihood is raised to a power at which enough runs carry weight, and the next
// proposals come from there.
//
// If the runs themselves vary so much that hardly any is likely, and the model can be stopped at
// each row, the likelihood given one run is replaced by the marginal likelihood, estimated without
// bias by a particle filter: weights with such estimates are exact, too [Tran13].
//
// Finally, runs from the best proposals are made: as many as an effective sample of the wanted size
// was seen to take, or as the budget allows. Only these are in the sample. If its effective size at
// power 1 is below 100 (less for budgets below the default), the power is lowered until it is
// reached, and the result says so.
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
	// With a smaller budget, a smaller exact sample is preferred to a larger inexact one. It is well
	// below the size that is wanted: a sample that just reaches it is one without large weights.
	a.least = math.Min(math.Max(leastSample*float64(a.budget)/ownBudget, 30), math.Min(leastSample, float64(a.n)/2))
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
	keepShare   = 0.5    // of the runs kept in a generation by distance
	leastAccept = 0.05   // generations by distance end when a smaller share of proposals is below the threshold
	ownBudget   = 60_000 // runs: half a minute on two processors for runs of one millisecond
	leastSample = 100    // least effective size with that budget

	leastPopulation = 4 // half are kept, and kernels need two points
	patience        = 2 // generations by likelihood without improvement before they end

	enoughSample = 400.0 // effective size: means are then within a twentieth of the posterior's standard deviation

	filterAccept = 0.3 // replaces leastAccept if a particle filter can take over

	possibleShare = 0.2 // likelihoods are used once this share of runs makes the data possible
)

// An abcState is a fit by ABC in progress.
type abcState struct {
	e      *engine
	budget int
	n      int // runs of a generation, and the effective size wanted of single runs

	filtered  bool    // runs can be stopped at each row
	least     float64 // least effective size at power 1 of an exact result
	particles int     // for each likelihood estimate; 0 if likelihoods are of single runs

	scales    [][]float64
	kept      []run // of the generations by distance
	threshold float64
	final     []run   // all from the same proposal distribution
	expected  float64 // effective size of final, before its runs were made
	trace     Table
}

func (a *abcState) remaining() int { return a.budget - a.e.runs }

// propose makes n runs at proposals, or n likelihood estimates.
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

// seed is the seed of the next stage.
func (a *abcState) seed() uint64 {
	s := random.New(a.e.o.Seed, uint64(len(a.e.jobs)))
	return s.Uint64()
}

func (a *abcState) addTrace(threshold, power, accepted, effective float64) {
	a.trace.Rows = append(a.trace.Rows, []float64{float64(len(a.trace.Rows)), float64(a.e.runs), threshold, power,
		accepted, effective, float64(a.particles)})
}

// firstGeneration makes runs at draws from the prior, and sets the scales of the distance.
func (a *abcState) firstGeneration(ctx context.Context) error {
	runs, err := a.propose(ctx, "from the prior", &proposal.Mixture{Share: 1}, min(a.n, a.budget))
	if err != nil {
		return err
	}
	for i, r := range runs {
		if len(r.reports) == 0 {
			continue
		}
		columns, err := a.e.problem.unpack(r.reports)
		if err != nil {
			return err
		}
		if a.scales == nil {
			a.scales = a.e.problem.scales(columns)
		}
		reports := make([][]float64, len(columns))
		for k := range columns {
			reports[k] = columns[k].Mean // these are reports, not means
		}
		runs[i].distance, runs[i].reports = a.e.problem.distance(reports, a.scales), nil
	}
	if a.scales == nil {
		return fmt.Errorf("fit: at none of %d draws from the prior is there a model", len(runs))
	}
	a.kept, a.filtered = runs, runs[0].filtered
	return nil
}

// byDistance makes generations by distance until likelihoods are the better guide.
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

// ready reports whether enough runs make the data possible, however unlikely, for likelihoods to
// take over. They find the region in fewer generations, because every run contributes in proportion
// to its likelihood.
func ready(runs []run) bool {
	return float64(possible(runs)) >= possibleShare*float64(len(runs))
}

// possible is the number of runs given which the data are possible.
func possible(runs []run) (n int) {
	for _, r := range runs {
		if !math.IsInf(r.likelihood, -1) {
			n++
		}
	}
	return n
}

// keepNearest keeps the n nearest runs; ties go to the earlier proposal.
func (a *abcState) keepNearest(n int) {
	slices.SortStableFunc(a.kept, func(r, s run) int { return cmp.Compare(r.distance, s.distance) })
	a.kept = slices.Clone(a.kept[:min(n, len(a.kept))])
	for len(a.kept) > 0 && math.IsInf(a.kept[len(a.kept)-1].distance, 1) {
		a.kept = a.kept[:len(a.kept)-1]
	}
	a.threshold = a.kept[len(a.kept)-1].distance
}

// firstProposals are the first proposals by likelihood: about the last runs by distance, weighted
// by likelihood if enough of them are possible.
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
	// If most single runs are impossible, the others say little that a filter would not.
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
	return a.collect(ctx, best, size)
}

// A source is a proposal distribution and its quality, by the runs of one generation: the power, and
// at power 1 the efficiency, which is the effective size over their number. The proposals are those
// that the generation had, or that it gave.
type source struct {
	from              *proposal.Mixture
	power, efficiency float64
	runs              int
}

// yield is the effective size that a run of the sample gives, with some certainty: the efficiency is
// the best that was seen, of a few runs that count.
func (s source) yield() float64 {
	if s.efficiency == 0 {
		return 0
	}
	return s.efficiency / (1 + 3/math.Sqrt(s.efficiency*float64(s.runs)))
}

// refine makes generations of n runs by likelihood, or at least half as many, while they improve and
// remain runs of the budget are left for the sample.
func (a *abcState) refine(ctx context.Context, best source, n, remain int) (source, error) {
	from := best.from
	for worse := 0; worse < patience; {
		size := min(n, (a.remaining()-remain)/max(a.particles, 1))
		if 2*size < n {
			break
		}
		runs, err := a.propose(ctx, "by likelihood", from, size)
		if err != nil {
			return best, err
		}
		p, f := a.nextPower(runs)
		w, _ := a.weights(runs, p)
		a.addTrace(math.NaN(), p, math.NaN(), weight.EffectiveSize(w))
		if p == 1 && f > a.goodEnough() {
			return source{from, p, f, len(runs)}, nil
		}
		points, weights := a.sample(runs, p)
		used := from
		// Wider than the posterior, and with more of the prior: too few proposals in a tail look as if
		// there were none.
		from = proposal.NewMixture(points, weights, 1, 0.2)
		if p > best.power*1.1 || p == 1 && f > best.efficiency*1.2 {
			best, worse = source{from, p, f, len(runs)}, 0
			continue
		}
		worse++
		if used == best.from { // its own efficiency is now known, and not only that of the one before
			best.efficiency, best.runs = f, len(runs)
		}
	}
	return best, nil
}

// goodEnough is the efficiency at which proposals need not improve further. With particles the
// estimates vary, too: e⁻¹ is the upper limit.
func (a *abcState) goodEnough() float64 {
	if a.particles > 0 {
		return 0.15
	}
	return 0.25
}

// wanted is the effective size that the number of final runs is chosen for: the population, if one
// was asked for. By default it is the number of a generation, but at least enoughSample; and where
// an estimate takes dozens of runs, no more.
func (a *abcState) wanted() float64 {
	switch {
	case a.e.o.Population > 0:
		return float64(a.n)
	case a.particles > 0:
		return enoughSample
	}
	return math.Max(float64(a.n), enoughSample)
}

// affordable is the number of runs, or likelihood estimates, that the budget allows.
func (a *abcState) affordable() int { return a.remaining() / max(a.particles, 1) }

// collect makes the runs of the sample: as many as the effective size that is wanted takes with
// these proposals, in stages of at most 8·size. The number is fixed before them, by runs that are
// not among them. A sample that grows until it looks large enough, or that is kept because it looks
// so, tends to be one in which runs with large weights are missing. These are in the tails: it is
// too narrow.
func (a *abcState) collect(ctx context.Context, best source, size int) error {
	n := a.affordable()
	if y := best.yield(); y > 0 {
		n = int(math.Min(float64(n), math.Max(math.Ceil(a.wanted()/y), float64(size))))
		a.expected = float64(n) * y
	}
	for n > 0 {
		runs, err := a.propose(ctx, "for the sample", best.from, min(n, 8*size, a.affordable()))
		if err != nil {
			return err
		}
		if n -= len(runs); a.affordable() == 0 {
			n = 0
		}
		a.final = append(a.final, runs...)
		p, _ := a.finalPower()
		w, _ := a.weights(a.final, p)
		a.addTrace(math.NaN(), p, math.NaN(), weight.EffectiveSize(w))
	}
	return nil
}

// byParticles makes generations by likelihoods estimated with particles: first with a default
// number of them, for a sixth of the budget; then with the number chosen there. It returns the
// number of estimates of a generation, 0 if the budget allows none.
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
		// The budget is too small for that number of particles: keep the default.
		a.particles = firstParticles
		return first, least, nil
	}
	second, err := a.refine(ctx, source{from: first.from}, n, a.budget/3)
	return second, n, err
}

const (
	firstParticles = 64
	mostParticles  = 2048
)

// enoughParticles is the number of particles at which the log of the estimate has a variance of
// about 1, which maximises the effective size for the same work. (Weights are e^variance times as
// uneven, and the variance is inversely proportional to the number of particles.)
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
	// A large variance is unreliable: the best estimates have not been drawn.
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

// power is the largest power with an effective size of at least want.
func (a *abcState) power(runs []run, want float64) float64 {
	logs, likelihoods := make([]float64, len(runs)), make([]float64, len(runs))
	for i, r := range runs {
		logs[i], likelihoods[i] = r.ratio, r.likelihood
	}
	return weight.Power(logs, likelihoods, want)
}

// finalPower is the power of the sample: the largest with which the effective size is a.least, or
// half the number of possible runs if these are fewer. A larger effective size would need powers
// near 0, with which the sample is of the proposals and not of the posterior. It is 0 if no run is
// possible.
func (a *abcState) finalPower() (power, want float64) {
	n := possible(a.final)
	if n == 0 {
		return 0, 0
	}
	want = math.Min(a.least, float64(n)/2)
	return a.power(a.final, want), want
}

// nextPower is the power at which a generation's runs make the next proposals: 1 if the effective
// size is then a twentieth of the generation, otherwise the power at which it is a tenth of the
// possible runs. A covariance needs several for each dimension.
func (a *abcState) nextPower(runs []run) (power, efficiency float64) {
	w, _ := a.weights(runs, 1)
	n, least := float64(len(runs)), 4*float64(1+len(a.e.problem.Unknowns))
	if efficiency = weight.EffectiveSize(w) / n; efficiency >= 0.05 && weight.EffectiveSize(w) >= least {
		return 1, efficiency
	}
	p := float64(possible(runs))
	return a.power(runs, math.Min(math.Max(p/10, least), p/2)), efficiency
}

// sample returns the points of runs with their weights, without those of negligible weight.
func (a *abcState) sample(runs []run, power float64) (points [][]float64, weights []float64) {
	all, _ := a.weights(runs, power)
	s := random.New(a.e.o.Seed, uint64(len(a.e.jobs)), 1)
	places, weights := weight.Thin(all, 1000, &s)
	for _, i := range places {
		points = append(points, runs[i].z)
	}
	return points, weights
}

// result makes the weighted sample.
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
	for _, i := range places {
		p.Rows, p.Paths = append(p.Rows, a.e.problem.values(runs[i].z)), append(p.Paths, runs[i].path)
	}
	p.Weights = thinned
	p.Names, p.Units = a.e.problem.names()
	best := densest(p.Rows, p.Weights)
	r.Best, r.BestScore = p.Rows[best], runs[places[best]].likelihood
	// What decides by the sample's own size must be far from what was expected: a sample that just
	// passes is one without large weights.
	size := weight.EffectiveSize(w)
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
	case a.expected < enoughSample || size < enoughSample/2:
		r.Notes = append(r.Notes, fmt.Sprintf("the sample is of the posterior, but small: it tells as much as %.0f draws "+
			"(%.0f were expected, and %.0f are enough). Standard deviations and intervals are uncertain, and more often too "+
			"narrow than too wide; a larger budget or population gives more", size, a.expected, enoughSample))
	}
	return r, nil
}

// densest is the index of the row with the highest density, by kernel density estimation.
func densest(rows [][]float64, weights []float64) (best int) {
	n, d := weight.EffectiveSize(weights), float64(len(rows[0]))
	// Silverman's rule, as a factor of the variance.
	m := proposal.NewMixture(rows, weights, detmath.Pow(4/(d+2)/n, 2/(d+4)), 0)
	if m.Prepare(len(rows[0])) != nil {
		return 0 // cannot happen: the sample has rows and weights
	}
	most := math.Inf(-1)
	for i, x := range rows {
		if density := m.KernelLogDensity(x); density > most {
			best, most = i, density
		}
	}
	return best
}
