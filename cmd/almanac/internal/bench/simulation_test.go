package bench_test

import (
	"context"
	"math"
	"strings"
	"testing"
	"time"

	"github.com/almanac-sim/almanac/cmd/almanac/internal/bench"
)

// Every workload on every kernel runs, and both kernels do the same work: a customer of the queue is at least three events.
func TestRunSimulated(t *testing.T) {
	var all []bench.Simulated
	for _, workload := range bench.Simulations() {
		for _, kernel := range bench.Kernels() {
			all = append(all, bench.Simulated{Workload: workload.Name, Kernel: kernel.Name})
		}
	}
	if err := bench.RunSimulated(context.Background(), all, bench.Options{Repetitions: 2, Least: 20 * time.Millisecond, Seed: 1}); err != nil {
		t.Fatal(err)
	}
	for _, c := range all {
		per := float64(c.Events) / float64(c.Rounds)
		least, most := 0.99, 1.01
		if c.Workload == "m/m/1" {
			least, most = 3, 5
		}
		if c.Events == 0 || len(c.Each) != 2 || c.Best <= 0 || math.IsNaN(c.Over) || per < least || per > most {
			t.Errorf("%s on %s: %d events, %d rounds, %v", c.Workload, c.Kernel, c.Events, c.Rounds, c.Each)
		}
		if c.Kernel == "channels" && c.Over != 1 {
			t.Errorf("%s: channels are %v times as fast as channels", c.Workload, c.Over)
		}
	}
	if targets := bench.JudgeSimulated(all); len(targets) != 3 {
		t.Errorf("%d targets, not 3", len(targets))
	}
}

func TestRunSimulatedRefuses(t *testing.T) {
	err := bench.RunSimulated(context.Background(), []bench.Simulated{{Workload: "events", Kernel: "threads"}}, bench.Options{Repetitions: 1})
	if err == nil || !strings.Contains(err.Error(), `no workload "events" on a kernel "threads"`) {
		t.Errorf("%v", err)
	}
	ctx, cancel := context.WithCancel(context.Background())
	cancel()
	if err := bench.RunSimulated(ctx, []bench.Simulated{{Workload: "events", Kernel: "sim"}}, bench.Options{Repetitions: 1}); err == nil {
		t.Error("it ran although its context was done")
	}
}
