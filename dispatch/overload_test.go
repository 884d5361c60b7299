package dispatch

import (
	"context"
	"sync/atomic"
	"testing"
	"testing/synctest"
	"time"
)

// Twice the load that the workers can serve, for ten seconds of simulated time: the pool stays within
// its limit, memory too, and workers are never idle. With MaxWait the items that are served are
// young.
func TestDispatcherOverload(t *testing.T) {
	for _, maxWait := range []time.Duration{0, 20 * time.Millisecond} {
		synctest.Test(t, func(t *testing.T) {
			const (
				workers  = 8
				service  = 10 * time.Millisecond
				every    = service / workers / 2
				duration = 10 * time.Second
				limit    = 100
			)
			var served, dropped atomic.Int64
			var all []func(context.Context, int)
			seen := make([]atomic.Int32, duration/every)
			for range workers {
				all = append(all, func(_ context.Context, item int) {
					time.Sleep(service)
					seen[item].Add(1)
					served.Add(1)
				})
			}
			opts := []DispatcherOption{PoolLimit(limit), OnDrop(func(item int, _ error) {
				seen[item].Add(1)
				dropped.Add(1)
			})}
			if maxWait > 0 {
				opts = append(opts, MaxWait(maxWait))
			}
			d := NewDispatcher(all, opts...)
			refused, largest := 0, 0
			for item := range seen {
				if err := d.TrySubmit(item); err != nil {
					refused++
					seen[item].Add(1)
				}
				largest = max(largest, d.Stats().Pool)
				time.Sleep(every)
			}
			// All workers have been busy since the first arrivals.
			synctest.Wait()
			if got, want := int(served.Load()), int(duration/service)*workers; got < want-2*workers || got > want {
				t.Errorf("%d were served, want about %d", got, want)
			}
			if err := d.Close(t.Context()); err != nil {
				t.Fatal(err)
			}
			for item := range seen {
				if n := seen[item].Load(); n != 1 {
					t.Fatalf("item %d was served, dropped or refused %d times", item, n)
				}
			}
			taken := 0
			for it := d.scheduler.freeList; it != nil; it = it.Links[byPlace].Next {
				taken++
			}
			if s := d.Stats(); largest > limit || taken > limit+workers*d.scheduler.capacity+1 {
				t.Errorf("the pool was up to %d, %d items were made: %+v", largest, taken, s)
			} else if maxWait > 0 && (s.Waits.Max > maxWait || dropped.Load() == 0) ||
				maxWait == 0 && (refused == 0 || dropped.Load() > 0) {
				t.Errorf("%d dropped, %d refused: %+v", dropped.Load(), refused, s)
			}
		})
	}
}
