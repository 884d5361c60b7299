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

// Inputs puts files beside what the command writes, under the names by which its model reads them,
// so that the model can be run again from the directory. A file that is there already with the same
// content stays as it is; one with another content is [ErrInTheWay], unless it is from an earlier
// run of the command. Names that cannot be beside it are left out, and returned: those that lead
// out of the directory, those that begin with a dot, and those that the command needs for itself.
// Names have / between their parts.
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

// needs reports whether the command may write a file of this name, or make a directory of it.
func (o *Dir) needs(name string) bool {
	first, _, _ := strings.Cut(name, "/")
	return slices.ContainsFunc(o.names, func(pattern string) bool { ok, _ := filepath.Match(pattern, first); return ok })
}

// isLocal reports whether a name is of a file within a directory, written in the one way there is,
// and hides nothing.
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
