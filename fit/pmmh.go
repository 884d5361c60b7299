package fit

import (
	"context"
	"fmt"
	"math"
	"slices"

	"github.com/almanac-sim/almanac/internal/random"
)

// Particle marginal Metropolis–Hastings, in three parts.
//
// A cloud of points is drawn from the prior and cooled to the posterior, half of it being given up
// for better points at each temperature. It says where the chains begin and what their steps look
// like. Then the number of runs that estimate a likelihood is chosen at the middle of the cloud,
// and the chains take some blocks of steps after each of which kernel and jumps are made anew from
// them. All this is the warm-up, and thrown away. From then on nothing is adapted: runs, kernel and
// jumps are frozen, and the chains sample the posterior, whatever they are.
const (
	cloudSize   = 64 // points
	cloudRuns   = 16 // of each estimate, until their number is chosen
	cloudSteps  = 2  // of each point at each temperature
	coolings    = 60 // at most
	cloudTries  = 16 // clouds that are drawn before it is given up to find a point that could give the data
	chainCount  = 8
	blockSteps  = 25      // of a chain in the first task that counts
	blockGrowth = 4       // later ones have one in so many of the steps before, so that long chains have few stages
	jumpShare   = 0.7     // of the proposals of the chains
	warmBlocks  = 4       // after the cloud
	warmSteps   = 10      // of each of them
	pilotPoints = 8       // at which the variance of estimates is looked at
	pilotTimes  = 8       // estimates at each
	pilotRounds = 6       // changes of the number of runs
	chainESS    = 400     // the effective size at which the chains end, if R-hat is small too: [VGSCB21]
	chainBudget = 60_000  // runs, if none are asked for and the effective size is leastESS by then
	chainLimit  = 150_000 // runs, if it is not
	leastESS    = 100
	mostRuns    = 4096 // for one estimate
	fewestRuns  = 8
	rowsKept    = 10_000 // of the chains, as the posterior

	// R-hat of chains that agree is about 1 + halves/(2·size): 1.01 with four chains and 1.02 with
	// eight when the size is 400.
	chainRHat = 1.02

	// The variance of the log likelihood that costs least: near 1.5, between the results of
	// [DPDK15] (0.85 to 2.9 by how well the chain would mix with the exact likelihood) for chains
	// that mix neither perfectly nor badly, and [STRR15] (3.3 in many dimensions).
	//
	// [DPDK15]: https://doi.org/10.1093/biomet/asu075
	// [STRR15]: https://doi.org/10.1214/14-AOS1278
	wantedVariance = 1.5
	worstVariance  = 10 // with mostRuns, beyond which it is refused

	// The steps of a random walk with such a likelihood: 2.56/√d posterior standard deviations
	// [STRR15].
	walkScale = 2.56
)

// Chains are the diagnostics of methods that give chains.
type Chains struct {
	Count, Steps, WarmUp int     // chains; steps of each that count, and that do not
	Estimator            string  // of the likelihood: "particle filter" or "independent runs"
	Particles            int     // runs for each estimate
	Variance             float64 // of the estimate's logarithm, in the mean over points of the posterior
	Acceptance           float64 // how many of the steps that count went somewhere
	RHat                 []float64
	Bulk                 []float64 // effective sample sizes
	MeanError            []float64 // standard errors of the posterior means, by the chains
}

type pmmhFit struct {
	e      *engine
	budget int
	runs   int // of each estimate
	chosen int // runs that were made when that number was chosen; 0 before
	trace  Table
	notes  []string
	values [][][]float64 // of the steps that count: by unknown, chain and step
	result Chains
}

func pmmh(ctx context.Context, e *engine) (*Result, error) {
	f := &pmmhFit{e: e, budget: e.o.Budget, runs: cloudRuns}
	if err := f.afford(leastBudget); err != nil {
		return nil, err
	}
	if f.budget == 0 {
		f.budget = chainBudget
	}
	f.trace.Names = []string{"phase", "beta", "runs", "steps", "acceptance", "log likelihood", "r-hat", "effective size"}
	cloud, err := f.cool(ctx)
	if err != nil {
		return nil, err
	}
	if err := f.chooseRuns(ctx, cloud); err != nil {
		return nil, err
	}
	samples, logs, err := f.sample(ctx, cloud)
	if err != nil {
		return nil, err
	}
	return f.report(ctx, samples, logs)
}

// phases of the trace.
const (
	phaseCloud = iota
	phaseWarm
	phaseSample
)

// cool takes a cloud from the prior to the posterior [DDJ06], as far as estimates of few runs can
// tell.
//
// [DDJ06]: https://doi.org/10.1111/j.1467-9868.2006.00553.x
func (f *pmmhFit) cool(ctx context.Context) ([][]float64, error) {
	d := len(f.e.problem.Unknowns)
	var cloud [][]float64
	var logs []float64
	possible := 0
	for try := 0; possible < 2; try++ {
		if try == cloudTries && f.e.impossible == try*cloudSize {
			return nil, fmt.Errorf("fit: there is no model at any of %d points of the prior", try*cloudSize)
		}
		if try == cloudTries {
			return nil, fmt.Errorf("fit: none of %d points of the prior could give the data in any of %d runs: "+
				"priors, data or error model do not belong to this model, or the particles are too few for it", try*cloudSize,
				cloudRuns)
		}
		luck := f.e.luck()
		points := make([][]float64, cloudSize)
		for k := range points {
			points[k] = gaussians(&luck, d)
		}
		got, err := f.likelihoods(ctx, "points of the prior", points, 1)
		if err != nil {
			return nil, err
		}
		for k, l := range got {
			if cloud = append(cloud, points[k]); !math.IsInf(l, -1) {
				possible++
			}
		}
		logs = append(logs, got...)
	}
	for round, beta := 0, 0.0; beta < 1 && round < coolings; round++ {
		next := 1.0
		if round < coolings-1 {
			next = beta + powerFor(logs, cloudSize/2, 1-beta)
		}
		luck := f.e.luck()
		cloud, logs = chosen(cloud, logs, systematic(powered(logs, next-beta), cloudSize, luck.Float64()))
		beta = next
		s := chainStage{States: cloud, Logs: logs, Beta: beta, Steps: cloudSteps, Runs: f.runs, Kernel: kernelOf(cloud, nil,
			walkScale/math.Sqrt(float64(d)))}
		steps, err := f.block(ctx, fmt.Sprintf("cooling, likelihood to the power of %.3g", beta), phaseCloud, s)
		if err != nil {
			return nil, err
		}
		for k := range cloud {
			cloud[k], logs[k] = steps[k].last()
		}
	}
	return cloud, nil
}

// chosen repeats points as often as they were chosen.
func chosen(points [][]float64, logs []float64, copies []int) (p [][]float64, l []float64) {
	for k, n := range copies {
		for range n {
			p, l = append(p, points[k]), append(l, logs[k])
		}
	}
	return p, l
}

// chooseRuns finds a number of runs with which the logarithm of the estimate has about the wanted
// variance, in the mean over some points of the cloud: where the posterior is wide, it is larger in
// its tails than in the middle, and chains stand still there.
func (f *pmmhFit) chooseRuns(ctx context.Context, cloud [][]float64) error {
	var points [][]float64
	for k := range pilotPoints {
		points = append(points, cloud[k*len(cloud)/pilotPoints])
	}
	// Between too few and enough, the variance may fall from hundreds to less than 1: where reports
	// tell all, estimates are good if one of the runs is right, and otherwise worth nothing. So
	// what was too few is not tried again, and what was enough is not given up for what was not.
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
		wanted := int(math.Ceil(float64(f.runs) * min(max(ratio, 1./4), 4)))
		// A variance with 56 degrees of freedom has a relative standard error of a fifth, and no
		// more is asked of it.
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

// sample runs the chains: warm-up, then what counts.
func (f *pmmhFit) sample(ctx context.Context, cloud [][]float64) (samples [][][]float64, logs [][]float64, err error) {
	luck := f.e.luck()
	s := chainStage{Beta: 1, Steps: warmSteps, Runs: f.runs}
	scale := walkScale / math.Sqrt(float64(len(cloud[0])))
	s.Kernel, s.Jumps, s.JumpShare = kernelOf(cloud, nil, scale), jumpsOf(cloud), jumpShare
	for k := range chainCount {
		// From all over the cloud, in which the copies of a point stand side by side.
		part := len(cloud) / chainCount
		s.States = append(s.States, cloud[k*part+int(luck.Below(uint64(part)))])
	}
	goOn := func(steps []steps) {
		s.Logs = make([]float64, chainCount)
		for k := range steps {
			s.States[k], s.Logs[k] = steps[k].last()
		}
	}
	var recent [][]float64
	for block := range warmBlocks {
		got, err := f.block(ctx, fmt.Sprintf("warm-up %d of %d", block+1, warmBlocks), phaseWarm, s)
		if err != nil {
			return nil, nil, err
		}
		if block == warmBlocks/2 {
			recent = nil // the first half of the warm-up has had its say
		}
		for _, g := range got {
			recent = append(recent, g.states...)
		}
		s.Kernel = kernelOf(recent, nil, scale)
		s.Jumps = jumpsOf(recent)
		goOn(got)
	}
	f.result.Count, f.result.WarmUp = chainCount, warmBlocks*warmSteps
	s.Steps = blockSteps
	samples, logs = make([][][]float64, chainCount), make([][]float64, chainCount)
	want := float64(chainESS)
	if f.e.o.Population > 0 {
		want = float64(f.e.o.Population)
	}
	accepted := 0
	// after is what the fit has spent after so many more steps of each chain, and what follows the
	// last.
	after := func(steps int) int { return f.e.runs + (chainCount*steps+bestEstimates)*f.runs }
	if err := f.afford(after(s.Steps) - f.e.runs); err != nil {
		return nil, nil, err
	}
	for {
		got, err := f.block(ctx, fmt.Sprintf("sampling, steps from %d", len(samples[0])+1), phaseSample, s)
		if err != nil {
			return nil, nil, err
		}
		for k, g := range got {
			samples[k] = append(samples[k], g.states...)
			logs[k] = append(logs[k], g.logs...)
			accepted += g.accepted
		}
		goOn(got)
		f.result.Steps = len(samples[0])
		f.result.Acceptance = float64(accepted) / float64(chainCount*f.result.Steps)
		least, most := f.measure(samples)
		row := f.trace.Rows[len(f.trace.Rows)-1]
		row[6], row[7] = most, least
		if least >= want && most <= chainRHat {
			return samples, logs, nil
		}
		budget := f.budget
		if f.e.o.Budget == 0 && least < leastESS {
			budget = chainLimit
		}
		for s.Steps = max(blockSteps, f.result.Steps/blockGrowth); after(s.Steps) > budget; {
			if s.Steps /= 2; s.Steps < blockSteps {
				if least < leastESS {
					f.notes = append(f.notes, fmt.Sprintf("the effective size is %.0f; for %d it would take about %s runs", least,
						leastESS, f.wouldTake(samples, least)))
				}
				return samples, logs, nil
			}
		}
	}
}

// jumpsOf are jumps to about points, and one in ten to anywhere in the prior, so that no place is
// left out.
func jumpsOf(points [][]float64) *mixture {
	return newMixture(points, sharesOf(nil, len(points)), 0.5, 0.1)
}

// measure says how well the chains have mixed in the unknown that has mixed least.
func (f *pmmhFit) measure(samples [][][]float64) (least, most float64) {
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
	for c, chain := range samples { // what is new: some priors' quantiles take longer than a run
		for k := len(f.values[0][c]); k < len(chain); k++ {
			for i, x := range f.e.problem.values(chain[k]) {
				f.values[i][c] = append(f.values[i][c], x)
			}
		}
	}
	for i, values := range f.values {
		r.RHat[i], r.Bulk[i] = mixing(values)
		r.MeanError[i] = meanError(values)
		least, most = min(least, r.Bulk[i]), max(most, r.RHat[i])
	}
	return least, most
}

// luck is a stream for what the coordinator draws before its next stage.
func (e *engine) luck() random.Stream { return random.New(e.o.Seed, uint64(len(e.jobs)), 0x6c75636b) }

// stageSeed is the seed of the next stage.
func (e *engine) stageSeed() uint64 {
	s := random.New(e.o.Seed, uint64(len(e.jobs)), 0x73746167)
	return s.Uint64()
}

// pooledVariance is the mean of the variances at points, of which values come one of each point,
// then the next of each. A quarter of the points may have values that are infinite, and are left
// out; with more of them it is infinite.
func pooledVariance(values []float64, points int) float64 {
	sum, counted := 0.0, 0
	for k := range points {
		var own []float64
		for i := k; i < len(values); i += points {
			own = append(own, values[i])
		}
		if v := varianceOf(own); !math.IsInf(v, 1) {
			sum += v
			counted++
		}
	}
	if 4*counted < 3*points {
		return math.Inf(1)
	}
	return sum / float64(counted)
}

func varianceOf(v []float64) float64 {
	if slices.ContainsFunc(v, func(x float64) bool { return math.IsInf(x, 0) }) {
		return math.Inf(1)
	}
	mean, sum := 0.0, 0.0
	for _, x := range v {
		mean += x / float64(len(v))
	}
	for _, x := range v {
		sum += float64((x - mean) * (x - mean))
	}
	return sum / float64(len(v)-1)
}
