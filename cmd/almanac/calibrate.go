package main

import (
	"cmp"
	"encoding/csv"
	"errors"
	"fmt"
	"io"
	"math"
	"strconv"
	"text/tabwriter"
	"time"

	"github.com/spf13/cobra"

	"github.com/almanac-sim/almanac/calendar/static"
	"github.com/almanac-sim/almanac/cmd/internal/cli"
	"github.com/almanac-sim/almanac/cmd/internal/progress"
	"github.com/almanac-sim/almanac/internal/format"
	"github.com/almanac-sim/almanac/internal/outdir"
	"github.com/almanac-sim/almanac/internal/plot"
)

type calibrateFlags struct {
	sizes       string
	disciplines []string
	repetitions int
	least       time.Duration
	seed        uint64
	json        bool
	out         string
}

func newCalibrate() *cobra.Command {
	var f calibrateFlags
	c := &cobra.Command{
		Use:   "calibrate",
		Short: "Measure the costs of a static calendar and its best bucket width",
		Long: `Measure the costs b, c and d of a static calendar on this machine, and the best bucket width.

An empty bucket costs time b, an entry of a list c, and everything else d for each event. With N
events pending, jumps of mean μ and buckets of width δ, an event takes

  b/x + c(1 + x(1−1/N)/2) + d,   where x = Nδ/μ

The minimum is c + √(2bc) + d, at x = √(2b/c) (Erickson, Ladner and LaMarca 1994). As in the journal
version of that paper, the calendar is timed at many widths, and the costs are fitted by least
squares. The widths take turns, repetition by repetition, and the best repetition of each counts.

The theory is for the unordered discipline. For the others the same formula is fitted, and the
misfit shows whether it applies.

--out DIR writes calibrate.json, calibrate.csv and the charts calibrate-*.svg and .png.`,
		Example: `  almanac calibrate
  almanac calibrate --n 1e4 --discipline all
  almanac calibrate --n 1e3,1e5,1e7 --out results`,
		Args: cobra.NoArgs,
		RunE: func(c *cobra.Command, _ []string) error { return f.run(c) },
	}
	c.Flags().StringVar(&f.sizes, "n", "1e3,1e4,1e5,1e6", "`list` of numbers of pending events, such as 1e6 or 1_000_000")
	c.Flags().StringSliceVar(&f.disciplines, "discipline", []string{"unordered"},
		"`list` of disciplines of buckets: unordered, ordered, just-in-time, or all")
	c.Flags().IntVar(&f.repetitions, "reps", 9, "number of repetitions")
	c.Flags().DurationVar(&f.least, "least", 5*time.Millisecond, "shortest repetition of one width")
	c.Flags().Uint64Var(&f.seed, "seed", 1, "random seed")
	c.Flags().BoolVar(&f.json, "json", false, "print the measurements as JSON, times in seconds")
	c.Flags().StringVar(&f.out, "out", "", "`directory` for results and charts")
	return c
}

// A calibrateReport is what almanac calibrate --json prints.
type calibrateReport struct {
	Machine      cli.Machine           `json:"machine"`
	Command      string                `json:"command"`
	Calibrations []*static.Calibration `json:"calibrations"`
}

// plan returns what to calibrate, in order.
func (f *calibrateFlags) plan() ([]static.CalibrateOptions, error) {
	if err := cmp.Or(cli.CheckRepetitions(f.repetitions), cli.CheckLeast(f.least, "lasts longer than nothing")); err !=
		nil {
		return nil, err
	}
	// One event cannot separate c from d.
	sizes, err := cli.ParseSizes("--n", f.sizes, "events", 2, 1_000_000_000)
	if err != nil {
		return nil, err
	}
	all := []static.Discipline{static.Unordered, static.Ordered, static.JustInTime}
	var known []string
	for _, d := range all {
		known = append(known, d.String())
	}
	names, err := cli.Choose("--discipline", f.disciplines, known)
	if err != nil {
		return nil, err
	}
	var plan []static.CalibrateOptions
	for _, name := range names {
		var d static.Discipline
		if err := d.UnmarshalText([]byte(name)); err != nil {
			return nil, err
		}
		for _, n := range sizes {
			plan = append(plan, static.CalibrateOptions{N: n, Discipline: d, Repetitions: f.repetitions, Least: f.least,
				Seed: f.seed})
		}
	}
	return plan, nil
}

func (f *calibrateFlags) run(c *cobra.Command) error {
	plan, err := f.plan()
	if err != nil {
		return err
	}
	files := []string{"calibrate.json", "calibrate.csv", "calibrate-*.svg", "calibrate-*.png"}
	return cli.Report(c, "calibrate", f.out, files, f.json, func(bar *progress.Bar) (calibrateReport, error) {
		report := calibrateReport{Machine: cli.ThisMachine(), Command: cli.CommandLine(c)}
		for i, o := range plan {
			o.Progress = func(done, of int) {
				// Equal shares, though more events take longer.
				bar.Set(i*1000+1000*done/of, len(plan)*1000, fmt.Sprintf("%v, %s events", o.Discipline, format.Power(o.N)))
			}
			result, err := static.Calibrate(c.Context(), o)
			if err != nil {
				return report, err
			}
			report.Calibrations = append(report.Calibrations, result)
		}
		return report, nil
	}, writeCalibrate, printCalibrate)
}

const toNs = 1e9 // from seconds

// printCalibrate writes a table for each discipline, with a row for each number of events.
func printCalibrate(w io.Writer, report calibrateReport) error {
	fmt.Fprintf(w, "%s\n%s\n\ntimes in ns, ± standard error; widths in units of μ/N\n", report.Machine, report.Command)
	for rest := report.Calibrations; len(rest) > 0; {
		same := 1
		for same < len(rest) && rest[same].Discipline == rest[0].Discipline {
			same++
		}
		if err := printDiscipline(w, rest[:same]); err != nil {
			return err
		}
		rest = rest[same:]
	}
	return nil
}

func printDiscipline(w io.Writer, rows []*static.Calibration) error {
	fmt.Fprintf(w, "\n%v\n\n", rows[0].Discipline)
	out := tabwriter.NewWriter(w, 0, 0, 3, ' ', tabwriter.AlignRight)
	fmt.Fprint(out, "\tempty bucket\tlist entry\tthe rest\tpredicted\t\tbest timed\t\ttime at predicted\t\t\n")
	fmt.Fprint(out, "events\tb\tc\td\twidth\ttime\twidth\ttime\twidth is off by\tmisfit\t\n")
	for _, c := range rows {
		fmt.Fprintf(out, "%s\t%s\t%s\t%s\t%.2f\t%.1f\t%.2f\t%.1f\t%.1f %%\t%.1f %%\t\n", format.Power(c.N),
			plusMinus(c.Costs.Empty, c.StdErr.Empty), plusMinus(c.Costs.Entry, c.StdErr.Entry),
			plusMinus(c.Costs.Fixed, c.StdErr.Fixed),
			c.PredictedX, c.PredictedTime*toNs, c.BestX, c.BestTime*toNs, 100*c.Off, 100*c.Misfit)
	}
	if err := out.Flush(); err != nil {
		return err
	}
	fmt.Fprintln(w)
	for _, c := range rows {
		if !c.Fits {
			fmt.Fprintf(w, "With %s events the model DOES NOT FIT: %s. Take the best width timed, %.2f μ/N.\n",
				format.Power(c.N), c.Why, c.BestX)
			fmt.Fprintln(w, reason(c.Discipline))
		}
	}
	return printGrowth(w, rows[0], rows[len(rows)-1])
}

// printGrowth says how costs change with the number of events.
func printGrowth(w io.Writer, first, last *static.Calibration) error {
	if first.N == last.N {
		return nil
	}
	b, c, d := last.Costs.Empty/first.Costs.Empty, last.Costs.Entry/first.Costs.Entry, last.Costs.Fixed/first.Costs.Fixed
	// A cost that was left out of the fit has no standard error.
	for _, e := range []static.Costs{first.StdErr, last.StdErr} {
		if e.Empty == 0 || e.Entry == 0 || e.Fixed == 0 {
			_, err := fmt.Fprintf(w, "The costs with %s and with %s events cannot be compared: one of them could not be "+
				"fitted.\n", format.Power(first.N), format.Power(last.N))
			return err
		}
	}
	_, err := fmt.Fprintf(w, "From %s to %s events b becomes %.1f times as long, c %.1f times and d %.1f times: costs "+
		"depend on the number of\n"+
		"events, and √(2b/c) with them. So say the authors too (1994, section 4); calibrate with as many as there "+
		"will be.\n",
		format.Power(first.N), format.Power(last.N), b, c, d)
	return err
}

func plusMinus(x, stdErr float64) string { return fmt.Sprintf("%.2f ± %.2f", x*toNs, stdErr*toNs) }

// reason is the usual reason why the model does not fit a discipline.
func reason(d static.Discipline) string {
	caches := "caches, because of which b, c and d depend on the width and not only on the number\n" +
		"of events (1994, section 4), or a machine that others use, too."
	if d == static.Unordered {
		return "The usual reason is " + caches
	}
	return "The theory is that of the unordered discipline; besides, there are " + caches
}

// writeCalibrate writes the numbers, and a chart for each calibration.
func writeCalibrate(dir string, report calibrateReport) error {
	errs := []error{
		cli.WriteJSON(dir, "calibrate.json", report),
		outdir.WriteFile(dir, "calibrate.csv", func(w io.Writer) error { return calibrateCSV(w, report) }),
	}
	for _, c := range report.Calibrations {
		name := fmt.Sprintf("calibrate-%v-%s", c.Discipline, format.Power(c.N))
		errs = append(errs, plot.SaveBoth(dir, name, calibrateChart(c)))
	}
	return errors.Join(errs...)
}

// calibrateCSV writes a row for each width.
func calibrateCSV(w io.Writer, report calibrateReport) error {
	out := csv.NewWriter(w)
	lines := [][]string{{"discipline", "n", "x", "buckets", "measured_ns", "predicted_ns", "spread"}}
	number := func(x float64) string { return strconv.FormatFloat(x, 'g', 6, 64) }
	for _, c := range report.Calibrations {
		for _, p := range c.Points {
			lines = append(lines, []string{c.Discipline.String(), strconv.Itoa(c.N), number(p.X), strconv.Itoa(p.Buckets),
				number(p.Measured * toNs), number(p.Predicted * toNs), number(p.Spread)})
		}
	}
	return out.WriteAll(lines)
}

// calibrateChart is the figure of the journal paper: measured times and the fitted curve.
func calibrateChart(c *static.Calibration) plot.Chart {
	measured, predicted := plot.Series{Name: "measured"}, plot.Series{Name: "predicted"}
	for _, p := range c.Points {
		measured.X, measured.Y = append(measured.X, p.X), append(measured.Y, p.Measured*toNs)
	}
	first, last := c.Points[0].X, c.Points[len(c.Points)-1].X
	const steps = 200
	for i := range steps + 1 {
		x := first * math.Pow(last/first, float64(i)/steps)
		y, err := c.Costs.PerEvent(c.N, 1, x/float64(c.N))
		if err == nil {
			predicted.X, predicted.Y = append(predicted.X, x), append(predicted.Y, y*toNs)
		}
	}
	return plot.Chart{
		Title: fmt.Sprintf("%v, %s events: b = %.2f, c = %.2f, d = %.1f ns", c.Discipline, format.Power(c.N),
			c.Costs.Empty*toNs, c.Costs.Entry*toNs, c.Costs.Fixed*toNs),
		XLabel: "bucket width, in units of μ/N", YLabel: "ns per event",
		LogX: true, LogY: true,
		Series: []plot.Series{measured, predicted},
	}
}
