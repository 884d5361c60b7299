package relaxed

import (
	"runtime"
	"runtime/metrics"
	"sync/atomic"
	"time"
	"unsafe"
)

// An affinity is what is known of a goroutine, or of several that happen to share it, which does no
// harm. It is found by where the goroutine's stack lies, and says which shard the goroutine works
// with. It changes so rarely that this costs nothing.
type affinity struct {
	at     atomic.Uint64 // the shard it belongs to and the one it works with: see atHome
	until  atomic.Uint64 // the key after which it should choose anew: others may have fallen behind
	gaveUp atomic.Uint64 // what a shard had published when no other goroutine was there: see waitForBehind
	_      [40]byte
}

func atHome(home uint32) uint64            { return visiting(home, home) }
func visiting(home, working uint32) uint64 { return uint64(home)<<32 | uint64(working) }
func homeOf(at uint64) uint32              { return uint32(at >> 32) }
func workOf(at uint64) uint32              { return uint32(at) }

// move makes the goroutine work with another shard, if it is another.
func (a *affinity) move(from, to uint64) {
	if from != to {
		a.at.Store(to)
	}
}

// affinity returns the caller's.
func (c *Queue[V]) affinity() *affinity {
	var here byte
	i := uint64(uintptr(unsafe.Pointer(&here))>>11) * golden >> 32
	c.demandMade()
	return &c.affinities[i&uint64(len(c.affinities)-1)]
}

// A local is the shard that a processor prefers: the one last used there. A sync.Pool gives a
// processor the one it put back.
type local struct{ shard uint32 }

const (
	// yieldAfter is the time after which a goroutine that uses a subqueue checks whether others are
	// waiting for a processor, and if so yields. The scheduler interrupts a goroutine that has run
	// for 10 ms, wherever that is, and when others are waiting it does not come back for long: if
	// it holds a lock, the events of that subqueue are not dispatched all the while. A goroutine
	// that yields in time is not interrupted.
	yieldAfter = 2 * time.Millisecond
	// clockEvery is the number of operations after which the time is read, and contended the number
	// of them that have found the subqueue locked if there are too many goroutines at the shard.
	// Two goroutines that work there find it locked every other time, one that others come to help
	// rarely.
	clockEvery = 512
	contended  = clockEvery / 8
)

// A followUp is what a goroutine does after an operation, when it holds no lock.
type followUp uint8

const (
	proceed        followUp = iota // nothing
	yield                          // if others wait for a processor
	yieldAndGo                     // the same, and go to the processor's shard
	leaveContended                 // go to another shard
)

// tick counts operations, and from time to time returns what the goroutine should do once it has
// unlocked the subqueue.
func (q *subqueue[V]) tick(a *affinity) followUp {
	q.operations++
	if q.operations%clockEvery != 0 {
		return proceed
	}
	return q.inspect(a)
}

// inspect reads the clock, and checks which other goroutines are here.
//
//go:noinline
func (q *subqueue[V]) inspect(a *affinity) followUp {
	waits := q.waits - q.waited
	q.waited = q.waits
	if waits > contended {
		return leaveContended
	}
	now := time.Since(epoch)
	if now-q.inspected < yieldAfter {
		return proceed
	}
	alone := q.user == a
	q.inspected, q.user = now, a
	if alone {
		return yield
	}
	return yieldAndGo
}

// epoch is when the program began.
var epoch = time.Now()

// followUp does what is due after an operation. It lets others run, and goes to the shard of the
// processor that it finds itself on, so that goroutines that take turns on a processor use the same
// shard, which is in its cache. Or it leaves a contended shard for the next one, and so will others
// on this processor.
func (c *Queue[V]) followUp(a *affinity, f followUp) {
	if f != leaveContended && c.othersWait() {
		runtime.Gosched()
	} else if f == yield {
		return // also if it has come to another processor: its events are here
	}
	x := c.local.Get().(*local)
	home := homeOf(a.at.Load())
	if f == leaveContended && home == x.shard {
		x = &c.locals[(x.shard+1)%uint32(len(c.locals))]
	}
	c.local.Put(x)
	if home != x.shard {
		a.at.Store(atHome(x.shard))
	}
}

// othersWait reports whether there are goroutines that could run and have no processor. It reports
// false if another goroutine is just reading the same.
func (c *Queue[V]) othersWait() bool {
	if !c.asking.TryLock() {
		return false
	}
	defer c.asking.Unlock()
	metrics.Read(c.waiting[:])
	return c.waiting[0].Value.Uint64() > 0
}
