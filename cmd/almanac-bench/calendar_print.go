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

// tables are the results of one workload and distribution each, measured in turns.
func tables(results []bench.Result) [][]bench.Result {
	type table struct {
		plan           int
		workload, dist string
	}
	return group(results, func(r bench.Result) table { return table{r.Plan, r.Workload, r.Distribution} })
}

func printCalendar(w io.Writer, report benchReport) error {
	fmt.Fprintf(w, "%s\n%s\n", report.Machine, report.Command)
	for _, t := range tables(report.Results) {
		how := "best repetition (slowest over fastest)"
		if t[0].Slices {
			how = "mean of all slices (times as long as the first, median)"
		}
		fmt.Fprintf(w, "\n%s, %s jumps: ns per operation, %s\n\n", t[0].Workload, t[0].Distribution, how)
		rows := group(t, structure) // each with a result for every number of events
		out := tabwriter.NewWriter(w, 0, 0, 3, ' ', tabwriter.AlignRight)
		fmt.Fprint(out, "pending events\t")
		for _, r := range rows[0] {
			fmt.Fprintf(out, "%s\t", format.Power(r.N))
		}
		fmt.Fprint(out, "fill\tbytes/event\tallocs/op\t\n")
		for _, row := range rows {
			fmt.Fprintf(out, "%s\t", row[0].Structure)
			for _, r := range row {
				cut := ""
				if r.Cut {
					cut = ">"
				}
				beside := r.Spread
				if r.Slices {
					beside = r.Median
				}
				fmt.Fprintf(out, "%s%.1f (%.2f)\t", cut, typical(r), beside)
			}
			// Of the last column: what the first schedules cost, and what an event takes.
			last := row[len(row)-1]
			fmt.Fprintf(out, "%.1f\t%.1f\t%.2f\t\n", last.Fill, last.Bytes, last.Allocs)
		}
		if err := out.Flush(); err != nil {
			return err
		}
		printRatios(w, rows)
	}
	if slices.ContainsFunc(report.Results, func(r bench.Result) bool { return r.Cut }) {
		fmt.Fprintln(w, "\n> too slow to be warmed up, or to make as many operations as there are events, in the time given")
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
func printRatios(w io.Writer, rows [][]bench.Result) {
	if len(rows) < 2 {
		return
	}
	fmt.Fprintf(w, "\ntimes as long as %s\n\n", rows[0][0].Structure)
	out := tabwriter.NewWriter(w, 0, 0, 3, ' ', tabwriter.AlignRight)
	for _, row := range rows[1:] {
		fmt.Fprintf(out, "%s\t", row[0].Structure)
		for i, r := range row {
			fmt.Fprintf(out, "%.2f\t", typical(r)/typical(rows[0][i]))
		}
		fmt.Fprintln(out)
	}
	out.Flush()
}

// plotCalendar draws cost against the number of events, a picture for each workload and
// distribution.
func plotCalendar(dir string, report benchReport) error {
	drawn := map[string]int{}
	for _, t := range tables(report.Results) {
		chart := plot.Chart{
			Title:  fmt.Sprintf("%s, %s jumps", t[0].Workload, t[0].Distribution),
			XLabel: "pending events",
			YLabel: "ns per operation",
			LogX:   true,
			LogY:   true,
		}
		for _, row := range group(t, structure) {
			series := plot.Series{Name: row[0].Structure}
			for _, r := range row {
				series.X, series.Y = append(series.X, float64(r.N)), append(series.Y, typical(r))
			}
			chart.Series = append(chart.Series, series)
		}
		name := fmt.Sprintf("bench-%s-%s", t[0].Workload, t[0].Distribution)
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
