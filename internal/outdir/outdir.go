// Package outdir is the directory that a command writes its results to: what is in it is from one
// run of a command, whole, or not there.
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

// A Dir is the directory of --out. What is in it is from one run of a command, whole, and never a
// mixture of two:
//
//   - All files are written into a directory of their own, unfinished, inside. Only when they are
//     complete do they take the place of the earlier ones: all of those go before the first of the
//     new ones comes.
//   - The first file goes first and comes last. So whatever ends the program, and when, there are
//     at any time only files of one run, and if the first is there, all of them are.
//   - A list says which files are from which command. Those that a command wrote it replaces, also
//     with fewer; files that are not on the list it leaves alone, and if one of them has a name
//     that it needs, it does not begin.
//   - Of two commands that write into one directory at once, the second is refused, where the
//     system has locks.
//   - What others put in the place of a new file while the command is at work is renamed, to
//     FILE.before or the next name that is free.
//   - A command that is refused, or fails, leaves no directory that it made and nothing is in.
type Dir struct {
	dir     string
	program string
	command string
	names   []string // of what the command may write
	first   string   // the file that goes first and comes last
	made    []string // the directories that Open made, the innermost first
	lock    *Locked
	step    func() error // called before each step of Keep; tests end it there
}

const (
	unfinished = ".almanac-unfinished"
	ownership  = ".almanac-files"
)

// Open prepares a directory, which is made if need be. The names are of the files that the command
// may write, with * for any part of one; the first of them must be one that it always writes. If
// dir is "" there is nothing to write to, and the output is nil, of which Keep and Drop may be
// called. The error of a directory that files of others are in the way of is [ErrInTheWay].
func Open(dir, program, command string, names ...string) (*Dir, error) {
	if dir == "" {
		return nil, nil
	}
	dir = filepath.Clean(dir) // MkdirAll would make a directory that is only named to go up from it
	o := &Dir{dir: dir, program: program, command: command, names: names, first: names[0], made: missing(dir),
		step: func() error { return nil }}
	if err := os.MkdirAll(dir, 0o755); err != nil {
		o.removeEmpty()
		return nil, err
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

// missing lists the directories that MkdirAll would make, the innermost first.
func missing(dir string) (all []string) {
	for ; isMissing(dir) && filepath.Dir(dir) != dir; dir = filepath.Dir(dir) {
		all = append(all, dir)
	}
	return all
}

// removeEmpty removes the directories that Open made, as far as they are empty.
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

// isGone reports whether an error says that there is no such file: it is not there, or a file
// stands where its directory would be.
func isGone(err error) bool { return errors.Is(err, fs.ErrNotExist) || errors.Is(err, syscall.ENOTDIR) }

// free is a path at which nothing is: this one, or else it with a number.
func free(path string) string {
	name := path
	for i := 2; !isMissing(name); i++ {
		name = fmt.Sprintf("%s-%d", path, i)
	}
	return name
}

// ErrInTheWay says that the directory has files that the command would have to replace and may not.
var ErrInTheWay = errors.New("outdir: files of others are in the way")

type inTheWay struct{ text string }

func (e inTheWay) Error() string { return e.text }
func (e inTheWay) Unwrap() error { return ErrInTheWay }

// prepare makes sure that nothing stands in the way.
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
	// With the lock held, what is unfinished is of a command that was killed.
	if err := os.RemoveAll(o.Path()); err != nil {
		return err
	}
	return os.Mkdir(o.Path(), 0o755)
}

// Path is where to write files.
func (o *Dir) Path() string { return filepath.Join(o.dir, unfinished) }

// Keep lets what was written take the place of what the command wrote earlier. If it fails, what
// was written is kept in a directory that no command removes, which the error names.
func (o *Dir) Keep() error {
	if o == nil {
		return nil
	}
	if err := o.replace(); err != nil {
		rest := free(filepath.Join(o.dir, "unfinished"))
		err = errors.Join(err, os.Rename(o.Path(), rest), o.lock.Close())
		o.lock = nil // so that Drop leaves what there is
		return fmt.Errorf("--out %s: %w; what could not be put there is in %s", o.dir, err, rest)
	}
	return o.Drop()
}

func (o *Dir) replace() error {
	fresh, err := o.written()
	if err != nil {
		return err
	}
	owners, err := o.owners()
	if err != nil {
		return err
	}
	// All that may be in the way is seen to before the first file is removed.
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
		} else if err == nil && info.IsDir() { // somebody else made it
			delete(owners, file)
			continue
		}
		old = append(old, file)
	}
	for _, file := range fresh {
		owners[file] = o.command
	}
	// The list has the old and the new files while both may be there.
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
			} else if err != nil || !info.IsDir() { // a link, or a file, is not ours
				break
			}
			if os.Remove(o.place(above)) != nil { // it has something else in it
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

// setAside renames what others put in the place of a file, or of a directory above it, while the
// command was at work.
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

// blocked is what stands where a file needs a directory, unless the command wrote it and so will
// remove it; "" if there is nothing.
func (o *Dir) blocked(file string, owners map[string]string) string {
	for above := path.Dir(file); above != "."; above = path.Dir(above) {
		if isMissing(o.place(above)) || owners[above] == o.command {
			continue
		}
		if info, err := os.Stat(o.place(above)); err != nil || !info.IsDir() { // also a link that leads nowhere
			return above
		}
	}
	return ""
}

// place is where a file is to be in the end.
func (o *Dir) place(file string) string { return filepath.Join(o.dir, filepath.FromSlash(file)) }

// written is the files that were written so far, with / in the names of those in directories.
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

// Drop gives up what has not been kept. It may be called after Keep, and more than once.
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

// owners is the list: which command each file is from.
func (o *Dir) owners() (map[string]string, error) {
	owners := map[string]string{}
	file, err := os.Open(filepath.Join(o.dir, ownership))
	if errors.Is(err, fs.ErrNotExist) {
		return owners, nil
	} else if err != nil {
		return nil, err
	}
	defer file.Close()
	lines := bufio.NewScanner(file)
	for lines.Scan() {
		command, name, ok := strings.Cut(lines.Text(), ": ")
		if ok && !strings.HasPrefix(command, "#") && isLocal(name) { // nothing outside the directory
			owners[name] = command
		}
	}
	return owners, lines.Err()
}

// own writes the list, at once or not at all.
func (o *Dir) own(owners map[string]string) error {
	if err := o.step(); err != nil {
		return err
	}
	err := WriteFile(o.dir, ownership+".new", func(w io.Writer) error {
		_, err := fmt.Fprintln(w, "# The files here that a command of almanac wrote: it replaces these, and no others.")
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
	return errors.Join(write(w), w.Flush(), file.Close())
}
