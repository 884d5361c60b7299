package main

import (
	"context"
	"fmt"
	"io"
	"io/fs"
	"os"
	"path/filepath"
	"strings"

	"github.com/spf13/cobra"

	"github.com/almanac-sim/almanac/cmd/internal/cli"
	"github.com/almanac-sim/almanac/internal/format"
	"github.com/almanac-sim/almanac/internal/plot"
	"github.com/almanac-sim/almanac/population"
)

// modelFlags are the changes to a model that a command line can ask for.
type modelFlags struct {
	size     string
	until    string
	scenario string
	set      []string
}

func (f *modelFlags) register(c *cobra.Command) {
	c.Flags().StringVar(&f.size, "size", "", "how many individuals there are at the start: 1000000, 1_000_000 or 1e6")
	c.Flags().StringVar(&f.until, "until", "", "when the model ends, on its own clock: 2011, \"160 days\", or 2020-12-31 if it starts at a date")
	c.Flags().StringArrayVar(&f.set, "set", nil, "give a parameter another value: --set beta=\"0.4 per day\"; also population.size, population.start.STATE\nand attributes.NAME.VALUE; may be repeated")
	c.Flags().StringVar(&f.scenario, "scenario", "", "take the values of a scenario of the file; --set has precedence")
}

// standardInput in place of a file says that the model is read from there.
const standardInput = "-"

// load reads the model with the changes asked for.
func (f *modelFlags) load(c *cobra.Command, path string) (*population.Model, error) {
	var changes []population.Change
	if f.size != "" {
		sizes, err := cli.ParseSizes("--size", f.size, "individuals", 0, 4_000_000_000)
		if err != nil {
			return nil, err
		}
		if len(sizes) != 1 {
			return nil, cli.Usagef("--size: %q is more than one number", f.size)
		}
		changes = append(changes, population.Size(sizes[0]))
	}
	if f.until != "" {
		changes = append(changes, population.Until(f.until))
	}
	if c.Flags().Changed("scenario") {
		changes = append(changes, population.Scenario(f.scenario))
	}
	for _, set := range f.set {
		name, value, ok := strings.Cut(set, "=")
		if !ok {
			return nil, cli.Usagef("--set: %q has no =; expected a parameter and its value, as in --set beta=\"0.4 per day\"", set)
		}
		changes = append(changes, population.Set(strings.TrimSpace(name), value))
	}
	var m *population.Model
	var err error
	if path == standardInput {
		var source []byte
		if source, err = io.ReadAll(c.InOrStdin()); err != nil {
			return nil, fmt.Errorf("standard input: %w", err)
		}
		m, err = population.Compile("standard input", source, append(changes, population.Files(population.Dir(".")))...)
	} else {
		m, err = population.Load(path, changes...)
	}
	if err != nil {
		if _, wrong := err.(*fs.PathError); wrong {
			return nil, cli.Usage(fmt.Errorf("the model file: %w", err))
		}
		return nil, err
	}
	return m, nil
}

// oneModel wants one argument: the file.
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
	var f modelFlags
	var out string
	c := &cobra.Command{
		Use:   "check MODEL.yaml | -",
		Short: "Explain a model in plain words, or say what is wrong with it",
		Long: "Explain a model in plain words, with all values in its own unit, or say what is wrong with it: everything at once,\n" +
			"each with its line and column, also what is wrong with one of its scenarios, or with what is to be fitted. What may be a\n" +
			"mistake is asked for at the end. Then it is said how much memory a run takes; the exit status is 1 if there is not enough\n" +
			"for it here. With - in place of a file the model is read from standard input.",
		Example: "  almanac check examples/tuberculosis.yaml\n" +
			"  almanac check examples/sir.yaml --out sir.svg",
		Args: oneModel,
		RunE: func(c *cobra.Command, args []string) error {
			m, err := f.load(c, args[0])
			if err != nil {
				return err
			}
			if err := m.Check(c.Context()); err != nil {
				return err
			}
			if out != "" {
				if err := writeDiagram(c.Context(), out, m); err != nil {
					return err
				}
			}
			start, most := m.Memory(population.Options{})
			if _, err := fmt.Fprintf(c.OutOrStdout(), "%s\nA run takes about %s of memory at the start, and up to %s if something is about to happen to everybody.\n", m.Explain(), format.Bytes(start), format.Bytes(most)); err != nil {
				return err
			}
			return m.Fits(population.Options{})
		},
	}
	f.register(c)
	c.Flags().StringVar(&out, "out", "", "where to draw the states and the ways between them: a file that ends in .svg or .png, or a directory")
	return c
}

// writeDiagram draws into a file, or into a directory if that is what is asked for.
func writeDiagram(ctx context.Context, out string, m *population.Model) error {
	ext := filepath.Ext(out)
	if ext != "" && ext != ".svg" && ext != ".png" {
		return cli.Usagef("--out: %s: a diagram is drawn as .svg or .png; or name a directory", out)
	}
	drawn, err := m.DiagramShapes(ctx)
	if err != nil {
		return err
	}
	switch ext {
	case ".svg":
		return os.WriteFile(out, drawn.SVG(), 0o644)
	case ".png":
		picture, err := plot.PNG(drawn)
		if err != nil {
			return err
		}
		return os.WriteFile(out, picture, 0o644)
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
