package dispatch_test

import (
	"container/heap"
	"context"
	"fmt"
	"math"
	"runtime"
	"slices"
	"sync"
	"testing"
	"time"

	"github.com/almanac-sim/almanac/dispatch"
)

// An engine takes items from submitters and has 64 workers process them, one at a time each.
type pool interface {
	submit(item int)
	close()
}

const benchWorkers = 64

// dispatched is a Dispatcher.
type dispatched struct{ *dispatch.Dispatcher[int] }

func newDispatched(work func(int), opts ...dispatch.DispatcherOption) pool {
	workers := make([]func(context.Context, int), benchWorkers)
	for i := range workers {
		workers[i] = func(_ context.Context, item int) { work(item) }
	}
	return dispatched{dispatch.NewDispatcher(workers, opts...)}
}

func (d dispatched) submit(item int) {
	if err := d.Submit(context.Background(), item); err != nil {
		panic(err)
	}
}

func (d dispatched) close() {
	if err := d.Close(context.Background()); err != nil {
		panic(err)
	}
}

// channel is what most programs have: a channel with a buffer, from which goroutines receive.
type channel struct {
	items chan int
	done  sync.WaitGroup
}

func newChannel(work func(int)) pool {
	c := &channel{items: make(chan int, 1024)}
	for range benchWorkers {
		c.done.Go(func() {
			for item := range c.items {
				work(item)
			}
		})
	}
	return c
}

func (c *channel) submit(item int) { c.items <- item }

func (c *channel) close() {
	close(c.items)
	c.done.Wait()
}

// timed is a channel that also measures how long items wait.
type timed struct {
	items chan timestamped
	done  sync.WaitGroup
	start time.Time
	mu    sync.Mutex
	sum   time.Duration
}

type timestamped struct {
	item int
	at   time.Duration
}

func newTimed(work func(int)) pool {
	c := &timed{items: make(chan timestamped, 1024), start: time.Now()}
	for range benchWorkers {
		c.done.Go(func() {
			for s := range c.items {
				wait := time.Since(c.start) - s.at
				c.mu.Lock()
				c.sum += wait
				c.mu.Unlock()
				work(s.item)
			}
		})
	}
	return c
}

func (c *timed) submit(item int) { c.items <- timestamped{item, time.Since(c.start)} }

func (c *timed) close() {
	close(c.items)
	c.done.Wait()
}

// heaped is a heap of items by age behind a mutex, with condition variables.
type heaped struct {
	mu          sync.Mutex
	items, room sync.Cond
	all         ages
	seq         int
	closed      bool
	done        sync.WaitGroup
}

type ages []struct{ seq, item int }

func (a ages) Len() int           { return len(a) }
func (a ages) Less(i, j int) bool { return a[i].seq < a[j].seq }
func (a ages) Swap(i, j int)      { a[i], a[j] = a[j], a[i] }
func (a *ages) Push(x any)        { *a = append(*a, x.(struct{ seq, item int })) }
func (a *ages) Pop() any {
	last := (*a)[len(*a)-1]
	*a = (*a)[:len(*a)-1]
	return last
}

func newHeaped(work func(int)) pool {
	h := &heaped{}
	h.items.L, h.room.L = &h.mu, &h.mu
	for range benchWorkers {
		h.done.Go(func() {
			for {
				h.mu.Lock()
				for len(h.all) == 0 && !h.closed {
					h.items.Wait()
				}
				if len(h.all) == 0 {
					h.mu.Unlock()
					return
				}
				item := heap.Pop(&h.all).(struct{ seq, item int }).item
				h.room.Signal()
				h.mu.Unlock()
				work(item)
			}
		})
	}
	return h
}

func (h *heaped) submit(item int) {
	h.mu.Lock()
	for len(h.all) >= 1024 {
		h.room.Wait()
	}
	h.seq++
	heap.Push(&h.all, struct{ seq, item int }{h.seq, item})
	h.items.Signal()
	h.mu.Unlock()
}

func (h *heaped) close() {
	h.mu.Lock()
	h.closed = true
	h.items.Broadcast()
	h.mu.Unlock()
	h.done.Wait()
}

var pools = []struct {
	name string
	make func(work func(int)) pool
}{
	{"dispatcher", func(work func(int)) pool { return newDispatched(work) }},
	{"dispatcher-1", func(work func(int)) pool { return newDispatched(work, dispatch.Capacity(1)) }},
	{"channel", newChannel},
	{"timed", newTimed},
	{"heap", newHeaped},
}

// An item through 64 workers that do nothing: its whole overhead.
func BenchmarkDispatcher(b *testing.B) {
	for _, c := range []int{1, 2, 3} {
		b.Run(fmt.Sprintf("capacity=%d", c), func(b *testing.B) {
			b.ReportAllocs()
			d := newDispatched(func(int) {}, dispatch.Capacity(c))
			for i := range 100_000 { // warm
				d.submit(i)
			}
			for b.Loop() {
				d.submit(0)
			}
			d.close()
		})
	}
}

// Items through 64 workers that do nothing, a thousand at a time, by turns with capacities of 1 and
// 2. The target is at most 1000 ns and no allocation. It reports the best of all turns of 20,000
// items, in ns per item, and the fewest allocations. The submitter is faster than the workers;
// without bursts the queue would grow, and a dispatcher keeps memory for 1024 items only.
func BenchmarkBurstsByTurns(b *testing.B) {
	const burst = 1000
	capacities := []int{1, 2}
	ns, allocs := []float64{math.Inf(1), math.Inf(1)}, []float64{math.Inf(1), math.Inf(1)}
	for b.Loop() {
		for i, c := range capacities {
			var served sync.WaitGroup
			d := newDispatched(func(int) { served.Done() }, dispatch.Capacity(c), dispatch.Seed(1))
			run := func() {
				for i := range turnItems {
					if i%burst == 0 {
						served.Wait()
						served.Add(burst)
					}
					d.submit(i)
				}
				served.Wait()
			}
			run() // until it is warm
			var before, after runtime.MemStats
			runtime.ReadMemStats(&before)
			began := time.Now()
			run()
			ns[i] = min(ns[i], float64(time.Since(began).Nanoseconds())/turnItems)
			runtime.ReadMemStats(&after)
			allocs[i] = min(allocs[i], float64(after.Mallocs-before.Mallocs)/turnItems)
			d.close()
		}
	}
	for i, c := range capacities {
		b.ReportMetric(ns[i], fmt.Sprintf("ns/c=%d", c))
		b.ReportMetric(allocs[i], fmt.Sprintf("allocs/c=%d", c))
	}
	b.ReportMetric(0, "ns/op")
}

// A call to a worker and back, beside the same with two channels: by turns in one process, 2000
// calls each. It reports the best and the median of all turns, in ns per call.
func BenchmarkCallByTurns(b *testing.B) {
	const calls = 2000
	workers := make([]func(context.Context, int) (int, error), benchWorkers)
	for i := range workers {
		workers[i] = func(_ context.Context, i int) (int, error) { return i, nil }
	}
	c := dispatch.NewCaller(workers)
	type request struct {
		item  int
		reply chan int
	}
	requests := make(chan request)
	for range benchWorkers {
		go func() {
			for r := range requests {
				r.reply <- r.item
			}
		}()
	}
	reply := make(chan int, 1)
	ctx, cancel := context.WithCancel(b.Context())
	defer cancel()
	var times [2][]time.Duration
	for b.Loop() {
		start := time.Now()
		for i := range calls {
			c.Do(ctx, i)
		}
		times[0] = append(times[0], time.Since(start))
		start = time.Now()
		for i := range calls {
			select {
			case requests <- request{i, reply}:
			case <-ctx.Done():
			}
			select {
			case <-reply:
			case <-ctx.Done():
			}
		}
		times[1] = append(times[1], time.Since(start))
	}
	c.Close(ctx)
	close(requests)
	for i, name := range []string{"caller", "channels"} {
		slices.Sort(times[i])
		b.ReportMetric(float64(times[i][0].Nanoseconds())/calls, "ns/"+name)
		b.ReportMetric(float64(times[i][len(times[i])/2].Nanoseconds())/calls, "median-ns/"+name)
	}
	b.ReportMetric(0, "ns/op")
}

// All engines by turns in one process, 20,000 items each. It reports the best and the median of all
// turns, in ns per item. Workers do nothing; with several submitters the pool is mostly full.
func BenchmarkDispatchByTurns(b *testing.B) {
	for _, submitters := range []int{1, 2, 16, 64} {
		b.Run(fmt.Sprintf("submitters=%d", submitters), func(b *testing.B) {
			all := make([]pool, len(pools))
			times := make([][]time.Duration, len(pools))
			for i, p := range pools {
				all[i] = p.make(func(int) { turn.Done() })
			}
			for b.Loop() {
				for i, q := range all {
					times[i] = append(times[i], oneTurn(q, submitters))
				}
			}
			for i, q := range all {
				q.close()
				slices.Sort(times[i])
				b.ReportMetric(float64(times[i][0].Nanoseconds())/turnItems, "ns/"+pools[i].name)
				b.ReportMetric(float64(times[i][len(times[i])/2].Nanoseconds())/turnItems, "median-ns/"+pools[i].name)
			}
			b.ReportMetric(0, "ns/op")
		})
	}
}

const turnItems = 20_000

// turn counts the items of this turn that are not finished.
var turn sync.WaitGroup

func oneTurn(q pool, submitters int) time.Duration {
	turn.Add(turnItems)
	start := time.Now()
	for s := range submitters {
		go func() {
			for i := s; i < turnItems; i += submitters {
				q.submit(i)
			}
		}()
	}
	turn.Wait()
	return time.Since(start)
}
