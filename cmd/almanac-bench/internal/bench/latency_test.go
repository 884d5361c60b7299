package bench

import (
	"context"
	"errors"
	"testing"
)

// Every structure goes through all the calls, and the quantiles of what they took are in order.
func TestLatencies(t *testing.T) {
	const n = 500
	for _, s := range Structures() {
		results, err := Latencies(context.Background(), s.Name, "exponential", n, 1)
		if err != nil {
			t.Fatal(err)
		}
		want := []int{n, n, n, n, n - n/10, n/10 + 1}
		for i, r := range results {
			if r.Call != LatencyCalls[i].Name || r.Calls != want[i] {
				t.Errorf("%s: %d calls of %s, want %d", s.Name, r.Calls, r.Call, want[i])
			}
			if !(r.P50 > 0 && r.P50 <= r.P999 && r.P999 <= r.P99999 && r.P99999 <= r.Max) {
				t.Errorf("%s, %s: %v, %v, %v, %v are not in order", s.Name, r.Call, r.P50, r.P999, r.P99999, r.Max)
			}
		}
	}
}

func TestLatenciesEnd(t *testing.T) {
	ctx, cancel := context.WithCancel(context.Background())
	cancel()
	if _, err := Latencies(ctx, Queue, "exponential", 10_000, 1); !errors.Is(err, context.Canceled) {
		t.Errorf("cancelled: %v", err)
	}
	if _, err := Latencies(context.Background(), "heap", "exponential", 1, 1); err == nil {
		t.Error("an unknown structure was timed")
	}
	if _, err := Latencies(context.Background(), Queue, "flat", 1, 1); err == nil {
		t.Error("an unknown distribution was timed")
	}
}
