package sim

import (
	"context"
	"errors"
	"fmt"
	"runtime"
)

// Replicate runs a model n times with different random numbers, on all cores, and gathers what the replications record. The
// results are the same for any number of cores and workers:
//
//   - The random numbers of replication i come from the seed of the experiment and i.
//   - The results are taken in the order of the replications, whichever ends first.
//   - With [ToHalfWidth] or [ToRelativeHalfWidth] there may be more than n replications. Whether another is needed is decided by
//     those before it alone; what others have done in advance is thrown away.
//   - Of several errors, the one with the lowest number is returned, as a [ReplicationError].
//
// An error or a panic in a replication ends the contexts of those with higher numbers and starts no more; those with lower numbers
// run on, as they might fail themselves. When ctx is done, so are the contexts of all. Replicate returns when all that it
// started have returned, so a replication of long duration must heed its context; one that returns when its context is done counts
// as stopped, whatever it recorded. With an error come the results of the replications before it.
//
// The function run is called by several goroutines at once. What it changes should belong to its replication.
func Replicate(ctx context.Context, n int, run func(r *Replication) error, opts ...ReplicateOption) (*Results, error) {
	if n < 1 {
		panic(fmt.Sprintf("sim: Replicate of %d replications: there must be at least 1", n))
	}
	plan := plan{level: 0.95, workers: runtime.GOMAXPROCS(0)}
	for _, option := range opts {
		option(&plan)
	}
	for _, g := range plan.goals {
		if g.most < n {
			panic(fmt.Sprintf("sim: at most %d replications for the half-width of %q, but at least %d in all", g.most, g.metric, n))
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

// An experiment is the state of Replicate. Only the goroutine that called it changes it; replications send themselves to it.
type experiment struct {
	plan
	least   int
	run     func(*Replication) error
	results *Results

	end     int                        // replications from this number on are not wanted
	failure *ReplicationError          // of replication end
	next    int                        // the replication to start next
	running map[int]context.CancelFunc // by number
	ended   map[int]*Replication       // those that ended before one with a lower number
	reports chan *Replication
}

// wantsMore tells whether another replication should start. Those that may turn out to be too many are not started far ahead of
// the ones that decide.
func (x *experiment) wantsMore() bool {
	return len(x.running) < x.workers && x.next < x.end && (x.next < x.least || (x.next-x.results.N())/2 < x.workers)
}

func (x *experiment) start(ctx context.Context) {
	r := &Replication{index: x.next, seed: replicationSeed(x.seed, x.next)}
	r.ctx, x.running[r.index] = context.WithCancel(ctx)
	x.next++
	// A goroutine for each, so that one that calls runtime.Goexit takes no others with it.
	go func() {
		defer func() { x.reports <- r }()
		r.perform(x.run)
	}()
}

// collect takes a replication that has ended, and then the results of all whose turn it is.
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

// take takes the results of the next replication, and decides whether it was the last.
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
	if x.results.reached, enough = x.content(x.results); enough {
		x.failure = nil // if there is one, it was in a replication that would not have been run
		x.stopAt(x.results.N())
	}
	return nil
}

// fail ends the experiment before a replication, unless it ends earlier anyway.
func (x *experiment) fail(r *Replication, err error) {
	if r.index < x.end {
		x.failure = &ReplicationError{Index: r.index, Seed: r.seed, Err: err}
		x.stopAt(r.index)
	}
}

// stopAt makes replications from a number on unwanted.
func (x *experiment) stopAt(end int) {
	x.end = end
	for index, cancel := range x.running {
		if index >= end {
			cancel()
		}
	}
}

// verdict is the error of the experiment.
func (x *experiment) verdict(ctx context.Context) error {
	failed := x.failure != nil && x.failure.Index == x.end
	stopped := x.results.N() < x.end || failed && ctx.Err() != nil && errors.Is(x.failure.Err, ctx.Err())
	switch {
	case stopped:
		return fmt.Errorf("sim: stopped after %d replications: %w", x.results.N(), ctx.Err())
	case failed:
		return x.failure
	}
	return nil
}
