package experiment_test

import (
	"context"
	"fmt"
	"math"
	"slices"
	"strings"
	"testing"

	"github.com/almanac-sim/almanac/ensemble"
	"github.com/almanac-sim/almanac/experiment"
	"github.com/almanac-sim/almanac/population"
)

// A model file in an experiment: outputs of a group, and the first time above a level, which some
// replicas never reach. Their names are those of almanac sweep, with commas and spaces, and results
// are the same from a directory. Replicas are those of the model with the same seed.
func TestLabOfModelFile(t *testing.T) {
	m, err := population.Compile("model.yaml", []byte(`
name: two-regions
time: {unit: day, end: 30}
population: {size: 300, start: {ill: 3, well: rest}}
attributes: {region: {north: 30%, south: 70%}}
parameters: {beta: 0.5 per day}
states: {well: {}, ill: {race: [{rate: 0.2 per day, to: immune}]}, immune: {}}
transmission: [{from: ill, rate: beta, to: {well: ill}}]
record: {every: 1 day}
`), population.RecordBy("region"))
	if err != nil {
		t.Fatal(err)
	}
	const north, first = "final(immune, region=north)", "first time(ill above 60)"
	of := func(run *population.Run) ensemble.Outputs {
		last, never := run.Rows()-1, math.NaN()
		row := slices.IndexFunc(m.Times(), func(day float64) bool { return run.Count(int(day), 1) > 60 })
		if row >= 0 {
			never = float64(row)
		}
		return ensemble.Outputs{north: float64(run.In(0).Count(last, 2)), first: never}
	}
	var registry ensemble.Registry
	experiment.RegisterIn(&registry, "regions", func(ctx context.Context, p ensemble.Params, r ensemble.Replica) (
		ensemble.Outputs, error) {
		at, err := m.With(population.Parameter{Name: "beta", Value: fmt.Sprintf("%g per day", p["beta"])})
		if err != nil {
			return nil, err
		}
		found, err := at.Run(ctx, population.Options{Seed: r.JobSeed, Replicas: 1, First: r.Number})
		if err != nil {
			return nil, err
		}
		return of(&found.Runs[0]), nil
	}, ensemble.Parameter{Name: "beta", Value: 0.5})
	directory, err := ensemble.OpenDirectory(t.TempDir(), ensemble.DirectoryOptions{})
	if err != nil {
		t.Fatal(err)
	}
	defer directory.Close()
	all, err := m.Run(t.Context(), population.Options{Seed: 4, Replicas: 12})
	if err != nil {
		t.Fatal(err)
	}
	var want, times []float64
	for i := range all.Runs {
		values := of(&all.Runs[i])
		want, times = append(want, values[north]), append(times, values[first])
	}
	if !slices.ContainsFunc(times, math.IsNaN) || math.IsNaN(times[0]) {
		t.Fatalf("choose another seed: %v", times)
	}
	for _, executor := range []ensemble.Executor{nil, directory, directory} {
		lab, err := experiment.NewLab(experiment.LabOptions{Model: "regions", Registry: &registry, Seed: 4,
			Executor: executor})
		if err != nil {
			t.Fatal(err)
		}
		points := []ensemble.Params{{"beta": 0.5}, {"beta": 0.9}}
		got, err := lab.Source(north)(t.Context(), points, 0, 12)
		if err != nil || !slices.Equal(got[0], want) || slices.Equal(got[1], want) {
			t.Errorf("%v, want %v: %v", got, want, err)
		}
		got, err = lab.Source(first)(t.Context(), points[:1], 0, 1)
		if err != nil || got[0][0] != times[0] {
			t.Errorf("%v, want %v: %v", got, times[0], err)
		}
		_, err = lab.Source(first)(t.Context(), points, 0, 12)
		never := fmt.Sprintf("replica %d of map[beta:0.5] has no %s", slices.IndexFunc(times, math.IsNaN), first)
		if err == nil || !strings.Contains(err.Error(), never) {
			t.Errorf("%v, want %s", err, never)
		}
	}
}
