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

// Simulated annealing, by many chains that exchange [HI03]: at each temperature, chains are given
// up for others in proportion to exp(−Δβ·misfit), β being the inverse temperature, and take steps
// whose size and direction come from where all of them are. As the misfit is a log likelihood,
// temperature 1 is that at which chains would sample a posterior; they begin from the prior, β = 0.
//
// [HI03]: https://doi.org/10.1063/1.1632130
const (
	annealChains = 16
	annealBudget = 20_000 // runs, if none are asked for
	annealShare  = 250    // runs for which there is a chain, if there are few
	annealPrior  = 4      // one run in so many is for points of the prior
	annealTried  = 4      // runs at each of them
	annealFew    = 2      // temperatures, at least
	annealStages = 40     // and at most
	annealQuota  = 24     // runs of a chain at one temperature, unless there are few
	annealLeast  = 8      // and at least: comparisons of two runs; about half the budget is for them
	// the last temperature: differences of the misfit that data of this size could tell apart are
	// 0.5 and more
	annealEnd   = 0.1
	annealMost  = 64 // runs at one point, in a comparison
	finalShare  = 5  // one run in so many is kept for the choice among the last points
	finalLeast  = 4  // runs of each point in a round of the choice
	finalReport = 4  // one of the last runs in so many says what the misfit of the chosen point is
	finalOld    = 16 // points of the prior that are among the last
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

	// The prior, as much of it as a part of the budget lets see.
	stream := e.stream()
	points := make([][]float64, budget/annealPrior/annealTried)
	for k := range points {
		points[k] = proposal.Normals(&stream, d)
	}
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
		quota := (until - e.runs) / (stages - s) / chains // annealLeast or more, as no stage before made more than its own
		most := min(annealMost, quota/4)
		// What is colder than the noise of the most runs would choose the lucky.
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
		middles = append(middles, matrix.Mean(points, weight.FromLogs(weight.Scale(logs, weight.PowerFor(logs, float64(3*d), beta)), len(points))))
		// Steps are to be accepted about one time in four.
		switch {
		case share > 0.4:
			scale *= 1.3
		case share < 0.15:
			scale /= 1.3
		}
	}
	// The middles of the good ones, the coldest first, the best of the last stage, and the best of
	// the prior, lest cooling have gone astray.
	slices.Reverse(middles)
	last := append(middles[:1:1], lowestMisfits(points, logs, chains)...)
	return o.choose(ctx, append(append(last, old...), middles[1:]...), budget)
}

// lowestMisfits are the n points with the largest logarithms, best first.
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

// annealStage does one stage of the annealing: all points that were tried, with the negative of their
// misfits, a standard error being added lest those with the most noise have the best prospects,
// what share of the steps was accepted, and the noise of a comparison with one run each.
func (o *optimizer) annealStage(ctx context.Context, s annealStage) (points [][]float64, logs []float64, share, noise float64,
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

// An annealStage asks for steps of each chain at a temperature, until each has made so many runs.
// All chains of a stage have the same luck, and another one than in the stage before: a point that
// seemed good because its luck was is found out.
type annealStage struct {
	States      [][]float64 `json:"states"`
	Temperature float64     `json:"temperature"`
	Runs        int         `json:"runs"` // of each chain, at most, and at least 4
	Most        int         `json:"most"` // runs at one point

	// Noise is the error of the difference of two misfits that come from one run each, by chance
	// and by what is not corrected then, as far as it is known from the stage before; 0 if it is
	// not.
	Noise float64 `json:"noise,omitempty"`

	Kernel proposal.Walk `json:"kernel"`
	Seed   uint64        `json:"seed"`
}

// Its answers: how many steps were accepted, and at how many points there is no model; the sum of
// the squared errors of differences of misfits that come from one run each, and of how many
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
		return nil, fmt.Errorf("fit: a stage of annealing that is not whole")
	}
	return func(ctx context.Context, k int) (output, error) { return o.anneal(ctx, s, k) }, nil
}

// anneal takes steps of one chain. A step is accepted if the misfit grows by less than the
// temperature times an exponential number, the prior in the coordinates having its say, too, which
// vanishes with the temperature.
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
		// A comparison takes what is left, at most: as many runs at the next point, and here what
		// is missing.
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

// A comparer tries points with common luck.
type comparer struct {
	o          model
	seed       uint64
	runs       int
	events     uint64
	impossible int

	noise       float64 // as an annealStage has it
	sumVariance float64 // squared errors of differences from one run each, summed
	compared    int
}

// extend makes a trial one of k runs at least.
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

// studentT are 97.5 % quantiles of Student's t for 2, 4, 8, … runs, which is 1, 3, 7, … degrees of
// freedom.
var studentT = []float64{12.71, 3.18, 2.36, 2.13, 2.04}

// minRuns is how many runs at each point a comparison begins with: a single one, if by what is known
// of the noise that will do.
func (b *comparer) minRuns(temperature float64) int {
	if b.noise > 0 && b.noise < temperature/2 {
		return 1
	}
	return 2
}

// accepts reports whether the misfit at next is that at now plus bar, or less, as far as it must be
// known: runs are added at both, twice as many each time, until the difference is on one side of
// the bar with 95 % confidence, whether it is corrected or not, or its error and its correction are
// below half the temperature, so that they matter little, or there are as many as there may be. So
// few runs are made where it is hot, or the answer plain.
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
