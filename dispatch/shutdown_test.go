package dispatch_test

import (
	"context"
	"errors"
	"slices"
	"strings"
	"testing"
	"testing/synctest"
	"time"

	"go.uber.org/goleak"

	"github.com/almanac-sim/almanac/dispatch"
)

func TestDispatcherAddsAndRemovesWorkers(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		l := newJournal()
		workers, gate := gated(1, l)
		d := dispatch.NewDispatcher(workers, dispatch.Capacity(3))
		for i := range 6 {
			submit(t, d, i)
			time.Sleep(time.Second)
		}
		if s := d.Stats(); s.Accepted != 2 || s.Pool != 3 || s.Oldest != 5*time.Second {
			t.Fatalf("%+v", s)
		}
		// 0 has begun. 1 and 2 return to the pool with their age, as the oldest.
		if !d.RemoveWorker(0) || d.RemoveWorker(0) || d.RemoveWorker(7) {
			t.Fatal("RemoveWorker says the wrong thing")
		}
		if s := d.Stats(); s.Accepted != 0 || s.Pool != 5 || s.Oldest != 5*time.Second ||
			s.Returned != 2 || !s.Workers[0].Removed {
			t.Fatalf("%+v", s)
		}
		l.want(t, "0")
		workers, _ = gated(1, l)
		if id := d.AddWorker(func(ctx context.Context, item int) { l.add("new ", item) }); id != 1 {
			t.Fatalf("the new worker is %d", id)
		}
		l.want(t, "new 1", "new 2", "new 3", "new 4", "new 5")
		gate <- struct{}{}
		synctest.Wait()
		if s := d.Stats(); len(s.Workers) != 1 || s.Served != 6 || s.Workers[0].Done != 5 {
			t.Fatalf("%+v", s)
		}
		// Without workers items wait, and a closed dispatcher waits for a worker.
		d.RemoveWorker(1)
		submit(t, d, 6, 7)
		ctx, cancel := context.WithTimeout(t.Context(), time.Second)
		defer cancel()
		if err := d.Close(ctx); err != context.DeadlineExceeded {
			t.Fatal(err)
		}
		close(gate)
		d.AddWorker(workers[0])
		synctest.Wait()
		l.want(t, "6")
		d.Abort()
		mustClose(t, d)
		d.AddWorker(workers[0]) // too late
		if s := d.Stats(); len(s.Workers) > 0 || s.Aborted != 1 {
			t.Fatalf("%+v", s)
		}
	})
}

func TestDispatcherCloses(t *testing.T) {
	defer goleak.VerifyNone(t)
	synctest.Test(t, func(t *testing.T) {
		l := newJournal()
		workers, gate := gated(2, l)
		d := dispatch.NewDispatcher(workers, dispatch.Capacity(1), dispatch.PoolLimit(2))
		submit(t, d, 0, 1, 2, 3)
		go func() { l.add("blocked: ", d.Submit(t.Context(), 4)) }()
		l.all()
		ctx, cancel := context.WithTimeout(t.Context(), time.Second)
		defer cancel()
		if err := d.Close(ctx); err != context.DeadlineExceeded {
			t.Fatal(err)
		}
		l.want(t, "blocked: "+dispatch.ErrClosed.Error())
		if err := errors.Join(d.Submit(t.Context(), 5), d.TrySubmit(6)); !errors.Is(err, dispatch.ErrClosed) {
			t.Fatal(err)
		}
		gate <- struct{}{} // it continues
		l.want(t, "2")
		if got := d.Abort(); !slices.Equal(got, []int{3}) {
			t.Fatalf("Abort returned %v", got)
		}
		if got := l.all(); len(got) != 2 || !strings.HasSuffix(got[0], "context canceled") {
			t.Fatal(got)
		}
		mustClose(t, d)
		mustClose(t, d)
		if got := d.Abort(); got != nil {
			t.Fatal(got)
		}
		if s := d.Stats(); s.Submitted != 4 || s.Served != 3 || s.Aborted != 1 {
			t.Fatalf("%+v", s)
		}
	})
}

// Items that return to the pool may be older than those that another worker has accepted. Abort
// returns all of them by age.
func TestDispatcherAbortsByAge(t *testing.T) {
	for seed := range uint64(10) {
		synctest.Test(t, func(t *testing.T) {
			l := newJournal()
			workers, _ := gated(2, l)
			d := dispatch.NewDispatcher(workers, dispatch.Capacity(2), dispatch.Seed(seed))
			submit(t, d, 0, 1, 2, 3, 4)
			l.all()
			d.RemoveWorker(0) // which has accepted 2 or 3
			if got := d.Abort(); !slices.Equal(got, []int{2, 3, 4}) {
				t.Fatal(got)
			}
			mustClose(t, d)
		})
	}
}
