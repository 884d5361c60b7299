package relaxed

import (
	"fmt"
	"math/rand/v2"
	"runtime"
	"sync"
	"sync/atomic"
	"testing"
	"time"

	"github.com/almanac-sim/almanac/internal/interleave"
	"github.com/almanac-sim/almanac/internal/stress"
	"github.com/almanac-sim/almanac/internal/testscale"
	"github.com/almanac-sim/almanac/internal/timekey"
)

// manyGoroutines calls f for numbers of processors and of goroutines, fewer of them if tests should
// be short. The race detector has nothing to see in one goroutine.
func manyGoroutines(t *testing.T, f func(t *testing.T, goroutines int)) {
	for _, processors := range []int{1, 2, 8} {
		for _, goroutines := range []int{1, 2, 8, 64} {
			if testing.Short() && processors*goroutines > 64 || interleave.Enabled && goroutines == 1 {
				continue
			}
			t.Run(fmt.Sprintf("%d-%d", processors, goroutines), func(t *testing.T) {
				defer runtime.GOMAXPROCS(runtime.GOMAXPROCS(processors))
				f(t, goroutines)
			})
		}
	}
}

// fewer divides how often things are done, where each takes long.
var fewer = 1

// Every event is dispatched or cancelled exactly once, and nothing else comes out.
func TestQueueConserves(t *testing.T) {
	manyGoroutines(t, func(t *testing.T, goroutines int) {
		each := min(24_000/fewer, stress.FewerRaced(testscale.Size(6_000, 24_000), 1000)) / goroutines
		for _, c := range []*Queue[int]{
			New[int](),
			New[int](Concurrency(3), perProcess(1), sticky(2)),
			New[int](Concurrency(1), perProcess(3)),
		} {
			times := make([]float64, goroutines*each)
			fates := make([]atomic.Uint32, len(times))
			var wg sync.WaitGroup
			for g := range goroutines {
				wg.Go(func() {
					r := rand.New(rand.NewPCG(8, uint64(g)))
					var events []Handle
					var ids []int
					now := 0.0
					for i := range each {
						id := g*each + i
						times[id] = now + r.ExpFloat64()
						e, err := c.Schedule(times[id], id)
						if err != nil {
							t.Error(err)
							return
						}
						events, ids = append(events, e), append(ids, id)
						if r.IntN(4) == 0 {
							k := r.IntN(len(events)) // its own, perhaps gone
							if c.Cancel(events[k]) {
								fates[ids[k]].Add(1)
							}
						}
						if r.IntN(8) > 0 {
							v, at, ok := c.Next()
							if !ok {
								continue
							}
							// What was written before Schedule can be read after Next.
							if at != times[v] {
								t.Errorf("event %d is dispatched at %v, not %v", v, at, times[v])
							}
							fates[v].Add(1)
							now = max(now, at)
						}
					}
				})
			}
			wg.Wait()
			mustCheck(t, c)
			for n := c.Len(); ; n-- {
				v, _, ok := c.Next()
				if ok != (n > 0) {
					t.Fatalf("Next says %v with %d events", ok, n)
				}
				if !ok {
					break
				}
				fates[v].Add(1)
			}
			for id := range fates {
				if n := fates[id].Load(); n != 1 {
					t.Fatalf("event %d was dispatched or cancelled %d times", id, n)
				}
			}
			sum, _ := c.Stats()
			if sum.Scheduled != uint64(len(fates)) || sum.Dispatched+sum.Canceled != sum.Scheduled || sum.Pending != 0 {
				t.Fatal(sum)
			}
			mustCheck(t, c)
		}
	})
}

// Of all that cancel or dispatch an event one does.
func TestQueueCancelsOnce(t *testing.T) {
	manyGoroutines(t, func(t *testing.T, goroutines int) {
		c := New[int]()
		n := max(testscale.Size(40, 100), stress.FewerRaced(300, 150)/fewer)
		var stale []Handle
		for range max(2, stress.FewerRaced(10, 3)/fewer) {
			events := make([]Handle, n)
			for i := range events {
				events[i], _ = c.Schedule(float64(i%7), i)
			}
			fates := make([]atomic.Uint32, n)
			var wg sync.WaitGroup
			for g := range goroutines {
				wg.Go(func() {
					for k := range n {
						i := (k + g*n/goroutines) % n
						if c.Cancel(events[i]) {
							fates[i].Add(1)
						}
						if len(stale) > 0 && c.Cancel(stale[i]) {
							t.Error("a stale name cancelled something")
						}
						if (k+g)%3 == 0 {
							if v, _, ok := c.Next(); ok {
								fates[v].Add(1)
							}
						}
					}
				})
			}
			wg.Wait()
			for i := range fates {
				if fates[i].Load() != 1 {
					t.Fatalf("event %d was dispatched or cancelled %d times", i, fates[i].Load())
				}
			}
			if c.Len() != 0 {
				t.Fatal("something is left")
			}
			stale = events
		}
		mustCheck(t, c)
	})
}

// As long as there is an event, Next finds one: each goroutine has at most one in hand, and there
// is one more.
func TestQueueIsNeverEmpty(t *testing.T) {
	manyGoroutines(t, func(t *testing.T, goroutines int) {
		for _, c := range []*Queue[int]{New[int](), New[int](Concurrency(4), perProcess(3)),
			New[int](Concurrency(2), perProcess(1))} {
			for i := range goroutines + 1 {
				_, _ = c.Schedule(float64(i), i)
			}
			var wg sync.WaitGroup
			for g := range goroutines {
				wg.Go(func() {
					r := rand.New(rand.NewPCG(9, uint64(g)))
					for range min(20_000/fewer, stress.FewerRaced(testscale.Size(6_000, 20_000), 2000)) / goroutines {
						v, at, ok := c.Next()
						if !ok {
							t.Error("Next found nothing")
							return
						}
						_, _ = c.Schedule(at+r.ExpFloat64(), v)
					}
				})
			}
			wg.Wait()
			mustCheck(t, c)
		}
	})
}

// An event wanders from subqueue to subqueue, and is always in one: the next is scheduled before it
// is cancelled.
func TestQueueSeesWhatWanders(t *testing.T) {
	for _, processors := range []int{2, 8} {
		func() {
			defer runtime.GOMAXPROCS(runtime.GOMAXPROCS(processors))
			c := New[int](Concurrency(3), perProcess(2))
			c.affinities = c.affinities[:1] // so that one top tells where the next event goes
			e, _ := c.Schedule(0, 0)
			var done atomic.Bool
			var wg sync.WaitGroup
			for range 2 {
				wg.Go(func() {
					for !done.Load() {
						if _, ok := c.Peek(); !ok {
							t.Error("Peek found nothing")
							return
						}
						if fewer > 1 {
							runtime.Gosched()
						}
					}
				})
			}
			wg.Go(func() {
				for i := range min(20_000/fewer, stress.FewerRaced(20_000, 5000)) {
					// To another shard each time.
					next, _ := c.Schedule(float64(i%5), i)
					c.affinities[0].at.Store(atHome(uint32(i % 3)))
					if !c.Cancel(e) {
						t.Error("the event is gone")
					}
					e = next
				}
				done.Store(true)
			})
			wg.Wait()
			mustCheck(t, c)
		}()
	}
}

// A goroutine that holds a lock hides one subqueue, and no more. No call says that there is nothing
// until that can be seen.
func TestQueueWithOneHalted(t *testing.T) {
	c := New[int](Concurrency(2))
	for i := range 100 {
		_, _ = c.Schedule(float64(i), i)
	}
	for i := range c.subqueues {
		d, k, _ := c.subqueue(i)
		w := d.await(k)
		for range 100 - c.open(uint32(i)).live {
			v, at, ok := c.Next()
			if !ok {
				t.Fatal("Next found nothing")
			}
			_, _ = c.Schedule(at+100, v)
		}
		d.unlock(k, w)
		if c.Len() != 100 {
			t.Fatalf("%d events", c.Len())
		}
	}
	mustCheck(t, c)

	// An event in a subqueue that is locked, and none besides.
	c = New[int](Concurrency(2))
	e, _ := c.Schedule(1, 7)
	d, k, _ := c.subqueue(int(e.queue))
	w := d.await(k)
	if c.wasEmpty() {
		t.Fatal("a subqueue that is locked is taken for an empty one")
	}
	got := make(chan int)
	go func() {
		v, _, ok := c.Next()
		if !ok {
			v = -1
		}
		got <- v
	}()
	select {
	case v := <-got:
		t.Fatalf("Next returned %d", v)
	case <-time.After(30 * time.Millisecond):
	}
	d.unlock(k, w)
	if v := <-got; v != 7 {
		t.Fatalf("Next returned %d", v)
	}

	// A subqueue that is locked and empty may have an event soon.
	d.await(k)
	go func() {
		v, _, ok := c.Next()
		if !ok {
			v = -1
		}
		got <- v
	}()
	select {
	case v := <-got:
		t.Fatalf("Next returned %d", v)
	case <-time.After(30 * time.Millisecond):
	}
	s := c.open(e.queue)
	s.add(timekey.Of(3), 8)
	d.unlock(k, s.top())
	if v := <-got; v != 8 {
		t.Fatalf("Next returned %d", v)
	}
}

// Schedule goes elsewhere when all subqueues of a process are locked.
func TestQueueWithAllHalted(t *testing.T) {
	c := New[int](Concurrency(2))
	p := newProcesses(c)
	var tops []uint64
	for i := range c.per {
		tops = append(tops, c.shards[0].await(uint32(i)))
	}
	as(c, &p[0], func() {
		for i := range 10 {
			if e, _ := c.Schedule(float64(i), i); int(e.queue) < c.per {
				t.Error("an event is in a subqueue that is locked")
			}
		}
	})
	as(c, &p[0], func() {
		if v, at, ok := c.Next(); v != 0 || at != 0 || !ok {
			t.Errorf("%d at %v, %v", v, at, ok)
		}
	})
	for i, w := range tops {
		c.shards[0].unlock(uint32(i), w)
	}
	mustCheck(t, c)
}

// Len and Stats can be asked for while others work.
func TestQueueLenMeanwhile(t *testing.T) {
	c := New[int]()
	const n, goroutines = 500, 4
	for i := range n {
		_, _ = c.Schedule(float64(i), i)
	}
	var wg sync.WaitGroup
	for g := range goroutines {
		wg.Go(func() {
			r := rand.New(rand.NewPCG(10, uint64(g)))
			for range 5000 {
				v, at, _ := c.Next()
				_, _ = c.Schedule(at+r.ExpFloat64(), v)
			}
		})
	}
	for range 200 {
		// An event that moves while it counts can be counted twice, or not at all.
		if l := c.Len(); l < n/2 || l > 2*n {
			t.Errorf("Len is %d, of %d", l, n)
		}
		if sum, _ := c.Stats(); sum.Scheduled < n || sum.Dispatched > sum.Scheduled {
			t.Error(sum)
		}
	}
	wg.Wait()
	if c.Len() != n {
		t.Errorf("Len is %d, want %d", c.Len(), n)
	}
}
