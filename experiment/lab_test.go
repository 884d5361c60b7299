package experiment

import (
	"context"
	"errors"
	"fmt"
	"math"
	"strings"
	"sync/atomic"
	"testing"

	"github.com/almanac-sim/almanac/ensemble"
)

// A shop is a registry with a model of some cost, which counts how often it is run, and may be
// interrupted.
type shop struct {
	registry ensemble.Registry
	runs     atomic.Int64
	stopAt   int64
	stop     context.CancelFunc
	each     func() // is called whenever the model is run
}

func newShop() *shop {
	x := &shop{stop: func() {}, each: func() {}}
	RegisterIn(&x.registry, "shop", func(_ context.Context, p ensemble.Params, r ensemble.Replica) (ensemble.Outputs,
		error) {
		if n := x.runs.Add(1); n == x.stopAt {
			x.stop()
		}
		x.each()
		random := r.Rand()
		distance := p["desks"] - 6
		out := ensemble.Outputs{"cost": distance*distance + p["pace"] + 5*random.NormFloat64() +
			random.NormFloat64()*p["desks"]/4, "replica": float64(r.Number)}
		if p["desks"] == 13 {
			out["cost"] = math.NaN()
		}
		return out, nil
	}, ensemble.Parameter{Name: "desks", Value: 1}, ensemble.Parameter{Name: "pace", Value: 2})
	return x
}

// open makes a lab in a directory, with a context that x.stop ends.
func (x *shop) open(t *testing.T, dir string, slots int) (context.Context, *Lab, *ensemble.Directory) {
	t.Helper()
	ctx, cancel := context.WithCancel(t.Context())
	x.stop = cancel
	t.Cleanup(cancel)
	directory, err := ensemble.OpenDirectory(dir, ensemble.DirectoryOptions{Slots: slots})
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(directory.Close)
	return ctx, x.lab(t, directory), directory
}

func (x *shop) lab(t *testing.T, executor ensemble.Executor) *Lab {
	t.Helper()
	lab, err := NewLab(LabOptions{Model: "shop", Registry: &x.registry, Seed: 3, Executor: executor})
	if err != nil {
		t.Fatal(err)
	}
	return lab
}

// TestLabSeeds checks that a replica has the seed of its own number in every stage. One of a later
// stage must not have that of an earlier.
func TestLabSeeds(t *testing.T) {
	var registry ensemble.Registry
	RegisterIn(&registry, "seeds", func(_ context.Context, _ ensemble.Params, r ensemble.Replica) (ensemble.Outputs,
		error) {
		return ensemble.Outputs{"seed": float64(r.Seed >> 11)}, nil
	})
	lab, err := NewLab(LabOptions{Model: "seeds", Registry: &registry, Seed: 3})
	if err != nil {
		t.Fatal(err)
	}
	for first := 0; first < 20; first += 5 {
		values, err := lab.Source("seed")(t.Context(), []ensemble.Params{{}}, first, 5)
		if err != nil {
			t.Fatal(err)
		}
		for i, x := range values[0] {
			if want := float64(ensemble.NewReplica(3, first+i).Seed >> 11); x != want {
				t.Errorf("replica %d: %v, and not %v", first+i, x, want)
			}
		}
	}
}

// study is one of each, as text.
func (x *shop) study(ctx context.Context, lab *Lab) (string, error) {
	cost := lab.Source("cost")
	d, err := Full(Factor{"desks", []float64{2, 5}}, Factor{"pace", []float64{1, 3}})
	if err != nil {
		return "", err
	}
	values, err := d.Run(ctx, cost, 8)
	if err != nil {
		return "", err
	}
	effects, err := d.Effects(values, 0.95)
	if err != nil {
		return "", err
	}
	var systems []ensemble.Params
	for desks := 3.0; desks < 9; desks++ {
		systems = append(systems, ensemble.Params{"desks": desks})
	}
	best, err := Select(ctx, cost, systems, SelectOptions{Delta: 0.9, First: 8, Batch: 7})
	if err != nil {
		return "", err
	}
	optimum, err := Minimize(ctx, cost, []Integer{{"desks", 1, 12, 11}}, MinimizeOptions{Replicas: 300})
	return fmt.Sprint(effects, best, optimum), err
}

// The answer is the same for any number of workers, and when the experiment is killed and done
// again; what was observed is not run twice.
func TestLabGivesTheSameAnswer(t *testing.T) {
	x := newShop()
	want, err := x.study(t.Context(), x.lab(t, ensemble.InMemory{Slots: 1}))
	if err != nil {
		t.Fatal(err)
	}
	all := x.runs.Load()
	// the best has 6 desks, by Select and by Minimize
	if !strings.Contains(want, "{3 [") || !strings.Contains(want, "map[desks:6]") {
		t.Error(want)
	}

	x.runs.Store(0)
	x.stopAt = all * 2 / 3
	dir := t.TempDir()
	ctx, lab, directory := x.open(t, dir, 3)
	if _, err := x.study(ctx, lab); !errors.Is(err, context.Canceled) {
		t.Fatalf("it was not interrupted: %v", err)
	}
	directory.Close()
	before := x.runs.Load()
	ctx, lab, directory = x.open(t, dir, 2)
	got, err := x.study(ctx, lab)
	directory.Close()
	if err != nil || got != want {
		t.Errorf("after an interruption %s, %v\nwant %s", got, err, want)
	}
	if again := x.runs.Load() - before; again > all/2 {
		t.Errorf("%d of %d were run again, after %d", again, all, before)
	}
	before = x.runs.Load()
	ctx, lab, _ = x.open(t, dir, 2)
	if got, err := x.study(ctx, lab); err != nil || got != want || x.runs.Load() != before {
		t.Errorf("done again, %d were run, and it gives %s, %v", x.runs.Load()-before, got, err)
	}
}

// Later replicas are those that one long job would give.
func TestLabGoesOnWithLaterReplicas(t *testing.T) {
	x := newShop()
	ctx, lab, _ := x.open(t, t.TempDir(), 2)
	points := []ensemble.Params{{"desks": 4}, {"desks": 2, "pace": 7}}
	for _, output := range []string{"cost", "replica"} {
		long, err := lab.Source(output)(ctx, points, 0, 9)
		if err != nil {
			t.Fatal(err)
		}
		first, err := lab.Source(output)(ctx, points, 0, 4)
		if err != nil {
			t.Fatal(err)
		}
		later, err := lab.Source(output)(ctx, points, 4, 5)
		if err != nil {
			t.Fatal(err)
		}
		for i := range points {
			if got := fmt.Sprint(append(first[i], later[i]...)); got != fmt.Sprint(long[i]) {
				t.Errorf("%s: %v and %v", output, got, long[i])
			}
		}
	}
	if lab.Replicas() != 2*2*(9+4+5) {
		t.Error(lab.Replicas())
	}
	for want, f := range map[string]func() ([][]float64, error){
		`no output "price"`: func() ([][]float64, error) { return lab.Source("price")(ctx, points, 0, 2) },
		"has no cost": func() ([][]float64, error) {
			return lab.Source("cost")(ctx, []ensemble.Params{{"desks": 13}}, 0, 2)
		},
		`has no parameter "clerks`: func() ([][]float64, error) {
			return lab.Source("cost")(ctx, []ensemble.Params{{"clerks": 1}}, 0, 2)
		},
	} {
		if _, err := f(); err == nil || !strings.Contains(err.Error(), want) {
			t.Errorf("got %v, want %q", err, want)
		}
	}
}

func TestLabIsRefused(t *testing.T) {
	x := newShop()
	for want, o := range map[string]LabOptions{
		`no model "bank"`:          {Model: "bank", Registry: &x.registry},
		"parameter pace is NaN":    {Model: "shop", Registry: &x.registry, Set: ensemble.Params{"pace": math.NaN()}},
		`no model ""; register it`: {},
	} {
		if _, err := NewLab(o); err == nil || !strings.HasPrefix(err.Error(), "experiment: ") ||
			!strings.Contains(err.Error(), want) {
			t.Errorf("got %v, want %q", err, want)
		}
	}
}

// On a hub with two workers of their own the answer is that of one process, and the connection
// stays open.
func TestLabOnAHub(t *testing.T) {
	x := newShop()
	want, err := x.study(t.Context(), x.lab(t, nil))
	if err != nil {
		t.Fatal(err)
	}
	hub, err := ensemble.StartHub(ensemble.HubOptions{Store: t.TempDir(), Listen: "none"})
	if err != nil {
		t.Fatal(err)
	}
	defer hub.Close()
	working, stop := context.WithCancel(t.Context())
	ended := make(chan error)
	for i := range 2 {
		c, err := hub.Connect(ensemble.ConnectOptions{})
		if err != nil {
			t.Fatal(err)
		}
		defer c.Close()
		go func() {
			ended <- ensemble.Serve(working, c, ensemble.WorkerOptions{Registry: &x.registry, Slots: 1,
				Name: fmt.Sprint("worker ", i)})
		}()
	}
	defer func() {
		stop()
		<-ended
		<-ended
	}()
	c, err := hub.Connect(ensemble.ConnectOptions{})
	if err != nil {
		t.Fatal(err)
	}
	defer c.Close()
	for range 2 {
		if got, err := x.study(t.Context(), x.lab(t, c)); err != nil || got != want {
			t.Errorf("on a hub %s, %v\nhere %s", got, err, want)
		}
	}
}

// A lab whose directory is closed, or whose context is done, says so, and does not wait for ever.
func TestLabIsClosed(t *testing.T) {
	x := newShop()
	ctx, lab, directory := x.open(t, t.TempDir(), 1)
	x.stop()
	if _, err := lab.Source("cost")(ctx, []ensemble.Params{{}}, 0, 2); !errors.Is(err, context.Canceled) {
		t.Errorf("its context is done: %v", err)
	}
	directory.Close()
	if _, err := lab.Source("cost")(t.Context(), []ensemble.Params{{}}, 0, 2); err == nil || !strings.Contains(err.Error(),
		"was closed") {
		t.Errorf("its directory is closed: %v", err)
	}
}
