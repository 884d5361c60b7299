package main

import (
	"context"

	"github.com/almanac-sim/almanac/ensemble"
	"github.com/almanac-sim/almanac/experiment"
)

// run works for a hub, or does the study, on one or here.
func run(ctx context.Context, hub, worker, state string) error {
	options := experiment.LabOptions{Model: "bank", Seed: 1}
	if at := hub + worker; at != "" {
		conn, err := ensemble.Connect(ctx, ensemble.ConnectOptions{URL: at})
		if err != nil {
			return err
		}
		defer conn.Close()
		if worker != "" {
			return ensemble.Serve(ctx, conn, ensemble.WorkerOptions{})
		}
		options.Executor = conn
	} else if state != "" {
		directory, err := ensemble.OpenDirectory(state, ensemble.DirectoryOptions{})
		if err != nil {
			return err
		}
		defer directory.Close()
		options.Executor = directory
	}
	lab, err := experiment.NewLab(options)
	if err != nil {
		return err
	}
	return study(ctx, lab)
}
