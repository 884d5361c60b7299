package main

import (
	"fmt"
	"log/slog"
	"net"
	"net/netip"
	"net/url"
	"os"
	"strconv"

	"github.com/spf13/cobra"

	"github.com/almanac-sim/almanac/cmd/internal/cli"
	"github.com/almanac-sim/almanac/examples"
	"github.com/almanac-sim/almanac/internal/access"
	"github.com/almanac-sim/almanac/page"
)

type serveFlags struct {
	listen  string
	token   string
	names   []string
	verbose bool
	hub     hubFlags
	limits  page.Limits
}

func newServe() *cobra.Command {
	var f serveFlags
	c := &cobra.Command{
		Use:   "serve [DIR]",
		Short: "Show and run models in a browser",
		Long: `Show the models in a directory, and the results below it, in a browser, and run them there. Charts
grow while a run continues. Without a directory the page has the examples, which are part of the
program and cannot be changed.

The command prints the address, and ends with Ctrl-C. Only this machine can open the address, unless
--listen names another one, such as 0.0.0.0:8080. Visitors then need a token, which is part of the
printed link. Files outside of DIR are neither read nor written.

docs/guide/page.md describes the page.`,
		Example: `  almanac serve
  almanac serve models --listen localhost:8080`,
		Args: cobra.MaximumNArgs(1),
		RunE: func(c *cobra.Command, args []string) error { return f.run(c, args) },
	}
	limits := page.DefaultLimits()
	c.Flags().StringVar(&f.listen, "listen", "localhost:0", "`HOST:PORT` to listen on; port 0 is any free port")
	c.Flags().StringVar(&f.token, "token", "", "token of visitors (default: generated if --listen is beyond this machine)")
	c.Flags().StringSliceVar(&f.names, "name", nil, "host `name` that visitors use for this machine; may be repeated")
	c.Flags().IntVar(&f.limits.Running, "runs", limits.Running, "runs in parallel; others wait")
	c.Flags().DurationVar(&f.limits.RunTimeout, "longest", limits.RunTimeout,
		"longest time for a run, which is then stopped")
	f.hub.registerHub(c, "`URL` of a hub whose studies the page shows, such as nats://HOST:4222")
	c.Flags().BoolVar(&f.verbose, "verbose", false, logAll)
	return c
}

func (f *serveFlags) run(c *cobra.Command, args []string) error {
	host, port, err := net.SplitHostPort(f.listen)
	if err != nil {
		return cli.Usagef("--listen: %q is no HOST:PORT, as localhost:8080 is", f.listen)
	}
	if _, err := strconv.ParseUint(port, 10, 16); err != nil {
		return cli.Usagef("--listen: %q is no port; expected a number up to 65535, or 0 for any that is free", port)
	}
	if f.limits.Running < 1 {
		return cli.Usagef("--runs %d: at least one is needed", f.limits.Running)
	}
	if f.limits.RunTimeout <= 0 {
		return cli.Usagef("--longest %v: expected a time such as 30m or 4h", f.limits.RunTimeout)
	}
	if len(f.names) > 0 && f.token == "" && access.Loopback(host) {
		return cli.Usagef("--name %s: on loopback a name needs --token, too: any site could give itself that name",
			f.names[0])
	}
	config := page.Config{Files: examples.Files(), About: "the examples", Dir: "examples", Limits: f.limits,
		Names: f.names}
	if len(args) == 1 {
		root, err := os.OpenRoot(args[0])
		if err != nil {
			return cli.Usagef("%w; expected a directory with models", err)
		}
		defer root.Close()
		config.Root, config.Files, config.About, config.Dir = root, root.FS(), args[0], args[0]
	}
	if config.Anywhere = !access.Loopback(host); config.Anywhere && f.token == "" {
		f.token = page.NewToken()
	}
	config.Token = f.token
	host = called(host)
	config.Names = append(config.Names, host)
	level := slog.LevelWarn
	if f.verbose {
		level = slog.LevelDebug
	}
	config.Logger = slog.New(slog.NewTextHandler(c.ErrOrStderr(), &slog.HandlerOptions{Level: level}))
	if f.hub.hub != "" {
		where := f.hub.conn
		where.URL, where.Name, where.Logger = f.hub.hub, c.CommandPath(), config.Logger
		where = where.FromEnv()
		config.Hub = &where
	}
	server, err := page.New(config)
	if err != nil {
		return err
	}
	l, err := net.Listen("tcp", f.listen)
	if err != nil {
		return fmt.Errorf("--listen: %w; expected an address of this machine and a port that nobody has, or 0 for any "+
			"that is free", err)
	}
	fmt.Fprintf(c.OutOrStdout(), "%s at %s\n", config.About, address(l.Addr(), host, f.token))
	return server.Serve(c.Context(), l)
}

// address is the link to open in a browser.
func address(at net.Addr, host, token string) string {
	_, port, _ := net.SplitHostPort(at.String())
	link := "http://" + net.JoinHostPort(host, port) + "/"
	if token != "" {
		link += "?token=" + url.QueryEscape(token)
	}
	return link
}

// called is the host name for visitors: that of the machine if the server listens on every address.
func called(host string) string {
	if a, err := netip.ParseAddr(host); host != "" && !(err == nil && a.IsUnspecified()) {
		return host
	}
	if name, err := os.Hostname(); err == nil {
		return name
	}
	return "localhost"
}
