package bench

import (
	"context"
	"fmt"
	"runtime"
	"slices"
	"strings"
	"time"

	"github.com/almanac-sim/almanac/relaxed/relaxedtest"
)

// A Kind is a family of things that can be timed against each other.
type Kind int

// The kinds.
const (
	EventSets     Kind = iota // pending-event sets: Structures and Workloads
	SharedQueues              // priority queues that goroutines share: SharedStructures and SharedWorkloads
	SimKernels                // what runs simulations: Kernels and Simulations
	CappedEngines             // ways to run CAPPED: Engines
	WholeRuns                 // of models in files, and of the command: Runs
)

// A family is what is particular to a kind.
type family struct {
	first    string // what preparing is called
	rates    bool   // what is measured is operations per second, not nanoseconds per operation
	single   bool   // on one processor
	baseline string // the structure that others are compared with in Over, if there is one
	prepare  func(c Cell, o Options, r *Result) (subject, error)
	judge    func(results []Result, j *judge)
	keys     func(r *Result) []key // in JSON
}

// A subject is something under test, prepared. It can be repeated any number of times.
type subject interface {
	repeat(o Options, r *Result) error
}

func (k Kind) family() family {
	switch k {
	case EventSets:
		return family{first: "filling", prepare: prepareSet, judge: judgeSets, keys: setKeys}
	case SharedQueues:
		return family{first: "metering", rates: true, prepare: prepareShared, judge: judgeShared, keys: sharedKeys}
	case SimKernels:
		return family{first: "looking it up", rates: true, single: true, baseline: "channels", prepare: prepareKernel,
			judge: judgeKernels, keys: kernelKeys}
	case CappedEngines:
		return family{first: "filling", rates: true, baseline: "literal", prepare: prepareEngine,
			judge: func([]Result, *judge) {}, keys: engineKeys}
	case WholeRuns:
		return family{first: "reading", prepare: prepareRun, judge: judgeRuns, keys: runKeys}
	}
	panic(fmt.Sprintf("bench: there is no kind %d", k))
}

// A Cell is one thing to time. What does not apply to its kind is empty.
type Cell struct {
	Kind         Kind
	Structure    string // set, queue, kernel or engine
	Workload     string
	Distribution string // of the jumps
	N            int    // events, elements or bins
	Goroutines   int
	Capacity     int     // of a bin
	Rate         float64 // new balls per bin and round
	Slices       bool    // of sets and queues: by short turns with the others of its plan, which all are; see inSlices
}

func (c Cell) String() string {
	words := []string{c.Structure}
	for _, w := range []string{c.Workload, c.Distribution} {
		if w != "" {
			words = append(words, w)
		}
	}
	for _, w := range []struct {
		name  string
		value int
	}{{"n", c.N}, {"goroutines", c.Goroutines}, {"capacity", c.Capacity}} {
		if w.value > 0 {
			words = append(words, fmt.Sprintf("%s = %d", w.name, w.value))
		}
	}
	return strings.Join(words, ", ")
}

// A Result is what was measured of a cell. Speeds are nanoseconds per operation of event sets,
// seconds of whole runs, and operations per second of all others. An operation is what the kind
// counts: one on a set, one on a queue that succeeded, an event, or a ball thrown.
type Result struct {
	Cell
	Plan   int       // results of one plan were measured in turns; those of another before or after
	Best   float64   // speed of the fastest repetition
	Spread float64   // how many times as long the slowest repetition took
	Each   []float64 // speed of every repetition
	Ops    int       // operations timed, all repetitions together
	// of heap, everything counted: per event or element, and of an engine altogether; of a run what
	// the program had at its peak
	Bytes  float64
	Allocs float64 // per operation, while timed; not of engines
	Over   float64 // Best over that of the structure that others are compared with, where there is one

	// In slices: the speed of all together, and over that of the first cell of the plan with as
	// many goroutines, the median of the rounds.
	Mean, Median float64

	// Of event sets.
	Fill float64 // nanoseconds per event, to schedule the first n before any is taken
	Cut  bool    // too slow to warm up fully or to make as many operations as wanted
	// Of shared queues.
	Failed int                 // removals that failed while timed
	GC     float64             // share of the processors' time while timed
	Meter  *relaxedtest.Report // of another run, not timed; nil if there was none

	// Of kernels and engines.
	Rounds      int     // all repetitions together; RoundName says what one is
	RoundsSpeed float64 // rounds per second, in the fastest repetition
	Pool        float64 // of engines: balls per bin, on average after a round

	Setup float64 // of runs: seconds of the fastest set-up
}

// RoundName is what a round of a kernel's workload is.
func (r *Result) RoundName() string {
	return map[string]string{"events": "event", "processes": "switch", "m/m/1": "customer"}[r.Workload]
}

// add notes a repetition of a kind that counts rounds.
func (r *Result) add(ops, rounds int, took time.Duration) {
	r.Ops += ops
	r.Rounds += rounds
	speed := float64(ops) / took.Seconds()
	if len(r.Each) == 0 || speed > slices.Max(r.Each) {
		r.RoundsSpeed = float64(rounds) / took.Seconds()
	}
	r.Each = append(r.Each, speed)
}

// Options say how long to measure.
type Options struct {
	Repetitions int           // rounds over all cells
	Least       time.Duration // a repetition lasts at least this long, and of a set makes at least n operations,
	Most        time.Duration // but no longer than this
	Seed        uint64
	Program     string // that is started, to time that
	// Progress, if set, is told of each step: how many are done, of how many, and which one comes
	// next.
	Progress func(done, of int, next string)
}

// Run measures cells, in turns: all are prepared, and then each is repeated in every round. It ends
// when the context is done.
func Run(ctx context.Context, cells []Cell, o Options) ([]Result, error) {
	if slices.ContainsFunc(cells, func(c Cell) bool { return c.Kind.family().single }) {
		defer runtime.GOMAXPROCS(runtime.GOMAXPROCS(1))
	}
	results := make([]Result, len(cells))
	subjects := make([]subject, len(cells))
	defer func() {
		for _, s := range subjects {
			if s, ok := s.(interface{ close() }); ok {
				s.close()
			}
		}
	}()
	steps, done := len(cells)*(1+o.Repetitions), 0
	step := func(i int, what string, do func(i int) error) error {
		if o.Progress != nil {
			o.Progress(done, steps, cells[i].String()+": "+what)
		}
		done++
		if err := ctx.Err(); err != nil {
			return err
		}
		if err := do(i); err != nil {
			return fmt.Errorf("%v: %w", cells[i], err)
		}
		return nil
	}
	for i, c := range cells {
		f := c.Kind.family()
		if err := step(i, f.first, func(i int) (err error) {
			results[i].Cell = c
			subjects[i], err = f.prepare(c, o, &results[i])
			return err
		}); err != nil {
			return nil, err
		}
	}
	if len(cells) > 0 && cells[0].Slices {
		if err := inSlices(ctx, subjects, o, results, func(share float64, next string) {
			if o.Progress != nil {
				o.Progress(len(cells)+int(share*float64(steps-len(cells))), steps, next)
			}
		}); err != nil {
			return nil, err
		}
		o.Repetitions = 0
	}
	for r := range o.Repetitions {
		for i := range cells {
			if err := step(i, fmt.Sprintf("repetition %d", r+1), func(i int) error {
				return subjects[i].repeat(o, &results[i])
			}); err != nil {
				return nil, err
			}
		}
	}
	if o.Progress != nil {
		o.Progress(steps, steps, "")
	}
	settle(results)
	return results, nil
}

// settle makes of what was summed over all repetitions what a result says.
func settle(results []Result) {
	best := map[Cell]float64{}
	for i := range results {
		r := &results[i]
		low, high := slices.Min(r.Each), slices.Max(r.Each)
		r.Best, r.Spread = low, high/low
		if r.Kind.family().rates {
			r.Best = high
		}
		r.Allocs /= float64(max(1, r.Ops))
		r.GC /= float64(len(r.Each))
		r.Pool /= float64(max(1, r.Rounds))
		best[r.Cell] = r.Best
	}
	for i := range results {
		r := &results[i]
		c := r.Cell
		if c.Structure = c.Kind.family().baseline; c.Structure != "" && best[c] > 0 {
			r.Over = r.Best / best[c]
		}
	}
}

// heap is how much memory is in use once the garbage is gone. What has a cleanup, and what waits in
// pools, goes with the collection after the one that finds it.
func heap() int {
	runtime.GC()
	runtime.GC()
	var m runtime.MemStats
	runtime.ReadMemStats(&m)
	return int(m.HeapAlloc)
}

// mallocs is how many allocations there have been.
func mallocs() float64 {
	var m runtime.MemStats
	runtime.ReadMemStats(&m)
	return float64(m.Mallocs)
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
