package main

import (
	"fmt"
	"io"
	"text/tabwriter"
	"time"

	"github.com/spf13/cobra"

	"github.com/almanac-sim/almanac/capped"
	"github.com/almanac-sim/almanac/cmd/almanac-bench/internal/bench"
	"github.com/almanac-sim/almanac/cmd/internal/cli"
	"github.com/almanac-sim/almanac/internal/format"
)

// cappedFlags are the command line of almanac-bench capped.
type cappedFlags struct {
	timing
	bins, rate, capacities string
}

func newCapped() *cobra.Command {
	var f cappedFlags
	c := &cobra.Command{
		Use:   "capped",
		Short: "Time the engines of CAPPED side by side",
		Long: `Time the engines of CAPPED side by side, in one run.

Every system starts in its steady state. The engines take turns, repetition by repetition. The table
has the best repetition, in balls thrown per second on one core. Balls that are drawn by their law
count as thrown, since the outcome has the same law.

` +
			cli.List("Engines", bench.Engines(), func(e bench.Engine) (string, string) { return e.Name, e.About }),
		Example: `  almanac-bench capped
  almanac-bench capped --bins 2^20 --capacity 1,2,4 --rate 0.99`,
		Args: cobra.NoArgs,
		RunE: func(c *cobra.Command, _ []string) error {
			plan, err := f.plan()
			if err != nil {
				return err
			}
			return f.run(c, benchmark{name: "bench capped", plans: [][]bench.Cell{plan}, file: "bench-capped.json",
				print: printCapped})
		},
	}
	c.Flags().StringVar(&f.bins, "bins", "2^15", "`number` of bins: 32768, 2^15, 1e5")
	c.Flags().StringVar(&f.capacities, "capacity", "1,3", "`list` of capacities of a bin")
	c.Flags().StringVar(&f.rate, "rate", "1-2^-10", "new balls per bin and round, above 0 and below 1: 0.99, 1-2^-10")
	c.Flags().IntVar(&f.repetitions, "reps", 7, "number of repetitions")
	c.Flags().DurationVar(&f.least, "least", 200*time.Millisecond, "shortest repetition")
	c.Flags().Uint64Var(&f.seed, "seed", 1, "random seed of the choices")
	c.Flags().BoolVar(&f.json, "json", false, "print the measurements as JSON")
	c.Flags().StringVar(&f.out, "out", "", "`directory` for bench-capped.json")
	return c
}

// plan is the cells to measure: every engine with every capacity.
func (f *cappedFlags) plan() (plan []bench.Cell, err error) {
	if err := cli.CheckRepetitions(f.repetitions); err != nil {
		return nil, err
	}
	bins, err := cli.ParseWhole("--bins", f.bins, "bins", 1, 1<<27)
	if err != nil {
		return nil, err
	}
	rate, err := cli.ParseRate("--rate", f.rate, capped.Capped)
	if err != nil {
		return nil, err
	}
	capacities, err := cli.ParseSizes("--capacity", f.capacities, "balls", 1, 100)
	if err != nil {
		return nil, err
	}
	for _, capacity := range capacities {
		for _, e := range bench.Engines() {
			plan = append(plan, bench.Cell{Kind: bench.CappedEngines, Structure: e.Name, N: bins, Capacity: capacity,
				Rate: rate})
		}
	}
	return plan, nil
}

func printCapped(w io.Writer, report benchReport) error {
	first := report.Results[0]
	fmt.Fprintf(w, "%v\nCAPPED, %s bins, λ = %v: balls thrown per second, best of %d, on one core\n\n",
		report.Machine, format.Thousands(float64(first.N)), first.Rate, len(first.Each))
	t := tabwriter.NewWriter(w, 0, 0, 3, ' ', tabwriter.AlignRight)
	fmt.Fprintln(t, "capacity\tengine\tmillion balls/s\ttimes literal\tµs a round\tpool per bin\tmemory\t")
	for _, a := range report.Results {
		fmt.Fprintf(t, "%d\t%s\t%.4g\t%.3g\t%.4g\t%.3f\t%s\t\n", a.Capacity, a.Structure, a.Best/1e6, a.Over,
			1e6/a.RoundsSpeed, a.Pool, format.Bytes(uint64(max(0, a.Bytes))))
	}
	return t.Flush()
}
