package dispatch

import (
	"context"
	"math"
	"runtime"
	"sync"
	"time"

	"github.com/almanac-sim/almanac/capped"
)

// An Overhead is what capped.Dispatcher costs for each item that takes no time itself.
type Overhead struct {
	Workers     int       `json:"workers"`
	Buffer      int       `json:"buffer"`
	Items       int       `json:"items"` // of a repetition
	Best        float64   `json:"ns_per_item"`
	Allocations float64   `json:"allocations_per_item"` // of the repetition with the fewest
	Each        []float64 `json:"each"`                 // ns per item, of each repetition
}

// overheadWorkers is for how many workers the cost is promised.
const overheadWorkers = 64

// burst is how many items are submitted before all of them are waited for. Who submits is faster than the workers, and without an end to it ever
// more would wait, which is no steady state: a dispatcher keeps memory for 1024.
const burst = 1000

// MeasureOverhead times items through dispatchers with buffers of 1 and 2, in turns. One goroutine submits, a thousand at a time.
func MeasureOverhead(ctx context.Context, items, repetitions int) ([]Overhead, error) {
	all := []Overhead{{Buffer: 1}, {Buffer: 2}}
	for i := range all {
		o := &all[i]
		o.Workers, o.Items, o.Best, o.Allocations = overheadWorkers, items, math.Inf(1), math.Inf(1)
	}
	for range repetitions {
		for i := range all {
			if err := ctx.Err(); err != nil {
				return nil, err
			}
			ns, allocations, err := overhead(ctx, all[i].Buffer, items)
			if err != nil {
				return nil, err
			}
			o := &all[i]
			o.Each = append(o.Each, ns)
			o.Best, o.Allocations = min(o.Best, ns), min(o.Allocations, allocations)
		}
	}
	return all, nil
}

// overhead has a new dispatcher do items until it is warm, and then measures as many.
func overhead(ctx context.Context, buffer, items int) (ns, allocations float64, err error) {
	var served sync.WaitGroup
	workers := make([]func(context.Context, int), overheadWorkers)
	for i := range workers {
		workers[i] = func(context.Context, int) { served.Done() }
	}
	d := capped.NewDispatcher(workers, capped.Buffer(buffer), capped.Seed(1))
	run := func() error {
		for i := range items {
			if i%burst == 0 {
				served.Wait()
				served.Add(min(burst, items-i))
			}
			if err := d.Submit(ctx, i); err != nil {
				return err
			}
		}
		served.Wait()
		return nil
	}
	if err := run(); err != nil {
		return 0, 0, err
	}
	var before, after runtime.MemStats
	runtime.ReadMemStats(&before)
	began := time.Now()
	err = run()
	took := time.Since(began)
	runtime.ReadMemStats(&after)
	if err == nil {
		err = d.Close(ctx)
	}
	return float64(took.Nanoseconds()) / float64(items), float64(after.Mallocs-before.Mallocs) / float64(items), err
}
