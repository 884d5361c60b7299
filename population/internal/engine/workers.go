package engine

import (
	"runtime"
	"sync/atomic"
)

// A workerPool counts the cores in use. Each run has one core; while it is set up, and in parallel
// windows, it may borrow others that are free. Sweeps, comparisons, fits and workers run several
// replicas that know nothing of each other, so there is one pool for the whole process. Results do
// not depend on it.
type workerPool struct {
	busy atomic.Int64 // cores at work; more than there are if more runs are under way
	lent atomic.Int64 // cores ever lent
}

// pool is the pool of this process.
var pool workerPool

// enter counts a run that begins; leave one that ends.
func (c *workerPool) enter() { c.busy.Add(1) }
func (c *workerPool) leave() { c.busy.Add(-1) }

// lend lends up to most free cores and returns how many. They must be returned.
func (c *workerPool) lend(most int) int {
	for {
		busy := c.busy.Load()
		n := min(int64(most), int64(runtime.GOMAXPROCS(0))-busy)
		if n <= 0 {
			return 0
		}
		if c.busy.CompareAndSwap(busy, busy+n) {
			c.lent.Add(n)
			return int(n)
		}
	}
}

func (c *workerPool) returned(n int) { c.busy.Add(int64(-n)) }

// Working counts a run until done is called.
func Working() (done func()) {
	pool.enter()
	return pool.leave
}

// borrowCores returns how many cores a run may use for setting up: its own, and a fair part of
// those that are free. done returns them.
func (r *Run) borrowCores() (cores int, done func()) {
	switch {
	case r.cores > 0:
		return r.cores, func() {}
	case r.budget == nil:
		return 1, func() {}
	}
	more := pool.lend(runtime.GOMAXPROCS(0)/max(1, r.budget.workers) - 1)
	return 1 + more, func() { pool.returned(more) }
}
