package relaxed

import (
	"math/bits"
	"runtime"
	"sync/atomic"

	"github.com/almanac-sim/almanac/internal/cpu"
	"github.com/almanac-sim/almanac/internal/interleave"
	"github.com/almanac-sim/almanac/internal/timekey"
)

// A shard is what a process works with: a few queues. (Concurrency are not known by name. A
// goroutine has an affinity to a shard: see affinity.go.)
//
// What others read of the queues is here. There is no pointer in it, so that it begins where a
// cache line does.
type shard struct {
	// A queue's top is its lock and its earliest time in one, so that a lock is taken by one
	// instruction that all processors have to agree on and given back by none. It is
	//
	//	the key of the queue's earliest event, below empty, or
	//	empty and more, while there are no events: more by 1 every time it becomes so, or
	//	locked.
	//
	//	   ┌────────── 1. compare-and-swap ─────────▶ locked ──────────── 3. store ───────────┐
	//	   │                                                                                 ▼
	//	  key, if it still is what was read    2. the queue belongs to one goroutine     the new key, or
	//	                                          that takes or places an event          empty + version
	//
	// Step 1 fails if another goroutine was faster, and the operation then starts anew: the
	// earliest event may be another one now. If it succeeds, the key was right at that moment,
	// because it changes only under the lock.
	//
	// The tops of a shard lie in one cache line, because they are always read together.
	tops [maxPer]atomic.Uint64
	_    [64]byte // processors fetch lines in pairs
	// A queue's horizon is a key before which about lag of its events lie, or all, if there are
	// fewer. It changes rarely, so that others can read it without taking the tops away from the
	// goroutines that work here.
	horizons [maxPer]atomic.Uint64
	_        [64]byte
}

const (
	maxPer = 8 // tops in a line

	empty  = timekey.Infinity // all keys of finite times are below
	locked = ^uint64(0)
)

// first returns the subqueue with the earliest event among those that are not locked, and its top.
func (s *shard) first(per int) (i uint32, top uint64) {
	top = s.tops[0].Load()
	for k := 1; k < per; k++ {
		// If x < top, without a branch: the processor would guess every other one wrong.
		x := s.tops[k%maxPer].Load()
		_, less := bits.Sub64(x, top, 0)
		top ^= (top ^ x) & -less
		i ^= (i ^ uint32(k)) & -uint32(less)
	}
	return i, top
}

// lock locks a subqueue if its top still is what it was.
func (s *shard) lock(i uint32, top uint64) bool {
	interleave.Point()
	ok := s.tops[i%maxPer].CompareAndSwap(top, locked)
	if ok {
		interleave.Point()
	}
	return ok
}

// tryLock locks a subqueue, if it is not locked, and returns its top.
func (s *shard) tryLock(i uint32) (top uint64, ok bool) {
	top = s.tops[i%maxPer].Load()
	return top, top != locked && s.lock(i, top)
}

// await waits until it can lock a subqueue, and returns its top.
func (s *shard) await(i uint32) uint64 {
	for try := 0; ; try++ {
		if top, ok := s.tryLock(i); ok {
			return top
		}
		if try >= spins {
			runtime.Gosched()
		}
	}
}

// unlock unlocks a subqueue, with its new top.
func (s *shard) unlock(i uint32, top uint64) {
	interleave.Point()
	cpu.StoreRelease(&s.tops[i%maxPer], top)
}

// search is called when a top was found in a shard and could not be taken. It reports false if all
// subqueues were empty at some moment.
func (c *Queue[V]) search(a *affinity, where, top uint64, try uint32) bool {
	if (top < empty || top == locked) && try%8 < 2 {
		return true // it was probably bad luck
	}
	working, top, busy := c.earliest()
	switch {
	case top < empty:
		a.move(where, visiting(homeOf(where), working))
		a.until.Store(top)
	case !busy:
		return !c.wasEmpty()
	}
	if try >= spins {
		runtime.Gosched()
	}
	return true
}

// earliest is the shard with the earliest event, its key, and whether there are queues that were
// locked.
func (c *Queue[V]) earliest() (number uint32, top uint64, busy bool) {
	top = empty
	for i := range c.shards {
		for k := range c.per {
			interleave.Point()
			x := c.shards[i].tops[k%maxPer].Load()
			busy = busy || x == locked
			if x < top {
				number, top = uint32(i), x
			}
		}
	}
	return number, top, busy
}

// wasEmpty reports whether there was a moment during the call at which no event was pending.
//
// Each queue is looked at twice: in the first round they all are, and then in the second. If a
// queue is empty both times, and its top the same, it was empty all the time between: to have an
// event it would have been locked, the event have got in, and out again, and so it would have
// become empty once more and its top be larger. So when the last queue has been looked at for the
// first time, and none for the second, all were empty. Since the tops of empty queues never get
// smaller, it is enough to compare their sums.
func (c *Queue[V]) wasEmpty() bool {
	first, ok := c.emptiness()
	if !ok {
		return false
	}
	second, ok := c.emptiness()
	return ok && first == second
}

// emptiness adds up the tops of the queues, if they are all empty.
func (c *Queue[V]) emptiness() (sum uint64, ok bool) {
	for i := range c.shards {
		for k := range c.per {
			interleave.Point()
			top := c.shards[i].tops[k%maxPer].Load()
			if top < empty || top == locked {
				return 0, false
			}
			sum += top - empty
		}
	}
	return sum, true
}
