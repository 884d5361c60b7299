package main

import (
	"context"
	"fmt"
	"os"
	"path/filepath"
	"strings"

	"github.com/spf13/cobra"

	"github.com/almanac-sim/almanac/cmd/internal/cli"
	"github.com/almanac-sim/almanac/internal/format"
	"github.com/almanac-sim/almanac/internal/outdir"
	"github.com/almanac-sim/almanac/internal/plot"
	"github.com/almanac-sim/almanac/population"
)

// oneModel accepts one argument, the model file.
func oneModel(c *cobra.Command, args []string) error {
	switch len(args) {
	case 1:
		return nil
	case 0:
		return cli.Usagef("%s: which model? Name a file, as in almanac %s examples/sir.yaml", c.Name(), c.Name())
	}
	return cli.Usagef("%s: one model at a time, not %s", c.Name(), strings.Join(args, " "))
}

func newCheck() *cobra.Command {
	var f studyFlags
	c := &cobra.Command{
		Use:   "check MODEL.yaml | -",
		Short: "Explain a model, or list what is wrong with it",
		Long: `Explain a model in words, with all values in its own unit, or list everything that is wrong with it,
its scenarios and its section fit, with lines and columns. Questions about possible mistakes come at
the end. The model is a file, or - for standard input.

The command also prints how much memory a run needs. The exit status is 1 if this machine has not
enough, and 2 if the model is wrong.`,
		Example: `  almanac check examples/tuberculosis.yaml
  almanac check examples/sir.yaml --out sir.svg`,
		Args: oneModel,
		RunE: func(c *cobra.Command, args []string) error {
			s, err := f.open(c, args[0])
			if err != nil {
				return err
			}
			m := s.Plain
			if err := m.Check(c.Context()); err != nil {
				return err
			}
			if f.Out != "" {
				if err := writeDiagram(c.Context(), f.Out, m); err != nil {
					return err
				}
			}
			start, most := m.Memory(population.Options{})
			places := ""
			if bytes := m.PlaceMemory(population.Options{Replicas: 1}); bytes > 0 {
				places = " Places take about " + format.Bytes(bytes) + " of it."
			}
			if _, err := fmt.Fprintf(c.OutOrStdout(), "%s\nA run takes about %s of memory at the start, and up to %s if "+
				"something is about to happen to everybody.%s The program itself comes on top; what run reports includes it.\n",
				m.Explain(), format.Bytes(start), format.Bytes(most), places); err != nil {
				return err
			}
			return m.CheckMemory(population.Options{})
		},
	}
	f.registerModel(c)
	c.Flags().StringVar(&f.Out, "out", "", "diagram of the states and transitions: a `file` ending in .svg, "+
		".pdf or .png, or a directory")
	return c
}

// writeDiagram writes a file, or diagram.svg into a directory.
func writeDiagram(ctx context.Context, out string, m *population.Model) error {
	ext := filepath.Ext(out)
	if ext != "" && ext != ".svg" && ext != ".pdf" && ext != ".png" {
		return cli.Usagef("--out: %s: a diagram is drawn as .svg, .pdf or .png; or name a directory", out)
	}
	drawn, err := m.DiagramShapes(ctx)
	if err != nil {
		return err
	}
	switch ext {
	case ".svg":
		return writePicture(out, drawn.SVG())
	case ".pdf", ".png":
		encode := plot.PNG
		if ext == ".pdf" {
			encode = plot.PDF
		}
		picture, err := encode(drawn)
		if err != nil {
			return err
		}
		return writePicture(out, picture)
	}
	dir, err := cli.OpenOutput(out, "check", "states.svg")
	if err != nil {
		return err
	}
	defer dir.Drop()
	if err := os.WriteFile(filepath.Join(dir.Path(), "states.svg"), drawn.SVG(), 0o644); err != nil {
		return err
	}
	return dir.Keep()
}

// writePicture writes a picture to the file that --out names.
func writePicture(out string, picture []byte) error {
	if err := outdir.Replace(out, func(name string) error { return os.WriteFile(name, picture, 0o644) }); err != nil {
		return cannotWrite("--out", out, err)
	}
	return nil
}
