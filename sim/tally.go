package sim

import (
	"fmt"
	"math"

	"github.com/DataDog/sketches-go/ddsketch"
	"github.com/DataDog/sketches-go/ddsketch/store"

	"github.com/almanac-sim/almanac/internal/detmath"
	sketches "github.com/almanac-sim/almanac/internal/sketch"
	"github.com/almanac-sim/almanac/sim/internal/text"
)

// A Tally holds statistics of single observations, each of the same weight: waiting times, sizes,
// profits. For a quantity that lasts, such as the length of a queue, there is [TimeWeighted]. The
// zero Tally is ready for use, and empty.
//
// The sum is kept with its rounding error (K98), and the variance by Welford's recurrence [W62] for
// the distances from the first observation. The recurrence loses digits where the mean is many
// standard deviations away from zero, and no mean is more than √n of them away from an observation;
// so a large offset does no harm. Add takes about 7 ns and allocates nothing, unless quantiles or
// observations are kept; a Tally has 80 bytes.
//
// Statistics of an empty Tally are NaN.
//
// A Tally must not be used from several goroutines at once.
//
// K98 is D. E. Knuth, The Art of Computer Programming, volume 2, third edition, section 4.2.2,
// theorem B.
//
// [W62]: https://doi.org/10.1080/00401706.1962.10490022
type Tally struct {
	n         int64
	sum, lost float64 // the sum, and what rounding has taken from it
	first     float64
	mean      float64 // of the distances from the first, by the recurrence
	squares   float64 // the sum of the squared distances from the mean
	min, max  float64

	// What it keeps besides its moments; nil unless asked for.
	quantiles    *sketch
	observations *observationRecorder
}

// NewTally returns an empty Tally. It is needed only for options; the zero Tally is ready for use.
func NewTally(opts ...StatOption) *Tally {
	return &Tally{quantiles: newSketch(opts)}
}

// NewTally returns an empty Tally that is part of the simulation's [Report] and is reset by
// [Simulation.WarmUp]. Without a name it is not in the report, and can be collected as garbage.
func (s *Simulation) NewTally(name string, opts ...StatOption) *Tally {
	t := NewTally(opts...)
	register(s, name, t)
	return t
}

// Add adds an observation. It panics if x is NaN or infinite.
func (t *Tally) Add(x float64) {
	if !finite(x) {
		refuse("Tally.Add", x)
	}
	if t.n == 0 {
		t.first, t.min, t.max = x, x, x
	}
	t.n++
	if x < t.min {
		t.min = x
	}
	if x > t.max {
		t.max = x
	}
	t.addToSum(x)
	// The conversions keep the compiler from fusing products with sums, which it does on some
	// machines only.
	x0 := x - t.first
	d := x0 - t.mean
	t.mean += float64(d * (1 / float64(t.n))) // the division does not wait for the mean before
	t.squares += float64(d * (x0 - t.mean))
	if t.quantiles != nil {
		t.quantiles.add(x, 1)
	}
	if t.observations != nil {
		t.observations.add(x)
	}
}

// addToSum adds to the sum and keeps the rounding error, which is exactly a float64.
func (t *Tally) addToSum(x float64) {
	sum := t.sum + x
	added := sum - t.sum
	t.lost += (t.sum - (sum - added)) + (x - added)
	t.sum = sum
}

// refuse is separate from its callers so that they can be inlined.
//
//go:noinline
func refuse(method string, x float64) {
	panic(fmt.Sprintf("sim: %s(%v): it must be a finite number", method, x))
}

// N is the number of observations.
func (t *Tally) N() int64 { return t.n }

// Sum is the sum of the observations, 0 if there are none.
func (t *Tally) Sum() float64 { return t.sum + t.lost }

// Mean is the mean of the observations.
func (t *Tally) Mean() float64 { return t.Sum() / float64(t.n) }

// Var is the sample variance: the sum of squared distances from the mean over n−1. It is NaN for
// fewer than two observations.
func (t *Tally) Var() float64 {
	if t.n < 2 {
		return math.NaN()
	}
	return t.squares / float64(t.n-1)
}

// StdDev is the root of [Tally.Var].
func (t *Tally) StdDev() float64 { return math.Sqrt(t.Var()) }

// Min is the smallest observation.
func (t *Tally) Min() float64 { return t.known(t.min) }

// Max is the largest observation.
func (t *Tally) Max() float64 { return t.known(t.max) }

func (t *Tally) known(x float64) float64 {
	if t.n == 0 {
		return math.NaN()
	}
	return x
}

// CI is the half-width of the confidence interval of the mean, by Student's t: with a level of
// 0.95, the interval Mean() ± CI(0.95) covers the true mean in 95 of 100 experiments. It is
// infinite for fewer than two observations. It panics if the level is not between 0 and 1.
//
// It holds for independent observations that are normal, or so many that their mean is. Successive
// customers of one queue are not independent, and the interval would be much too narrow: take their
// mean as one observation of each of several replications, as package sim/replicate does.
func (t *Tally) CI(level float64) float64 { return halfWidth(level, t.StdDev(), t.n) }

// Quantile is the smallest observation such that at least a share q of all are at or below it, to
// within the relative accuracy of the sketch. Quantile(0) and Quantile(1) are Min and Max exactly.
// It panics unless the Tally was made with [QuantileSketch], or if q is not in [0, 1].
func (t *Tally) Quantile(q float64) float64 {
	checkQuantile("Tally", t.quantiles, q)
	switch {
	case t.n == 0:
		return math.NaN()
	case q == 0:
		return t.min
	case q == 1:
		return t.max
	}
	// At least k observations are more than k − ½ of them.
	x := t.quantiles.valueAbove(math.Ceil(q*float64(t.n)) - 0.5)
	return max(t.min, min(x, t.max))
}

// AddTarget makes the tally count the observations that are at most x, from now on, for
// [Tally.ServiceLevel] and the [Report]. It panics if x is not finite.
//
//	desk.Waits().AddTarget(5) // how many are served within five minutes?
func (t *Tally) AddTarget(x float64) {
	if !finite(x) {
		refuse("Tally.AddTarget", x)
	}
	if t.n > 0 {
		panic(fmt.Sprintf("sim: Tally.AddTarget(%g) of a tally that has observations; add targets before the run", x))
	}
	if t.quantiles == nil {
		t.quantiles = new(sketch)
	}
	t.quantiles.targets = append(t.quantiles.targets, target{x: x})
}

// ServiceLevel is the share of observations that are at most x: of a resource's waits, the share of
// requests that were granted within x. It is exact if x is a target ([Tally.AddTarget]). Otherwise
// it is by the sketch: exact but for observations within its relative accuracy of x. It is NaN
// without observations, and panics if x is no target and there is no [QuantileSketch].
func (t *Tally) ServiceLevel(x float64) float64 {
	k := t.quantiles
	if k != nil {
		for _, one := range k.targets {
			if one.x == x {
				return float64(one.within) / float64(t.n)
			}
		}
	}
	if k == nil || k.dd == nil {
		panic(fmt.Sprintf("sim: ServiceLevel(%g) of a Tally that has neither that target nor a sketch; call AddTarget "+
			"before the run, or make it with QuantileSketch(0.01)", x))
	}
	switch {
	case t.n == 0:
		return math.NaN()
	case x < t.min:
		return 0
	case x >= t.max:
		return 1
	}
	return k.weightUpTo(x) / float64(t.n)
}

// Merge adds all observations of another Tally, which is not changed, as if each had been added to
// this one. It panics if this one keeps its observations ([Tally.KeepObservations]), or if it has a
// sketch or targets that the other does not have.
func (t *Tally) Merge(other *Tally) {
	if other.n == 0 {
		return
	}
	if t.observations != nil {
		panic("sim: Merge into a Tally that keeps its observations, in which there is no order between those of two")
	}
	if t.quantiles != nil {
		t.mergeQuantiles(other)
	}
	if t.n == 0 {
		quantiles := t.quantiles
		*t = *other
		t.quantiles, t.observations = quantiles, nil
		return
	}
	t.min, t.max = min(t.min, other.min), max(t.max, other.max)
	a, b := float64(t.n), float64(other.n)
	d := (other.first - t.first) + (other.mean - t.mean)
	t.squares += other.squares + float64(d*d*(a*(b/(a+b))))
	t.mean += float64(d * (b / (a + b)))
	t.n += other.n
	lost := other.lost
	t.addToSum(other.sum)
	t.lost += lost
}

// mergeTargets adds the counts of the same targets.
func (t *Tally) mergeTargets(other *Tally) {
	for i := range t.quantiles.targets {
		mine := &t.quantiles.targets[i]
		if other.quantiles == nil || i >= len(other.quantiles.targets) || other.quantiles.targets[i].x != mine.x {
			panic(fmt.Sprintf("sim: Merge of a Tally without the target %g into one that has it; give both the same targets",
				mine.x))
		}
		mine.within += other.quantiles.targets[i].within
	}
}

func (t *Tally) mergeQuantiles(other *Tally) {
	t.mergeTargets(other)
	if t.quantiles.dd == nil {
		return
	}
	if other.quantiles == nil || other.quantiles.dd == nil {
		panic("sim: Merge of a Tally without quantiles into one that keeps them; make both with the same " +
			"QuantileSketch option")
	}
	from := other.quantiles.dd
	if other == t {
		from = from.Copy()
	}
	if err := t.quantiles.dd.MergeWith(from); err != nil {
		panic("sim: Merge of tallies whose quantiles differ in accuracy; make both with the same QuantileSketch option")
	}
}

// Reset drops all observations, and keeps the options.
func (t *Tally) Reset() {
	if t.quantiles != nil {
		t.quantiles.clear()
	}
	if t.observations != nil {
		t.observations.begin()
	}
	*t = Tally{quantiles: t.quantiles, observations: t.observations}
}

// String returns a line with the statistics.
func (t *Tally) String() string {
	if t.n == 0 {
		return "no observations"
	}
	return fmt.Sprintf("mean %s, sd %s, min %s, max %s, n %d",
		text.Short(t.Mean()), text.Short(t.StdDev()), text.Short(t.min), text.Short(t.max), t.n)
}

// checkLevel panics if a confidence level is not between 0 and 1.
func checkLevel(level float64) {
	if !(level > 0 && level < 1) {
		panic(fmt.Sprintf("sim: a confidence level of %v: it must be between 0 and 1, such as 0.95", level))
	}
}

// halfWidth returns that of the confidence interval of the mean of n observations.
func halfWidth(level, deviation float64, n int64) float64 {
	checkLevel(level)
	if n < 2 {
		return math.Inf(1)
	}
	return detmath.StudentQuantile(float64(n-1), (1+level)/2) * deviation / math.Sqrt(float64(n))
}

// A StatOption says what a [Tally] or a [TimeWeighted] keeps besides its moments: [QuantileSketch].
// Given to [NewResource], [NewStore] or [NewContainer], it is for the waits.
type StatOption interface {
	ResourceOption
	statOption()
}

type sketchOption struct{ accuracy float64 }

func (sketchOption) statOption() {}

func (o sketchOption) applyTo(r *Resource) { r.waits.quantiles = newSketch([]StatOption{o}) }

// QuantileSketch keeps quantiles of a [Tally] or a [TimeWeighted], to within a relative accuracy:
// with 0.01 a quantile of 250 is reported as something between 247.5 and 252.5. An observation then
// costs tens of nanoseconds instead of a few. Memory grows with the logarithm of the range of the
// values over the accuracy, not with their number. Values beyond ±10³⁰⁸ are clipped. It panics if
// the accuracy is not between a millionth and 1.
func QuantileSketch(relativeAccuracy float64) StatOption {
	// The library numbers buckets in 32 bits, and with finer ones they would not reach over all
	// numbers.
	if !(relativeAccuracy >= 1e-6 && relativeAccuracy < 1) {
		panic(fmt.Sprintf("sim: QuantileSketch(%v): a relative accuracy is between a millionth and 1, such as 0.01",
			relativeAccuracy))
	}
	return sketchOption{relativeAccuracy}
}

// newSketch returns the sketch that the options ask for, or nil.
func newSketch(opts []StatOption) *sketch {
	var o sketchOption
	for _, option := range opts {
		o = option.(sketchOption)
	}
	if o.accuracy == 0 {
		return nil
	}
	buckets, err := sketches.Mapping(o.accuracy)
	if err != nil {
		panic("sim: " + err.Error()) // QuantileSketch has checked the accuracy
	}
	return &sketch{dd: ddsketch.NewDDSketchFromStoreProvider(buckets, store.DefaultProvider)}
}

// A sketch holds weighted values in buckets that are as wide as the relative accuracy allows
// [DDSketch].
//
// The library's own quantile counts ranks from 0 to n−1, which has no meaning for weights that are
// durations: everything within one unit of time would be the first rank. Hence rank and valueAbove
// here.
//
// [DDSketch]: https://doi.org/10.14778/3352063.3352135
type sketch struct {
	dd      *ddsketch.DDSketch // nil if there are only targets
	upTo    float64            // of a TimeWeighted: up to when its path is in the sketch
	targets []target           // of a Tally
}

// A target counts observations that are at most x.
type target struct {
	x      float64
	within int64
}

// mostSketched is a little less than where the library's buckets end.
const mostSketched = 1e308

func (k *sketch) add(x, weight float64) {
	for i := range k.targets {
		if x <= k.targets[i].x {
			k.targets[i].within++
		}
	}
	if k.dd == nil {
		return
	}
	if err := k.dd.AddWithCount(max(-mostSketched, min(x, mostSketched)), weight); err != nil {
		panic("sim: " + err.Error()) // x is finite and the weight not negative
	}
}

// addUpTo adds the path of a TimeWeighted up to now. The sketch has a time of its own, so that
// reading a quantile does not split a segment for the moments, whose last digits would change.
func (k *sketch) addUpTo(now, x float64) {
	k.add(x, now-k.upTo)
	k.upTo = now
}

// valueAbove returns the lowest value v such that the values up to v weigh more than the rank.
func (k *sketch) valueAbove(rank float64) float64 {
	negative, positive := k.dd.GetNegativeValueStore(), k.dd.GetPositiveValueStore()
	below := negative.TotalCount()
	if rank < below {
		return -k.dd.Value(negative.KeyAtRank(below - rank)) // its keys grow away from zero
	}
	notAbove := below + k.dd.GetZeroCount()
	if rank < notAbove || positive.IsEmpty() {
		return 0
	}
	return k.dd.Value(positive.KeyAtRank(rank - notAbove))
}

// weightUpTo is the weight of the values that are at most x, as far as the buckets tell.
func (k *sketch) weightUpTo(x float64) float64 {
	weight := 0.0
	k.dd.ForEach(func(value, count float64) bool {
		if value <= x {
			weight += count
		}
		return false
	})
	return weight
}

// clear forgets all values.
func (k *sketch) clear() {
	if k.dd != nil {
		k.dd.Clear()
	}
	for i := range k.targets {
		k.targets[i].within = 0
	}
}

// checkQuantile panics if q is not a share, or if there is no sketch.
func checkQuantile(kind string, k *sketch, q float64) {
	if k == nil || k.dd == nil {
		panic(fmt.Sprintf("sim: this %s keeps no quantiles; make it with New%s and the option QuantileSketch(0.01)", kind,
			kind))
	}
	if !(q >= 0 && q <= 1) {
		panic(fmt.Sprintf("sim: Quantile(%v) of a %s: q is a share, from 0 to 1", q, kind))
	}
}

// finite reports whether x is neither NaN nor infinite.
func finite(x float64) bool { return math.Abs(x) <= math.MaxFloat64 }
