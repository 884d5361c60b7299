package fit

import (
	"context"
	"errors"
	"fmt"
	"math"
	"slices"

	"github.com/almanac-sim/almanac/fit/internal/diagnostics"
	"github.com/almanac-sim/almanac/fit/internal/proposal"
	"github.com/almanac-sim/almanac/fit/internal/rank"
	"github.com/almanac-sim/almanac/fit/internal/weight"
)

// Particle marginal Metropolis–Hastings, in three parts.
//
// A cloud of points is drawn from the prior and tempered to the posterior; half of it is resampled
// at each temperature. It gives the chains their starting points and their proposals. Then the
// number of runs of a likelihood estimate is chosen at points of the cloud, and the chains take
// blocks of steps, after each of which the proposals are adapted. All this is warm-up and
// discarded. From then on nothing is adapted: the number of runs and the proposals are fixed, so
// the chains sample the posterior, however good they are.
const (
	cloudSize   = 64 // points
	cloudRuns   = 16 // of an estimate, before their number is chosen
	cloudSteps  = 2  // of each point at each temperature
	coolings    = 60 // largest number of temperatures
	cloudTries  = 16 // clouds that are drawn to find two points at which the data are possible
	chainCount  = 8
	blockSteps  = 25      // of a chain in the first block after the warm-up
	blockGrowth = 4       // a later block has a quarter of the steps so far, so that long chains have few stages
	jumpShare   = 0.7     // of the proposals of the chains
	warmBlocks  = 4       // of the chains' warm-up
	warmSteps   = 10      // of each block
	pilotPoints = 8       // at which the variance of estimates is measured
	pilotTimes  = 8       // estimates at each
	pilotRounds = 6       // changes of the number of runs
	chainESS    = 400     // chains end at this effective size, if R-hat is small, too [VGSCB21]
	chainBudget = 60_000  // runs, by default, if the effective size is then leastESS
	chainLimit  = 150_000 // runs, by default, if it is not
	leastESS    = 100
	mostRuns    = 4096 // for one estimate
	fewestRuns  = 8
	rowsKept    = 10_000 // largest number of rows of the posterior

	// R-hat of converged chains is about 1 + halves/(2·size): 1.01 with four chains and 1.02 with
	// eight when the size is 400.
	chainRHat = 1.02

	// The variance of the log likelihood with the least total cost: near 1.5, between the results
	// of [DPDK15] (0.85 to 2.9, depending on how well the chain would mix with the exact
	// likelihood) and [STRR15] (3.3 in many dimensions).
	//
	// [DPDK15]: https://doi.org/10.1093/biomet/asu075
	// [STRR15]: https://doi.org/10.1214/14-AOS1278
	wantedVariance = 1.5
	worstVariance  = 10 // a larger variance with mostRuns is an error

	// The step of a random walk with such a likelihood, times √d, in posterior standard deviations
	// [STRR15].
	walkScale = 2.56
)

// Chains are the diagnostics of methods with chains.
type Chains struct {
	Count, Steps, WarmUp int     // number of chains; steps of each after and in the warm-up
	Estimator            string  // of the likelihood: "particle filter" or "independent runs"
	Particles            int     // runs for each estimate
	Variance             float64 // of the log likelihood estimate, averaged over points of the posterior
	Acceptance           float64 // share of steps after the warm-up that were accepted
	RHat                 []float64
	Bulk                 []float64 // effective sample sizes
	MeanError            []float64 // standard errors of the posterior means
}

type pmmhFit struct {
	e      *engine
	budget int
	runs   int // of each estimate
	chosen int // runs made when that number was chosen; 0 before
	cloud  [][]float64
	logs   []float64 // log likelihoods of the cloud
	beta   float64   // the power of the likelihood that the cloud has come to
	likely int       // runs of each estimate that will probably be chosen; 0 if nothing is known
	trace  Table
	notes  []string
	values [][][]float64 // after the warm-up: by unknown, chain and step
	result Chains
}

func pmmh(ctx context.Context, e *engine) (*Result, error) {
	f := &pmmhFit{e: e, budget: e.o.Budget, runs: cloudRuns}
	r, err := f.run(ctx)
	if short := (shortage{}); errors.As(err, &short) {
		return nil, f.refusal(ctx, short)
	}
	return r, err
}

func (f *pmmhFit) run(ctx context.Context) (*Result, error) {
	if err := f.checkBudget(leastBudget); err != nil {
		return nil, err
	}
	if f.budget == 0 {
		f.budget = chainBudget
	}
	f.trace.Names = []string{"phase", "beta", "runs", "steps", "acceptance", "log likelihood", "r-hat", "effective size"}
	err := f.drawCloud(ctx)
	if err == nil {
		err = f.temper(ctx)
	}
	if err != nil {
		return nil, err
	}
	if err := f.chooseRuns(ctx, f.cloud); err != nil {
		return nil, err
	}
	s, err := f.sample(ctx, f.cloud)
	if err != nil {
		return nil, err
	}
	return f.report(ctx, s)
}

// Phases of the trace.
const (
	phaseCloud = iota
	phaseWarm
	phaseSample
)

// drawCloud draws the cloud from the prior.
func (f *pmmhFit) drawCloud(ctx context.Context) error {
	d := len(f.e.problem.Unknowns)
	possible := 0
	for try := 0; possible < 2; try++ {
		if try == cloudTries && f.e.impossible == try*cloudSize {
			return fmt.Errorf("fit: there is no model at any of %d points of the prior", try*cloudSize)
		}
		if try == cloudTries {
			return fmt.Errorf("fit: none of %d points of the prior could give the data in any of %d runs: "+
				"priors, data or error model do not belong to this model, or the particles are too few for it", try*cloudSize,
				cloudRuns)
		}
		stream := f.e.stream()
		points := proposal.Prior(&stream, cloudSize, d)
		got, err := f.likelihoods(ctx, "points of the prior", points, 1)
		if err != nil {
			return err
		}
		for k, l := range got {
			if f.cloud = append(f.cloud, points[k]); !math.IsInf(l, -1) {
				possible++
			}
		}
		f.logs = append(f.logs, got...)
	}
	return nil
}

// temper moves the cloud from the prior to the posterior [DDJ06], as far as estimates from few runs
// allow.
//
// [DDJ06]: https://doi.org/10.1111/j.1467-9868.2006.00553.x
func (f *pmmhFit) temper(ctx context.Context) error {
	d := len(f.e.problem.Unknowns)
	for round := 0; f.beta < 1 && round < coolings; round++ {
		next := 1.0
		if round < coolings-1 {
			next = f.beta + weight.PowerFor(f.logs, cloudSize/2, 1-f.beta)
		}
		stream := f.e.stream()
		cloud, logs := repeated(f.cloud, f.logs, weight.Systematic(weight.Scale(f.logs, next-f.beta), cloudSize,
			stream.Float64()))
		s := chainStage{States: cloud, Logs: logs, Beta: next, Steps: cloudSteps, Runs: f.runs,
			Kernel: proposal.NewWalk(cloud, nil,
				walkScale/math.Sqrt(float64(d)))}
		steps, err := f.block(ctx, fmt.Sprintf("cooling, likelihood to the power of %.3g", next), phaseCloud, s)
		if err != nil {
			return err
		}
		f.cloud, f.logs, f.beta = cloud, logs, next
		for k := range cloud {
			cloud[k], logs[k] = steps[k].last()
		}
	}
	return nil
}

// repeated returns the points, each as often as copies says.
func repeated(points [][]float64, logs []float64, copies []int) (p [][]float64, l []float64) {
	for k, n := range copies {
		for range n {
			p, l = append(p, points[k]), append(l, logs[k])
		}
	}
	return p, l
}

// chooseRuns chooses the number of runs with which the log of the estimate has about the wanted
// variance, averaged over points of the cloud. In the tails of a wide posterior the variance is
// larger than in the middle, and chains get stuck there.
func (f *pmmhFit) chooseRuns(ctx context.Context, cloud [][]float64) error {
	var points [][]float64
	for k := range pilotPoints {
		points = append(points, cloud[k*len(cloud)/pilotPoints])
	}
	// Between too few and enough runs, the variance may fall from hundreds to below 1: with precise
	// reports, an estimate is good if one of the runs is right, and otherwise worthless. So bracket
	// the number: never go back below what was too few, and keep what was enough.
	var few, enough int
	var measured float64 // with enough
	for round := 0; ; round++ {
		logs, err := f.likelihoods(ctx, fmt.Sprintf("the variance of the likelihood with %d runs", f.runs), points,
			pilotTimes)
		if err != nil {
			return err
		}
		f.result.Variance = pooledVariance(logs, len(points))
		ratio := f.result.Variance / wantedVariance
		f.expect(f.runs, f.result.Variance)
		wanted := int(math.Ceil(float64(f.runs) * min(max(ratio, 1./4), 4)))
		// A variance with 56 degrees of freedom has a relative standard error of a fifth; a
		// closer match would be meaningless.
		if ratio < 1.3 {
			enough, measured = f.runs, f.result.Variance
			wanted = max(wanted, few+(enough-few)/4)
		} else if few = f.runs; enough > 0 {
			wanted = min(wanted, (few+enough)/2)
		}
		wanted = min(max(wanted, fewestRuns), mostRuns)
		if ratio > 1/1.3 && ratio < 1.3 || wanted == f.runs || enough > 0 && enough <= few+few/2 || round >= pilotRounds &&
			enough > 0 || round == 2*pilotRounds {
			break
		}
		f.runs = wanted
	}
	if enough > 0 {
		f.runs, f.result.Variance = enough, measured
	}
	if v := f.result.Variance; v > worstVariance {
		return fmt.Errorf("fit: the likelihood cannot be estimated well enough for pmmh: its logarithm has variance %.3g "+
			"with %d runs by %s, and at most %d would do; "+
			"the method abc does not need it", v, f.runs, f.result.Estimator, worstVariance)
	} else if v > 2*wantedVariance {
		f.notes = append(f.notes, fmt.Sprintf("the log likelihood still has variance %.3g with %d runs, where %.1f is "+
			"wanted: chains will stand still for long", v, f.runs, wantedVariance))
	}
	f.result.Particles, f.chosen = f.runs, f.e.runs
	return nil
}

// A chainSample is what the chains gave, by chain and step.
type chainSample struct {
	states [][][]float64
	logs   [][]float64
	paths  [][]*Path
}

// sample runs the chains: the warm-up, then the steps that count.
func (f *pmmhFit) sample(ctx context.Context, cloud [][]float64) (all chainSample, err error) {
	stream := f.e.stream()
	s := chainStage{Beta: 1, Steps: warmSteps, Runs: f.runs}
	scale := walkScale / math.Sqrt(float64(len(cloud[0])))
	s.Kernel, s.Jumps, s.JumpShare = proposal.NewWalk(cloud, nil, scale), newJumps(cloud), jumpShare
	for k := range chainCount {
		// From all parts of the cloud, in which copies of a point are adjacent.
		part := len(cloud) / chainCount
		s.States = append(s.States, cloud[k*part+int(stream.Below(uint64(part)))])
	}
	paths := make([]*Path, chainCount) // of the present states
	goOn := func(steps []steps) {
		s.Logs = make([]float64, chainCount)
		for k := range steps {
			s.States[k], s.Logs[k] = steps[k].last()
			for i, path := range steps[k].paths {
				if path == nil { // the state is the one before
					steps[k].paths[i] = paths[k]
				}
				paths[k] = steps[k].paths[i]
			}
		}
	}
	var recent [][]float64
	for block := range warmBlocks {
		got, err := f.block(ctx, fmt.Sprintf("warm-up %d of %d", block+1, warmBlocks), phaseWarm, s)
		if err != nil {
			return all, err
		}
		if block == warmBlocks/2 {
			recent = nil // adapt to the second half of the warm-up alone
		}
		for _, g := range got {
			recent = append(recent, g.states...)
		}
		s.Kernel = proposal.NewWalk(recent, nil, scale)
		s.Jumps = newJumps(recent)
		goOn(got)
	}
	f.result.Count, f.result.WarmUp = chainCount, warmBlocks*warmSteps
	s.Steps = blockSteps
	all = chainSample{make([][][]float64, chainCount), make([][]float64, chainCount), make([][]*Path, chainCount)}
	want := float64(chainESS)
	if f.e.o.Population > 0 {
		want = float64(f.e.o.Population)
	}
	accepted := 0
	// after is the number of runs made after that many more steps of each chain and the choice of
	// the best point.
	after := func(steps int) int { return f.e.runs + (chainCount*steps+bestEstimates)*f.runs }
	if err := f.checkBudget(after(s.Steps) - f.e.runs); err != nil {
		return all, err
	}
	for {
		got, err := f.block(ctx, fmt.Sprintf("sampling, steps from %d", len(all.states[0])+1), phaseSample, s)
		if err != nil {
			return all, err
		}
		goOn(got)
		for k, g := range got {
			all.states[k] = append(all.states[k], g.states...)
			all.logs[k] = append(all.logs[k], g.logs...)
			all.paths[k] = append(all.paths[k], g.paths...)
			accepted += g.accepted
		}
		f.result.Steps = len(all.states[0])
		f.result.Acceptance = float64(accepted) / float64(chainCount*f.result.Steps)
		least, most := f.diagnose(all.states)
		row := f.trace.Rows[len(f.trace.Rows)-1]
		row[6], row[7] = most, least
		if least >= want && most <= chainRHat {
			return all, nil
		}
		budget := f.budget
		if f.e.o.Budget == 0 && least < leastESS {
			budget = chainLimit
		}
		for s.Steps = max(blockSteps, f.result.Steps/blockGrowth); after(s.Steps) > budget; {
			if s.Steps /= 2; s.Steps < blockSteps {
				if least < leastESS {
					f.notes = append(f.notes, fmt.Sprintf("the effective size is %.0f; for %d it would take about %s runs", least,
						leastESS, f.runsNeeded(all.states, least)))
				}
				return all, nil
			}
		}
	}
}

// newJumps returns jumps to the neighbourhood of points, and one in ten to the prior, so that no
// region is unreachable.
func newJumps(points [][]float64) *proposal.Mixture {
	return proposal.NewMixture(points, weight.FromLogs(nil, len(points)), 0.5, 0.1)
}

// diagnose updates the diagnostics, and returns the least effective size and the largest R-hat.
func (f *pmmhFit) diagnose(samples [][][]float64) (least, most float64) {
	d := len(f.e.problem.Unknowns)
	r := &f.result
	r.RHat, r.Bulk, r.MeanError = make([]float64, d), make([]float64, d), make([]float64, d)
	least = math.Inf(1)
	if f.values == nil {
		f.values = make([][][]float64, d)
		for i := range f.values {
			f.values[i] = make([][]float64, len(samples))
		}
	}
	for c, chain := range samples { // only what is new: the quantiles of some priors take longer than a run
		for k := len(f.values[0][c]); k < len(chain); k++ {
			for i, x := range f.e.problem.values(chain[k]) {
				f.values[i][c] = append(f.values[i][c], x)
			}
		}
	}
	for i, values := range f.values {
		r.RHat[i], r.Bulk[i] = diagnostics.RHatAndSize(values)
		r.MeanError[i] = diagnostics.MeanError(values)
		least, most = min(least, r.Bulk[i]), max(most, r.RHat[i])
	}
	return least, most
}

// The best point of the chains is the estimated mode of the posterior. The estimates of the chains
// are no guide to it: a chain stays at a state because its likelihood was overestimated, and the
// highest of thousands is far above the likelihood there. So the states that seem densest are only
// candidates. They are estimated again, and the best quarter of them once more. The likelihood of
// the best is estimated from runs that had no part in the choice, as [optimizer.choose] does.
const (
	bestOf    = 16 // candidates
	bestTimes = 2  // estimates at each
	bestLast  = 4  // candidates of the second round
	bestMore  = 8  // estimates at each
	bestFinal = 16 // estimates at the best one

	bestEstimates = bestOf*bestTimes + bestLast*bestMore + bestFinal
)

// A candidate is a state of the chains that may be the best point.
type candidate struct {
	z            []float64
	prior        float64   // log density of the prior
	chainDensity float64   // log density of the posterior, by the chain's estimate
	logs         []float64 // new log likelihood estimates
}

// density is the log density of the posterior by the new estimates, up to a constant.
func (c *candidate) density() float64 {
	mean, _ := weight.LogMean(c.logs)
	return mean + c.prior
}

// best chooses among candidates. It returns the log likelihood of the chosen one and its standard
// error.
func (f *pmmhFit) best(ctx context.Context, all []*candidate) (z []float64, log, se float64, err error) {
	slices.SortStableFunc(all, func(a, b *candidate) int { return rank.Compare(b.chainDensity, a.chainDensity) })
	for _, round := range []struct {
		what              string
		candidates, times int
	}{{"the best points again", bestOf, bestTimes}, {"the best of these", bestLast, bestMore}} {
		all = all[:min(round.candidates, len(all))]
		if err := f.reestimate(ctx, round.what, all, round.times); err != nil {
			return nil, 0, 0, err
		}
		slices.SortStableFunc(all, func(a, b *candidate) int { return rank.Compare(b.density(), a.density()) })
	}
	said := &candidate{z: all[0].z}
	if err := f.reestimate(ctx, "the best point", []*candidate{said}, bestFinal); err != nil {
		return nil, 0, 0, err
	}
	log, size := weight.LogMean(said.logs)
	// The relative variance of the mean of n weights is (n/size − 1)/(n − 1), where size is their
	// effective number.
	if size == 0 { // all of them impossible
		return said.z, log, 0, nil
	}
	return said.z, log, math.Sqrt(max(0, bestFinal/size-1) / (bestFinal - 1)), nil
}

// reestimate adds estimates to candidates.
func (f *pmmhFit) reestimate(ctx context.Context, what string, all []*candidate, times int) error {
	points := make([][]float64, len(all))
	for k, c := range all {
		points[k] = c.z
	}
	logs, err := f.likelihoods(ctx, fmt.Sprintf("%s, %d estimates at each", what, times), points, times)
	for i, l := range logs {
		c := all[i%len(all)]
		c.logs = append(c.logs, l)
	}
	return err
}

// steps are the output of one task of a chain.
type steps struct {
	states   [][]float64
	logs     []float64
	paths    []*Path // nil where the state is the one before
	accepted int
}

// logZero stands for the log likelihood −∞ in JSON, which has no infinities; any other is larger.
const logZero = -1e300

func (s steps) last() ([]float64, float64) {
	n := len(s.states) - 1
	return s.states[n], max(s.logs[n], logZero)
}

// block runs one block of steps of all chains.
func (f *pmmhFit) block(ctx context.Context, what string, phase int, s chainStage) ([]steps, error) {
	estimates := len(s.States) * s.Steps
	if len(s.Logs) == 0 {
		estimates += len(s.States) // at the starting points
	}
	if err := f.checkBudget(estimates * s.Runs); err != nil {
		return nil, err
	}
	s.Seed = f.e.stageSeed()
	d := len(f.e.problem.Unknowns)
	all := make([]steps, len(s.States))
	accepted, mean := 0, 0.0
	err := f.e.stage(ctx, what, "chains", s, len(s.States), func(k int, a output) error {
		if len(a.numbers) < chainHead {
			return errors.New("fit: an output is truncated")
		}
		all[k].accepted = int(a.numbers[chainAccepted])
		accepted += all[k].accepted
		f.e.impossible += int(a.numbers[chainImpossible])
		rest := a.numbers[chainHead:]
		for len(rest) > d {
			all[k].states = append(all[k].states, rest[:d:d])
			all[k].logs = append(all[k].logs, rest[d])
			path, after, err := unpackPath(rest[d+1:])
			if err != nil {
				return err
			}
			all[k].paths, rest = append(all[k].paths, path), after
		}
		if len(rest) > 0 || len(all[k].states) != s.Steps {
			return fmt.Errorf("fit: a block of %d steps came with %d", s.Steps, len(all[k].states))
		}
		_, log := all[k].last()
		mean += log / float64(len(s.States))
		return nil
	})
	f.trace.Rows = append(f.trace.Rows, []float64{float64(phase), s.Beta, float64(f.e.runs), float64(s.Steps),
		float64(accepted) / float64(s.Steps*len(s.States)), mean, math.NaN(), math.NaN()})
	return all, err
}

// likelihoods estimates the likelihood at points, times times at each; the estimates are ordered by
// repetition, then by point.
func (f *pmmhFit) likelihoods(ctx context.Context, what string, points [][]float64, times int) ([]float64, error) {
	if err := f.checkBudget(times * len(points) * f.runs); err != nil {
		return nil, err
	}
	var logs []float64
	err := f.e.stage(ctx, what, "likelihoods", likelihoodStage{points, f.runs, f.e.stageSeed()}, times*len(points),
		func(_ int, a output) error {
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
func (f *pmmhFit) report(ctx context.Context, all chainSample) (*Result, error) {
	p, samples, logs := f.e.problem, all.states, all.logs
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
				r.Posterior.Paths = append(r.Posterior.Paths, all.paths[c][i])
			}
			if i == 0 || logs[c][i] != logs[c][i-1] {
				prior := p.priorDensity(x)
				states = append(states, &candidate{z: z, prior: prior, chainDensity: logs[c][i] + prior})
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
