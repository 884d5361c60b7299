package main

import (
	"fmt"
	"log/slog"
	"time"

	"github.com/spf13/cobra"

	"github.com/almanac-sim/almanac/cmd/internal/cli"
	"github.com/almanac-sim/almanac/ensemble"
)

func newWorker() *cobra.Command {
	var f hubFlags
	var o ensemble.WorkerOptions
	c := &cobra.Command{
		Use:   "worker --hub nats://HOST:4222",
		Short: "Work for a hub, until told to stop",
		Long: "Work for a hub: run replicas of whatever studies it has, until told to stop.\n\n" +
			"Workers may come and go as they please, and die. Told to stop (Ctrl-C, SIGTERM), one stores what it has done " +
			"and gives back the\n" +
			"rest; when the hub is away, it waits. A study whose results could differ, because it was begun by another build " +
			"of this program, is\n" +
			"refused with both versions.",
		Example: "  almanac worker --hub nats://10.0.0.1:4222 --token-file token\n" +
			"  srun almanac worker --hub nats://head:4222 --token-file token",
		Args: cli.NoArguments,
		RunE: func(c *cobra.Command, _ []string) error {
			if o.Slots < 0 {
				return cli.Usagef("--slots %d: expected how many replicas to run at once, or 0 for as many as there are cores",
					o.Slots)
			}
			ctx, stop := untilStopped(c.Context())
			defer stop()
			c.SetContext(ctx)
			metrics := new(ensemble.Metrics)
			stopMetrics, err := f.serveMetrics(metrics)
			if err != nil {
				return err
			}
			defer stopMetrics()
			conn, err := f.connect(c, -1)
			if ctx.Err() != nil {
				return nil
			}
			if err != nil {
				return err
			}
			defer conn.Close()
			o.Registry, o.Logger = ourRegistry(), f.logger(c, slog.LevelInfo)
			worker := ensemble.NewWorker(conn, o)
			metrics.Worker(worker)
			fmt.Fprintf(c.OutOrStdout(), "worker for %s, %d at once\n", conn.Address(), worker.Stats().Slots)
			err = worker.Serve(ctx)
			s := worker.Stats()
			fmt.Fprintf(c.OutOrStdout(), "ran %d replicas, %d events, in %d tasks\n", s.Replicas, s.Events, s.Tasks)
			return trim(err)
		},
	}
	f.register(c, theHub)
	c.Flags().IntVar(&o.Slots, "slots", 0, "how many replicas to run at once; as many as there are cores unless told")
	c.Flags().StringVar(&o.Name, "name", "", "what the worker is called; by machine and process unless told")
	c.Flags().DurationVar(&o.Drain, "drain", 20*time.Second, "how long replicas may go on when the worker is told to stop")
	return c
}
