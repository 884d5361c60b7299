// Package folder reads and writes the files of one directory, and nothing outside of it.
package folder

import (
	"bytes"
	"crypto/rand"
	"crypto/sha256"
	"encoding/hex"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"net/http"
	"os"
	"path"
	"strings"
	"sync"
	"syscall"

	"github.com/almanac-sim/almanac/internal/format"
	"github.com/almanac-sim/almanac/internal/outdir"
	"github.com/almanac-sim/almanac/page/internal/httperr"
	"github.com/almanac-sim/almanac/population"
	"github.com/almanac-sim/almanac/population/results"
)

// A Folder is the directory that is shown. Names are relative to it, with slashes. If it has an
// os.Root, files can be written, and opening a link that leads out of the directory fails.
type Folder struct {
	files fs.FS
	root  *os.Root
	mu    *sync.Mutex // held from the comparison to the rename of a write
}

func New(files fs.FS, root *os.Root) Folder { return Folder{files, root, new(sync.Mutex)} }

func (f Folder) Stat(name string) (fs.FileInfo, error) { return fs.Stat(f.files, name) }

// Sizes in bytes above which files are not read.
const (
	MaxModel   = 1 << 20
	MaxTable   = 16 << 20 // of a table of a model, and other small files
	MaxResults = 64 << 20
)

func (f Folder) Writable() bool { return f.root != nil }

// Valid returns the name if visitors may use it: hidden files and directories are excluded.
func (f Folder) Valid(name string) (string, error) {
	if !fs.ValidPath(name) || strings.ContainsAny(name, "\\\x00") || name != "." && hidden(name) {
		return "", httperr.NotFound("%q is not the name of a file here", name)
	}
	return name, nil
}

// Open opens a regular file.
func (f Folder) Open(name string) (fs.File, error) {
	name, err := f.Valid(name)
	if err != nil {
		return nil, err
	}
	// Opening a pipe would block.
	info, err := f.Stat(name)
	if err != nil || !info.Mode().IsRegular() {
		return nil, httperr.NotFound("there is no file %q here", name)
	}
	file, err := f.files.Open(name)
	if err != nil {
		return nil, httperr.NotFound("%q cannot be opened", name)
	}
	return file, nil
}

// Read returns the content of a file of at most most bytes.
func (f Folder) Read(name string, most int64) ([]byte, error) {
	file, err := f.Open(name)
	if err != nil {
		return nil, err
	}
	defer file.Close()
	data, err := io.ReadAll(io.LimitReader(file, most+1))
	if err == nil && int64(len(data)) > most {
		return nil, httperr.Errorf(http.StatusRequestEntityTooLarge, "%q has more than %d bytes", name, most)
	}
	return data, err
}

// Size is the length of a file that Read accepts, and 0 for others.
func (f Folder) Size(name string) uint64 {
	info, err := f.Stat(name)
	if err != nil || info.Size() > MaxResults {
		return 0
	}
	return uint64(info.Size())
}

// Tables lets a model read the tables that it names.
func (f Folder) Tables(model string) population.Change {
	return population.Files(func(name string) ([]byte, error) { return f.Table(model, name) })
}

// Table reads a table by its path relative to a model.
func (f Folder) Table(model, name string) ([]byte, error) {
	if path.IsAbs(name) {
		return nil, errors.New("only files below the directory of the page are read")
	}
	return f.Read(path.Join(path.Dir(model), name), MaxTable)
}

// hidden reports whether an element of a path begins with a dot.
func hidden(name string) bool { return strings.HasPrefix(name, ".") || strings.Contains(name, "/.") }

// IsModel reports whether a name is that of a model file. Other files are neither listed nor
// written as models.
func IsModel(name string) bool {
	ext := path.Ext(name)
	return (ext == ".yaml" || ext == ".yml") && !hidden(name)
}

// Write replaces a file atomically, if its digest is still was.
func (f Folder) Write(name string, text []byte, was string) error {
	if f.root == nil {
		return httperr.Errorf(http.StatusForbidden,
			"the examples are part of the program and cannot be written; "+"almanac serve "+"DIR shows a directory of "+
				"yours")
	}
	if !IsModel(name) {
		return httperr.Errorf(http.StatusForbidden, "%q is not the name of a model file", name)
	}
	f.mu.Lock()
	defer f.mu.Unlock()
	now, err := f.Read(name, MaxModel)
	if err != nil {
		return err
	}
	if Digest(now) != was {
		return httperr.Errorf(http.StatusConflict,
			"%s has changed since it was read here; load it again, and make the "+"change anew", name)
	}
	info, err := f.root.Stat(name)
	if err != nil {
		return err
	}
	f.removeStale(path.Dir(name))
	file, beside, err := f.createTemp(path.Dir(name), info.Mode().Perm())
	if err != nil {
		return writeError(name, err)
	}
	_, err = file.Write(text)
	if err = errors.Join(err, file.Sync()); err == nil {
		err = f.root.Rename(beside, name)
	}
	if err != nil {
		_ = f.root.Remove(beside)
	}
	_ = file.Close() // after the rename: closing releases the lock
	return writeError(name, err)
}

const tempPrefix, tempSuffix = ".almanac-", ".tmp"

// createTemp creates a file for Write and locks it while it is open, so that removeStale of another
// process spares it. It tries again if the file was removed before the lock was held.
func (f Folder) createTemp(dir string, mode fs.FileMode) (file *os.File, name string, err error) {
	for {
		name = path.Join(dir, tempPrefix+rand.Text()+tempSuffix)
		if file, err = f.root.OpenFile(name, os.O_WRONLY|os.O_CREATE|os.O_EXCL, mode); err != nil {
			return nil, "", err
		}
		mine, err := outdir.TryLock(file)
		if err != nil { // no locks here, so removeStale removes nothing
			return file, name, nil
		}
		if _, err := f.root.Lstat(name); err == nil && mine {
			return file, name, nil
		}
		_ = file.Close()
		_ = f.root.Remove(name)
	}
}

// removeStale removes temporary files of processes that were killed: those that are not locked.
func (f Folder) removeStale(dir string) {
	entries, _ := fs.ReadDir(f.root.FS(), dir)
	for _, e := range entries {
		text, first := strings.CutPrefix(e.Name(), tempPrefix)
		text, last := strings.CutSuffix(text, tempSuffix)
		if !first || !last || len(text) != len(rand.Text()) || !e.Type().IsRegular() {
			continue
		}
		name := path.Join(dir, e.Name())
		file, err := f.root.Open(name)
		if err != nil {
			continue
		}
		if mine, _ := outdir.TryLock(file); mine {
			_ = f.root.Remove(name)
		}
		_ = file.Close()
	}
}

// RemoveStale removes such files from all directories with visible files.
func (f Folder) RemoveStale() {
	done := map[string]bool{}
	f.Walk(func(name string) {
		if dir := path.Dir(name); !done[dir] {
			done[dir] = true
			f.removeStale(dir)
		}
	})
}

// writeError turns errors of the disk and of permissions into errors for the visitor.
func writeError(name string, err error) error {
	switch {
	case errors.Is(err, fs.ErrPermission), errors.Is(err, syscall.EROFS):
		return httperr.Errorf(http.StatusForbidden,
			"%s cannot be written: the directory that it is in may be read here, and "+
				"no more", name)
	case errors.Is(err, syscall.ENOSPC):
		return httperr.Errorf(http.StatusInsufficientStorage, "%s cannot be written: there is no room on the disk", name)
	case errors.Is(err, fs.ErrNotExist):
		return httperr.NotFound("%s cannot be written: the directory that it was in is gone", name)
	}
	return err
}

// Digest identifies a text.
func Digest(text []byte) string {
	sum := sha256.Sum256(text)
	return hex.EncodeToString(sum[:])
}

// Bounds of Walk.
const (
	maxDepth   = 6
	maxEntries = 20_000
)

// Walk visits the files, without hidden ones and without following links to directories. It returns
// sentences about what it has not visited.
func (f Folder) Walk(visit func(name string)) (unseen []string) {
	entries, deep, bad := 0, false, 0
	err := fs.WalkDir(f.files, ".", func(name string, d fs.DirEntry, err error) error {
		entries++
		switch {
		case err != nil && name == ".":
			return err
		case err != nil:
			bad++
			return nil
		case entries > maxEntries:
			return errTooManyEntries
		case d.IsDir() && name != "." && (strings.HasPrefix(d.Name(), ".") || d.Name() == "node_modules"):
			return fs.SkipDir
		case d.IsDir() && strings.Count(name, "/") >= maxDepth:
			deep = true
			return fs.SkipDir
		case !d.IsDir() && !strings.HasPrefix(d.Name(), "."):
			visit(name)
		}
		return nil
	})
	switch {
	case errors.Is(err, errTooManyEntries):
		unseen = append(unseen, fmt.Sprintf("There are more than %s files and directories, of which the first are looked "+
			"at; almanac serve shows those below one of the directories.", format.Thousands(maxEntries)))
	case err != nil: // the directory itself
		unseen = append(unseen, "The directory cannot be read: "+reason(err)+".")
	}
	if bad > 0 {
		unseen = append(unseen, "Here "+format.Count(bad, "name")+" cannot be read: permissions are missing, or a link "+
			"leads nowhere.")
	}
	if deep {
		unseen = append(unseen, fmt.Sprintf("What is more than %d directories down is not looked at; almanac serve shows "+
			"those below one of the directories.", maxDepth))
	}
	return unseen
}

var errTooManyEntries = errors.New("page: there are more entries than are looked at")

// reason describes an error of a directory without its path, which visitors must not see.
func reason(err error) string {
	switch {
	case errors.Is(err, fs.ErrNotExist):
		return "it is gone"
	case errors.Is(err, fs.ErrPermission):
		return "it may not be"
	}
	if p, ok := errors.AsType[*fs.PathError](err); ok {
		return p.Err.Error()
	}
	return "something is wrong with it"
}

// Summary reads the summary.json of a directory.
func (f Folder) Summary(dir string) (*results.Summary, error) {
	data, err := f.Read(path.Join(dir, "summary.json"), MaxResults)
	if err != nil {
		return nil, err
	}
	sum, err := results.ReadSummary(bytes.NewReader(data))
	if err != nil {
		return nil, httperr.Unprocessable("summary.json in %s is not what almanac run writes: %v", dir, err)
	}
	return sum, nil
}
