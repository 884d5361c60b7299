package main

import (
	"context"
	"errors"
	"fmt"
	"log/slog"
	"os"
	"os/signal"
	"syscall"

	"github.com/spf13/cobra"

	"github.com/almanac-sim/almanac/cmd/almanac/internal/proxy"
)

func newProxy() *cobra.Command {
	shown := proxy.Defaults() // the flags; what they are is read anew at every SIGHUP, with the file
	var file string
	var verbose bool
	c := &cobra.Command{
		Use:   "proxy --backend URL --backend URL …",
		Short: "Stand before HTTP backends, each of which gets at most a few requests at once",
		Long: "A reverse proxy: every backend has at most --capacity requests at once, the others wait here, and the oldest goes first. It speaks\n" +
			"HTTP/1.1 and HTTP/2 (with TLS by --cert and --key, or without by prior knowledge), and WebSocket upgrades pass through. Clients that send\n" +
			"or read slowly do not hold a backend: bodies are buffered, up to a bound.\n\n" +
			"It listens on this machine alone, unless --listen says otherwise. A status page, /metrics and /healthy are at --admin.\n\n" +
			"SIGHUP has the file of --config read again: a YAML file with the names of flags. If something is wrong with it, all stays as it was.\n" +
			"SIGTERM and Ctrl-C end it when what is in flight has come to its end, at the latest after --drain; a second one at once.",
		Example: "  almanac proxy --backend http://127.0.0.1:9001 --backend http://127.0.0.1:9002 --capacity 4\n" +
			"  almanac proxy --config proxy.yaml --listen 0.0.0.0:443 --cert cert.pem --key key.pem",
		Args: noArguments,
	}
	c.RunE = func(c *cobra.Command, _ []string) error {
		read := func() (proxy.Config, error) { return proxy.Read(file, c.Flags()) }
		config, err := read()
		if err != nil {
			return usageError{err}
		}
		level := slog.LevelWarn
		if verbose {
			level = slog.LevelDebug
		}
		log := slog.New(slog.NewTextHandler(c.ErrOrStderr(), &slog.HandlerOptions{Level: level}))
		again := make(chan os.Signal, 1)
		signal.Notify(again, syscall.SIGHUP)
		defer signal.Stop(again)
		ctx, stop := untilStopped(c.Context())
		defer stop()
		context.AfterFunc(ctx, stop) // a second signal is not waited for
		s, err := proxy.Start(config, log)
		if _, wrong := errors.AsType[proxy.Problem](err); wrong {
			return usageError{err}
		}
		if err != nil {
			return err
		}
		where := ""
		if s.AdminAddr() != "" {
			where = fmt.Sprintf(", status at http://%s/", s.AdminAddr())
		}
		if _, err := fmt.Fprintf(c.OutOrStdout(), "proxy at %s for %s%s\n", s.URL(), backends(config), where); err != nil {
			return err
		}
		for {
			select {
			case <-again:
				if file == "" {
					fmt.Fprintln(c.ErrOrStderr(), "almanac: there is no --config to read again")
					continue
				}
				config, err := s.Reread(read)
				if err != nil {
					fmt.Fprintf(c.ErrOrStderr(), "almanac: %v; going on as before\n", err)
					continue
				}
				fmt.Fprintf(c.OutOrStdout(), "read %s again: %s\n", file, backends(config))
			case err := <-s.Failed():
				return errors.Join(err, s.Shutdown(context.Background()))
			case <-ctx.Done():
				return s.Shutdown(context.Background())
			}
		}
	}
	c.Flags().AddFlagSet(shown.Flags())
	c.Flags().StringVar(&file, "config", "", "a YAML file with the same names as flags, which win; read again at SIGHUP")
	c.Flags().BoolVar(&verbose, "verbose", false, "tell on standard error what goes on")
	c.Flags().SortFlags = false
	return c
}

// backends says how many there are.
func backends(c proxy.Config) string {
	if len(c.Backends) == 1 {
		return "1 backend"
	}
	return fmt.Sprintf("%d backends", len(c.Backends))
}
