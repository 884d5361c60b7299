package cli

import (
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"path/filepath"

	"github.com/spf13/cobra"

	"github.com/almanac-sim/almanac/cmd/internal/progress"
	"github.com/almanac-sim/almanac/internal/outdir"
)

// An Output is the directory of --out; nil if not given.
type Output struct{ dir *outdir.Dir }

// OpenOutput prepares a directory in which a command may write the named files; see [outdir.Open].
func OpenOutput(dir, command string, names ...string) (*Output, error) {
	d, err := outdir.Open(dir, "almanac", command, names...)
	switch {
	case errors.Is(err, outdir.ErrInTheWay):
		return nil, Usage(err)
	case err != nil || d == nil:
		return nil, err
	}
	return &Output{d}, nil
}

// Inputs copies the tables of a model into the directory, so that it can be run from there, and
// returns the names of those that got another name.
func (o *Output) Inputs(files map[string][]byte) (moved map[string]string, err error) {
	if o == nil {
		return nil, nil
	}
	moved, err = o.dir.Inputs(files)
	if errors.Is(err, outdir.ErrInTheWay) {
		err = Usage(err)
	}
	return moved, err
}

// Path is the directory to write into.
func (o *Output) Path() string { return o.dir.Path() }

// Keep replaces the earlier results of the command.
func (o *Output) Keep() error {
	if o == nil {
		return nil
	}
	return o.dir.Keep()
}

// KeepIncomplete keeps an incomplete result. It does not replace a complete one, which is said.
func (o *Output) KeepIncomplete(c *cobra.Command) error {
	beside, err := o.dir.KeepIncomplete()
	if beside != "" {
		fmt.Fprintf(c.ErrOrStderr(), "almanac: the complete result in %s stays; what there is of this one is in %s\n",
			filepath.Dir(beside), beside)
	}
	return err
}

// Drop discards files that were not kept. It may be called after Keep.
func (o *Output) Drop() error {
	if o == nil {
		return nil
	}
	return o.dir.Drop()
}

// Deliver writes a report into the directory of --out, if given, and prints it.
func Deliver[R any](c *cobra.Command, report R, incomplete bool, out *Output, asJSON bool,
	write func(string, R) error, print func(io.Writer, R) error) error {
	if out != nil {
		if err := write(out.Path(), report); err != nil {
			return err
		}
		keep := out.Keep
		if incomplete {
			keep = func() error { return out.KeepIncomplete(c) }
		}
		if err := keep(); err != nil {
			return err
		}
	}
	if asJSON {
		return PrintJSON(c.OutOrStdout(), report)
	}
	return print(c.OutOrStdout(), report)
}

// Report measures with a progress bar and delivers the report. It opens the directory of --out
// first, so that its errors come at once.
func Report[R any](c *cobra.Command, command, dir string, files []string, asJSON bool, measure func(*progress.Bar) (R,
	error),
	write func(string, R) error, print func(io.Writer, R) error) error {
	out, err := OpenOutput(dir, command, files...)
	if err != nil {
		return err
	}
	defer out.Drop()
	bar := progress.New(c.ErrOrStderr())
	defer bar.Close()
	report, err := measure(bar)
	if err != nil {
		return err
	}
	bar.Close()
	return Deliver(c, report, false, out, asJSON, write, print)
}

// WriteJSON writes what PrintJSON prints to a file.
func WriteJSON(dir, name string, v any) error {
	return outdir.WriteFile(dir, name, func(w io.Writer) error { return PrintJSON(w, v) })
}

// PrintJSON prints indented JSON.
func PrintJSON(w io.Writer, v any) error {
	e := json.NewEncoder(w)
	e.SetIndent("", "  ")
	return e.Encode(v)
}
