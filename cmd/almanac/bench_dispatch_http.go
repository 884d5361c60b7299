package main

import (
	"errors"
	"fmt"
	"io"
	"math"
	"math/rand/v2"
	"net"
	"net/http"
	"net/http/httputil"
	"net/url"
	"os"
	"slices"
	"strings"
	"text/tabwriter"
	"time"

	"github.com/spf13/cobra"

	"github.com/almanac-sim/almanac/cmd/almanac/internal/bench"
	"github.com/almanac-sim/almanac/cmd/almanac/internal/dispatch/live"
	"github.com/almanac-sim/almanac/cmd/almanac/internal/progress"
	"github.com/almanac-sim/almanac/internal/format"
)

// benchHTTPFlags are those of almanac bench dispatch that are for --http.
type benchHTTPFlags struct {
	on                           bool
	backends, connections, turns int
	service, turn                time.Duration
	proxies                      []string
}

// httpOnly and simulatedOnly are the flags that mean nothing without --http, and with it.
var (
	httpOnly      = []string{"backends", "connections", "turns", "turn", "service-time", "proxy"}
	simulatedOnly = []string{"workers", "requests", "load", "round", "service", "policy", "seeds"}
)

func (h *benchHTTPFlags) add(c *cobra.Command) {
	c.Flags().BoolVar(&h.on, "http", false, "instead, real HTTP on this machine: almanac proxy beside others")
	c.Flags().IntVar(&h.backends, "backends", 10, "with --http: how many backends there are, each of which works on one request at a time")
	c.Flags().DurationVar(&h.service, "service-time", 10*time.Millisecond, "with --http: how long a backend works on a request on average")
	c.Flags().DurationVar(&h.turn, "turn", 5*time.Second, "with --http: how long a turn is")
	c.Flags().IntVar(&h.turns, "turns", 5, "with --http: how many turns each proxy has")
	c.Flags().IntVar(&h.connections, "connections", 32, "with --http: connections of the closed loop")
	c.Flags().StringSliceVar(&h.proxies, "proxy", []string{"all"}, "with --http: proxies: a list, or all")
}

// plan is what the flags ask for.
func (h *benchHTTPFlags) plan(c *cobra.Command, quick bool) (p live.Plan, err error) {
	for _, name := range simulatedOnly {
		if c.Flags().Changed(name) {
			return p, usagef("--%s is not for --http", name)
		}
	}
	if quick {
		if !c.Flags().Changed("turn") {
			h.turn = time.Second
		}
		if !c.Flags().Changed("turns") {
			h.turns = 1
		}
	}
	switch {
	case h.backends < 1 || h.backends > 100:
		return p, usagef("--backends %d: expected from 1 to 100", h.backends)
	case h.connections < 1 || h.connections > 1000:
		return p, usagef("--connections %d: expected from 1 to 1000", h.connections)
	case h.turns < 1 || h.turns > 1000:
		return p, usagef("--turns %d: expected from 1 to 1000", h.turns)
	case h.turn < 100*time.Millisecond || h.turn > time.Hour:
		return p, usagef("--turn %v: expected from 100ms to 1h", h.turn)
	case h.service < 100*time.Microsecond || h.service > h.turn:
		return p, usagef("--service-time %v: expected from 100µs to the length of a turn, %v", h.service, h.turn)
	}
	var names []string
	for _, p := range live.Proxies() {
		names = append(names, p.Name)
	}
	chosen, err := choose("--proxy", h.proxies, names)
	if err != nil {
		return p, err
	}
	for _, proxy := range live.Proxies() {
		if slices.Contains(chosen, proxy.Name) {
			p.Proxies = append(p.Proxies, proxy)
		}
	}
	p.Backends, p.Service, p.Turn, p.Turns, p.Connections = h.backends, h.service, h.turn, h.turns, h.connections
	p.Program, err = os.Executable()
	return p, err
}

// runHTTP compares proxies.
func (f *benchDispatchFlags) runHTTP(c *cobra.Command) error {
	plan, err := f.http.plan(c, f.quick)
	if err != nil {
		return err
	}
	plan.Seed = f.seed
	out, err := openOutput(f.out, "bench dispatch", dispatchFiles...)
	if err != nil {
		return err
	}
	defer out.drop()
	bar := progress.New(c.ErrOrStderr())
	defer bar.Close()
	plan.Progress = bar.Set
	r := dispatchReport{Machine: bench.ThisMachine(), Command: commandLine(c)}
	ctx, stop := untilStopped(c.Context()) // a signal ends the processes, too
	defer stop()
	if r.HTTP, err = live.Compare(ctx, plan); err != nil {
		return err
	}
	for _, t := range judgeHTTP(r.HTTP) {
		r.target(t)
	}
	bar.Close()
	return deliver(c.OutOrStdout(), r, out, f.json, writeBenchDispatch, printBenchDispatch)
}

// judgeHTTP has what is wanted of the proxy, if that and HAProxy were measured.
func judgeHTTP(r *live.Report) (targets []bench.Target) {
	cost := func(name string) float64 {
		for _, t := range r.Throughputs {
			if t.Proxy == name {
				return t.PerCore
			}
		}
		return 0
	}
	if a, b := cost(live.Ours), cost(live.Leastconn); a > 0 && b > 0 {
		targets = append(targets, bench.Target{What: "small requests per processor second, over HAProxy's", Limit: 0.5, Least: true, Value: a / b})
	}
	for _, scene := range live.Scenes() {
		p99 := func(name string) float64 {
			for _, l := range r.Latencies {
				if l.Scene == scene && l.Proxy == name {
					return l.P99
				}
			}
			return 0
		}
		for _, name := range []string{live.CappedOne, live.CappedTwo} {
			if a, b := p99(name), p99(live.Leastconn); scene.Slow > 0 && a > 0 && b > 0 {
				ratio := a / b
				if a == math.MaxFloat64 {
					ratio = a // what was not answered is no better than anything
				}
				targets = append(targets, bench.Target{
					What: fmt.Sprintf("p99 of %s over leastconn's without maxconn, %s, load %v", name, scene.Name, scene.Load), Limit: 1, Value: ratio,
				})
			}
		}
	}
	return targets
}

func printHTTP(w io.Writer, r *live.Report) error {
	if len(r.Versions) > 0 {
		fmt.Fprintln(w, strings.Join(r.Versions, "; "))
	}
	for _, m := range r.Missing {
		fmt.Fprintf(w, "left out: %s\n", m)
	}
	fmt.Fprintf(w, "\nsmall requests, %s, %s of %v: what the proxy's process costs, median of turns\n\n",
		format.Count(r.Connections, "connection"), format.Count(r.Turns, "turn"), r.Turn/2)
	out := tabwriter.NewWriter(w, 0, 0, 3, ' ', tabwriter.AlignRight)
	fmt.Fprintln(out, "proxy\trequests per processor second\tfrom\tto\tµs a request\trequests/s\tmemory\t")
	for _, t := range r.Throughputs {
		micros := 0.0
		if t.PerCore > 0 {
			micros = 1e6 / t.PerCore
		}
		fmt.Fprintf(out, "%s\t%.0f\t%.0f\t%.0f\t%.1f\t%.0f\t%s\t\n", t.Proxy, t.PerCore, slices.Min(t.Turns), slices.Max(t.Turns), micros, t.PerSecond, format.Bytes(uint64(t.Memory)))
	}
	if err := out.Flush(); err != nil {
		return err
	}
	for i, l := range r.Latencies {
		if i == 0 || l.Scene != r.Latencies[i-1].Scene {
			fmt.Fprintf(w, "\n%s, %s, load %v, %v of work on average: ms from when a request was due until it was answered, median of turns\n\n",
				format.Count(r.Backends, "backend"), l.Scene.Name, l.Scene.Load, r.Service)
			out = tabwriter.NewWriter(w, 0, 0, 3, ' ', tabwriter.AlignRight)
			fmt.Fprintln(out, "proxy\tp50\tp99\tof turns\tp99.9\trequests\tfailed\tmemory\tsent late, p99\tturns again\t")
		}
		low, high, again := math.Inf(1), 0.0, 0
		for _, t := range l.Turns {
			low, high, again = min(low, t.P99), max(high, t.P99), again+t.Again
		}
		fmt.Fprintf(out, "%s\t%s\t%s\t%s–%s\t%s\t%d\t%d\t%s\t%.2f\t%d\t\n",
			l.Proxy, millis(l.P50), millis(l.P99), millis(low), millis(high), millis(l.P999), l.Requests, l.Failed, format.Bytes(uint64(l.Memory)), l.Lag, again)
		if i+1 == len(r.Latencies) || l.Scene != r.Latencies[i+1].Scene {
			if err := out.Flush(); err != nil {
				return err
			}
		}
	}
	return nil
}

// millis is a time; one of a request that was not answered is endless.
func millis(ms float64) string {
	if ms == math.MaxFloat64 {
		return "∞"
	}
	return fmt.Sprintf("%.1f", ms)
}

// newBenchBackend is what bench dispatch --http starts as backends.
func newBenchBackend() *cobra.Command {
	var listen string
	var workers int
	var times float64
	var plain bool
	c := &cobra.Command{
		Use:    "backend",
		Short:  "A backend of bench dispatch --http",
		Hidden: true,
		Args:   noArguments,
		RunE: func(c *cobra.Command, _ []string) error {
			if workers < 1 || !(times > 0 && times <= 1e6) {
				return usagef("--workers %d --times %v: expected at least one worker, and a number above 0", workers, times)
			}
			l, err := net.Listen("tcp", listen)
			if err != nil {
				return err
			}
			if plain {
				return live.ServePlain(c.Context(), l)
			}
			return live.ServeBackend(c.Context(), l, workers, times)
		},
	}
	c.Flags().StringVar(&listen, "listen", "127.0.0.1:0", "where to listen")
	c.Flags().IntVar(&workers, "workers", 1, "how many requests it works on at once")
	c.Flags().Float64Var(&times, "times", 1, "how many times as long as it was asked to it works")
	c.Flags().BoolVar(&plain, "plain", false, "answer everything at once")
	return c
}

// newBenchReverse is the plainest proxy of net/http, for bench dispatch --http to compare with.
func newBenchReverse() *cobra.Command {
	var listen string
	var backends []string
	c := &cobra.Command{
		Use:    "reverse",
		Short:  "The plainest reverse proxy, for bench dispatch --http",
		Hidden: true,
		Args:   noArguments,
		RunE: func(c *cobra.Command, _ []string) error {
			var all []*url.URL
			for _, b := range backends {
				u, err := url.Parse(b)
				if err != nil || u.Host == "" {
					return usagef("--backend %q is not a URL", b)
				}
				all = append(all, u)
			}
			if len(all) == 0 {
				return usagef("--backend: name at least one")
			}
			l, err := net.Listen("tcp", listen)
			if err != nil {
				return err
			}
			proxy := &httputil.ReverseProxy{
				Transport: &http.Transport{MaxIdleConnsPerHost: 1 << 16, DisableCompression: true},
				Rewrite:   func(r *httputil.ProxyRequest) { r.SetURL(all[rand.IntN(len(all))]); r.SetXForwarded() },
			}
			server := &http.Server{Handler: proxy, ReadHeaderTimeout: 10 * time.Second}
			go func() {
				<-c.Context().Done()
				server.Close()
			}()
			if err := server.Serve(l); !errors.Is(err, http.ErrServerClosed) {
				return err
			}
			return nil
		},
	}
	c.Flags().StringVar(&listen, "listen", "127.0.0.1:0", "where to listen")
	c.Flags().StringArrayVar(&backends, "backend", nil, "URL of a backend")
	return c
}
