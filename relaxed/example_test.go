package relaxed_test

import (
	"context"
	"errors"
	"fmt"
	"math"
	"sync"
	"sync/atomic"

	"github.com/almanac-sim/almanac/calendar"
	"github.com/almanac-sim/almanac/relaxed"
)

// Particles decay, each into two of half its mass, until they are light. Several goroutines take
// one of the earliest decays each, and schedule what comes of it. They are done when nothing is
// pending and no goroutine is about to schedule.
func ExampleQueue() {
	type particle struct{ mass int }
	c := relaxed.New[particle]()
	var heavy, decays atomic.Int64 // heavy ones are pending, or in the hands of a goroutine

	schedule := func(at float64, p particle) {
		if p.mass > 1 {
			heavy.Add(1)
			_, _ = c.Schedule(at, p)
		}
	}
	schedule(0, particle{mass: 1024})

	var wg sync.WaitGroup
	for range 4 {
		wg.Go(func() {
			for heavy.Load() > 0 {
				p, now, ok := c.Next()
				if !ok {
					continue // others have them all in hand
				}
				half := particle{p.mass / 2}
				schedule(now+1/float64(half.mass), half)
				schedule(now+2/float64(half.mass), half)
				decays.Add(1)
				heavy.Add(-1)
			}
		})
	}
	wg.Wait()
	fmt.Println(decays.Load(), "decays,", c.Len(), "pending")
	// Output: 1023 decays, 0 pending
}

// A timeout that is not needed any more is cancelled. Whoever cancels an event knows whether it was
// in time.
func ExampleQueue_Cancel() {
	c := relaxed.New[string]()
	timeout, _ := c.Schedule(30, "timeout")
	_, _ = c.Schedule(12, "answer")

	what, at, _ := c.Next()
	fmt.Println(what, "at", at)
	fmt.Println("cancelled:", c.Cancel(timeout))
	fmt.Println("cancelled again:", c.Cancel(timeout))
	_, _, ok := c.Next()
	fmt.Println("anything else:", ok)
	fmt.Println("no event:", c.Cancel(relaxed.Handle{}))
	// Output:
	// answer at 12
	// cancelled: true
	// cancelled again: false
	// anything else: false
	// no event: false
}

// With one process the order is exact, also if an event comes that is earlier than some that have
// been dispatched.
func ExampleConcurrency() {
	c := relaxed.New[string](relaxed.Concurrency(1))
	for i, at := range []float64{3, 1, 2} {
		_, _ = c.Schedule(at, []string{"three", "one", "two"}[i])
	}
	v, at, _ := c.Next()
	fmt.Println(v, at)
	_, _ = c.Schedule(0.5, "late")
	for {
		v, at, ok := c.Next()
		if !ok {
			break
		}
		fmt.Println(v, at)
	}
	// Output:
	// one 1
	// late 0.5
	// two 2
	// three 3
}

func ExampleQueue_Schedule() {
	c := relaxed.New[int]()
	_, err := c.Schedule(math.Inf(1), 0)
	fmt.Println(errors.Is(err, calendar.ErrTime))
	// Output: true
}

func ExampleQueue_Stats() {
	c := relaxed.New[int](relaxed.Concurrency(2), relaxed.Capacity(1000))
	for i := range 100 {
		e, _ := c.Schedule(float64(i), i)
		if i%10 == 0 {
			c.Cancel(e)
		}
	}
	c.Next()
	sum, each := c.Stats()
	fmt.Println(sum.Pending, "pending,", sum.Dispatched, "dispatched,", sum.Canceled, "cancelled, in", len(each),
		"queues")
	// Output: 89 pending, 1 dispatched, 10 cancelled, in 4 queues
}

// A queue for eight goroutines that run at once, which is going to have a million events.
func ExampleOption() {
	c := relaxed.New[string](relaxed.Concurrency(8), relaxed.Capacity(1_000_000))
	_, _ = c.Schedule(1, "first")
	what, at, ok := c.Next()
	fmt.Println(what, at, ok)
	// Output: first 1 true
}

// With a concurrency of 1 nothing is dispatched for others, and nothing waits.
func ExampleStats() {
	c := relaxed.New[int](relaxed.Concurrency(1))
	for i := range 50 {
		_, _ = c.Schedule(float64(i), i)
	}
	for range 20 {
		c.Next()
	}
	late, _ := c.Schedule(3, 0) // before what has been dispatched
	c.Cancel(late)
	sum, _ := c.Stats()
	fmt.Println(sum.Scheduled, "scheduled,", sum.Dispatched, "dispatched,", sum.Canceled, "cancelled,", sum.Late, "late")
	fmt.Println(sum.Helped, "for others,", sum.Waits, "waits")
	// Output:
	// 51 scheduled, 20 dispatched, 1 cancelled, 1 late
	// 0 for others, 0 waits
}

// A handle is refused once its event is gone.
func ExampleHandle() {
	q := relaxed.New[string]()
	h, _ := q.Schedule(1, "job")
	fmt.Println(q.Cancel(h), q.Cancel(h), q.Cancel(relaxed.Handle{}))
	// Output: true false false
}

// Two workers halve numbers until they are 1. They need not know how many there are to come.
func ExampleBlocking() {
	q := relaxed.NewBlocking[int]()
	_, _ = q.Schedule(0, 40)
	_, _ = q.Schedule(0, 24)
	q.Close() // only workers schedule from here on
	var sum atomic.Int64
	var workers sync.WaitGroup
	for range 2 {
		workers.Go(func() {
			for {
				n, at, err := q.Next(context.Background())
				if err != nil {
					return // relaxed.ErrDone
				}
				if sum.Add(int64(n)); n > 1 {
					_, _ = q.Schedule(at+1, n/2)
				}
				q.Done()
			}
		})
	}
	workers.Wait()
	fmt.Println(sum.Load())
	// Output: 124
}
