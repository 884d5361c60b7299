// Package history has what the statistics of a simulation keep of their past: the value of a
// quantity over time, single observations, and which units of a resource were held when.
//
//	s.Keep(sim.Thinned(1000))
//	…
//	queue, _ := desk.Queue().TimeSeries() // a history.Series
//
// [sim.Simulation.Keep] says what is kept, and with how much memory. Package sim/output writes
// histories and draws them; package sim/analysis estimates from them.
//
// It is a package of its own because most models never name its types.
//
// [sim.Simulation.Keep]: https://pkg.go.dev/github.com/almanac-sim/almanac/sim#Simulation.Keep
package history

import (
	"fmt"
	"math"
	"sort"
)

// A Series is the value of a sim.TimeWeighted over time, from when keeping began, or the last
// Reset, to when it was asked for. It is a copy.
type Series struct {
	Name       string // in a report, if it was asked for by Simulation.AllTimeSeries
	Start, End float64
	Points     []Point // in the order of time
	Sampled    bool    // points are instants, and not segments
	// nothing is missing at the end: only sim.EveryChange lets go of it, and End is then where the
	// points end
	Complete bool
	// Width is the interval of samples, or of the parts within which segments were merged; 0 if every
	// change is there.
	Width float64
}

// A Point is a segment of a [Series]: from one change to the next, or several of them
// merged. Between two changes the value is constant, so mean, minimum and maximum are equal there.
// For a sample, From and To are equal.
type Point struct {
	From, To       float64
	Mean, Min, Max float64
}

// Integral is the area under the path from one time to another. Parts of merged segments count by
// their mean, and between samples the last one holds. Outside of the series it is 0. Over the whole
// series it is exact but for rounding, unless the series is sampled.
func (c Series) Integral(from, to float64) float64 {
	sum := 0.0
	first := sort.Search(len(c.Points), func(i int) bool { return c.end(i) > from })
	for i := first; i < len(c.Points) && c.Points[i].From < to; i++ {
		if lasts := min(c.end(i), to) - max(c.Points[i].From, from); lasts > 0 {
			sum += float64(c.Points[i].Mean * lasts)
		}
	}
	return sum
}

// end is the time until which a point holds.
func (c Series) end(i int) float64 {
	switch {
	case !c.Sampled:
		return c.Points[i].To
	case i+1 < len(c.Points):
		return c.Points[i+1].From
	}
	return c.End
}

// Mean is the mean over time of the whole series. It is NaN if no time has passed.
func (c Series) Mean() float64 { return c.Integral(c.Start, c.End) / (c.End - c.Start) }

// maxParts is the largest number of parts: their means take 128 MB.
const maxParts = 1 << 24

// Means returns the means over so many parts of equal length, from Start to End, as output analysis
// and pictures need them. It panics if the number is negative or above 2²⁴.
func (c Series) Means(parts int) []float64 {
	if parts < 0 || parts > maxParts {
		panic(fmt.Sprintf("history: Means(%d): a series is divided into 0 to %d parts", parts, maxParts))
	}
	means := make([]float64, parts)
	for i := range means {
		from := c.Start + float64((c.End-c.Start)*(float64(i)/float64(parts)))
		to := c.Start + float64((c.End-c.Start)*(float64(i+1)/float64(parts)))
		means[i] = c.Integral(from, to) / (to - from)
	}
	return means
}

// At is the value at a time, or the mean of the segment that contains it. It is NaN outside of the
// series.
func (c Series) At(t float64) float64 {
	i := sort.Search(len(c.Points), func(i int) bool { return c.Points[i].From > t }) - 1
	if i < 0 || !(t <= c.End) {
		return math.NaN()
	}
	return c.Points[i].Mean
}

// Observations are what a sim.Tally has kept of its observations, from when keeping began, or the
// last Reset. It is a copy.
//
// While there are at most as many as may be kept, each is there. When there are more, neighbors are
// merged: each entry then stands for Batch consecutive observations, and has their mean, their
// extremes, and one of them, drawn with equal probability. The means are for batch means; their sum
// stays the same but for rounding. The drawn ones are a sample with the distribution of all, for
// histograms and quantiles. These draws are the same in every run, and do not use the streams of a
// simulation.
type Observations struct {
	Name    string // of the tally in a report, if it was asked for by Simulation.AllObservations
	N       int64  // how many there were
	Batch   int64  // for how many an entry stands; 1 if all are there
	Entries []Observation
}

// An Observation is an entry of [Observations].
type Observation struct {
	At             float64 // when it was made, or the first of several; NaN if the tally has no clock
	Value          float64 // of one of them
	Mean, Min, Max float64
	N              int64 // how many it stands for; fewer than Batch only at the last one
}

// Values returns one observation of each entry: all of them, or a sample. A last entry that stands
// for fewer than the others is left out, unless it is the only one.
func (o Observations) Values() []float64 {
	return o.column(func(e Observation) float64 { return e.Value })
}

// Means returns the means of the entries, which all stand for the same number: a last one that
// stands for fewer is left out, unless it is the only one.
func (o Observations) Means() []float64 {
	return o.column(func(e Observation) float64 { return e.Mean })
}

func (o Observations) column(f func(Observation) float64) []float64 {
	whole := o.Entries
	if n := len(whole); n > 1 && whole[n-1].N < o.Batch {
		whole = whole[:n-1]
	}
	all := make([]float64, len(whole))
	for i, e := range whole {
		all[i] = f(e)
	}
	return all
}

// A Holding is units of a resource that were held from one time to another.
type Holding struct {
	Resource string
	Who      string // the name of the process; empty if an event held them
	Units    int
	From, To float64
	Held     bool // the units are still held, and To is now
	// TakenAway says that the units were taken away: by a preempting request, the end of a shift or a
	// breakdown.
	TakenAway bool
}
