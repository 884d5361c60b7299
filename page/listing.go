package page

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"io/fs"
	"net/http"
	"net/url"
	"path"
	"strings"
	"sync"
	"time"

	"github.com/almanac-sim/almanac/internal/format"
)

// How much of a folder is looked at, and listed.
const (
	mostDepth   = 6
	mostEntries = 20_000
	mostListed  = 500 // of each kind
)

// walk goes through the files of the folder, as far as it is looked at: hidden names are left out,
// and links to directories are not followed. It says in words what it has not looked at.
func (f folder) walk(visit func(name string)) (unseen []string) {
	entries, deep, bad := 0, false, 0
	err := fs.WalkDir(f.files, ".", func(name string, d fs.DirEntry, err error) error {
		entries++
		switch {
		case err != nil && name == ".":
			return err
		case err != nil:
			bad++
			return nil
		case entries > mostEntries:
			return errManyEntries
		case d.IsDir() && name != "." && (strings.HasPrefix(d.Name(), ".") || d.Name() == "node_modules"):
			return fs.SkipDir
		case d.IsDir() && strings.Count(name, "/") >= mostDepth:
			deep = true
			return fs.SkipDir
		case !d.IsDir() && !strings.HasPrefix(d.Name(), "."):
			visit(name)
		}
		return nil
	})
	switch {
	case errors.Is(err, errManyEntries):
		unseen = append(unseen, fmt.Sprintf("There are more than %s files and directories, of which the first are looked "+
			"at; almanac serve shows those below one of the directories.", format.Thousands(mostEntries)))
	case err != nil: // it cannot be read at all
		unseen = append(unseen, "The directory cannot be read: "+reason(err)+".")
	}
	if bad > 0 {
		unseen = append(unseen, "Here "+format.Count(bad, "name")+" cannot be read: permissions are missing, or a link "+
			"leads nowhere.")
	}
	if deep {
		unseen = append(unseen, fmt.Sprintf("What is more than %d directories down is not looked at; almanac serve shows "+
			"those below one of the directories.", mostDepth))
	}
	return unseen
}

var errManyEntries = errors.New("page: there are more entries than are looked at")

// reason is why a directory cannot be read, without its name, which is not for visitors.
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

// some are the first of many, and how many there are more.
type some[T any] struct {
	all  []T
	more int
}

func (s *some[T]) add(x T) {
	if len(s.all) < mostListed {
		s.all = append(s.all, x)
	} else {
		s.more++
	}
}

// notes says how many are not listed, before what else there is to say.
func (s *some[T]) notes(unseen ...string) []string {
	if s.more > 0 {
		return append([]string{fmt.Sprintf("And %s more, for which this list has no room; "+
			"almanac serve shows those below one of the directories.", format.Thousands(float64(s.more)))}, unseen...)
	}
	return unseen
}

// A head is what a list says of a model file.
type head struct {
	Path      string
	about     string
	model     bool // it has states; other files have that ending, too
	scenarios bool
	copied    bool // beside results, by the command that made them

	changed time.Time
	bytes   int64
}

// A listing is what there is in a folder: model files, and directories with results.
type listing struct {
	models     []head // those that somebody wrote come first
	moreModels []string

	results, studies, comparisons, courses, claims some[listed] // comparisons are also among the studies

	unseen []string // what is to be said of what was not looked at
}

// A lister remembers the heads of model files, so that a list reads only those that have changed.
type lister struct {
	mu    sync.Mutex
	heads map[string]head
}

// list looks for results and studies, in turn, and for models if they are wanted.
func (s *Server) list(ctx context.Context, models bool) (listing, error) {
	return made(ctx, s, func() (l listing, _ error) {
		var files some[string]
		commands := map[string]bool{} // directories that one of our commands wrote
		l.unseen = s.files.walk(func(name string) {
			dir := path.Dir(name)
			at := func(page, about string) listed { return listed{dir, page + pathEscape(dir), dir, about} }
			switch base := path.Base(name); {
			case base == "command.txt":
				commands[dir] = true
			case base == "summary.json":
				l.results.add(at("/results/", ""))
			case base == "points.csv":
				l.studies.add(at("/sweeps/", "sweep"))
			case base == "fit.json":
				l.studies.add(at("/fits/", "fit"))
			case base == "differences.csv":
				l.studies.add(at("/comparisons/", "comparison"))
				l.comparisons.add(at("/comparisons/", ""))
			case base == "courses.csv":
				l.courses.add(at("/courses/", ""))
			case base == "claims.json":
				l.claims.add(listed{Path: name, Link: "/papers?report=" + url.QueryEscape(name), Name: dir})
			case isModel(name):
				files.add(name)
			}
		})
		if !models {
			return l, nil
		}
		l.moreModels = files.notes(l.unseen...)
		var copied []head
		for _, m := range s.lister.read(s.files, files.all) {
			if m.copied = commands[path.Dir(m.Path)]; m.copied {
				copied = append(copied, m)
			} else {
				l.models = append(l.models, m)
			}
		}
		l.models = append(l.models, copied...)
		return l, nil
	})
}

// read are the heads of those files that are models.
func (l *lister) read(f folder, names []string) (models []head) {
	l.mu.Lock()
	defer l.mu.Unlock()
	heads := make(map[string]head, len(names))
	for _, name := range names {
		info, err := fs.Stat(f.files, name)
		if err != nil {
			continue
		}
		h, ok := l.heads[name]
		if !ok || !h.changed.Equal(info.ModTime()) || h.bytes != info.Size() {
			h = head{Path: name, changed: info.ModTime(), bytes: info.Size()}
			if text, err := f.read(name, mostModel); err == nil && bytes.Contains(text, []byte("states:")) {
				h.model, h.about, h.scenarios = true, firstWords(text), bytes.Contains(text, []byte("scenarios:"))
			}
		}
		if heads[name] = h; h.model {
			models = append(models, h)
		}
	}
	l.heads = heads // those that are gone are forgotten
	return models
}

// listed is the model in a list, with a link. Copies beside results are all called the same, and
// have the name of their directory, too.
func (h head) listed(link string) listed {
	name := strings.TrimSuffix(h.Path, path.Ext(h.Path))
	if !h.copied {
		name = path.Base(name)
	}
	return listed{h.Path, link, name, h.about}
}

// dirOf is the directory that an address names. Browsers take "." out of addresses, which is what
// the folder itself is called.
func dirOf(r *http.Request) string {
	if dir := r.PathValue("path"); dir != "" {
		return dir
	}
	return "."
}
