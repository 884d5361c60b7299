package page

import (
	"crypto/rand"
	"crypto/sha256"
	"encoding/hex"
	"errors"
	"io"
	"io/fs"
	"net/http"
	"os"
	"path"
	"strings"
	"sync"
	"syscall"

	"github.com/almanac-sim/almanac/internal/outdir"
	"github.com/almanac-sim/almanac/population"
)

// A folder is the files that are shown. Names are relative to it and have slashes. With a root they
// can be written, and links that lead out of the directory are not followed, by the system call
// that opens them and not by looking beforehand.
type folder struct {
	files   fs.FS
	root    *os.Root
	writing *sync.Mutex // held from looking at what is there until it is replaced
}

// How much of a file is read.
const (
	mostModel = 1 << 20  // bytes of a model file
	mostTable = 16 << 20 // and of other files
)

// writable reports whether files can be written.
func (f folder) writable() bool { return f.root != nil }

// valid is the name of a file, or an error for the visitor. Hidden files are not for visitors, and
// neither is what is in hidden directories.
func (f folder) valid(name string) (string, error) {
	if !fs.ValidPath(name) || strings.ContainsAny(name, "\\\x00") || name != "." && hidden(name) {
		return "", problemf(http.StatusNotFound, "%q is not the name of a file here", name)
	}
	return name, nil
}

// open opens a file.
func (f folder) open(name string) (fs.File, error) {
	name, err := f.valid(name)
	if err != nil {
		return nil, err
	}
	// Not opened before it is known to be a file: a pipe would wait for somebody to write.
	info, err := fs.Stat(f.files, name)
	if err != nil || !info.Mode().IsRegular() {
		return nil, problemf(http.StatusNotFound, "there is no file %q here", name)
	}
	file, err := f.files.Open(name)
	if err != nil {
		return nil, problemf(http.StatusNotFound, "%q cannot be opened", name)
	}
	return file, nil
}

// read is what is in a file of at most so many bytes.
func (f folder) read(name string, most int64) ([]byte, error) {
	file, err := f.open(name)
	if err != nil {
		return nil, err
	}
	defer file.Close()
	data, err := io.ReadAll(io.LimitReader(file, most+1))
	if err == nil && int64(len(data)) > most {
		return nil, problemf(http.StatusRequestEntityTooLarge, "%q has more than %d bytes", name, most)
	}
	return data, err
}

// size is how many bytes there are in a file that is read as a whole; 0 if it is not there, or too
// large to be read.
func (f folder) size(name string) uint64 {
	info, err := fs.Stat(f.files, name)
	if err != nil || info.Size() > mostSummary {
		return 0
	}
	return uint64(info.Size())
}

// tables reads what a model names, relative to its own place.
func (f folder) tables(model string) population.Change {
	return population.Files(func(name string) ([]byte, error) { return f.table(model, name) })
}

// table reads a table that a model names.
func (f folder) table(model, name string) ([]byte, error) {
	if path.IsAbs(name) {
		return nil, errors.New("only files below the directory of the page are read")
	}
	return f.read(path.Join(path.Dir(model), name), mostTable)
}

// hidden reports whether a part of a name begins with a dot.
func hidden(name string) bool { return strings.HasPrefix(name, ".") || strings.Contains(name, "/.") }

// isModel reports whether a name is one of a model file: others are neither shown nor written as
// such, hidden ones included.
func isModel(name string) bool {
	ext := path.Ext(name)
	return (ext == ".yaml" || ext == ".yml") && !hidden(name)
}

// write puts a text in place of a file, whole or not at all, if what is there is what was read.
func (f folder) write(name string, text []byte, was string) error {
	if f.root == nil {
		return problemf(http.StatusForbidden, "the examples are part of the program and cannot be written; almanac serve "+
			"DIR shows a directory of yours")
	}
	if !isModel(name) {
		return problemf(http.StatusForbidden, "%q is not the name of a model file", name)
	}
	f.writing.Lock()
	defer f.writing.Unlock()
	now, err := f.read(name, mostModel)
	if err != nil {
		return err
	}
	if digest(now) != was {
		return problemf(http.StatusConflict, "%s has changed since it was read here; load it again, and make the change anew",
			name)
	}
	info, err := f.root.Stat(name)
	if err != nil {
		return err
	}
	f.clean(path.Dir(name))
	file, beside, err := f.temporary(path.Dir(name), info.Mode().Perm())
	if err != nil {
		return unwritten(name, err)
	}
	_, err = file.Write(text)
	if err = errors.Join(err, file.Sync()); err == nil {
		err = f.root.Rename(beside, name)
	}
	if err != nil {
		_ = f.root.Remove(beside)
	}
	_ = file.Close() // all is on the disk, and the lock is held until it has its name
	return unwritten(name, err)
}

// The names of files that are being written, before and after a text that is by chance.
const temporaryFirst, temporaryLast = ".almanac-", ".tmp"

// temporary makes a file to be written, and locks it for as long as it is open: so others know that
// it is not left over. It is made anew should another have taken it for that before it was locked.
func (f folder) temporary(dir string, mode fs.FileMode) (file *os.File, name string, err error) {
	for {
		name = path.Join(dir, temporaryFirst+rand.Text()+temporaryLast)
		if file, err = f.root.OpenFile(name, os.O_WRONLY|os.O_CREATE|os.O_EXCL, mode); err != nil {
			return nil, "", err
		}
		mine, err := outdir.TryLock(file)
		if err != nil { // there are no locks here, and nothing is removed without one
			return file, name, nil
		}
		if _, err := f.root.Lstat(name); err == nil && mine {
			return file, name, nil
		}
		_ = file.Close()
		_ = f.root.Remove(name)
	}
}

// clean removes what a page that was killed has left in a directory: files of our names that nobody
// has locked. What cannot be removed stays.
func (f folder) clean(dir string) {
	entries, _ := fs.ReadDir(f.root.FS(), dir)
	for _, e := range entries {
		text, first := strings.CutPrefix(e.Name(), temporaryFirst)
		text, last := strings.CutSuffix(text, temporaryLast)
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

// cleanAll does so in all directories with files that are shown.
func (f folder) cleanAll() {
	done := map[string]bool{}
	f.walk(func(name string) {
		if dir := path.Dir(name); !done[dir] {
			done[dir] = true
			f.clean(dir)
		}
	})
}

// unwritten says why a file is not written, if that is for the visitor to know.
func unwritten(name string, err error) error {
	switch {
	case errors.Is(err, fs.ErrPermission), errors.Is(err, syscall.EROFS):
		return problemf(http.StatusForbidden, "%s cannot be written: the directory that it is in may be read here, and "+
			"no more", name)
	case errors.Is(err, syscall.ENOSPC):
		return problemf(http.StatusInsufficientStorage, "%s cannot be written: there is no room on the disk", name)
	case errors.Is(err, fs.ErrNotExist):
		return problemf(http.StatusNotFound, "%s cannot be written: the directory that it was in is gone", name)
	}
	return err
}

// digest tells texts apart.
func digest(text []byte) string {
	sum := sha256.Sum256(text)
	return hex.EncodeToString(sum[:])
}
