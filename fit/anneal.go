package fit

import (
	"context"
	"fmt"
	"math"
	"slices"

	"github.com/almanac-sim/almanac/fit/internal/matrix"
	"github.com/almanac-sim/almanac/fit/internal/proposal"
	"github.com/almanac-sim/almanac/fit/internal/rank"
	"github.com/almanac-sim/almanac/fit/internal/weight"
	"github.com/almanac-sim/almanac/internal/detmath"
	"github.com/almanac-sim/almanac/internal/random"
)

// Simulated annealing with many interacting chains [HI03]: at each temperature, chains are
// resampled with weights exp(−Δβ·misfit), where β is the inverse temperature, and take steps whose
// size and direction follow the covariance of all of them. The misfit is a negative log likelihood,
// so at temperature 1 chains would sample a posterior. They start from the prior, β = 0.
//
// [HI03]: https://doi.org/10.1063/1.1632130
const (
	annealChains = 16
	annealBudget = 20_000 // runs, by default
	annealShare  = 250    // runs per chain of a small budget
	annealPrior  = 4      // one run in 4 is at points of the prior
	annealTried  = 4      // runs at each of these points
	annealFew    = 2      // least number of temperatures
	annealStages = 40     // largest number of temperatures
	annealQuota  = 24     // runs of a chain at one temperature, if the budget allows
	annealLeast  = 8      // least number of these runs; they take about half the budget
	// the last temperature; data can distinguish differences of the misfit of 0.5 and more
	annealEnd  = 0.1
	annealMost = 64 // largest number of runs at one point in a comparison
)

func anneal(ctx context.Context, e *engine) (*Result, error) {
	budget, chains := e.o.Budget, e.o.Population
	if budget == 0 {
		budget = annealBudget
	}
	if chains == 0 {
		chains = min(max(budget/annealShare, 4), annealChains)
	}
	if err := e.checkBudget(2 * annealFew * chains * annealLeast); err != nil {
		return nil, err
	}
	o := &optimizer{e: e, trace: Table{Names: []string{"temperature", "runs", "acceptance", "runs per step", "mean misfit",
		"least misfit", "noise"}}}
	d := len(e.problem.Unknowns)
	until := budget - budget/finalShare

	// Points of the prior.
	stream := e.stream()
	points := proposal.Prior(&stream, budget/annealPrior/annealTried, d)
	trials, err := o.evaluate(ctx, "points of the prior", points, annealTried)
	if err != nil {
		return nil, err
	}
	logs := make([]float64, len(trials))
	for k, t := range trials {
		m, se := t.misfit(e.problem)
		logs[k] = -m - se
	}
	if math.IsInf(slices.Max(logs), -1) {
		return nil, fmt.Errorf("fit: there is no model at any of %d points of the prior", len(points))
	}
	old := lowestMisfits(points, logs, finalOld)
	var middles [][]float64
	stages := min(max((until-e.runs)/(chains*annealQuota), annealFew), annealStages)
	first := weight.PowerFor(logs, float64(chains), 1/annealEnd)
	scale, noise := walkScale/math.Sqrt(float64(d)), 0.0
	for s := range stages {
		beta := first * detmath.Pow(1/annealEnd/first, float64(s)/float64(stages-1))
		quota := (until - e.runs) / (stages - s) / chains // at least annealLeast, because no stage exceeds its quota
		most := min(annealMost, quota/4)
		// At temperatures below the noise of the largest number of runs, noise would decide.
		if noise > 0 {
			beta = min(beta, 2*math.Sqrt(float64(most))/noise)
		}
		stream := e.stream()
		weights := weight.Scale(logs, weight.PowerFor(logs, float64(chains)/2, beta))
		states, _ := repeated(points, logs, weight.Systematic(weights, chains, stream.Float64()))
		stage := annealStage{States: states, Temperature: 1 / beta, Runs: quota, Most: most, Noise: noise,
			Kernel: proposal.NewWalk(points, weight.Scale(logs, weight.PowerFor(logs, float64(3*d), beta)), scale)}
		var share float64
		if points, logs, share, noise, err = o.annealStage(ctx, stage); err != nil {
			return nil, err
		}
		middles = append(middles,
			matrix.Mean(points, weight.FromLogs(weight.Scale(logs, weight.PowerFor(logs, float64(3*d), beta)), len(points))))
		// Aim for an acceptance rate of about one in four.
		switch {
		case share > 0.4:
			scale *= 1.3
		case share < 0.15:
			scale /= 1.3
		}
	}
	// The weighted means of the stages, the coldest first, the best points of the last stage, and
	// the best of the prior in case the annealing went astray.
	slices.Reverse(middles)
	last := append(middles[:1:1], lowestMisfits(points, logs, chains)...)
	return o.choose(ctx, append(append(last, old...), middles[1:]...), budget)
}

// lowestMisfits returns the n points with the largest logarithms, best first.
func lowestMisfits(points [][]float64, logs []float64, n int) [][]float64 {
	misfits := make([]float64, len(logs))
	for k, l := range logs {
		misfits[k] = -l
	}
	var best [][]float64
	for _, k := range rank.Order(misfits)[:min(n, len(misfits))] {
		best = append(best, points[k])
	}
	return best
}

// annealStage runs one stage. It returns all points tried, with minus their misfits minus a
// standard error, so that noisy points are not preferred, the acceptance rate, and the noise of a
// comparison with one run each.
func (o *optimizer) annealStage(ctx context.Context, s annealStage) (points [][]float64, logs []float64, share,
	noise float64,
	err error) {
	s.Seed = o.e.stageSeed()
	d := len(o.e.problem.Unknowns)
	before := o.e.runs
	least := math.Inf(1)
	var accepted, variances, compared, sum, counted float64
	err = o.e.stage(ctx, fmt.Sprintf("temperature %.3g", s.Temperature), "anneal", s, len(s.States),
		func(k int, a output) error {
			if len(a.numbers) < annealHead || (len(a.numbers)-annealHead)%(d+2) != 0 {
				return fmt.Errorf("fit: a chain came as %d numbers", len(a.numbers))
			}
			accepted += a.numbers[annealAccepted]
			variances += a.numbers[annealVariances]
			compared += a.numbers[annealCompared]
			o.e.impossible += int(a.numbers[annealImpossible])
			for row := range slices.Chunk(a.numbers[annealHead:], d+2) {
				points = append(points, row[:d:d])
				logs = append(logs, -row[d]-row[d+1])
				least = min(least, row[d])
				if !math.IsInf(row[d], 1) {
					sum += row[d]
					counted++
				}
			}
			return nil
		})
	if err != nil {
		return nil, nil, 0, 0, err
	}
	noise = s.Noise
	if compared > 0 {
		noise = math.Sqrt(variances / compared)
	}
	proposed := float64(len(points) - len(s.States))
	o.trace.Rows = append(o.trace.Rows, []float64{s.Temperature, float64(o.e.runs), accepted / proposed,
		float64(o.e.runs-before) / proposed,
		sum / counted, least, noise})
	return points, logs, accepted / proposed, noise, nil
}

// An annealStage asks for steps of each chain at a temperature, until each has made Runs runs. All
// chains of a stage have common random numbers, which differ from those of the previous stage: a
// point that only seemed good by chance does not stay.
type annealStage struct {
	States      [][]float64 `json:"states"`
	Temperature float64     `json:"temperature"`
	Runs        int         `json:"runs"` // of each chain, at most; at least 4
	Most        int         `json:"most"` // runs at one point

	// Noise is the standard error of the difference of two misfits from one run each, including the
	// missing bias correction, as estimated in the previous stage; 0 if it is not known.
	Noise float64 `json:"noise,omitempty"`

	Kernel proposal.Walk `json:"kernel"`
	Seed   uint64        `json:"seed"`
}

// Its outputs begin with the number of accepted steps, the number of points without a model, the
// sum of the squared errors of differences of misfits from one run each, and the number of
// comparisons. All points follow, with their misfits and errors.
const (
	annealAccepted = iota
	annealImpossible
	annealVariances
	annealCompared
	annealHead
)

func openAnneal(o model, s *annealStage) (task, error) {
	if err := o.problem.checkPoints(s.States); err != nil {
		return nil, err
	}
	if d := len(o.problem.Unknowns); s.Runs < 4 || s.Most < 2 || !(s.Temperature > 0) || len(s.Kernel.Lower) != d*d {
		return nil, fmt.Errorf("fit: a stage of annealing is incomplete")
	}
	return func(ctx context.Context, k int) (output, error) { return o.anneal(ctx, s, k) }, nil
}

// anneal takes steps of one chain. A step is accepted if the misfit grows by less than the
// temperature times an exponential number. The log prior on the normal scale counts too, multiplied
// by the temperature.
func (o model) anneal(ctx context.Context, s *annealStage, k int) (output, error) {
	if k >= len(s.States) {
		return output{}, fmt.Errorf("fit: chain %d of %d", k, len(s.States))
	}
	b := &comparer{o: o, seed: s.Seed, noise: s.Noise}
	stream := random.New(s.Seed, uint64(k), 1)
	now := &trial{z: s.States[k]}
	tried := []*trial{now}
	accepted := 0
	for {
		// A comparison takes at most the remaining runs: k at the next point, and here those up to
		// k that are missing.
		left, have := s.Runs-b.runs, len(now.trajectories)
		most := min(left, have)
		if left > have {
			most = (left + have) / 2
		}
		if most < b.minRuns(s.Temperature) {
			break
		}
		next := &trial{z: s.Kernel.Propose(now.z, &stream)}
		tried = append(tried, next)
		bar := s.Temperature * (stream.Exp() + proposal.LogPrior(next.z) - proposal.LogPrior(now.z))
		accept, err := b.accepts(ctx, next, now, bar, s.Temperature, min(most, s.Most))
		if err != nil {
			return output{}, err
		}
		if accept {
			now = next
			accepted++
		}
	}
	a := output{[]float64{float64(accepted), float64(b.impossible), b.sumVariance, float64(b.compared)}, b.runs, b.events}
	for _, t := range tried {
		m, se := t.misfit(o.problem)
		a.numbers = append(append(a.numbers, t.z...), m, se)
	}
	return a, nil
}

// A comparer evaluates points with common random numbers.
type comparer struct {
	o          model
	seed       uint64
	runs       int
	events     uint64
	impossible int

	noise       float64 // of the annealStage
	sumVariance float64 // sum of squared errors of differences from one run each
	compared    int
}

// extend adds runs to a trial until it has at least k.
func (b *comparer) extend(ctx context.Context, t *trial, k int) error {
	if t.impossible || len(t.trajectories) >= k {
		return nil
	}
	x := b.o.problem.values(t.z)
	for len(t.trajectories) < k {
		course, possible, err := b.o.simulate(ctx, x, runSeed(b.seed, len(t.trajectories)))
		b.runs++
		b.events += course.Events
		if err != nil {
			return err
		}
		if !possible {
			b.impossible++
			t.impossible = true
			return nil
		}
		t.add(b.o.problem, course)
	}
	return nil
}

// studentT are the 97.5 % quantiles of Student's t for 2, 4, 8, … runs, that is 1, 3, 7, … degrees
// of freedom.
var studentT = []float64{12.71, 3.18, 2.36, 2.13, 2.04}

// minRuns is the number of runs at each point with which a comparison starts: one if the noise is
// known to be small, otherwise two.
func (b *comparer) minRuns(temperature float64) int {
	if b.noise > 0 && b.noise < temperature/2 {
		return 1
	}
	return 2
}

// accepts reports whether the misfit at next exceeds that at now by at most bar, as precisely as
// needed. It doubles the number of runs at both points until the difference is on one side of bar
// with 95 % confidence, with and without the bias correction, or its error and correction are below
// half the temperature, or the number of runs is most. So hot or clear-cut comparisons cost few
// runs.
func (b *comparer) accepts(ctx context.Context, next, now *trial, bar, temperature float64, most int) (bool, error) {
	few := b.minRuns(temperature) == 1
	for k, round := min(2, most), 0; ; k, round = min(2*k, most), round+1 {
		if few {
			k = 1
		}
		for _, t := range []*trial{next, now} {
			if err := b.extend(ctx, t, k); err != nil {
				return false, err
			}
		}
		if next.impossible || now.impossible {
			return !next.impossible, nil
		}
		gaps := make([]float64, k)
		other := now.pseudoValues(b.o.problem, k)
		for i, v := range next.pseudoValues(b.o.problem, k) {
			gaps[i] = v - other[i] - bar
		}
		gap, err := meanAndError(gaps)
		if few {
			return gap < 0, nil
		}
		shift := math.Abs(next.bias - now.bias)
		if round == 0 {
			b.sumVariance += float64(err*err*float64(k)) + float64(shift*shift*float64(k*k))
			b.compared++
		}
		if math.Abs(gap)-shift > studentT[min(round, len(studentT)-1)]*err || max(err, shift) < temperature/2 || k >= most {
			return gap < 0, nil
		}
	}
}
