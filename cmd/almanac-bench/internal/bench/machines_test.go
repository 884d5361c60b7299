package bench

import (
	"context"
	"math"
	"testing"
	"time"
)

// TestMachineModelsHaveAsManyEvents checks that the two models of a pair have the same number of
// events, so that their times can be compared, and that the row of the pair is judged.
func TestMachineModelsHaveAsManyEvents(t *testing.T) {
	for _, pair := range machinePairs() {
		var cells []Cell
		for _, name := range pair {
			cells = append(cells, Cell{Kind: WholeRuns, Structure: name, Workload: wholeRun, N: 4000, Goroutines: 1})
		}
		results, err := Run(context.Background(), cells, Options{Repetitions: 1, Least: time.Millisecond, Seed: 1})
		if err != nil {
			t.Fatal(err)
		}
		var events [2]float64
		for i, r := range results {
			events[i] = float64(r.Ops) / float64(r.Rounds)
		}
		// About 60,000 of a Poisson process each (of a renewal process fewer at first, the more the
		// slower its clocks are: up to one event in four for each machine and individual).
		limit := 5 * math.Sqrt(2*60_000)
		if pair[0] == threeMachinesGamma {
			limit += 0.25 * 3 * 4000
		}
		if math.Abs(events[0]-events[1]) > limit || events[0] < 50_000 {
			t.Errorf("%v have %v events", pair, events)
		}
		if targets := Judge(results); len(targets) != 1 || !(targets[0].Value > 0) || targets[0].Limit != 1.3 {
			t.Errorf("%v are judged as %+v", pair, targets)
		}
	}
}
