package bench

import (
	"fmt"
	"math"
	"slices"
)

// The sizes at which the targets of packages spray and relaxed are measured.
const (
	some = 100_000
	many = 1_000_000
)

// sharedTargets are the cells by which shared queues are judged, plan by plan. With 64 goroutines,
// which need time for a turn each, slices would not be short.
func sharedTargets() (plans [][]Cell) {
	cell := func(structure string, n, goroutines int, slices bool) Cell {
		return Cell{Kind: SharedQueues, Structure: structure, Workload: Hold, N: n, Goroutines: goroutines, Slices: slices}
	}
	for _, n := range []int{some, many} {
		var few, lots []Cell
		for _, s := range SharedStructures() {
			if !s.Alone {
				few = append(few, cell(s.Name, n, 2, true))
			}
			if s.Alone || s.Name == sharedCalendar {
				few = append(few, cell(s.Name, n, 1, true))
			}
			if ours(s.Name) {
				lots = append(lots, cell(s.Name, n, 2, false), cell(s.Name, n, 64, false))
			}
		}
		slices.SortStableFunc(few, func(a, b Cell) int { return a.Goroutines - b.Goroutines })
		slices.SortStableFunc(lots, func(a, b Cell) int { return a.Goroutines - b.Goroutines })
		plans = append(plans, few, lots)
	}
	return plans
}

// ours says that a structure is one of packages spray and relaxed that targets are for.
func ours(structure string) bool { return structure == sharedList || structure == sharedCalendar }

// judgeShared compares shared queues.
func judgeShared(results []Result, all *judge) {
	for _, n := range []int{some, many} {
		j := sharedJudge{judge: all, n: n, size: map[int]string{some: "10⁵ elements, ", many: "10⁶ elements, "}[n]}
		for _, r := range results {
			if r.N == n && r.Workload == Hold {
				j.results = append(j.results, r)
			}
		}
		j.list()
		j.calendar()
		j.allocations()
	}
}

// A sharedJudge has the results of one number of elements.
type sharedJudge struct {
	*judge
	n       int
	size    string // in words
	results []Result
}

func (j *sharedJudge) add(what string, t Target) {
	t.What = j.size + what
	j.judge.add(t)
}

// at finds a structure with a number of goroutines.
func (j *sharedJudge) at(structure string, goroutines int) (Result, bool) {
	i := slices.IndexFunc(j.results, func(r Result) bool { return r.Structure == structure && r.Goroutines == goroutines })
	if i < 0 {
		return Result{}, false
	}
	return j.results[i], true
}

// faster compares throughputs of two goroutines.
func (j *sharedJudge) faster(ours, rival string, limit float64) {
	a, have := j.at(ours, 2)
	if b, has := j.at(rival, 2); have && has {
		j.add("2 goroutines, "+ours+" against "+rival, Target{Limit: limit, Least: true, Value: a.Mean / b.Mean,
			Detail: rounds(a, b)})
	}
}

// rounds says what there is beside the ratio of the means of two that took turns in slices.
func rounds(a, b Result) string {
	return fmt.Sprintf("median of %d slices %.3g", len(a.Each), medianRatio(a.Each, b.Each))
}

func (j *sharedJudge) list() {
	j.faster(sharedList, sharedBinary, map[int]float64{some: 1, many: 0.8}[j.n])
	few, have := j.at(sharedList, 2)
	lots, has := j.at(sharedList, 64)
	if !have || !has {
		return
	}
	value := 0.0
	if lots.Meter.Rank.Mean > 0 {
		value = min((lots.Meter.Rank.Mean/64)/(few.Meter.Rank.Mean/2), math.MaxFloat64) // JSON has no infinity
	}
	j.add("list, rank error per goroutine, 64 over 2", Target{Limit: 2, Value: value,
		Detail: fmt.Sprintf("means %.3g and %.3g", lots.Meter.Rank.Mean, few.Meter.Rank.Mean)})
}

func (j *sharedJudge) calendar() {
	j.faster(sharedCalendar, sharedHeap, 3.5)
	j.faster(sharedCalendar, sharedMulti, 1.5)
	one, have := j.at(sharedCalendar, 1)
	if queue, has := j.at(Queue, 1); have && has {
		j.add("1 goroutine, calendar, time over calendar.Queue", Target{Limit: 1.5, Value: queue.Mean / one.Mean,
			Detail: rounds(queue, one)})
	}
	few, have := j.at(sharedCalendar, 2)
	if lots, has := j.at(sharedCalendar, 64); have && has {
		j.add("2 goroutines, calendar, mean rank error", Target{Limit: 8, Value: few.Meter.Rank.Mean})
		j.add("2 goroutines, calendar, 99 % of rank errors", Target{Limit: 64, Value: float64(few.Meter.Rank.P99)})
		j.add("calendar, speed of 64 goroutines over 2", Target{Limit: 0.5, Least: true, Value: lots.Best / few.Best})
	}
}

// allocations judges the worst of ours.
func (j *sharedJudge) allocations() {
	worst, most := Result{Allocs: -1}, 0
	for _, r := range j.results {
		most = max(most, r.Goroutines)
		if ours(r.Structure) && r.Allocs > worst.Allocs {
			worst = r
		}
	}
	if worst.Allocs >= 0 {
		j.add(fmt.Sprintf("up to %d goroutines, allocations per operation", most),
			Target{Limit: 0, Value: math.Round(worst.Allocs*1000) / 1000,
				Detail: fmt.Sprintf("%s, %d goroutines", worst.Structure, worst.Goroutines)})
	}
}
