package ensemble

import (
	"encoding/json"
	"errors"
	"fmt"
	"iter"
	"math"
	"slices"

	"github.com/DataDog/sketches-go/ddsketch"
	"github.com/DataDog/sketches-go/ddsketch/store"

	"github.com/almanac-sim/almanac/ensemble/internal/wire"
	"github.com/almanac-sim/almanac/internal/detmath"
	"github.com/almanac-sim/almanac/internal/frame"
	"github.com/almanac-sim/almanac/internal/quantile"
	"github.com/almanac-sim/almanac/internal/sketch"
)

// Quantiles are exact while the numbers of a point take at most 32 MB: up to ExactReplicas
// replicas, or fewer if a replica has more than 400 numbers. Beyond that they are by sketch, with a
// relative error of at most SketchError. Series do not count for the quantiles of the outputs.
const (
	ExactReplicas = 10_000
	exactNumbers  = 400 * ExactReplicas
	SketchError   = 0.005
	// of 1 % each: the lowest bins are merged if the largest value exceeds the least by more than 10¹⁷
	sketchBins = 4096
)

// exactFor is the number of replicas up to which quantiles are exact if each has that many outputs.
func exactFor(outputs int) int { return min(ExactReplicas, exactNumbers/max(outputs, 1)) }

// A PointResult is the summary of a point's replicas.
type PointResult struct {
	Index     int
	Point     Point
	Replicas  int       // merged: those of the job, or fewer if they were precise enough
	Precise   bool      // the intervals are as narrow as the job's Precision wants
	Sketched  bool      // some quantiles are by sketch, with a relative error of at most SketchError; else exact
	Events    uint64    // of all replicas
	Quantiles []float64 // the probabilities of the summaries' quantiles
	Outputs   []Summary
	Series    []Summary // of [Values].Series, in its order and without names

	// OutputsSketched says that the quantiles of the outputs are by sketch, and not those of the
	// series alone.
	OutputsSketched bool
}

// Output finds a summary by its name.
func (r *PointResult) Output(name string) (Summary, bool) {
	for _, s := range r.Outputs {
		if s.Name == name {
			return s, true
		}
	}
	return Summary{}, false
}

// identical reports whether there are at least two replicas, and all have the same numbers.
func (r *PointResult) identical() bool {
	varies := func(s Summary) bool { return s.N > 0 && (s.N < r.Replicas || s.Min != s.Max) }
	return r.Replicas > 1 && len(r.Outputs) > 0 && !slices.ContainsFunc(r.Outputs, varies) &&
		!slices.ContainsFunc(r.Series, varies)
}

// A Summary is the summary of one output. Statistics that need more values are NaN.
type Summary struct {
	Name      string
	N         int     // replicas whose value is not NaN
	Mean, SD  float64 // SD with divisor n − 1
	Low, High float64 // the 95 % confidence interval of the mean, by Student's t
	Min, Max  float64

	// Quantiles are those of the job: the least value with at least that share of the replicas at
	// or below it. The median of an even number of values is the mean of the middle two.
	Quantiles []float64
}

// A tally merges the replicas of a point in order, because sums of floating-point numbers depend on
// the order.
type tally struct {
	names    []string // of the first columns; the others are series
	columns  []column
	replicas int
	events   uint64
	// whether columns are sketches: those of outputs, and those of series
	outputsSketched, seriesSketched bool
}

// A column merges one output by Welford's algorithm (Technometrics 4, 1962).
type column struct {
	n        int
	mean, m2 float64
	min, max float64
	values   []float64
	sketch   *ddsketch.DDSketch
}

func newTally(names []string, series int) *tally {
	t := &tally{names: names, columns: make([]column, len(names)+series)}
	for i := range t.columns {
		t.columns[i].min, t.columns[i].max = math.Inf(1), math.Inf(-1)
	}
	return t
}

// add merges the next replica: its events, then its values. It returns the change of the number of
// values held.
func (t *tally) add(numbers []float64) (held int) {
	t.replicas++
	t.events += uint64(numbers[0])
	n := len(t.names)
	if !t.outputsSketched && t.replicas > exactFor(n) {
		t.outputsSketched = true
		held -= toSketches(t.columns[:n])
	}
	if !t.seriesSketched && t.replicas > exactFor(len(t.columns)) {
		t.seriesSketched = true
		held -= toSketches(t.columns[n:])
	}
	for i, x := range numbers[1:] {
		if c := &t.columns[i]; !math.IsNaN(x) {
			c.add(x)
			if c.sketch == nil {
				held++
			}
		}
	}
	return held
}

// toSketches moves the exact values of columns into sketches, and returns how many there were.
func toSketches(columns []column) (values int) {
	for i := range columns {
		values += len(columns[i].values)
		columns[i].toSketch()
	}
	return values
}

func (c *column) add(x float64) {
	c.n++
	d := x - c.mean
	c.mean += d / float64(c.n)
	c.m2 += float64(d * (x - c.mean))
	c.min, c.max = min(c.min, x), max(c.max, x)
	if c.sketch == nil {
		c.values = append(c.values, x)
	} else {
		must(c.sketch.Add(x))
	}
}

// toSketch moves the exact values into a sketch.
func (c *column) toSketch() {
	buckets, err := sketch.Mapping(SketchError)
	must(err)
	c.sketch = ddsketch.NewDDSketch(buckets, store.NewCollapsingLowestDenseStore(sketchBins),
		store.NewCollapsingLowestDenseStore(sketchBins))
	for _, x := range c.values {
		must(c.sketch.Add(x))
	}
	c.values = nil
}

// must is for errors that cannot happen: a sketch refuses only values beyond 10³⁰⁷, and larger ones
// than [wire.MaxNumber] are refused before.
func must(err error) {
	if err != nil {
		panic("ensemble: " + err.Error())
	}
}

// interval is the 95 % confidence interval of the mean, and half its width.
func (c *column) interval() (low, high, half float64) {
	if c.n < 2 {
		return math.NaN(), math.NaN(), math.NaN()
	}
	half = studentQuantile(c.n-1) * c.sd() / math.Sqrt(float64(c.n))
	return c.mean - half, c.mean + half, half
}

func (c *column) sd() float64 {
	if c.n < 2 {
		return math.NaN()
	}
	return math.Sqrt(c.m2 / float64(c.n-1))
}

// studentQuantile is the 97.5 % quantile of Student's distribution.
func studentQuantile(freedom int) float64 {
	return detmath.StudentQuantile(float64(freedom), 0.975)
}

// precise reports whether the intervals of the outputs are narrow enough. An output without a mean
// is not precise.
func (t *tally) precise(p Precision) bool {
	if p.Relative == 0 || t.replicas < 2 {
		return false
	}
	for i := range t.names {
		if len(p.Outputs) > 0 && !slices.Contains(p.Outputs, t.names[i]) {
			continue
		}
		if _, _, half := t.columns[i].interval(); !(half <= p.Relative*math.Abs(t.columns[i].mean)) {
			return false
		}
	}
	return true
}

// result summarises. It sorts the exact values, so nothing can be added afterwards.
func (t *tally) result(quantiles []float64) PointResult {
	r := PointResult{Replicas: t.replicas, OutputsSketched: t.outputsSketched, Events: t.events, Quantiles: quantiles,
		Sketched: t.outputsSketched || t.seriesSketched && len(t.columns) > len(t.names)}
	for i := range t.columns {
		c := &t.columns[i]
		s := Summary{N: c.n, Mean: c.mean, SD: c.sd(), Min: c.min, Max: c.max}
		s.Low, s.High, _ = c.interval()
		if c.n == 0 {
			s.Mean, s.Min, s.Max = math.NaN(), math.NaN(), math.NaN()
		}
		slices.Sort(c.values)
		for _, q := range quantiles {
			s.Quantiles = append(s.Quantiles, c.quantile(q))
		}
		if i < len(t.names) {
			s.Name = t.names[i]
			r.Outputs = append(r.Outputs, s)
		} else {
			r.Series = append(r.Series, s)
		}
	}
	return r
}

// quantile requires sorted values.
func (c *column) quantile(q float64) float64 {
	switch n := len(c.values); {
	case c.n == 0:
		return math.NaN()
	case c.sketch != nil:
		x, err := c.sketch.GetValueAtQuantile(q)
		must(err)
		return min(max(x, c.min), c.max)
	case q == 0.5:
		return float64(c.values[(n-1)/2]/2) + float64(c.values[n/2]/2)
	default:
		return quantile.Of(c.values, q)
	}
}

const perOutput = 7 // numbers of a summary beside its quantiles

// encode encodes a summary for storage.
func (r *PointResult) encode() ([]byte, error) {
	stored := *r
	stored.Outputs, stored.Series = nil, nil
	var names []string
	var numbers []float64
	for i, s := range slices.Concat(r.Outputs, r.Series) {
		if i < len(r.Outputs) {
			names = append(names, s.Name)
		}
		numbers = append(numbers, float64(s.N), s.Mean, s.SD, s.Low, s.High, s.Min, s.Max)
		numbers = append(numbers, s.Quantiles...)
	}
	head, err := json.Marshal(struct {
		PointResult
		Names []string
	}{stored, names})
	if err != nil {
		return nil, err
	}
	return frame.Join(head, frame.EncodeFloats(numbers)), nil
}

func decodePoint(data []byte) (PointResult, error) {
	head, body, err := frame.Split(data)
	if err != nil {
		return PointResult{}, err
	}
	var stored struct {
		PointResult
		Names []string
	}
	if err := json.Unmarshal(head, &stored); err != nil {
		return PointResult{}, err
	}
	numbers, err := frame.DecodeFloats(body)
	if err != nil {
		return PointResult{}, err
	}
	r, each := stored.PointResult, perOutput+len(stored.Quantiles)
	if len(numbers)%each != 0 || len(numbers) < each*len(stored.Names) {
		return PointResult{}, errors.New("a point whose numbers are not all there")
	}
	for i := 0; len(numbers) > 0; i, numbers = i+1, numbers[each:] {
		x := numbers[:each:each]
		s := Summary{N: int(x[0]), Mean: x[1], SD: x[2], Low: x[3], High: x[4], Min: x[5], Max: x[6],
			Quantiles: x[perOutput:]}
		if i < len(stored.Names) {
			s.Name = stored.Names[i]
			r.Outputs = append(r.Outputs, s)
		} else {
			r.Series = append(r.Series, s)
		}
	}
	return r, nil
}

// Merge summarises replicas of one point as a job does: the same replicas in the same order give
// the same numbers. Without quantiles, those of a job are used. Replicas with different outputs are
// an error.
func Merge(replicas iter.Seq[Values], quantiles ...float64) (PointResult, error) {
	quantiles = (&Job{Quantiles: quantiles}).quantiles()
	var t *tally
	for v := range replicas {
		switch {
		case len(v.Names) != len(v.Numbers):
			return PointResult{}, fmt.Errorf("ensemble: a replica with %d names and %d numbers", len(v.Names), len(v.Numbers))
		case t == nil:
			t = newTally(v.Names, len(v.Series))
		case !slices.Equal(t.names, v.Names) || len(t.columns) != len(v.Names)+len(v.Series):
			return PointResult{}, fmt.Errorf("ensemble: replicas with different outputs: %v and %v", t.names, v.Names)
		}
		for i, x := range slices.Concat(v.Numbers, v.Series) {
			if !(math.Abs(x) > wire.MaxNumber) { // also false for NaN
				continue
			}
			name := "a number of its series"
			if i < len(v.Names) {
				name = v.Names[i]
			}
			return PointResult{}, fmt.Errorf("ensemble: %s is %v, which is too large to summarise", name, x)
		}
		t.add(slices.Concat([]float64{float64(v.Events)}, v.Numbers, v.Series))
	}
	if t == nil {
		return PointResult{}, errors.New("ensemble: there are no replicas to merge")
	}
	return t.result(quantiles), nil
}
