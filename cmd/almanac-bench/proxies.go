package main

import (
	"encoding/csv"
	"fmt"
	"io"
	"strconv"
	"text/tabwriter"
	"time"

	"github.com/spf13/cobra"

	"github.com/almanac-sim/almanac/cmd/almanac-bench/internal/proxies"
	"github.com/almanac-sim/almanac/cmd/internal/cli"
	"github.com/almanac-sim/almanac/cmd/internal/progress"
	"github.com/almanac-sim/almanac/internal/format"
	"github.com/almanac-sim/almanac/internal/outdir"
)

// A proxiesReport is what almanac-bench dispatch --http --json prints.
type proxiesReport struct {
	Machine  cli.Machine `json:"machine"`
	Command  string      `json:"command"`
	Backends int         `json:"backends"`
	Service  float64     `json:"service_ms"`
	Requests int         `json:"requests"`
	proxies.Report
}

// proxyFiles are those of --out with --http.
var proxyFiles = []string{"bench-proxies.json", "bench-proxies.csv"}

// runProxies measures real proxies, for --http.
func (f *dispatchFlags) runProxies(c *cobra.Command) error {
	for _, name := range []string{"round", "service", "seeds"} {
		if c.Flags().Changed(name) {
			return cli.Usagef("--%s is not for --http, which measures in real time", name)
		}
	}
	unlessTold := func(name, value string) {
		if !c.Flags().Changed(name) {
			c.Flags().Lookup(name).Value.Set(value) // is of the right kind
		}
	}
	unlessTold("workers", "4")
	unlessTold("requests", "2e4")
	unlessTold("load", "0.5,0.75,0.9")
	plan := proxies.Plan{Programs: f.programs, Service: 10 * time.Millisecond, Seed: f.seed, Turns: 7}
	if f.quick {
		unlessTold("requests", "4e3")
		unlessTold("load", "0.9")
		plan.Turns = 3
	}
	var err error
	if plan.Backends, err = cli.ParseWhole("--workers", f.workers, "workers", 2, 100); err != nil {
		return err
	}
	if plan.Requests, err = cli.ParseWhole("--requests", f.requests, "requests", 100, 10_000_000); err != nil {
		return err
	}
	if plan.Loads, err = f.parseLoads(); err != nil {
		return err
	}
	all := names(proxies.All(), func(p proxies.Proxy) string { return p.Name })
	if plan.Proxies, err = cli.Choose("--policy", f.policies, all); err != nil {
		return err
	}
	return cli.Report(c, "bench dispatch", f.out, proxyFiles, f.json, func(bar *progress.Bar) (r proxiesReport,
		err error) {
		r = proxiesReport{
			Machine: cli.ThisMachine(), Command: cli.CommandLine(c),
			Backends: plan.Backends, Service: plan.Service.Seconds() * 1e3, Requests: plan.Requests,
		}
		plan.Progress = func(done, of int, what string) { bar.Set(done, of, what) }
		r.Report, err = proxies.Measure(c.Context(), plan)
		return r, err
	}, writeProxies, printProxies)
}

func printProxies(w io.Writer, r proxiesReport) error {
	fmt.Fprintf(w, "%s\n%s\n\n%s that work on one request at a time, for %s ms on average; %s requests of each run "+
		"count\n"+
		"from when a request is due until its response is read, in ms\n", r.Machine, r.Command,
		format.Count(r.Backends, "server"), format.Number(r.Service), format.Thousands(float64(r.Requests)))
	type table struct {
		servers string
		load    float64
	}
	for _, table := range group(r.Results, func(r proxies.Result) table { return table{r.Servers, r.Load} }) {
		fmt.Fprintf(w, "\n%s servers, λ = %s\n\n", table[0].Servers, format.Number(table[0].Load))
		out := tabwriter.NewWriter(w, 0, 0, 3, ' ', tabwriter.AlignRight)
		fmt.Fprintln(out, "proxy\tp50\tp99\tp99.9\tfailed\t")
		for _, a := range table {
			fmt.Fprintf(out, "%s\t%.1f\t%.1f\t%.1f\t%d\t\n", a.Proxy, a.P50, a.P99, a.P999, a.Failed)
		}
		if err := out.Flush(); err != nil {
			return err
		}
	}
	if len(r.Costs) > 0 {
		fmt.Fprintf(w, "\nprocessor time of the proxy for a request, in µs, by turns\n\n")
		out := tabwriter.NewWriter(w, 0, 0, 3, ' ', tabwriter.AlignRight)
		fmt.Fprintln(out, "proxy\tleast\tmedian\t")
		for _, cost := range r.Costs {
			fmt.Fprintf(out, "%s\t%.1f\t%.1f\t\n", cost.Proxy, cost.Least, cost.Median)
		}
		if err := out.Flush(); err != nil {
			return err
		}
	}
	for i, why := range r.Skipped {
		if i == 0 {
			fmt.Fprintln(w, "\nnot measured:")
		}
		fmt.Fprintln(w, why)
	}
	return nil
}

// writeProxies writes everything as JSON, and each run as a line of CSV.
func writeProxies(dir string, r proxiesReport) error {
	if err := cli.WriteJSON(dir, "bench-proxies.json", r); err != nil {
		return err
	}
	return outdir.WriteFile(dir, "bench-proxies.csv", func(w io.Writer) error {
		out := csv.NewWriter(w)
		number := func(x float64) string { return strconv.FormatFloat(x, 'g', -1, 64) }
		out.Write([]string{"servers", "load", "proxy", "p50_ms", "p99_ms", "p999_ms", "failed"})
		for _, a := range r.Results {
			out.Write([]string{a.Servers, number(a.Load), a.Proxy, number(a.P50), number(a.P99), number(a.P999),
				strconv.Itoa(a.Failed)})
		}
		out.Flush()
		return out.Error()
	})
}
