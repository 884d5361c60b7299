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
		Short: "Run replicas for a hub",
		Long: `Run replicas for the studies of a hub until stopped.

Workers may join, leave and be killed at any time. A worker that is stopped (Ctrl-C or SIGTERM)
stores what it has finished and returns the rest to the hub. If the hub is away, the worker waits
for it.

A worker refuses a study that another build of this program started, because the results could
differ. The message has both versions.

` + hubEnvironment,
		Example: `  almanac worker --hub nats://10.0.0.1:4222 --token-file token
  srun almanac worker --hub nats://head:4222 --token-file token`,
		Args: cli.NoArguments,
		RunE: func(c *cobra.Command, _ []string) error {
			if o.Slots < 0 {
				return cli.Usagef("--slots %d: expected how many replicas to run at once, or 0 for as many as there are cores",
					o.Slots)
			}
			ctx := c.Context()
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
	c.Flags().IntVar(&o.Slots, "slots", 0, "replicas to run in parallel (default: one per core)")
	c.Flags().StringVar(&o.Name, "name", "", "name of the worker (default: from machine and process)")
	c.Flags().DurationVar(&o.Drain, "drain", 20*time.Second, "how long replicas may continue after the worker is stopped")
	return c
}
