package reproduce

import (
	"context"
	"errors"
	"math"
	"slices"
	"testing"

	"github.com/almanac-sim/almanac/internal/random"
)

// small are the counted claims with a reduced budget.
var small = []struct {
	name string
	run  func(context.Context, Options) (Finding, error)
}{
	{"lehman-empty-bins", func(ctx context.Context, o Options) (Finding, error) { return emptyBins(ctx, o, 100_000, 1000) }},
	{"lehman-order-1", func(ctx context.Context, o Options) (Finding, error) {
		return orderOne(ctx, o, []int{100, 1000, 10_000}, 10)
	}},
	{"lehman-jit-sorting", func(ctx context.Context, o Options) (Finding, error) {
		return justInTime(ctx, o, []int{1, 2, 3, 4, 5, 7, 64, 1000, 1023, 1024, 1025}, 1000, 10_000)
	}},
	{"lehman-increments", func(ctx context.Context, o Options) (Finding, error) { return increments(ctx, o, 5000, 10) }},
	{"lehman-timing", func(ctx context.Context, o Options) (Finding, error) { return timing(ctx, o, []int{100, 1000}, 1000) }},
}

func TestLehmanSmall(t *testing.T) {
	for _, c := range small {
		t.Run(c.name, func(t *testing.T) {
			last := 0.0
			f, err := c.run(t.Context(), Options{Seed: 1, Progress: func(x float64) {
				if x < last || x > 1+1e-9 {
					t.Errorf("progress went from %v to %v", last, x)
				}
				last = x
			}})
			if err != nil {
				t.Fatal(err)
			}
			if !f.Holds {
				for _, check := range f.Checks {
					if !check.OK {
						t.Errorf("%s is %v, expected %v ± %v", check.What, check.Measured, check.Expected, check.Tolerance)
					}
				}
			}
			checkShape(t, f)
		})
	}
}

// checkShape looks at what every report needs: reasons, and tables that are whole.
func checkShape(t *testing.T, f Finding) {
	t.Helper()
	for _, c := range f.Checks {
		if c.Because == "" || c.What == "" {
			t.Errorf("a check without a name or a reason: %+v", c)
		}
	}
	if len(f.Tables) == 0 || len(f.Notes) == 0 || len(f.Charts) == 0 || len(f.Charts) != len(f.ChartName) {
		t.Errorf("%d tables, %d notes, %d charts, %d names of charts", len(f.Tables), len(f.Notes), len(f.Charts), len(f.ChartName))
	}
	for _, table := range f.Tables {
		if len(table.Rows) == 0 {
			t.Errorf("%s: no rows", table.Name)
		}
		for _, row := range table.Rows {
			if len(row) != len(table.Columns) {
				t.Errorf("%s: %d numbers under %d headings", table.Name, len(row), len(table.Columns))
			}
			for _, x := range row {
				if math.IsNaN(x) || math.IsInf(x, 0) {
					t.Errorf("%s: %v in a table", table.Name, x)
				}
			}
		}
	}
}

// A claim stops when it is told to.
func TestLehmanInterrupted(t *testing.T) {
	ctx, cancel := context.WithCancel(t.Context())
	cancel()
	for _, c := range small {
		if _, err := c.run(ctx, Options{Seed: 1}); !errors.Is(err, context.Canceled) {
			t.Errorf("%s: %v", c.name, err)
		}
	}
}

// All claims are listed, with what a reader needs, and have a small version here.
func TestLehmanClaims(t *testing.T) {
	claims := lehmanClaims()
	if len(claims) != len(small) {
		t.Fatalf("%d claims, %d small versions", len(claims), len(small))
	}
	for i, c := range claims {
		if c.Name != small[i].name || c.Paper != lehmanPaper || c.Place == "" || c.Says == "" || c.How == "" || c.Run == nil {
			t.Errorf("%+v", c)
		}
	}
}

// What is drained is what was put in: bins with 0, 1, 2 … events, counted from outside.
func TestDrainBins(t *testing.T) {
	const n, m = 5000, 4000
	seed := random.New(3)
	s, err := binsOf(t.Context(), seed, n, m)
	if err != nil {
		t.Fatal(err)
	}
	lengths := make([]int, m)
	for range n {
		lengths[int(seed.Float64()*m)]++
	}
	var want []float64
	for _, k := range lengths {
		for len(want) <= k {
			want = append(want, 0)
		}
		want[k]++
	}
	got, err := drainBins(t.Context(), s, n, m)
	if err != nil || !slices.Equal(got, want) {
		t.Errorf("got %v, %v; want %v", got, err, want)
	}
}

// Orders of arrival have every time once, and the broken runs no run of three.
func TestArrivals(t *testing.T) {
	for _, a := range arrivals() {
		for _, k := range []int{1, 2, 3, 100, 1024} {
			r := random.New(1)
			times := a.times(k, &r)
			if a.name == "runs broken up" {
				for i := 2; i < k && k == 1024; i++ {
					if (times[i-2] < times[i-1]) == (times[i-1] < times[i]) {
						t.Errorf("a run at %d: %v", i, times[i-2:i+1])
					}
				}
			}
			slices.Sort(times)
			if !slices.Equal(times, ascending(k)) {
				t.Errorf("%s, %d: %v", a.name, k, times)
			}
		}
	}
}
