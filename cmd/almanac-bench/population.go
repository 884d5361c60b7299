package main

import (
	"cmp"
	"fmt"
	"io"
	"os/exec"
	"text/tabwriter"
	"time"

	"github.com/spf13/cobra"

	"github.com/almanac-sim/almanac/cmd/almanac-bench/internal/bench"
	"github.com/almanac-sim/almanac/cmd/internal/cli"
	"github.com/almanac-sim/almanac/internal/format"
)

// populationFlags are the command line of almanac-bench population.
type populationFlags struct {
	timing
	large bool
}

func newPopulation() *cobra.Command {
	var f populationFlags
	c := &cobra.Command{
		Use:   "population",
		Short: "Time whole runs of models, and the start of the program",
		Long: `Time whole runs of models in files, and the start of almanac, and check the targets of the project.

The cells take turns, repetition by repetition, and the table has the best repetition in seconds.
The memory is the peak of the program up to then. The models are sir.yaml, and tuberculosis.yaml
until 2011, of the examples; models with one machine and with three, at a constant rate and with a
gamma distribution, which change equally often; and a plain epidemic, households, networks and a
full ward.

` +
			cli.List("What is timed", bench.Runs(), func(e bench.Engine) (string, string) { return e.Name, e.About }),
		Example: `  almanac-bench population
  almanac-bench population --almanac ./almanac
  almanac-bench population --large --reps 2`,
		Args: cobra.NoArgs,
		RunE: func(c *cobra.Command, _ []string) (err error) {
			if f.large && !c.Flags().Changed("reps") {
				f.repetitions = 1
			}
			if err := cmp.Or(cli.CheckRepetitions(f.repetitions),
				cli.CheckLeast(f.least, "must last for some time, as 200ms")); err != nil {
				return err
			}
			if !f.large {
				if f.program, err = exec.LookPath(f.program); err != nil {
					return cli.Usagef("--almanac: %w; make it with go build ./cmd/almanac and name it, as in --almanac ./almanac", err)
				}
			}
			return f.run(c, benchmark{name: "bench population", plans: bench.RunCells(f.large), judged: true,
				file: "bench-population.json", print: printPopulation})
		},
	}
	c.Flags().BoolVar(&f.large, "large", false, "the paper's run instead, 60 million individuals on two cores and on "+
		"one, and contacts among ten\nmillion (3.2 GB, five minutes for each repetition)")
	c.Flags().StringVar(&f.program, "almanac", "almanac",
		"`path` of the almanac program whose start is timed, or its name in $PATH; not used by --large")
	c.Flags().IntVar(&f.repetitions, "reps", 5, "number of repetitions; with --large 1 unless given")
	c.Flags().DurationVar(&f.least, "least", 200*time.Millisecond, "shortest repetition")
	c.Flags().Uint64Var(&f.seed, "seed", 1, "random seed")
	c.Flags().BoolVar(&f.json, "json", false, "print the measurements as JSON")
	c.Flags().StringVar(&f.out, "out", "", "`directory` for bench-population.json")
	return c
}

func printPopulation(w io.Writer, report benchReport) error {
	fmt.Fprintf(w, "%v\n%s\nseconds, best of %d\n\n", report.Machine, report.Command, len(report.Results[0].Each))
	t := tabwriter.NewWriter(w, 0, 0, 3, ' ', tabwriter.AlignRight)
	fmt.Fprintln(t, "what\t\tindividuals\tcores\tseconds\tslowest over fastest\tset-up\tevents\tmemory\t")
	for _, r := range report.Results {
		if r.N == 0 {
			fmt.Fprintf(t, "%s\t%s\t\t\t%.4f\t%.2f\t\t\t\t\n", r.Structure, r.Workload, r.Best, r.Spread)
			continue
		}
		fmt.Fprintf(t, "%s\t%s\t%s\t%d\t%.4g\t%.2f\t%.3g\t%s\t%s\t\n", r.Structure, r.Workload,
			format.Thousands(float64(r.N)), r.Goroutines, r.Best, r.Spread, r.Setup,
			format.Thousands(float64(r.Ops/r.Rounds)), format.Bytes(uint64(r.Bytes)))
	}
	if err := t.Flush(); err != nil {
		return err
	}
	return printTargets(w, report.Targets)
}
