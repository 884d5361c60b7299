package main

import (
	"cmp"
	"fmt"
	"io"
	"text/tabwriter"
	"time"

	"github.com/spf13/cobra"

	"github.com/almanac-sim/almanac/cmd/almanac-bench/internal/bench"
	"github.com/almanac-sim/almanac/cmd/internal/cli"
)

func newSim() *cobra.Command {
	var f timing
	name := func(e bench.Engine) (string, string) { return e.Name, e.About }
	c := &cobra.Command{
		Use:   "sim",
		Short: "Time the simulation kernel against goroutines and channels",
		Long: `Time the simulation kernel against one of goroutines and channels, in one run, on one core.

The kernels take turns, repetition by repetition. The table has the best repetition, in events per
second. A customer of the queue is about four events: it arrives, the next one is scheduled, it may
wait for the server, and it is served.

` +
			cli.List("Workloads", bench.Simulations(), name) + "\n" + cli.List("Kernels", bench.Kernels(), name),
		Example: `  almanac-bench sim
  almanac-bench sim --reps 15 --json`,
		Args: cobra.NoArgs,
		RunE: func(c *cobra.Command, _ []string) error {
			if err := cmp.Or(cli.CheckRepetitions(f.repetitions),
				cli.CheckLeast(f.least, "must last for some time, as 200ms")); err != nil {
				return err
			}
			return f.run(c, benchmark{name: "bench sim", plans: bench.TargetPlans(bench.SimKernels), judged: true,
				file: "bench-sim.json", print: printSim})
		},
	}
	c.Flags().IntVar(&f.repetitions, "reps", 7, "number of repetitions")
	c.Flags().DurationVar(&f.least, "least", 200*time.Millisecond, "shortest repetition")
	c.Flags().Uint64Var(&f.seed, "seed", 1, "random seed")
	c.Flags().BoolVar(&f.json, "json", false, "print the measurements as JSON")
	c.Flags().StringVar(&f.out, "out", "", "`directory` for bench-sim.json")
	return c
}

func printSim(w io.Writer, report benchReport) error {
	fmt.Fprintf(w, "%v\nmillion events per second, best of %d, on one core\n\n", report.Machine,
		len(report.Results[0].Each))
	t := tabwriter.NewWriter(w, 0, 0, 3, ' ', tabwriter.AlignRight)
	fmt.Fprintln(t, "workload\tkernel\tmillion/s\ttimes channels\tns an event\tmillion rounds/s\ta round is "+
		"a\tallocations an event\t")
	for _, r := range report.Results {
		fmt.Fprintf(t, "%s\t%s\t%.3g\t%.3g\t%.4g\t%.3g\t%s\t%.3f\t\n",
			r.Workload, r.Structure, r.Best/1e6, r.Over, 1e9/r.Best, r.RoundsSpeed/1e6, r.RoundName(), r.Allocs)
	}
	if err := t.Flush(); err != nil {
		return err
	}
	return printTargets(w, report.Targets)
}
