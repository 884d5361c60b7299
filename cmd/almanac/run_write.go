package main

import (
	"encoding/csv"
	"errors"
	"fmt"
	"io"
	"strconv"

	"github.com/almanac-sim/almanac/cmd/almanac/internal/format"
	"github.com/almanac-sim/almanac/population"
)

// runFiles are what may be in the directory of --out.
var runFiles = []string{
	"summary.json", "series.csv", "flows.csv", "events.csv", "model.yaml", "command.txt", "diagram.svg",
	"states.svg", "states.png", "each.svg", "each.png",
}

// writeRun writes a result into a directory: numbers, pictures, and how to get them again.
func writeRun(dir string, m *population.Model, r *population.Result, command string) error {
	return errors.Join(
		writeFile(dir, "summary.json", func(w io.Writer) error { return printCompact(w, r) }),
		writeFile(dir, "series.csv", func(w io.Writer) error { return writeSeries(w, m, r) }),
		writeFile(dir, "flows.csv", func(w io.Writer) error { return writeFlows(w, m, r) }),
		writeFile(dir, "model.yaml", func(w io.Writer) error { _, err := w.Write(m.Source()); return err }),
		writeFile(dir, "command.txt", func(w io.Writer) error { _, err := fmt.Fprintln(w, command); return err }),
		writeFile(dir, "diagram.svg", func(w io.Writer) error { _, err := w.Write(m.Diagram()); return err }),
		plotRun(dir, m, r),
	)
}

func writeSeries(w io.Writer, m *population.Model, r *population.Result) error {
	out := csv.NewWriter(w)
	_ = out.Write([]string{"replica", "time", "state", "count"}) // Error tells at the end
	states := m.States()
	for i := range r.Runs {
		run := &r.Runs[i]
		for row := range run.Rows() {
			for s, name := range states {
				_ = out.Write([]string{strconv.Itoa(run.Replica), format.Number(r.Times[row]), name, strconv.Itoa(run.Count(row, s))})
			}
		}
	}
	out.Flush()
	return out.Error()
}

// writeFlows also has what goes by a name, which may be any, also that of a flow: the column kind tells them apart.
func writeFlows(w io.Writer, m *population.Model, r *population.Result) error {
	out := csv.NewWriter(w)
	_ = out.Write([]string{"replica", "time", "kind", "flow", "count"})
	flows, names := m.Flows(), m.Names()
	for i := range r.Runs {
		run := &r.Runs[i]
		for row := range run.Rows() {
			line := func(kind, flow string, count uint64) {
				_ = out.Write([]string{strconv.Itoa(run.Replica), format.Number(r.Times[row]), kind, flow, strconv.FormatUint(count, 10)})
			}
			for k, flow := range flows {
				line("flow", flow.String(), run.Flow(row, k))
			}
			for k, name := range names {
				line("named", name, run.Named(row, k))
			}
		}
	}
	out.Flush()
	return out.Error()
}
