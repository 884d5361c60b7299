package main

import (
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"strings"

	"github.com/spf13/cobra"

	"github.com/almanac-sim/almanac/internal/outdir"
)

// An output is the directory of --out; nil if there is none.
type output struct{ dir *outdir.Dir }

// openOutput prepares the directory of --out for a command, which may write files of these names; see [outdir.Open].
func openOutput(dir, command string, names ...string) (*output, error) {
	d, err := outdir.Open(dir, "almanac", command, names...)
	switch {
	case errors.Is(err, outdir.ErrInTheWay):
		return nil, usageError{err}
	case err != nil || d == nil:
		return nil, err
	}
	return &output{d}, nil
}

// inputs puts the tables that a model reads beside what is written, so that it can be run again there, and says which cannot be.
func (o *output) inputs(c *cobra.Command, files map[string][]byte) error {
	if o == nil {
		return nil
	}
	left, err := o.dir.Inputs(files)
	if errors.Is(err, outdir.ErrInTheWay) {
		return usageError{err}
	}
	if len(left) > 0 {
		fmt.Fprintf(c.ErrOrStderr(), "almanac: what the model reads from %s is not put beside model.yaml: only names within its directory that no result has are\n", strings.Join(left, ", "))
	}
	return err
}

// path is where to write files.
func (o *output) path() string { return o.dir.Path() }

// pathOr is the same, and empty if there is no directory.
func (o *output) pathOr() string {
	if o == nil {
		return ""
	}
	return o.path()
}

// keep lets what was written take the place of what the command wrote earlier.
func (o *output) keep() error {
	if o == nil {
		return nil
	}
	return o.dir.Keep()
}

// drop gives up what has not been kept. It may be called after keep, and more than once.
func (o *output) drop() error {
	if o == nil {
		return nil
	}
	return o.dir.Drop()
}

// deliver writes a report into the directory of --out, if there is one, and prints it.
func deliver[R any](w io.Writer, report R, out *output, asJSON bool, write func(string, R) error, print func(io.Writer, R) error) error {
	if out != nil {
		if err := write(out.path(), report); err != nil {
			return err
		}
		if err := out.keep(); err != nil {
			return err
		}
	}
	if asJSON {
		return printJSON(w, report)
	}
	return print(w, report)
}

// writeFile writes a file through a buffer.
func writeFile(dir, name string, write func(io.Writer) error) error {
	return outdir.WriteFile(dir, name, write)
}

// printJSON prints JSON to be read by people, too.
func printJSON(w io.Writer, v any) error {
	e := json.NewEncoder(w)
	e.SetIndent("", "  ")
	return e.Encode(v)
}
