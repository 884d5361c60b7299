package bench

import (
	"context"
	"errors"
	"math"
	"strings"
	"testing"
	"time"
)

// Every workload on every kernel runs, and both kernels do the same work: a customer of the queue
// is at least three events.
func TestRunKernels(t *testing.T) {
	results, err := Run(context.Background(), KernelCells(), Options{Repetitions: 2, Least: 20 * time.Millisecond,
		Seed: 1})
	if err != nil {
		t.Fatal(err)
	}
	if len(results) != len(Simulations())*len(Kernels()) {
		t.Errorf("%d results", len(results))
	}
	for _, r := range results {
		per := float64(r.Ops) / float64(r.Rounds)
		least, most := 0.99, 1.01
		if r.Workload == "m/m/1" {
			least, most = 3, 5
		}
		if r.Ops == 0 || len(r.Each) != 2 || r.Best <= 0 || !(r.Over > 0) || math.IsInf(r.Over, 0) || per < least ||
			per > most || !(r.RoundsSpeed > 0) {
			t.Errorf("%v: %d events, %d rounds, %v", r.Cell, r.Ops, r.Rounds, r.Each)
		}
		if r.Structure == "channels" && r.Over != 1 {
			t.Errorf("%s: channels are %v times as fast as channels", r.Workload, r.Over)
		}
	}
	if targets := Judge(results); len(targets) != 3 {
		t.Errorf("%d targets, not 3", len(targets))
	}
}

func TestRunKernelsRefuses(t *testing.T) {
	_, err := Run(context.Background(), []Cell{{Kind: SimKernels, Workload: "events", Structure: "threads"}}, quick)
	if err == nil || !strings.Contains(err.Error(), `no workload "events" on a kernel "threads"`) {
		t.Errorf("%v", err)
	}
	ctx, cancel := context.WithCancel(context.Background())
	cancel()
	if _, err := Run(ctx, KernelCells(), quick); !errors.Is(err, context.Canceled) {
		t.Errorf("cancelled: %v", err)
	}
}
