package bench

import (
	"strings"
	"testing"
)

// Of times the shortest is the best, of rates the largest; what was summed is shared out, and each
// is compared with the baseline of its own cell.
func TestSettle(t *testing.T) {
	engine := func(structure string, capacity int, each ...float64) Result {
		return Result{Cell: Cell{Kind: CappedEngines, Structure: structure, N: 10, Capacity: capacity, Rate: 0.5}, Each: each,
			Ops: 8, Rounds: 4, Pool: 2}
	}
	results := []Result{
		{Cell: setCell(Queue, Hold, "exponential", 10), Each: []float64{30, 20, 50}, Ops: 10, Allocs: 5},
		{Cell: sharedCell("list", Hold, 10, 2), Each: []float64{30, 20, 50}, Ops: 10, Allocs: 5, GC: 0.75},
		engine("by law", 1, 100, 300), engine("literal", 1, 60, 50), engine("by law", 3, 90), engine("literal", 3, 30),
		engine("by law", 4, 1),
	}
	settle(results)
	for i, want := range []struct{ best, spread, allocs, gc, over, pool float64 }{
		{20, 2.5, 0.5, 0, 0, 0}, {50, 2.5, 0.5, 0.25, 0, 0},
		{300, 3, 0, 0, 5, 0.5}, {60, 1.2, 0, 0, 1, 0.5}, {90, 1, 0, 0, 3, 0.5}, {30, 1, 0, 0, 1, 0.5}, {1, 1, 0, 0, 0, 0.5},
	} {
		r := results[i]
		if r.Best != want.best || r.Spread != want.spread || r.Allocs != want.allocs || r.GC != want.gc ||
			r.Over != want.over || r.Pool != want.pool {
			t.Errorf("%v: best %v, spread %v, allocations %v, garbage %v, over %v, pool %v, want %+v", r.Cell, r.Best, r.Spread,
				r.Allocs, r.GC, r.Over, r.Pool, want)
		}
	}
}

// A cell says what applies to it.
func TestCellString(t *testing.T) {
	for c, want := range map[Cell]string{
		setCell(Queue, Hold, "exponential", 10):                                      "queue, hold, exponential, n = 10",
		sharedCell("list", Mixed, 10, 2):                                             "list, mixed, n = 10, goroutines = 2",
		{Kind: SimKernels, Structure: "sim", Workload: "m/m/1"}:                      "sim, m/m/1",
		{Kind: CappedEngines, Structure: "by law", N: 8, Capacity: 3, Rate: 1.0 / 2}: "by law, n = 8, capacity = 3",
	} {
		if got := c.String(); got != want || strings.Contains(got, ", ,") {
			t.Errorf("got %s, want %s", got, want)
		}
	}
}
