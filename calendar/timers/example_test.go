package timers_test

import (
	"fmt"
	"sync"
	"time"

	"github.com/almanac-sim/almanac/calendar/timers"
)

func ExampleSet() {
	var ts timers.Set
	done := make(chan bool)
	ts.AfterFunc(time.Millisecond, func() { close(done) })
	<-done
	fmt.Println(ts.Len(), "pending")
	ts.Close()
	// Output: 0 pending
}

// A connection is closed when it has been silent for too long.
func ExampleTimer() {
	type conn struct {
		idle timers.Timer
	}
	var ts timers.Set
	defer ts.Close()
	c := new(conn)
	c.idle = ts.AfterFunc(30*time.Second, func() { fmt.Println("closed") })
	for range 3 {
		fmt.Println("packet, still open:", c.idle.Reset(30*time.Second))
	}
	fmt.Println("stopped in time:", c.idle.Stop())
	// Output:
	// packet, still open: true
	// packet, still open: true
	// packet, still open: true
	// stopped in time: true
}

// Functions that are due go to a few workers, in place of a goroutine for each.
func ExampleOption() {
	work := make(chan func(), 100)
	var workers sync.WaitGroup
	for range 4 {
		workers.Go(func() {
			for f := range work {
				f()
			}
		})
	}
	ts := timers.New(timers.Resolution(10*time.Millisecond), timers.Executor(func(f func()) { work <- f }))
	var all sync.WaitGroup
	for range 1000 {
		all.Add(1)
		ts.AfterFunc(time.Millisecond, all.Done)
	}
	all.Wait()
	ts.Close()
	close(work)
	workers.Wait()
	fmt.Println("done")
	// Output: done
}
