package main

import (
	"encoding/csv"
	"errors"
	"fmt"
	"io"
	"path/filepath"
	"strconv"
	"strings"
	"text/tabwriter"

	"github.com/almanac-sim/almanac/capped"
	"github.com/almanac-sim/almanac/cmd/internal/cli"
	"github.com/almanac-sim/almanac/internal/allocation"
	"github.com/almanac-sim/almanac/internal/format"
	"github.com/almanac-sim/almanac/internal/outdir"
)

// printCapped prints measurements beside theory.
func printCapped(w io.Writer, r *cappedReport) error {
	fmt.Fprintf(w, "%s: %s, λ = %s, %s arrivals, seed %d\n", r.Name(), format.Count(r.Bins, "bin"), format.Rate(r.Rate),
		r.Arrivals, r.Seed)
	if r.Incomplete {
		_, err := fmt.Fprintf(w, "INCOMPLETE: interrupted after round %s of %s, of which the first %s are the burn-in; "+
			"nothing is measured\n",
			format.Thousands(float64(r.Reached)), format.Thousands(float64(r.BurnIn+r.Rounds)),
			format.Thousands(float64(r.BurnIn)))
		return err
	}
	fmt.Fprintln(w, howLong(r.Point))
	if r.Least > 0 {
		fmt.Fprintf(w, "at least m* = %s balls are thrown in every round, %.4g per bin\n", format.Thousands(float64(r.Least)),
			float64(r.Least)/float64(r.Bins))
	}
	for _, warning := range r.Warnings {
		fmt.Fprintf(w, "WARNING: %s\n", warning)
	}
	fmt.Fprintln(w)
	if err := printPoint(w, r.Point); err != nil {
		return err
	}
	fmt.Fprintf(w, "\n%s\n", r.Sweet)
	return nil
}

// howLong describes the number of rounds.
func howLong(p *allocation.Point) string {
	rounds, burnIn := float64(p.Rounds), float64(p.BurnIn)
	if p.Tenths != nil {
		s := "warm start from the limit of many bins"
		if p.BurnIn > 0 {
			s += fmt.Sprintf(" and a burn-in of %s rounds", format.Thousands(burnIn))
		}
		return s + fmt.Sprintf("; first and last tenth of the %s rounds measured agree within %.1f standard errors",
			format.Thousands(rounds), p.Tenths.Errors)
	}
	const moment = 0.1 // seconds, below which the number of rounds is not printed
	if p.Relaxation == nil || *p.Relaxation < moment {
		return fmt.Sprintf("burn-in %s rounds, then %s measured", format.Thousands(burnIn), format.Thousands(rounds))
	}
	return fmt.Sprintf("burn-in %s rounds, then %s measured: %.3g and %.3g relaxation times of %.4g rounds",
		format.Thousands(burnIn), format.Thousands(rounds),
		burnIn / *p.Relaxation, rounds / *p.Relaxation, *p.Relaxation)
}

// printPoint prints a row for each quantity.
func printPoint(w io.Writer, p *allocation.Point) error {
	head, rows := p.Table()
	out := tabwriter.NewWriter(w, 0, 0, 3, ' ', tabwriter.AlignRight)
	fmt.Fprint(out, "\tmeasured\tlimit of\tbound\testimate\t\n")
	fmt.Fprintf(out, "\t\tmany bins\t%s\t%s\t\n", head[3], head[4])
	for _, row := range rows {
		fmt.Fprintf(out, "%s\t\n", strings.Join(row, "\t"))
	}
	return out.Flush()
}

func (r *cappedReport) took() (thrown int, seconds float64)    { return r.Thrown, r.Seconds }
func (r *thresholdReport) took() (thrown int, seconds float64) { return r.Thrown, r.Seconds }

func (r *sweepReport) took() (thrown int, seconds float64) {
	for _, p := range r.Points {
		thrown += p.Thrown
		seconds += p.Seconds
	}
	return thrown, seconds
}

// printSpeed prints the duration, the only line that differs between equal runs.
func printSpeed(w io.Writer, thrown int, seconds float64) error {
	seconds = max(seconds, 1e-9)
	took := fmt.Sprintf("%.2f s", seconds)
	if seconds < 1 {
		took = fmt.Sprintf("%.3g ms", 1e3*seconds)
	}
	pace, unit := float64(thrown)/seconds/1e6, "million"
	for _, larger := range []string{"billion", "trillion"} {
		if pace >= 1000 {
			pace, unit = pace/1000, larger
		}
	}
	_, err := fmt.Fprintf(w, "\n%s thrown in %s: %.3g %s balls/s\n", format.Count(thrown, "ball"), took, pace, unit)
	return err
}

// printThreshold prints how a batch was allocated.
func printThreshold(w io.Writer, r *thresholdReport) error {
	balls := func(n int) string { return format.Count(n, "ball") }
	rounds := format.Count(r.Rounds, "round")
	fmt.Fprintf(w, "threshold, %d accepted by a bin in a round: %s, %s (λ = %s per bin, %s), seed %d\n", r.Capacity,
		format.Count(r.Bins, "bin"),
		balls(r.Balls), format.Rate(r.Rate), r.Arrivals, r.Seed)
	switch {
	case r.Incomplete:
		fmt.Fprintf(w, "INCOMPLETE: interrupted after %s; %s left without a place\n", rounds, balls(r.Left))
	case r.Left > 0:
		fmt.Fprintf(w, "after %s, as many as were asked for, %s left without a place\n", rounds, balls(r.Left))
	default:
		fmt.Fprintf(w, "all balls have a place after %s\n", rounds)
	}
	compared := ""
	if r.LnLn != nil {
		compared = fmt.Sprintf("; with n bins, ln ln n is %.2f and log₂log₂ n is %.2f", *r.LnLn, *r.LogLog)
	}
	fmt.Fprintf(w, "the largest load is %d%s\n\n", r.Largest, compared)
	out := tabwriter.NewWriter(w, 0, 0, 3, ' ', tabwriter.AlignRight)
	fmt.Fprint(out, "round\task\taccepted\tleft\tleft per bin\t\n")
	const first, last = 15, 5 // of many rounds
	rows := r.Rows()
	for i, row := range rows {
		if len(rows) > first+last && i == first {
			fmt.Fprint(out, "…\t\t\t\t\t\n")
		}
		if i >= first && i < len(rows)-last {
			continue
		}
		fmt.Fprintf(out, "%d\t%s\t%s\t%s\t%.3g\t\n", row.Number, format.Thousands(float64(row.Thrown)),
			format.Thousands(float64(row.Accepted)), format.Thousands(float64(row.Pool)),
			float64(row.Pool)/float64(r.Bins))
	}
	return out.Flush()
}

// printSweep prints a row for each point.
func printSweep(w io.Writer, r *sweepReport) error {
	fmt.Fprintf(w, "%s, %s from %s to %s: %s, %v arrivals, seed %d\n", r.Subject(), r.Sweep, r.Values[0].Name,
		r.Values[len(r.Values)-1].Name, format.Count(r.Config.Bins, "bin"), r.Config.Arrivals, r.Config.Seed)
	if r.Incomplete {
		fmt.Fprintf(w, "INCOMPLETE: interrupted; %d of %d points are measured\n", len(r.Points), len(r.Values))
	}
	if len(r.Points) == 0 {
		return nil
	}
	for i, p := range r.Points {
		for _, warning := range p.Warnings {
			fmt.Fprintf(w, "WARNING: %s %s: %s\n", r.Sweep, r.Values[i].Name, warning)
		}
	}
	pooled := r.Config.Kind != capped.Greedy
	if pooled {
		fmt.Fprint(w, "\npool per bin\n\n")
		if err := sweepTable(w, r, "measured\tlimit\tbound\testimate\tlargest\t", func(m *allocation.Measured, limit, bound,
			estimate allocation.Theory) string {
			return fmt.Sprintf("%s\t%s\t%s\t%s\t%.4f\t", allocation.Format(m.Pool), allocation.Like(m.Pool, limit.Pool),
				allocation.Rough(bound.Pool), allocation.Rough(estimate.Pool), m.PoolMax)
		}); err != nil {
			return err
		}
	}
	fmt.Fprint(w, "\nmean wait, and longest wait of a round on average and of all rounds\n\n")
	head := "mean\tlimit\tlongest\tlimit\taltogether\tlimit\t"
	if pooled {
		head += "bound\testimate\t"
	}
	if err := sweepTable(w, r, head, func(m *allocation.Measured, limit, bound, estimate allocation.Theory) string {
		s := fmt.Sprintf("%s\t%s\t%s\t%s\t%d\t%s\t", allocation.Format(m.Wait), allocation.Like(m.Wait, limit.Wait),
			allocation.Format(m.Longest), allocation.Like(m.Longest, limit.Longest), m.WaitMax, allocation.Rough(limit.WaitMax))
		if pooled {
			s += fmt.Sprintf("%s\t%s\t", allocation.Rough(bound.Longest), allocation.Rough(estimate.Longest))
		}
		return s
	}); err != nil {
		return err
	}
	if r.Best > 0 {
		fmt.Fprintf(w, "\n* waits least on average of those measured. %s\n", r.Points[0].Sweet)
	}
	return nil
}

// sweepTable prints a row for each point, and marks the best capacity.
func sweepTable(w io.Writer, r *sweepReport, head string, row func(m *allocation.Measured, limit, bound,
	estimate allocation.Theory) string) error {
	out := tabwriter.NewWriter(w, 0, 0, 3, ' ', tabwriter.AlignRight)
	fmt.Fprintf(out, "%s\t%s\n", r.Sweep, head)
	for i, p := range r.Points {
		name := r.Values[i].Name
		if r.Best > 0 && p.Capacity == r.Best {
			name = "* " + name
		}
		limit, bound, estimate := p.Theories()
		fmt.Fprintf(out, "%s\t%s\n", name, row(p.Measured, limit, bound, estimate))
	}
	return out.Flush()
}

// cappedFiles are the files of --out.
var cappedFiles = []string{"capped.json", "rounds.csv", "waits.csv", "pool.svg", "waits.svg", "loads.svg", "sweep.csv",
	"sweep-pool.svg", "sweep-waits.svg"}

// writeCapped writes the numbers and charts of a process; of an interrupted one only the rounds.
func writeCapped(dir string, r *cappedReport) error {
	errs := []error{
		cli.WriteJSON(dir, "capped.json", r),
		outdir.WriteFile(dir, "rounds.csv", func(w io.Writer) error { return allocation.RoundsCSV(w, r.Rows()) }),
	}
	if len(r.Rows()) > 0 {
		errs = append(errs, r.PoolChart().Save(filepath.Join(dir, "pool.svg")))
	}
	if r.Measured != nil {
		limit, _, _ := r.Theories()
		errs = append(errs,
			outdir.WriteFile(dir, "waits.csv", func(w io.Writer) error {
				return allocation.WaitsCSV(w, r.Measured.Waits,
					limit.Waits)
			}),
			r.WaitsChart().Save(filepath.Join(dir, "waits.svg")),
			r.LoadsChart().Save(filepath.Join(dir, "loads.svg")))
	}
	return errors.Join(errs...)
}

// writeThreshold writes the numbers and charts of a batch.
func writeThreshold(dir string, r *thresholdReport) error {
	errs := []error{
		cli.WriteJSON(dir, "capped.json", r),
		outdir.WriteFile(dir, "rounds.csv", func(w io.Writer) error { return allocation.RoundsCSV(w, r.Rows()) }),
		outdir.WriteFile(dir, "waits.csv", func(w io.Writer) error { return allocation.WaitsCSV(w, r.Waits, nil) }),
	}
	if r.Balls > 0 {
		errs = append(errs,
			r.PoolChart().Save(filepath.Join(dir, "pool.svg")),
			r.WaitsChart().Save(filepath.Join(dir, "waits.svg")),
			r.LoadsChart().Save(filepath.Join(dir, "loads.svg")))
	}
	return errors.Join(errs...)
}

// writeSweep writes the numbers and charts of a sweep.
func writeSweep(dir string, r *sweepReport) error {
	errs := []error{
		cli.WriteJSON(dir, "capped.json", r),
		outdir.WriteFile(dir, "sweep.csv", func(w io.Writer) error { return sweepCSV(w, r) }),
	}
	if len(r.Points) > 0 {
		pool, waits := r.Charts()
		if r.Config.Kind != capped.Greedy { // GREEDY has no pool
			errs = append(errs, pool.Save(filepath.Join(dir, "sweep-pool.svg")))
		}
		errs = append(errs, waits.Save(filepath.Join(dir, "sweep-waits.svg")))
	}
	return errors.Join(errs...)
}

// sweepCSV writes a row for each point. Missing numbers are empty.
func sweepCSV(w io.Writer, r *sweepReport) error {
	out := csv.NewWriter(w)
	lines := [][]string{{"process", "bins", "capacity", "choices", "rate", "burn_in", "rounds",
		"pool", "pool_error", "pool_limit", "pool_bound", "pool_estimate", "wait", "wait_error", "wait_limit",
		"longest", "longest_error", "longest_limit", "longest_bound", "longest_estimate", "wait_max", "pool_max"}}
	for _, p := range r.Points {
		m := p.Measured
		limit, bound, estimate := p.Theories()
		lines = append(lines, []string{p.Process, strconv.Itoa(p.Bins), atLeastOne(p.Capacity), atLeastOne(p.Choices),
			format.Number(p.Rate),
			strconv.Itoa(p.BurnIn), strconv.Itoa(p.Rounds),
			format.Number(m.Pool.Mean), optional(m.Pool.Error), optional(limit.Pool), optional(bound.Pool),
			optional(estimate.Pool),
			format.Number(m.Wait.Mean), optional(m.Wait.Error), optional(limit.Wait),
			format.Number(m.Longest.Mean), optional(m.Longest.Error), optional(limit.Longest), optional(bound.Longest),
			optional(estimate.Longest),
			strconv.Itoa(m.WaitMax), format.Number(m.PoolMax)})
	}
	return out.WriteAll(lines)
}

func optional(x *float64) string {
	if x == nil {
		return ""
	}
	return format.Number(*x)
}

// atLeastOne is empty for 0.
func atLeastOne(n int) string {
	if n == 0 {
		return ""
	}
	return strconv.Itoa(n)
}
