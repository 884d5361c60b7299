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

// maxListed is the length of a list.
const maxListed = 500

// firstOf is the first elements of a long list, and the number of the others.
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

// notes says how many elements are missing, followed by other notes.
func (s *firstOf[T]) notes(unseen ...string) []string {
	if s.more > 0 {
		return append([]string{fmt.Sprintf("And %s more, for which this list has no room; "+
			"almanac serve shows those below one of the directories.", format.Thousands(float64(s.more)))}, unseen...)
	}
	return unseen
}

// A modelEntry is a model file in a list.
type modelEntry struct {
	Path      string
	about     string
	model     bool // it has states; other YAML files do not
	scenarios bool
	copied    bool // a copy that a command wrote beside its results

	changed time.Time
	bytes   int64
}

// A listing is the content of a folder: models, and directories with results.
type listing struct {
	models     []modelEntry // copies last
	moreModels []string

	results, studies, comparisons, courses, claims firstOf[listItem] // comparisons are studies, too

	notes []string // about what was not visited
}

// A modelIndex caches the entries of model files.
type modelIndex struct {
	mu      sync.Mutex
	entries map[string]modelEntry
}

// list lists results and studies, and models if requested.
func (s *Server) list(ctx context.Context, models bool) (listing, error) {
	return computed(ctx, s, func() (l listing, _ error) {
		var files firstOf[string]
		commands := map[string]bool{} // directories with a command.txt
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

// read returns the entries of the model files among names. It reads files that have changed.
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
	l.entries = heads // drops deleted files
	return models
}

// listed returns the item of a list. Copies beside results have equal names, so the directory is
// added.
func (h modelEntry) listed(link string) listItem {
	name := strings.TrimSuffix(h.Path, path.Ext(h.Path))
	if !h.copied {
		name = path.Base(name)
	}
	return listItem{h.Path, link, name, h.about}
}

// requestDir is the directory in an address. Browsers remove "." from addresses.
func requestDir(r *http.Request) string {
	if dir := r.PathValue("path"); dir != "" {
		return dir
	}
	return "."
}
