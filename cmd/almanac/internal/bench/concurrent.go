package bench

import (
	"context"
	"fmt"
	"math"
	"runtime"
	"runtime/metrics"
	"slices"
	"sync"
	"sync/atomic"
	"time"

	"github.com/almanac-sim/almanac/calendar"
	"github.com/almanac-sim/almanac/cmd/almanac/internal/bench/rivals"
	"github.com/almanac-sim/almanac/internal/random"
	"github.com/almanac-sim/almanac/spray"
	"github.com/almanac-sim/almanac/spray/spraytest"
)

// A Shared is a priority queue that several goroutines use at once, to be timed.
type Shared struct {
	Name  string
	About string
	// Alone says that it is for one goroutine only, and can only hold: something to compare with, when asked for by name. It is exact,
	// and not metered.
	Alone bool
	// New makes one for n elements and a number of goroutines.
	New func(n, goroutines int) rivals.Concurrent
}

// Names of structures by which targets are judged, and of the second workload.
const (
	sharedList     = "list"
	sharedCalendar = "calendar"
	sharedBinary   = "mutex+container/heap"
	sharedHeap     = "mutex+4-ary heap"
	sharedMulti    = "multiqueue"
	Mixed          = "mixed"
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

// SharedStructures lists what can be timed, our own first.
func SharedStructures() []Shared {
	all := []Shared{
		{
			Name:  sharedList,
			About: "spray.List, told the number of goroutines, Spray",
			New: func(_, goroutines int) rivals.Concurrent {
				return sprayed{spray.New[float64, uint64](spray.Processes(goroutines))}
			},
		},
		{
			Name:  "list exact",
			About: "spray.List, DeleteMin",
			New: func(_, goroutines int) rivals.Concurrent {
				return exact{spray.New[float64, uint64](spray.Processes(goroutines))}
			},
		},
		{
			Name:  sharedCalendar,
			About: "spray.Calendar, told how many of the goroutines run at once",
			New: func(_, goroutines int) rivals.Concurrent {
				return calendarQueue{spray.NewCalendar[uint64](spray.For(min(goroutines, runtime.GOMAXPROCS(0))))}
			},
		},
	}
	for _, r := range rivals.AllConcurrent() {
		all = append(all, Shared{Name: r.Name, About: r.About, New: r.New})
	}
	return append(all, Shared{
		Name:  Queue,
		About: "calendar.Queue, Next and Schedule: for one goroutine, holding",
		Alone: true,
		New:   func(n, _ int) rivals.Concurrent { return alone{calendar.New(calendar.Capacity(n))} },
	})
}

type sprayed struct{ *spray.List[float64, uint64] }

func (q sprayed) Insert(key float64, value uint64) { q.List.Insert(key, value) }
func (q sprayed) Remove() (float64, uint64, bool)  { return q.Spray() }
func (q sprayed) Collisions() uint64               { return q.Stats().Collisions }

type exact struct{ *spray.List[float64, uint64] }

func (q exact) Insert(key float64, value uint64) { q.List.Insert(key, value) }
func (q exact) Remove() (float64, uint64, bool)  { return q.DeleteMin() }

type calendarQueue struct{ *spray.Calendar[uint64] }

func (q calendarQueue) Insert(key float64, value uint64) {
	if _, err := q.Schedule(key, value); err != nil {
		panic(err) // all keys are finite
	}
}

func (q calendarQueue) Remove() (float64, uint64, bool) {
	value, at, ok := q.Next()
	return at, value, ok
}

func (q calendarQueue) Collisions() uint64 {
	sum, _ := q.Stats()
	return sum.Waits
}

// alone takes values for ids.
type alone struct{ *calendar.Queue }

func (q alone) Insert(key float64, value uint64) {
	if err := q.Schedule(calendar.ID(value), key); err != nil {
		panic(err) // holding never schedules in the past, or twice
	}
}

func (q alone) Remove() (float64, uint64, bool) {
	id, at, ok := q.Next()
	return at, uint64(id), ok
}

// SharedWorkloads lists what goroutines do to a queue.
func SharedWorkloads() []Workload {
	return []Workload{
		{Name: Hold, About: "remove, and insert an exponential time of mean 1 after what was removed"},
		{Name: Mixed, About: "insert or remove, with equal probability"},
	}
}

// A SharedCell is one thing to time.
type SharedCell struct {
	Structure  string `json:"structure"`
	Workload   string `json:"workload"`
	N          int    `json:"n"`
	Goroutines int    `json:"goroutines"`
}

func (c SharedCell) String() string {
	return fmt.Sprintf("%s, %s, n = %d, goroutines = %d", c.Structure, c.Workload, c.N, c.Goroutines)
}

// A SharedResult is what was measured of a cell.
type SharedResult struct {
	SharedCell
	Plan   int               `json:"plan"`              // results of one plan were measured in turns
	Best   float64           `json:"best_per_second"`   // operations that succeeded per second, of all goroutines, in the fastest repetition
	Spread float64           `json:"spread"`            // the fastest repetition over the slowest
	Each   []float64         `json:"each_per_second"`   // every repetition
	Ops    int               `json:"ops"`               // operations that succeeded while timed, all repetitions together
	Failed int               `json:"failed"`            // removals that failed while timed
	Bytes  float64           `json:"bytes_per_element"` // of heap, everything counted
	Allocs float64           `json:"allocs_per_op"`     // while timed
	GC     float64           `json:"gc_share"`          // of the processors' time while timed
	Meter  *spraytest.Report `json:"meter,omitempty"`   // of another run, not timed
}

// RunShared measures cells, in turns.
func RunShared(ctx context.Context, cells []SharedCell, o Options) ([]SharedResult, error) {
	results := make([]SharedResult, len(cells))
	subjects := make([]*sharedSubject, len(cells))
	err := takeTurns(ctx, cells, o, "metering",
		func(i int) (err error) {
			subjects[i], err = prepareShared(cells[i], o, &results[i])
			return err
		},
		func(i int) error { return subjects[i].repeat(o, &results[i]) })
	if err != nil {
		return nil, err
	}
	for i := range results {
		r := &results[i]
		r.Best = slices.Max(r.Each)
		r.Spread = r.Best / slices.Min(r.Each)
		r.Allocs /= float64(max(1, r.Ops))
		r.GC /= float64(o.Repetitions)
	}
	return results, nil
}

// A sharedSubject is a queue under test, with those who use it.
type sharedSubject struct {
	SharedCell
	queue   rivals.Concurrent
	workers []*worker
	hold    bool
	size    int // how many elements it should have
}

// A worker is what a goroutine keeps from one repetition to the next. It fills two cache lines of its own.
type worker struct {
	random            random.Stream
	now               float64 // key of the last element removed
	balance           int     // insertions less removals
	inserted, removed int
	failed            int
	_                 [128 - 48]byte
}

// lasts is how long a repetition lasts: if there are more goroutines than processors, so long that each has two turns.
func lasts(o Options, goroutines int) time.Duration {
	processors := runtime.GOMAXPROCS(0)
	if goroutines <= processors {
		return o.Least
	}
	return max(o.Least, time.Duration((goroutines+processors-1)/processors)*2*turn)
}

// stray is how many more insertions than removals a goroutine makes at most, or fewer, where it does not hold.
func (c SharedCell) stray() int { return max(1, c.N/(4*c.Goroutines)) }

// prepareShared makes the queue of a cell, fills it, meters it, and brings it into its steady state.
func prepareShared(c SharedCell, o Options, r *SharedResult) (*sharedSubject, error) {
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
	r.SharedCell = c
	before := heap()
	s := &sharedSubject{SharedCell: c, hold: c.Workload == Hold, size: c.N}
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

// leastDisturbed meters queues, and returns the least rank errors. The last queue stays. If there are no more goroutines than
// processors, they are halted in the middle of an operation only because of something else that the machine does: then there are
// three tries.
func (s *sharedSubject) leastDisturbed(structure Shared, o Options) (best *spraytest.Report, err error) {
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
func (s *sharedSubject) meter(o Options) (*spraytest.Report, error) {
	work := spraytest.Workload(spraytest.Hold)
	if !s.hold {
		work = spraytest.Mixed(s.stray())
	}
	// What happens once for many elements, as when a calendar opens a large bucket, should happen some times.
	duration := max(lasts(o, s.Goroutines), min(time.Duration(s.N)*perElement, time.Second))
	trace := spraytest.Meter{
		Goroutines: s.Goroutines, Fill: s.N, Workload: work, Seed: o.Seed, Duration: duration,
		Operations: int(min(mostMetered/float64(s.Goroutines), fastest*duration.Seconds()+between)),
	}.Run(s.queue)
	report, err := spraytest.Replay(trace)
	if err != nil {
		return nil, err
	}
	s.size = report.Left
	for g, log := range trace.Logs { // where each goroutine has come to
		for _, op := range log {
			if op.Kind == spraytest.Removal {
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
func (s *sharedSubject) repeat(o Options, r *SharedResult) error {
	d := s.work(lasts(o, s.Goroutines))
	r.Ops += d.ops
	r.Failed += d.failed
	r.Each = append(r.Each, float64(d.ops)/d.took.Seconds())
	r.Allocs += d.allocs
	r.GC += d.gc
	return s.check()
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
			for !stop.Load() {
				if s.hold {
					w.holds(s.queue)
				} else {
					w.mixes(s.queue, s.stray())
				}
			}
		})
	}
	var before, after runtime.MemStats
	runtime.ReadMemStats(&before)
	gcBefore, allBefore := processorTime()
	start := time.Now()
	close(ready)
	time.Sleep(duration)
	stop.Store(true)
	wg.Wait()
	d.took = time.Since(start)
	gcAfter, allAfter := processorTime()
	runtime.ReadMemStats(&after)
	for _, w := range s.workers {
		d.ops += w.inserted + w.removed
		d.failed += w.failed
		s.size += w.inserted - w.removed
	}
	d.allocs = float64(after.Mallocs - before.Mallocs)
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

// mixes inserts or removes some times. Its balance does not stray further than told, so that the number of elements stays what it is
// said to be.
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

// processorTime is how long processors have collected garbage, and how long they have been busy with anything, in seconds.
func processorTime() (gc, busy float64) {
	samples := []metrics.Sample{
		{Name: "/cpu/classes/gc/total:cpu-seconds"}, {Name: "/cpu/classes/total:cpu-seconds"}, {Name: "/cpu/classes/idle:cpu-seconds"},
	}
	metrics.Read(samples)
	return samples[0].Value.Float64(), samples[1].Value.Float64() - samples[2].Value.Float64()
}

// SharedPlans arranges cells in plans. Those of one workload and size take turns, unless there would be too many elements in memory;
// then those of one number of goroutines do.
func SharedPlans(structures, workloads []string, sizes, goroutines []int) (plans [][]SharedCell) {
	single := map[string]bool{}
	for _, s := range SharedStructures() {
		single[s.Name] = s.Alone
	}
	for _, w := range workloads {
		for _, n := range sizes {
			var plan []SharedCell
			for _, g := range goroutines {
				for _, s := range structures {
					if !single[s] || g == 1 && w == Hold {
						plan = append(plan, SharedCell{s, w, n, g})
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

// The sizes at which the targets of package spray are measured.
const (
	some = 100_000
	many = 1_000_000
)

// SharedTargetPlans are the cells that JudgeShared wants to see, plan by plan.
func SharedTargetPlans() (plans [][]SharedCell) {
	for _, n := range []int{some, many} {
		var plan []SharedCell
		for _, s := range SharedStructures() {
			if !s.Alone {
				plan = append(plan, SharedCell{s.Name, Hold, n, 2})
			}
			if s.Alone || s.Name == sharedCalendar {
				plan = append(plan, SharedCell{s.Name, Hold, n, 1})
			}
			if ours(s.Name) {
				plan = append(plan, SharedCell{s.Name, Hold, n, 64})
			}
		}
		slices.SortStableFunc(plan, func(a, b SharedCell) int { return a.Goroutines - b.Goroutines })
		plans = append(plans, plan)
	}
	return plans
}

// ours says that a structure is one of package spray that targets are for.
func ours(structure string) bool { return structure == sharedList || structure == sharedCalendar }

// JudgeShared compares the results of one plan with the targets that it is for.
func JudgeShared(results []SharedResult) (targets []Target) {
	for _, n := range []int{some, many} {
		j := sharedJudge{n: n, size: map[int]string{some: "10⁵ elements, ", many: "10⁶ elements, "}[n]}
		for _, r := range results {
			if r.N == n && r.Workload == Hold {
				j.results = append(j.results, r)
			}
		}
		j.list()
		j.calendar()
		j.allocations()
		targets = append(targets, j.targets...)
	}
	return targets
}

// A sharedJudge has the results of one number of elements.
type sharedJudge struct {
	n       int
	size    string // in words
	results []SharedResult
	targets []Target
}

func (j *sharedJudge) add(what string, t Target) {
	t.What = j.size + what
	t.Met = t.Value <= t.Limit
	if t.Least {
		t.Met = t.Value >= t.Limit
	}
	j.targets = append(j.targets, t)
}

// at finds a structure with a number of goroutines.
func (j *sharedJudge) at(structure string, goroutines int) (SharedResult, bool) {
	i := slices.IndexFunc(j.results, func(r SharedResult) bool { return r.Structure == structure && r.Goroutines == goroutines })
	if i < 0 {
		return SharedResult{}, false
	}
	return j.results[i], true
}

// faster compares throughputs of two goroutines.
func (j *sharedJudge) faster(ours, rival string, limit float64) {
	a, have := j.at(ours, 2)
	if b, has := j.at(rival, 2); have && has {
		j.add("2 goroutines, "+ours+" against "+rival, Target{Limit: limit, Least: true, Value: a.Best / b.Best})
	}
}

func (j *sharedJudge) list() {
	j.faster(sharedList, sharedBinary, map[int]float64{some: 1, many: 0.7}[j.n])
	few, have := j.at(sharedList, 2)
	lots, has := j.at(sharedList, 64)
	if !have || !has {
		return
	}
	value := 0.0
	if lots.Meter.Rank.Mean > 0 {
		value = min((lots.Meter.Rank.Mean/64)/(few.Meter.Rank.Mean/2), math.MaxFloat64) // JSON has no infinity
	}
	j.add("list, rank error per goroutine, 64 over 2", Target{Limit: 2, Value: value,
		Detail: fmt.Sprintf("means %.3g and %.3g", lots.Meter.Rank.Mean, few.Meter.Rank.Mean)})
}

func (j *sharedJudge) calendar() {
	j.faster(sharedCalendar, sharedHeap, 3.5)
	j.faster(sharedCalendar, sharedMulti, 1.5)
	few, ok := j.at(sharedCalendar, 2)
	if !ok {
		return
	}
	j.add("2 goroutines, calendar, rank error", Target{Limit: 8 * 2, Value: few.Meter.Rank.Mean})
	if lots, ok := j.at(sharedCalendar, 64); ok {
		j.add("calendar, speed of 64 goroutines over 2", Target{Limit: 0.5, Least: true, Value: lots.Best / few.Best})
	}
	one, have := j.at(sharedCalendar, 1)
	if queue, has := j.at(Queue, 1); have && has {
		j.add("1 goroutine, calendar, time over calendar.Queue", Target{Limit: 1.6, Value: queue.Best / one.Best})
	}
}

// allocations judges the worst of ours.
func (j *sharedJudge) allocations() {
	worst := SharedResult{Allocs: -1}
	for _, r := range j.results {
		if ours(r.Structure) && r.Allocs > worst.Allocs {
			worst = r
		}
	}
	if worst.Allocs >= 0 {
		j.add("allocations per operation", Target{Limit: 0, Value: math.Round(worst.Allocs*1000) / 1000,
			Detail: fmt.Sprintf("%s, %d goroutines", worst.Structure, worst.Goroutines)})
	}
}
