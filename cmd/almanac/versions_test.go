package main

import (
	"bytes"
	"context"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/almanac-sim/almanac/cmd/internal/cli"
	"github.com/almanac-sim/almanac/ensemble"
	"github.com/almanac-sim/almanac/study"
)

// A worker of another build refuses a study, and the error names both versions; a study of
// another build is not resumed as if it were ours.
func TestOtherBuild(t *testing.T) {
	hub, err := ensemble.StartHub(ensemble.HubOptions{Store: filepath.Join(t.TempDir(), "hub"), Listen: "127.0.0.1:0"})
	if err != nil {
		t.Fatal(err)
	}
	defer hub.Close()
	conn, err := ensemble.Connect(t.Context(), ensemble.ConnectOptions{URL: hub.URL()})
	if err != nil {
		t.Fatal(err)
	}
	defer conn.Close()
	kinds := ourRegistry().Kinds()
	ours := kinds[slices.IndexFunc(kinds, func(k ensemble.Kind) bool { return k.Name == study.Kind })]
	other := new(ensemble.Registry)
	other.AddKind(ensemble.Kind{Name: study.Kind, Version: "of last year", Open: ours.Open})
	serving, stop := context.WithCancel(t.Context())
	served := make(chan error, 1)
	go func() {
		served <- ensemble.Serve(serving, conn, ensemble.WorkerOptions{Registry: other, Name: "old", Slots: 1})
	}()

	ctx, cancel := context.WithCancel(t.Context())
	var out bytes.Buffer
	errs := new(said)
	ended := make(chan int, 1)
	go func() {
		ended <- run(ctx, []string{"sweep", "../../examples/sir.yaml", "--vary", "beta=0.2 per day, 0.3 per day",
			"--replicas", "2", "--hub", hub.URL()}, &out, errs)
	}()
	for until := time.Now().Add(2 * time.Minute); !strings.Contains(errs.String(), "refuses"); time.Sleep(5 *
		time.Millisecond) {
		if time.Now().After(until) {
			t.Fatalf("nobody refuses: %s", errs.String())
		}
	}
	cancel()
	if status := <-ended; status != cli.ExitWork || out.Len() > 0 {
		t.Errorf("status %d, %q", status, out.String())
	}
	if text := errs.String(); !strings.Contains(text, "almanac: worker old refuses job ") ||
		!strings.Contains(text, "of last year") || !strings.Contains(text, ensemble.ProgramVersion()) ||
		!strings.Contains(text, "what is done is kept on the hub, as job ") {
		t.Errorf("it says %s", text)
	}

	// The other build begins a study, and is stopped.
	payload, err := (&study.Request{Kind: study.Sweep, Model: "x.yaml", Source: []byte("?")}).Payload()
	if err != nil {
		t.Fatal(err)
	}
	stopped, cut := context.WithCancel(t.Context())
	job := ensemble.Job{Name: "old study", Kind: study.Kind, Payload: payload, Points: make([]ensemble.Point, 1),
		Replicas: 1}
	_, err = conn.Run(stopped, job, ensemble.RunOptions{Registry: other, Progress: func(ensemble.Progress) { cut() }})
	cut()
	if err == nil {
		t.Fatal("it is done")
	}
	key, err := job.Key(other)
	if err != nil {
		t.Fatal(err)
	}
	errs = new(said)
	if status := run(t.Context(), []string{"jobs", "resume", key[:8], "--hub", hub.URL()}, &out, errs); status !=
		cli.ExitWork || !strings.Contains(errs.String(), "of last year") || !strings.Contains(errs.String(),
		"resume it with the program that began it") {
		t.Errorf("status %d: %s", status, errs.String())
	}
	stop()
	if err := <-served; err != nil {
		t.Error(err)
	}
}
