package main

import (
	"slices"
	"time"

	"github.com/spf13/cobra"

	"github.com/almanac-sim/almanac/calendar/calendartest"
	"github.com/almanac-sim/almanac/cmd/almanac-bench/internal/bench"
	"github.com/almanac-sim/almanac/cmd/internal/cli"
)

// calendarFlags are the command line of almanac-bench calendar.
type calendarFlags struct {
	timing
	sizes     string
	dists     []string
	workloads []string
	only      []string
	targets   bool
	slices    bool
}

func newCalendar() *cobra.Command {
	var f calendarFlags
	c := &cobra.Command{
		Use:   "calendar",
		Short: "Time the pending-event sets side by side",
		Long: `Time the pending-event sets side by side, in one run.

The sets take turns, repetition by repetition, so that changes in the speed of the machine affect
all of them. The table has the best repetition, in nanoseconds per operation, and the ratio of the
slowest to the best. For the largest number of events it also has the time to schedule each event
before the first is dispatched (fill), and the memory.

With --slices all sets are in memory at once and take turns of --least, at least 20 for each
repetition, until each has made as many operations as it has events. The table has the mean of all
turns, and the median over the rounds of the ratio to the first entry of the first table.

` +
			cli.List("Structures (* only if named with --only)", bench.Structures(), func(s bench.Structure) (string, string) {
				if s.Extra {
					return s.Name + " *", s.About
				}
				return s.Name, s.About
			}) +
			cli.List("Distributions", calendartest.Distributions(), func(d calendartest.Distribution) (string, string) {
				return d.Name, d.About
			}) +
			cli.List("Workloads", bench.Workloads(), func(w bench.Workload) (string, string) { return w.Name, w.About }),
		Example: `  almanac-bench calendar
  almanac-bench calendar --dist exponential,pareto --n 1e3,1e6
  almanac-bench calendar --only queue,static --n 1e7 --out results
  almanac-bench calendar --slices --only queue --n 1e3,1e8
  almanac-bench calendar --targets`,
		Args: cobra.NoArgs,
		RunE: func(c *cobra.Command, _ []string) error {
			plans, err := f.plans()
			if err != nil {
				return err
			}
			return f.run(c, benchmark{name: "bench", plans: plans, judged: f.targets, file: "bench.json", charts: "bench-*.svg",
				draw: plotCalendar, print: printCalendar})
		},
	}
	c.Flags().StringVar(&f.sizes, "n", "1e2,1e3,1e4,1e5,1e6", "`list` of numbers of pending events, such as 1e6 or "+
		"1_000_000")
	c.Flags().StringSliceVar(&f.dists, "dist", []string{"exponential"}, "`distributions` of the jumps: a list, or all")
	c.Flags().StringSliceVar(&f.workloads, "workload", []string{bench.Hold}, "`workloads`: a list, or all")
	c.Flags().StringSliceVar(&f.only, "only", nil, "`structures`: a list (default: all that are not marked with *)")
	c.Flags().BoolVar(&f.targets, "targets", false, "measure and check the targets of the project (3 GB of memory, some "+
		"minutes)")
	c.Flags().BoolVar(&f.slices, "slices", false, "compare by short turns, with all sets in memory at once")
	c.Flags().BoolVar(&f.json, "json", false, "print the measurements as JSON")
	c.Flags().StringVar(&f.out, "out", "", "`directory` for bench.json and charts")
	c.Flags().IntVar(&f.repetitions, "reps", 5, "number of repetitions")
	c.Flags().DurationVar(&f.least, "least", 50*time.Millisecond, "shortest repetition; it has at least n operations")
	c.Flags().DurationVar(&f.most, "most", 30*time.Second, "longest repetition, whatever the number of its operations")
	c.Flags().Uint64Var(&f.seed, "seed", 1, "random seed of the jumps")
	return c
}

// plans are the cells to measure; those of one plan take turns, and plans come one after the other.
func (f *calendarFlags) plans() ([][]bench.Cell, error) {
	if err := cli.CheckRepetitions(f.repetitions); err != nil {
		return nil, err
	}
	if f.targets {
		return bench.TargetPlans(bench.EventSets), nil
	}
	sizes, err := cli.ParseSizes("--n", f.sizes, "events", 1, 2_000_000_000)
	if err != nil {
		return nil, err
	}
	name := func(s bench.Structure) string { return s.Name }
	usual := slices.DeleteFunc(bench.Structures(), func(s bench.Structure) bool { return s.Extra })
	only := names(usual, name)
	if len(f.only) > 0 {
		if only, err = cli.Choose("--only", f.only, names(bench.Structures(), name)); err != nil {
			return nil, err
		}
	}
	dists := names(calendartest.Distributions(), func(d calendartest.Distribution) string { return d.Name })
	if f.dists, err = cli.Choose("--dist", f.dists, dists); err != nil {
		return nil, err
	}
	workloads := names(bench.Workloads(), func(w bench.Workload) string { return w.Name })
	if f.workloads, err = cli.Choose("--workload", f.workloads, workloads); err != nil {
		return nil, err
	}
	var plans [][]bench.Cell
	for _, w := range f.workloads {
		for _, d := range f.dists {
			var plan []bench.Cell
			for _, n := range sizes {
				for _, s := range only {
					plan = append(plan, bench.Cell{Kind: bench.EventSets, Structure: s, Workload: w, Distribution: d, N: n,
						Slices: f.slices})
				}
				// Sets that take turns are all in memory; large ones would not fit together.
				if n*len(only) > 100_000_000 {
					plans = append(plans, plan)
					plan = nil
				}
			}
			if len(plan) > 0 {
				plans = append(plans, plan)
			}
		}
	}
	if f.slices {
		return [][]bench.Cell{slices.Concat(plans...)}, nil
	}
	return plans, nil
}
