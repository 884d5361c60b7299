package page

import (
	"cmp"
	"encoding/json"
	"io"
	"io/fs"
	"net/http"
	"net/url"
	"path"
	"slices"
	"strings"

	tables "github.com/almanac-sim/almanac/internal/study"
	"github.com/almanac-sim/almanac/study"
)

// What can be taken away beside the figures: files of runs and of directories, each with its type.

// A taken is a file to take away, where it stands on a page.
type taken struct{ Name, About, Link string }

// A source is what a comparison was made of: a run or a directory.
type source struct {
	Name, Link, Command string
	Files               []taken
}

// fileKinds are the types of files by their endings.
var fileKinds = map[string]string{".svg": "image/svg+xml", ".png": "image/png", ".csv": "text/csv; charset=utf-8",
	".json": "application/json", ".txt": "text/plain; charset=utf-8",
	".md": "text/markdown; charset=utf-8", ".yaml": "application/yaml", ".go": "text/plain; charset=utf-8",
	".html": "text/html; charset=utf-8", ".parquet": "application/vnd.apache.parquet"}

// asFile makes an answer a file that the browser keeps, and does not show: what it has is not ours.
func asFile(w http.ResponseWriter, name string) {
	w.Header().Set("Content-Type", cmp.Or(fileKinds[path.Ext(name)], "application/octet-stream"))
	w.Header().Set("Content-Disposition", `attachment; filename="`+fileName(name)+`"`)
}

// A kept is a file that a directory may have, and what it is.
type kept struct{ name, about string }

// keptNames are files whose names say what they are.
func keptNames(names ...string) (all []kept) {
	for _, name := range names {
		all = append(all, kept{name: name})
	}
	return all
}

// What the commands write beside every kind of results.
var (
	keptModel   = kept{"model.yaml", "the model"}
	keptCommand = kept{"command.txt", "the command line"}
	keptStudy   = kept{study.FileName, "what was asked for, for programs"}
	keptDraws   = kept{"draws.csv", "the values that each replica drew"}
)

// The files of a directory that can be taken away, by what it is of: all that the commands and
// package sim/output write, but for pictures, which the page has.
var (
	resultFiles = []kept{{"summary.json", "everything, as almanac run --json prints it"},
		{"series.csv", "how many were in each state, by replica and time"}, {"flows.csv", "how many went each way, by " +
			"replica and time"},
		{"events.csv", "what happened to whom, and when"}, {"series.parquet", "how many were in each state, by replica " +
			"and time"}, {"flows.parquet", "how many went each way, by replica and time"},
		{"events.parquet", "what happened to whom, and when"}, keptDraws, keptModel,
		{"diagram.svg", "its states and the ways between them"}, keptCommand, keptStudy}
	sweepFiles = []kept{{"points.csv", "every point and output, with the 95 % interval of the mean"},
		{pointSeries, "how each point went over time"}, {"series.parquet", "how each point went over time"}, keptModel,
		keptCommand, keptStudy}
	compareFiles = []kept{{"differences.csv", "how each differs from the first, with the 95 % interval"},
		{"scenarios.csv", "what each gave"}, keptDraws, keptModel, keptCommand, keptStudy}
	fitFiles = []kept{{"fit.json", "everything that was found, and how the fit went"},
		{"posterior.csv", "the unknowns, drawn from what became known"}, {"best.yaml", "the model with the best point in it"},
		keptModel, keptCommand, keptStudy}
	courseFiles = keptNames("courses.csv", "report.csv", "observations.csv", "holdings.csv", "missed.csv", "courses.json",
		"report.json", "observations.json", "holdings.json", "missed.json")
	claimFiles = keptNames("claims.json", "report.html", "report.md")
)

// pointsJSON is made of points.csv, which has no such file beside it.
const pointsJSON = "points.json"

// filesIn are those of some files that a directory has.
func (s *Server) filesIn(dir string, some []kept) (all []taken) {
	for _, one := range some {
		if info, err := fs.Stat(s.files.files, path.Join(dir, one.name)); err == nil && info.Mode().IsRegular() {
			all = append(all, taken{Name: one.name, About: one.about, Link: "/study-files/" + one.name + "?" + url.Values{
				"dir": {dir}}.Encode()})
		}
	}
	return all
}

// studyFile answers with a file of a directory.
func (s *Server) studyFile(w http.ResponseWriter, r *http.Request) error {
	name, dir := r.PathValue("name"), r.URL.Query().Get("dir")
	for _, k := range []*savedKind{&savedSweeps, &savedComparisons} {
		if name != k.made {
			continue
		}
		v, err := s.savedAs(r.Context(), k, dir)
		if err != nil {
			return err
		}
		return s.sendFile(w, r, v.Files[0])
	}
	known := slices.Concat(resultFiles, sweepFiles, compareFiles, fitFiles, courseFiles, claimFiles)
	if slices.ContainsFunc(known, func(one kept) bool { return one.name == name }) {
		file, err := s.files.open(path.Join(dir, name))
		if err != nil {
			return err
		}
		defer file.Close()
		return s.sendFile(w, r, File{Name: name, Write: func(w io.Writer) error {
			_, err := io.Copy(w, file)
			return err
		}})
	}
	return problemf(http.StatusNotFound, "there is no file %q to take away", name)
}

// sendFile answers with a file.
func (s *Server) sendFile(w http.ResponseWriter, r *http.Request, f File) error {
	if err := s.place(r.Context()); err != nil {
		return err
	}
	asFile(w, f.Name)
	return f.Write(w)
}

// writeJSON writes the points of a sweep with what was found at each; null stands where there is no
// number.
func (s swept) writeJSON(w io.Writer) error { return s.writePoints(w, s.Points()) }

func (s swept) writePoints(w io.Writer, points []tables.Point) error {
	type output struct {
		Output string   `json:"output"`
		N      int      `json:"replicas"`
		Mean   *float64 `json:"mean"`
		SD     *float64 `json:"sd"`
		Low    *float64 `json:"low"`
		High   *float64 `json:"high"`
	}
	type point struct {
		Values   map[string]string `json:"values"`
		Replicas int               `json:"replicas"`
		Outputs  []output          `json:"outputs"`
	}
	all := []point{}
	for _, p := range points {
		one := point{Values: map[string]string{}, Replicas: p.Replicas, Outputs: []output{}}
		for i, a := range s.Axes {
			one.Values[a.Name] = strings.TrimSpace(p.Values[i])
		}
		for _, o := range p.Outputs {
			one.Outputs = append(one.Outputs, output{o.Name, o.N, finite(o.Mean), finite(o.SD), finite(o.Low), finite(o.High)})
		}
		all = append(all, one)
	}
	return json.NewEncoder(w).Encode(map[string]any{"of": s.Title, "points": all})
}
