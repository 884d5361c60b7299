// Package outdir writes results atomically: the directory always holds one complete run, or none.
package outdir

import (
	"bufio"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"maps"
	"os"
	"path"
	"path/filepath"
	"slices"
	"strings"
	"syscall"
)

// A Dir is the directory of --out. It never holds a mixture of two runs:
//
//   - Files are written into a subdirectory. When they are complete, all earlier files are removed
//     before the first new one is moved.
//   - The first file is removed first and moved last. So whenever the process ends, the directory
//     has files of one run only, and if the first file is there, all are.
//   - A list says which command wrote which files. A command replaces its own files. Other files
//     are left alone, and if one has a name that the command needs, Open fails.
//   - An incomplete result, of a command that was interrupted, does not replace a complete one: it
//     gets a subdirectory of its own. The list says which results are incomplete.
//   - Of two processes that write into one directory, the second is refused, if the system has
//     locks.
//   - A file that others create in the place of a new one during the run is renamed to FILE.before,
//     or the next free name.
//   - A command that is refused or fails removes the empty directories that it made.
type Dir struct {
	dir     string
	program string
	command string
	names   []string // of the command's files
	first   string   // removed first, moved last
	partial []string // commands whose result in the directory is incomplete, as owners read it
	made    []string // directories that Open made, innermost first
	lock    *Locked
	step    func() error // called before each step of Keep; tests abort there
}

const (
	unfinished = ".almanac-unfinished"
	ownership  = ".almanac-files"
)

// Open prepares a directory and creates it if necessary. The names are those of the files that the
// command may write, with * as a wildcard; the first is always written. If dir is "", the result is
// nil, on which Keep and Drop may be called. Files of others that are in the way cause
// [ErrInTheWay].
func Open(dir, program, command string, names ...string) (*Dir, error) {
	if dir == "" {
		return nil, nil
	}
	dir = filepath.Clean(dir) // otherwise MkdirAll would create x for x/..
	o := &Dir{dir: dir, program: program, command: command, names: names, first: names[0], made: missing(dir),
		step: func() error { return nil }}
	if err := os.MkdirAll(dir, 0o755); err != nil {
		o.removeEmpty()
		return nil, notMade(dir, err)
	}
	var err error
	if o.lock, err = Lock(dir, os.O_RDONLY); errors.Is(err, ErrLocked) {
		return nil, fmt.Errorf("--out %s: another command is writing into it", dir)
	} else if err != nil {
		o.removeEmpty()
		return nil, fmt.Errorf("--out %s: %w", dir, err)
	}
	if err := o.prepare(names); err != nil {
		o.removeEmpty()
		return nil, errors.Join(err, o.lock.Close())
	}
	return o, nil
}

// notMade is the error for a directory that cannot be made.
func notMade(dir string, err error) error {
	if file := FileAbove(dir); file != "" {
		return inTheWay{fmt.Sprintf("--out %s: %s is a file; name a directory", dir, file)}
	}
	var path *fs.PathError
	if errors.As(err, &path) {
		return fmt.Errorf("--out %s: the directory %s cannot be made: %w", dir, path.Path, path.Err)
	}
	return fmt.Errorf("--out %s: %w", dir, err)
}

// FileAbove returns the path, or the part of it, that is a file and would have to be a directory;
// "" if there is none.
func FileAbove(path string) string {
	for path = filepath.Clean(path); ; path = filepath.Dir(path) {
		if info, err := os.Stat(path); err == nil {
			if info.IsDir() {
				return ""
			}
			return path
		}
		if filepath.Dir(path) == path {
			return ""
		}
	}
}

// missing lists the directories that MkdirAll would create, innermost first.
func missing(dir string) (all []string) {
	for ; isMissing(dir) && filepath.Dir(dir) != dir; dir = filepath.Dir(dir) {
		all = append(all, dir)
	}
	return all
}

// removeEmpty removes the directories that Open created, if empty.
func (o *Dir) removeEmpty() {
	for _, dir := range o.made {
		if os.Remove(dir) != nil && !isMissing(dir) {
			return
		}
	}
}

func isMissing(path string) bool {
	_, err := os.Lstat(path)
	return isGone(err)
}

// isGone reports whether a file does not exist, or its directory is a file.
func isGone(err error) bool { return errors.Is(err, fs.ErrNotExist) || errors.Is(err, syscall.ENOTDIR) }

// free returns a path at which nothing is: this one, or one with a number.
func free(path string) string {
	name := path
	for i := 2; !isMissing(name); i++ {
		name = fmt.Sprintf("%s-%d", path, i)
	}
	return name
}

// ErrInTheWay says that the directory has files that the command must not replace.
var ErrInTheWay = errors.New("outdir: files of others are in the way")

type inTheWay struct{ text string }

func (e inTheWay) Error() string { return e.text }
func (e inTheWay) Unwrap() error { return ErrInTheWay }

// prepare checks that nothing is in the way.
func (o *Dir) prepare(names []string) error {
	if err := o.unfinishedStudy(); err != nil {
		return err
	}
	owners, err := o.owners()
	if err != nil {
		return err
	}
	entries, err := os.ReadDir(o.dir)
	if err != nil {
		return err
	}
	for _, entry := range entries {
		file := entry.Name()
		for _, name := range names {
			if matches, _ := filepath.Match(name, file); !matches {
				continue
			}
			switch owner := owners[file]; {
			case owner == "":
				return inTheWay{fmt.Sprintf("--out %s: there is a file %s already that this command did not write; remove it, "+
					"or name another directory", o.dir, file)}
			case owner != o.command && name == file:
				return inTheWay{fmt.Sprintf("--out %s: there is a file %s already, from %s %s; name another directory", o.dir, file,
					o.program, owner)}
			}
		}
	}
	// We hold the lock, so unfinished files are of a process that was killed.
	if err := os.RemoveAll(o.Path()); err != nil {
		return err
	}
	return os.Mkdir(o.Path(), 0o755)
}

// Path is the directory to write into.
func (o *Dir) Path() string { return filepath.Join(o.dir, unfinished) }

// Keep replaces the earlier results by the new files. If it fails, the new files stay in a
// directory that no command removes, and that the error names.
func (o *Dir) Keep() error {
	_, err := o.keep(true)
	return err
}

// KeepIncomplete is Keep for the files of an incomplete result. If the directory has a complete
// result of the command, that stays; the new files get a directory of their own, which is returned
// and which no command removes.
func (o *Dir) KeepIncomplete() (beside string, err error) { return o.keep(false) }

func (o *Dir) keep(complete bool) (beside string, err error) {
	if o == nil {
		return "", nil
	}
	if !complete {
		owners, err := o.owners()
		if err != nil {
			return "", err
		}
		if owners[o.first] == o.command && !slices.Contains(o.partial, o.command) && !isMissing(o.place(o.first)) {
			return o.leave()
		}
	}
	if err := o.replace(complete); err != nil {
		rest, failed := o.leave()
		return "", fmt.Errorf("--out %s: %w; what could not be put there is in %s", o.dir, errors.Join(err, failed), rest)
	}
	return "", o.Drop()
}

// leave moves the new files into a directory of their own.
func (o *Dir) leave() (rest string, err error) {
	rest = free(filepath.Join(o.dir, "unfinished"))
	err = errors.Join(os.Rename(o.Path(), rest), o.lock.Close())
	o.lock = nil // so that Drop removes nothing
	return rest, err
}

func (o *Dir) replace(complete bool) error {
	fresh, err := o.written()
	if err != nil {
		return err
	}
	owners, err := o.owners()
	if err != nil {
		return err
	}
	// Check everything before the first file is removed.
	for _, file := range fresh {
		if err := o.setAside(file, owners); err != nil {
			return err
		}
	}
	var old []string
	for file, owner := range owners {
		if owner != o.command {
			continue
		}
		if info, err := os.Lstat(o.place(file)); err != nil && !isGone(err) {
			return err
		} else if err == nil && info.IsDir() { // by others
			delete(owners, file)
			continue
		}
		old = append(old, file)
	}
	for _, file := range fresh {
		owners[file] = o.command
	}
	o.partial = slices.DeleteFunc(o.partial, func(command string) bool { return command == o.command })
	if !complete {
		o.partial = append(o.partial, o.command)
	}
	// The list has old and new files while both may be there.
	if err := o.own(owners); err != nil {
		return err
	}
	o.sort(old)
	for _, file := range old {
		if err := o.step(); err != nil {
			return err
		}
		if err := os.Remove(o.place(file)); err != nil && !isGone(err) {
			return err
		}
		for above := path.Dir(file); above != "."; above = path.Dir(above) {
			if info, err := os.Lstat(o.place(above)); err != nil && isGone(err) {
				continue
			} else if err != nil || !info.IsDir() { // links and files are not ours
				break
			}
			if os.Remove(o.place(above)) != nil { // not empty
				break
			}
		}
		if !slices.Contains(fresh, file) {
			delete(owners, file)
		}
	}
	o.sort(fresh)
	slices.Reverse(fresh)
	for _, file := range fresh {
		if err := o.step(); err != nil {
			return err
		}
		if err := os.MkdirAll(o.place(path.Dir(file)), 0o755); err != nil {
			return err
		}
		if err := os.Rename(filepath.Join(o.Path(), filepath.FromSlash(file)), o.place(file)); err != nil {
			return err
		}
	}
	return o.own(owners)
}

// setAside renames what others created during the run in the place of a file or of a directory
// above it.
func (o *Dir) setAside(file string, owners map[string]string) error {
	name := o.blocked(file, owners)
	if name == "" {
		info, err := os.Lstat(o.place(file))
		if isGone(err) || err == nil && owners[file] == o.command && !info.IsDir() {
			return nil
		} else if err != nil {
			return err
		}
		name = file
	}
	return os.Rename(o.place(name), free(o.place(name)+".before"))
}

// blocked is a file in the place of a directory that a file needs, unless the command wrote it; ""
// if there is none.
func (o *Dir) blocked(file string, owners map[string]string) string {
	for above := path.Dir(file); above != "."; above = path.Dir(above) {
		if isMissing(o.place(above)) || owners[above] == o.command {
			continue
		}
		if info, err := os.Stat(o.place(above)); err != nil || !info.IsDir() { // also a dangling link
			return above
		}
	}
	return ""
}

// place is the final path of a file.
func (o *Dir) place(file string) string { return filepath.Join(o.dir, filepath.FromSlash(file)) }

// written returns the files written so far, with slashes.
func (o *Dir) written() (files []string, err error) {
	err = fs.WalkDir(os.DirFS(o.Path()), ".", func(name string, d fs.DirEntry, err error) error {
		if err == nil && !d.IsDir() {
			files = append(files, name)
		}
		return err
	})
	return files, err
}

// sort puts the first file first.
func (o *Dir) sort(files []string) {
	slices.SortFunc(files, func(a, b string) int {
		switch {
		case a == o.first:
			return -1
		case b == o.first:
			return 1
		}
		return strings.Compare(a, b)
	})
}

// Drop discards what was not kept. It may be called after Keep, and more than once.
func (o *Dir) Drop() error {
	if o == nil || o.lock == nil {
		return nil
	}
	err := os.RemoveAll(o.Path())
	o.removeEmpty()
	err = errors.Join(err, o.lock.Close())
	o.lock = nil
	return err
}

// incomplete begins a line of the list with a command whose result is incomplete. Earlier versions
// take it for a comment.
const incomplete = "# incomplete: "

// owners reads the list: the command of each file, and which results are incomplete.
func (o *Dir) owners() (map[string]string, error) {
	owners := map[string]string{}
	o.partial = nil
	file, err := os.Open(filepath.Join(o.dir, ownership))
	if errors.Is(err, fs.ErrNotExist) {
		return owners, nil
	} else if err != nil {
		return nil, err
	}
	defer file.Close()
	lines := bufio.NewScanner(file)
	for lines.Scan() {
		if command, ok := strings.CutPrefix(lines.Text(), incomplete); ok {
			o.partial = append(o.partial, command)
		}
		command, name, ok := strings.Cut(lines.Text(), ": ")
		if ok && !strings.HasPrefix(command, "#") && isLocal(name) { // never outside the directory
			owners[name] = command
		}
	}
	return owners, lines.Err()
}

// own writes the list atomically.
func (o *Dir) own(owners map[string]string) error {
	if err := o.step(); err != nil {
		return err
	}
	err := WriteFile(o.dir, ownership+".new", func(w io.Writer) error {
		_, err := fmt.Fprintln(w, "# The files here that a command of almanac wrote: it replaces these, and no others.")
		for _, command := range o.partial {
			fmt.Fprintln(w, incomplete+command)
		}
		for _, file := range slices.Sorted(maps.Keys(owners)) {
			fmt.Fprintf(w, "%s: %s\n", owners[file], file)
		}
		return err
	})
	if err != nil {
		return err
	}
	return os.Rename(filepath.Join(o.dir, ownership+".new"), filepath.Join(o.dir, ownership))
}

// WriteFile writes a file through a buffer.
func WriteFile(dir, name string, write func(io.Writer) error) error {
	file, err := os.Create(filepath.Join(dir, name))
	if err != nil {
		return err
	}
	w := bufio.NewWriter(file)
	if err = write(w); err == nil { // otherwise Flush returns the same error again
		err = w.Flush()
	}
	return errors.Join(err, file.Close())
}

// Replace makes a file whole or not at all: write gets another name with the same extension, and
// an earlier file stays until the new one is complete. What is no plain file, such as a link or
// /dev/stdout, is written in place.
func Replace(name string, write func(name string) error) error {
	if info, err := os.Lstat(name); err == nil && !info.Mode().IsRegular() {
		return write(name)
	}
	part := filepath.Join(filepath.Dir(name), unfinished+"-"+filepath.Base(name))
	err := write(part)
	if err == nil {
		err = os.Rename(part, name)
	}
	if err != nil {
		_ = os.Remove(part)
	}
	return err
}
