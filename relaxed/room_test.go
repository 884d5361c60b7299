package relaxed

import (
	"math"
	"math/rand/v2"
	"runtime"
	"sync"
	"testing"
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
func TestQueueGrowsForMany(t *testing.T) { growTogether(t, 1<<17) }

// A queue that had room for fewer events than come makes more of it while many use it.
func TestQueueGrowsBeyondCapacity(t *testing.T) { growTogether(t, 1<<17, Capacity(1<<15)) }

// However many goroutines fill a queue, an array is replaced once, by one twice as long. All arrays
// together are then less than twice the last ones. A megabyte is for the levels that were replaced,
// and for the goroutines.
func TestQueueMemoryIsMadeOnce(t *testing.T) {
	there, made := growTogether(t, 1<<19)
	if made > 2*there+1<<20 {
		t.Errorf("%d bytes were made, where %d bytes are there", made, there)
	}
}

// A queue with room for so many events makes no second array for them, whatever their times.
func TestQueueCapacityMemory(t *testing.T) {
	for _, n := range []int{1, 100, 10_000, 65_536, 100_000, 262_144, 400_000} {
		for name, at := range map[string]func(r *rand.Rand) float64{
			"exponential": (*rand.Rand).ExpFloat64,
			"log-normal":  func(r *rand.Rand) float64 { return math.Exp(5 * r.NormFloat64()) },
		} {
			for _, per := range []int{1, 2} {
				if per > 1 && n < 10_000 {
					continue // by chance, one of the queues gets far more than its share
				}
				r := rand.New(rand.NewPCG(27, uint64(n)))
				c := New[int](Concurrency(1), perProcess(per), Capacity(n))
				type room struct{ chunks, slots int }
				var before []room
				for i := range c.subqueues {
					q := c.subqueues[i].Load()
					before = append(before, room{len(q.chunks), cap(q.slots)})
				}
				for i := range n {
					_, _ = c.Schedule(at(r), i)
				}
				for i := range c.subqueues {
					q := c.subqueues[i].Load()
					if after := (room{len(q.chunks), cap(q.slots)}); after != before[i] {
						t.Errorf("%d %s events, queue %d of %d: %+v became %+v", n, name, i, per, before[i], after)
					}
				}
			}
		}
	}
}
