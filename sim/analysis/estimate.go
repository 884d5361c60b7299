package analysis

import (
	"fmt"
	"math"
	"strings"

	"github.com/almanac-sim/almanac/internal/detmath"
	"github.com/almanac-sim/almanac/sim/history"
)

// An Estimate is the estimate of a mean or a quantile from a run, with an interval that should
// cover the true value with a given probability.
type Estimate struct {
	Value     float64
	Low, High float64 // infinite where nothing is known
	Level     float64 // such as 0.95

	N         int // observations, or parts of a course, that count
	Skipped   int // those left out at the beginning
	Batches   int // that the interval is made of
	BatchSize int

	// Independent is the length of the shortest batches whose means look independent, 0 if there
	// are none, and Correlation that of neighbours among the last ones that were looked at.
	Independent int
	Correlation float64
	// Effective is how many independent observations would tell as much.
	Effective float64

	// Problems say why the interval should not be believed; there are none of a run that is long
	// enough.
	Problems []string
}

// Enough reports whether the estimate has no problems.
func (e Estimate) Enough() bool { return len(e.Problems) == 0 }

// HalfWidth is the longer of the two sides of the interval, which are not the same where the values
// are skew.
func (e Estimate) HalfWidth() float64 { return max(e.High-e.Value, e.Value-e.Low) }

// Contains reports whether x is in the interval, the ends included.
func (e Estimate) Contains(x float64) bool { return e.Low <= x && x <= e.High }

// String is like "3.21 in 3.05 … 3.40 (95 %, n 20000)", and says if the run is too short, and why.
func (e Estimate) String() string {
	text := fmt.Sprintf("%.4g in %.4g … %.4g (%.4g %%, n %d)", e.Value, e.Low, e.High, 100*e.Level, e.N)
	if !e.Enough() {
		text += "; too short: " + strings.Join(e.Problems, "; ")
	}
	return text
}

func (e *Estimate) problem(format string, args ...any) {
	e.Problems = append(e.Problems, fmt.Sprintf(format, args...))
}

// An Option says how to estimate.
type Option func(*options)

type options struct {
	level float64
	skip  int // −1 for MSER-5
	unit  int // how many observations a value stands for
}

// Confidence is the level of the interval, 0.95 by default. It panics if the level is not between 0
// and 1.
func Confidence(level float64) Option {
	if !(level > 0 && level < 1) {
		panic(fmt.Sprintf("analysis: a confidence level of %v: it must be between 0 and 1, such as 0.95", level))
	}
	return func(o *options) { o.level = level }
}

// Skip leaves out n values at the beginning, by default as many as [MSER5] finds. Use 0 where
// statistics were reset after warming up. It panics if n is negative.
func Skip(n int) Option {
	if n < 0 {
		panic(fmt.Sprintf("analysis: Skip(%d): there must be none or more to leave out", n))
	}
	return func(o *options) { o.skip = n }
}

func optionsOf(opts []Option) options {
	o := options{level: 0.95, skip: -1, unit: 1}
	for _, option := range opts {
		option(&o)
	}
	return o
}

// Mean is the mean of a sequence of observations from one run, each of the same weight, with an
// interval by batch means.
//
// The interval is made of 32 batches, or somewhat fewer of a short run, with two corrections of
// Skart [TW11]: its sides are moved by the skewness of the batch means, and it is wider by what is
// left of the correlation of neighbours, as if they were an autoregressive process of order one.
// The run is long enough if von Neumann's test has no objection to the means of at least 100
// batches. It panics if a value is NaN or infinite.
//
// [TW11]: https://doi.org/10.1080/0740817X.2010.504688
func Mean(x []float64, opts ...Option) Estimate {
	o := optionsOf(opts)
	x, e := begin("Mean", x, o)
	e.mean(x, o)
	return e
}

// begin leaves out the beginning.
func begin(call string, x []float64, o options) ([]float64, Estimate) {
	for i, v := range x {
		if !(math.Abs(v) <= math.MaxFloat64) {
			panic(fmt.Sprintf("analysis: %s: value %d is %v; it must be a finite number", call, i, v))
		}
	}
	e := Estimate{Level: o.level}
	skip := min(o.skip, len(x))
	if o.skip < 0 {
		w := MSER5(x)
		skip = w.Skip
		if !w.Found && len(x) > 0 {
			e.problem("no end of the warm-up is found in the first half of the run")
		}
	}
	x = x[skip:]
	e.Skipped, e.N = skip*o.unit, len(x)*o.unit
	return x, e
}

// mean estimates the mean of what is left.
func (e *Estimate) mean(x []float64, o options) {
	e.Value, e.Low, e.High, e.Correlation = math.NaN(), math.Inf(-1), math.Inf(1), math.NaN()
	if len(x) > 0 {
		e.Value = mean(x)
	}
	if len(x) < finalLeast {
		e.problem("there are only %d values, at least %d are needed, and usually thousands", len(x), finalLeast)
		return
	}
	c := cutUp(x)
	e.Batches, e.BatchSize, e.Independent, e.Correlation = len(c.means), c.size*o.unit, c.passed*o.unit, c.correlation
	switch {
	case c.constant:
		e.problem("all values are the same, and nothing tells how much they might vary")
	case c.passed == 0:
		e.problem("the means of %d batches of %d are still correlated (%.2f); nothing tells how much longer it should be",
			c.tested, e.N/c.tested, c.correlation)
	case c.tested < leastTested:
		e.problem("only %d batches of %d look independent, and fewer than %d cannot be trusted; about %.1f times as long "+
			"would do",
			c.tested, e.Independent, leastTested, float64(leastTested)/float64(c.tested))
	}
	value, variance, _ := momentsOf(c.means)
	k := float64(len(c.means))
	se := math.Sqrt(variance / k)
	if phi, _ := VonNeumann(c.means); phi > 0 {
		se *= math.Sqrt((1 + phi) / (1 - phi))
	}
	fine := batched(x, max(1, len(x)/skewnessOf))
	_, _, skewness := momentsOf(fine)
	g := willink(skewness / (6 * math.Sqrt(float64(len(fine)))))
	t := detmath.StudentQuantile(k-1, (1+o.level)/2)
	e.Value = value
	e.Low, e.High = value-float64(g(t)*se), value-float64(g(-t)*se)
	_, all, _ := momentsOf(x)
	e.Effective = all / (se * se)
}

// skewnessOf is of how many batches skewness is estimated. It needs more than the variance, and
// scales with their length: that of a mean is less by the root of how many are in it.
const skewnessOf = 256

// momentsOf are the mean, the variance and the skewness, the two latter without bias for normal
// numbers.
func momentsOf(x []float64) (m, variance, skewness float64) {
	m = mean(x)
	cubes := 0.0
	for _, v := range x {
		d := v - m
		variance += float64(d * d)
		cubes += float64(d * d * d)
	}
	n := float64(len(x))
	variance /= n - 1
	if variance > 0 && n > 2 {
		skewness = cubes * n / ((n - 1) * (n - 2)) / (variance * math.Sqrt(variance))
	}
	return m, variance, skewness
}

// willink is Johnson's transformation of Student's t for skew numbers, as Willink [W05] inverted
// it; beta is the skewness over 6√n.
//
// [W05]: R. Willink, A confidence interval and test for the mean of an asymmetric distribution,
// Communications in Statistics 34, 2005
func willink(beta float64) func(t float64) float64 {
	if math.Abs(beta) < 1e-6 {
		return func(t float64) float64 { return t }
	}
	return func(t float64) float64 { return (detmath.Cbrt(1+float64(6*beta*(t-beta))) - 1) / (2 * beta) }
}

// Observations is [Mean] of what a tally has kept. Where entries stand for several observations, it
// is made of their means.
func Observations(o history.Observations, opts ...Option) Estimate {
	return Mean(o.Means(), append(opts[:len(opts):len(opts)], unit(int(max(o.Batch, 1))))...)
}

func unit(n int) Option { return func(o *options) { o.unit = n } }

// courseParts is into how many parts a course is cut: many times as many as are needed, and not so
// many that a picture of it would be more than a moment's work.
const courseParts = 4096

// TimeSeries is the mean over time of a quantity, from the series that was kept, by its means over
// 4096 parts of equal length. All counts are of these parts; Skip, too.
func TimeSeries(c history.Series, opts ...Option) Estimate {
	var x []float64
	if c.End > c.Start {
		x = c.Means(courseParts)
	}
	e := Mean(x, opts...)
	if !c.Complete {
		e.problem("the course ends at %g, when it had no more room", c.End)
	}
	return e
}
