package main

import (
	"errors"
	"fmt"
	"os"

	"github.com/spf13/cobra"

	"github.com/almanac-sim/almanac/cmd/internal/cli"
	"github.com/almanac-sim/almanac/internal/format"
	"github.com/almanac-sim/almanac/population"
)

// createState begins the file of --as; nil if none is asked for. A state that is there already will
// be replaced, which is said; any other file stays.
func (f *runFlags) createState(c *cobra.Command, m *population.Model) (*population.StateWriter, error) {
	if f.SaveAt == "" {
		return nil, nil
	}
	if info, err := os.Stat(f.As); err == nil && info.IsDir() {
		return nil, cli.Usagef("--as %s: it is a directory; name a file", f.As)
	} else if err == nil && info.Mode().IsRegular() {
		s, err := population.OpenState(f.As)
		switch {
		case err == nil:
			_ = s.Close()
			tell(c, fmt.Sprintf("--as %s: there is a state, of %s %.12g; the new one takes its place when it is complete", f.As,
				m.Unit(), format.Tidy(s.Time())))
		case errors.Is(err, population.ErrNoState):
			return nil, cli.Usagef("--as %s: there is a file that almanac run --save-at has not written; name another", f.As)
		default:
			tell(c, fmt.Sprintf("--as %s: there is a state that cannot be read; the new one takes its place when it is complete",
				f.As))
		}
	}
	w, err := m.CreateState(f.As)
	if err != nil {
		return nil, cli.Usage(fmt.Errorf("--as: %w", err))
	}
	return w, nil
}

// keepState gives the file its name, and says what is in it.
func (f *runFlags) keepState(c *cobra.Command, m *population.Model, w *population.StateWriter) error {
	if err := w.Keep(); err != nil {
		return fmt.Errorf("--as: %w", err)
	}
	info, err := os.Stat(f.As)
	if err != nil {
		return err
	}
	times := m.Times()
	tell(c, fmt.Sprintf("%s has the state of %s at %s %.12g, in %s; almanac run --from-state %[1]s goes on with it", f.As,
		format.Count(f.Replicas, "replica"), m.Unit(), times[len(times)-1], format.Bytes(uint64(info.Size()))))
	return nil
}
