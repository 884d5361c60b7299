package main

import (
	"encoding/csv"
	"errors"
	"fmt"
	"io"
	"path/filepath"
	"slices"
	"strconv"
	"text/tabwriter"

	"github.com/almanac-sim/almanac/cmd/almanac-bench/internal/dispatch"
	"github.com/almanac-sim/almanac/cmd/internal/cli"
	"github.com/almanac-sim/almanac/internal/format"
	"github.com/almanac-sim/almanac/internal/outdir"
	"github.com/almanac-sim/almanac/internal/plot"
)

func printDispatch(w io.Writer, r dispatchReport) error {
	fmt.Fprintf(w, "%s\n%s\n", r.Machine, r.Command)
	fmt.Fprintf(w, "\n%s, %s requests of each run count, %s; rounds of %s mean services\n"+
		"from arrival to the end of the work, in mean services; ± half of the 95 %% confidence interval over seeds\n",
		format.Count(r.Workers, "worker"), format.Thousands(float64(r.Requests)), format.Count(r.Seeds, "seed"),
		format.Number(r.Round))
	type table struct {
		service string
		load    float64
	}
	for _, table := range group(r.Results, func(r dispatch.Result) table { return table{r.Service, r.Load} }) {
		fmt.Fprintf(w, "\n%s, λ = %s\n\n", table[0].Service, format.Number(table[0].Load))
		out := tabwriter.NewWriter(w, 0, 0, 3, ' ', tabwriter.AlignRight)
		fmt.Fprintln(out, "policy\tp50\tp99\tp99.9\tp99 / central\ttries\t")
		for _, a := range table {
			if a.Grows {
				fmt.Fprintf(out, "%s\tgrows\tgrows\tgrows\t\t\t\n", a.Policy)
				continue
			}
			over := ""
			if a.Over.Mean > 0 {
				over = estimated(a.Over, 2)
			}
			fmt.Fprintf(out, "%s\t%s\t%s\t%s\t%s\t%.3f\t\n", a.Policy, estimated(a.P50, 3), estimated(a.P99, 2),
				estimated(a.P999, 2), over, a.Tries.Mean)
		}
		if err := out.Flush(); err != nil {
			return err
		}
	}
	return nil
}

// estimated is a number with its confidence interval.
func estimated(e dispatch.Estimate, digits int) string {
	return fmt.Sprintf("%.*f ± %.*f", digits, e.Mean, digits, e.Half)
}

// writeDispatch writes everything as JSON, each run as a line of CSV, and a picture for each
// service.
func writeDispatch(dir string, r dispatchReport) error {
	errs := []error{cli.WriteJSON(dir, "bench-dispatch.json", r)}
	errs = append(errs, outdir.WriteFile(dir, "bench-dispatch.csv", func(w io.Writer) error {
		return dispatchCSV(w, r.Results)
	}))
	for _, chart := range dispatchCharts(r.Results) {
		errs = append(errs, chart.Save(filepath.Join(dir, "bench-dispatch-"+chart.Title+".svg")))
	}
	return errors.Join(errs...)
}

func dispatchCSV(w io.Writer, results []dispatch.Result) error {
	out := csv.NewWriter(w)
	out.Write([]string{"service", "load", "policy", "run", "mean", "p50", "p99", "p99.9", "tries", "middle", "end",
		"grows"})
	number := format.Number
	for _, r := range results {
		for k, run := range r.Runs {
			out.Write([]string{
				r.Service, number(r.Load), r.Policy, strconv.Itoa(k), number(run.Mean), number(run.P50), number(run.P99),
				number(run.P999),
				number(run.Tries), strconv.Itoa(run.Middle), strconv.Itoa(run.End), strconv.FormatBool(r.Grows),
			})
		}
	}
	out.Flush()
	return out.Error()
}

// dispatchCharts draw the p99 against the load, a chart for each service. Policies that cannot bear
// it are left out there.
func dispatchCharts(results []dispatch.Result) (charts []plot.Chart) {
	borne := slices.DeleteFunc(slices.Clone(results), func(r dispatch.Result) bool { return r.Grows })
	for _, of := range group(borne, func(r dispatch.Result) string { return r.Service }) {
		chart := plot.Chart{
			Title: of[0].Service, Note: "bands: 95 % confidence over seeds; what grows has no point",
			XLabel: "load λ", YLabel: "p99 in mean services", LogY: true, LegendBeside: true,
		}
		for _, rows := range group(of, func(r dispatch.Result) string { return r.Policy }) {
			s := plot.Series{Name: rows[0].Policy}
			for _, r := range rows {
				s.X, s.Y = append(s.X, r.Load), append(s.Y, r.P99.Mean)
				s.Low, s.High = append(s.Low, max(r.P99.Mean-r.P99.Half, r.P99.Mean/10)), append(s.High, r.P99.Mean+r.P99.Half)
			}
			chart.Series = append(chart.Series, s)
		}
		charts = append(charts, chart)
	}
	return charts
}
