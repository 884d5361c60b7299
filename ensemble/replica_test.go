//go:build linux || darwin

package ensemble

import (
	"context"
	"math"
	"math/rand/v2"
	"strings"
	"testing"
)

// TestReplicaSeed checks that a model which seeds a generator with Replica.Seed has other numbers
// in every replica, and the same ones at every point.
func TestReplicaSeed(t *testing.T) {
	g := new(Registry)
	g.Register("draw", func(_ context.Context, p Params, r Replica) (Outputs, error) {
		return Outputs{"x": p["shift"] + rand.New(rand.NewPCG(r.Seed, 0)).NormFloat64()}, nil
	}, Parameter{"shift", 0, ""})
	seen, first := map[float64]bool{}, []float64(nil)
	job := Job{Kind: "draw", Points: []Point{{Set: map[string]string{"shift": "0"}},
		{Set: map[string]string{"shift": "0.0"}}}, Replicas: 50, Seed: 3}
	_, err := InMemory{}.Run(t.Context(), job, RunOptions{Registry: g,
		Point: func(p PointResult) error {
			first = append(first, p.Outputs[0].Mean)
			return nil
		},
		Replica: func(_, _ int, v Values) error { seen[v.Numbers[0]] = true; return nil },
	})
	if err != nil {
		t.Fatal(err)
	}
	if len(seen) != 50 || len(first) != 2 || first[0] != first[1] {
		t.Errorf("%d different numbers in 50 replicas, with means %v", len(seen), first)
	}
}

// TestNewReplica checks how seeds are derived: r.Seed is what examples and documented programs drew
// from r.Rand for theirs.
func TestNewReplica(t *testing.T) {
	r := NewReplica(1, 7)
	if r.Number != 7 || r.JobSeed != 1 || r.Seed != r.Rand().Uint64() || r.Seed == NewReplica(1, 8).Seed ||
		r.Seed == NewReplica(2, 7).Seed {
		t.Errorf("%+v", r)
	}
	if r != NewReplica(1, 7) {
		t.Error("the same replica is another")
	}
}

// TestCommandSaysAlike checks that a study whose replicas give the same numbers says so: once, on
// standard error.
func TestCommandSaysAlike(t *testing.T) {
	g := new(Registry)
	g.Register("stuck", func(_ context.Context, p Params, r Replica) (Outputs, error) {
		out := Outputs{"x": p["shift"] + rand.New(rand.NewPCG(r.JobSeed, 0)).Float64(), "y": 2}
		if p["free"] > 0 {
			out["x"] += float64(r.Number)
		}
		return out, nil
	}, Parameter{"shift", 0, ""}, Parameter{"free", 0, ""})
	for name, c := range map[string]struct {
		args []string
		want int
	}{
		"sweep":                {[]string{"sweep", "--vary", "shift=1,2,3", "--replicas", "5"}, 1},
		"compare":              {[]string{"compare", "--scenario", "a=", "--scenario", "b=shift=1", "--replicas", "5"}, 1},
		"to a precision":       {[]string{"sweep", "--vary", "shift=1,2,3", "--replicas", "200", "--precision", "0.01"}, 1},
		"one point that moves": {[]string{"sweep", "--vary", "free=0,1", "--replicas", "5"}, 0},
	} {
		t.Run(name, func(t *testing.T) {
			status, _, errs := command(t, g, t.Context(), c.args...)
			if status != 0 || strings.Count(errs, "all replicas gave the same numbers") != c.want {
				t.Errorf("status %d: %q", status, errs)
			}
		})
	}
}

// TestAlike checks which results count as alike.
func TestAlike(t *testing.T) {
	nan := math.NaN()
	for name, c := range map[string]struct {
		replicas [][]float64
		want     bool
	}{
		"same":              {[][]float64{{1, 2}, {1, 2}, {1, 2}}, true},
		"none has a number": {[][]float64{{1, nan}, {1, nan}}, true},
		"one replica":       {[][]float64{{1, 2}}, false},
		"one differs":       {[][]float64{{1, 2}, {1, 2}, {1, math.Nextafter(2, 3)}}, false},
		"one has none":      {[][]float64{{1, 2}, {1, nan}}, false},
		"no outputs":        {[][]float64{{}, {}}, false},
	} {
		r, err := Merge(func(yield func(Values) bool) {
			for _, numbers := range c.replicas {
				if !yield(Values{Names: []string{"a", "b"}[:len(numbers)], Numbers: numbers}) {
					return
				}
			}
		})
		if err != nil || r.identical() != c.want {
			t.Errorf("%s: %v, %v", name, r.identical(), err)
		}
	}
}
