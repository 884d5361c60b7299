package main

import (
	"context"
	"errors"
	"io"

	"github.com/almanac-sim/almanac/internal/outdir"
	"github.com/almanac-sim/almanac/internal/pictures"
	"github.com/almanac-sim/almanac/population"
	"github.com/almanac-sim/almanac/population/results"
	"github.com/almanac-sim/almanac/study"
)

// writeRun writes a result into a directory: numbers, pictures, and how to get them again. Of a
// model that is too large for a diagram there is none.
func writeRun(dir string, s *study.Study, r *population.Result) error {
	f := results.Format(s.Format)
	return errors.Join(
		outdir.WriteFile(dir, "summary.json", func(w io.Writer) error { return printResult(w, r) }),
		outdir.WriteFile(dir, "series."+s.Format, func(w io.Writer) error { return results.WriteSeries(w, f, r) }),
		outdir.WriteFile(dir, "flows."+s.Format, func(w io.Writer) error { return results.WriteFlows(w, f, r) }),
		writeRequest(dir, s.Request, s.Command()),
		writeDraws(dir, s),
		writeDiagramOf(dir, s.Plain),
		pictures.Save(dir, r),
	)
}

// writeDraws writes what each replica draws, if anything is drawn.
func writeDraws(dir string, s *study.Study) error {
	if s.Posterior == nil {
		return nil
	}
	return outdir.WriteFile(dir, "draws.csv", func(w io.Writer) error {
		return s.Posterior.WriteDraws(w, s.Plain, s.Seed, s.Replica, s.Replicas)
	})
}

// writeDiagramOf writes the diagram of a model beside its results. Those who interrupted the run
// get it, too.
func writeDiagramOf(dir string, m *population.Model) error {
	drawn, err := m.Diagram(context.Background())
	if errors.Is(err, population.ErrDiagram) {
		return nil
	}
	return errors.Join(err, outdir.WriteFile(dir, "diagram.svg", func(w io.Writer) error {
		_, err := w.Write(drawn)
		return err
	}))
}

// printResult prints a result as JSON on one line.
func printResult(w io.Writer, r *population.Result) error {
	if err := r.WriteJSON(w); err != nil {
		return err
	}
	_, err := io.WriteString(w, "\n")
	return err
}
