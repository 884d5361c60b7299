package main

import (
	"context"
	"errors"
	"fmt"
	"log/slog"
	"time"

	"github.com/spf13/cobra"

	"github.com/almanac-sim/almanac/cmd/internal/cli"
	"github.com/almanac-sim/almanac/ensemble"
	"github.com/almanac-sim/almanac/study"
)

func newHub() *cobra.Command {
	var o ensemble.HubOptions
	var cluster ensemble.ClusterOptions
	var f hubFlags
	var room, forget string
	c := &cobra.Command{
		Use:   "hub --store DIR",
		Short: "Run the server that studies and workers share",
		Long: `Run the server that studies and workers share: a NATS server with JetStream inside this program.
Your own NATS server, version 2.11 or later, works as well.

The hub prints its address and runs until it is stopped (Ctrl-C or SIGTERM). It keeps everything in
the directory of --store and confirms nothing before it is on disk, so it may be killed and started
again.

By default it listens on this machine only. Beyond it, it does not start without credentials: a
--token-file, a --tlsca that signs the certificates of clients, or a --config of nats-server with
users. The configuration may set accounts, NKeys, operators, TLS and limits; other listeners and
keys that admit clients without credentials are errors.

Three hubs with --cluster survive the loss of one. Each needs its own --name, which must not change,
and its own --store.`,
		Example: `  almanac hub --store hub
  almanac hub --store hub --listen 0.0.0.0:4222 --token-file token --tlscert cert.pem --tlskey key.pem
  almanac hub --store hub --token-file token --name a --cluster study \
      --cluster-listen 10.0.0.1:6222 --routes 10.0.0.2:6222,10.0.0.3:6222`,
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
			o.Logger = f.logger(c, slog.LevelWarn)
			return serveHub(c.Context(), c, o, &f, age)
		},
	}
	c.Flags().StringVar(&o.Store, "store", "", "`directory` for everything that the hub keeps (required)")
	c.Flags().StringVar(&o.Listen, "listen", "", "`HOST:PORT` to listen on (default: 127.0.0.1:4222)")
	c.Flags().StringVar(&o.TokenFile, "token-file", "", "`file` with a token that clients must send")
	c.Flags().StringVar(&o.Cert, "tlscert", "", "`file` with the hub's certificate; connections then use TLS")
	c.Flags().StringVar(&o.Key, "tlskey", "", "`file` with the key of the hub's certificate")
	c.Flags().StringVar(&o.CA, "tlsca", "", "`file` with the certificate of a CA that must have signed those of clients")
	c.Flags().StringVar(&o.Config, "config", "", "nats-server configuration `file`, for accounts, NKeys, operators "+
		"and limits")
	c.Flags().StringVar(&o.Name, "name", "", "name of this server, required in a cluster")
	c.Flags().StringVar(&cluster.Name, "cluster", "", "name of the cluster that this hub belongs to")
	c.Flags().StringVar(&cluster.Listen, "cluster-listen", "", "`HOST:PORT` to listen on for the other hubs of "+
		"the cluster")
	c.Flags().StringSliceVar(&cluster.Routes, "routes", nil, "`HOST:PORT` of the other hubs, separated by commas")
	c.Flags().StringVar(&room, "max-store", "", "largest `size` of the store, such as 50GB (default: three quarters of "+
		"the free space)")
	c.Flags().StringVar(&forget, "forget", "", "remove studies unused for this `age`, such as 30d, once an hour "+
		"(default: none)")
	f.registerMetrics(c)
	c.Flags().BoolVar(&f.verbose, "verbose", false, logAll)
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
