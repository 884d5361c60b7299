package fit

import (
	"context"
	"errors"
	"math"

	"github.com/almanac-sim/almanac/fit/internal/proposal"
	"github.com/almanac-sim/almanac/internal/random"
)

// runsArgs are the arguments of a stage "runs": each task draws a proposal, runs the model there
// once, draws reports, and returns their distance from the data and the likelihood of the data
// given the run.
type runsArgs struct {
	Seed   uint64            `json:"seed"`
	Kernel *proposal.Mixture `json:"kernel"`
	// of the distance, by column and row; if nil, tasks return laws and reports instead of it
	Scales [][]float64 `json:"scales,omitempty"`

	// Particles, if above 0, is the number of particles that estimate the marginal likelihood; it
	// replaces the likelihood given one run.
	Particles int       `json:"particles,omitempty"`
	At        []float64 `json:"at,omitempty"` // if not nil, the point of all tasks
}

// A run is the output of a task of "runs".
type run struct {
	z          []float64
	ratio      float64 // log of the prior density over the proposal density
	likelihood float64 // log likelihood of the data, given the run
	distance   float64
	filtered   bool      // runs can be stopped at each row
	path       *Path     // nil if the data are impossible with all particles, or if there is no model
	reports    []float64 // law and reports of each column, if there were no scales
}

func (r run) pack() []float64 {
	head := append(append([]float64(nil), r.z...), r.ratio, r.likelihood, r.distance, indicator(r.filtered))
	return append(r.path.pack(head), r.reports...)
}

func unpackRun(numbers []float64, d int) (run, error) {
	if len(numbers) < d+4 {
		return run{}, errors.New("fit: an output is truncated")
	}
	n := numbers[d:]
	path, reports, err := unpackPath(n[4:])
	return run{numbers[:d], n[0], n[1], n[2], n[3] == 1, path, reports}, err
}

func openRuns(o model, args *runsArgs) (task, error) {
	if args.Kernel == nil {
		return nil, errors.New("it has no proposals")
	}
	d := len(o.problem.Unknowns)
	if err := args.Kernel.Prepare(d); err != nil {
		return nil, err
	}
	if args.At != nil && len(args.At) != d || args.Particles < 0 || args.Scales != nil && !o.problem.fits(args.Scales) {
		return nil, errors.New("it is of another problem")
	}
	_, filtered := o.sim.(Filtered)
	return func(ctx context.Context, k int) (output, error) {
		s := random.New(args.Seed, uint64(k))
		r := run{z: args.At, likelihood: math.Inf(-1), distance: math.Inf(1), filtered: filtered}
		if r.z == nil {
			r.z = args.Kernel.Draw(d, &s)
		}
		r.ratio = proposal.LogPrior(r.z) - args.Kernel.LogDensity(r.z)
		x, seed := o.problem.values(r.z), s.Uint64()
		if args.Particles > 0 {
			e, err := o.likelihood(ctx, x, args.Particles, seed)
			if !e.impossible {
				r.likelihood, r.distance, r.path = e.log, math.NaN(), e.path
			}
			return output{r.pack(), e.runs, e.events}, err
		}
		c, possible, err := o.simulate(ctx, x, seed)
		if err != nil {
			return output{}, err
		}
		if possible {
			r.likelihood, r.path = o.problem.LogLikelihood(c), &Path{Seed: seed, Check: c.Check}
			reports := o.problem.Draw(c, &s)
			if args.Scales == nil {
				for i, column := range c.Columns {
					r.reports = append(column.Law.pack(r.reports), reports[i]...)
				}
			} else {
				r.distance = o.problem.distance(reports, args.Scales)
			}
		}
		return output{r.pack(), 1, c.Events}, nil
	}, nil
}

// scales returns the standard deviations of reports about the data, by the laws of a run: distances
// are in units of the reports' own spread. Where the standard deviation would be 0 or below that of
// a count of 1, it is that of a count of 1, or of a tenth of the column's mean.
func (p *Problem) scales(reports []Reports) [][]float64 {
	all := make([][]float64, len(p.Columns))
	for i, c := range p.Columns {
		law := reports[i].Law
		least, n := 0.0, 0
		for _, y := range c.Data {
			if !math.IsNaN(y) {
				least += math.Abs(y)
				n++
			}
		}
		if least /= math.Max(float64(n), 1) * 10; law.Counts() {
			least = 1
		} else if least == 0 {
			least = 1
		}
		all[i] = make([]float64, len(c.Data))
		for row, y := range c.Data {
			if !math.IsNaN(y) {
				all[i][row] = p.law(law, i, row).SD(math.Max(math.Abs(y), least))
				if law.Family == Binomial { // where all or none are positive there is a spread, too
					all[i][row] = math.Max(all[i][row], 1)
				}
			}
		}
	}
	return all
}

// fits reports whether there is a scale for each row of each column.
func (p *Problem) fits(scales [][]float64) bool {
	for i, c := range p.Columns {
		if len(scales) != len(p.Columns) || len(scales[i]) != len(c.Data) {
			return false
		}
	}
	return true
}

// distance is the root mean square difference of reports and data, in units of the scales. Two
// draws of reports of the same run are about √2 apart.
func (p *Problem) distance(reports, scales [][]float64) float64 {
	sum, n := 0.0, 0
	for i, c := range p.Columns {
		for row, y := range c.Data {
			if !math.IsNaN(y) {
				d := (reports[i][row] - y) / scales[i][row]
				sum += float64(d * d)
				n++
			}
		}
	}
	return math.Sqrt(sum / float64(n))
}
