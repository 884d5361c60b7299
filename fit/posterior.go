package fit

import (
	"bufio"
	"encoding/csv"
	"errors"
	"fmt"
	"io"
	"math"
	"slices"
	"strconv"
	"strings"

	"github.com/almanac-sim/almanac/fit/internal/rank"
	"github.com/almanac-sim/almanac/fit/internal/weight"
	"github.com/almanac-sim/almanac/internal/random"
)

// A Posterior is a weighted sample of the unknowns, given the data. Weights add up to 1.
type Posterior struct {
	Names   []string
	Units   []string    // of the numbers; empty for none
	Rows    [][]float64 // values of the unknowns, in the order of the names
	Weights []float64
	// Paths are the runs by which the rows were accepted, one for each row, with which a projection
	// goes on; nil if they are not known. The run of a row is a draw given the row and the data, as
	// far as the sample is of the posterior.
	Paths []*Path
}

// Effective is the effective sample size, 1/Σw².
func (p *Posterior) Effective() float64 { return weight.EffectiveSize(p.Weights) }

// Draw returns draw k of independent draws from the sample: a row, which must not be changed. It
// depends on seed and k alone, so a study with more replicas contains the draws of one with fewer.
func (p *Posterior) Draw(seed, k uint64) []float64 { return p.Rows[p.DrawIndex(seed, k)] }

// DrawIndex is the index of the row that Draw returns.
func (p *Posterior) DrawIndex(seed, k uint64) int {
	if len(p.Rows) == 0 {
		panic("fit: a draw from an empty sample")
	}
	s := random.New(seed, k)
	u, sum, last := s.Float64(), 0.0, 0
	for i, w := range p.Weights {
		if sum += w; u < sum {
			return i
		}
		if w > 0 {
			last = i
		}
	}
	return last // rounding: the weights add up to slightly less than 1
}

// column returns the values of one unknown.
func (p *Posterior) column(j int) []float64 {
	x := make([]float64, len(p.Rows))
	for i, row := range p.Rows {
		x[i] = row[j]
	}
	return x
}

// Mean is the mean of unknown j.
func (p *Posterior) Mean(j int) float64 {
	sum := 0.0
	for i, row := range p.Rows {
		sum += float64(p.Weights[i] * row[j])
	}
	return sum
}

// meanError is the standard error of the mean of unknown j, by the jackknife: without row i the mean
// is lower by w(x−mean)/(1−w). It is about SD/√Effective if the weights are independent of the
// unknown, and larger if rows with large weights are far from the mean. Without the divisor, as in
// [Geweke89], it is too small where few rows have most of the weight.
//
// [Geweke89]: https://doi.org/10.2307/1913710
func (p *Posterior) meanError(j int) float64 {
	mean, sum := p.Mean(j), 0.0
	for i, row := range p.Rows {
		if w := p.Weights[i]; w < 1 {
			d := w / (1 - w) * (row[j] - mean)
			sum += float64(d * d)
		}
	}
	return math.Sqrt(sum)
}

// SD is the standard deviation of unknown j.
func (p *Posterior) SD(j int) float64 { return math.Sqrt(p.Covariance(j, j)) }

// Covariance is the covariance of two unknowns.
func (p *Posterior) Covariance(j, k int) float64 {
	a, b, sum := p.Mean(j), p.Mean(k), 0.0
	for i, row := range p.Rows {
		sum += float64(p.Weights[i] * (row[j] - a) * (row[k] - b))
	}
	return sum
}

// Correlation is the correlation of two unknowns; 0 if one of them is constant.
func (p *Posterior) Correlation(j, k int) float64 {
	if j == k {
		return 1
	}
	v := p.Covariance(j, j) * p.Covariance(k, k)
	if !(v > 0) {
		return 0
	}
	return math.Max(-1, math.Min(1, p.Covariance(j, k)/math.Sqrt(v)))
}

// Quantiles returns quantiles of unknown j for probabilities between 0 and 1. The distribution
// function is interpolated linearly between the midpoints of its steps. Rows without weight are
// ignored.
func (p *Posterior) Quantiles(j int, shares ...float64) []float64 {
	x := p.column(j)
	order := slices.DeleteFunc(rank.Order(x), func(i int) bool { return p.Weights[i] == 0 })
	middles, sum := make([]float64, len(order)), 0.0
	for i, o := range order {
		middles[i] = sum + float64(p.Weights[o]/2)
		sum += p.Weights[o]
	}
	answers := make([]float64, len(shares))
	for n, share := range shares {
		i, found := slices.BinarySearch(middles, share)
		switch {
		case len(order) == 0:
			answers[n] = math.NaN()
		case i == len(order):
			answers[n] = x[order[i-1]]
		case i == 0 || found:
			answers[n] = x[order[i]]
		default:
			a, b := middles[i-1], middles[i]
			answers[n] = x[order[i-1]] + (x[order[i]]-x[order[i-1]])*(share-a)/(b-a)
		}
	}
	return answers
}

// weightName is the name of the column of weights.
const weightName = "weight"

// paths reports whether all rows have a path that can be written.
func (p *Posterior) paths() bool {
	return len(p.Rows) > 0 && len(p.Paths) == len(p.Rows) && !slices.Contains(p.Paths, nil) &&
		!slices.ContainsFunc(p.Names, func(name string) bool { return slices.Contains(pathNames, name) })
}

// WriteCSV writes the sample: a column for each unknown, by its name, and one of weights. Numbers
// are written with full precision. If the runs of the rows are known, the columns run.seed,
// run.forks and run.check follow: see [Path].
func (p *Posterior) WriteCSV(w io.Writer) error {
	b := bufio.NewWriter(w)
	c := csv.NewWriter(b)
	record := append(slices.Clone(p.Names), weightName)
	paths := p.paths()
	if paths {
		record = append(record, pathNames...)
	}
	if err := c.Write(record); err != nil {
		return err
	}
	for i, row := range p.Rows {
		record = record[:0]
		for _, x := range row {
			record = append(record, strconv.FormatFloat(x, 'g', -1, 64))
		}
		record = append(record, strconv.FormatFloat(p.Weights[i], 'g', -1, 64))
		if paths {
			record = append(record, p.Paths[i].record()...)
		}
		if err := c.Write(record); err != nil {
			return err
		}
	}
	if c.Flush(); c.Error() != nil {
		return c.Error()
	}
	return b.Flush()
}

// ReadCSV reads a sample, as WriteCSV or another program wrote it. Without a column of weights, all
// rows have equal weight; without the three columns of paths, there are none. Errors name the line,
// as NAME:LINE if name is not empty. The file has no units.
func ReadCSV(r io.Reader, name string) (*Posterior, error) {
	c := csv.NewReader(r)
	c.FieldsPerRecord = -1
	c.TrimLeadingSpace = true
	where := func(line int) string {
		if name == "" {
			return fmt.Sprintf("line %d", line)
		}
		return fmt.Sprintf("%s:%d", name, line)
	}
	head, err := c.Read()
	switch {
	case errors.Is(err, io.EOF):
		return nil, fmt.Errorf("%s: the file is empty: a line of names belongs there, and one for each draw", where(1))
	case err != nil:
		return nil, fmt.Errorf("%s: %w", where(1), err)
	}
	p, weight := &Posterior{}, -1
	var paths []int // the columns of a path
	for i, field := range head {
		field = strings.TrimSpace(strings.TrimPrefix(field, "\ufeff"))
		switch {
		case field == weightName && weight < 0:
			weight = i
		case slices.Contains(pathNames, field):
			head[i] = field
			paths = append(paths, i)
		case field == "" || field == weightName || slices.Contains(p.Names, field):
			return nil, fmt.Errorf("%s: column %d is called %q: each needs a name of its own", where(1), i+1, field)
		default:
			p.Names = append(p.Names, field)
		}
	}
	if len(p.Names) == 0 {
		return nil, fmt.Errorf("%s: there is no column but the weights", where(1))
	}
	p.Units = make([]string, len(p.Names))
	sum := 0.0
	for {
		record, err := c.Read()
		if errors.Is(err, io.EOF) {
			break
		}
		if err != nil {
			var bad *csv.ParseError
			if errors.As(err, &bad) {
				return nil, fmt.Errorf("%s: %w", where(bad.Line), bad.Err)
			}
			return nil, err
		}
		line, _ := c.FieldPos(0)
		if len(record) != len(head) {
			return nil, fmt.Errorf("%s: %d fields where the first line has %d", where(line), len(record), len(head))
		}
		row, w := make([]float64, 0, len(p.Names)), 1.0
		path := &Path{}
		for i, field := range record {
			if slices.Contains(paths, i) {
				if err := path.set(head[i], field); err != nil {
					return nil, fmt.Errorf("%s: %w", where(line), err)
				}
				continue
			}
			x, err := strconv.ParseFloat(strings.TrimSpace(field), 64)
			if err != nil || math.IsNaN(x) || math.IsInf(x, 0) {
				return nil, fmt.Errorf("%s: %s is %q, which is no number", where(line), strings.TrimSpace(head[i]), field)
			}
			if i != weight {
				row = append(row, x)
			} else if w = x; !(w >= 0) {
				return nil, fmt.Errorf("%s: a weight of %v: it is 0 or above", where(line), x)
			}
		}
		p.Rows, p.Weights = append(p.Rows, row), append(p.Weights, w)
		if len(paths) == len(pathNames) {
			p.Paths = append(p.Paths, path)
		}
		sum += w
	}
	if !(sum > 0 && sum <= math.MaxFloat64) {
		return nil, fmt.Errorf("%s: no draw has a weight above 0", where(2))
	}
	for i := range p.Weights {
		// Weights that already add up to 1 within rounding are not changed, so that writing and
		// reading is the identity.
		if math.Abs(sum-1) > 1e-9 {
			p.Weights[i] /= sum
		}
	}
	return p, nil
}
