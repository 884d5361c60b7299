package fit

import (
	"context"
	"errors"
	"sync/atomic"
	"testing"

	"github.com/almanac-sim/almanac/ensemble"
	"github.com/almanac-sim/almanac/internal/random"
	"github.com/almanac-sim/almanac/internal/testscale"
)

// counted is a model that says when it begins.
type counted struct {
	Filtered
	begins func()
}

func (c counted) Simulate(ctx context.Context, x []float64, seed uint64) (Course, error) {
	c.begins()
	if err := ctx.Err(); err != nil {
		return Course{}, err
	}
	return c.Filtered.Simulate(ctx, x, seed)
}

func (c counted) Start(ctx context.Context, x []float64, seed uint64) (Particle, error) {
	c.begins()
	if err := ctx.Err(); err != nil {
		return nil, err
	}
	return c.Filtered.Start(ctx, x, seed)
}

// Each method gives the same, byte for byte, in memory with 1, 2 and 7 slots, and on a hub after
// interruptions in the middle of runs; the default one with particles here, and with single runs in
// TestInterrupted.
func TestChainsAnywhere(t *testing.T) {
	data := dyingData
	p := oneColumn(data, Unknown{Name: "rate", Prior: LogUniform(0.05, 1)}, Unknown{Name: "share", Prior: Beta(4, 2)})
	for _, method := range []string{"abc", "anneal", "search", "pmmh"} {
		o := Options{Method: method, Seed: 5, Budget: 250, Kind: "test", Registry: new(ensemble.Registry)}
		switch method {
		case "abc":
			o.Budget, o.Population = 20_000, 100 // the least with which there are enough estimates
		case "pmmh":
			o.Budget = 12_000 // not much more than it must: the cloud, the warm-up and one block
		}
		begins := func() {}
		o.Registry.AddKind(NewKind("test", "1", func([]byte) (*Problem, Simulator, error) {
			return p, counted{dying{50, len(data)}, func() { begins() }}, nil
		}))
		here := func(ctx context.Context, dir string, slots int) (r *Result, err error) {
			d, err := ensemble.OpenDirectory(dir, ensemble.DirectoryOptions{Slots: slots})
			if err != nil {
				return nil, err
			}
			defer d.Close()
			o.Executor = d
			return Run(ctx, p, nil, o)
		}
		o.Executor = ensemble.InMemory{Slots: 2}
		r, err := Run(t.Context(), p, nil, o)
		if err != nil {
			t.Fatal(method, err)
		}
		if method == "abc" && r.Particles == 0 {
			t.Error("it is not by particles")
		}
		want := r.all(t)
		for _, slots := range testscale.Size([]int{7}, []int{1, 7}) { // beside 2
			o.Executor = ensemble.InMemory{Slots: slots}
			r, err := Run(t.Context(), p, nil, o)
			if err != nil {
				t.Fatal(method, err)
			}
			if got := r.all(t); got != want {
				t.Errorf("%s with %d slots:\n%.500s\nwith 2:\n%.500s", method, slots, got, want)
			}
		}
		dir, luck := t.TempDir(), random.New(1)
		cuts := 0
		for {
			ctx, cancel := context.WithCancel(t.Context())
			var left atomic.Int64
			left.Store(int64(r.Runs/6) + int64(luck.Below(uint64(r.Runs/6))))
			begins = func() {
				if left.Add(-1) == 0 {
					cancel()
				}
			}
			r, err := here(ctx, dir, 7)
			stopped := ctx.Err() != nil
			cancel()
			if err == nil {
				if got := r.all(t); got != want {
					t.Errorf("%s after %d interruptions:\n%.500s\nwithout:\n%.500s", method, cuts, got, want)
				}
				break
			}
			if !stopped || !errors.Is(err, context.Canceled) {
				t.Fatal(method, err)
			}
			if cuts++; cuts > 50 {
				t.Fatalf("%s never ends", method)
			}
		}
		t.Logf("%s: %d stages, %d runs, %d interruptions", method, len(r.Jobs), r.Runs, cuts)
		if cuts < 2 {
			t.Errorf("%s: %d interruptions only", method, cuts)
		}
	}
}
