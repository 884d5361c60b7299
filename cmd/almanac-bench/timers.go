package main

import (
	"fmt"
	"io"
	"text/tabwriter"
	"time"

	"github.com/spf13/cobra"

	"github.com/almanac-sim/almanac/cmd/almanac-bench/internal/bench"
	"github.com/almanac-sim/almanac/cmd/internal/cli"
	"github.com/almanac-sim/almanac/cmd/internal/progress"
	"github.com/almanac-sim/almanac/internal/format"
)

// timersFlags are the command line of almanac-bench timers.
type timersFlags struct {
	n      string
	rounds int
	least  time.Duration
	json   bool
	out    string
}

func newTimers() *cobra.Command {
	var f timersFlags
	c := &cobra.Command{
		Use:   "timers",
		Short: "Compare the timers of calendar/timers with time.AfterFunc",
		Long: `Compare the timers of calendar/timers with time.AfterFunc, in turns.

In each round, each kind has n pending timers:

  - they are reset (in order; in random order; in order, each to a duration of its own; and each to
    another duration every time), started and stopped by one goroutine per processor; times are
    those of one goroutine
  - bytes are those of a pending timer with what its user keeps, a pointer or a Timer
  - the collection is the processor time of one garbage collection, without that of the program
    before; and once more if the user keeps nothing
  - n timers expire within a second, evenly: the processor time of one, and how late they are

The table has the best round, and the ratio of time.AfterFunc in the same round: median (minimum to
maximum). Each timer needs 200 bytes of memory.`,
		Example: `  almanac-bench timers
  almanac-bench timers --n 1e5 --rounds 9`,
		Args: cobra.NoArgs,
		RunE: func(c *cobra.Command, _ []string) error { return f.run(c) },
	}
	c.Flags().StringVar(&f.n, "n", "1e6", "`number` of pending timers, such as 1e6 or 1_000_000")
	c.Flags().IntVar(&f.rounds, "rounds", 5, "number of rounds")
	c.Flags().DurationVar(&f.least, "least", 300*time.Millisecond, "shortest time of a loop")
	c.Flags().BoolVar(&f.json, "json", false, "print the measurements as JSON")
	c.Flags().StringVar(&f.out, "out", "", "`directory` for bench-timers.json")
	return c
}

// A timersReport is what almanac-bench timers --json prints.
type timersReport struct {
	Machine cli.Machine         `json:"machine"`
	Command string              `json:"command"`
	N       int                 `json:"n"`
	Rounds  int                 `json:"rounds"`
	Results []bench.TimerResult `json:"results"`
}

func (f *timersFlags) run(c *cobra.Command) error {
	n, err := cli.ParseWhole("--n", f.n, "timers", 100, 100_000_000)
	if err != nil {
		return err
	}
	if f.rounds < 1 || f.rounds > 1000 {
		return cli.Usagef("--rounds %d: expected from 1 to 1000", f.rounds)
	}
	if err := cli.CheckLeast(f.least, "lasts longer than nothing"); err != nil {
		return err
	}
	const file = "bench-timers.json"
	return cli.Report(c, "bench timers", f.out, []string{file}, f.json,
		func(bar *progress.Bar) (r timersReport, err error) {
			r = timersReport{Machine: cli.ThisMachine(), Command: cli.CommandLine(c), N: n, Rounds: f.rounds}
			r.Results, err = bench.Timers(c.Context(), bench.TimerPlan{N: n, Rounds: f.rounds, Least: f.least,
				Processor: processorTime,
				Progress:  func(done, of int, what string) { bar.Set(done, of, what) }})
			return r, err
		}, func(dir string, r timersReport) error { return cli.WriteJSON(dir, file, r) }, printTimers)
}

func printTimers(w io.Writer, report timersReport) error {
	fmt.Fprintf(w, "%s\n%s\n\n%s timers, best of %s; in brackets: times as much as the first, median (least to most)\n\n",
		report.Machine, report.Command, format.Power(report.N), format.Count(report.Rounds, "round"))
	out := tabwriter.NewWriter(w, 0, 0, 2, ' ', 0)
	for i, r := range report.Results {
		row := func(what, unit string, value float64, ratio string) {
			fmt.Fprintf(out, "%s\t%s\t%.1f %s\t", r.Name, what, value, unit)
			if q, ok := r.Ratios[ratio]; ok {
				fmt.Fprintf(out, "[%.2f (%.2f to %.2f)]", q[0], q[1], q[2])
			}
			fmt.Fprint(out, "\n")
		}
		if i > 0 {
			fmt.Fprint(out, "\t\t\t\n")
		}
		row("reset", "ns", r.Reset, "reset")
		row("reset, random order", "ns", r.ResetAny, "resetRandom")
		row("reset, own durations", "ns", r.ResetOwn, "resetOwn")
		row("reset, new durations", "ns", r.ResetJitter, "resetJitter")
		row("start and stop", "ns", r.StartStop, "startStop")
		row("memory", "bytes", r.Bytes, "bytes")
		row("garbage collection", "ns", r.GC, "gc")
		row("garbage collection, nothing kept", "ns", r.GCAlone, "gcAlone")
		row("firing, processor", "ns", r.Processor, "fireProcessor")
		row("firing, late, median", "ms", r.LateMedian, "lateMedian")
		row("firing, late, 99 %", "ms", r.Late99, "late99")
		row("firing, late, most", "ms", r.LateMost, "lateMost")
	}
	return out.Flush()
}
