package engine

import (
	"runtime"
	"sync/atomic"
)

// A workerPool is the cores that replicas have. A replica that runs has one, and while it is set up it may have more, as long as there are some that no
// other has. Sweeps, comparisons, fits and workers of a hub run several replicas at once that know nothing of each other, so it is counted
// for the whole program. What a replica comes to does not depend on it.
type workerPool struct {
	busy atomic.Int64 // cores at work; more than there are if more replicas run than that
	lent atomic.Int64 // how many were lent for set-ups, ever
}

// pool is that of this program.
var pool workerPool

// enter counts a replica that begins to run, leave one that does so no more.
func (c *workerPool) enter() { c.busy.Add(1) }
func (c *workerPool) leave() { c.busy.Add(-1) }

// lend gives a replica up to so many cores more, of those that nobody has, and says how many. They are to be returned.
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

// Working counts a replica that runs until what it returns is called.
func Working() (done func()) {
	pool.enter()
	return pool.leave
}

// setupCores is how many cores set a replica up: its own, and of the others its part, if it is one of several that are known to run at
// once, or as many of it as are free. They are to be returned by done.
func (r *Run) setupCores() (cores int, done func()) {
	switch {
	case r.cores > 0:
		return r.cores, func() {}
	case r.Budget == nil:
		return 1, func() {}
	}
	more := pool.lend(runtime.GOMAXPROCS(0)/max(1, r.Budget.workers) - 1)
	return 1 + more, func() { pool.returned(more) }
}
