package bench

import (
	"time"

	"github.com/almanac-sim/almanac/calendar/calendartest"
)

// A setSubject is a set under test, with what drives it.
type setSubject struct {
	Cell
	set      calendartest.Set
	jumps    *calendartest.Jumps
	workload Workload
}

// prepareSet makes the set of a cell, fills it and brings it into its steady state.
func prepareSet(c Cell, o Options, r *Result) (subject, error) {
	if c.Workload == fill {
		return prepareFill(c, o)
	}
	structure, err := find(Structures(), c.Structure, "structure", func(s Structure) string { return s.Name })
	if err != nil {
		return nil, err
	}
	workload, err := find(Workloads(), c.Workload, "workload", func(w Workload) string { return w.Name })
	if err != nil {
		return nil, err
	}
	dist, err := find(calendartest.Distributions(), c.Distribution, "distribution",
		func(d calendartest.Distribution) string { return d.Name })
	if err != nil {
		return nil, err
	}
	s := &setSubject{Cell: c, jumps: calendartest.NewJumps(dist, c.N, o.Seed), workload: workload}
	before := heap()
	start := time.Now()
	if s.set, err = structure.New(c.N, dist); err != nil {
		return nil, err
	}
	if err := calendartest.Fill(s.set, c.N, s.jumps); err != nil {
		return nil, err
	}
	r.Fill = float64(time.Since(start).Nanoseconds()) / float64(c.N)
	// Three jumps an event are enough to forget the start.
	ops, _, err := s.work(3*c.N, 0, 2*o.Most)
	if err != nil {
		return nil, err
	}
	r.Cut = ops < 3*c.N
	r.Bytes = float64(heap()-before) / float64(c.N)
	return s, nil
}

// repeat times one repetition. What is small is timed several times each round: it is over so soon
// that a moment's disturbance spoils all of it.
func (s *setSubject) repeat(o Options, r *Result) error {
	times := 1
	if s.N <= 100_000 {
		times = 4
	}
	before := mallocs()
	for range times {
		ops, took, err := s.work(s.N, o.Least, o.Most)
		if err != nil {
			return err
		}
		r.Each = append(r.Each, float64(took.Nanoseconds())/float64(ops))
		r.Ops += ops
		r.Cut = r.Cut || ops < s.N
	}
	r.Allocs += mallocs() - before
	return nil
}

// slice times one of many short turns.
func (s *setSubject) slice(o Options, r *Result) (ops int, took time.Duration, err error) {
	before := mallocs()
	ops, took, err = s.work(1, o.Least, o.Most)
	r.Allocs += mallocs() - before
	return ops, took, err
}

// work does operations until there are at least ops of them and least has passed, or most has.
func (s *setSubject) work(ops int, least, most time.Duration) (done int, took time.Duration, err error) {
	start := time.Now()
	for batch := 64; ; {
		n, err := s.workload.run(s.set, batch, s.N, s.jumps)
		if err != nil {
			return 0, 0, err
		}
		done += n
		took = time.Since(start)
		if done >= ops && took >= least || took >= most {
			return done, took, nil
		}
		// Batches so long that looking at the clock is nothing, so short that a slow set cannot run
		// on for hours.
		if took < 20*time.Millisecond {
			batch *= 2
		}
	}
}
