package main

import (
	"fmt"
	"io"
	"text/tabwriter"
	"time"

	"github.com/spf13/cobra"

	"github.com/almanac-sim/almanac/cmd/almanac/internal/bench"
	"github.com/almanac-sim/almanac/cmd/almanac/internal/progress"
)

// benchSimFlags are the command line of almanac bench sim.
type benchSimFlags struct {
	repetitions int
	least       time.Duration
	seed        uint64
	json        bool
	out         string
}

func newBenchSim() *cobra.Command {
	var f benchSimFlags
	name := func(e bench.Engine) (string, string) { return e.Name, e.About }
	c := &cobra.Command{
		Use:   "sim",
		Short: "Time the simulation kernel beside one of goroutines and channels, in one run",
		Long: "Time the simulation kernel beside one of goroutines and channels, in one run, on one core.\n\n" +
			"The kernels take turns, repetition by repetition, and the best one counts, in events dispatched per second. A customer of the\n" +
			"queue is about four events: it comes, the next one is due, it may have to wait for the server, and it is served.\n\n" +
			list("Workloads", bench.Simulations(), name) + "\n" + list("Kernels", bench.Kernels(), name),
		Example: "  almanac bench sim\n" +
			"  almanac bench sim --reps 15 --json",
		Args: cobra.NoArgs,
		RunE: func(c *cobra.Command, _ []string) error { return f.run(c) },
	}
	c.Flags().IntVar(&f.repetitions, "reps", 7, "repetitions")
	c.Flags().DurationVar(&f.least, "least", 200*time.Millisecond, "how long a repetition lasts at least")
	c.Flags().Uint64Var(&f.seed, "seed", 1, "seed of the times")
	c.Flags().BoolVar(&f.json, "json", false, "print everything measured as JSON")
	c.Flags().StringVar(&f.out, "out", "", "a directory to write bench-sim.json to")
	return c
}

// A benchSimReport is what almanac bench sim --json prints.
type benchSimReport struct {
	Machine bench.Machine     `json:"machine"`
	Command string            `json:"command"`
	Results []bench.Simulated `json:"results"`
	Targets []bench.Target    `json:"targets"`
}

func (f *benchSimFlags) run(c *cobra.Command) error {
	if f.repetitions < 1 {
		return usagef("--reps %d: at least one repetition is needed", f.repetitions)
	}
	if f.least <= 0 {
		return usagef("--least %v: a repetition must last for some time, as 200ms", f.least)
	}
	out, err := openOutput(f.out, "bench sim", "bench-sim.json")
	if err != nil {
		return err
	}
	defer out.drop()
	report := benchSimReport{Machine: bench.ThisMachine(), Command: commandLine(c)}
	for _, workload := range bench.Simulations() {
		for _, kernel := range bench.Kernels() {
			report.Results = append(report.Results, bench.Simulated{Workload: workload.Name, Kernel: kernel.Name})
		}
	}
	bar := progress.New(c.ErrOrStderr())
	defer bar.Close()
	if err := bench.RunSimulated(c.Context(), report.Results, bench.Options{
		Repetitions: f.repetitions, Least: f.least, Seed: f.seed, Progress: bar.Set,
	}); err != nil {
		return err
	}
	bar.Close()
	report.Targets = bench.JudgeSimulated(report.Results)
	return deliver(c.OutOrStdout(), report, out, f.json,
		func(dir string, r benchSimReport) error {
			return writeFile(dir, "bench-sim.json", func(w io.Writer) error { return printJSON(w, r) })
		}, printBenchSim)
}

func printBenchSim(w io.Writer, report benchSimReport) error {
	fmt.Fprintf(w, "%v\nmillion events per second, best of %d, on one core\n\n", report.Machine, len(report.Results[0].Each))
	t := tabwriter.NewWriter(w, 0, 0, 3, ' ', tabwriter.AlignRight)
	fmt.Fprintln(t, "workload\tkernel\tmillion/s\ttimes channels\tns an event\tmillion rounds/s\ta round is a\tallocations an event\t")
	for _, r := range report.Results {
		fmt.Fprintf(t, "%s\t%s\t%.3g\t%.3g\t%.4g\t%.3g\t%s\t%.3f\t\n",
			r.Workload, r.Kernel, r.Best/1e6, r.Over, 1e9/r.Best, r.Rates/1e6, r.Settled, r.Allocs)
	}
	if err := t.Flush(); err != nil {
		return err
	}
	return printTargets(w, report.Targets)
}
