package main

import (
	"context"
	"errors"
	"log/slog"
	"testing"
	"time"

	"github.com/almanac-sim/almanac/ensemble"
)

// A hub that is told to forget does so by itself.
func TestHubForgets(t *testing.T) {
	hub, err := ensemble.StartHub(ensemble.HubOptions{Store: t.TempDir(), Listen: "none"})
	if err != nil {
		t.Fatal(err)
	}
	defer hub.Close()
	conn, err := hub.Connect(ensemble.ConnectOptions{})
	if err != nil {
		t.Fatal(err)
	}
	defer conn.Close()
	g := new(ensemble.Registry)
	g.Register("one", func(context.Context, ensemble.Params, ensemble.Replica) (ensemble.Outputs, error) {
		return ensemble.Outputs{"one": 1}, nil
	})
	ctx, cancel := context.WithCancel(t.Context())
	defer cancel()
	ended := make(chan error, 1)
	go func() { ended <- ensemble.Serve(ctx, conn, ensemble.WorkerOptions{Registry: g}) }()
	done, err := conn.Run(t.Context(), ensemble.Job{Kind: "one", Points: []ensemble.Point{{}}, Replicas: 1, Keep: true},
		ensemble.RunOptions{Registry: g})
	if err != nil {
		t.Fatal(err)
	}
	if _, err := conn.Status(t.Context(), done.Key); err != nil {
		t.Fatal(err)
	}
	if err := forgetOld(ctx, hub, time.Nanosecond, slog.New(slog.DiscardHandler)); err != nil {
		t.Fatal(err)
	}
	for deadline := time.Now().Add(time.Minute); ; time.Sleep(5 * time.Millisecond) {
		if _, err := conn.Status(t.Context(), done.Key); errors.Is(err, ensemble.ErrNoJob) {
			break
		}
		if time.Now().After(deadline) {
			t.Fatal("the job is still there")
		}
	}
	cancel()
	if err := <-ended; err != nil && !errors.Is(err, context.Canceled) {
		t.Error(err)
	}
}

func TestParseAge(t *testing.T) {
	for text, want := range map[string]time.Duration{"30d": 720 * time.Hour, "1.5d": 36 * time.Hour,
		"90m": 90 * time.Minute, "1m": time.Minute,
		"": 0, "d": 0, "59s": 0, "-1d": 0, "NaNd": 0, "1e9d": 0, "30": 0, "30 days": 0} {
		if got, err := parseAge("--older", text); got != want || (err == nil) != (want > 0) {
			t.Errorf("%q: %v, %v", text, got, err)
		}
	}
}
