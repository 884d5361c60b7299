package replicate

import (
	"context"
	"errors"
	"fmt"
	"math"
	"math/rand/v2"
	"runtime"
	"runtime/debug"
	"slices"

	"github.com/almanac-sim/almanac/sim"
	"github.com/almanac-sim/almanac/sim/internal/seed"
	"github.com/almanac-sim/almanac/sim/internal/text"
)

// Run runs a model n times with different random numbers, on all cores, and gathers what the
// replications record. The results are the same for any number of cores and workers:
//
//   - The random numbers of replication i come from the seed of the experiment and i.
//   - The results are taken in the order of the replications, whichever ends first.
//   - With [ToHalfWidth] or [ToRelativeHalfWidth] there may be more than n replications. Whether
//     another is needed is decided by those before it alone; what others have done in advance is
//     thrown away.
//   - Of several errors, the one with the lowest number is returned, as a [Error].
//
// An error or a panic in a replication ends the contexts of those with higher numbers and starts no
// more; those with lower numbers run on, as they might fail themselves. When ctx is done, so are
// the contexts of all. Run returns when every replication that it started has returned, so a long
// replication must watch its context; one that returns when its context is done counts as stopped,
// whatever it recorded. With an error come the results of the replications before it.
//
// The function run is called by several goroutines at once. What it changes should belong to its
// replication.
func Run(ctx context.Context, n int, run func(r *Replication) error, opts ...Option) (*Results, error) {
	if n < 1 {
		panic(fmt.Sprintf("replicate: Run of %d replications: there must be at least 1", n))
	}
	plan := plan{level: 0.95, workers: runtime.GOMAXPROCS(0)}
	for _, option := range opts {
		option(&plan)
	}
	for _, g := range plan.goals {
		if g.most < n {
			panic(fmt.Sprintf("replicate: at most %d replications for the half-width of %q, but at least %d in all", g.most,
				g.metric, n))
		}
	}
	x := &experiment{
		plan: plan, least: n, end: max(n, plan.most()), run: run, results: newResults(plan.seed, plan.level),
		running: make(map[int]context.CancelFunc), ended: make(map[int]*Replication), reports: make(chan *Replication),
	}
	for {
		for x.wantsMore() && ctx.Err() == nil {
			x.start(ctx)
		}
		if len(x.running) == 0 {
			break
		}
		x.collect(<-x.reports)
	}
	return x.results, x.verdict(ctx)
}

// An experiment is the state of Replicate. Only the goroutine that called it changes it;
// replications send themselves to it.
type experiment struct {
	plan
	least   int
	run     func(*Replication) error
	results *Results

	end     int                        // replications from this number on are not wanted
	failure *Error                     // of replication end
	next    int                        // the replication to start next
	running map[int]context.CancelFunc // by number
	ended   map[int]*Replication       // those that ended before one with a lower number
	reports chan *Replication
}

// wantsMore reports whether another replication should start. Those that may turn out to be
// unnecessary are not started far ahead of the ones that decide.
func (x *experiment) wantsMore() bool {
	return len(x.running) < x.workers && x.next < x.end && (x.next < x.least || (x.next-x.results.N())/2 < x.workers)
}

func (x *experiment) start(ctx context.Context) {
	r := &Replication{index: x.next, seed: seed.Replication(x.seed, x.next)}
	r.ctx, x.running[r.index] = context.WithCancel(ctx)
	x.next++
	// A goroutine for each, so that one that calls runtime.Goexit takes no others with it.
	go func() {
		defer func() { x.reports <- r }()
		r.perform(x.run)
	}()
}

// collect takes a replication that has ended, and then the results of all that are next in order.
func (x *experiment) collect(r *Replication) {
	x.running[r.index]()
	delete(x.running, r.index)
	if r.err != nil {
		x.fail(r, r.err)
	}
	x.ended[r.index] = r
	for x.results.N() < x.end {
		r, ok := x.ended[x.results.N()]
		if !ok {
			return
		}
		delete(x.ended, r.index)
		if err := x.take(r); err != nil {
			x.fail(r, err)
		}
	}
}

// take adds the results of the next replication, and decides whether it was the last.
func (x *experiment) take(r *Replication) error {
	if err := x.decidable(r.metrics); err != nil {
		return err
	}
	if err := x.results.add(r); err != nil {
		return err
	}
	if x.results.N() < x.least {
		return nil
	}
	enough := false
	if x.results.reached, enough = x.satisfied(x.results); enough {
		x.failure = nil // if there is one, it was in a replication that would not have been run
		x.stopAt(x.results.N())
	}
	return nil
}

// fail ends the experiment before a replication, unless it ends earlier anyway.
func (x *experiment) fail(r *Replication, err error) {
	if r.index < x.end {
		x.failure = &Error{Index: r.index, Seed: r.seed, Err: err}
		x.stopAt(r.index)
	}
}

// stopAt cancels the replications from a number on.
func (x *experiment) stopAt(end int) {
	x.end = end
	for index, cancel := range x.running {
		if index >= end {
			cancel()
		}
	}
}

// verdict returns the error of the experiment.
func (x *experiment) verdict(ctx context.Context) error {
	failed := x.failure != nil && x.failure.Index == x.end
	stopped := x.results.N() < x.end || failed && ctx.Err() != nil && errors.Is(x.failure.Err, ctx.Err())
	switch {
	case stopped:
		return fmt.Errorf("replicate: stopped after %d replications: %w", x.results.N(), ctx.Err())
	case failed:
		return x.failure
	}
	return nil
}

// A Replication is one run of an experiment, with random numbers of its own. It is used by one
// goroutine.
type Replication struct {
	index   int
	seed    uint64
	ctx     context.Context
	sim     *sim.Simulation
	metrics []string
	values  map[string]float64
	err     error // the first thing that went wrong
}

// Index is the number of the replication, from 0.
func (r *Replication) Index() int { return r.index }

// Seed is the seed of the replication. It depends on the seed of the experiment and on the index
// alone.
func (r *Replication) Seed() uint64 { return r.seed }

// Context is done when the result of the replication is no longer needed. Pass it to
// [sim.Simulation.Run].
func (r *Replication) Context() context.Context { return r.ctx }

// Sim returns the replication's simulation. The first call makes it, with the options and the
// replication's seed, and [Run] closes it when the replication has ended. Later calls return it
// again, and panic if they have options.
func (r *Replication) Sim(opts ...sim.Option) *sim.Simulation {
	if r.sim == nil {
		r.sim = sim.New(append(opts[:len(opts):len(opts)], sim.Seed(r.seed))...)
	} else if len(opts) > 0 {
		panic(fmt.Sprintf("replicate: Sim with options in replication %d, which has its simulation; give them at the "+
			"first call", r.index))
	}
	return r.sim
}

// Stream is a stream of the replication's simulation; see [sim.Simulation.Stream].
func (r *Replication) Stream(name string) *rand.Rand { return r.Sim().Stream(name) }

// Record records the value of a metric. All replications must record the same metrics, each once.
// NaN is a missing value, such as the mean wait without customers: it does not count in the
// statistics, and the results say how many are missing. An invalid record, such as an infinite
// value, ends the experiment with an error when the replication returns.
func (r *Replication) Record(metric string, x float64) {
	_, twice := r.values[metric]
	switch {
	case twice:
		r.fail(fmt.Errorf("metric %q is recorded twice", metric))
	case math.IsInf(x, 0):
		r.fail(fmt.Errorf("metric %q is %v; it must be a finite number, or NaN where nothing was observed", metric, x))
	default:
		if r.values == nil {
			r.values = make(map[string]float64)
		}
		r.values[metric] = x
		r.metrics = append(r.metrics, metric)
	}
}

func (r *Replication) fail(err error) {
	if r.err == nil {
		r.err = err
	}
}

// perform runs the replication. However it ends, it leaves an error in the replication and does not
// panic.
func (r *Replication) perform(run func(*Replication) error) {
	returned := false
	defer func() {
		if returned {
			return
		}
		if v := recover(); v != nil {
			r.err = panicked(v)
		} else {
			r.err = errors.New("runtime.Goexit was called")
		}
	}()
	err := r.closing(run)
	returned = true
	switch {
	case err != nil:
		r.err = err // of which a wrong record may be a consequence
	case r.ctx.Err() != nil:
		r.err = r.ctx.Err() // it may have recorded the half of a run
	}
}

// panicked returns the error of a panic. One in a process already has its name, time and stack.
func panicked(v any) error {
	if e, ok := v.(*sim.PanicError); ok {
		return e
	}
	return &sim.PanicError{Value: v, Stack: debug.Stack()}
}

// closing is run, with the simulation closed afterwards; a panic in either comes out.
func (r *Replication) closing(run func(*Replication) error) error {
	defer func() {
		if r.sim != nil {
			r.sim.Close()
			r.sim = nil // its memory is free while other replications run
		}
	}()
	return run(r)
}

// An Error says which replication failed. Its seed reruns that replication alone.
type Error struct {
	Index int
	Seed  uint64
	Err   error
}

// Error says which replication failed, and how.
func (e *Error) Error() string {
	return fmt.Sprintf("replicate: replication %d (seed %d): %v", e.Index, e.Seed, e.Err)
}

// Unwrap returns the error of the replication.
func (e *Error) Unwrap() error { return e.Err }

// An Option adjusts [Run].
type Option func(*plan)

// A plan is the values of the options of [Run].
type plan struct {
	seed    uint64
	workers int
	level   float64
	goals   []goal
}

// Seed is the seed of the experiment, 0 by default. Two scenarios with the same seed have common
// random numbers.
func Seed(seed uint64) Option { return func(p *plan) { p.seed = seed } }

// Workers is the number of replications that run at once; by default GOMAXPROCS. It panics if k is
// below 1.
func Workers(k int) Option {
	if k < 1 {
		panic(fmt.Sprintf("replicate: Workers(%d): there must be at least 1", k))
	}
	return func(p *plan) { p.workers = k }
}

// Confidence is the level of the intervals, 0.95 by default. It panics if the level is not between
// 0 and 1.
func Confidence(level float64) Option {
	if !(level > 0 && level < 1) {
		panic(fmt.Sprintf("replicate: a confidence level of %v: it must be between 0 and 1, such as 0.95", level))
	}
	return func(p *plan) { p.level = level }
}

// ToHalfWidth makes [Run] go on after n replications, until the half-width of the confidence
// interval of a metric's mean is not above the given one, or until there are most replications.
// With several such options it goes on until each is satisfied.
//
// An experiment that stops as soon as its interval is narrow stops a little too early where the
// variance looks small by chance. Its intervals cover the mean somewhat less often than they say,
// the more so the smaller n is; use 10 or more for n.
func ToHalfWidth(metric string, halfWidth float64, most int) Option {
	return stopAfter(goal{metric: metric, halfWidth: halfWidth, most: most})
}

// ToRelativeHalfWidth is [ToHalfWidth] with a half-width relative to the mean: 0.01 is one percent.
func ToRelativeHalfWidth(metric string, share float64, most int) Option {
	return stopAfter(goal{metric: metric, halfWidth: share, relative: true, most: most})
}

func stopAfter(g goal) Option {
	if !(g.halfWidth > 0) {
		panic(fmt.Sprintf("replicate: a half-width of %v is wanted for %q; it must be above 0", g.halfWidth, g.metric))
	}
	return func(p *plan) { p.goals = append(p.goals, g) }
}

// A goal is the half-width that the interval of a metric should reach, and the largest number of
// replications for it.
type goal struct {
	metric    string
	halfWidth float64
	relative  bool
	most      int
}

func (g goal) reached(i Interval) bool {
	if g.relative {
		return i.HalfWidth <= g.halfWidth*max(i.Mean, -i.Mean)
	}
	return i.HalfWidth <= g.halfWidth
}

// most is the largest number of replications that a goal may need.
func (p *plan) most() int {
	most := 0
	for _, g := range p.goals {
		most = max(most, g.most)
	}
	return most
}

// decidable returns an error if the metric of a goal is not recorded.
func (p *plan) decidable(metrics []string) error {
	for _, g := range p.goals {
		if !slices.Contains(metrics, g.metric) {
			return fmt.Errorf("metric %q should decide when to stop, but only %s is recorded", g.metric, text.Quoted(metrics))
		}
	}
	return nil
}

// satisfied reports whether the goals are reached, and whether those that are not have used up
// their replications.
func (p *plan) satisfied(r *Results) (reached, enough bool) {
	reached, enough = true, true
	for _, g := range p.goals {
		if !g.reached(r.Interval(g.metric)) {
			reached = false
			enough = enough && r.N() >= g.most
		}
	}
	return reached, enough
}
