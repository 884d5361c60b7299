package lehman

import (
	"math"

	"github.com/almanac-sim/almanac/calendar"
	"github.com/almanac-sim/almanac/calendar/calendartest"
	"github.com/almanac-sim/almanac/calendar/static"
	"github.com/almanac-sim/almanac/internal/random"
	"github.com/almanac-sim/almanac/reproduce"
)

// runHold is the hold model with exponential jumps of mean 1. Every jump is drawn anew: the mean of
// a table of jumps is off by more than what is measured here.
func runHold(run *reproduce.Runner, s calendartest.Set, ops int, r *random.Stream) {
	forEach(run, ops, func(int) error {
		id, at, ok := s.Next()
		if !ok {
			return errEmpty
		}
		return s.Schedule(id, at+r.Exp())
	})
}

// A workCount is the work for an event that was counted.
type workCount struct {
	both           reproduce.Estimate // empty buckets and entries
	empty, entries float64
}

// holdWork counts the work for an event in the hold model: n events, jumps with mean 1, m buckets
// of width x/n.
func holdWork(run *reproduce.Runner, n, m int, x float64, d static.Discipline, batches int) workCount {
	var c workCount
	s := reproduce.Must(static.New(static.Config{Buckets: m, Width: x / float64(n), Discipline: d, Capacity: n}))
	r := random.New(run.Options.Seed, 0x686f6c64, uint64(n), math.Float64bits(x))
	fillHold(run, s, n, &r)
	// What is in a bin is forgotten within a few jumps of every event, so batches of twice as many
	// operations as there are events are nearly independent.
	ops := max(2*n, 100_000)
	each := make([]float64, batches)
	for i := range each {
		before := s.Work()
		runHold(run, s, ops, &r)
		w := s.Work().Since(before)
		c.empty += float64(w.EmptyBuckets) / float64(ops*batches)
		c.entries += float64(w.Traversed) / float64(ops*batches)
		each[i] = float64(w.EmptyBuckets+w.Traversed) / float64(ops)
	}
	c.both = reproduce.Mean(each)
	return c
}

// fillHold schedules n events and lets them jump three times each, so that the start is forgotten.
func fillHold(run *reproduce.Runner, s calendartest.Set, n int, r *random.Stream) {
	forEach(run, n, func(i int) error { return s.Schedule(calendar.ID(i), r.Exp()) })
	runHold(run, s, 3*n, r)
}
