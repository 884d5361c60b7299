package sim

import (
	"fmt"
	"iter"
	"math"
	"slices"

	"github.com/almanac-sim/almanac/internal/random"
	"github.com/almanac-sim/almanac/sim/history"
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
// changes are not kept, and [history.Series].Complete is false. It takes at most 32 bytes for each
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
func (s *Simulation) AllTimeSeries() (all []history.Series) {
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
func (s *Simulation) AllObservations() (all []history.Observations) {
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
func (s *Simulation) AllHoldings() (all []history.Holding) {
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
func (c *seriesRecorder) series(since, now, x float64) history.Series {
	k := *c
	k.points = slices.Clone(c.points)
	k.take(since, now, x)
	for k.how == sampled && k.sampleAt() == now {
		k.addSample(x)
	}
	all := history.Series{Start: k.start, End: k.until, Width: k.width, Sampled: k.how == sampled, Complete: !k.full}
	for i, p := range k.points {
		point := history.Point{From: k.from(i), To: p.to, Min: p.low, Max: p.high}
		switch {
		case k.how == sampled:
			point = history.Point{From: p.to, To: p.to, Mean: p.area, Min: p.area, Max: p.area}
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
func (l *TimeWeighted) TimeSeries() (history.Series, bool) {
	if l.series == nil {
		return history.Series{}, false
	}
	return l.series.series(l.since, l.now(), l.value), true
}

// An observationRecorder keeps observations.
type observationRecorder struct {
	clock   func() float64
	most    int
	n       int64
	batch   int64
	stream  random.Stream
	entries []history.Observation // Mean is the sum, until it is asked for
}

func (k *observationRecorder) begin() {
	k.n, k.batch, k.stream = 0, 1, 0
	k.entries = k.entries[:0]
}

func (k *observationRecorder) add(x float64) {
	k.n++
	if last := len(k.entries) - 1; last >= 0 && k.entries[last].N < k.batch {
		e := &k.entries[last]
		join(e, history.Observation{Value: x, Mean: x, Min: x, Max: x, N: 1}, k.draw(e.N+1) == 0)
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
	k.entries = appendUpTo(k.most, k.entries, history.Observation{At: at, Value: x, Mean: x, Min: x, Max: x, N: 1})
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
			join(&e, k.entries[i+1], k.draw(2) == 0)
		}
		kept = append(kept, e)
	}
	k.entries = kept
	k.batch *= 2
}

// join merges an entry with the next, and takes the value of the next if its is true.
func join(e *history.Observation, other history.Observation, its bool) {
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
// bytes; see [history.Observations]. With a clock, such as the Now of a simulation, it records when
// they were made; the clock may be nil. Reset drops them, and keeping goes on. A tally that keeps
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
func (t *Tally) Observations() (history.Observations, bool) {
	k := t.observations
	if k == nil {
		return history.Observations{}, false
	}
	o := history.Observations{N: k.n, Batch: k.batch, Entries: slices.Clone(k.entries)}
	for i := range o.Entries {
		e := &o.Entries[i]
		e.Mean = max(e.Min, min(e.Mean/float64(e.N), e.Max)) // which rounding need not know
	}
	return o, true
}

// A holdingLog keeps the holdings that are over.
type holdingLog struct {
	most      int
	over      []history.Holding
	missed    int64
	resumedAt map[*Grant]float64 // when work that had been stopped went on, of units that are in use again
}

// from is since when units are in use: work that was stopped and resumed is two holdings.
func (l *holdingLog) from(g *Grant) float64 {
	if at, ok := l.resumedAt[g]; ok {
		return at
	}
	return g.granted.time
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
func (r *Resource) Holdings() (all []history.Holding, missed int64) {
	if r.holdings != nil {
		all, missed = append(all, r.holdings.over...), r.holdings.missed
	}
	for g := r.first; g != nil; g = g.next {
		from := g.granted.time
		if r.holdings != nil {
			from = r.holdings.from(g)
		}
		all = append(all, history.Holding{Resource: r.name, Who: g.holder(), Units: g.n, From: from, To: r.s.now, Held: true})
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
		history.Holding{Resource: g.r.name, Who: g.holder(), Units: g.n, From: from, To: g.r.s.now, TakenAway: g.lost != nil})
}

// holders are the holdings of a resource, which are reset with its statistics, and not reported.
type holders struct{ r *Resource }

// Reset drops those that are over.
func (h holders) Reset() {
	if l := h.r.holdings; l != nil {
		l.over, l.missed = l.over[:0], 0
	}
}
