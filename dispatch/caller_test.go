package dispatch_test

import (
	"context"
	"errors"
	"fmt"
	"runtime"
	"slices"
	"strings"
	"sync"
	"sync/atomic"
	"testing"
	"testing/synctest"
	"time"

	"go.uber.org/goleak"

	"github.com/almanac-sim/almanac/dispatch"
)

type functions = []func(context.Context, int) (string, error)

var errOdd = errors.New("odd")

// sleeper takes as many seconds as the value of the item, or until the context ends.
func sleeper(l *journal) func(context.Context, int) (string, error) {
	return func(ctx context.Context, item int) (string, error) {
		l.add("begin ", item)
		select {
		case <-time.After(time.Duration(item) * time.Second):
			return fmt.Sprint("slept ", item), nil
		case <-ctx.Done():
			time.Sleep(time.Second) // cleanup
			return "interrupted", ctx.Err()
		}
	}
}

func TestCallerReturnsResults(t *testing.T) {
	defer goleak.VerifyNone(t)
	c := dispatch.NewCaller(functions{func(ctx context.Context, item int) (string, error) {
		if item%2 == 1 {
			return "half", errOdd
		}
		return fmt.Sprint(item, ctx.Value(errOdd)), nil
	}})
	ctx := context.WithValue(t.Context(), errOdd, "!")
	if r, err := c.Do(ctx, 4); r != "4!" || err != nil {
		t.Error(r, err)
	}
	if r, err := c.Do(ctx, 5); r != "half" || err != errOdd {
		t.Error(r, err)
	}
	if r, err := c.TryDo(ctx, 6); r != "6!" || err != nil {
		t.Error(r, err)
	}
	if s := c.Stats(); s.Served != 3 || s.Submitted != 3 { // what Do has returned is counted
		t.Errorf("%+v", s)
	}
	mustClose(t, c)
	if _, err := c.Do(ctx, 4); err != dispatch.ErrClosed {
		t.Error(err)
	}
}

// A context that ends before the item begins withdraws it from any place; later the worker reacts
// to it, and Do waits for the worker.
func TestCallerContext(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		l := newJournal()
		c := dispatch.NewCaller(functions{sleeper(l)}, dispatch.Capacity(2), dispatch.PoolLimit(1))
		var cancels []context.CancelFunc
		for item := 10; item < 14; item++ { // begun, accepted, in the pool, blocked
			ctx, cancel := context.WithCancel(t.Context())
			cancels = append(cancels, cancel)
			go func() {
				r, err := c.Do(ctx, item)
				l.add(item, ": ", r, " ", err)
			}()
			synctest.Wait()
		}
		if s := c.Stats(); s.InService != 1 || s.Accepted != 1 || s.Pool != 1 || s.Blocked != 1 {
			t.Fatalf("%+v", s)
		}
		l.want(t, "begin 10")
		cancels[3]()
		l.want(t, "13:  context canceled")
		cancels[1]()
		l.want(t, "11:  context canceled")
		if s := c.Stats(); s.InService != 1 || s.Accepted != 1 || s.Pool != 0 || s.Canceled != 1 { // 12 has its slot
			t.Fatalf("%+v", s)
		}
		cancels[2]()
		l.want(t, "12:  context canceled")
		cancels[0]()
		l.want(t) // the worker cleans up
		time.Sleep(time.Second)
		l.want(t, "10: interrupted context canceled")
		if _, err := c.Do(canceled(t), 1); err != context.Canceled {
			t.Error(err)
		}
		mustClose(t, c)
		l.want(t)
		if s := c.Stats(); s.Submitted != 3 || s.Served != 1 || s.Canceled != 2 {
			t.Errorf("%+v", s)
		}
	})
}

func canceled(t *testing.T) context.Context {
	ctx, cancel := context.WithCancel(t.Context())
	cancel()
	return ctx
}

func TestCallerPanics(t *testing.T) {
	defer goleak.VerifyNone(t)
	c := dispatch.NewCaller(functions{func(_ context.Context, item int) (string, error) {
		switch item {
		case 0:
			panic("zero")
		case 1:
			panic(fmt.Errorf("one is %w", errOdd))
		case 2:
			runtime.Goexit()
		}
		return "fine", nil
	}})
	for item, want := range []string{"zero", "one is odd", "runtime.Goexit"} {
		_, err := c.Do(t.Context(), item)
		p, ok := errors.AsType[*dispatch.PanicError](err)
		if !ok || !strings.Contains(err.Error(), want) || !strings.Contains(string(p.Stack), "caller_test.go") ||
			errors.Is(err, errOdd) != (item == 1) {
			t.Errorf("item %d: %v", item, err)
		}
	}
	if r, err := c.Do(t.Context(), 3); r != "fine" || err != nil {
		t.Error(r, err)
	}
	mustClose(t, c)
}

func TestCallerTooOldFullAndClosed(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		l := newJournal()
		c := dispatch.NewCaller(functions{sleeper(l)},
			dispatch.Capacity(1), dispatch.PoolLimit(2), dispatch.MaxWait(5*time.Second))
		do := func(item int) {
			go func() {
				r, err := c.Do(t.Context(), item)
				l.add(item, ": ", r, " ", err)
			}()
			synctest.Wait()
		}
		do(6)
		do(1)
		time.Sleep(2 * time.Second)
		do(20)
		if _, err := c.TryDo(t.Context(), 3); err != dispatch.ErrFull {
			t.Error(err)
		}
		l.want(t, "begin 6")
		time.Sleep(5 * time.Second)
		l.wantAny(t, "6: slept 6 <nil>", "begin 20", "1:  "+dispatch.ErrTooOld.Error())
		do(7)
		do(8)
		do(9)
		c.Abort()
		if got := l.all(); len(got) != 3 || strings.Count(strings.Join(got, ""), dispatch.ErrClosed.Error()) != 3 {
			t.Error(got)
		}
		mustClose(t, c) // 20 is not interrupted
		l.want(t, "20: slept 20 <nil>")
		if s := c.Stats(); s.Submitted != 5 || s.Served != 2 || s.TooOld != 1 || s.Aborted != 2 || s.Full != 1 {
			t.Errorf("%+v", s)
		}
	})
}

// A closed Caller serves the items in the pool and refuses blocked calls.
func TestCallerCloses(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		l := newJournal()
		c := dispatch.NewCaller(functions{sleeper(l)}, dispatch.Capacity(1), dispatch.PoolLimit(1))
		for item := 1; item <= 3; item++ {
			go func() {
				r, err := c.Do(t.Context(), item)
				l.add(item, ": ", r, " ", err)
			}()
			synctest.Wait()
		}
		mustClose(t, c)
		l.wantAny(t, "begin 1", "3:  "+dispatch.ErrClosed.Error(), "begin 2", "1: slept 1 <nil>", "2: slept 2 <nil>")
	})
}

func TestCallerWorkersComeAndGo(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		l := newJournal()
		c := dispatch.NewCaller(functions{}, dispatch.Capacity(2))
		go func() {
			r, err := c.Do(t.Context(), 1)
			l.add(r, err)
		}()
		synctest.Wait()
		id := c.AddWorker(sleeper(l))
		if !c.RemoveWorker(id) {
			t.Error("it is not known")
		}
		synctest.Wait()
		if c.Stats().Pool == 1 { // it had not begun
			c.AddWorker(sleeper(l))
		}
		time.Sleep(time.Minute)
		l.wantAny(t, "begin 1", "slept 1<nil>")
		mustClose(t, c)
	})
}

// Without workers, Close returns when the last item is withdrawn.
func TestCallerClosesWhenTheLastGivesUp(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		c := dispatch.NewCaller(functions{})
		ctx, cancel := context.WithTimeout(t.Context(), time.Second)
		defer cancel()
		go c.Do(ctx, 1)
		synctest.Wait()
		mustClose(t, c)
	})
}

// MaxWait is a deadline: it ends a wait behind a busy worker, in the pool, and before a full pool,
// also if the workers never return.
func TestMaxWaitIsADeadline(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		const maxWait = 100 * time.Millisecond
		hang := make(chan struct{})
		work := func(context.Context, int) (int, error) { <-hang; return 0, nil }
		c := dispatch.NewCaller([]func(context.Context, int) (int, error){work}, dispatch.Capacity(2),
			dispatch.PoolLimit(1), dispatch.MaxWait(maxWait))
		var all sync.WaitGroup
		for i := range 5 { // in service, accepted, in the pool, and two that are blocked
			all.Go(func() {
				start := time.Now()
				_, err := c.Do(t.Context(), i)
				if late := errors.Is(err, dispatch.ErrTooOld); late != (i > 0) || late && time.Since(start) != maxWait {
					t.Errorf("item %d: %v after %v", i, err, time.Since(start))
				}
			})
			time.Sleep(30 * time.Millisecond)
		}
		time.Sleep(maxWait)
		if s := c.Stats(); s.TooOld != 4 || s.InService != 1 || s.Accepted+s.Pool+s.Blocked != 0 || s.Submitted != 5 {
			t.Errorf("%+v", s)
		}
		close(hang)
		all.Wait()
		if err := c.Close(t.Context()); err != nil {
			t.Error(err)
		}

		hang = make(chan struct{})
		d := dispatch.NewDispatcher([]func(context.Context, int){func(context.Context, int) { <-hang }},
			dispatch.Capacity(1), dispatch.PoolLimit(0), dispatch.MaxWait(maxWait),
			dispatch.OnDrop(func(item int, _ error) { t.Errorf("item %d was not admitted, and is dropped", item) }))
		submit(t, d, 0)
		start := time.Now()
		if err := d.Submit(t.Context(), 1); err != dispatch.ErrTooOld || time.Since(start) != maxWait {
			t.Errorf("a blocked Submit returns %v after %v", err, time.Since(start))
		}
		close(hang)
		mustClose(t, d)
	})
}

// Close waits for OnDrop.
func TestCloseWaitsForOnDrop(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		var dropped []int
		d := dispatch.NewDispatcher([]func(context.Context, int){}, dispatch.MaxWait(time.Second),
			dispatch.OnDrop(func(item int, _ error) {
				time.Sleep(time.Minute)
				dropped = append(dropped, item)
			}))
		submit(t, d, 0, 1)
		mustClose(t, d)
		if !slices.Equal(dropped, []int{0, 1}) {
			t.Errorf("%v dropped", dropped)
		}
	})
}

// A worker that fails at once does not get most of the items: it is ejected after three failures in
// a row, and its items go to the others. When it works again it is as good as any.
func TestFastFailureIsNoFavourite(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		for _, panics := range []bool{false, true} {
			var repaired atomic.Bool
			var workers functions
			for i := range 4 {
				workers = append(workers, func(_ context.Context, item int) (string, error) {
					switch {
					case i > 0 || repaired.Load():
						time.Sleep(10 * time.Millisecond)
					case panics:
						panic(errOdd)
					default:
						return "", errOdd
					}
					return "", nil
				})
			}
			opts := []dispatch.Option{dispatch.FailOn(func(err error) bool { return err == errOdd })}
			if panics {
				opts = nil // they count in any case
			}
			c := dispatch.NewCaller(workers, opts...)
			do := func(n int) (good int32) {
				var all sync.WaitGroup
				var n0 atomic.Int32
				for range n {
					all.Go(func() {
						if _, err := c.Do(t.Context(), 0); err == nil {
							n0.Add(1)
						}
					})
				}
				all.Wait()
				return n0.Load()
			}
			// In 1 s it fails three times, and once after each of 100, 200 and 400 ms.
			if n := do(300); n < 300-3-4 {
				t.Errorf("panics %v: %d of 300 calls succeed", panics, n)
			}
			if w := c.Stats().Workers[0]; w.Ejected == 0 && w.Done > 7 {
				t.Errorf("%+v", w)
			}
			repaired.Store(true)
			time.Sleep(time.Minute)
			before := c.Stats().Workers[0].Done
			if n, share := do(300), c.Stats().Workers[0].Done-before; n != 300 || share < 60 {
				t.Errorf("panics %v: %d of 300 calls succeed after the repair, %d of them at the worker", panics, n, share)
			}
			mustClose(t, c)
		}
	})
}

// Items wait while all workers are ejected, Close waits for them, and Abort does not.
func TestAllWorkersEjected(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		for _, abort := range []bool{false, true} {
			n := 0
			d := dispatch.NewDispatcher([]func(context.Context, int){func(context.Context, int) {
				if n++; n <= 3 {
					panic("not yet")
				}
			}}, dispatch.Backoff(time.Second, 2*time.Second))
			submit(t, d, 1, 2, 3, 4, 5)
			synctest.Wait()
			if s := d.Stats(); s.Failed != 3 || s.Pool != 2 || s.Workers[0].Ejected != time.Second {
				t.Errorf("%+v", s)
			}
			if left := 0; abort {
				if left = len(d.Abort()); left != 2 {
					t.Errorf("Abort returns %d items", left)
				}
			}
			start := time.Now()
			mustClose(t, d)
			if took, s := time.Since(start), d.Stats(); abort != (took == 0) || !abort && (took != time.Second || s.Served != 2) {
				t.Errorf("Close took %v: %+v", took, s)
			}
		}
	})
}
