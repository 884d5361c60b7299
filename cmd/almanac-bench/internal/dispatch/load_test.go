package dispatch

import (
	"math"
	"slices"
	"testing"

	"github.com/almanac-sim/almanac/internal/random"
)

// All services have a mean of 1 and the variance that they say, within five standard errors of a
// million draws.
func TestServices(t *testing.T) {
	const n = 1_000_000
	for _, s := range Services() {
		stream := random.New(1)
		var sum, squares, fourth float64
		for range n {
			x := s.draw(&stream) - 1
			sum += x / n
			squares += x * x / n
			fourth += x * x * x * x / n
		}
		if math.Abs(sum) > 5*math.Sqrt(s.variance/n) {
			t.Errorf("%s: the mean is %v", s.Name, 1+sum)
		}
		if math.Abs(squares-s.variance) > 5*math.Sqrt((fourth-squares*squares)/n)+1e-12 {
			t.Errorf("%s: a variance of %v, and %v is said", s.Name, squares, s.variance)
		}
	}
}

// What counts is the requests that come last, as many as were asked for; what comes first is left
// out by a rule that all policies share.
func TestWarmUp(t *testing.T) {
	s := Setting{Workers: 10, Service: "exponential", Load: 0.81, Requests: 1000, Round: 1, Seed: 1}
	l, times := latencies(t, s, named(t, Central))
	// 10·0.81 requests come in a unit of time, for 5/(1−0.9)² of them; 0.81 is rounded, and so may
	// be the last of them.
	if want := 4050; l.warmUp != want && l.warmUp != want+1 {
		t.Errorf("%d are left out, want %d", l.warmUp, want)
	}
	run, err := l.through(t.Context(), named(t, Central))
	if err != nil {
		t.Fatal(err)
	}
	last := slices.Sorted(slices.Values(times[len(times)-1000:]))
	if run.P99 != last[989] || run.P50 != last[499] || run.P999 != last[998] {
		t.Errorf("quantiles %v, %v and %v, want %v, %v and %v", run.P50, run.P99, run.P999, last[499], last[989], last[998])
	}
}

// Slow workers are a tenth, and λ is of what all can do.
func TestSlowWorkers(t *testing.T) {
	l, err := draw(Setting{Workers: 100, Service: "slow-workers", Load: 0.5, Requests: 100_000, Round: 1, Seed: 1})
	if err != nil {
		t.Fatal(err)
	}
	if got := l.capacity(); math.Abs(got-91) > 1e-9 {
		t.Errorf("a capacity of %v, want 91", got)
	}
	n := float64(len(l.comes))
	if rate := n / l.comes[len(l.comes)-1]; math.Abs(rate/45.5-1) > 5/math.Sqrt(n) {
		t.Errorf("%v come in a unit of time, want 45.5", rate)
	}
}
