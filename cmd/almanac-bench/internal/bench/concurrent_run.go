package bench

import (
	"fmt"
	"runtime"
	"runtime/metrics"
	"sync"
	"sync/atomic"
	"time"

	"github.com/almanac-sim/almanac/cmd/almanac-bench/internal/bench/rivals"
	"github.com/almanac-sim/almanac/internal/random"
	"github.com/almanac-sim/almanac/relaxed/relaxedtest"
)

const (
	turn        = 10 * time.Millisecond // that a goroutine has a processor before others get it
	between     = 64                    // operations before a goroutine looks whether it is time to stop
	mostMetered = 4_000_000             // operations that a metered run makes at most
	fastest     = 20_000_000            // operations that a metered goroutine makes in a second at most
	perElement  = 600 * time.Nanosecond // that a metered run lasts
	mostInTurns = 25_000_000            // elements of all queues that take turns
	warmest     = 2 * time.Second       // that warming up takes at most
)

// A sharedSubject is a queue under test, with those who use it.
type sharedSubject struct {
	Cell
	queue   rivals.Concurrent
	workers []*worker
	hold    bool
	size    int // how many elements it should have
}

// A worker is what a goroutine keeps from one repetition to the next. It fills two cache lines of
// its own.
type worker struct {
	random            random.Stream
	now               float64 // key of the last element removed
	balance           int     // insertions less removals
	inserted, removed int
	failed            int
	_                 [128 - 48]byte
}

// lasts is how long a repetition lasts: if there are more goroutines than processors, so long that
// each has two turns.
func lasts(o Options, goroutines int) time.Duration {
	processors := runtime.GOMAXPROCS(0)
	if goroutines <= processors {
		return o.Least
	}
	return max(o.Least, time.Duration((goroutines+processors-1)/processors)*2*turn)
}

// stray is how many more insertions than removals a goroutine makes at most, or fewer, where it
// does not hold.
func (c Cell) stray() int { return max(1, c.N/(4*c.Goroutines)) }

// prepareShared makes the queue of a cell, fills it, meters it, and brings it into its steady
// state.
func prepareShared(c Cell, o Options, r *Result) (subject, error) {
	structure, err := find(SharedStructures(), c.Structure, "structure", func(s Shared) string { return s.Name })
	if err != nil {
		return nil, err
	}
	if _, err := find(SharedWorkloads(), c.Workload, "workload", func(w Workload) string { return w.Name }); err != nil {
		return nil, err
	}
	if structure.Alone && (c.Goroutines > 1 || c.Workload != Hold) {
		return nil, fmt.Errorf("%s is for one goroutine, and %s", structure.Name, Hold)
	}
	before := heap()
	s := &sharedSubject{Cell: c, hold: c.Workload == Hold, size: c.N}
	for g := range c.Goroutines {
		s.workers = append(s.workers, &worker{random: random.New(o.Seed, 1, uint64(g))})
	}
	if structure.Alone {
		s.queue = structure.New(c.N, 1)
		for i := range c.N {
			s.queue.Insert(s.workers[0].random.Exp(), uint64(i))
		}
	} else if r.Meter, err = s.leastDisturbed(structure, o); err != nil {
		return nil, err
	}
	// Three jumps an element are enough to forget the start.
	for began, ops := time.Now(), 0; ops < 2*3*c.N && time.Since(began) < warmest; {
		ops += s.work(lasts(o, c.Goroutines)).ops
	}
	if err := s.check(); err != nil {
		return nil, err
	}
	r.Bytes = float64(heap()-before) / float64(c.N)
	return s, nil
}

// leastDisturbed meters queues, and returns the least rank errors. The last queue stays. If there
// are no more goroutines than processors, they are halted in the middle of an operation only
// because of something else that the machine does: then there are three tries.
func (s *sharedSubject) leastDisturbed(structure Shared, o Options) (best *relaxedtest.Report, err error) {
	tries := 1
	if s.Goroutines > 1 && s.Goroutines <= runtime.GOMAXPROCS(0) {
		tries = 3
	}
	for range tries {
		s.queue = structure.New(s.N, s.Goroutines)
		r, err := s.meter(o)
		if err != nil {
			return nil, err
		}
		if best == nil || r.Rank.Mean < best.Rank.Mean {
			best = r
		}
		if best.Rank.Mean == 0 {
			break
		}
	}
	return best, nil
}

// meter fills the queue and measures its rank errors. Its elements stay in the queue.
func (s *sharedSubject) meter(o Options) (*relaxedtest.Report, error) {
	work := relaxedtest.Hold
	if !s.hold {
		work = relaxedtest.Mixed(s.stray())
	}
	// What happens once for many elements, as when a calendar opens a large bucket, should happen
	// some times.
	duration := max(lasts(o, s.Goroutines), min(time.Duration(s.N)*perElement, time.Second))
	trace := relaxedtest.Meter{
		Goroutines: s.Goroutines, Fill: s.N, Workload: work, Seed: o.Seed, Duration: duration,
		Operations: int(min(mostMetered/float64(s.Goroutines), fastest*duration.Seconds()+between)),
	}.Run(s.queue)
	report, err := relaxedtest.Replay(trace)
	if err != nil {
		return nil, err
	}
	s.size = report.Left
	for g, log := range trace.Logs { // where each goroutine has come to
		for _, op := range log {
			if op.Kind == relaxedtest.Removal {
				s.workers[g].now = op.Key
			}
		}
	}
	return &report, s.check()
}

// check compares the number of elements with what it should be.
func (s *sharedSubject) check() error {
	if got := s.queue.Len(); got != s.size {
		return fmt.Errorf("the queue has %d elements, and should have %d", got, s.size)
	}
	return nil
}

// repeat times one repetition.
func (s *sharedSubject) repeat(o Options, r *Result) error {
	ops, took, err := s.slice(o, r)
	r.Ops += ops
	r.Each = append(r.Each, r.speed(ops, took))
	return err
}

// slice times one of many short turns.
func (s *sharedSubject) slice(o Options, r *Result) (ops int, took time.Duration, err error) {
	d := s.work(lasts(o, s.Goroutines))
	r.Failed += d.failed
	r.Allocs += d.allocs
	r.GC += d.gc
	return d.ops, d.took, s.check()
}

// A done is what was done in some time.
type done struct {
	ops, failed int // operations that succeeded, and removals that did not
	took        time.Duration
	allocs, gc  float64 // allocations, and the share of the processors' time that went into garbage
}

// work lets the goroutines work for a while.
func (s *sharedSubject) work(duration time.Duration) (d done) {
	var stop atomic.Bool
	var wg sync.WaitGroup
	ready := make(chan struct{})
	for _, w := range s.workers {
		w.inserted, w.removed, w.failed = 0, 0, 0
		wg.Go(func() {
			<-ready
			for first := true; first || !stop.Load(); first = false { // something, even if it is late to begin
				if s.hold {
					w.holds(s.queue)
				} else {
					w.mixes(s.queue, s.stray())
				}
			}
		})
	}
	before := mallocs()
	gcBefore, allBefore := processorTime()
	start := time.Now()
	close(ready)
	time.Sleep(duration)
	stop.Store(true)
	wg.Wait()
	d.took = time.Since(start)
	gcAfter, allAfter := processorTime()
	after := mallocs()
	for _, w := range s.workers {
		d.ops += w.inserted + w.removed
		d.failed += w.failed
		s.size += w.inserted - w.removed
	}
	d.allocs = after - before
	if allAfter > allBefore {
		d.gc = (gcAfter - gcBefore) / (allAfter - allBefore)
	}
	return d
}

// holds removes and inserts some times.
func (w *worker) holds(q rivals.Concurrent) {
	for range between {
		key, value, ok := q.Remove()
		if !ok {
			w.failed++
			continue
		}
		w.removed++
		q.Insert(key+w.random.Exp(), value)
		w.inserted++
	}
}

// mixes inserts or removes some times. Its balance does not stray further than told, so that the
// number of elements stays what it is said to be.
func (w *worker) mixes(q rivals.Concurrent, stray int) {
	for range between {
		if insert := w.random.Uint64()>>63 == 0; w.balance <= -stray || insert && w.balance < stray {
			q.Insert(w.now+w.random.Exp(), 0)
			w.inserted++
			w.balance++
		} else if key, _, ok := q.Remove(); ok {
			w.now = key
			w.removed++
			w.balance--
		} else {
			w.failed++
		}
	}
}

// processorTime is how long processors have collected garbage, and how long they have been busy
// with anything, in seconds.
func processorTime() (gc, busy float64) {
	samples := []metrics.Sample{
		{Name: "/cpu/classes/gc/total:cpu-seconds"}, {Name: "/cpu/classes/total:cpu-seconds"},
		{Name: "/cpu/classes/idle:cpu-seconds"},
	}
	metrics.Read(samples)
	return samples[0].Value.Float64(), samples[1].Value.Float64() - samples[2].Value.Float64()
}

// SharedPlans arranges cells in plans. Those of one workload and size take turns, by slices or by
// repetitions, unless there would be too many elements in memory; then those of one number of
// goroutines do.
func SharedPlans(structures, workloads []string, sizes, goroutines []int, slices bool) (plans [][]Cell) {
	single := map[string]bool{}
	for _, s := range SharedStructures() {
		single[s.Name] = s.Alone
	}
	for _, w := range workloads {
		for _, n := range sizes {
			var plan []Cell
			for _, g := range goroutines {
				for _, s := range structures {
					if !single[s] || g == 1 && w == Hold {
						plan = append(plan, Cell{Kind: SharedQueues, Structure: s, Workload: w, N: n, Goroutines: g, Slices: slices})
					}
				}
				if n*len(structures)*len(goroutines) > mostInTurns && len(plan) > 0 {
					plans = append(plans, plan)
					plan = nil
				}
			}
			if len(plan) > 0 {
				plans = append(plans, plan)
			}
		}
	}
	return plans
}
