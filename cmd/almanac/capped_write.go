package main

import (
	"encoding/csv"
	"errors"
	"io"
	"path/filepath"
	"strconv"

	"github.com/almanac-sim/almanac/capped"
	"github.com/almanac-sim/almanac/cmd/internal/cli"
	"github.com/almanac-sim/almanac/internal/allocation"
	"github.com/almanac-sim/almanac/internal/format"
	"github.com/almanac-sim/almanac/internal/outdir"
)

// cappedFiles are what may be in the directory of --out.
var cappedFiles = []string{"capped.json", "rounds.csv", "waits.csv", "pool.svg", "waits.svg", "loads.svg", "sweep.csv",
	"sweep-pool.svg", "sweep-waits.svg"}

// writeCapped writes the numbers of a process and its pictures. Of one that was interrupted there
// are only its rounds.
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

// writeThreshold writes the numbers of a batch and its pictures.
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

// writeSweep writes the numbers of a sweep and its pictures.
func writeSweep(dir string, r *sweepReport) error {
	errs := []error{
		cli.WriteJSON(dir, "capped.json", r),
		outdir.WriteFile(dir, "sweep.csv", func(w io.Writer) error { return sweepCSV(w, r) }),
	}
	if len(r.Points) > 0 {
		pool, waits := r.Charts()
		if r.Config.Kind != capped.Greedy { // which has no pool
			errs = append(errs, pool.Save(filepath.Join(dir, "sweep-pool.svg")))
		}
		errs = append(errs, waits.Save(filepath.Join(dir, "sweep-waits.svg")))
	}
	return errors.Join(errs...)
}

// sweepCSV writes a line for each point. What there is none of is empty.
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

// optional is a number, or nothing.
func optional(x *float64) string {
	if x == nil {
		return ""
	}
	return format.Number(*x)
}

// atLeastOne is a number, or nothing if it is 0.
func atLeastOne(n int) string {
	if n == 0 {
		return ""
	}
	return strconv.Itoa(n)
}
