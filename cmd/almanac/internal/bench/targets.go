package bench

import (
	"fmt"
	"math"

	"github.com/almanac-sim/almanac/calendar/calendartest"
)

// A Target is something that the project wants of its queue, and what was measured of it.
type Target struct {
	What   string  `json:"what"`
	Limit  float64 `json:"limit"`
	Least  bool    `json:"least"` // the limit is the least that will do, not the most
	Value  float64 `json:"value"`
	Met    bool    `json:"met"`
	Detail string  `json:"detail,omitempty"`
}

// Wanted is the limit in words.
func (t Target) Wanted() string {
	if t.Least {
		return fmt.Sprintf("≥ %g", t.Limit)
	}
	return fmt.Sprintf("≤ %g", t.Limit)
}

// The sizes at which targets are measured.
const (
	little = 1_000
	middle = 1_000_000
	huge   = 100_000_000
)

// TargetPlans are the cells that Judge wants to see, plan by plan: what is compared takes turns.
func TargetPlans() [][]Cell {
	var everyone, shapes, works []Cell
	for _, n := range []int{10, 100, little, middle} {
		for _, s := range Structures() {
			if !s.Extra {
				everyone = append(everyone, Cell{s.Name, Hold, "exponential", n})
			}
		}
	}
	for _, d := range calendartest.Distributions() {
		shapes = append(shapes, Cell{Queue, Hold, d.Name, middle})
	}
	for _, w := range []string{Hold, "cancel", "reschedule"} {
		works = append(works, Cell{Queue, w, "exponential", middle})
	}
	extremes := []Cell{{Queue, Hold, "exponential", little}, {Queue, Hold, "exponential", huge}}
	return [][]Cell{everyone, shapes, works, extremes}
}

// Judge compares the results of one plan with the targets that it is for.
func Judge(results []Result) []Target {
	best := map[Cell]Result{}
	for _, r := range results {
		best[r.Cell] = r
	}
	at := func(structure string, n int) (Result, bool) {
		r, ok := best[Cell{structure, Hold, "exponential", n}]
		return r, ok
	}
	var targets []Target
	add := func(t Target) {
		t.Met = t.Value <= t.Limit
		if t.Least {
			t.Met = t.Value >= t.Limit
		}
		targets = append(targets, t)
	}

	if queue, ok := at(Queue, middle); ok {
		for _, rival := range []struct {
			name  string
			limit float64
		}{{"container/heap", 8}, {"4-ary heap", 4}, {"radix heap", 1.5}, {"btree", 5}, {Static, 1.5}} {
			if r, ok := at(rival.name, middle); ok {
				add(Target{What: "10⁶ events, speed against " + rival.name, Limit: rival.limit, Least: true, Value: r.Best / queue.Best})
			}
		}
	}
	for _, n := range []int{10, 100, little} {
		queue, ok := at(Queue, n)
		rival := Result{Best: math.Inf(1)}
		for _, r := range results {
			if r.N == n && r.Structure != Queue && r.Best < rival.Best {
				rival = r
			}
		}
		if ok && !math.IsInf(rival.Best, 1) {
			add(Target{What: fmt.Sprintf("%d events, time over the best other", n), Limit: 1.1, Value: queue.Best / rival.Best, Detail: rival.Structure})
		}
	}
	if hold, ok := at(Queue, middle); ok {
		worst := hold
		for _, r := range results {
			if r.Distribution != "exponential" && (worst.Distribution == "exponential" || r.Best > worst.Best) {
				worst = r
			}
			if r.Workload != Hold {
				add(Target{What: "10⁶ events, " + r.Workload + " every other time, over hold", Limit: 1, Value: r.Best / hold.Best})
			}
		}
		if worst.Distribution != "exponential" {
			add(Target{What: "10⁶ events, worst distribution over exponential", Limit: 3, Value: worst.Best / hold.Best, Detail: worst.Distribution})
		}
	}
	if many, ok := at(Queue, huge); ok {
		if few, ok := at(Queue, little); ok {
			add(Target{What: "time at 10⁸ events over 10³", Limit: 2.5, Value: many.Best / few.Best})
		}
		add(Target{What: "bytes per event at 10⁸", Limit: 32, Value: many.Bytes})
		add(Target{What: "allocations per operation at 10⁸", Limit: 0, Value: math.Round(many.Allocs*1000) / 1000})
	}
	return targets
}
