package main

import (
	"context"
	"os"

	"github.com/almanac-sim/almanac/ensemble"
	"github.com/almanac-sim/almanac/experiment"
)

// run works for a hub, or does the study, on one or here.
func run(ctx context.Context, hub, worker, state string) error {
	options := experiment.LabOptions{Model: "bank", Seed: 1, State: state}
	if at := hub + worker; at != "" {
		conn, err := ensemble.Connect(ctx, ensemble.ConnectOptions{URL: at})
		if err != nil {
			return err
		}
		defer conn.Close()
		if worker != "" {
			return ensemble.Serve(ctx, conn, ensemble.WorkerOptions{})
		}
		options.Conn = conn
	} else if state == "" {
		dir, err := os.MkdirTemp("", "bank-best")
		if err != nil {
			return err
		}
		defer os.RemoveAll(dir)
		options.State = dir
	}
	lab, err := experiment.Open(ctx, options)
	if err != nil {
		return err
	}
	defer lab.Close()
	return study(ctx, lab)
}
