package population

import (
	"errors"
	"io"
	"os"
	"path/filepath"
	"slices"

	"github.com/almanac-sim/almanac/population/internal/syntax"
)

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
