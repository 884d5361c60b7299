//go:build !race

package dispatch_test

import (
	"context"
	"sync"
	"testing"

	"github.com/almanac-sim/almanac/dispatch"
)

// Once warm, an item allocates nothing, whether it begins at once, waits in the pool, or is
// blocked.
func TestDispatcherAllocatesNothing(t *testing.T) {
	workers := make([]func(context.Context, int), 64)
	var served sync.WaitGroup
	for i := range workers {
		workers[i] = func(context.Context, int) { served.Done() }
	}
	d := dispatch.NewDispatcher(workers, dispatch.PoolLimit(100))
	ctx := t.Context()
	run := func() {
		const items = 1000
		served.Add(items)
		for i := range items {
			if err := d.Submit(ctx, i); err != nil {
				t.Error(err)
			}
		}
		served.Wait()
	}
	for range 20 {
		run()
	}
	// A blocked goroutine may allocate now and then, but not for one item in a hundred.
	if n := testing.AllocsPerRun(20, run); n > 10 {
		t.Errorf("1000 items allocate %v times", n)
	}
	mustClose(t, d)
}

// Nor does it if a pool of the default limit is filled and emptied again and again.
func TestFullPoolAllocatesNothing(t *testing.T) {
	var gate sync.RWMutex
	var served sync.WaitGroup
	workers := make([]func(context.Context, int), 64)
	for i := range workers {
		workers[i] = func(context.Context, int) {
			gate.RLock() // a worker of a burst waits until all of it is there
			defer gate.RUnlock()
			served.Done()
		}
	}
	d := dispatch.NewDispatcher(workers)
	most := 0
	burst := func() {
		gate.Lock()
		n := 0
		for served.Add(1); d.TrySubmit(n) == nil; served.Add(1) {
			n++
		}
		served.Done()
		most = max(most, n)
		gate.Unlock()
		served.Wait()
	}
	burst()
	if n := testing.AllocsPerRun(20, burst); n > 5 || most < 1024+64 {
		t.Errorf("a burst of up to %d items allocates %v times", most, n)
	}
	mustClose(t, d)
}

func TestCallerAllocatesNothing(t *testing.T) {
	workers := make([]func(context.Context, int) (int, error), 64)
	for i := range workers {
		workers[i] = func(_ context.Context, i int) (int, error) { return i, nil }
	}
	c := dispatch.NewCaller(workers)
	ctx, cancel := context.WithCancel(t.Context())
	defer cancel()
	do := func() {
		for i := range 100 {
			if r, err := c.Do(ctx, i); r != i || err != nil {
				t.Fatal(r, err)
			}
		}
	}
	do()
	if n := testing.AllocsPerRun(20, do); n > 1 {
		t.Errorf("100 calls allocate %v times", n)
	}
	mustClose(t, c)
}
