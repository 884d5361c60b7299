package population_test

import (
	"context"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/almanac-sim/almanac/population"
)

// What is seen of a run while it goes on is the beginning of what it is in the end, by group too,
// and stays so.
func TestSoFar(t *testing.T) {
	m, err := population.Load("../examples/seir-regions.yaml", population.Size(2000))
	if err != nil {
		t.Fatal(err)
	}
	var seen []*population.Result
	// A row waits until somebody has looked twice, so that there is something to see whatever the
	// machine does.
	looked := make(chan struct{})
	ticks := 0
	result, err := m.Run(context.Background(), population.Options{Seed: 3, Replicas: 6, Workers: 2,
		OnRecord: func(r population.Record) {
			if r.Row%50 == 49 {
				<-looked
			}
		},
		OnProgress: func(p population.Progress) {
			if s := p.SoFar(); len(s.Runs) > 0 {
				seen = append(seen, s)
			}
			if ticks++; ticks == 3 {
				close(looked)
			}
		}})
	if err != nil {
		t.Fatal(err)
	}
	if len(seen) == 0 {
		t.Fatal("nothing was seen")
	}
	for _, s := range seen {
		if !s.Incomplete || s.Seed != 3 || s.Replicas != 6 {
			t.Errorf("seen as incomplete %v, seed %d, %d replicas", s.Incomplete, s.Seed, s.Replicas)
		}
		for i := range s.Runs {
			run := &s.Runs[i]
			whole := &result.Runs[run.Replica]
			for group := -1; group < len(m.Groups()); group++ {
				a, b := run, whole
				if group >= 0 {
					a, b = run.In(group), whole.In(group)
				}
				if diff := cmp.Diff(rows(m, b, a.Rows()), rows(m, a, a.Rows())); diff != "" {
					t.Fatalf("replica %d, group %d: %s", run.Replica, group, diff)
				}
			}
		}
	}
	if s := (population.Progress{}).SoFar(); s != nil {
		t.Errorf("a progress of no run has %v", s)
	}
}

// rows are the first numbers that a run recorded.
func rows(m *population.Model, run *population.Run, n int) (all [][]uint64) {
	for row := range n {
		var numbers []uint64
		for s := range m.States() {
			numbers = append(numbers, uint64(run.Count(row, s)))
		}
		for f := range m.Flows() {
			numbers = append(numbers, run.Flow(row, f))
		}
		for k := range m.Names() {
			numbers = append(numbers, run.Named(row, k))
		}
		all = append(all, numbers)
	}
	return all
}
