package outdir

import (
	"bytes"
	"fmt"
	"io"
	"maps"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"unicode"
)

// Inputs copies the files that a model reads into the directory, under the names the model uses, so
// that it can be run again from there. A file with the same content is left as it is; one with
// another content is [ErrInTheWay], unless an earlier run of the command wrote it. Names that
// cannot be copied are returned: those that lead out of the directory, begin with a dot, or are
// needed by the command. Names use slashes.
func (o *Dir) Inputs(files map[string][]byte) (left []string, err error) {
	if o == nil || len(files) == 0 {
		return nil, nil
	}
	owners, err := o.owners()
	if err != nil {
		return nil, err
	}
	for _, name := range slices.Sorted(maps.Keys(files)) {
		if !isLocal(name) || o.needs(name) {
			left = append(left, name)
			continue
		}
		if above := o.blocked(name, owners); above != "" {
			return nil, inTheWay{fmt.Sprintf("--out %s: there is a file %s already that this command did not write, and the "+
				"model reads %s; remove it, or name another directory", o.dir, above, name)}
		}
		if owners[name] != o.command {
			old, err := os.ReadFile(o.place(name))
			if err == nil && bytes.Equal(old, files[name]) {
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
			_, err := w.Write(files[name])
			return err
		}); err != nil {
			return nil, err
		}
	}
	return left, nil
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
