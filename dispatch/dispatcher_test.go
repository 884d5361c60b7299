package dispatch_test

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"log/slog"
	"runtime"
	"slices"
	"strings"
	"sync/atomic"
	"testing"
	"testing/synctest"
	"time"

	"github.com/almanac-sim/almanac/capped"
	"github.com/almanac-sim/almanac/dispatch"
)

// journal collects lines that goroutines write.
type journal struct{ ch chan string }

func newJournal() *journal { return &journal{make(chan string, 10_000)} }

func (l *journal) add(args ...any) { l.ch <- fmt.Sprint(args...) }

// all waits until all goroutines are blocked, and returns the lines since the last call.
func (l *journal) all() (all []string) {
	synctest.Wait()
	for len(l.ch) > 0 {
		all = append(all, <-l.ch)
	}
	return all
}

func (l *journal) want(t *testing.T, want ...string) {
	t.Helper()
	if got := l.all(); !slices.Equal(got, want) {
		t.Fatalf("got %q, want %q", got, want)
	}
}

// wantAny expects lines in any order.
func (l *journal) wantAny(t *testing.T, want ...string) {
	t.Helper()
	if got := l.all(); !slices.Equal(slices.Sorted(slices.Values(got)), slices.Sorted(slices.Values(want))) {
		t.Fatalf("got %q, want %q", got, want)
	}
}

// gated returns workers that write each item that they begin, and finish it when the gate opens.
func gated(n int, l *journal) (workers []func(context.Context, int), gate chan struct{}) {
	gate = make(chan struct{})
	for range n {
		workers = append(workers, func(ctx context.Context, item int) {
			l.add(item)
			select {
			case <-gate:
			case <-ctx.Done():
				l.add(item, " ", ctx.Err())
			}
		})
	}
	return workers, gate
}

func mustClose(t *testing.T, d interface{ Close(context.Context) error }) {
	t.Helper()
	if err := d.Close(t.Context()); err != nil {
		t.Fatal(err)
	}
}

func submit(t *testing.T, d *dispatch.Dispatcher[int], items ...int) {
	t.Helper()
	for _, item := range items {
		if err := d.Submit(t.Context(), item); err != nil {
			t.Fatal(err)
		}
	}
}

// As many items as workers: all begin, for any capacity. Then each completion begins the oldest of
// the others.
func TestDispatcherNobodyWaitsForTheIdle(t *testing.T) {
	for c := 1; c <= 4; c++ {
		for seed := range uint64(20) {
			synctest.Test(t, func(t *testing.T) {
				l := newJournal()
				workers, gate := gated(8, l)
				d := dispatch.NewDispatcher(workers, dispatch.Capacity(c), dispatch.Seed(seed))
				submit(t, d, 0, 1, 2, 3, 4, 5, 6, 7)
				got := l.all()
				slices.Sort(got)
				if !slices.Equal(got, []string{"0", "1", "2", "3", "4", "5", "6", "7"}) {
					t.Fatalf("capacity %d: %v have begun", c, got)
				}
				for i := 8; i < 40; i++ {
					submit(t, d, i)
				}
				for served := range 32 {
					gate <- struct{}{}
					got = l.all()
					if len(got) != 1 || c == 1 && got[0] != fmt.Sprint(served+8) {
						t.Fatalf("capacity %d: after %d, %v have begun", c, served, got)
					}
				}
				close(gate)
				mustClose(t, d)
			})
		}
	}
}

// An idle worker steals what waits behind a long item.
func TestDispatcherTakesBackFromWhoHangs(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		l := newJournal()
		hang := make(chan struct{})
		work := func(_ context.Context, item int) {
			l.add(item)
			if item == 0 {
				<-hang
			} else {
				time.Sleep(time.Second)
			}
		}
		d := dispatch.NewDispatcher([]func(context.Context, int){work, work}, dispatch.Capacity(5))
		submit(t, d, 0, 1, 2, 3, 4, 5, 6, 7)
		time.Sleep(time.Minute)
		if got := l.all(); len(got) != 8 {
			t.Fatalf("%v have begun", got)
		}
		s := d.Stats()
		if s.Served != 7 || s.InService != 1 || s.Moved == 0 || s.Workers[0].Busy+s.Workers[1].Busy != time.Minute {
			t.Errorf("%+v", s)
		}
		close(hang)
		mustClose(t, d)
	})
}

// One worker: the order is exact. Several with a capacity of one: they begin in order.
func TestDispatcherOrder(t *testing.T) {
	for _, c := range []struct{ workers, capacity int }{{1, 1}, {1, 3}, {5, 1}} {
		synctest.Test(t, func(t *testing.T) {
			l := newJournal()
			workers, gate := gated(c.workers, l)
			d := dispatch.NewDispatcher(workers, dispatch.Capacity(c.capacity), dispatch.PoolLimit(3))
			var want []string
			for i := range 30 {
				go d.Submit(t.Context(), i) // blocked calls are admitted in order
				synctest.Wait()
				want = append(want, fmt.Sprint(i))
			}
			room := 3 + c.workers*c.capacity
			if s := d.Stats(); s.Blocked != 30-room || s.Pool != 3 || int(s.Submitted) != room {
				t.Errorf("%+v", s)
			}
			var got []string
			for range 30 {
				got = append(got, l.all()...)
				gate <- struct{}{}
			}
			if !slices.Equal(got, want) {
				t.Errorf("%d workers, capacity %d: got %v", c.workers, c.capacity, got)
			}
			mustClose(t, d)
		})
	}
}

func TestDispatcherFull(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		l := newJournal()
		workers, gate := gated(1, l)
		d := dispatch.NewDispatcher(workers, dispatch.Capacity(2), dispatch.PoolLimit(1))
		submit(t, d, 0, 1, 2)
		if err := d.TrySubmit(3); err != dispatch.ErrFull {
			t.Fatal(err)
		}
		ctx, cancel := context.WithTimeout(t.Context(), time.Second)
		defer cancel()
		if err := d.Submit(ctx, 4); err != context.DeadlineExceeded {
			t.Fatal(err)
		}
		if err := d.Submit(ctx, 5); err != context.DeadlineExceeded {
			t.Fatal(err)
		}
		gate <- struct{}{}
		l.want(t, "0", "1")
		if err := d.TrySubmit(6); err != nil {
			t.Fatal(err)
		}
		close(gate)
		mustClose(t, d)
		l.want(t, "2", "6")
		if s := d.Stats(); s.Full != 1 || s.Submitted != 4 || s.Served != 4 || s.Refusals != 3 || s.Oldest != 0 {
			t.Errorf("%+v", s)
		}
	})
	// Without a pool an item is taken if a worker has a slot.
	synctest.Test(t, func(t *testing.T) {
		l := newJournal()
		workers, gate := gated(2, l)
		d := dispatch.NewDispatcher(workers, dispatch.Capacity(1), dispatch.PoolLimit(0))
		submit(t, d, 0, 1)
		if err := d.TrySubmit(2); err != dispatch.ErrFull {
			t.Fatal(err)
		}
		go d.Submit(t.Context(), 3)
		l.all()
		gate <- struct{}{}
		l.want(t, "3")
		close(gate)
		mustClose(t, d)
	})
}

func TestDispatcherDropsWhatIsTooOld(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		l := newJournal()
		workers, gate := gated(1, l)
		d := dispatch.NewDispatcher(workers, dispatch.Capacity(2), dispatch.MaxWait(3*time.Second),
			dispatch.OnDrop(func(item int, err error) {
				l.add("drop ", item, " ", errors.Is(err, dispatch.ErrTooOld))
				if item == 2 {
					panic("also this")
				}
				if item == 3 {
					runtime.Goexit()
				}
			}))
		submit(t, d, 0, 1, 2, 3)
		time.Sleep(time.Second)
		submit(t, d, 4)
		time.Sleep(1999 * time.Millisecond)
		gate <- struct{}{}
		l.want(t, "0", "1")
		time.Sleep(time.Millisecond) // at the deadline, and the worker is busy
		l.want(t, "drop 2 true", "drop 3 true")
		gate <- struct{}{}
		l.want(t, "4")
		close(gate)
		mustClose(t, d)
		if s := d.Stats(); s.TooOld != 2 || s.Served != 3 || s.Panics != 2 || s.Failed != 0 ||
			s.Waits.Count != 3 || s.Waits.Max != 2999*time.Millisecond {
			t.Errorf("%+v", s)
		}
	})
}

func TestDispatcherContainsPanics(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		var log bytes.Buffer
		l := newJournal()
		d := dispatch.NewDispatcher([]func(context.Context, int){func(_ context.Context, item int) {
			l.add(item)
			switch item {
			case 1:
				panic(fmt.Errorf("item %d is bad", item))
			case 2:
				panic(nil)
			case 3:
				runtime.Goexit()
			}
		}}, dispatch.Logger(slog.New(slog.NewTextHandler(&log, nil))))
		submit(t, d, 0, 1, 2, 0, 3, 4)
		l.want(t, "0", "1", "2", "0", "3", "4")
		mustClose(t, d)
		if s := d.Stats(); s.Served != 3 || s.Failed != 3 || s.Panics != 3 {
			t.Errorf("%+v", s)
		}
		for _, want := range []string{`value="item 1 is bad"`, "nil", "runtime.Goexit", "dispatcher_test.go", "worker=0"} {
			if !strings.Contains(log.String(), want) {
				t.Errorf("the log has no %q: %s", want, log.String())
			}
		}
	})
}

// Workers may call the methods of their dispatcher.
func TestDispatcherFromWorkers(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		var served atomic.Int64
		var d *dispatch.Dispatcher[int]
		serve := func(ctx context.Context, item int) {
			served.Add(1)
			for next := 2*item + 1; next <= 2*item+2 && next < 1000; next++ {
				if err := d.Submit(ctx, next); err != nil {
					t.Error(err)
				}
			}
		}
		work := func(ctx context.Context, item int) {
			serve(ctx, item)
			if item%100 == 7 {
				d.RemoveWorker(d.AddWorker(serve)) // it may have taken an item
				d.Stats()
			}
		}
		d = dispatch.NewDispatcher([]func(context.Context, int){work, work, work})
		submit(t, d, 0)
		synctest.Wait()
		mustClose(t, d)
		if s := d.Stats(); s.Served != s.Submitted || s.Served != uint64(served.Load()) || s.Served != 1000 {
			t.Errorf("%d served, %d counted, %d submitted", served.Load(), s.Served, s.Submitted)
		}
	})
}

func TestDispatcherDefaults(t *testing.T) {
	none := []func(context.Context, int){}
	for _, c := range []struct {
		opts     []dispatch.DispatcherOption
		capacity int
	}{
		{nil, capped.SweetSpot(0.9)},
		{[]dispatch.DispatcherOption{dispatch.ExpectedLoad(0.9999)}, capped.SweetSpot(0.9999)},
		{[]dispatch.DispatcherOption{dispatch.ExpectedLoad(0.9999), dispatch.Capacity(7)}, 7},
	} {
		d := dispatch.NewDispatcher(none, c.opts...)
		if got := d.Stats().Capacity; got != c.capacity {
			t.Errorf("the capacity is %d, want %d", got, c.capacity)
		}
		for i := range 1024 { // the smallest default limit
			if err := d.TrySubmit(i); err != nil {
				t.Fatal(i, err)
			}
		}
		if err := d.TrySubmit(1024); err != dispatch.ErrFull {
			t.Error(err)
		}
		if got := d.Abort(); len(got) != 1024 {
			t.Errorf("%d items came back", len(got))
		}
		mustClose(t, d)
	}
}

// With many workers the limit of the pool is the bound of the theorem.
func TestDispatcherPoolIsTheTheorems(t *testing.T) {
	workers := make([]func(context.Context, int), 100)
	block := make(chan struct{})
	for i := range workers {
		workers[i] = func(context.Context, int) { <-block }
	}
	d := dispatch.NewDispatcher(workers)
	want := int(capped.PoolBound(100, 2, 0.9)) + 200
	taken := 0
	for d.TrySubmit(0) == nil {
		taken++
	}
	if taken != want {
		t.Errorf("%d were taken, want %d", taken, want)
	}
	d.Abort()
	close(block)
	mustClose(t, d)
}

// A Caller does not take OnDrop; the compiler refuses it.
func TestOnDropIsForADispatcher(t *testing.T) {
	if _, ok := dispatch.OnDrop(func(int, error) {}).(dispatch.Option); ok {
		t.Error("OnDrop is an option of a Caller")
	}
}

func TestDispatcherRefusesNonsense(t *testing.T) {
	worker := []func(context.Context, int){func(context.Context, int) {}}
	for want, f := range map[string]func(){
		"the capacity of a worker must be 1 or more": func() { dispatch.Capacity(0) },
		"the expected load must be above 0":          func() { dispatch.ExpectedLoad(1) },
		"the limit of the pool must be 0":            func() { dispatch.PoolLimit(-1) },
		"the longest wait must be above 0":           func() { dispatch.MaxWait(0) },
		"the argument of OnDrop must be a function":  func() { dispatch.OnDrop[int](nil) },
		"OnDrop was given a func(string, error), and must have a func(int, error)": func() {
			dispatch.NewDispatcher(worker, dispatch.OnDrop(func(string, error) {}))
		},
		"a worker must be a function": func() { dispatch.NewDispatcher(append(worker, nil)) },
		"a worker must be a function, not nil": func() {
			dispatch.NewCaller([]func(context.Context, int) (int, error){nil})
		},
	} {
		func() {
			defer func() {
				if r := fmt.Sprint(recover()); !strings.HasPrefix(r, "dispatch: ") || !strings.Contains(r, want) {
					t.Errorf("got %q, want %q", r, want)
				}
			}()
			f()
		}()
	}
}
