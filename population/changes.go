package population

import (
	"errors"
	"io"
	"os"
	"path/filepath"
	"slices"

	"github.com/almanac-sim/almanac/population/internal/syntax"
)

// A Change asks for something other than what the model file says.
type Change func(*syntax.Changes)

// Size changes how many individuals there are at the start. States that begin with a number keep it.
func Size(n int) Change { return func(c *syntax.Changes) { c.Size = &n } }

// Until changes when the model ends: a time on its clock, in its own unit ("2011"), with a unit ("160 days"), or a date ("2020-12-31") if it
// starts at one.
func Until(time string) Change { return func(c *syntax.Changes) { c.Until = &time } }

// Scenario takes the values that the file gives under scenarios, by their name. What [Set] says has precedence.
func Scenario(name string) Change { return func(c *syntax.Changes) { c.Scenario = &name } }

// Set gives a parameter another value, written as in a model file: "0.4 per day". With the name of something in the sections population or
// attributes, from the outside in and with dots between, it takes the place of that: "population.start.infectious", "attributes.region.north";
// items of a list go by their number, from 1 on.
func Set(name, value string) Change {
	return func(c *syntax.Changes) { c.Set = append(c.Set, syntax.Setting{Name: name, Text: value}) }
}

// Files says how the tables are read that a model names, as in {steps: {file: beta.csv, column: beta}}. The name is what stands in the model. [Load] reads
// them from the directory of the model file unless told otherwise; [Compile] does not read any unless it is told how.
func Files(read func(name string) ([]byte, error)) Change {
	return func(c *syntax.Changes) { c.Files = read }
}

// Dir reads tables for [Files] from a directory: names are relative to it, and must be those of ordinary files of at most 16 MB.
func Dir(dir string) func(name string) ([]byte, error) {
	return func(name string) ([]byte, error) {
		path := filepath.FromSlash(name)
		if !filepath.IsAbs(path) {
			path = filepath.Join(dir, path)
		}
		// Not opened before it is known to be a file: a pipe would wait for somebody to write.
		info, err := os.Stat(path)
		switch {
		case err != nil:
			return nil, err
		case !info.Mode().IsRegular():
			return nil, errors.New("it is not a file")
		}
		f, err := os.Open(path)
		if err != nil {
			return nil, err
		}
		defer f.Close()
		return io.ReadAll(io.LimitReader(f, syntax.MostFile+1))
	}
}

// Files are the tables that the model has read, by the names that it gives to them. With them and [Files] it can be compiled elsewhere.
func (m *Model) Files() map[string][]byte {
	all := map[string][]byte{}
	for name, content := range m.compiled.Tables {
		all[name] = slices.Clone(content)
	}
	return all
}
