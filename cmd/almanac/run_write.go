package main

import (
	"context"
	"errors"
	"fmt"
	"io"

	"github.com/almanac-sim/almanac/internal/outdir"
	"github.com/almanac-sim/almanac/internal/pictures"
	"github.com/almanac-sim/almanac/population"
	"github.com/almanac-sim/almanac/population/results"
)

// runFiles are what may be in the directory of --out.
var runFiles = []string{
	"summary.json", "series.csv", "flows.csv", "events.csv", "series.parquet", "flows.parquet", "events.parquet", "model.yaml", "command.txt", "draws.csv",
	"diagram.svg", "states.svg", "states.png", "each.svg", "each.png", "incidence.svg", "incidence.png", "by-*.svg", "by-*.png",
	"incidence-by-*.svg", "incidence-by-*.png",
}

// writeRun writes a result into a directory: numbers, pictures, and how to get them again. Of a model that is too large for a
// diagram there is none.
func writeRun(dir string, m *population.Model, r *population.Result, f results.Format, command string) error {
	return errors.Join(
		outdir.WriteFile(dir, "summary.json", func(w io.Writer) error { return printResult(w, r) }),
		outdir.WriteFile(dir, "series."+string(f), func(w io.Writer) error { return results.WriteSeries(w, f, r) }),
		outdir.WriteFile(dir, "flows."+string(f), func(w io.Writer) error { return results.WriteFlows(w, f, r) }),
		outdir.WriteFile(dir, "model.yaml", func(w io.Writer) error { _, err := w.Write(m.Source()); return err }),
		outdir.WriteFile(dir, "command.txt", func(w io.Writer) error { _, err := fmt.Fprintln(w, command); return err }),
		writeDiagramOf(dir, m),
		pictures.Save(dir, r),
	)
}

// writeDiagramOf writes the diagram of a model beside its results. Those who interrupted the run get it, too.
func writeDiagramOf(dir string, m *population.Model) error {
	drawn, err := m.Diagram(context.Background())
	if errors.Is(err, population.ErrDiagram) {
		return nil
	}
	return errors.Join(err, outdir.WriteFile(dir, "diagram.svg", func(w io.Writer) error { _, err := w.Write(drawn); return err }))
}

// printResult prints a result as JSON on one line.
func printResult(w io.Writer, r *population.Result) error {
	if err := r.WriteJSON(w); err != nil {
		return err
	}
	_, err := io.WriteString(w, "\n")
	return err
}
