package page

import (
	"bytes"
	"context"
	"io/fs"
	"net/http"
	"path"
	"strings"
	"sync"
	"time"
)

// How much of a folder is looked at, and listed.
const (
	mostDepth   = 6
	mostEntries = 20_000
	mostModels  = 500
	mostSaved   = 500
	mostStudies = 500
)

// walk goes through the files of the folder, as far as it is looked at: hidden names are left out, and links to directories are not followed.
func (f folder) walk(visit func(name string)) {
	entries := 0
	_ = fs.WalkDir(f.files, ".", func(name string, d fs.DirEntry, err error) error {
		entries++
		switch {
		case err != nil:
			return nil // what cannot be read is not shown
		case entries > mostEntries:
			return fs.SkipAll
		case d.IsDir() && name != "." && (strings.HasPrefix(d.Name(), ".") || strings.Count(name, "/") >= mostDepth || d.Name() == "node_modules"):
			return fs.SkipDir
		case !d.IsDir() && !strings.HasPrefix(d.Name(), "."):
			visit(name)
		}
		return nil
	})
}

// named are the files of a name, wherever they are in the folder.
func (s *Server) named(ctx context.Context, name string) (all []string, err error) {
	err = s.inTurn(ctx, func() error {
		s.files.walk(func(at string) {
			if path.Base(at) == name && len(all) < mostSaved {
				all = append(all, at)
			}
		})
		return nil
	})
	return all, err
}

// A head is what a list says of a model file.
type head struct {
	Path      string
	about     string
	model     bool // it has states; other files have that ending, too
	scenarios bool

	changed time.Time
	bytes   int64
}

// A listing is what there is in a folder.
type listing struct {
	models  []head
	saved   []string // directories that a run was written to
	studies []found
}

// A lister remembers the heads of model files, so that a list reads only those that have changed.
type lister struct {
	mu    sync.Mutex
	heads map[string]head
}

// list looks for models, results and studies, in turn.
func (s *Server) list(ctx context.Context) (l listing, err error) {
	err = s.inTurn(ctx, func() error {
		var models []string
		s.files.walk(func(name string) {
			dir := path.Dir(name)
			switch base := path.Base(name); {
			case base == "summary.json" && len(l.saved) < mostSaved:
				l.saved = append(l.saved, dir)
			case base == "points.csv" && len(l.studies) < mostStudies:
				l.studies = append(l.studies, found{dir, "/sweeps/" + pathEscape(dir), "sweep"})
			case base == "fit.json" && len(l.studies) < mostStudies:
				l.studies = append(l.studies, found{dir, "/fits/" + pathEscape(dir), "fit"})
			case isModel(name) && len(models) < mostModels:
				models = append(models, name)
			}
		})
		l.models = s.lister.read(s.files, models)
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

// listed is the model in a list, with a link.
func (h head) listed(link string) listed {
	return listed{h.Path, link, strings.TrimSuffix(path.Base(h.Path), path.Ext(h.Path)), h.about}
}

// dirOf is the directory that an address names. Browsers take "." out of addresses, which is what the folder itself is called.
func dirOf(r *http.Request) string {
	if dir := r.PathValue("path"); dir != "" {
		return dir
	}
	return "."
}
