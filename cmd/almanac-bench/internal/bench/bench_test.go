package bench

import (
	"context"
	"errors"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/almanac-sim/almanac/calendar/calendartest"
)

// quick has a minute for what takes milliseconds, so that nothing is cut short on a machine that is
// busy.
var quick = Options{Repetitions: 2, Least: time.Millisecond, Most: time.Minute, Seed: 1}

func setCell(structure, workload, distribution string, n int) Cell {
	return Cell{Kind: EventSets, Structure: structure, Workload: workload, Distribution: distribution, N: n}
}

// Every structure can do every workload, with a distribution or two in turn, and what is measured
// of it makes sense.
func TestRunEverything(t *testing.T) {
	laws := calendartest.Distributions()
	turn := 0
	for _, w := range Workloads() {
		var cells []Cell
		for _, s := range Structures() {
			for range 2 {
				cells = append(cells, setCell(s.Name, w.Name, laws[turn%len(laws)].Name, 40))
				turn++
			}
		}
		o := quick
		o.Least = 0
		steps := 0
		o.Progress = func(done, of int, next string) {
			if done != steps || (next == "") != (done == of) {
				t.Fatalf("step %d of %d, %q, after %d", done, of, next, steps)
			}
			steps++
		}
		results, err := Run(context.Background(), cells, o)
		if err != nil {
			t.Fatal(err)
		}
		for i, r := range results {
			if r.Cell != cells[i] || r.Over != 0 || len(r.Each) != 8 || !(r.Best > 0) || !(r.Spread >= 1) || r.Ops < 2*40 ||
				r.Cut {
				t.Errorf("%+v", r)
			}
		}
	}
}

func TestRunRefuses(t *testing.T) {
	for _, c := range []Cell{setCell("que", Hold, "exponential", 10), setCell(Queue, "hodl", "exponential", 10),
		setCell(Queue, Hold, "normal", 10)} {
		if _, err := Run(context.Background(), []Cell{c}, quick); err == nil || !strings.Contains(err.Error(), "there are") {
			t.Errorf("%v: %v", c, err)
		}
	}
	ctx, cancel := context.WithCancel(context.Background())
	cancel()
	if _, err := Run(ctx, []Cell{setCell(Queue, Hold, "exponential", 10)}, quick); !errors.Is(err, context.Canceled) {
		t.Errorf("cancelled: %v", err)
	}
}

// A set that is too slow is cut short and marked.
func TestRunCutsShort(t *testing.T) {
	o := quick
	o.Most = time.Microsecond
	results, err := Run(context.Background(), []Cell{setCell(Static, Hold, "equal", 5000)}, o)
	if err != nil {
		t.Fatal(err)
	}
	if !results[0].Cut {
		t.Errorf("%+v", results[0])
	}
}

// Slices take turns until each set has made as many operations as it has events and has had its
// number of slices, and are compared round by round.
func TestRunInSlices(t *testing.T) {
	cells := []Cell{setCell(Queue, Hold, "exponential", 10), setCell(Queue, "cancel", "exponential", 100_000)}
	for i := range cells {
		cells[i].Slices = true
	}
	o := quick
	o.Least = 0
	last := 0
	o.Progress = func(done, of int, next string) {
		if done < last || done > of || (next == "") != (done == of) {
			t.Fatalf("step %d of %d, %q, after %d", done, of, next, last)
		}
		last = done
	}
	results, err := Run(context.Background(), cells, o)
	if err != nil {
		t.Fatal(err)
	}
	few, many := results[0], results[1]
	if few.Median != 1 || !(many.Median > 0) || len(few.Each) != len(many.Each) || len(few.Each) < 2*slicesPer ||
		many.Ops < many.N || few.Cut || many.Cut {
		t.Errorf("%+v", results)
	}
	for _, r := range results {
		if !(r.Mean >= slices.Min(r.Each) && r.Mean <= slices.Max(r.Each)) {
			t.Errorf("%v: mean %v of %v", r.Cell, r.Mean, r.Each)
		}
	}
	o.Progress, o.Most = nil, 0
	if results, err = Run(context.Background(), cells, o); err != nil || !results[1].Cut {
		t.Errorf("%+v, %v", results, err)
	}
	ctx, cancel := context.WithCancel(context.Background())
	o = quick
	o.Progress = func(_, _ int, next string) {
		if next == "slice 3" {
			cancel()
		}
	}
	if _, err := Run(ctx, cells, o); !errors.Is(err, context.Canceled) {
		t.Errorf("cancelled: %v", err)
	}
}

func TestMedianRatio(t *testing.T) {
	if m := medianRatio([]float64{2, 6, 9, 40}, []float64{2, 2, 9, 8}); m != 2 {
		t.Errorf("the median of 1, 3, 1 and 5 is %v", m)
	}
	if m := medianRatio([]float64{2, 6, 40}, []float64{2, 2, 8}); m != 3 {
		t.Errorf("the median of 1, 3 and 5 is %v", m)
	}
}

// Judge finds in the results of each plan the targets it is for, and sees the difference between
// met and missed.
func TestJudge(t *testing.T) {
	for _, fast := range []bool{true, false} {
		var targets []Target
		for _, plan := range TargetPlans(EventSets) {
			var results []Result
			for _, c := range plan {
				r := Result{Cell: c, Best: 100, Bytes: 40, Allocs: 0.5}
				if fast && (c.Structure == Queue || c.Structure == atOnce) {
					r.Best, r.Bytes, r.Allocs = 10, 20, 0
				} else if !fast && (c.Workload != Hold || c.Distribution == "pareto" || c.N == huge) {
					r.Best = 1000
				} else if !fast && c.Structure == Queue {
					r.Best = 200
				}
				r.Mean = r.Best
				if c.Slices {
					r.Best = 1 // which counts for nothing
				}
				results = append(results, r)
			}
			targets = append(targets, Judge(results)...)
		}
		if len(targets) != 15 {
			t.Errorf("%d targets", len(targets))
		}
		for _, target := range targets {
			if target.Met != fast {
				t.Errorf("fast %v: %+v (%s)", fast, target, target.Wanted())
			}
		}
	}
}
