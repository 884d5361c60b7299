package main

import (
	"errors"
	"fmt"
	"io"
	"io/fs"
	"strings"

	"github.com/spf13/cobra"

	"github.com/almanac-sim/almanac/cmd/internal/cli"
	"github.com/almanac-sim/almanac/internal/format"
	"github.com/almanac-sim/almanac/internal/models"
	"github.com/almanac-sim/almanac/internal/outdir"
	"github.com/almanac-sim/almanac/population"
)

// A fromFlag is --from: a sample of which each replica draws values of parameters.
type fromFlag struct {
	path string
	from *models.From // nil if there is none
}

func (f *fromFlag) register(c *cobra.Command) {
	c.Flags().StringVar(&f.path, "from", "", "posterior.csv of almanac fit: each replica draws values of parameters from it, by weight; --scenario and --set have precedence")
}

// read reads the sample, and looks whether the model can be run with it. What a scenario or --set gives a value to is not drawn, and that is said.
func (f *fromFlag) read(c *cobra.Command, m *population.Model) (err error) {
	if f.path == "" {
		if c.Flags().Changed("from") {
			return cli.Usagef("--from: from what? Name a file, as in --from results/posterior.csv")
		}
		return nil
	}
	if f.from, err = models.ReadFrom(f.path, m); err != nil {
		if errors.As(err, new(*fs.PathError)) {
			return cli.Usagef("--from: %w", err)
		}
		return cli.Usage(err)
	}
	if err := f.from.Try(m); err != nil {
		return cli.Usage(err)
	}
	if _, given := f.from.Drawn(m); len(given) > 0 {
		fmt.Fprintf(c.ErrOrStderr(), "almanac: --from: not drawn, since a scenario or --set gives a value: %s\n", strings.Join(given, ", "))
	}
	return nil
}

// vary makes the model of each replica; nil if all have the same.
func (f *fromFlag) vary(m *population.Model, seed uint64) func(int) (*population.Model, error) {
	if f.from == nil {
		return nil
	}
	return f.from.Vary(m, seed)
}

// drawn says what is drawn from what; nil if nothing is.
func (f *fromFlag) drawn(m *population.Model) *population.Drawn {
	if f.from == nil {
		return nil
	}
	names, _ := f.from.Drawn(m)
	return &population.Drawn{From: f.path, Rows: len(f.from.Posterior.Rows), Effective: f.from.Posterior.Effective(), Parameters: names}
}

// write writes what was drawn into a directory, if there is one.
func (f *fromFlag) write(dir string, m *population.Model, seed uint64, first, replicas int) error {
	if f.from == nil || dir == "" {
		return nil
	}
	return outdir.WriteFile(dir, "draws.csv", func(w io.Writer) error { return f.from.WriteDraws(w, m, seed, first, replicas) })
}

// print says what was drawn.
func (f *fromFlag) print(w io.Writer, d *population.Drawn) error {
	if d == nil {
		return nil
	}
	_, err := fmt.Fprintf(w, "each replica with its own %s, drawn from %s (%s, effective %.0f)\n", strings.Join(d.Parameters, ", "), d.From, format.Count(d.Rows, "row"), d.Effective)
	return err
}
