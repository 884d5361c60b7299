package main

import (
	"fmt"
	"io"
	"text/tabwriter"

	"github.com/spf13/cobra"

	"github.com/almanac-sim/almanac/calendar/calendartest"
	"github.com/almanac-sim/almanac/cmd/almanac-bench/internal/bench"
	"github.com/almanac-sim/almanac/cmd/internal/cli"
	"github.com/almanac-sim/almanac/cmd/internal/progress"
	"github.com/almanac-sim/almanac/internal/format"
)

// latencyFlags are the command line of almanac-bench latency.
type latencyFlags struct {
	sizes string
	dist  string
	only  []string
	seed  uint64
	json  bool
	out   string
}

func newLatency() *cobra.Command {
	var f latencyFlags
	c := &cobra.Command{
		Use:   "latency",
		Short: "Time single calls on the pending-event sets",
		Long: `Time every single call on the pending-event sets: how long can one take?

A set is filled without a hint of how many events will come, used, and emptied. There are about as
many calls of each kind as events. The table has the median, the 99.9 % and 99.999 % quantiles and
the maximum. All of them include reading the clock, about 50 ns, and whatever else the machine does,
so use a quiet machine.

` +
			cli.List("Calls", bench.LatencyCalls, func(c struct{ Name, About string }) (string, string) {
				return c.Name,
					c.About
			}),
		Example: `  almanac-bench latency
  almanac-bench latency --n 1e7 --only queue
  almanac-bench latency --dist pareto --json`,
		Args: cobra.NoArgs,
		RunE: func(c *cobra.Command, _ []string) error { return f.run(c) },
	}
	c.Flags().StringVar(&f.sizes, "n", "1e6", "`list` of numbers of pending events, such as 1e6 or 1_000_000")
	c.Flags().StringVar(&f.dist, "dist", "exponential", "`distribution` of the jumps")
	c.Flags().StringSliceVar(&f.only, "only", []string{bench.Queue, "container/heap", "4-ary heap"},
		"`structures`: a list, or all")
	c.Flags().Uint64Var(&f.seed, "seed", 1, "random seed of the jumps")
	c.Flags().BoolVar(&f.json, "json", false, "print the measurements as JSON")
	c.Flags().StringVar(&f.out, "out", "", "`directory` for bench-latency.json")
	return c
}

// A latencyReport is what almanac-bench latency --json prints.
type latencyReport struct {
	Machine cli.Machine     `json:"machine"`
	Command string          `json:"command"`
	Results []bench.Latency `json:"results"`
}

func (f *latencyFlags) run(c *cobra.Command) error {
	sizes, err := cli.ParseSizes("--n", f.sizes, "events", 1, 2_000_000_000)
	if err != nil {
		return err
	}
	structures := names(bench.Structures(), func(s bench.Structure) string { return s.Name })
	dists := names(calendartest.Distributions(), func(d calendartest.Distribution) string { return d.Name })
	only, err := cli.Choose("--only", f.only, structures)
	if err != nil {
		return err
	}
	dist, err := cli.Choose("--dist", []string{f.dist}, dists)
	if err != nil {
		return err
	}
	const file = "bench-latency.json"
	return cli.Report(c, "bench latency", f.out, []string{file}, f.json, func(bar *progress.Bar) (latencyReport, error) {
		report := latencyReport{Machine: cli.ThisMachine(), Command: cli.CommandLine(c)}
		steps := len(sizes) * len(dist) * len(only)
		for _, n := range sizes {
			for _, d := range dist {
				for _, s := range only {
					bar.Set(len(report.Results)/len(bench.LatencyCalls), steps, fmt.Sprintf("%s, %s, n = %d", s, d, n))
					results, err := bench.Latencies(c.Context(), s, d, n, f.seed)
					if err != nil {
						return report, err
					}
					report.Results = append(report.Results, results...)
				}
			}
		}
		return report, nil
	}, func(dir string, r latencyReport) error { return cli.WriteJSON(dir, file, r) }, printLatency)
}

func printLatency(w io.Writer, report latencyReport) error {
	fmt.Fprintf(w, "%s\n%s\n", report.Machine, report.Command)
	per := len(bench.LatencyCalls)
	for i := 0; i < len(report.Results); i += per {
		r := report.Results[i]
		fmt.Fprintf(w, "\n%s, %s jumps, %s events: how long a call took\n\n", r.Structure, r.Distribution, format.Power(r.N))
		out := tabwriter.NewWriter(w, 0, 0, 3, ' ', tabwriter.AlignRight)
		fmt.Fprint(out, "call\tcalls\tp50\tp99.9\tp99.999\tmax\t\n")
		for _, r := range report.Results[i : i+per] {
			fmt.Fprintf(out, "%s\t%d\t%s\t%s\t%s\t%s\t\n", r.Call, r.Calls, format.Nanoseconds(r.P50),
				format.Nanoseconds(r.P999), format.Nanoseconds(r.P99999), format.Nanoseconds(r.Max))
		}
		if err := out.Flush(); err != nil {
			return err
		}
	}
	return nil
}
