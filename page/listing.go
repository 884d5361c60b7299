package page

import (
	"bytes"
	"context"
	"fmt"
	"net/http"
	"net/url"
	"path"
	"strings"
	"sync"
	"time"

	"github.com/almanac-sim/almanac/internal/format"
	"github.com/almanac-sim/almanac/page/internal/folder"
)

// maxListed is how many of each kind are listed.
const maxListed = 500

// firstOf are the first of many, and how many there are more.
type firstOf[T any] struct {
	all  []T
	more int
}

func (s *firstOf[T]) add(x T) {
	if len(s.all) < maxListed {
		s.all = append(s.all, x)
	} else {
		s.more++
	}
}

// notes says how many are not listed, before what else there is to say.
func (s *firstOf[T]) notes(unseen ...string) []string {
	if s.more > 0 {
		return append([]string{fmt.Sprintf("And %s more, for which this list has no room; "+
			"almanac serve shows those below one of the directories.", format.Thousands(float64(s.more)))}, unseen...)
	}
	return unseen
}

// A modelEntry is what a list says of a model file.
type modelEntry struct {
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
	models     []modelEntry // those that somebody wrote come first
	moreModels []string

	results, studies, comparisons, courses, claims firstOf[listItem] // comparisons are also among the studies

	notes []string // what is to be said of what was not looked at
}

// A modelIndex remembers the heads of model files, so that a list reads only those that have changed.
type modelIndex struct {
	mu      sync.Mutex
	entries map[string]modelEntry
}

// list looks for results and studies, in turn, and for models if they are wanted.
func (s *Server) list(ctx context.Context, models bool) (listing, error) {
	return computed(ctx, s, func() (l listing, _ error) {
		var files firstOf[string]
		commands := map[string]bool{} // directories that one of our commands wrote
		l.notes = s.files.Walk(func(name string) {
			dir := path.Dir(name)
			at := func(page, about string) listItem { return listItem{dir, page + pathEscape(dir), dir, about} }
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
				l.claims.add(listItem{Path: name, Link: "/papers?report=" + url.QueryEscape(name), Name: dir})
			case folder.IsModel(name):
				files.add(name)
			}
		})
		if !models {
			return l, nil
		}
		l.moreModels = files.notes(l.notes...)
		var copied []modelEntry
		for _, m := range s.index.read(s.files, files.all) {
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
func (l *modelIndex) read(f folder.Folder, names []string) (models []modelEntry) {
	l.mu.Lock()
	defer l.mu.Unlock()
	heads := make(map[string]modelEntry, len(names))
	for _, name := range names {
		info, err := f.Stat(name)
		if err != nil {
			continue
		}
		h, ok := l.entries[name]
		if !ok || !h.changed.Equal(info.ModTime()) || h.bytes != info.Size() {
			h = modelEntry{Path: name, changed: info.ModTime(), bytes: info.Size()}
			if text, err := f.Read(name, folder.MaxModel); err == nil && bytes.Contains(text, []byte("states:")) {
				h.model, h.about, h.scenarios = true, headComment(text), bytes.Contains(text, []byte("scenarios:"))
			}
		}
		if heads[name] = h; h.model {
			models = append(models, h)
		}
	}
	l.entries = heads // those that are gone are forgotten
	return models
}

// listed is the model in a list, with a link. Copies beside results are all called the same, and
// have the name of their directory, too.
func (h modelEntry) listed(link string) listItem {
	name := strings.TrimSuffix(h.Path, path.Ext(h.Path))
	if !h.copied {
		name = path.Base(name)
	}
	return listItem{h.Path, link, name, h.about}
}

// requestDir is the directory that an address names. Browsers take "." out of addresses, which is what
// the folder itself is called.
func requestDir(r *http.Request) string {
	if dir := r.PathValue("path"); dir != "" {
		return dir
	}
	return "."
}
