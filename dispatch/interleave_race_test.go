//go:build race

package dispatch

import (
	"context"
	"runtime"
	"sync/atomic"
	"testing"
	"time"
)

// The chaos test with goroutines that yield between steps, and all invariants checked after each.
func TestDispatcherInterrupted(t *testing.T) {
	var steps atomic.Uint64
	between := func() {
		switch n := steps.Add(1); {
		case n%101 == 0:
			time.Sleep(20 * time.Microsecond)
		case n%3 == 0:
			runtime.Gosched()
		}
	}
	var broken, looks atomic.Uint64
	look := func(scheduler any) {
		looks.Add(1)
		if err := scheduler.(interface{ check() error }).check(); err != nil && broken.Add(1) == 1 {
			t.Error(err)
		}
	}
	interleaved.Store(&between)
	audited.Store(&look)
	defer interleaved.Store(nil)
	defer audited.Store(nil)
	chaos(t, 500)
	if n := broken.Load(); n > 0 || looks.Load() < 10_000 {
		t.Errorf("%d of %d looks found something", n, looks.Load())
	}
}

// When Do returns its item is counted, whichever goroutine runs next.
func TestCallerCountsInterrupted(t *testing.T) {
	defer runtime.GOMAXPROCS(runtime.GOMAXPROCS(1))
	c := NewCaller([]func(context.Context, int) (int, error){func(context.Context, int) (int, error) { return 0, nil }})
	between := func() { runtime.Gosched() }
	interleaved.Store(&between)
	defer interleaved.Store(nil)
	for i := range uint64(100) {
		if _, err := c.Do(t.Context(), 1); err != nil {
			t.Fatal(err)
		}
		c.scheduler.mu.Lock() // not Stats, which would yield to the worker
		served, begun := c.scheduler.total.Served, c.scheduler.inService
		c.scheduler.mu.Unlock()
		if served != i+1 || begun != 0 {
			t.Fatalf("%d calls, %d served, %d in service", i+1, served, begun)
		}
	}
	if err := c.Close(t.Context()); err != nil {
		t.Fatal(err)
	}
}
