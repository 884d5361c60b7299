package bench

import (
	"context"
	"errors"
	"math"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/almanac-sim/almanac/cmd/almanac-bench/internal/bench/rivals"
	"github.com/almanac-sim/almanac/relaxed/relaxedtest"
)

func sharedCell(structure, workload string, n, goroutines int) Cell {
	return Cell{Kind: SharedQueues, Structure: structure, Workload: workload, N: n, Goroutines: goroutines}
}

// Every structure can do every workload, and what is measured of it makes sense.
func TestRunShared(t *testing.T) {
	var names, workloads []string
	for _, s := range SharedStructures() {
		names = append(names, s.Name)
	}
	for _, w := range SharedWorkloads() {
		workloads = append(workloads, w.Name)
	}
	for _, plan := range SharedPlans(names, workloads, []int{1, 300}, []int{1, 2}, false) {
		steps := 0
		o := quick
		o.Progress = func(done, of int, next string) {
			if done != steps || (next == "") != (done == of) {
				t.Fatalf("step %d of %d, %q, after %d", done, of, next, steps)
			}
			steps++
		}
		results, err := Run(context.Background(), plan, o)
		if err != nil {
			t.Fatal(err)
		}
		for i, r := range results {
			if r.Cell != plan[i] || len(r.Each) != 2 || !(r.Best > 0) || !(r.Spread >= 1) || r.Ops < 10 || r.GC < 0 || r.GC > 1 {
				t.Errorf("%+v", r)
			}
			if (r.Meter == nil) != (r.Structure == Queue) {
				t.Errorf("%v: metered: %v", r.Cell, r.Meter)
				continue
			}
			if r.Meter == nil {
				continue
			}
			if r.Meter.Operations() == 0 || r.Meter.Missed > 0 {
				t.Errorf("%v: %v", r.Cell, r.Meter)
			}
			if exact := strings.HasPrefix(r.Structure, "mutex") || r.Structure == "list exact"; exact && r.Meter.Rank.Max > 0 {
				t.Errorf("%v: %v", r.Cell, r.Meter)
			}
			if r.Workload == Hold && r.N > 3 && r.Failed > 0 {
				t.Errorf("%v: %d removals failed with elements there", r.Cell, r.Failed)
			}
		}
	}
}

func TestRunSharedRefuses(t *testing.T) {
	for c, want := range map[Cell]string{
		sharedCell("lists", Hold, 10, 1):   "there are",
		sharedCell("list", "holds", 10, 1): "there are",
		sharedCell(Queue, Hold, 10, 2):     "for one goroutine",
		sharedCell(Queue, Mixed, 10, 1):    "for one goroutine",
	} {
		if _, err := Run(context.Background(), []Cell{c}, quick); err == nil || !strings.Contains(err.Error(), want) {
			t.Errorf("%v: %v", c, err)
		}
	}
	ctx, cancel := context.WithCancel(context.Background())
	cancel()
	if _, err := Run(ctx, []Cell{sharedCell("list", Hold, 10, 1)}, quick); !errors.Is(err, context.Canceled) {
		t.Errorf("cancelled: %v", err)
	}
}

// A queue that loses elements is found out.
func TestSharedChecks(t *testing.T) {
	s := sharedSubject{Cell: sharedCell("leaky", Hold, 100, 2), queue: &leaky{Concurrent: rivals.NewLockedBinary(0)},
		hold: true}
	s.workers = []*worker{{}, {}}
	_, err := s.meter(Options{Least: time.Millisecond})
	if err == nil || !strings.Contains(err.Error(), "elements, and should have") {
		t.Error(err)
	}
}

type leaky struct{ rivals.Concurrent }

func (q *leaky) Insert(key float64, value uint64) {
	if key < 3 {
		q.Concurrent.Insert(key, value)
	}
}

// With more goroutines than processors repetitions are longer.
func TestLasts(t *testing.T) {
	o := Options{Least: time.Millisecond}
	if one, lots := lasts(o, 1), lasts(o, 10_000); one != time.Millisecond || lots < 100*time.Millisecond {
		t.Errorf("%v and %v", one, lots)
	}
}

// What takes turns fits into memory, and what is for one goroutine is left to it.
func TestSharedPlans(t *testing.T) {
	plans := SharedPlans([]string{"list", Queue}, []string{Hold, Mixed}, []int{10, 1e7}, []int{1, 2}, false)
	cells := 0
	for _, p := range plans {
		cells += len(p)
	}
	// Of each workload and size there are two lists, and of holding a queue.
	if len(plans) != 2+4 || cells != 2*2*2+2 || plans[0][0].Slices {
		t.Errorf("%v", plans)
	}
}

// In slices queues take turns until each has made as many operations as it has elements and has had
// its number of slices. What is measured is rates, and each is compared with the first that has as
// many goroutines.
func TestRunSharedInSlices(t *testing.T) {
	const n = 10_000
	plans := SharedPlans([]string{"list", sharedHeap}, []string{Hold}, []int{n}, []int{1, 2}, true)
	o := quick
	o.Repetitions, o.Least = 1, time.Microsecond
	results, err := Run(context.Background(), plans[0], o)
	if err != nil || len(plans) != 1 || len(results) != 4 {
		t.Fatalf("%v, %v", plans, err)
	}
	for i, r := range results {
		first := results[i&^1] // list and heap with one goroutine, then with two
		if r.Ops < n || len(r.Each) < slicesPer || r.Cut || r.Median != medianRatio(r.Each, first.Each) || (i%2 == 0) !=
			(r.Median == 1) {
			t.Errorf("%v: %d operations in %d slices, cut %v, median %v", r.Cell, r.Ops, len(r.Each), r.Cut, r.Median)
		}
		if !(r.Mean >= slices.Min(r.Each) && r.Mean <= slices.Max(r.Each)) || r.Best != slices.Max(r.Each) || r.GC < 0 ||
			r.GC > 1 {
			t.Errorf("%v: mean %v, best %v, garbage %v of %v", r.Cell, r.Mean, r.Best, r.GC, r.Each)
		}
	}
}

// Judge finds in the results of each plan the targets it is for, and sees the difference between
// met and missed.
func TestJudgeShared(t *testing.T) {
	for _, good := range []bool{true, false} {
		var targets []Target
		for _, plan := range TargetPlans(SharedQueues) {
			var results []Result
			for _, c := range plan {
				r := Result{Cell: c, Best: 100, Meter: &relaxedtest.Report{
					Rank: relaxedtest.Summary{Mean: 2 * float64(c.Goroutines)}}}
				switch {
				case good && ours(c.Structure):
					r.Best = 1000
				case !good && ours(c.Structure):
					r.Best, r.Allocs = 10/float64(c.Goroutines), 1
					r.Meter.Rank.Mean *= float64(c.Goroutines) * 8
					r.Meter.Rank.P99 = 65
				}
				if c.Structure == Queue {
					r.Meter = nil
				}
				if c.Slices {
					r.Mean, r.Each = r.Best, []float64{r.Best}
					r.Best = 1 // which counts for nothing
				}
				results = append(results, r)
			}
			targets = append(targets, Judge(results)...)
		}
		if len(targets) != 2*10 {
			t.Errorf("%d targets", len(targets))
		}
		for _, target := range targets {
			if target.Met != good || math.IsInf(target.Value, 0) {
				t.Errorf("good %v: %+v (%s)", good, target, target.Wanted())
			}
		}
	}
}
