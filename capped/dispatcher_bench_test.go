package capped_test

import (
	"container/heap"
	"context"
	"fmt"
	"runtime"
	"sync"
	"testing"
	"time"

	"github.com/almanac-sim/almanac/capped"
)

// What is compared: something that takes items from submitters and has 64 workers do them, each one at a time.
type pool interface {
	submit(item int)
	close()
}

const benchWorkers = 64

// dispatched is a Dispatcher.
type dispatched struct{ *capped.Dispatcher[int] }

func newDispatched(work func(int), opts ...capped.DispatcherOption) pool {
	workers := make([]func(context.Context, int), benchWorkers)
	for i := range workers {
		workers[i] = func(_ context.Context, item int) { work(item) }
	}
	return dispatched{capped.NewDispatcher(workers, opts...)}
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

// timed is a channel that also does what is needed to know how long items wait.
type timed struct {
	items chan stamped
	done  sync.WaitGroup
	start time.Time
	mu    sync.Mutex
	sum   time.Duration
}

type stamped struct {
	item int
	at   time.Duration
}

func newTimed(work func(int)) pool {
	c := &timed{items: make(chan stamped, 1024), start: time.Now()}
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

func (c *timed) submit(item int) { c.items <- stamped{item, time.Since(c.start)} }

func (c *timed) close() {
	close(c.items)
	c.done.Wait()
}

// heaped is a heap of items by age behind a mutex, with conditions for those who wait.
type heaped struct {
	mu          sync.Mutex
	items, room sync.Cond
	all         ages
	stamp       int
	closed      bool
	done        sync.WaitGroup
}

type ages []struct{ stamp, item int }

func (a ages) Len() int           { return len(a) }
func (a ages) Less(i, j int) bool { return a[i].stamp < a[j].stamp }
func (a ages) Swap(i, j int)      { a[i], a[j] = a[j], a[i] }
func (a *ages) Push(x any)        { *a = append(*a, x.(struct{ stamp, item int })) }
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
				item := heap.Pop(&h.all).(struct{ stamp, item int }).item
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
	h.stamp++
	heap.Push(&h.all, struct{ stamp, item int }{h.stamp, item})
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
	{"dispatcher-1", func(work func(int)) pool { return newDispatched(work, capped.Buffer(1)) }},
	{"channel", newChannel},
	{"timed", newTimed},
	{"heap", newHeaped},
}

// spin works for about so many nanoseconds times something.
func spin(n int) func(int) {
	return func(item int) {
		x := uint64(item)
		for range n {
			x = x*6364136223846793005 + 1442695040888963407
		}
		runtime.KeepAlive(x)
	}
}

// An item through 64 workers, from several submitters: its whole overhead, since workers do nothing.
func BenchmarkDispatch(b *testing.B) {
	for _, submitters := range []int{1, 2, 16} {
		for _, p := range pools {
			b.Run(fmt.Sprintf("%s/submitters=%d", p.name, submitters), func(b *testing.B) {
				b.ReportAllocs()
				q := p.make(spin(0))
				for i := range 10_000 {
					q.submit(i)
				}
				b.ResetTimer()
				var all sync.WaitGroup
				for s := range submitters {
					all.Go(func() {
						for i := s; i < b.N; i += submitters {
							q.submit(i)
						}
					})
				}
				all.Wait()
				q.close()
			})
		}
	}
}
