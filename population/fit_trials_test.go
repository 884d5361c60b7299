package population_test

import (
	"errors"
	"reflect"
	"strings"
	"sync"
	"testing"

	"github.com/almanac-sim/almanac/internal/modelfit"
	"github.com/almanac-sim/almanac/population"
)

// A trial tells what is seen at the times of the data, whatever the file records, and is the run
// that records then. Trials may be made in any order, and at once.
func TestTrials(t *testing.T) {
	times := []float64{0, 1, 2.5, 7, 21, 35}
	f := fitted(t, population.FitOptions{})
	daily := compiled(t, strings.Replace(fitModel, "every: 7 days", "every: 12 hours", 1),
		population.Set("beta", "0.7 per day"))
	r, err := daily.Run(t.Context(), population.Options{Seed: 5})
	if err != nil {
		t.Fatal(err)
	}
	run := &r.Runs[0]
	flow := func(name string) int {
		for i, f := range daily.Flows() {
			if f.String() == name {
				return i
			}
		}
		t.Fatal(name)
		return 0
	}
	want, before := make([][]float64, 3), 0.0
	for _, at := range times {
		row := int(2 * at)
		infected := float64(run.Flow(row, flow("well->ill")))
		want[0] = append(want[0], 0.3*(infected-before))
		want[1] = append(want[1], float64(run.Named(row, 0)))
		want[2] = append(want[2], float64(run.Count(row, 1)))
		before = infected
	}
	if want[0][4] == 0 || want[1][5] == 0 || want[2][0] != 10 {
		t.Fatalf("nothing happens: %v", want)
	}
	trials := modelfit.Of(f).Trials(times)
	var group sync.WaitGroup
	for range 4 {
		group.Go(func() {
			own := modelfit.Of(f).Trials(times)
			for seed := range uint64(8) {
				got, err := own.Run(t.Context(), []float64{0.7}, seed)
				if err != nil || seed == 5 && !reflect.DeepEqual(got.Means, want) {
					t.Errorf("seed %d: %v, want %v; %v", seed, got.Means, want, err)
				}
			}
		})
	}
	group.Wait()
	for range 2 {
		if _, err := trials.Run(t.Context(), []float64{0.2}, 3); err != nil {
			t.Fatal(err)
		}
		got, err := trials.Run(t.Context(), []float64{0.7}, 5)
		if err != nil || !reflect.DeepEqual(got.Means, want) || got.Events == 0 {
			t.Errorf("%v, want %v; %v", got.Means, want, err)
		}
	}
	if _, err := trials.Run(t.Context(), []float64{-1}, 5); !errors.As(err, new(population.Problems)) {
		t.Error(err)
	}
}

// A run that is followed from time to time is the one of a trial; a fork has its past, and a future
// of its own, and leaves it alone.
func TestFollow(t *testing.T) {
	times := []float64{0, 1, 2.5, 7, 21, 35}
	f := fitted(t, population.FitOptions{})
	for _, x := range []float64{0.7, 0.3} {
		trial, err := modelfit.Of(f).Trials(times).Run(t.Context(), []float64{x}, 5)
		if err != nil {
			t.Fatal(err)
		}
		w, err := modelfit.Of(f).Follow(t.Context(), times, []float64{x}, 5)
		if err != nil {
			t.Fatal(err)
		}
		var fork modelfit.Followed
		same := true
		for row := range times {
			means, err := w.Step(t.Context())
			if err != nil {
				t.Fatal(err)
			}
			for i := range means {
				if means[i] != trial.Means[i][row] {
					t.Errorf("row %d, column %d: %v, want %v", row, i, means[i], trial.Means[i][row])
				}
			}
			if row == 3 {
				if fork, err = w.Fork(1); err != nil {
					t.Fatal(err)
				}
			} else if row > 3 {
				others, err := fork.Step(t.Context())
				if err != nil {
					t.Fatal(err)
				}
				same = same && reflect.DeepEqual(others, means)
				if row == 4 && others[1] < trial.Means[1][3] { // deaths since the start have the same past
					t.Errorf("a fork has %v deaths, after %v", others[1], trial.Means[1][3])
				}
			}
		}
		if same {
			t.Error("a fork has the same future")
		}
		if w.Events() != trial.Events || !reflect.DeepEqual(w.Observations(), trial.Observations) {
			t.Errorf("%d events, want %d", w.Events(), trial.Events)
		}
		w.Close()
		fork.Close()
	}
	if _, err := modelfit.Of(f).Follow(t.Context(), times, []float64{-1}, 0); !errors.As(err,
		new(population.Problems)) {
		t.Error(err)
	}
}
