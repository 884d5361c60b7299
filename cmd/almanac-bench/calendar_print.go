package main

import (
	"fmt"
	"io"
	"math"
	"path/filepath"
	"slices"
	"text/tabwriter"

	"github.com/almanac-sim/almanac/cmd/almanac-bench/internal/bench"
	"github.com/almanac-sim/almanac/internal/format"
	"github.com/almanac-sim/almanac/internal/plot"
)

// A benchTable is the results of one workload and distribution, measured in turns: a row a structure, a column a number of
// events.
type benchTable struct {
	plan           int
	workload, dist string
	slices         bool
	structures     []string
	sizes          []int
	results        map[string]map[int]bench.Result
}

// tables groups results, in the order in which they came.
func tables(results []bench.Result) []*benchTable {
	var all []*benchTable
	for _, r := range results {
		var t *benchTable
		for _, old := range all {
			if old.plan == r.Plan && old.workload == r.Workload && old.dist == r.Distribution {
				t = old
			}
		}
		if t == nil {
			t = &benchTable{plan: r.Plan, workload: r.Workload, dist: r.Distribution, slices: r.Slices, results: map[string]map[int]bench.Result{}}
			all = append(all, t)
		}
		if t.results[r.Structure] == nil {
			t.results[r.Structure] = map[int]bench.Result{}
			t.structures = append(t.structures, r.Structure)
		}
		if !slices.Contains(t.sizes, r.N) {
			t.sizes = append(t.sizes, r.N)
		}
		t.results[r.Structure][r.N] = r
	}
	return all
}

func printCalendar(w io.Writer, report benchReport) error {
	fmt.Fprintf(w, "%s\n%s\n", report.Machine, report.Command)
	for _, t := range tables(report.Results) {
		how := "best repetition (slowest over fastest)"
		if t.slices {
			how = "mean of all slices (times as long as the first, median)"
		}
		fmt.Fprintf(w, "\n%s, %s jumps: ns per operation, %s\n\n", t.workload, t.dist, how)
		out := tabwriter.NewWriter(w, 0, 0, 3, ' ', tabwriter.AlignRight)
		fmt.Fprint(out, "pending events\t")
		for _, n := range t.sizes {
			fmt.Fprintf(out, "%s\t", format.Power(n))
		}
		fmt.Fprint(out, "fill\tbytes/event\tallocs/op\t\n")
		for _, s := range t.structures {
			fmt.Fprintf(out, "%s\t", s)
			var last bench.Result
			for _, n := range t.sizes {
				r, ok := t.results[s][n]
				if !ok {
					fmt.Fprint(out, "\t")
					continue
				}
				cut := ""
				if r.Cut {
					cut = ">"
				}
				beside := r.Spread
				if t.slices {
					beside = r.Median
				}
				fmt.Fprintf(out, "%s%.1f (%.2f)\t", cut, typical(r), beside)
				last = r
			}
			// Of the last column: what the first schedules cost, and what an event takes.
			fmt.Fprintf(out, "%.1f\t%.1f\t%.2f\t\n", last.Fill, last.Bytes, last.Allocs)
		}
		if err := out.Flush(); err != nil {
			return err
		}
		printRatios(w, t)
	}
	for _, r := range report.Results {
		if r.Cut {
			fmt.Fprintln(w, "\n> too slow to be warmed up, or to make as many operations as there are events, in the time given")
			break
		}
	}
	return printTargets(w, report.Targets)
}

// typical is the speed: that of the best repetition, or of all slices together.
func typical(r bench.Result) float64 {
	if r.Slices {
		return r.Mean
	}
	return r.Best
}

// printRatios compares everything with the first structure, which is ours unless it was left out.
func printRatios(w io.Writer, t *benchTable) {
	if len(t.structures) < 2 {
		return
	}
	first := t.structures[0]
	fmt.Fprintf(w, "\ntimes as long as %s\n\n", first)
	out := tabwriter.NewWriter(w, 0, 0, 3, ' ', tabwriter.AlignRight)
	for _, s := range t.structures[1:] {
		fmt.Fprintf(out, "%s\t", s)
		for _, n := range t.sizes {
			a, have := t.results[first][n]
			b, has := t.results[s][n]
			if have && has {
				fmt.Fprintf(out, "%.2f\t", typical(b)/typical(a))
			} else {
				fmt.Fprint(out, "\t")
			}
		}
		fmt.Fprintln(out)
	}
	out.Flush()
}

// plotCalendar draws cost against the number of events, a picture for each workload and distribution.
func plotCalendar(dir string, report benchReport) error {
	drawn := map[string]int{}
	for _, t := range tables(report.Results) {
		chart := plot.Chart{
			Title:  fmt.Sprintf("%s, %s jumps", t.workload, t.dist),
			XLabel: "pending events",
			YLabel: "ns per operation",
			LogX:   true,
			LogY:   true,
		}
		for _, s := range t.structures {
			series := plot.Series{Name: s}
			for _, n := range t.sizes {
				if r, ok := t.results[s][n]; ok {
					series.X = append(series.X, float64(n))
					series.Y = append(series.Y, typical(r))
				}
			}
			chart.Series = append(chart.Series, series)
		}
		name := fmt.Sprintf("bench-%s-%s", t.workload, t.dist)
		if drawn[name]++; drawn[name] > 1 {
			name += fmt.Sprintf("-%d", drawn[name])
		}
		if err := chart.Save(filepath.Join(dir, name+".svg")); err != nil {
			return err
		}
	}
	return nil
}

// printTargets prints what was wanted beside what was reached.
func printTargets(w io.Writer, targets []bench.Target) error {
	if len(targets) == 0 {
		return nil
	}
	fmt.Fprintln(w)
	out := tabwriter.NewWriter(w, 0, 0, 2, ' ', 0)
	fmt.Fprint(out, "target\twanted\treached\t\t\n")
	for _, t := range targets {
		verdict := "met"
		if !t.Met {
			verdict = "MISSED"
		}
		value := fmt.Sprintf("%.3g", t.Value)
		if t.Value == math.MaxFloat64 {
			value = "∞"
		}
		fmt.Fprintf(out, "%s\t%s\t%s\t%s\t%s\n", t.What, t.Wanted(), value, verdict, t.Detail)
	}
	return out.Flush()
}
