package sim

import (
	"fmt"
	"iter"
)

// A Keeping says how a [Level] keeps its course, and with how much memory: [EveryChange], [Sampled] or [Thinned]. A [Tally] takes from it how
// many observations it may keep.
type Keeping struct {
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

// EveryChange keeps every change, exactly, until there are so many stretches between changes; what comes later is not kept, and
// [Course.Complete] tells. It takes at most 32 bytes for each of them. It panics if most is below 1.
func EveryChange(most int) Keeping {
	if most < 1 {
		panic(fmt.Sprintf("sim: EveryChange(%d): at least one stretch must be kept", most))
	}
	return Keeping{how: everyChange, most: most}
}

// Sampled keeps the value at every interval, from when keeping begins: of several changes at that instant, the last one. When there
// would be more than most samples, every other one is dropped and the interval doubles. It takes at most 32 bytes for each. It panics if
// the interval is not a positive number, or if most is below 2.
func Sampled(interval float64, most int) Keeping {
	if !(interval > 0 && finite(interval)) || most < 2 {
		panic(fmt.Sprintf("sim: Sampled(%v, %d): the interval must be a positive number, and at least two samples be kept", interval, most))
	}
	return Keeping{how: sampled, most: most, interval: interval}
}

// Thinned keeps every change, exactly, as long as there are at most so many stretches between changes. When there are more, stretches that
// lie within the same of equal parts of the time are put together, with their mean, their minimum and their maximum, and the
// parts double as time goes on. So the area under the path stays what it was, but for rounding, and a stretch that is longer than a part
// stays exact. It takes at most 32 bytes for each stretch, and a change still takes amortised constant time. It panics if most
// is below 2.
func Thinned(most int) Keeping {
	if most < 2 {
		panic(fmt.Sprintf("sim: Thinned(%d): at least two stretches must be kept", most))
	}
	return Keeping{how: thinned, most: most}
}

// String is the call that makes it.
func (k Keeping) String() string {
	switch k.how {
	case sampled:
		return fmt.Sprintf("Sampled(%v, %d)", k.interval, k.most)
	case thinned:
		return fmt.Sprintf("Thinned(%d)", k.most)
	}
	return fmt.Sprintf("EveryChange(%d)", k.most)
}

// check panics if it was not made by one of the functions.
func (k Keeping) check() {
	if k.most < 1 {
		panic("sim: a Keeping is made by EveryChange, Sampled or Thinned")
	}
}

// Keep makes all statistics with a name keep their past from now on, also those that will be made: levels their courses, tallies as many of
// their observations, and resources as many of who held their units. [Simulation.Courses], [Simulation.Observations] and
// [Simulation.Holdings] tell. Nothing that was kept before is kept any more. Without it nothing is kept, and nothing is paid.
func (s *Simulation) Keep(k Keeping) {
	k.check()
	s.registry.keeping = &k
	for _, x := range s.registry.named {
		keep(x.what, k, s.clock)
	}
}

// keep makes a statistic keep its past.
func keep(what resetter, k Keeping, clock func() float64) {
	switch x := what.(type) {
	case *Level:
		x.Keep(k)
	case capacities:
		x.of.total.Keep(k)
	case *Tally:
		x.Keep(max(k.most, 2), clock)
	case holders:
		x.r.KeepHoldings(k.most)
	}
}

// keepAll is keep for all statistics of something.
func keepAll(x observed, k Keeping, clock func() float64) {
	k.check()
	x.statistics(func(_ string, what resetter) { keep(what, k, clock) })
}

// Keep makes the resource keep its past from now on, as [Simulation.Keep] does for all: the courses of Usage, Queue and the
// capacity, the observations of Waits, and its Holdings.
func (r *Resource) Keep(k Keeping) { keepAll(r, k, r.s.clock) }

// Courses are those of all levels with a name that keep one, in the order in which they were made. That of a resource's capacity is among
// them.
func (s *Simulation) Courses() (all []Course) {
	for _, x := range s.registry.named {
		level, name := (*Level)(nil), x.name
		switch what := x.what.(type) {
		case *Level:
			level = what
		case capacities:
			level, name = &what.of.total, name+" capacity"
		}
		if level == nil {
			continue
		}
		if c, ok := level.Course(); ok {
			c.Name = name
			all = append(all, c)
		}
	}
	return all
}

// Observations are those of all tallies with a name that keep some, in the order in which they were made.
func (s *Simulation) Observations() (all []Observations) {
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

// Holdings are those of all resources with a name that keep them, in the order in which the resources were made. Those that were too many to be kept
// are not among them; [Simulation.MissedHoldings] tells how many these are.
func (s *Simulation) Holdings() (all []Holding) {
	for _, x := range s.registry.named {
		if h, ok := x.what.(holders); ok {
			held, _ := h.r.Holdings()
			all = append(all, held...)
		}
	}
	return all
}

// MissedHoldings are the resources with a name that had more holdings than they may keep, in the order in which they were made, and how many are
// missing of each among [Simulation.Holdings].
func (s *Simulation) MissedHoldings() iter.Seq2[string, int64] {
	return func(yield func(string, int64) bool) {
		for _, x := range s.registry.named {
			if h, ok := x.what.(holders); ok && h.r.holdings != nil && h.r.holdings.missed > 0 && !yield(h.r.name, h.r.holdings.missed) {
				return
			}
		}
	}
}
