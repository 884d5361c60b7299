package relaxed

import (
	"math/rand/v2"
	"runtime"
	"sync"
	"testing"

	"github.com/almanac-sim/almanac/internal/stress"
)

// growTogether has 64 goroutines fill one queue with n events, and returns how many bytes are there
// then, and how many were ever taken.
func growTogether(t *testing.T, n int, opts ...Option) (there, made uint64) {
	const goroutines = 64
	c := New[int](append(opts, Concurrency(1))...)
	var before, after runtime.MemStats
	runtime.ReadMemStats(&before)
	var all sync.WaitGroup
	for w := range goroutines {
		all.Go(func() {
			r := rand.New(rand.NewPCG(26, uint64(w)))
			for i := range n / goroutines {
				_, _ = c.Schedule(r.ExpFloat64(), i)
			}
		})
	}
	all.Wait()
	runtime.ReadMemStats(&after)
	mustCheck(t, c)
	sum, _ := c.Stats()
	if sum.Pending != n {
		t.Fatalf("%d events are there, not %d", sum.Pending, n)
	}
	return uint64(sum.Bytes), after.TotalAlloc - before.TotalAlloc
}

// An array that is replaced while many use it, in programs that are checked for races, too.
func TestQueueGrowsForMany(t *testing.T) { growTogether(t, stress.FewerRaced(1<<17, 1<<16)) }

// A queue that had room for fewer events than come makes more of it while many use it.
func TestQueueGrowsBeyondCapacity(t *testing.T) {
	growTogether(t, stress.FewerRaced(1<<17, 1<<16), Capacity(1<<15))
}
