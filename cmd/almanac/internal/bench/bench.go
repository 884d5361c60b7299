package bench

import (
	"context"
	"fmt"
	"runtime"
	"slices"
	"time"

	"github.com/almanac-sim/almanac/calendar/calendartest"
)

// A Cell is one thing to time.
type Cell struct {
	Structure    string `json:"structure"`
	Workload     string `json:"workload"`
	Distribution string `json:"distribution"`
	N            int    `json:"n"`
}

func (c Cell) String() string {
	return fmt.Sprintf("%s, %s, %s, n = %d", c.Structure, c.Workload, c.Distribution, c.N)
}

// A Result is what was measured of a cell. Times are nanoseconds.
type Result struct {
	Cell
	Plan   int       `json:"plan"`            // results of one plan were measured in turns; those of another before or after
	Fill   float64   `json:"fill_ns"`         // per event, to schedule the first n before any is taken
	Best   float64   `json:"best_ns"`         // per operation, of the fastest repetition
	Spread float64   `json:"spread"`          // the slowest repetition over the fastest
	Each   []float64 `json:"each_ns"`         // every repetition
	Ops    int       `json:"ops"`             // operations timed, all repetitions together
	Bytes  float64   `json:"bytes_per_event"` // of heap, everything counted
	Allocs float64   `json:"allocs_per_op"`   // while timed
	Cut    bool      `json:"cut,omitempty"`   // too slow to warm up fully or to make as many operations as wanted
}

// Options say how long to measure.
type Options struct {
	Repetitions int           // rounds over all cells
	Least       time.Duration // a repetition makes at least n operations and lasts at least this long,
	Most        time.Duration // but no longer than this
	Seed        uint64
	// Progress, if set, is told of each step: how many are done, of how many, and which one comes next.
	Progress func(done, of int, next string)
}

// takeTurns prepares cells, which is called as first says, and then repeats each of them in turns. It tells of the progress, and ends when the
// context is done.
func takeTurns[C fmt.Stringer](ctx context.Context, cells []C, o Options, first string, prepare, repeat func(i int) error) error {
	steps, done := len(cells)*(1+o.Repetitions), 0
	each := func(what string, do func(i int) error) error {
		for i, c := range cells {
			if o.Progress != nil {
				o.Progress(done, steps, c.String()+": "+what)
			}
			done++
			if err := ctx.Err(); err != nil {
				return err
			}
			if err := do(i); err != nil {
				return fmt.Errorf("%v: %w", c, err)
			}
		}
		return nil
	}
	if err := each(first, prepare); err != nil {
		return err
	}
	for r := range o.Repetitions {
		if err := each(fmt.Sprintf("repetition %d", r+1), repeat); err != nil {
			return err
		}
	}
	if o.Progress != nil {
		o.Progress(steps, steps, "")
	}
	return nil
}

// Run measures cells, in turns.
func Run(ctx context.Context, cells []Cell, o Options) ([]Result, error) {
	results := make([]Result, len(cells))
	subjects := make([]*subject, len(cells))
	err := takeTurns(ctx, cells, o, "filling",
		func(i int) (err error) {
			subjects[i], err = prepare(cells[i], o, &results[i])
			return err
		},
		func(i int) error { return subjects[i].repeat(o, &results[i]) })
	if err != nil {
		return nil, err
	}
	for i := range results {
		r := &results[i]
		r.Best = slices.Min(r.Each)
		r.Spread = slices.Max(r.Each) / r.Best
		r.Allocs /= float64(r.Ops)
	}
	return results, nil
}

// A subject is a set under test, with what drives it.
type subject struct {
	Cell
	set      calendartest.Set
	jumps    *calendartest.Jumps
	workload Workload
}

// prepare makes the set of a cell, fills it and brings it into its steady state.
func prepare(c Cell, o Options, r *Result) (*subject, error) {
	structure, err := find(Structures(), c.Structure, "structure", func(s Structure) string { return s.Name })
	if err != nil {
		return nil, err
	}
	workload, err := find(Workloads(), c.Workload, "workload", func(w Workload) string { return w.Name })
	if err != nil {
		return nil, err
	}
	dist, err := find(calendartest.Distributions(), c.Distribution, "distribution", func(d calendartest.Distribution) string { return d.Name })
	if err != nil {
		return nil, err
	}
	s := &subject{Cell: c, jumps: calendartest.NewJumps(dist, c.N, o.Seed), workload: workload}
	r.Cell = c
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

// repeat times one repetition. What is small is timed several times each round: it is over so soon that a moment's
// disturbance spoils all of it.
func (s *subject) repeat(o Options, r *Result) error {
	times := 1
	if s.N <= 100_000 {
		times = 4
	}
	var before, after runtime.MemStats
	runtime.ReadMemStats(&before)
	for range times {
		ops, took, err := s.work(s.N, o.Least, o.Most)
		if err != nil {
			return err
		}
		r.Each = append(r.Each, float64(took.Nanoseconds())/float64(ops))
		r.Ops += ops
		r.Cut = r.Cut || ops < s.N
	}
	runtime.ReadMemStats(&after)
	r.Allocs += float64(after.Mallocs - before.Mallocs)
	return nil
}

// work does operations until there are at least ops of them and least has passed, or most has.
func (s *subject) work(ops int, least, most time.Duration) (done int, took time.Duration, err error) {
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
		// Batches so long that looking at the clock is nothing, so short that a slow set cannot run on for hours.
		if took < 20*time.Millisecond {
			batch *= 2
		}
	}
}

// heap is how much memory is in use once the garbage is gone.
func heap() int {
	runtime.GC()
	var m runtime.MemStats
	runtime.ReadMemStats(&m)
	return int(m.HeapAlloc)
}

// find looks a thing up by its name.
func find[T any](all []T, name, kind string, nameOf func(T) string) (T, error) {
	var known []string
	for _, t := range all {
		if nameOf(t) == name {
			return t, nil
		}
		known = append(known, nameOf(t))
	}
	var none T
	return none, fmt.Errorf("no %s is called %q; there are %q", kind, name, known)
}
