package sim

import (
	"fmt"
	"math"

	"github.com/almanac-sim/almanac/sim/internal/text"
)

// A TimeWeighted holds statistics over time of a quantity that changes in jumps and is constant in
// between: the length of a queue, units in use, a stock. Its mean is the area under the path
// divided by the time, from the start, or the last Reset, to now. For single observations there is
// [Tally].
//
// A value counts by the time it lasts. A value that is set and replaced at the same instant does
// not count: of several changes at an instant, only the last value counts, in the minimum and the
// maximum too. The current value counts in those two at once.
//
// Mean and variance are computed by the weighted form of Welford's recurrence [W79], for the
// distances from the first value, so that a large offset does no harm. A change takes about 15 ns
// and allocates nothing, unless quantiles or the time series are kept. Reading changes nothing.
//
// A TimeWeighted must not be used from several goroutines at once.
//
// [W79]: https://doi.org/10.1145/359146.359153
type TimeWeighted struct {
	clock func() float64
	value float64
	start float64 // when observation began
	since float64 // up to when the path is in the statistics; the value has lasted since then
	// Of the path from start to since, if any:
	first    float64
	mean     float64 // of the distance from the first
	squares  float64 // the integral of the squared distance from the mean
	min, max float64

	// What it keeps besides its moments; nil unless asked for.
	quantiles *sketch
	series    *seriesRecorder
}

// NewTimeWeighted returns a TimeWeighted that begins now with an initial value. The clock must not
// go back; [Simulation.NewTimeWeighted] uses the clock of a simulation. It panics if the value is
// NaN or infinite.
func NewTimeWeighted(clock func() float64, initial float64, opts ...StatOption) *TimeWeighted {
	if !finite(initial) {
		refuse("NewTimeWeighted", initial)
	}
	l := &TimeWeighted{clock: clock, value: initial, quantiles: newSketch(opts)}
	l.Reset()
	return l
}

// timeWeighted is NewTimeWeighted for a field of another type, which stays alive as long as its
// statistics do.
func (s *Simulation) timeWeighted(initial float64) TimeWeighted {
	l := TimeWeighted{clock: s.clock, value: initial}
	l.Reset()
	return l
}

// NewTimeWeighted returns a TimeWeighted that follows the simulation's clock, is part of its
// [Report], and is reset by [Simulation.WarmUp]. Without a name it is not in the report, and can be
// collected as garbage.
func (s *Simulation) NewTimeWeighted(name string, initial float64, opts ...StatOption) *TimeWeighted {
	l := NewTimeWeighted(s.clock, initial, opts...)
	register(s, name, l)
	return l
}

// Set makes x the value from now on. It panics if x is NaN or infinite.
func (l *TimeWeighted) Set(x float64) {
	if !finite(x) {
		refuse("TimeWeighted.Set", x)
	}
	if x != l.value {
		l.account(l.now())
		l.value = x
	}
}

// set is Set for internal statistics, whose value is valid and whose time is known.
func (l *TimeWeighted) set(x, now float64) {
	if x != l.value {
		l.account(now)
		l.value = x
	}
}

// Add changes the value by dx, from now on.
func (l *TimeWeighted) Add(dx float64) {
	x := l.value + dx
	if !finite(x) {
		refuse("TimeWeighted.Add", dx)
	}
	l.Set(x)
}

// Value is the current value.
func (l *TimeWeighted) Value() float64 { return l.value }

// Observed is the time over which the statistics are: from the start, or the last Reset, to now.
func (l *TimeWeighted) Observed() float64 { return l.now() - l.start }

func (l *TimeWeighted) now() float64 {
	now := l.clock()
	if !(now >= l.since) {
		panic(fmt.Sprintf("sim: the clock of a TimeWeighted went back from %v to %v", l.since, now))
	}
	return now
}

// account adds the path up to now to the statistics.
func (l *TimeWeighted) account(now float64) {
	if now == l.since {
		return
	}
	if l.since == l.start {
		l.first, l.min, l.max = l.value, l.value, l.value
	} else {
		l.min, l.max = l.extremes()
		l.mean, l.squares = l.moments(now)
	}
	if l.quantiles != nil {
		l.quantiles.addUpTo(now, l.value)
	}
	if l.series != nil {
		l.series.take(l.since, now, l.value)
	}
	l.since = now
}

// moments returns mean and squares including the segment up to now, for a path that has others
// before.
func (l *TimeWeighted) moments(now float64) (mean, squares float64) {
	lasted := now - l.since
	x := l.value - l.first
	d := x - l.mean
	// The conversions keep the compiler from fusing products with sums, which it does on some
	// machines only.
	mean = l.mean + float64(d*(lasted/(now-l.start)))
	squares = l.squares + float64(d*(x-mean)*lasted)
	return mean, squares
}

// extremes returns the minimum and the maximum including the current value.
func (l *TimeWeighted) extremes() (low, high float64) {
	low, high = l.value, l.value
	if l.since > l.start {
		if l.min < low {
			low = l.min
		}
		if l.max > high {
			high = l.max
		}
	}
	return low, high
}

// Mean is the mean over time, to now. Before any time has passed it is the value.
func (l *TimeWeighted) Mean() float64 {
	now := l.now()
	if l.since == l.start {
		return l.value
	}
	mean, _ := l.moments(now)
	return l.first + mean
}

// Var is the mean over time of the squared distance from the mean, to now. Before any time has
// passed it is 0.
//
// It is the variance of this path, and not the accuracy of the mean: the values of a path depend on
// each other.
func (l *TimeWeighted) Var() float64 {
	now := l.now()
	if l.since == l.start {
		return 0
	}
	_, squares := l.moments(now)
	return squares / (now - l.start)
}

// StdDev is the root of [TimeWeighted.Var].
func (l *TimeWeighted) StdDev() float64 { return math.Sqrt(l.Var()) }

// Min is the smallest value that has lasted, or the current value.
func (l *TimeWeighted) Min() float64 {
	low, _ := l.extremes()
	return low
}

// Max is the largest value that has lasted, or the current value.
func (l *TimeWeighted) Max() float64 {
	_, high := l.extremes()
	return high
}

// roundedShare is the rounding error allowed in a share of time.
const roundedShare = 1e-9

// Quantile is the smallest value such that the quantity was at or below it for at least a share q
// of the time, to within the relative accuracy of the sketch. Quantile(0) and Quantile(1) are Min
// and Max exactly. Before any time has passed it is the value. It panics unless it was made with
// [QuantileSketch], or if q is not in [0, 1].
func (l *TimeWeighted) Quantile(q float64) float64 {
	checkQuantile("TimeWeighted", l.quantiles, q)
	now := l.now()
	low, high := l.extremes()
	switch {
	case now == l.start:
		return l.value
	case q == 0:
		return low
	case q == 1:
		return high
	}
	l.quantiles.addUpTo(now, l.value)
	x := l.quantiles.valueAbove(max(0, q-roundedShare) * l.quantiles.dd.GetCount())
	return max(low, min(x, high))
}

// Reset drops the path. Observation begins anew now, with the current value.
func (l *TimeWeighted) Reset() {
	now := l.clock()
	l.start, l.since = now, now
	l.mean, l.squares = 0, 0
	if l.quantiles != nil {
		l.quantiles.dd.Clear()
		l.quantiles.upTo = now
	}
	if l.series != nil {
		l.series.begin(now)
	}
}

// String returns a line with the statistics.
func (l *TimeWeighted) String() string {
	return fmt.Sprintf("mean %s, sd %s, min %s, max %s, time %s",
		text.Short(l.Mean()), text.Short(l.StdDev()), text.Short(l.Min()), text.Short(l.Max()), text.Short(l.Observed()))
}
