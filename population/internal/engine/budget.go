package engine

import (
	"fmt"
	"runtime"
	"runtime/debug"
	"sync"
	"sync/atomic"

	"github.com/almanac-sim/almanac/internal/format"
	"github.com/almanac-sim/almanac/internal/memory"
)

// A Budget is the memory that the runs of one request share. A run asks before it takes much more,
// so that a growing population is stopped while enough is left to report what was recorded.
//
// What a run takes is worked out, not measured. What is left is what the machine reports at the
// time, or the limit less what all runs take.
type Budget struct {
	limit uint64  // 0 for the machine's memory
	each  float64 // bytes of an individual at the start
	busy  float64 // the share of individuals with an event to come
	spare int     // arrays have room for one more in so many individuals

	mu      sync.Mutex
	workers int
	taken   uint64 // by all runs
	room    func() memory.Room
	release func() // returns unused memory to the system
}

const (
	usualSpare = 2
	leastSpare = 16

	budgetLook = 4 << 20  // without a limit, less than this is not asked for
	budgetKeep = 32       // one part in so many is kept for what comes at the end
	budgetLeft = 16 << 20 // and this much more of the machine's memory
)

func NewBudget(o *Options) *Budget {
	p := &Budget{limit: o.Memory, spare: usualSpare, room: memory.Free, release: debug.FreeOSMemory}
	if p.limit > 0 {
		p.limit = min(p.limit, memory.Space())
		p.room = func() memory.Room { return roomOf(p.limit, p.taken) }
	}
	return p
}

// take updates what a run takes, reserves more bytes, in use and in address space (asked), and
// calls do under the lock. It reports false, and does not call do, if there is not enough. A nil
// Budget has no limit.
func (p *Budget) take(r *Run, more, asked uint64, do func()) bool {
	if p == nil {
		do()
		return true
	}
	p.mu.Lock()
	defer p.mu.Unlock()
	now := r.bytes()
	p.taken += now - r.taken
	r.taken = now
	if (p.limit > 0 || more >= budgetLook) && !p.has(more, asked) {
		if p.limit > 0 {
			return false
		}
		p.release() // arrays that were outgrown
		if !p.has(more, asked) {
			return false
		}
	}
	do()
	return true
}

// give releases everything that a run takes.
func (p *Budget) give(r *Run) {
	p.mu.Lock()
	defer p.mu.Unlock()
	p.taken -= r.taken
	r.taken = 0
}

func (p *Budget) has(more, asked uint64) bool {
	room := p.room()
	keep := room.Pages / budgetKeep
	if p.limit > 0 {
		keep = p.limit / budgetKeep
	} else {
		keep += budgetLeft
	}
	return room.Pages == memory.Unknown && asked <= room.Address || more+keep <= room.Pages && asked <= room.Address
}

// bytes is about how much memory a run takes.
func (r *Run) bytes() uint64 {
	n := r.Used*(8*r.stride+r.besideWords()) + r.free.Bytes() + 4*cap(r.ties.ids) + r.waiting.bytes() +
		r.tracing.bytes() + r.lines.bytes() + r.observers.bytes()
	if r.windows != nil {
		n += r.windows.bytes()
	} else {
		n += int(eventBytes * float64(r.Queue.Len()))
	}
	for _, g := range r.groups {
		if g != nil {
			n += groupBytes * r.Alive
		}
	}
	if r.living != nil {
		n += groupBytes * r.Alive
	}
	if r.sparseTimers != nil {
		n += 16 * r.sparseTimers.Capacity()
	}
	if r.networks != nil {
		n += r.networkBytes()
	}
	if r.places != nil {
		n += r.places.bytes() - r.Used*placeBytes*len(r.places.kinds)
	}
	return uint64(n)
}

// mapBytes is about how much memory a map with n entries takes, each of so many bytes.
func mapBytes(n, each int) int { return n * (each + 1) * 4 / 3 }

// checkMemory asks the budget for more if the run takes more than it was granted.
func (r *Run) checkMemory() error {
	if r.budget == nil {
		return nil
	}
	now := r.bytes()
	if now <= r.granted {
		return nil
	}
	step := max(now/16, budgetLook)
	if r.budget.limit > 0 {
		step = now / 16
	}
	// All runs may grow alike until the next look.
	if !r.budget.take(r, step*uint64(r.budget.workers), 0, func() {}) {
		return r.outOfMemory()
	}
	r.granted = now + step
	return nil
}

// outOfMemory is the error of a run for which there is no more memory.
func (r *Run) outOfMemory() error {
	return fmt.Errorf("at time %.12g: %w: %s individuals take %s, and there is none for more", r.Program.Start+r.Now,
		ErrMemory, format.Thousands(float64(r.Alive)), inBytes(float64(r.bytes())))
}

// enlarge makes room for more individuals while one slot is left. If there is no memory for it, the
// run fails after this event.
func (r *Run) enlarge() {
	if r.failed != nil {
		return
	}
	// The arrays are copied, and so will be the calendar's.
	copied := uint64(r.capacity+r.windows.temporary()) * uint64(8*r.stride+r.besideWords())
	for _, spare := range []int{usualSpare, leastSpare} {
		asked := copied + copied/uint64(spare)
		if r.budget.take(r, copied+copied/leastSpare, asked, func() { r.grow(r.capacity+1, spare) }) {
			return
		}
	}
	r.failed, r.limit = r.outOfMemory(), -1
}

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
