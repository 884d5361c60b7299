// Dispatcher prints jobs on printers with small trays. Other jobs wait in a queue, the oldest
// first. First a printer jams, then too many jobs arrive and are taken back, and then jobs have a
// result.
//
//	go run ./examples/dispatcher -printers 10 -tray 3
package main

import (
	"context"
	"errors"
	"flag"
	"fmt"
	"os"
	"slices"
	"sync"

	"github.com/almanac-sim/almanac/dispatch"
)

func main() {
	printers := flag.Int("printers", 4, "number of printers")
	tray := flag.Int("tray", 2, "most jobs at a printer, including the one that it prints")
	jobs := flag.Int("jobs", 1000, "number of jobs")
	flag.Parse()
	if *printers < 2 || *printers > 1000 || *tray < 1 || *tray > 100 ||
		*jobs < 1 || *jobs > 1_000_000 || flag.NArg() > 0 {
		fmt.Fprintln(os.Stderr, "dispatcher: -printers is from 2 to 1000, -tray from 1 to 100, "+
			"-jobs from 1 to 1,000,000, "+
			"and there are no other arguments")
		os.Exit(2)
	}
	ctx := context.Background()
	if err := errors.Join(jam(ctx, *printers, *tray, *jobs), stop(ctx, *printers, *tray), ask(ctx)); err != nil {
		fmt.Fprintln(os.Stderr, "dispatcher:", err)
		os.Exit(1)
	}
}

// jam lets one job hang. Other printers print the jobs in its tray; then the printer is removed.
func jam(ctx context.Context, printers, tray, jobs int) error {
	clear := make(chan struct{})
	var printed sync.WaitGroup
	printed.Add(jobs - 1)
	d := dispatch.NewDispatcher(all(printers, func(_ context.Context, job int) {
		if job == 0 {
			<-clear
			return
		}
		printed.Done()
	}), dispatch.Capacity(tray))
	for job := range jobs {
		if err := d.Submit(ctx, job); err != nil { // blocks while the queue is full
			return err
		}
	}
	printed.Wait()
	fmt.Printf("%d of %d jobs are printed, and one printer is jammed\n", jobs-1, jobs)
	for _, w := range d.Stats().Workers {
		if w.Load > 0 {
			d.RemoveWorker(w.ID) // it finishes the job that it has begun
		}
	}
	close(clear)
	err := d.Close(ctx)
	s := d.Stats()
	fmt.Printf("%d jobs taken, %d printed, %d lost\n\n", s.Submitted, s.Served, s.Submitted-s.Served)
	return err
}

// stop submits more jobs than there is room for, and then takes back those that have not begun.
func stop(ctx context.Context, printers, tray int) error {
	var begun sync.WaitGroup
	begun.Add(printers)
	d := dispatch.NewDispatcher(all(printers, func(ctx context.Context, _ int) {
		begun.Done()
		<-ctx.Done()
	}), dispatch.Capacity(tray), dispatch.PoolLimit(10))
	taken := 0
	for ; d.TrySubmit(taken) == nil; taken++ {
	}
	fmt.Printf("%d printers with %d jobs each, %d in the queue: %d are taken, the next gets %q\n",
		printers, tray, d.Stats().Pool, taken, d.TrySubmit(taken))
	begun.Wait()
	back := d.Abort() // ends the context of the printers
	fmt.Printf("all stop: %d had begun, %d come back, from job %d to job %d\n\n",
		printers, len(back), back[0], back[len(back)-1])
	return d.Close(ctx)
}

// ask uses a Caller, whose jobs have a result.
func ask(ctx context.Context) error {
	share := func(_ context.Context, text string) (int, error) { return 100 / len(text), nil }
	c := dispatch.NewCaller([]func(context.Context, string) (int, error){share})
	for _, text := range []string{"hello", ""} {
		copies, err := c.Do(ctx, text)
		fmt.Printf("%q: %d, %v\n", text, copies, err)
	}
	return c.Close(ctx)
}

func all(n int, f func(context.Context, int)) []func(context.Context, int) {
	return slices.Repeat([]func(context.Context, int){f}, n)
}
