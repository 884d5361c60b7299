package fit

import (
	"context"
	"errors"
	"fmt"
	"math"

	"github.com/almanac-sim/almanac/fit/internal/weight"
	"github.com/almanac-sim/almanac/internal/random"
)

// An estimate is of the likelihood of all data at one point, integrated over runs of the model. Its
// exponential is unbiased, which makes pseudo-marginal chains exact for any number of runs [AR09].
//
// [AR09]: https://doi.org/10.1214/07-AOS574
type estimate struct {
	log        float64 // −∞ if no run makes the data possible
	runs       int
	events     uint64
	impossible bool // there is no model at this point: the likelihood is 0, without error

	// path is one of the runs, chosen in proportion to its weight: a draw from the runs given the
	// data and x, which with x from a chain or with weights by this estimate is exact [ADH10]. It is
	// nil if the estimate is 0.
	//
	// [ADH10]: https://doi.org/10.1111/j.1467-9868.2009.00736.x
	path *Path
}

// likelihood estimates the likelihood at x with n runs: by a particle filter if the model can be
// stopped and copied, otherwise by the mean over n whole runs.
func (o model) likelihood(ctx context.Context, x []float64, n int, seed uint64) (estimate, error) {
	var e estimate
	var err error
	switch f := o.sim.(type) {
	case Sharing:
		err = f.Share(ctx, func() (err error) {
			e, err = o.bootstrap(ctx, f, x, n, seed)
			return err
		})
	case Filtered:
		e, err = o.bootstrap(ctx, f, x, n, seed)
	default:
		e, err = o.importance(ctx, x, n, seed)
	}
	if errors.Is(err, ErrImpossible) {
		e.log, e.impossible, err = math.Inf(-1), true, nil
	}
	return e, err
}

// importance is the mean over runs of the likelihood of all data given the run. It is unbiased, but
// its relative variance grows exponentially with the number of rows: it is for few of them.
func (o model) importance(ctx context.Context, x []float64, n int, seed uint64) (estimate, error) {
	var e estimate
	logs, checks := make([]float64, n), make([]uint64, n)
	for k := range logs {
		course, possible, err := o.simulate(ctx, x, runSeed(seed, k))
		e.runs++
		e.events += course.Events
		switch {
		case err != nil:
			return e, err
		case !possible:
			return e, ErrImpossible
		}
		logs[k], checks[k] = o.problem.LogLikelihood(course), course.Check
	}
	e.log, _ = weight.LogMean(logs)
	if k, ok := pick(logs, seed); ok {
		e.path = &Path{Seed: runSeed(seed, k), Check: checks[k]}
	}
	return e, nil
}

// bootstrap is the bootstrap particle filter [GSS93]: n particles advance from row to row and are
// weighted by the likelihood of the observations there. When few of them carry most of the weight,
// they are resampled.
//
// Particles are resampled only if their effective number is below n/2, and systematically: the
// expected number of copies of a particle is n times its share of the weight. The estimate of the
// likelihood, the product over resamplings of the mean weights since the previous one, stays
// unbiased: [DMD06], and [WLH16] for occasional resampling.
//
// A particle with copies continues as one of them.
//
// [GSS93]: https://doi.org/10.1049/ip-f-2.1993.0015
// [DMD06]: https://doi.org/10.1007/978-1-4684-9393-1
// [WLH16]: https://doi.org/10.3150/14-BEJ666
func (o model) bootstrap(ctx context.Context, model Filtered, x []float64, n int, seed uint64) (e estimate,
	err error) {
	particles, lines := make([]Particle, 0, n), make([]*lineage, n)
	defer func() {
		for _, q := range particles {
			q.Close()
		}
	}()
	for k := range n {
		lines[k] = &lineage{fork: Fork{Seed: runSeed(seed, k)}}
		q, err := model.Start(ctx, x, lines[k].fork.Seed)
		e.runs++
		if err != nil {
			if k > 0 {
				err = fmt.Errorf("particle %d of %d that are there at once: %w", k+1, n, err)
			}
			return e, o.at(err, x, seed)
		}
		particles = append(particles, q)
	}
	stream := random.New(seed, resamplingStream)
	laws := particles[0].Laws()
	if err := o.checkLaws(laws, x); err != nil {
		return e, err
	}
	logs := make([]float64, n) // of the weights since the last resampling
	last := o.problem.LastRow()
	for row := range last + 1 {
		for k, q := range particles {
			means, events, err := q.Step(ctx)
			e.events += events
			if err != nil {
				return e, o.at(err, x, seed)
			}
			l, err := o.rowLogDensity(row, laws, means)
			if err != nil {
				return e, o.at(err, x, seed)
			}
			logs[k] += l
		}
		mean, size := weight.LogMean(logs)
		if row == last || math.IsInf(mean, -1) {
			// If no run makes the data so far possible, the likelihood is 0.
			e.log += mean
			if k, ok := pick(logs, seed); ok {
				check := uint64(0)
				if c, ok := particles[k].(interface{ Check() uint64 }); ok {
					check = c.Check()
				}
				e.path = lines[k].path(check)
			}
			return e, nil
		}
		if size < float64(n)/2 {
			e.log += mean
			if particles, lines, err = resample(particles, lines, row, logs, &stream); err != nil {
				return e, o.at(err, x, seed)
			}
			clear(logs)
		}
	}
	return e, nil
}

// resample replaces particles by copies, in expected numbers proportional to the weights. Particles
// without copies are closed first, so that their memory can be reused and there are never more than
// before. Copies are adjacent. The lines of descent go with the particles.
func resample(particles []Particle, lines []*lineage, row int, logs []float64, stream *random.Stream) ([]Particle,
	[]*lineage, error) {
	copies := weight.Systematic(logs, len(particles), stream.Float64())
	for k, q := range particles {
		if copies[k] == 0 {
			q.Close()
		}
	}
	next, descent := make([]Particle, 0, len(particles)), make([]*lineage, 0, len(particles))
	var failed error
	for k, q := range particles {
		if copies[k] == 0 {
			continue
		}
		next, descent = append(next, q), append(descent, lines[k])
		for n := copies[k] - 1; n > 0 && failed == nil; n-- {
			var c Particle
			seed := stream.Uint64()
			if c, failed = q.Fork(seed); failed == nil {
				next, descent = append(next, c), append(descent, &lineage{lines[k], Fork{row, seed}})
			}
		}
	}
	return next, descent, failed
}

// rowLogDensity is the log likelihood of the observations in a row.
func (o model) rowLogDensity(row int, laws []Law, means []float64) (float64, error) {
	if len(means) != len(o.problem.Columns) {
		return 0, fmt.Errorf("fit: the model reports %d columns where the data have %d", len(means), len(o.problem.Columns))
	}
	sum := 0.0
	for c, column := range o.problem.Columns {
		y, m := column.Data[row], means[c]
		if math.IsNaN(y) {
			continue
		}
		if !(math.Abs(m) <= math.MaxFloat64) || m < 0 && laws[c].Counts() {
			return 0, fmt.Errorf("the mean of %s in row %d is %g, which is no mean of a report", column.Name, row+1, m)
		}
		sum += o.problem.law(laws[c], c, row).LogDensity(y, m)
	}
	return sum, nil
}

func (o model) checkLaws(laws []Law, x []float64) error {
	if len(laws) != len(o.problem.Columns) {
		return fmt.Errorf("fit: the model has %d laws of reports where the data have %d columns", len(laws),
			len(o.problem.Columns))
	}
	for i, l := range laws {
		if err := l.Check(); err != nil {
			return fmt.Errorf("at %s: column %s: %w", o.problem.at(x), o.problem.Columns[i].Name, err)
		}
	}
	return nil
}

// at adds the point and the seed to an error.
func (o model) at(err error, x []float64, seed uint64) error {
	return fmt.Errorf("at %s, seed %d: %w", o.problem.at(x), seed, err)
}

// resamplingStream separates the random stream of resampling from the seeds of the runs.
const resamplingStream = 1 << 63
