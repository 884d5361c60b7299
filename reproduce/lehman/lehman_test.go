package lehman

import (
	"context"
	"slices"
	"testing"

	"github.com/almanac-sim/almanac/internal/random"
	"github.com/almanac-sim/almanac/reproduce"
	"github.com/almanac-sim/almanac/reproduce/reproducetest"
)

// small are the claims with a reduced budget.
var small = []struct {
	name    string
	verdict reproduce.Verdict
	run     func(context.Context, reproduce.Options) (reproduce.Finding, error)
}{
	{"lehman-empty-bins", reproduce.Holds, func(ctx context.Context, o reproduce.Options) (reproduce.Finding, error) {
		return measureEmptyBins(ctx, o, 100_000, 1000)
	}},
	{"lehman-order-1", reproduce.Holds, func(ctx context.Context, o reproduce.Options) (reproduce.Finding, error) {
		return measureOrder1(ctx, o, []int{100, 1000, 10_000}, 10)
	}},
	{"lehman-jit-sorting", reproduce.Holds, func(ctx context.Context, o reproduce.Options) (reproduce.Finding, error) {
		return measureSorting(ctx, o, []int{1, 2, 3, 4, 5, 7, 64, 1000, 1023, 1024, 1025}, 1000, 10_000)
	}},
	{"lehman-increments", reproduce.FailsThus, func(ctx context.Context, o reproduce.Options) (reproduce.Finding, error) {
		return measureIncrements(ctx, o, 5000, 10)
	}},
	{"lehman-timing", reproduce.Reported, func(ctx context.Context, o reproduce.Options) (reproduce.Finding, error) {
		return measureTiming(ctx, o, []int{100, 1000}, 1000)
	}},
}

// smallClaims are the claims of the paper, with their budgets reduced.
func smallClaims(t *testing.T) []reproduce.Claim {
	t.Helper()
	claims := Claims()
	if len(claims) != len(small) {
		t.Fatalf("%d claims, %d small versions", len(claims), len(small))
	}
	for i := range claims {
		if claims[i].Name != small[i].name {
			t.Fatalf("%s has the small version of %s", claims[i].Name, small[i].name)
		}
		claims[i].Run = small[i].run
	}
	return claims
}

func TestClaims(t *testing.T) {
	for i, c := range smallClaims(t) {
		t.Run(c.Name, func(t *testing.T) {
			reproducetest.Illustrated(t, reproducetest.Verdict(t, c, 1, small[i].verdict))
			if c.Paper != paper {
				t.Errorf("it is of %s", c.Paper)
			}
		})
	}
}

func TestStops(t *testing.T) { reproducetest.Stops(t, smallClaims(t)) }

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

// Numbers of events are written as the paper does.
func TestScientific(t *testing.T) {
	for n, want := range map[float64]string{42: "42", 1e4: "10⁴", 6e7: "6×10⁷", 6.76e7: "6.8×10⁷", 1e10: "10¹⁰"} {
		if got := scientific(n); got != want {
			t.Errorf("%v is %q, want %q", n, got, want)
		}
	}
}
