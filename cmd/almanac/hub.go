package main

import (
	"context"
	"errors"
	"fmt"
	"log/slog"
	"os"
	"os/signal"
	"syscall"
	"time"

	"github.com/spf13/cobra"

	"github.com/almanac-sim/almanac/cmd/internal/cli"
	"github.com/almanac-sim/almanac/ensemble"
	"github.com/almanac-sim/almanac/study"
)

// untilStopped returns a context that ends with SIGINT or SIGTERM.
func untilStopped(ctx context.Context) (context.Context, context.CancelFunc) {
	return signal.NotifyContext(ctx, os.Interrupt, syscall.SIGTERM)
}

func newHub() *cobra.Command {
	var o ensemble.HubOptions
	var cluster ensemble.ClusterOptions
	var f hubFlags
	var room, forget string
	c := &cobra.Command{
		Use:   "hub --store DIR",
		Short: "Serve as the place where studies, workers and results meet",
		Long: "Serve as the place where studies, workers and results meet: a NATS server with JetStream, within this " +
			"program. Any NATS server of\n" +
			"your own, version 2.11 or later, does as well.\n\n" +
			"It listens on this machine alone, unless --listen says otherwise; beyond it, it refuses to start without " +
			"credentials: --token-file, a\n" +
			"--tlsca that clients' certificates are signed by, or a --config of nats-server that has users. What it keeps is " +
			"on disk, in the\n" +
			"directory of --store, before it says so: it may be killed and started again. Three of them with --cluster " +
			"survive the loss of one.",
		Example: "  almanac hub --store hub\n" +
			"  almanac hub --store hub --listen 0.0.0.0:4222 --token-file token --tlscert cert.pem --tlskey key.pem\n" +
			"  almanac hub --store hub --name a --cluster study --cluster-listen 10.0.0.1:6222 --routes " +
			"10.0.0.2:6222,10.0.0.3:6222 …",
		Args: cli.NoArguments,
		RunE: func(c *cobra.Command, _ []string) error {
			switch {
			case o.Store == "":
				return cli.Usagef("hub: where to? Name a directory for what it keeps with --store")
			case cluster.Name == "" && (cluster.Listen != "" || len(cluster.Routes) > 0):
				return cli.Usagef("--cluster-listen and --routes are for a cluster; name it with --cluster")
			case cluster.Name != "" && cluster.Listen == "":
				return cli.Usagef("--cluster %s: where is this one for the others? Say so with --cluster-listen HOST:PORT",
					cluster.Name)
			case cluster.Name != "" && o.Name == "":
				return cli.Usagef("--cluster %s: which one is this? Give each its own name with --name, which must not change",
					cluster.Name)
			}
			if cluster.Name != "" {
				o.Cluster = &cluster
			}
			if room != "" {
				n, err := study.ParseBytes("--max-store", room)
				if err != nil {
					return cli.Usage(err)
				}
				o.MaxStore = int64(n)
			}
			var age time.Duration
			if forget != "" {
				var err error
				if age, err = parseAge("--forget", forget); err != nil {
					return err
				}
			}
			ctx, stop := untilStopped(c.Context())
			defer stop()
			o.Logger = f.logger(c, slog.LevelWarn)
			return serveHub(ctx, c, o, &f, age)
		},
	}
	c.Flags().StringVar(&o.Store, "store", "", "the directory for what it keeps")
	c.Flags().StringVar(&o.Listen, "listen", "", "HOST:PORT to listen on; 127.0.0.1:4222 unless told")
	c.Flags().StringVar(&o.TokenFile, "token-file", "", "a file with a token that all who connect must have")
	c.Flags().StringVar(&o.Cert, "tlscert", "", "a file with the hub's certificate: connections are then by TLS")
	c.Flags().StringVar(&o.Key, "tlskey", "", "a file with the key of the certificate")
	c.Flags().StringVar(&o.CA, "tlsca", "", "a file with the certificate that those of all who connect must be signed by")
	c.Flags().StringVar(&o.Config, "config", "", "a configuration file of nats-server, for accounts, NKeys, operators "+
		"and limits")
	c.Flags().StringVar(&o.Name, "name", "", "the name of this server, which it needs in a cluster")
	c.Flags().StringVar(&cluster.Name, "cluster", "", "the name of the cluster that this hub is one of")
	c.Flags().StringVar(&cluster.Listen, "cluster-listen", "", "HOST:PORT for the other servers of the cluster")
	c.Flags().StringSliceVar(&cluster.Routes, "routes", nil, "HOST:PORT of the others, with commas between")
	c.Flags().StringVar(&room, "max-store", "", "how much may be kept, as in 50GB; three quarters of what is free "+
		"unless told")
	c.Flags().StringVar(&forget, "forget", "", "forget studies that were not used for so long, as in 30d; none unless "+
		"told (see almanac jobs forget)")
	f.registerMetrics(c)
	c.Flags().BoolVar(&f.verbose, "verbose", false, "tell on standard error what goes on")
	return c
}

func serveHub(ctx context.Context, c *cobra.Command, o ensemble.HubOptions, f *hubFlags, age time.Duration) error {
	metrics := new(ensemble.Metrics)
	stop, err := f.serveMetrics(metrics)
	if err != nil {
		return err
	}
	defer stop()
	hub, err := ensemble.StartHub(o)
	if errors.Is(err, ensemble.ErrNotStarted) {
		return trim(err) // not an error of usage
	}
	if err != nil {
		return cli.Usage(trim(err))
	}
	defer hub.Close()
	metrics.Hub(hub)
	if age > 0 {
		if err := forgetOld(ctx, hub, age, o.Logger); err != nil {
			return fmt.Errorf("--forget %s: %w", age, trim(err))
		}
	}
	if _, err := fmt.Fprintf(c.OutOrStdout(), "hub at %s, which keeps its state in %s\n", hub.URL(), o.Store); err != nil {
		return err
	}
	select {
	case <-ctx.Done():
		return nil // as requested
	case <-hub.Failed():
		return trim(hub.Err())
	}
}
