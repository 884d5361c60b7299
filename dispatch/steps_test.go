//go:build !race

package dispatch

import (
	"context"
	"math"
	"math/bits"
	"runtime"
	"testing"
)

// held returns a dispatcher whose workers hang until release, and then return at once.
func held(workers int, opts ...DispatcherOption) (d *Dispatcher[int], release func()) {
	gate := make(chan struct{})
	all := make([]func(context.Context, int), workers)
	for i := range all {
		all[i] = func(context.Context, int) { <-gate }
	}
	return NewDispatcher(all, opts...), func() { close(gate) }
}

func fill(t *testing.T, d *Dispatcher[int], n int) {
	t.Helper()
	for i := range n {
		if err := d.TrySubmit(i); err != nil {
			t.Fatal(err)
		}
	}
}

func shut(t *testing.T, d *Dispatcher[int]) {
	t.Helper()
	if err := d.Close(t.Context()); err != nil {
		t.Fatal(err)
	}
	if s := d.Stats(); s.Served != s.Submitted {
		t.Errorf("%d of %d items were served", s.Served, s.Submitted)
	}
}

// walked returns how many items were passed in searches for the position of others.
func walked(d *Dispatcher[int]) int {
	d.scheduler.mu.Lock()
	defer d.scheduler.mu.Unlock()
	return d.scheduler.accepted.Walked + d.scheduler.pool.Walked
}

// Stealing from a worker that hangs takes constant time for any number of its items.
func TestDispatcherTakesOverInConstantTime(t *testing.T) {
	const n = 2000
	d, release := held(1, Capacity(n))
	fill(t, d, n)
	last := make(chan bool)
	served := 0
	d.AddWorker(func(context.Context, int) {
		if served++; served == n-1 {
			close(last)
		}
	})
	<-last
	if w := walked(d); w > 0 {
		t.Errorf("%d items passed for %d taken over", w, n-1)
	}
	release()
	shut(t, d)
}

// Inserting the items of a removed worker among those that others have accepted takes time in
// proportion to the sum of both and not to their product, whether the others have slots at once or
// one by one.
func TestDispatcherGivesBackInProportion(t *testing.T) {
	const n = 3000
	for name, c := range map[string]int{"slots at once": n, "slots one by one": n / 3} {
		d, release := held(3, Capacity(c), Seed(1))
		fill(t, d, n)
		d.RemoveWorker(0)
		s := d.Stats()
		if s.Returned < n/4 {
			t.Fatalf("%s: only %d items were given back", name, s.Returned)
		}
		release()
		shut(t, d)
		if w := walked(d); w > 2*n {
			t.Errorf("%s: %d items passed for %d given back and %d others", name, w, s.Returned, n-int(s.Returned))
		}
	}
}

// After a burst the memory is that of the present items.
func TestDispatcherMemoryAfterBurst(t *testing.T) {
	heap := func() int64 {
		runtime.GC()
		var m runtime.MemStats
		runtime.ReadMemStats(&m)
		return int64(m.HeapAlloc)
	}
	const n = 300_000
	before := heap()
	d, release := held(1, PoolLimit(n))
	fill(t, d, n)
	least := int64(70) // bytes of an item
	if bits.UintSize == 32 {
		least = 40
	}
	if grown := heap() - before; grown < least*n || grown > 100*n {
		t.Errorf("%d items take %d bytes", n, grown)
	}
	release()
	shut(t, d)
	if left := heap() - before; left > 300*2*minSpare {
		t.Errorf("after %d items %d bytes are left", n, left)
	}
	runtime.KeepAlive(d)
}

// A capacity of any size works.
func TestDispatcherLargestCapacity(t *testing.T) {
	d, release := held(2, Capacity(math.MaxInt), PoolLimit(0))
	fill(t, d, 100)
	if s := d.Stats(); s.Pool != 0 || s.Accepted+s.InService != 100 || s.Capacity != math.MaxInt {
		t.Errorf("%+v", s)
	}
	release()
	shut(t, d)
}
