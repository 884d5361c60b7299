package population

import (
	"errors"
	"io"
	"io/fs"
	"os"
	"path/filepath"
	"slices"

	"github.com/almanac-sim/almanac/population/internal/syntax"
	"github.com/almanac-sim/almanac/population/internal/tablefile"
)

// A Change replaces something that the model file says.
type Change func(*syntax.Changes)

// Size sets the number of individuals at the start. States that begin with a number keep it.
func Size(n int) Change { return func(c *syntax.Changes) { c.Size = &n } }

// Until sets the end of the model: a time in its own unit ("2011"), with a unit ("160 days"), or a
// date ("2020-12-31") if its clock starts at one.
func Until(time string) Change { return func(c *syntax.Changes) { c.Until = &time } }

// Scenario uses the values of a scenario of the file. [Set] has precedence.
func Scenario(name string) Change { return func(c *syntax.Changes) { c.Scenario = &name } }

// Set sets a parameter to a value, written as in a model file: "0.4 per day". It also sets values
// of the sections population and attributes by their path: "population.start.infectious",
// "attributes.region.north"; items of a list go by their number, from 1.
func Set(name, value string) Change {
	return func(c *syntax.Changes) { c.Set = append(c.Set, syntax.Setting{Name: name, Text: value}) }
}

// Base makes changes of [Scenario] and [Set] beneath the others: they replace the values of the
// file, and Scenario and Set of the same call have precedence over them, also a scenario over what
// Base sets. It is for models that start from the values of another study, such as a fit.
func Base(changes ...Change) Change {
	return func(c *syntax.Changes) {
		var base syntax.Changes
		for _, change := range changes {
			change(&base)
		}
		c.Base = &syntax.Base{Scenario: base.Scenario, Set: base.Set}
	}
}

// RecordBy counts by an attribute as well, or by the combinations of several, as record: by in the
// file does. It changes only what is recorded.
func RecordBy(attributes ...string) Change {
	return func(c *syntax.Changes) { c.RecordBy = append(c.RecordBy, slices.Clone(attributes)) }
}

// After makes changes from a time on, on the model's clock: those of [Scenario] and [Set], of
// parameters only. It is for models that continue runs that have reached that time. Up to it, the
// model runs as it does without them, byte for byte, whatever end [Until] sets; until is the end
// with which the runs were begun, as Until takes it, or empty for that of the file.
//
// Parameters change as by an intervention with set.
func After(time float64, until string, changes ...Change) Change {
	return func(c *syntax.Changes) {
		var later syntax.Changes
		for _, change := range changes {
			change(&later)
		}
		c.Later = &syntax.Later{Time: time, Scenario: later.Scenario, Set: later.Set}
		if until != "" {
			c.Later.Until = &until
		}
	}
}

// Files sets how the tables are read that a model names, as in {steps: {file: beta.csv, column:
// beta}}. read gets the name as the model has it. [Load] reads them from the directory of the model
// file by default; [Compile] reads none by default.
func Files(read func(name string) ([]byte, error)) Change {
	return func(c *syntax.Changes) { c.ReadFile = read }
}

// Streams sets how files are opened that are read from beginning to end and may be large, such as
// those of people. open gets the name as the model has it. Without it, or if it returns nil, they
// are read as [Files] says.
func Streams(open func(name string) (fs.File, error)) Change {
	return func(c *syntax.Changes) {
		c.OpenFile = func(name string) (tablefile.Stream, error) {
			f, err := open(name)
			if f == nil {
				return nil, err
			}
			return f, err
		}
	}
}

// Shared is what compilations of one model share: what they have read from large files. Several
// goroutines may use it.
type Shared struct{ files tablefile.Cache }

// Share lets compilations share what they read: a file of people or links that has not changed is
// read once.
func Share(s *Shared) Change { return func(c *syntax.Changes) { c.Cache = &s.files } }

// Reading sets a function that is called now and then while such a file is read, with its name, the
// bytes that have been read, and how many it has.
func Reading(progress func(name string, done, of int64)) Change {
	return func(c *syntax.Changes) { c.Progress = progress }
}

// OpenDir opens files for [Streams] in a directory. Names are relative to it and must be regular
// files.
func OpenDir(dir string) func(name string) (fs.File, error) {
	return func(name string) (fs.File, error) {
		f, err := openRegular(dir, name)
		if err != nil {
			return nil, err // not a nil file in an interface
		}
		return f, nil
	}
}

// MaxTable is the largest size, in bytes, of a table that is read as a whole.
const MaxTable = tablefile.MaxBytes

// Dir reads tables for [Files] from a directory. Names are relative to it and must be regular files
// of at most 16 MB.
func Dir(dir string) func(name string) ([]byte, error) {
	return func(name string) ([]byte, error) {
		f, err := openRegular(dir, name)
		if err != nil {
			return nil, err
		}
		defer f.Close()
		return io.ReadAll(io.LimitReader(f, tablefile.MaxBytes+1))
	}
}

// openRegular opens a regular file by its name relative to a directory.
func openRegular(dir, name string) (*os.File, error) {
	path := filepath.FromSlash(name)
	if !filepath.IsAbs(path) {
		path = filepath.Join(dir, path)
	}
	// Stat before Open: opening a pipe would block.
	info, err := os.Stat(path)
	switch {
	case err != nil:
		return nil, err
	case !info.Mode().IsRegular():
		return nil, errors.New("it is not a file")
	}
	return os.Open(path)
}

// Files returns the tables that the model has read, by name. With them and [Files] it can be
// compiled elsewhere.
func (m *Model) Files() map[string][]byte {
	all := map[string][]byte{}
	for name, content := range m.compiled.Tables {
		all[name] = slices.Clone(content)
	}
	return all
}
