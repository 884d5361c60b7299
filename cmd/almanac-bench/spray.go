package main

import (
	"cmp"
	"errors"
	"fmt"
	"io"
	"path/filepath"
	"slices"
	"strings"
	"text/tabwriter"
	"time"

	"github.com/spf13/cobra"

	"github.com/almanac-sim/almanac/cmd/almanac-bench/internal/bench"
	"github.com/almanac-sim/almanac/cmd/internal/cli"
	"github.com/almanac-sim/almanac/internal/format"
	"github.com/almanac-sim/almanac/internal/plot"
	"github.com/almanac-sim/almanac/relaxed/relaxedtest"
)

// sprayFlags are the command line of almanac-bench spray.
type sprayFlags struct {
	timing
	sizes, goroutines string
	workloads, only   []string
	targets, slices   bool
}

func newSpray() *cobra.Command {
	var f sprayFlags
	c := &cobra.Command{
		Use:   "spray",
		Short: "Time the concurrent priority queues, and measure their rank errors",
		Long: `Time the concurrent priority queues side by side, in one run, and measure their rank errors.

The queues take turns, repetition by repetition. The table has the best repetition, in insertions
and removals per second of all goroutines together; removals from an empty queue do not count. With
more goroutines than processors a repetition is long enough for two turns of 10 ms of each
goroutine.

The rank error of a removal is the number of elements in the queue that should have come first; the
delay of an element is the number of others that overtook it. They are from another run, in which
every operation is recorded with its time and replayed afterwards against an exact queue. What may
have been right counts as right, so an exact queue measures 0 with any number of goroutines; the
JSON also has the other bound of the mean. With at most as many goroutines as processors, the best
of three such runs counts: goroutines are then only interrupted by other work of the machine.

With --slices the queues of a table take turns of --least (default: 50ms), 20 for each repetition,
until each has made as many operations as it has elements. The table has the mean of all turns, and
the median over the rounds of the ratio to the first queue with as many goroutines. Use this on a
machine whose speed varies.

With the defaults the benchmark takes about nine minutes.

` +
			cli.List("Structures (* only if named with --only)", bench.SharedStructures(), func(s bench.Shared) (string,
				string) {
				if s.Alone {
					return s.Name + " *", s.About
				}
				return s.Name, s.About
			}) +
			cli.List("Workloads", bench.SharedWorkloads(), func(w bench.Workload) (string, string) { return w.Name, w.About }),
		Example: `  almanac-bench spray
  almanac-bench spray --n 1e5 --goroutines 1,2,4,8,16 --workload hold
  almanac-bench spray --only list,multiqueue --n 1e7 --out results
  almanac-bench spray --slices --only list,mutex+container/heap --n 1e6 --goroutines 2 --workload hold
  almanac-bench spray --targets`,
		Args: cobra.NoArgs,
		RunE: func(c *cobra.Command, _ []string) error {
			if (f.slices || f.targets) && !c.Flags().Changed("least") {
				f.least = 50 * time.Millisecond
			}
			plans, err := f.plans()
			if err != nil {
				return err
			}
			return f.run(c, benchmark{name: "bench spray", plans: plans, judged: f.targets, file: "bench-spray.json",
				charts: "bench-spray-*.svg",
				draw:   plotSpray, print: printSpray})
		},
	}
	c.Flags().StringVar(&f.sizes, "n", "1e3,1e5,1e6", "`list` of numbers of elements, such as 1e6 or 1_000_000")
	c.Flags().StringVar(&f.goroutines, "goroutines", "1,2,8,64",
		"`list` of numbers of goroutines that use a queue at once")
	c.Flags().StringSliceVar(&f.workloads, "workload", []string{bench.Hold, bench.Mixed}, "`workloads`: a list, or all")
	c.Flags().StringSliceVar(&f.only, "only", nil, "`structures`: a list (default: all that are not marked with *)")
	c.Flags().BoolVar(&f.targets, "targets", false, "measure and check the targets of the project (some minutes)")
	c.Flags().BoolVar(&f.slices, "slices", false, "compare by short turns, with all queues in memory at once")
	c.Flags().BoolVar(&f.json, "json", false, "print the measurements as JSON")
	c.Flags().StringVar(&f.out, "out", "", "`directory` for bench-spray.json and charts")
	c.Flags().IntVar(&f.repetitions, "reps", 5, "number of repetitions")
	c.Flags().DurationVar(&f.least, "least", 100*time.Millisecond, "shortest repetition")
	c.Flags().Uint64Var(&f.seed, "seed", 1, "random seed of the keys")
	f.most = 30 * time.Second // in slices
	return c
}

// plans are the cells to measure; those of one plan take turns, and plans come one after the other.
func (f *sprayFlags) plans() ([][]bench.Cell, error) {
	if err := cmp.Or(cli.CheckRepetitions(f.repetitions), cli.CheckLeast(f.least, "lasts longer than nothing")); err !=
		nil {
		return nil, err
	}
	if f.targets {
		return bench.TargetPlans(bench.SharedQueues), nil
	}
	sizes, err := cli.ParseSizes("--n", f.sizes, "elements", 1, 100_000_000)
	if err != nil {
		return nil, err
	}
	goroutines, err := cli.ParseSizes("--goroutines", f.goroutines, "goroutines", 1, 10_000)
	if err != nil {
		return nil, err
	}
	name := func(s bench.Shared) string { return s.Name }
	usual := slices.DeleteFunc(bench.SharedStructures(), func(s bench.Shared) bool { return s.Alone })
	only := names(usual, name)
	if len(f.only) > 0 {
		if only, err = cli.Choose("--only", f.only, names(bench.SharedStructures(), name)); err != nil {
			return nil, err
		}
	}
	workloads := names(bench.SharedWorkloads(), func(w bench.Workload) string { return w.Name })
	if f.workloads, err = cli.Choose("--workload", f.workloads, workloads); err != nil {
		return nil, err
	}
	plans := bench.SharedPlans(only, f.workloads, sizes, goroutines, f.slices)
	if len(plans) == 0 {
		return nil, cli.Usagef("--only %s: it is timed with --goroutines 1 and --workload %s only", strings.Join(only, ","),
			bench.Hold)
	}
	return plans, nil
}

// sprayTables groups results by workload and size, and how they were measured.
func sprayTables(results []bench.Result) [][]bench.Result {
	type table struct {
		workload string
		n        int
		slices   bool
	}
	return group(results, func(r bench.Result) table { return table{r.Workload, r.N, r.Slices} })
}

func printSpray(w io.Writer, report benchReport) error {
	fmt.Fprintf(w, "%s\n%s\n", report.Machine, report.Command)
	for _, table := range sprayTables(report.Results) {
		how := "best repetition (fastest over slowest)"
		if table[0].Slices {
			how = "mean of all slices (times as fast as the first with as many goroutines, median)"
		}
		fmt.Fprintf(w, "\n%s, %s elements: million operations per second, %s\n\n", table[0].Workload,
			format.Power(table[0].N), how)
		out := tabwriter.NewWriter(w, 0, 0, 2, ' ', tabwriter.AlignRight)
		fmt.Fprint(out, "\t\t\trank error\t\t\tdelay\t\t\t\tbytes per\tallocations\t\t\n")
		fmt.Fprint(out, "goroutines\tstructure\tmillion/s\tmean\t99 %\tmost\tmean\t99 %\tmost\tfailed\telement\tper "+
			"operation\tgarbage\t\n")
		last := 0
		for _, r := range table {
			goroutines := ""
			if r.Goroutines != last {
				goroutines = fmt.Sprint(r.Goroutines)
			}
			last = r.Goroutines
			beside := r.Spread
			if r.Slices {
				beside = r.Median
			}
			fmt.Fprintf(out, "%s\t%s\t%.2f (%.2f)\t%s\t%d\t%.1f\t%.3f\t%.1f %%\t\n", goroutines, r.Structure, typical(r)/1e6,
				beside,
				metered(r.Meter), r.Failed, r.Bytes, r.Allocs, 100*r.GC)
		}
		if err := out.Flush(); err != nil {
			return err
		}
		missed := 0
		for _, r := range table {
			if r.Meter != nil {
				missed += r.Meter.Missed
			}
		}
		if missed > 0 {
			fmt.Fprintf(w, "\nWhile metered, %s failed though there were elements.\n", format.Count(missed, "removal"))
		}
	}
	return printTargets(w, report.Targets)
}

// metered are six columns of rank errors and delays.
func metered(r *relaxedtest.Report) string {
	if r == nil {
		return strings.Repeat("\t", 5)
	}
	most := max(r.Delay.Max, r.LeftDelay)
	return fmt.Sprintf("%.2f\t%d\t%d\t%.2f\t%d\t%d", r.Rank.Mean, r.Rank.P99, r.Rank.Max, r.Delay.Mean, r.Delay.P99, most)
}

// plotSpray draws two charts for each workload and size.
func plotSpray(dir string, report benchReport) error {
	var errs []error
	for _, table := range sprayTables(report.Results) {
		speed, rank := sprayCharts(table)
		name := fmt.Sprintf("bench-spray-%s-%s", table[0].Workload, format.Power(table[0].N))
		if table[0].Slices {
			name += "-slices"
		}
		errs = append(errs, speed.Save(filepath.Join(dir, name+".svg")), rank.Save(filepath.Join(dir, name+"-rank.svg")))
	}
	return errors.Join(errs...)
}

// sprayCharts draw throughput and rank error against the number of goroutines.
func sprayCharts(table []bench.Result) (speed, rank plot.Chart) {
	title := fmt.Sprintf("%s, %s elements", table[0].Workload, format.Power(table[0].N))
	speed = plot.Chart{Title: title, XLabel: "goroutines", YLabel: "million operations per second", LogX: true,
		FromZero: true, Headroom: true}
	rank = plot.Chart{Title: title + " (what is exact has no line)", XLabel: "goroutines", YLabel: "mean rank error",
		LogX: true, LogY: true}
	speed.LegendBeside, rank.LegendBeside = true, true
	for _, rows := range group(table, structure) {
		a, b := plot.Series{Name: rows[0].Structure}, plot.Series{Name: rows[0].Structure}
		for _, r := range rows {
			a.X, a.Y = append(a.X, float64(r.Goroutines)), append(a.Y, typical(r)/1e6)
			if r.Meter != nil {
				b.X, b.Y = append(b.X, float64(r.Goroutines)), append(b.Y, r.Meter.Rank.Mean)
			}
		}
		speed.Series, rank.Series = append(speed.Series, a), append(rank.Series, b)
	}
	return speed, rank
}
