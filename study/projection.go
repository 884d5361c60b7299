package study

import (
	"context"
	"encoding/csv"
	"fmt"
	"io"
	"math"
	"runtime"
	"slices"
	"strconv"

	"golang.org/x/sync/errgroup"

	"github.com/almanac-sim/almanac/fit"
	"github.com/almanac-sim/almanac/internal/format"
	"github.com/almanac-sim/almanac/internal/modelfit"
	"github.com/almanac-sim/almanac/internal/panics"
	"github.com/almanac-sim/almanac/internal/random"
	"github.com/almanac-sim/almanac/population"
)

// A Projection is what would be reported, up to the last data point and after it: quantiles over
// replicas, with the error of reports. Up to the last data point the runs are those that the fit
// accepted, so that the bands there say how close these are to the data.
type Projection struct {
	Times   []float64 // of the data, and then at the interval of its last two rows
	Last    int       // the row of the last data point
	Runs    int
	Shares  []float64 // of the quantiles
	Columns []ProjectedColumn
}

// A ProjectedColumn is the projection of one column.
type ProjectedColumn struct {
	Name      string
	Data      []float64   // by row; NaN where there are none
	Quantiles [][]float64 // by row and share
}

// MostProjected is the number of replicas from which a projection of reports is made, if there are
// more.
const MostProjected = 400

// mostProjectedRows bounds the rows after the data.
const mostProjectedRows = 1000

// Project projects the columns of the data with the first replicas of a run: its replicas from
// first on, with the seed. The sample must have a past.
func (f *From) Project(ctx context.Context, m *population.Model, seed uint64, first, replicas int) (*Projection,
	error) {
	of, err := f.Past.fit(m, f.Posterior.Names)
	if err != nil {
		return nil, err
	}
	p := &Projection{Times: f.Past.projected(m), Last: f.Past.Last, Runs: min(replicas, MostProjected),
		Shares: fit.PredictionShares()}
	tested := f.Past.outOf(len(p.Times))
	for i, match := range modelfit.Of(of).Matches() {
		if i < len(tested) && match.Tested != "" && tested[i] == nil {
			return nil, fmt.Errorf("fit.json does not say how many were tested for %s; fit again", match.Column)
		}
	}
	reports := make([][][]float64, p.Runs) // by replica, column and row
	group, ctx := errgroup.WithContext(ctx)
	group.SetLimit(runtime.GOMAXPROCS(0))
	for k := range reports {
		group.Go(func() (err error) {
			defer func() {
				if value := recover(); value != nil {
					err = panics.Caught(value)
				}
			}()
			reports[k], err = f.reports(ctx, modelfit.Of(of), p.Times, tested, seed, first+k)
			return err
		})
	}
	if err := group.Wait(); err != nil {
		return nil, err
	}
	for i, c := range f.Past.Columns {
		column := ProjectedColumn{Name: c.Name}
		for row := range p.Times {
			y := math.NaN()
			if row <= f.Past.Last {
				y = c.Data[row]
			}
			q := fit.Posterior{}
			for k := range reports {
				q.Rows, q.Weights = append(q.Rows, []float64{reports[k][i][row]}), append(q.Weights, 1/float64(p.Runs))
			}
			column.Data, column.Quantiles = append(column.Data, y), append(column.Quantiles, q.Quantiles(0, p.Shares...))
		}
		p.Columns = append(p.Columns, column)
	}
	return p, nil
}

// projected are the times of the data up to the last, and after it at the interval of the last two,
// up to the end of the model.
func (p *Past) projected(m *population.Model) []float64 {
	times := slices.Clone(p.Times[:p.Last+1])
	before := m.Start()
	if p.Last > 0 {
		before = times[p.Last-1]
	}
	interval := p.Time() - before
	for k := 1; k <= mostProjectedRows && interval > 0; k++ {
		t := p.Time() + float64(float64(k)*interval)
		if !(t <= m.End()) {
			break
		}
		times = append(times, t)
	}
	return times
}

// outOf are, by column and for so many rows, the numbers that were tested, if it is of a survey. Where
// the data have no such number, and after them, it is the last one before; at the start, the first.
func (p *Past) outOf(rows int) [][]float64 {
	all := make([][]float64, len(p.Columns))
	for i := range min(len(p.Tested), len(all)) {
		known := slices.DeleteFunc(slices.Clone(p.Tested[i]), math.IsNaN)
		if len(known) == 0 {
			continue
		}
		last := known[0]
		for row := range rows {
			if row <= p.Last && !math.IsNaN(p.Tested[i][row]) {
				last = p.Tested[i][row]
			}
			all[i] = append(all[i], last)
		}
	}
	return all
}

// reports are those of a replica, by column and row.
func (f *From) reports(ctx context.Context, of modelfit.Fit, times []float64, tested [][]float64, seed uint64,
	replica int) ([][]float64, error) {
	past := f.pastOf(seed, replica)
	path := f.Posterior.Paths[f.index(seed, replica)]
	run, err := of.Follow(ctx, times, f.Row(seed, replica), past.Seed)
	if err != nil {
		return nil, err
	}
	p := &particle{run: run, tested: tested}
	defer func() { p.Close() }()
	fork := func(seed uint64) error {
		next, err := p.Fork(seed)
		if err == nil {
			p.Close()
			p = next.(*particle)
		}
		return err
	}
	s := random.New(seed, reportStream, uint64(replica))
	all := make([][]float64, len(tested))
	forks := path.Forks
	for row := range times {
		means, _, err := p.Step(ctx)
		if err != nil {
			return nil, err
		}
		var c fit.Trajectory // of this row
		here := &fit.Problem{OutOf: make([][]float64, len(tested))}
		for i, o := range p.run.Observations() {
			c.Columns = append(c.Columns, fit.Reports{Mean: means[i : i+1], Law: law(o)})
			if tested[i] != nil {
				here.OutOf[i] = tested[i][row : row+1]
			}
		}
		for i, y := range here.Draw(c, &s) {
			all[i] = append(all[i], y...)
		}
		for ; err == nil && len(forks) > 0 && forks[0].Row == row; forks = forks[1:] {
			err = fork(forks[0].Seed)
		}
		if err == nil && row == f.Past.Last {
			if past.Fingerprint != 0 && past.Fingerprint != p.Check() {
				return nil, modelfit.ErrOtherPast
			}
			err = fork(past.Luck)
		}
		if err != nil {
			return nil, err
		}
	}
	return all, nil
}

// reportStream separates the errors of reports from the other draws.
const reportStream = 0x7265706f72747321

// WriteCSV writes the projection: a row for each time and column, with the data and quantiles,
// which are rounded to six digits.
func (p *Projection) WriteCSV(w io.Writer) error {
	c := csv.NewWriter(w)
	if err := c.Write([]string{"time", "column", "data", "q05", "q25", "median", "q75", "q95"}); err != nil {
		return err
	}
	number := func(x float64, digits int) string {
		if math.IsNaN(x) {
			return ""
		}
		return strconv.FormatFloat(x, 'g', digits, 64)
	}
	for row, t := range p.Times {
		for _, column := range p.Columns {
			record := []string{number(format.Tidy(t), -1), column.Name, number(column.Data[row], -1)}
			for _, q := range column.Quantiles[row] {
				record = append(record, number(q, 6))
			}
			if err := c.Write(record); err != nil {
				return err
			}
		}
	}
	c.Flush()
	return c.Error()
}
