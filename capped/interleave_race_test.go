//go:build race

package capped

import (
	"runtime"
	"sync/atomic"
	"testing"
	"time"
)

// Chaos once more, with goroutines interrupted between steps, and all invariants looked at after each.
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
	look := func(desk any) {
		looks.Add(1)
		if err := desk.(interface{ check() error }).check(); err != nil && broken.Add(1) == 1 {
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
