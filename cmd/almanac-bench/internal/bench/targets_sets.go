package bench

import (
	"fmt"
	"math"

	"github.com/almanac-sim/almanac/calendar/calendartest"
)

// The sizes at which event sets are judged.
const (
	little = 1_000
	middle = 1_000_000
	huge   = 100_000_000
)

// setTargets are the cells by which event sets are judged, plan by plan.
func setTargets() [][]Cell {
	cell := func(structure, workload, distribution string, n int) Cell {
		return Cell{Kind: EventSets, Structure: structure, Workload: workload, Distribution: distribution, N: n}
	}
	sliced := func(c Cell) Cell {
		c.Slices = true
		return c
	}
	var everyone, shapes, works []Cell
	for _, n := range []int{10, 100, little, middle} {
		for _, s := range Structures() {
			if !s.Extra {
				everyone = append(everyone, cell(s.Name, Hold, "exponential", n))
			}
		}
	}
	for _, d := range calendartest.Distributions() {
		shapes = append(shapes, cell(Queue, Hold, d.Name, middle))
	}
	for _, w := range []string{Hold, "cancel", "reschedule"} {
		works = append(works, sliced(cell(Queue, w, "exponential", middle)))
	}
	fills := []Cell{cell(oneByOne, fill, "exponential", huge), cell(atOnce, fill, "exponential", huge)}
	extremes := []Cell{sliced(cell(Queue, Hold, "exponential", little)), sliced(cell(Queue, Hold, "exponential", huge))}
	return [][]Cell{everyone, shapes, works, fills, extremes}
}

// judgeSets compares event sets.
func judgeSets(results []Result, j *judge) {
	best := map[Cell]Result{}
	for _, r := range results {
		r.Slices = false
		best[r.Cell] = r
	}
	at := func(structure string, n int) (Result, bool) {
		r, ok := best[Cell{Kind: EventSets, Structure: structure, Workload: Hold, Distribution: "exponential", N: n}]
		return r, ok
	}
	if queue, ok := at(Queue, middle); ok {
		for _, rival := range []struct {
			name  string
			limit float64
		}{{"container/heap", 8}, {"4-ary heap", 4}, {"radix heap", 1.5}, {"btree", 5}, {Static, 1.5}} {
			if r, ok := at(rival.name, middle); ok {
				j.add(Target{What: "10⁶ events, speed against " + rival.name, Limit: rival.limit, Least: true, Value: r.Best /
					queue.Best})
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
			j.add(Target{What: fmt.Sprintf("%d events, time over the best other", n), Limit: 1.1, Value: queue.Best / rival.Best,
				Detail: rival.Structure})
		}
	}
	if hold, ok := at(Queue, middle); ok {
		worst := hold
		for _, r := range results {
			if r.Distribution != "exponential" && (worst.Distribution == "exponential" || r.Best > worst.Best) {
				worst = r
			}
			if r.Workload != Hold {
				j.add(Target{What: "10⁶ events, " + r.Workload + " every other time, over hold", Limit: 1.1, Value: r.Mean /
					hold.Mean, Detail: medianOf(r)})
			}
		}
		if worst.Distribution != "exponential" {
			j.add(Target{What: "10⁶ events, worst distribution over exponential", Limit: 3, Value: worst.Best / hold.Best,
				Detail: worst.Distribution})
		}
	}
	for _, r := range results {
		if r.Workload == fill && r.Structure == atOnce {
			j.add(Target{What: "10⁸ events, ns each to fill a queue, first Next included", Limit: 25, Value: r.Best,
				Detail: r.Structure})
		}
	}
	if many, ok := at(Queue, huge); ok {
		if few, ok := at(Queue, little); ok {
			j.add(Target{What: "time at 10⁸ events over 10³", Limit: 2.5, Value: many.Mean / few.Mean,
				Detail: medianOf(many)})
		}
		j.add(Target{What: "bytes per event at 10⁸", Limit: 32, Value: many.Bytes})
		j.add(Target{What: "allocations per operation at 10⁸", Limit: 0, Value: math.Round(many.Allocs*1000) / 1000})
	}
}

// medianOf says what there is beside the ratio of all slices together.
func medianOf(r Result) string { return fmt.Sprintf("median of %d slices %.3g", len(r.Each), r.Median) }
