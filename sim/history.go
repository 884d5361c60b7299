package sim

import (
	"fmt"
	"iter"
	"math"
	"slices"
	"sort"

	"github.com/almanac-sim/almanac/internal/random"
)

// A Retention says how a [TimeWeighted] keeps its time series, and with how much memory:
// [EveryChange], [Sampled] or [Thinned]. A [Tally] takes from it how many observations it may keep.
type Retention struct {
	how      how
	most     int
	interval float64
}

type how uint8

const (
	everyChange how = iota
	sampled
	thinned
)

// EveryChange keeps every change exactly, until there are most segments between changes. Later
// changes are not kept, and [TimeSeries].Complete is false. It takes at most 32 bytes for each
// segment. It panics if most is below 1.
func EveryChange(most int) Retention {
	if most < 1 {
		panic(fmt.Sprintf("sim: EveryChange(%d): at least one stretch must be kept", most))
	}
	return Retention{how: everyChange, most: most}
}

// Sampled keeps the value at every interval, from when keeping begins: of several changes at that
// instant, the last one. When there would be more than most samples, every other one is dropped and
// the interval doubles. It takes at most 32 bytes for each. It panics if the interval is not a
// positive number, or if most is below 2.
func Sampled(interval float64, most int) Retention {
	if !(interval > 0 && finite(interval)) || most < 2 {
		panic(fmt.Sprintf("sim: Sampled(%v, %d): the interval must be a positive number, and at least two samples be kept",
			interval, most))
	}
	return Retention{how: sampled, most: most, interval: interval}
}

// Thinned keeps every change exactly while there are at most so many segments between changes. When
// there are more, segments within the same of equal parts of the time are merged, with their mean,
// minimum and maximum, and the parts double as time goes on. So the area under the path stays the
// same but for rounding, and a segment that is longer than a part stays exact. It takes at most 32
// bytes for each segment, and a change still takes amortized constant time. It panics if most is
// below 2.
func Thinned(most int) Retention {
	if most < 2 {
		panic(fmt.Sprintf("sim: Thinned(%d): at least two stretches must be kept", most))
	}
	return Retention{how: thinned, most: most}
}

// String returns the call that makes it.
func (k Retention) String() string {
	switch k.how {
	case sampled:
		return fmt.Sprintf("Sampled(%v, %d)", k.interval, k.most)
	case thinned:
		return fmt.Sprintf("Thinned(%d)", k.most)
	}
	return fmt.Sprintf("EveryChange(%d)", k.most)
}

// check panics if it was not made by one of the functions.
func (k Retention) check() {
	if k.most < 1 {
		panic("sim: a Retention is made by EveryChange, Sampled or Thinned")
	}
}

// Keep makes all statistics with a name keep their history from now on, also those that are made
// later: a TimeWeighted its time series, a Tally its observations, and a resource the holdings of
// its units. [Simulation.AllTimeSeries], [Simulation.AllObservations] and [Simulation.AllHoldings]
// return them. What was kept before is dropped. Without Keep nothing is kept, at no cost.
func (s *Simulation) Keep(k Retention) {
	k.check()
	s.registry.retention = &k
	for _, x := range s.registry.named {
		keep(x.what, k, s.clock)
	}
}

// keep makes a statistic keep its history.
func keep(what resetter, k Retention, clock func() float64) {
	switch x := what.(type) {
	case *TimeWeighted:
		x.Keep(k)
	case capacities:
		x.of.total.Keep(k)
	case *Tally:
		x.KeepObservations(max(k.most, 2), clock)
	case holders:
		x.r.KeepHoldings(k.most)
	}
}

// keepAll is keep for all statistics of something.
func keepAll(x observed, k Retention, clock func() float64) {
	k.check()
	x.statistics(func(_ string, what resetter) { keep(what, k, clock) })
}

// Keep makes the resource keep its history from now on, as [Simulation.Keep] does for all: the time
// series of Usage, Queue and the capacity, the observations of Waits, and its Holdings.
func (r *Resource) Keep(k Retention) { keepAll(r, k, r.s.clock) }

// AllTimeSeries returns the time series of all named statistics that keep one, in the order in
// which they were made, including the capacities of resources.
func (s *Simulation) AllTimeSeries() (all []TimeSeries) {
	for _, x := range s.registry.named {
		level, name := (*TimeWeighted)(nil), x.name
		switch what := x.what.(type) {
		case *TimeWeighted:
			level = what
		case capacities:
			level, name = &what.of.total, name+" capacity"
		}
		if level == nil {
			continue
		}
		if c, ok := level.TimeSeries(); ok {
			c.Name = name
			all = append(all, c)
		}
	}
	return all
}

// AllObservations returns the observations of all named tallies that keep some, in the order in
// which they were made.
func (s *Simulation) AllObservations() (all []Observations) {
	for _, x := range s.registry.named {
		if t, ok := x.what.(*Tally); ok {
			if o, ok := t.Observations(); ok {
				o.Name = x.name
				all = append(all, o)
			}
		}
	}
	return all
}

// AllHoldings returns the holdings of all named resources that keep them, in the order in which the
// resources were made. Those that were too many to be kept are missing; [Simulation.MissedHoldings]
// counts them.
func (s *Simulation) AllHoldings() (all []Holding) {
	for _, x := range s.registry.named {
		if h, ok := x.what.(holders); ok {
			held, _ := h.r.Holdings()
			all = append(all, held...)
		}
	}
	return all
}

// MissedHoldings lists the named resources that had more holdings than they may keep, in the order
// in which they were made, and how many of each are missing from [Simulation.AllHoldings].
func (s *Simulation) MissedHoldings() iter.Seq2[string, int64] {
	return func(yield func(string, int64) bool) {
		for _, x := range s.registry.named {
			if h, ok := x.what.(holders); ok && h.r.holdings != nil && h.r.holdings.missed > 0 &&
				!yield(h.r.name, h.r.holdings.missed) {
				return
			}
		}
	}
}

// A TimeSeries is the value of a [TimeWeighted] over time, from when keeping began, or the last
// Reset, to when it was asked for. It is a copy.
type TimeSeries struct {
	Name       string // of the level in a report, if it was asked for by [Simulation.AllTimeSeries]
	Start, End float64
	Points     []TimeSeriesPoint // in the order of time
	Sampled    bool              // points are instants, and not stretches
	// nothing is missing at the end: only [EveryChange] lets go of it, and End is then where the
	// points end
	Complete bool
	// Width is the interval of samples, or of which parts stretches were put together; 0 if every
	// change is there.
	Width float64
}

// A TimeSeriesPoint is a segment of a [TimeSeries]: from one change to the next, or several of them
// merged. Between two changes the value is constant, so mean, minimum and maximum are equal there.
// For a sample, From and To are equal.
type TimeSeriesPoint struct {
	From, To       float64
	Mean, Min, Max float64
}

// Integral is the area under the path from one time to another. Parts of merged segments count by
// their mean, and between samples the last one holds. Outside of the series it is 0. Over the whole
// series it is exact but for rounding, unless the series is sampled.
func (c TimeSeries) Integral(from, to float64) float64 {
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
func (c TimeSeries) end(i int) float64 {
	switch {
	case !c.Sampled:
		return c.Points[i].To
	case i+1 < len(c.Points):
		return c.Points[i+1].From
	}
	return c.End
}

// Mean is the mean over time of the whole series. It is NaN if no time has passed.
func (c TimeSeries) Mean() float64 { return c.Integral(c.Start, c.End) / (c.End - c.Start) }

// maxParts is the largest number of parts: their means take 128 MB.
const maxParts = 1 << 24

// Means returns the means over so many parts of equal length, from Start to End, as output analysis
// and pictures need them. It panics if the number is negative or above 2²⁴.
func (c TimeSeries) Means(parts int) []float64 {
	if parts < 0 || parts > maxParts {
		panic(fmt.Sprintf("sim: Means(%d): a course is divided into 0 to %d parts", parts, maxParts))
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
func (c TimeSeries) At(t float64) float64 {
	i := sort.Search(len(c.Points), func(i int) bool { return c.Points[i].From > t }) - 1
	if i < 0 || !(t <= c.End) {
		return math.NaN()
	}
	return c.Points[i].Mean
}

// A span is a segment that is kept. It begins where the one before it ends; a sample has only a
// time and a value.
type span struct{ to, area, low, high float64 }

// A seriesRecorder keeps a time series.
//
// When a thinned one is full, it divides the time from the start into parts whose length is a power
// of two, and merges neighbors that lie in one part. Each part then has one segment within it and
// at most one that crosses its end, so doubling the parts reaches any number eventually. It goes on
// until half is free: a compaction takes as many steps as there are segments, and at least half as
// many changes come before the next.
type seriesRecorder struct {
	Retention
	start  float64
	until  float64 // where the last stretch ends
	width  float64 // of the parts, or between samples
	points []span
	next   float64 // which sample comes next, by number
	full   bool    // nothing more is kept
}

func (c *seriesRecorder) begin(now float64) {
	c.start, c.until, c.width, c.next, c.full = now, now, 0, 0, false
	c.points = c.points[:0]
	if c.how == sampled {
		c.width = c.interval
	}
}

// take records that the value was x from one time to another.
func (c *seriesRecorder) take(from, to, x float64) {
	if from = max(from, c.start); from == to || c.full {
		return // keeping began in the middle
	}
	if c.how == sampled {
		c.sample(to, x)
		return
	}
	n := len(c.points)
	if n > 0 {
		last := &c.points[n-1]
		if last.low == x && last.high == x || c.width > 0 && to <= c.partEnd(c.from(n-1)) {
			last.add(span{to, float64(x * (to - from)), x, x})
			c.until = to
			return
		}
	}
	if n == c.most {
		if c.how == everyChange {
			c.full = true
			return
		}
		c.compact(from)
	}
	c.push(span{to, float64(x * (to - from)), x, x})
	c.until = to
}

func (p *span) add(q span) {
	p.to = q.to
	p.area += q.area
	p.low, p.high = min(p.low, q.low), max(p.high, q.high)
}

// from is where a segment begins.
func (c *seriesRecorder) from(i int) float64 {
	if i == 0 {
		return c.start
	}
	return c.points[i-1].to
}

// partEnd is the end of the part that contains a time.
func (c *seriesRecorder) partEnd(t float64) float64 {
	return c.start + float64((math.Floor((t-c.start)/c.width)+1)*c.width)
}

// compact merges segments until half of the room is free.
func (c *seriesRecorder) compact(now float64) {
	if c.width == 0 {
		_, power := math.Frexp((now - c.start) / float64(c.most))
		c.width = math.Ldexp(1, power)
	}
	for ; len(c.points) > c.most/2; c.width *= 2 {
		kept, from := c.points[:1], c.start
		for _, p := range c.points[1:] {
			last := &kept[len(kept)-1]
			if p.to <= c.partEnd(from) || last.low == last.high && p.low == last.low && p.high == last.low {
				last.add(p)
				continue
			}
			from = last.to
			kept = append(kept, p)
		}
		c.points = kept
	}
	c.width /= 2 // that which was enough
}

// sample adds the samples before a time, at all of which the value was x.
func (c *seriesRecorder) sample(to, x float64) {
	for c.sampleAt() < to {
		c.addSample(x)
	}
	c.until = to
}

// sampleAt is when the next sample is due.
func (c *seriesRecorder) sampleAt() float64 { return c.start + float64(c.next*c.width) }

// addSample adds the next sample. If there is no room it makes some instead, and another sample may
// be the next.
func (c *seriesRecorder) addSample(x float64) {
	if len(c.points) < c.most {
		c.push(span{to: c.sampleAt(), area: x})
		c.next++
		return
	}
	kept := c.points[:0]
	for i := 0; i < len(c.points); i += 2 {
		kept = append(kept, c.points[i])
	}
	c.points = kept
	c.width *= 2
	c.next = float64(len(kept))
}

// push appends, and never allocates more than for as many as may be kept.
func (c *seriesRecorder) push(p span) { c.points = appendUpTo(c.most, c.points, p) }

// series returns what was kept, with the value that has lasted since a time until now.
func (c *seriesRecorder) series(since, now, x float64) TimeSeries {
	k := *c
	k.points = slices.Clone(c.points)
	k.take(since, now, x)
	for k.how == sampled && k.sampleAt() == now {
		k.addSample(x)
	}
	all := TimeSeries{Start: k.start, End: k.until, Width: k.width, Sampled: k.how == sampled, Complete: !k.full}
	for i, p := range k.points {
		point := TimeSeriesPoint{From: k.from(i), To: p.to, Min: p.low, Max: p.high}
		switch {
		case k.how == sampled:
			point = TimeSeriesPoint{p.to, p.to, p.area, p.area, p.area}
		case p.low == p.high:
			point.Mean = p.low
		default:
			// A mean lies between the extremes, which rounding need not know.
			point.Mean = max(p.low, min(p.area/(p.to-point.From), p.high))
		}
		all.Points = append(all.Points, point)
	}
	return all
}

// Keep makes it keep its time series from now on. [TimeWeighted.Reset] drops what was kept, and
// keeping goes on.
func (l *TimeWeighted) Keep(k Retention) {
	k.check()
	l.series = &seriesRecorder{Retention: k}
	l.series.begin(l.now())
}

// TimeSeries returns the value over time, to now. It reports false unless [TimeWeighted.Keep], or a
// Keep of what it belongs to, was called.
func (l *TimeWeighted) TimeSeries() (TimeSeries, bool) {
	if l.series == nil {
		return TimeSeries{}, false
	}
	return l.series.series(l.since, l.now(), l.value), true
}

// Observations are what a [Tally] has kept of its observations, from when keeping began, or the
// last Reset. It is a copy.
//
// While there are at most as many as may be kept, each is there. When there are more, neighbors are
// merged: each entry then stands for Batch consecutive observations, and has their mean, their
// extremes, and one of them, drawn with equal probability. The means are for batch means; their sum
// stays the same but for rounding. The drawn ones are a sample with the distribution of all, for
// histograms and quantiles. These draws are the same in every run, and do not use the streams of a
// simulation.
type Observations struct {
	Name    string // of the tally in a report, if it was asked for by [Simulation.AllObservations]
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

// An observationRecorder keeps observations.
type observationRecorder struct {
	clock   func() float64
	most    int
	n       int64
	batch   int64
	stream  random.Stream
	entries []Observation // Mean is the sum, until it is asked for
}

func (k *observationRecorder) begin() {
	k.n, k.batch, k.stream = 0, 1, 0
	k.entries = k.entries[:0]
}

func (k *observationRecorder) add(x float64) {
	k.n++
	if last := len(k.entries) - 1; last >= 0 && k.entries[last].N < k.batch {
		e := &k.entries[last]
		e.join(Observation{Value: x, Mean: x, Min: x, Max: x, N: 1}, k.draw(e.N+1) == 0)
		return
	}
	if len(k.entries) == k.most {
		k.pair()
		if last := len(k.entries) - 1; k.entries[last].N < k.batch { // of an odd number, one is left over
			k.n--
			k.add(x)
			return
		}
	}
	at := math.NaN()
	if k.clock != nil {
		at = k.clock()
	}
	k.entries = appendUpTo(k.most, k.entries, Observation{At: at, Value: x, Mean: x, Min: x, Max: x, N: 1})
}

// appendUpTo appends to a slice of at most so many, and never allocates more than for those.
func appendUpTo[T any](most int, all []T, x T) []T {
	if len(all) == cap(all) {
		more := make([]T, len(all), min(most, max(16, 2*len(all))))
		copy(more, all)
		all = more
	}
	return append(all, x)
}

// pair merges neighbors.
func (k *observationRecorder) pair() {
	kept := k.entries[:0]
	for i := 0; i < len(k.entries); i += 2 {
		e := k.entries[i]
		if i+1 < len(k.entries) {
			e.join(k.entries[i+1], k.draw(2) == 0)
		}
		kept = append(kept, e)
	}
	k.entries = kept
	k.batch *= 2
}

func (e *Observation) join(other Observation, its bool) {
	if its {
		e.Value = other.Value
	}
	e.Mean += other.Mean
	e.Min, e.Max = min(e.Min, other.Min), max(e.Max, other.Max)
	e.N += other.N
}

// draw returns a random number below n. Its bias is less than n in 2⁶⁴ unless n is a power of two.
func (k *observationRecorder) draw(n int64) uint64 { return k.stream.Uint64() % uint64(n) }

// KeepObservations makes the tally keep observations from now on, in at most so many entries of 48
// bytes; see [Observations]. With a clock, such as the Now of a simulation, it records when they
// were made; the clock may be nil. Reset drops them, and keeping goes on. A tally that keeps
// observations cannot [Tally.Merge] others. It panics if most is below 2.
func (t *Tally) KeepObservations(most int, clock func() float64) {
	if most < 2 {
		panic(fmt.Sprintf("sim: Tally.KeepObservations(%d): at least two observations must be kept", most))
	}
	t.observations = &observationRecorder{clock: clock, most: most}
	t.observations.begin()
}

// Observations returns what the tally has kept. It reports false unless [Tally.KeepObservations],
// or a Keep of what it belongs to, was called.
func (t *Tally) Observations() (Observations, bool) {
	k := t.observations
	if k == nil {
		return Observations{}, false
	}
	o := Observations{N: k.n, Batch: k.batch, Entries: slices.Clone(k.entries)}
	for i := range o.Entries {
		e := &o.Entries[i]
		e.Mean = max(e.Min, min(e.Mean/float64(e.N), e.Max)) // which rounding need not know
	}
	return o, true
}

// A Holding is units of a resource that were held from one time to another.
type Holding struct {
	Resource string
	Who      string // the name of the process; empty if an event held them
	Units    int
	From, To float64
	Held     bool // the units are still held, and To is now
	Lost     bool // the units were taken away: by a preempting request, the end of a shift or a breakdown
}

// A holdingLog keeps the holdings that are over.
type holdingLog struct {
	most      int
	over      []Holding
	missed    int64
	resumedAt map[*Grant]float64 // when work that had been stopped went on, of units that are in use again
}

// from is since when units are in use: work that was stopped and resumed is two holdings.
func (l *holdingLog) from(g *Grant) float64 {
	if at, ok := l.resumedAt[g]; ok {
		return at
	}
	return g.since
}

// resumed records that the units of a grant are in use again.
func (l *holdingLog) resumed(g *Grant) {
	if l.resumedAt == nil {
		l.resumedAt = map[*Grant]float64{}
	}
	l.resumedAt[g] = g.r.s.now
}

// KeepHoldings makes the resource keep its holdings from now on, until so many are over; later ones
// are counted and not kept. It takes at most 64 bytes for each, beside those that are still held.
// It panics if most is below 1.
func (r *Resource) KeepHoldings(most int) {
	if most < 1 {
		panic(fmt.Sprintf("sim: KeepHoldings(%d) of %s: at least one must be kept", most, r.name))
	}
	r.holdings = &holdingLog{most: most}
}

// Holdings returns the holdings of the resource: those that are over, in the order in
// which they ended, and then those that last, in the order in which they began; and how many are
// missing because there were too many. Without [Resource.KeepHoldings], or a Keep, it returns only
// those that last.
func (r *Resource) Holdings() (all []Holding, missed int64) {
	if r.holdings != nil {
		all, missed = append(all, r.holdings.over...), r.holdings.missed
	}
	for g := r.first; g != nil; g = g.next {
		from := g.since
		if r.holdings != nil {
			from = r.holdings.from(g)
		}
		all = append(all, Holding{Resource: r.name, Who: g.holder(), Units: g.n, From: from, To: r.s.now, Held: true})
	}
	return all, missed
}

// add keeps a holding that is over.
func (l *holdingLog) add(g *Grant) {
	from := l.from(g)
	delete(l.resumedAt, g)
	if len(l.over) == l.most {
		l.missed++
		return
	}
	l.over = appendUpTo(l.most, l.over,
		Holding{Resource: g.r.name, Who: g.holder(), Units: g.n, From: from, To: g.r.s.now, Lost: g.lost != nil})
}

// holders are the holdings of a resource, which are reset with its statistics, and not reported.
type holders struct{ r *Resource }

// Reset drops those that are over.
func (h holders) Reset() {
	if l := h.r.holdings; l != nil {
		l.over, l.missed = l.over[:0], 0
	}
}
