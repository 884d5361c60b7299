package bench

import (
	"fmt"
)

// A Target is something that the project wants, and what was measured of it.
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

// TargetPlans are the cells that Judge wants to see of a kind, plan by plan: what is compared takes
// turns.
func TargetPlans(k Kind) [][]Cell {
	switch k {
	case EventSets:
		return setTargets()
	case SharedQueues:
		return sharedTargets()
	case SimKernels:
		return [][]Cell{KernelCells()}
	case WholeRuns:
		return RunCells(false)
	}
	return nil
}

// Judge compares the results of one plan with the targets that it is for.
func Judge(results []Result) []Target {
	var j judge
	if len(results) > 0 {
		results[0].Kind.family().judge(results, &j)
	}
	return j.targets
}

// A judge collects targets, and sees which of them are met.
type judge struct{ targets []Target }

func (j *judge) add(t Target) {
	t.Met = t.Value <= t.Limit
	if t.Least {
		t.Met = t.Value >= t.Limit
	}
	j.targets = append(j.targets, t)
}

// judgeKernels wants a number of events per second of ours, on one core.
func judgeKernels(results []Result, j *judge) {
	for _, r := range results {
		wanted := map[string]float64{"events": 10, "processes": 4, "m/m/1": 5}[r.Workload]
		if r.Structure == "sim" && wanted > 0 {
			j.add(Target{What: r.Workload + ", million events per second", Limit: wanted, Least: true, Value: r.Best / 1e6})
		}
	}
}
