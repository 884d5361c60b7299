package dispatch_test

import (
	"context"
	"errors"
	"fmt"
	"log/slog"
	"os"
	"runtime"
	"sync/atomic"
	"time"

	"github.com/almanac-sim/almanac/dispatch"
)

// One of two workers has lost its device and fails at once. It is idle most often, so it would get
// most of the items. FailOn says which errors are the fault of a worker, and not of an item: after
// three of them in a row a worker gets nothing for a while.
func Example() {
	errDevice := errors.New("the device is gone")
	broken := func(context.Context, int) (int, error) { return 0, errDevice }
	works := func(_ context.Context, item int) (int, error) {
		time.Sleep(time.Millisecond)
		return 2 * item, nil
	}
	c := dispatch.NewCaller([]func(context.Context, int) (int, error){broken, works},
		dispatch.FailOn(func(err error) bool { return errors.Is(err, errDevice) }),
		dispatch.Backoff(10*time.Second, 30*time.Second)) // from 100 ms unless set
	ctx := context.Background()
	failed := 0
	for item := range 100 {
		if _, err := c.Do(ctx, item); err != nil {
			failed++
		}
	}
	fmt.Println(failed, "of 100 calls fail;", c.Close(ctx))
	// Output: 3 of 100 calls fail; <nil>
}

// Four workers, each with at most two items; a thousand items go through.
func ExampleDispatcher() {
	var sum atomic.Int64
	add := func(_ context.Context, item int64) { sum.Add(item) }
	d := dispatch.NewDispatcher([]func(context.Context, int64){add, add, add, add}, dispatch.Capacity(2))
	ctx := context.Background()
	for item := range int64(1000) {
		if err := d.Submit(ctx, item); err != nil { // blocks while the pool is full
			fmt.Println(err)
		}
	}
	err := d.Close(ctx) // waits until all items are served
	fmt.Println(sum.Load(), err, d.TrySubmit(1))
	// Output: 499500 <nil> dispatch: the dispatcher is closed
}

// Items that have not begun come back, the oldest first.
func ExampleDispatcher_Abort() {
	begun := make(chan bool)
	d := dispatch.NewDispatcher([]func(context.Context, string){func(ctx context.Context, _ string) {
		begun <- true
		<-ctx.Done() // Abort ends it
	}})
	for _, item := range []string{"a", "b", "c", "d"} {
		d.TrySubmit(item)
	}
	<-begun
	fmt.Println(d.Abort(), d.Close(context.Background()))
	// Output: [b c d] <nil>
}

// Work that has a result.
func ExampleCaller() {
	length := func(_ context.Context, s string) (int, error) {
		if s == "" {
			return 0, errors.New("nothing to measure")
		}
		return len(s), nil
	}
	c := dispatch.NewCaller([]func(context.Context, string) (int, error){length, length})
	ctx, cancel := context.WithTimeout(context.Background(), time.Minute)
	defer cancel()
	fmt.Println(c.Do(ctx, "hello"))
	fmt.Println(c.Do(ctx, ""))
	cancel()
	fmt.Println(c.Do(ctx, "too late"))
	fmt.Println(c.Close(context.Background()))
	// Output:
	// 5 <nil>
	// 0 nothing to measure
	// 0 context canceled
	// <nil>
}

// A pool for five items; those that wait for more than a millisecond are logged instead.
func ExampleDispatcherOption() {
	log := slog.New(slog.NewTextHandler(os.Stdout, &slog.HandlerOptions{
		ReplaceAttr: func(_ []string, a slog.Attr) slog.Attr {
			if a.Key == slog.TimeKey {
				return slog.Attr{}
			}
			return a
		},
	}))
	d := dispatch.NewDispatcher([]func(context.Context, int){}, // no workers yet
		dispatch.Capacity(1),
		dispatch.PoolLimit(5),
		dispatch.MaxWait(time.Millisecond),
		dispatch.OnDrop(func(item int, err error) { log.Info("dropped", "item", item, "error", err) }),
		dispatch.Seed(1),
		dispatch.Logger(log))
	for item := range 3 {
		d.TrySubmit(item)
	}
	time.Sleep(2 * time.Millisecond)
	d.AddWorker(func(context.Context, int) {})
	d.Close(context.Background())
	// Output:
	// level=INFO msg=dropped item=0 error="dispatch: the item has waited too long"
	// level=INFO msg=dropped item=1 error="dispatch: the item has waited too long"
	// level=INFO msg=dropped item=2 error="dispatch: the item has waited too long"
}

// The same options for both; ExpectedLoad sets the capacity where Capacity does not.
func ExampleOption() {
	shared := []dispatch.Option{dispatch.ExpectedLoad(0.9999), dispatch.PoolLimit(100)}
	var forDispatcher []dispatch.DispatcherOption
	for _, o := range shared {
		forDispatcher = append(forDispatcher, o)
	}
	d := dispatch.NewDispatcher([]func(context.Context, int){}, forDispatcher...)
	c := dispatch.NewCaller([]func(context.Context, int) (int, error){}, shared...)
	fmt.Println(d.Stats().Capacity, c.Stats().Capacity)
	fmt.Println(d.Close(context.Background()), c.Close(context.Background()))
	// Output:
	// 3 3
	// <nil> <nil>
}

// A Caller that holds one item at a time and refuses the others at once.
func ExampleCaller_TryDo() {
	begun, end := make(chan bool), make(chan bool)
	c := dispatch.NewCaller([]func(context.Context, int) (int, error){func(_ context.Context, i int) (int, error) {
		begun <- true
		<-end
		return i, nil
	}}, dispatch.Capacity(1), dispatch.PoolLimit(0))
	go func() {
		<-begun
		_, err := c.TryDo(context.Background(), 2)
		fmt.Println(err)
		end <- true
	}()
	fmt.Println(c.Do(context.Background(), 1))
	c.Close(context.Background())
	// Output:
	// dispatch: the pool is full
	// 1 <nil>
}

// A worker is replaced by another while there is work.
func ExampleWorkerID() {
	c := dispatch.NewCaller([]func(context.Context, int) (string, error){
		func(context.Context, int) (string, error) { return "from the first", nil },
	})
	fmt.Println(c.Do(context.Background(), 1))
	id := c.AddWorker(func(context.Context, int) (string, error) { return "from the second", nil })
	fmt.Println(id, c.RemoveWorker(0), c.RemoveWorker(0))
	fmt.Println(c.Do(context.Background(), 1))
	c.Close(context.Background())
	// Output:
	// from the first <nil>
	// 1 true false
	// from the second <nil>
}

// A panic ends the item and not the worker; Do returns it as an error.
func ExamplePanicError() {
	c := dispatch.NewCaller([]func(context.Context, int) (int, error){
		func(_ context.Context, i int) (int, error) { return []int{1, 2, 3}[i], nil },
	})
	fmt.Println(c.Do(context.Background(), 2))
	_, err := c.Do(context.Background(), 3)
	p, _ := errors.AsType[*dispatch.PanicError](err)
	_, is := p.Value.(runtime.Error)
	fmt.Println(err, is, len(p.Stack) > 0)
	fmt.Println(c.Do(context.Background(), 0))
	c.Close(context.Background())
	// Output:
	// 3 <nil>
	// dispatch: a worker panicked: runtime error: index out of range [3] with length 3 true true
	// 1 <nil>
}

// Every item is counted once.
func ExampleStats() {
	c := dispatch.NewCaller([]func(context.Context, int) (int, error){
		func(_ context.Context, i int) (int, error) { return 1 / i, nil },
	})
	for i := range 10 {
		c.Do(context.Background(), i)
	}
	s := c.Stats()
	fmt.Println(s.Submitted, "taken,", s.Served, "served,", s.Failed, "failed;", s.Pool, "in the pool")
	fmt.Println(s.AttemptsPerItem(), "attempts per item,", s.Refusals, "refusals, capacity", s.Capacity)
	c.Close(context.Background())
	// Output:
	// 10 taken, 9 served, 1 failed; 0 in the pool
	// 1 attempts per item, 0 refusals, capacity 2
}

// How long has a worker been busy with its item?
func ExampleWorkerStats() {
	begun := make(chan bool)
	d := dispatch.NewDispatcher([]func(context.Context, int){func(ctx context.Context, _ int) {
		begun <- true
		<-ctx.Done()
	}}, dispatch.Capacity(2))
	for item := range 5 {
		d.TrySubmit(item)
	}
	<-begun
	for _, w := range d.Stats().Workers {
		fmt.Println("worker", w.ID, "has", w.Load, "items, busy:", w.Busy > 0)
	}
	d.Abort()
	d.Close(context.Background())
	// Output: worker 0 has 2 items, busy: true
}

// How long did items wait?
func ExampleWaitHistogram() {
	d := dispatch.NewDispatcher([]func(context.Context, int){})
	for item := range 100 {
		d.TrySubmit(item)
	}
	time.Sleep(2 * time.Millisecond)
	d.AddWorker(func(context.Context, int) {})
	d.Close(context.Background())
	waits := d.Stats().Waits
	fmt.Println(waits.Count, waits.Quantile(0.5) >= 2*time.Millisecond, waits.Below(time.Millisecond),
		waits.Quantile(1) == waits.Max)
	// Output: 100 true 0 true
}
