// Deadlines runs workers that take jobs by deadline from one relaxed queue:
// first a relaxed.Queue,
// then a spray.List. A job may schedule another, and some jobs are cancelled.
// With -measure it prints
// how far from the exact order jobs are taken.
//
//	go run ./examples/deadlines -workers 8 -measure
package main

import (
	"flag"
	"fmt"
	"os"
	"runtime"
	"sync"
	"sync/atomic"

	"github.com/almanac-sim/almanac/relaxed/relaxedtest"
)

const jobs = 100_000 // at the beginning

func main() {
	workers := flag.Int("workers", runtime.GOMAXPROCS(0), "number of goroutines")
	measure := flag.Bool("measure", false, "print how far from the exact order elements are taken")
	if flag.Parse(); *workers < 1 || flag.NArg() > 0 {
		fmt.Fprintln(os.Stderr, "deadlines: -workers is at least 1, and there are no other arguments")
		os.Exit(2)
	}
	for _, q := range queues(*workers) {
		if *measure {
			meter := relaxedtest.Meter{Goroutines: *workers, Fill: jobs, Operations: 100_000}
			report, err := relaxedtest.Replay(meter.Run(q))
			fmt.Printf("%s: error %v\n%v\n\n", q.name, err, report)
		} else {
			work(q, *workers)
		}
	}
}

// work fills a queue with jobs, and workers empty it. Each job schedules another. Every tenth of
// these
//
// is cancelled by the worker that scheduled it, unless another worker takes it first. work prints
// how many jobs ended, and how many ended twice.
func work(q queue, workers int) {
	for job := range jobs {
		q.schedule(float64(job%1000), job)
	}
	ends := make([]atomic.Int32, 2*jobs) // how often each job ended
	var once, again atomic.Int64
	end := func(job int) {
		if ends[job].Add(1) == 1 {
			once.Add(1)
		} else {
			again.Add(1)
		}
	}
	var group sync.WaitGroup
	for range workers {
		group.Go(func() {
			for once.Load() < 2*jobs {
				job, deadline, ok := q.next()
				if !ok {
					continue // empty for the moment: others may be about to schedule more
				}
				end(job)
				if job < jobs {
					if cancel := q.schedule(deadline+10, job+jobs); job%10 == 0 && cancel() {
						end(job + jobs)
					}
				}
			}
		})
	}
	group.Wait()
	fmt.Printf("%s: %d jobs ended, and %d of them again\n", q.name, once.Load(), again.Load())
}
