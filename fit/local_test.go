package fit_test

import (
	"context"
	"reflect"
	"strings"
	"testing"

	"github.com/almanac-sim/almanac/ensemble"
	"github.com/almanac-sim/almanac/fit"
)

// RunLocal gives what Run gives, but for the keys of jobs.
func TestRunLocalIsRun(t *testing.T) {
	p := problem()
	registry := new(ensemble.Registry)
	registry.AddKind(fit.NewKind("calls", "1", func([]byte) (*fit.Problem, fit.Simulator, error) {
		return p, calls{4},
			nil
	}))
	for _, method := range []string{"abc", "random", "search"} {
		o := fit.Options{Method: method, Seed: 3, Budget: 600}
		got, err := fit.RunLocal(t.Context(), p, fit.SimulatorFunc(calls{4}.Simulate), o)
		if err != nil {
			t.Fatal(method, err)
		}
		o.Kind, o.Registry = "calls", registry
		want, err := fit.Run(t.Context(), p, nil, o)
		if err != nil {
			t.Fatal(method, err)
		}
		got.Jobs, want.Jobs = nil, nil
		if got.Text() != want.Text() || !reflect.DeepEqual(got.Posterior, want.Posterior) || !reflect.DeepEqual(got.Best,
			want.Best) || got.Runs != want.Runs {
			t.Errorf("%s: got\n%s\nwant\n%s", method, got.Text(), want.Text())
		}
	}
}

// What RunLocal cannot honour is refused and not ignored.
func TestRunLocalIsRefused(t *testing.T) {
	elsewhere, err := ensemble.OpenDirectory(t.TempDir(), ensemble.DirectoryOptions{})
	if err != nil {
		t.Fatal(err)
	}
	defer elsewhere.Close()
	for text, c := range map[string]struct {
		model fit.Simulator
		o     fit.Options
	}{
		"no model":          {nil, fit.Options{}},
		"neither Kind nor":  {calls{4}, fit.Options{Kind: "calls"}},
		"nor Registry":      {calls{4}, fit.Options{Registry: new(ensemble.Registry)}},
		"in memory only":    {calls{4}, fit.Options{Executor: elsewhere}},
		"there is no metho": {calls{4}, fit.Options{Method: "guess", Executor: ensemble.InMemory{Slots: 1}}},
	} {
		if _, err := fit.RunLocal(t.Context(), problem(), c.model, c.o); err == nil || !strings.Contains(err.Error(), text) {
			t.Errorf("%q: %v", text, err)
		}
	}
}

// An error of the model ends the fit, with what the model said.
func TestRunLocalError(t *testing.T) {
	broken := fit.SimulatorFunc(func(context.Context, []float64, uint64) (fit.Trajectory, error) {
		return fit.Trajectory{}, context.DeadlineExceeded
	})
	if _, err := fit.RunLocal(t.Context(), problem(), broken, fit.Options{Seed: 1}); err == nil ||
		!strings.Contains(err.Error(), context.DeadlineExceeded.Error()) {
		t.Error(err)
	}
}
