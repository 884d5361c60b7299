package fit

import (
	"context"
	"errors"
	"fmt"
	"math"

	"github.com/almanac-sim/almanac/internal/random"
)

// A Prediction is the posterior predictive distribution of the data: runs from the start, with
// unknowns drawn from a posterior and independent random streams.
type Prediction struct {
	Shares     []float64 // probabilities of the bands' quantiles
	Columns    []Band    // in the problem's order
	Runs       int
	Events     uint64
	Impossible int // runs at points without a model, which are left out
	Jobs       []string
}

// A Band has quantiles of the reports of a column, in each row.
type Band struct {
	Name    string
	Means   [][]float64 // by row and share: of the expected reports, which vary by run and by unknowns
	Reports [][]float64 // of the reports, which also have observation error
	Seen    int         // rows with an observation
	Inside  int         // observations between the first and the last quantile of the reports
}

// PredictionShares returns the probabilities for which a [Prediction] has quantiles, in ascending
// order.
func PredictionShares() []float64 { return []float64{0.05, 0.25, 0.5, 0.75, 0.95} }

// predictArgs are the arguments of a stage "predict": task k runs the model at draw k, and returns
// means and reports.
type predictArgs struct {
	Seed  uint64      `json:"seed"`
	Draws [][]float64 `json:"draws"`
}

func openPredict(o model, args *predictArgs) (task, error) {
	for _, x := range args.Draws {
		if len(x) != len(o.problem.Unknowns) {
			return nil, errors.New("its draws are of another problem")
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
			for i, reports := range o.problem.Draw(c, &s) {
				a.numbers = append(append(a.numbers, c.Columns[i].Mean...), reports...)
			}
		}
		return a, nil
	}, nil
}

// Predict runs the model n times with unknowns drawn from a posterior. Of the options it uses those
// on how jobs are run, and the seed.
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
	found := make([][]float64, 2*rows*len(p.Columns)) // of all runs, by their index in an output
	out := &Prediction{Shares: PredictionShares()}
	err := e.stage(ctx, "prediction", "predict", args, n, func(_ int, a output) error {
		if len(a.numbers) == 0 {
			out.Impossible++
			return nil
		}
		if len(a.numbers) != len(found) {
			return errors.New("fit: an output is truncated")
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
