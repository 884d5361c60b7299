package page

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"io/fs"
	"net/http"
	"path"
	"slices"
	"strings"
	"sync"
	"time"

	"github.com/almanac-sim/almanac/internal/format"
)

// How much of a folder is looked at, and listed.
const (
	mostDepth   = 6
	mostEntries = 20_000
	mostModels  = 500
	mostSaved   = 500
	mostStudies = 500
)

// walk goes through the files of the folder, as far as it is looked at: hidden names are left out, and links to directories are not followed. It says in
// words what it has not looked at.
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
		unseen = append(unseen, fmt.Sprintf("There are more than %s files and directories, of which the first are looked at; almanac serve shows those below one of the directories.", format.Thousands(mostEntries)))
	case err != nil: // it cannot be read at all
		unseen = append(unseen, "The directory cannot be read: "+reason(err)+".")
	}
	if bad > 0 {
		unseen = append(unseen, "Here "+format.Count(bad, "name")+" cannot be read: permissions are missing, or a link leads nowhere.")
	}
	if deep {
		unseen = append(unseen, fmt.Sprintf("What is more than %d directories down is not looked at; almanac serve shows those below one of the directories.", mostDepth))
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
	var p *fs.PathError
	if errors.As(err, &p) {
		return p.Err.Error()
	}
	return "something is wrong with it"
}

// some are the first of many names, and how many there are more.
type some[T any] struct {
	all  []T
	more int
}

func (s *some[T]) add(x T, most int) {
	if len(s.all) < most {
		s.all = append(s.all, x)
	} else {
		s.more++
	}
}

// notShown says of how many things a list has the first, or nothing.
func notShown(more int, unseen []string) []string {
	if more > 0 {
		unseen = append([]string{fmt.Sprintf("And %s more, for which this list has no room; almanac serve shows those below one of the directories.", format.Thousands(float64(more)))}, unseen...)
	}
	return unseen
}

// named are the files of a name, wherever they are in the folder, and what else there is to say.
func (s *Server) named(ctx context.Context, name string) (all []string, notes []string, err error) {
	err = s.inTurn(ctx, func() error {
		var found some[string]
		unseen := s.files.walk(func(at string) {
			if path.Base(at) == name {
				found.add(at, mostSaved)
			}
		})
		all, notes = found.all, notShown(found.more, unseen)
		return nil
	})
	return all, notes, err
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

// A listing is what there is in a folder.
type listing struct {
	models  []head
	saved   []string // directories that a run was written to
	studies []found

	comparisons []found // those of the studies

	moreModels, moreSaved, moreStudies, moreComparisons []string // what is to be said of those that are not there
}

// A lister remembers the heads of model files, so that a list reads only those that have changed.
type lister struct {
	mu    sync.Mutex
	heads map[string]head
}

// list looks for models, results and studies, in turn.
func (s *Server) list(ctx context.Context) (l listing, err error) {
	err = s.inTurn(ctx, func() error {
		var models, saved some[string]
		var studies, comparisons some[found]
		commands := map[string]bool{} // directories that one of our commands wrote
		unseen := s.files.walk(func(name string) {
			dir := path.Dir(name)
			switch base := path.Base(name); {
			case base == "command.txt":
				commands[dir] = true
			case base == "summary.json":
				saved.add(dir, mostSaved)
			case base == "points.csv":
				studies.add(found{dir, "/sweeps/" + pathEscape(dir), "sweep"}, mostStudies)
			case base == "fit.json":
				studies.add(found{dir, "/fits/" + pathEscape(dir), "fit"}, mostStudies)
			case base == "differences.csv":
				one := found{dir, "/comparisons/" + pathEscape(dir), "comparison"}
				studies.add(one, mostStudies)
				comparisons.add(one, mostStudies)
			case isModel(name):
				models.add(name, mostModels)
			}
		})
		l.models = s.lister.read(s.files, models.all)
		for i, m := range l.models {
			l.models[i].copied = commands[path.Dir(m.Path)]
		}
		slices.SortStableFunc(l.models, func(a, b head) int { // those that somebody wrote come first
			switch {
			case a.copied == b.copied:
				return 0
			case b.copied:
				return -1
			}
			return 1
		})
		l.saved, l.studies, l.comparisons = saved.all, studies.all, comparisons.all
		l.moreModels, l.moreSaved, l.moreStudies, l.moreComparisons = notShown(models.more, unseen), notShown(saved.more, nil), notShown(studies.more, nil), notShown(comparisons.more, nil)
		return nil
	})
	return l, err
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

// listed is the model in a list, with a link. Copies beside results are all called the same, and have the name of their directory, too.
func (h head) listed(link string) listed {
	name := strings.TrimSuffix(h.Path, path.Ext(h.Path))
	if !h.copied {
		name = path.Base(name)
	}
	return listed{h.Path, link, name, h.about}
}

// dirOf is the directory that an address names. Browsers take "." out of addresses, which is what the folder itself is called.
func dirOf(r *http.Request) string {
	if dir := r.PathValue("path"); dir != "" {
		return dir
	}
	return "."
}
