package outdir

import (
	"bytes"
	"fmt"
	"io"
	"maps"
	"os"
	"path"
	"path/filepath"
	"slices"
	"strings"
	"unicode"
)

// inputs is the directory for files of a model that cannot have their own names beside the results.
const inputs = "inputs"

// Inputs copies the files that a model reads into the directory, so that it can be run again from
// there. They get the names that the model uses, if they can. Those that lead out of the directory,
// begin with a dot, or are needed by the command go into a directory for inputs, and their new names
// are returned. A file with the same content is left as it is; one with another content is
// [ErrInTheWay], unless an earlier run of the command wrote it. Names use slashes.
func (o *Dir) Inputs(files map[string][]byte) (moved map[string]string, err error) {
	if o == nil || len(files) == 0 {
		return nil, nil
	}
	moved = map[string]string{}
	owners, err := o.owners()
	if err != nil {
		return nil, err
	}
	taken := maps.Clone(files)
	for _, from := range slices.Sorted(maps.Keys(files)) {
		name := from
		if !isLocal(name) || o.needs(name) {
			name = inputName(from, taken)
			moved[from], taken[name] = name, nil
		}
		if above := o.blocked(name, owners); above != "" {
			return nil, inTheWay{fmt.Sprintf("--out %s: there is a file %s already that this command did not write, and the "+
				"model reads %s; remove it, or name another directory", o.dir, above, name)}
		}
		if owners[name] != o.command {
			old, err := os.ReadFile(o.place(name))
			if err == nil && bytes.Equal(old, files[from]) {
				continue
			}
			if _, gone := os.Lstat(o.place(name)); gone == nil {
				return nil, inTheWay{fmt.Sprintf("--out %s: there is another %s already than the one that the model reads; "+
					"remove it, or name another directory", o.dir, name)}
			}
		}
		target := filepath.Join(o.Path(), filepath.FromSlash(name))
		if err := os.MkdirAll(filepath.Dir(target), 0o755); err != nil {
			return nil, err
		}
		if err := WriteFile(filepath.Dir(target), filepath.Base(target), func(w io.Writer) error {
			_, err := w.Write(files[from])
			return err
		}); err != nil {
			return nil, err
		}
	}
	return moved, nil
}

// inputName is a name in the directory for inputs that is not taken.
func inputName(from string, taken map[string][]byte) string {
	base := strings.TrimLeft(path.Base(from), ".")
	if !isLocal(base) {
		base = "table.csv"
	}
	name := path.Join(inputs, base)
	for i := 2; ; i++ {
		if _, ok := taken[name]; !ok {
			return name
		}
		name = path.Join(inputs, fmt.Sprintf("%d-%s", i, base))
	}
}

// needs reports whether the command may write a file or a directory of this name.
func (o *Dir) needs(name string) bool {
	first, _, _ := strings.Cut(name, "/")
	return slices.ContainsFunc(o.names, func(pattern string) bool { ok, _ := filepath.Match(pattern, first); return ok })
}

// isLocal reports whether a name is a clean path within a directory, without hidden elements.
func isLocal(name string) bool {
	if !filepath.IsLocal(filepath.FromSlash(name)) || name == "." || strings.ContainsFunc(name, unicode.IsControl) {
		return false
	}
	for part := range strings.SplitSeq(name, "/") {
		if part == "" || part[0] == '.' {
			return false
		}
	}
	return true
}
