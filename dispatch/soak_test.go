//go:build soak

package dispatch

import (
	"context"
	"runtime"
	"sync/atomic"
	"testing"
	"time"
)

// Twice the load that the workers can serve, for a minute of real time: memory is bounded, no item
// is lost or duplicated, and no worker has a free slot while an item waits. (How many are served
// depends on how long the machine sleeps for 5 ms.)
func TestDispatcherSoakOverload(t *testing.T) {
	const (
		workers  = 64
		service  = 5 * time.Millisecond
		duration = time.Minute
		batch    = 2 * workers // every 5 ms
	)
	items := int(duration/service) * batch
	seen := make([]atomic.Int32, items)
	var all []func(context.Context, int)
	for range workers {
		all = append(all, func(_ context.Context, item int) {
			seen[item].Add(1)
			time.Sleep(service)
		})
	}
	d := NewDispatcher(all, PoolLimit(1000), MaxWait(200*time.Millisecond),
		OnDrop(func(item int, _ error) { seen[item].Add(1) }))
	heap := func() uint64 {
		var m runtime.MemStats
		runtime.GC()
		runtime.ReadMemStats(&m)
		return m.HeapAlloc
	}
	start, item := time.Now(), 0
	before, second, idle := uint64(0), time.Second, 0
	for item < items {
		time.Sleep(time.Until(start.Add(time.Duration(item/batch) * service)))
		for range batch {
			if d.TrySubmit(item) != nil {
				seen[item].Add(1)
			}
			item++
		}
		if s := d.Stats(); s.Pool > 0 && s.InService+s.Accepted < workers*s.Capacity {
			idle++
		}
		if time.Since(start) > second {
			if second == 2*time.Second {
				before = heap()
			}
			second += time.Second
		}
	}
	took := time.Since(start)
	if after := heap(); after > before+before/2+1<<20 {
		t.Errorf("the heap has grown from %d to %d bytes", before, after)
	}
	s := d.Stats()
	t.Logf("%v: %d of %d served, %d too old, %d refused, %v", took, s.Served, items, s.TooOld, s.Full, &s.Waits)
	if idle > 0 {
		t.Errorf("%d times an item waited while a worker had a slot", idle)
	}
	if err := d.Close(t.Context()); err != nil {
		t.Fatal(err)
	}
	for item := range seen {
		if n := seen[item].Load(); n != 1 {
			t.Fatalf("item %d was served, dropped or refused %d times", item, n)
		}
	}
}

// The chaos test for longer.
func TestDispatcherSoakChaos(t *testing.T) { chaos(t, 100_000) }
