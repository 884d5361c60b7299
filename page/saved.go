package page

import (
	"bytes"
	"context"
	"fmt"
	"maps"
	"net/http"
	"net/url"
	"path"

	"github.com/almanac-sim/almanac/page/internal/compare"
	"github.com/almanac-sim/almanac/page/internal/figure"
	"github.com/almanac-sim/almanac/page/internal/runs"
	"github.com/almanac-sim/almanac/study"
)

// saved is the view of a directory with results, and data of its page, which is read-only.
type saved struct {
	runs.View
	data map[string]any
}

// A savedKind is a kind of results in directories.
type savedKind struct {
	name              string
	depends           []string           // files that are read
	figures           string             // address of its figures without their names
	template, section string             // template and section
	files             func() []knownFile // downloads
	generated         string             // a file that is computed on request; empty for none
	read              func(s *Server, dir string) (saved, error)
}

var (
	savedResults = savedKind{"result", []string{"summary.json"}, "/result/", "result", "models", resultFiles, "",
		(*Server).readResult}
	savedCourses = savedKind{"courses", []string{"courses.csv"}, "/course/", "courses", "queues",
		func() []knownFile { return courseFiles }, "",
		(*Server).readCourseFigures}
	savedSweeps = savedKind{"sweep", []string{"points.csv", study.FileName, pointSeries}, "/sweep-figures/", "saved",
		"studies", func() []knownFile { return sweepFiles }, pointsJSON, (*Server).readSweep}
	savedComparisons = savedKind{"comparison", []string{"differences.csv", "scenarios.csv", "series.csv",
		"series-differences.csv", "model.yaml", "command.txt", study.FileName}, "/comparison-figures/", "saved", "studies",
		func() []knownFile { return compareFiles }, compare.JSONFile, (*Server).readComparison}
	savedFits = savedKind{"fit", []string{"fit.json", "posterior.csv", "model.yaml"}, "/fit-figures/", "saved", "studies",
		func() []knownFile { return fitFiles }, "", (*Server).readFit}
)

// savedIn caches make(), until one of the files changes.
func (s *Server) savedIn(ctx context.Context, kind, dir string, files []string, make func() (saved, error)) (saved,
	error) {
	if _, err := s.files.Valid(dir); err != nil {
		return saved{}, err
	}
	key := kind + " " + dir
	for _, name := range files {
		if info, err := s.files.Stat(path.Join(dir, name)); err == nil {
			key += fmt.Sprintf(" %s %d %d", name, info.ModTime().UnixNano(), info.Size())
		}
	}
	return s.cache.Get(ctx, key, func() (saved, error) { return computed(ctx, s, make) })
}

// savedAs reads a directory as results of a kind.
func (s *Server) savedAs(ctx context.Context, k *savedKind, dir string) (saved, error) {
	return s.savedIn(ctx, k.name, dir, k.depends, func() (saved, error) { return k.read(s, dir) })
}

// savedPage returns the handler of the pages of a kind.
func (s *Server) savedPage(k *savedKind) handler {
	return func(w http.ResponseWriter, r *http.Request) error { return s.showSaved(w, r, http.StatusOK, k, nil) }
}

// savedFigure returns the handler of the figures of a kind.
func (s *Server) savedFigure(k *savedKind) handler {
	return func(w http.ResponseWriter, r *http.Request) error {
		v, err := s.savedAs(r.Context(), k, r.URL.Query().Get("dir"))
		if err != nil {
			return err
		}
		return s.serveFigure(w, r, v.Figures)
	}
}

// showSaved shows a directory, with additional data.
func (s *Server) showSaved(w http.ResponseWriter, r *http.Request, status int, k *savedKind,
	more map[string]any) error {
	dir := requestDir(r)
	v, err := s.savedAs(r.Context(), k, dir)
	if err != nil {
		return err
	}
	charts, part := figure.Paginate(v.Figures, r.URL.Query())
	shown, err := s.showInTurn(r.Context(), charts, func(f figure.Figure) (string, url.Values) {
		return k.figures + url.PathEscape(f.ID), url.Values{"dir": {dir}}
	})
	if err != nil {
		return err
	}
	command, _ := s.files.Read(path.Join(dir, "command.txt"), 1<<16)
	files := s.filesIn(dir, k.files())
	for _, f := range v.Files {
		files = append(files, figure.Download{Name: f.Name, About: f.About, Link: "/study-files/" + f.Name + "?" + url.Values{
			"dir": {dir}}.Encode()})
	}
	data := maps.Clone(v.data)
	maps.Copy(data, more)
	data["Files"], data["Dir"], data["Figures"], data["Tables"], data["Part"] = files, dir, shown, v.Tables, part
	if text := string(bytes.TrimSpace(command)); text != "" {
		data["Command"] = text
	}
	s.render(w, r, status, k.template, k.section, data)
	return nil
}
