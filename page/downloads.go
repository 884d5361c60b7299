package page

import (
	"cmp"
	"context"
	"encoding/json"
	"io"
	"net/http"
	"net/url"
	"path"
	"slices"
	"strings"

	tables "github.com/almanac-sim/almanac/internal/study"
	"github.com/almanac-sim/almanac/page/internal/figure"
	"github.com/almanac-sim/almanac/page/internal/httperr"
	"github.com/almanac-sim/almanac/study"
)

var contentTypes = map[string]string{".svg": "image/svg+xml", ".png": "image/png", ".pdf": "application/pdf",
	".csv":  "text/csv; charset=utf-8",
	".json": "application/json", ".txt": "text/plain; charset=utf-8",
	".md": "text/markdown; charset=utf-8", ".yaml": "application/yaml", ".go": "text/plain; charset=utf-8",
	".html": "text/html; charset=utf-8", ".parquet": "application/vnd.apache.parquet"}

// setAttachment makes the browser save a response and not show it, since its content is not ours.
func setAttachment(w http.ResponseWriter, name string) {
	w.Header().Set("Content-Type", cmp.Or(contentTypes[path.Ext(name)], "application/octet-stream"))
	w.Header().Set("Content-Disposition", `attachment; filename="`+figure.FileName(name)+`"`)
}

// A knownFile is a file that a directory of results may have.
type knownFile struct{ name, about string }

// filesNamed returns files without descriptions.
func filesNamed(names ...string) (all []knownFile) {
	for _, name := range names {
		all = append(all, knownFile{name: name})
	}
	return all
}

// Files beside results of several kinds.
var (
	fileModel   = knownFile{"model.yaml", "the model"}
	fileCommand = knownFile{"command.txt", "the command line"}
	fileStudy   = knownFile{study.FileName, "what was asked for, for programs"}
	fileDraws   = knownFile{"draws.csv", "the values that each replica drew"}
)

// Downloads by kind of directory: all that the commands and package sim/output write, except
// images, which the page renders.
var (
	sweepFiles = []knownFile{{"points.csv", "every point and output, with the 95 % interval of the mean"},
		{pointSeries, "how each point went over time"}, {"series.parquet", "how each point went over time"}, fileModel,
		fileCommand, fileStudy}
	compareFiles = []knownFile{{"differences.csv", "how each differs from the first: the mean difference with its 95 % " +
		"CI, and 95 % of paired runs"}, {"scenarios.csv", "what each gave"},
		{"pairs.csv", "every replica, with its difference from the first"}, {"series.csv", "how each went over time"},
		{"series-differences.csv", "how each differs from the first over time"}, {"forest.svg", "the outputs as a picture"},
		{"scenarios.svg", "the states of all, over each other"},
		{"scenarios-incidence.svg", "the flows of all, over each other"},
		{"differences.svg", "how the states differ over time"},
		{"differences-incidence.svg", "how the flows differ over time"},
		{"scenarios-outcomes.svg", "the outcomes of all, over each other"},
		{"differences-outcomes.svg", "how the outcomes differ over time"},
		{tables.ICERFile, "what each costs and gains more than the first, with the ratio"},
		{tables.AcceptabilityFile, "how probably each is the best choice, by what is paid"},
		{"plane.svg", "the cost-effectiveness plane"}, {"acceptability.svg", "the acceptability curves"},
		fileDraws, fileModel, fileCommand, fileStudy}
	fitFiles = []knownFile{{"fit.json", "everything that was found, and how the fit went"},
		{"posterior.csv", "the unknowns, drawn from what became known"},
		{"best.yaml", "the model with the best point in it"}, fileModel, fileCommand, fileStudy}
	courseFiles = filesNamed("courses.csv", "report.csv", "observations.csv", "holdings.csv", "missed.csv",
		"courses.json", "report.json", "observations.json", "holdings.json", "missed.json")
	claimFiles = filesNamed("claims.json", "report.html", "report.md")
)

// resultFiles are the downloads of runs.
func resultFiles() []knownFile {
	return slices.Concat([]knownFile{{"summary.json", aboutTables["summary"]}}, tableFiles(),
		[]knownFile{fileDraws, fileModel, {"diagram.svg", "its states and the ways between them"},
			{"projection.csv", "what would be reported"}, fileCommand, fileStudy}, samplePictures)
}

// samplePictures are pictures of individuals that the command has drawn. The page shows them as
// they are, since the summary does not have what they show.
var samplePictures = []knownFile{{"network.svg", "a sample of who is linked at the end"},
	{"generation-times.svg", "the times from an infection to those by the same individual"},
	{"largest-tree.svg", "the largest tree of infections"}}

// pointsJSON is computed from points.csv on request.
const pointsJSON = "points.json"

// filesIn returns the files that a directory has.
func (s *Server) filesIn(dir string, some []knownFile) (all []figure.Download) {
	for _, one := range some {
		if info, err := s.files.Stat(path.Join(dir, one.name)); err == nil && info.Mode().IsRegular() {
			all = append(all, figure.Download{Name: one.name, About: one.about, Link: "/study-files/" + one.name + "?" +
				url.Values{
					"dir": {dir}}.Encode()})
		}
	}
	return all
}

// studyFile sends a file of a directory.
func (s *Server) studyFile(w http.ResponseWriter, r *http.Request) error {
	name, dir := r.PathValue("name"), r.URL.Query().Get("dir")
	for _, k := range []*savedKind{&savedSweeps, &savedComparisons} {
		if name != k.generated {
			continue
		}
		v, err := s.savedAs(r.Context(), k, dir)
		if err != nil {
			return err
		}
		return s.sendFile(w, r, v.Files[0])
	}
	known := slices.Concat(resultFiles(), sweepFiles, compareFiles, fitFiles, courseFiles, claimFiles)
	if slices.ContainsFunc(known, func(one knownFile) bool { return one.name == name }) {
		file, err := s.files.Open(path.Join(dir, name))
		if err != nil {
			return err
		}
		defer file.Close()
		return s.sendFile(w, r, figure.File{Name: name, Write: func(w io.Writer) error {
			_, err := io.Copy(w, file)
			return err
		}})
	}
	return httperr.NotFound("there is no file %q to take away", name)
}

func (s *Server) sendFile(w http.ResponseWriter, r *http.Request, f figure.File) error {
	if err := s.reserve(r.Context()); err != nil {
		return err
	}
	setAttachment(w, f.Name)
	return f.Write(w)
}

// writeJSON writes the points of a sweep; missing numbers are null.
func (s sweepResult) writeJSON(w io.Writer) error { return s.writePoints(w, s.Points()) }

func (s sweepResult) writePoints(w io.Writer, points []tables.Point) error {
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
			one.Outputs = append(one.Outputs, output{o.Name, o.N, figure.Finite(o.Mean), figure.Finite(o.SD),
				figure.Finite(o.Low), figure.Finite(o.High)})
		}
		all = append(all, one)
	}
	return json.NewEncoder(w).Encode(map[string]any{"of": s.Title, "points": all})
}

// showInTurn prepares figures in a compute slot.
func (s *Server) showInTurn(ctx context.Context, figures []figure.Figure,
	src func(figure.Figure) (string, url.Values)) ([]figure.Group, error) {
	return computed(ctx, s, func() ([]figure.Group, error) { return figure.Show(ctx, figures, src) })
}

// figureWanted parses the address of a figure.
func figureWanted(r *http.Request) (id, form string, w figure.Options, err error) {
	name := r.PathValue("name")
	form = strings.TrimPrefix(path.Ext(name), ".")
	if !slices.Contains(figure.Formats, form) {
		return "", "", w, httperr.NotFound("a figure can be had as svg, pdf, png, csv or json, not as %q", form)
	}
	w, err = figure.ParseOptions(r.URL.Query())
	return strings.TrimSuffix(name, "."+form), form, w, err
}

// serveFigure sends one of the figures.
func (s *Server) serveFigure(w http.ResponseWriter, r *http.Request, figures []figure.Figure) error {
	id, form, wanted, err := figureWanted(r)
	if err != nil {
		return err
	}
	body, err := computed(r.Context(), s, func() ([]byte, error) { return figure.Encode(figures, id, form, wanted) })
	if err != nil {
		return err
	}
	return sendFigure(w, r, id, form, body)
}

// sendFigure sends an encoded figure: for the page if the address has a width, otherwise as a
// download.
func sendFigure(w http.ResponseWriter, r *http.Request, id, form string, body []byte) error {
	setAttachment(w, id+"."+form)
	if r.URL.Query().Has("w") {
		w.Header().Del("Content-Disposition")
	}
	return errOnly(w.Write(body))
}
