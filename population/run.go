package population

import (
	"context"
	"errors"
	"fmt"
	"math"
	"os"
	"sync"
	"sync/atomic"
	"time"

	"github.com/almanac-sim/almanac/internal/modelfit"
	"github.com/almanac-sim/almanac/internal/panics"
	"github.com/almanac-sim/almanac/population/internal/engine"
)

// Options say how a model is run. The zero value runs it once, with seed 0, on all cores.
type Options struct {
	Seed     uint64 // every draw depends on it
	Replicas int    // how often the model is run; 0 means once
	First    int    // the number of the first replica
	Workers  int    // replicas at the same time; 0 means one per core, as memory permits
	Memory   uint64 // bytes that the run may take; 0 means what the machine and its container have

	// Vary returns the model of a replica, if it is not nil: the same model with other values, as
	// [Model.With] makes it. It is called from several goroutines at once and must depend on the
	// number of the replica alone.
	Vary func(replica int) (*Model, error)

	// Save gets the state of each replica at the end of the run: of a model that was compiled with
	// [SaveAt]. The caller keeps it or drops it.
	Save *StateWriter
	// Redraw is for a model that goes on with a saved state: all that is to come is drawn again, by
	// Seed and the number of the replica. Clocks with a memory that are running keep their times,
	// unless the file says since when they run.
	Redraw bool

	// OnEvent is called for everybody at the start, and then for every change of state or
	// attributes, every birth, arrival and departure, and every intervention that waited, in the
	// order in which they happen. Calls of one replica come one after the other; those of different
	// replicas may come at the same time. Events take 8 bytes more for each individual.
	OnEvent func(Event)
	// OnInfection is called for every row of the tree that the model records, and OnPerson for
	// everybody who leaves and, at the end, for everybody who is there, if the model records people.
	// Calls of one replica come one after the other; those of different replicas may come at the same
	// time.
	OnInfection func(Infection)
	OnPerson    func(Person)
	// OnRecord is called for every recorded row, in the same way.
	OnRecord func(Record)
	// OnProgress is called ten times a second by one goroutine.
	OnProgress func(Progress)

	forks    bool // for a Process, or with past
	anyState bool // with Redraw: the state is drawn, too
	past     func(replica int) modelfit.Past
	states   *State // with past: where it came to, saved
	patience uint64 // see engine.Options; tests set it
	windows  int    // see engine.Options; tests set it

	savedRows    []int // with Save: the rows of a sample that the replicas are of, and their weights
	savedWeights []float64
}

// checkVariable is an environment variable. If it is 1, every run verifies at its start and its
// end, and every state as soon as it is read, that what is counted follows from the individuals and
// that groups add up to the whole. A violation is an error that names what does not hold.
const checkVariable = "ALMANAC_CHECK"

// engine returns the engine's options for a model. A run replaces OnEvent by its own listener.
func (o *Options) engine(m *Model) *engine.Options {
	e := &engine.Options{
		Seed:     o.Seed,
		Replicas: o.Replicas,
		Workers:  o.Workers,
		Memory:   o.Memory,
		Forks:    o.forks,
		Patience: o.patience,
		Windows:  o.windows,
		Check:    os.Getenv(checkVariable) == "1",
	}
	if o.OnEvent != nil {
		e.OnEvent = func(*engine.Event) {} // replaced by the listener of each replica
	}
	if o.states != nil {
		e.Individuals = o.states.individuals()
	}
	if m.state != nil {
		e.Forks = e.Forks || m.state.redraws(o)
		e.Individuals = m.state.individuals()
	}
	return e
}

// listener returns the function that a run calls for every event; nil if OnEvent is.
func (o *Options) listener(m *Model, replica int) func(*engine.Event) {
	if o.OnEvent == nil {
		return nil
	}
	rows := m.rowTimes()
	return func(h *engine.Event) { o.OnEvent(m.event(replica, rows, h)) }
}

// A Record is a recorded row of a replica.
type Record struct {
	Replica int
	Row     int     // index into Model.Times
	Time    float64 // on the model's clock
	Total   int     // the living
	Counts  []int   // in each state
	Flows   []uint64
	Named   []uint64
}

// Progress is the progress of a run.
type Progress struct {
	Fraction float64 // of the simulated time of all replicas
	Time     float64 // on the model's clock, of a replica that is running
	Done     int     // completed replicas
	Events   uint64

	watched *watched
}

// Run runs the model.
//
// The result depends on the model and the seed alone, not on the number of workers. If the context
// ends first, Run returns what has been recorded so far, marked incomplete, and the context's
// error. It does the same, with an error that says where, if a run cannot go on: if there are more
// individuals than there may be, or than memory permits, or if the clock stands still. The result
// then ends with the first replica that failed: whether later ones have run depends on the number of
// workers. A run for which there is not enough memory from the start does not begin; see
// [Model.CheckMemory].
//
// A panic of a replica, such as one of OnEvent, is one of Run, when the others have ended.
func (m *Model) Run(ctx context.Context, o Options) (*Result, error) {
	if o.Replicas < 0 || o.Workers < 0 || o.First < 0 {
		panic("population: Replicas, First and Workers cannot be negative")
	}
	n := max(o.Replicas, 1)
	if o.Save != nil {
		if err := o.Save.begin(m, &o, n); err != nil {
			return nil, err
		}
	}
	with := o.engine(m)
	budget := engine.NewBudget(with)
	workers, err := engine.Afford(m.program, with, budget)
	if err != nil {
		return nil, err
	}
	began := time.Now()
	result := &Result{Model: m, Version: Version(), Seed: o.Seed, Replicas: n, Times: m.Times()}
	runs := make([]*Run, n)
	completed := make([]bool, n)
	tracks := make([]track, workers)
	var look *watched // nil unless OnProgress is set
	if o.OnProgress != nil {
		look = &watched{result: *result, began: began, live: make([]atomic.Pointer[live], n)}
	}
	failed := failures{lowest: n, running: map[int]context.CancelFunc{}}
	var next, done atomic.Int64
	var group sync.WaitGroup
	for w := range tracks {
		group.Go(func() {
			r := engine.NewRun(with, budget)
			for {
				k := int(next.Add(1)) - 1
				if k >= n || ctx.Err() != nil {
					return
				}
				mine, ok := failed.begin(ctx, k)
				if !ok {
					return
				}
				if look != nil {
					tracks[w].live = &look.live[k]
				}
				var err error
				runs[k], err = caught(func() (*Run, error) {
					run, err := simulate(mine, r, m, &o, o.First+k, &tracks[w])
					if err == nil && o.Save != nil {
						err = o.Save.replica(r, k, o.First+k, run)
					}
					return run, err
				})
				if failed.end(k, err); err != nil {
					o.Save.end()
				}
				if look != nil && err == nil {
					look.live[k].Load().ended.Store(runs[k])
				}
				if err != nil {
					return
				}
				completed[k] = true
				done.Add(1)
			}
		})
	}
	if o.OnProgress != nil {
		stop := report(m, &o, n, tracks, &done, look)
		defer stop()
	}
	group.Wait()
	if panicked, ok := failed.err.(*panics.Error); ok {
		panic(panicked)
	}
	for k, run := range runs {
		if run == nil || k > failed.lowest {
			continue
		}
		result.Runs = append(result.Runs, *run)
		result.Events += run.Events
		result.PersonYears += run.PersonYears
		if completed[k] {
			result.Done++
		}
	}
	result.Incomplete = result.Done < n
	result.Seconds = time.Since(began).Seconds()
	switch {
	case failed.err != nil:
		result.Stopped = fmt.Errorf("%s, replica %d: %w", m.program.Name, o.First+failed.lowest, failed.err)
	case result.Incomplete:
		result.Stopped = context.Cause(ctx)
	}
	return result, result.Stopped
}

// caught calls f, and returns its panic as an error.
func caught(f func() (*Run, error)) (run *Run, err error) {
	defer func() {
		if value := recover(); value != nil {
			err = panics.Caught(value)
		}
	}()
	return f()
}

// failures stops, when a replica fails, those with higher numbers. Those with lower numbers, which
// have begun earlier, go on to their end: so the replica that is named is the lowest of all that
// fail, whatever the number of workers and their timing.
type failures struct {
	mu      sync.Mutex
	lowest  int   // the replica that failed, counted from the first; the number of replicas if none did
	err     error // its error
	running map[int]context.CancelFunc
}

// begin returns the context of a replica. It reports false if another has failed.
func (f *failures) begin(ctx context.Context, k int) (context.Context, bool) {
	f.mu.Lock()
	defer f.mu.Unlock()
	if k > f.lowest {
		return nil, false
	}
	ctx, f.running[k] = context.WithCancel(ctx)
	return ctx, true
}

// end notes how a replica ended. One that was cancelled has not failed.
func (f *failures) end(k int, err error) {
	f.mu.Lock()
	defer f.mu.Unlock()
	f.running[k]()
	delete(f.running, k)
	if err == nil || k > f.lowest || errors.Is(err, context.Canceled) || errors.Is(err, context.DeadlineExceeded) {
		return
	}
	f.lowest, f.err = k, err
	for other, cancel := range f.running {
		if other > k {
			cancel()
		}
	}
}

// A track is the progress of a worker, read by others.
type track struct {
	time   atomic.Uint64         // of its present replica, as the bits of a float64
	events atomic.Uint64         // of all its replicas
	before uint64                // of its earlier replicas
	live   *atomic.Pointer[live] // of its present replica; nil unless it is watched
	_      [32]byte              // padding to a cache line
}

// report calls OnProgress until stop is called.
func report(m *Model, o *Options, n int, tracks []track, done *atomic.Int64, look *watched) (stop func()) {
	quit, finished := make(chan struct{}), make(chan struct{})
	go func() {
		defer close(finished)
		tick := time.NewTicker(100 * time.Millisecond)
		defer tick.Stop()
		for {
			select {
			case <-quit:
				return
			case <-tick.C:
			}
			p := Progress{Done: int(done.Load()), Time: m.program.Start, watched: look}
			sum := float64(p.Done)
			for i := range tracks {
				t := math.Float64frombits(tracks[i].time.Load())
				p.Time = max(p.Time, m.program.Start+t)
				sum += min(1, t/max(m.program.Stop-m.program.Start, m.program.TimeTolerance))
				p.Events += tracks[i].events.Load()
			}
			p.Fraction = min(1, sum/float64(n))
			o.OnProgress(p)
		}
	}()
	return func() { close(quit); <-finished }
}

// simulate runs one replica from start to end.
func simulate(ctx context.Context, r *engine.Run, m *Model, o *Options, index int, t *track) (*Run, error) {
	run := newRun(m.program, index)
	var seen *live
	if t.live != nil {
		seen = run.watch()
		t.live.Store(seen)
	}
	defer engine.Working()()
	began := time.Now()
	m, err := o.vary(m, index)
	if err != nil {
		return run, err
	}
	p := m.program
	past, err := o.pastOf(p, index)
	if err != nil {
		return run, err
	}
	defer func() { run.Seconds = time.Since(began).Seconds() }()
	r.OnEvent, r.Streams = o.listener(m, index), o.streams(m, index)
	begun := false
	progress := func(now float64, events uint64) {
		t.time.Store(math.Float64bits(now))
		t.events.Store(t.before + events - min(events, run.Before))
	}
	progress(0, 0)
	defer func() {
		t.before += r.Events - run.Before
		progress(0, 0)
	}()
	hooks := engine.Hooks{
		Begun: func() {
			begun = true
			run.Setup = time.Since(began).Seconds()
			if o.states != nil || m.state != nil {
				run.Before = r.Events
			}
		},
		Recorded: func(row int) {
			if seen != nil {
				seen.rows.Store(int64(run.rec.Rows))
			}
			if o.OnRecord != nil {
				o.OnRecord(run.recorded(row))
			}
		},
		Progress: progress,
	}
	if o.states != nil {
		err = o.states.named(r.Continue(ctx, p, o.states.runs[past.Place], &past.ForkSeed, &run.rec, hooks))
	} else if m.state != nil {
		saved, seed := m.state.of(o, index)
		err = m.state.named(r.Continue(ctx, p, saved, seed, &run.rec, hooks))
	} else {
		err = r.Simulate(ctx, p, o.Seed, index, past, &run.rec, hooks)
	}
	if begun {
		run.close(r, m.rowTimes())
	}
	if err == nil && index == o.First {
		run.sample = r.SampleNetworks()
	}
	if errors.Is(err, engine.ErrOtherPast) {
		err = modelfit.ErrOtherPast
	}
	return run, err
}

// vary returns the model of a replica.
func (o *Options) vary(m *Model, replica int) (*Model, error) {
	if o.Vary == nil {
		return m, nil
	}
	own, err := o.Vary(replica)
	if err == nil && (!own.program.SameRecord(m.program)) {
		err = fmt.Errorf("%s: the model of replica %d records other things, or at other times; only values may differ",
			m.program.Name, replica)
	}
	return own, err
}
