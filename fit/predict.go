package fit

import (
	"context"
	"errors"
	"fmt"
	"math"

	"github.com/almanac-sim/almanac/internal/random"
)

// A Prediction is what the model, with unknowns drawn from a posterior, says of the data: runs from
// the start, with luck of their own.
type Prediction struct {
	Shares     []float64 // for which the bands have quantiles
	Columns    []Band    // in the order of the problem's
	Runs       int
	Events     uint64
	Impossible int // runs that could not be made, and are not among the others
	Jobs       []string
}

// A Band has quantiles of what would be reported of a column, in each row.
type Band struct {
	Name    string
	Means   [][]float64 // by row and share: of the mean of the reports, so that its width is that of runs and unknowns
	Reports [][]float64 // of the reports themselves, which scatter as well
	Seen    int         // rows that are no gaps
	Inside  int         // of those, how many are within the first and the last share of the reports
}

// PredictionShares returns the shares for which a [Prediction] has quantiles, in ascending order.
func PredictionShares() []float64 { return []float64{0.05, 0.25, 0.5, 0.75, 0.95} }

// predictArgs are those of a stage of "predict": task k runs the model at the k-th draw, and tells
// means and reports.
type predictArgs struct {
	Seed  uint64      `json:"seed"`
	Draws [][]float64 `json:"draws"`
}

func openPredict(o model, args *predictArgs) (task, error) {
	for _, x := range args.Draws {
		if len(x) != len(o.problem.Unknowns) {
			return nil, errors.New("it has draws of another problem")
		}
	}
	return func(ctx context.Context, k int) (output, error) {
		if k >= len(args.Draws) {
			return output{}, fmt.Errorf("fit: there is no draw %d", k)
		}
		s := random.New(args.Seed, uint64(k))
		c, possible, err := o.simulate(ctx, args.Draws[k], s.Uint64())
		if err != nil {
			return output{}, err
		}
		a := output{runs: 1, events: c.Events}
		if possible {
			for i, reports := range c.Draw(&s) {
				a.numbers = append(append(a.numbers, c.Columns[i].Mean...), reports...)
			}
		}
		return a, nil
	}, nil
}

// Predict runs the model n times with unknowns drawn from a posterior. Of the options it uses what
// says how jobs are run, and the seed.
func Predict(ctx context.Context, p *Problem, payload []byte, from *Posterior, n int, o Options) (*Prediction, error) {
	switch {
	case p.Check() != nil:
		return nil, p.Check()
	case n < 1 || len(from.Rows) == 0 || len(from.Rows[0]) != len(p.Unknowns):
		return nil, fmt.Errorf("fit: a prediction of %d runs from a sample of %d rows: it needs one of each, and a value "+
			"for each unknown", n, len(from.Rows))
	}
	e := &engine{problem: p, payload: payload, o: o}
	s := random.New(o.Seed, math.MaxUint64, 2)
	args := predictArgs{Seed: s.Uint64()}
	seed := s.Uint64()
	for k := range uint64(n) {
		args.Draws = append(args.Draws, from.Draw(seed, k))
	}
	rows := len(p.Times)
	found := make([][]float64, 2*rows*len(p.Columns)) // numbers of all runs, by their place in an answer
	out := &Prediction{Shares: PredictionShares()}
	err := e.stage(ctx, "prediction", "predict", args, n, func(_ int, a output) error {
		if len(a.numbers) == 0 {
			out.Impossible++
			return nil
		}
		if len(a.numbers) != len(found) {
			return errors.New("fit: an answer that is cut short")
		}
		for i, x := range a.numbers {
			found[i] = append(found[i], x)
		}
		return nil
	})
	if err != nil {
		return nil, err
	}
	out.Runs, out.Events, out.Jobs = e.runs, e.events, e.jobs
	if out.Impossible == n {
		return nil, errors.New("fit: at none of the draws is there a model")
	}
	quantiles := func(x []float64) []float64 {
		q := Posterior{Weights: make([]float64, len(x))}
		for i, v := range x {
			q.Rows, q.Weights[i] = append(q.Rows, []float64{v}), 1/float64(len(x))
		}
		return q.Quantiles(0, out.Shares...)
	}
	for i, c := range p.Columns {
		b := Band{Name: c.Name}
		for row, y := range c.Data {
			b.Means = append(b.Means, quantiles(found[2*rows*i+row]))
			q := quantiles(found[2*rows*i+rows+row])
			if b.Reports = append(b.Reports, q); !math.IsNaN(y) {
				if b.Seen++; y >= q[0] && y <= q[len(q)-1] {
					b.Inside++
				}
			}
		}
		out.Columns = append(out.Columns, b)
	}
	return out, nil
}
