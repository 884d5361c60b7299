package page

import (
	"bytes"
	"cmp"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"html/template"
	"math"
	"net/http"
	"path"
	"strconv"
	"strings"

	"github.com/almanac-sim/almanac/internal/detmath"
	"github.com/almanac-sim/almanac/internal/format"
	"github.com/almanac-sim/almanac/internal/plot"
	"github.com/almanac-sim/almanac/internal/vector"
	"github.com/almanac-sim/almanac/page/internal/folder"
	"github.com/almanac-sim/almanac/page/internal/httperr"
	"github.com/almanac-sim/almanac/population"
	"github.com/almanac-sim/almanac/study"
)

// A listItem is an entry of a list of models or directories.
type listItem struct{ Path, Link, Name, About string }

func (s *Server) models(w http.ResponseWriter, r *http.Request) error {
	there, err := s.list(r.Context(), true)
	if err != nil {
		return err
	}
	var models []listItem
	for _, m := range there.models {
		models = append(models, m.listed("/models/"+pathEscape(m.Path)))
	}
	s.render(w, r, http.StatusOK, "models", "models", map[string]any{"Title": "Models", "Models": models,
		"MoreModels": there.moreModels, "Results": there.results.all, "MoreResults": there.results.notes(),
		"Runs": s.runs.List()})
	return nil
}

// headComment is the comment at the beginning of a file, up to its first empty line.
func headComment(text []byte) string {
	var words []string
	for line := range strings.Lines(string(text)) {
		comment, ok := strings.CutPrefix(strings.TrimSpace(line), "#")
		comment = strings.TrimSpace(comment)
		if !ok || comment == "" {
			break
		}
		words = append(words, comment)
	}
	about := []rune(strings.Join(words, " "))
	if len(about) > 300 {
		return string(about[:299]) + "…"
	}
	return string(about)
}

// model shows a model file.
func (s *Server) model(w http.ResponseWriter, r *http.Request) error {
	form := r.URL.Query() // links from points of a sweep have values
	form.Set("path", r.PathValue("path"))
	form.Del("source")
	form.Set("seed", cmp.Or(form.Get("seed"), "1"))
	form.Set("replicas", cmp.Or(form.Get("replicas"), "20"))
	a, err := s.readModelForm(form)
	if err != nil {
		return err
	}
	notices := map[string]string{"saved": "The file is saved.", "written": "The values are written to the file."}
	return s.showModelWith(w, r, http.StatusOK, a, nil, notices[r.URL.Query().Get("done")])
}

// showModel shows the editor with the content of a form, and problems.
func (s *Server) showModel(w http.ResponseWriter, r *http.Request, status int, a modelForm,
	problems population.Problems) error {
	return s.showModelWith(w, r, status, a, problems, "")
}

func (s *Server) showModelWith(w http.ResponseWriter, r *http.Request, status int, a modelForm,
	problems population.Problems,
	notice string) error {
	found, err := s.inspectLimited(r.Context(), a)
	if err != nil {
		return err
	}
	if len(problems) > 0 {
		found.Problems = locate(problems)
	}
	// The digest of the file when the editor was opened. If the file has changed since, it cannot
	// be saved from here.
	read := r.PostFormValue("read")
	if r.Method != http.MethodPost {
		file, err := s.files.Read(a.Path, folder.MaxModel)
		if err != nil {
			return err
		}
		read = folder.Digest(file)
	}
	data := map[string]any{"Title": path.Base(a.Path), "Form": a, "Found": found, "Link": "/models/" + pathEscape(a.Path),
		"Writable": s.files.Writable(), "Read": read, "Notice": notice,
		"Lines": strings.Count(a.Source, "\n") + 1}
	s.render(w, r, status, "model", "models", data)
	return nil
}

// changeModel saves the text of the editor, or writes values into it, or only checks it.
func (s *Server) changeModel(w http.ResponseWriter, r *http.Request, a modelForm) error {
	text, done := []byte(a.Source), "saved"
	switch r.PostFormValue("do") {
	case "save":
	case "values":
		done = "written"
		err := s.compute(r.Context(), func() error {
			set := a.Set
			if _, _, err := s.compileForm(&a, study.Check); err != nil { // keeps the values that differ from the file
				a.Set = set
				return err
			}
			m, err := s.compileSource(a)
			if err == nil {
				text, err = m.Rewrite(a.Set...)
			}
			return err
		})
		if problems, ok := errors.AsType[population.Problems](err); ok {
			return s.showModel(w, r, http.StatusUnprocessableEntity, a, problems)
		}
		if err != nil {
			return err
		}
	default:
		return s.showModel(w, r, http.StatusOK, a, nil)
	}
	err := s.files.Write(a.Path, text, r.PostFormValue("read"))
	if p, ok := errors.AsType[httperr.Error](err); ok { // keep what was typed
		return s.showModelWith(w, r, p.Status, a, nil, p.Message)
	}
	if err != nil {
		return err
	}
	http.Redirect(w, r, "/models/"+pathEscape(a.Path)+"?done="+done, http.StatusSeeOther)
	return nil
}

// An inspection is what the editor shows about a text.
type inspection struct {
	Problems   []locatedProblem
	Name       string
	Size       int
	Until      string
	Explained  []explainedLine
	Diagram    template.HTML
	Parameters []parameter
	Scenarios  []string
	Memory     string
	Commands   string // that explain and run it
	Wrong      string // why there is none that runs it
}

// A locatedProblem is a problem and its position in the editor.
type locatedProblem struct {
	Line    int    `json:"line"`
	Column  int    `json:"column"`
	Where   string `json:"where"`
	Message string `json:"message"`
}

// locate returns problems with their positions; those of fields and of other files have none.
func locate(problems population.Problems) (all []locatedProblem) {
	for _, p := range problems {
		q := locatedProblem{Message: p.Message, Where: p.File}
		if p.Line > 0 {
			q.Line, q.Column, q.Where = p.Line, p.Column, fmt.Sprintf("line %d, column %d", p.Line, p.Column)
		}
		all = append(all, q)
	}
	return all
}

// inspect compiles and explains a text, within limits.WaitTimeout. Compiling the largest text takes
// about a second; what takes longer stops with the context.
func (s *Server) inspect(ctx context.Context, a modelForm) (f inspection, err error) {
	ctx, cancel := context.WithTimeoutCause(ctx, s.limits.WaitTimeout, errTooSlow)
	defer cancel()
	m, err := s.compileSource(a)
	if err == nil {
		err = m.Check(ctx)
	}
	var problems population.Problems
	switch {
	case ctx.Err() != nil:
		return f, context.Cause(ctx)
	case errors.As(err, &problems):
		f.Problems = locate(problems)
	case err != nil:
		f.Problems = []locatedProblem{{Message: err.Error()}}
	}
	if m == nil {
		return f, nil
	}
	f.Name, f.Size, f.Until, f.Scenarios = m.Name(), m.Size(), format.Number(m.End()), m.Scenarios()
	f.Explained = explain(m.Explain())
	drawn, err := diagram(ctx, m)
	switch {
	case ctx.Err() != nil:
		return f, context.Cause(ctx)
	case err != nil:
		f.Diagram = template.HTML("<p>" + template.HTMLEscapeString(err.Error()) + "</p>")
	default:
		f.Diagram = template.HTML(drawn.SVG())
	}
	f.Memory = memoryWords(m)
	f.Commands, f.Wrong = s.commands(a, m)
	requested := map[string]string{}
	for _, p := range a.Set {
		requested[p.Name] = p.Value
	}
	for _, p := range m.Parameters() {
		unit, single := m.UnitOf(p.Name)
		f.Parameters = append(f.Parameters, newParameter(p, unit, single, requested[p.Name]))
	}
	return f, nil
}

func (s *Server) inspectLimited(ctx context.Context, a modelForm) (inspection, error) {
	return computed(ctx, s, func() (inspection, error) { return s.inspect(ctx, a) })
}

var errTooSlow = httperr.Error{Status: http.StatusUnprocessableEntity,
	Message: "this model takes too long to be looked at here; almanac check looks at it"}

// Bounds of a diagram. It is laid out after every pause in typing, which takes up to a second.
const (
	maxStates      = 150
	maxTransitions = 600
)

// drawable returns an error if a model is too large for a diagram.
func drawable(m *population.Model) error {
	tooMany := func(n int, what string, most int) error {
		return httperr.Unprocessable("With %s %s this model is too large for a diagram here, which may "+
			"have %d; almanac check --out draws larger ones.",
			format.Thousands(float64(n)), what, most)
	}
	if n := len(m.Counted()); n > maxStates {
		return tooMany(n, "states", maxStates)
	}
	if n := m.Ways(); n > maxTransitions {
		return tooMany(n, "ways between its states", maxTransitions)
	}
	return nil
}

func diagram(ctx context.Context, m *population.Model) (vector.Drawing, error) {
	if err := drawable(m); err != nil {
		return vector.Drawing{}, err
	}
	drawn, err := m.DiagramShapes(ctx)
	if errors.Is(err, population.ErrDiagram) {
		err = httperr.Unprocessable("%v", err)
	}
	return drawn, err
}

// An explainedLine is a line of the explanation of a model.
type explainedLine struct {
	Head  bool
	Level int
	Text  string
}

// explain splits an explanation into lines. A line followed by indented lines is a heading.
func explain(text string) (all []explainedLine) {
	lines := strings.Split(strings.TrimRight(text, "\n"), "\n")
	for i, line := range lines {
		content := strings.TrimLeft(line, " ")
		if content == "" {
			continue
		}
		level := (len(line) - len(content)) / 2
		head := level == 0 && i+1 < len(lines) && strings.HasPrefix(lines[i+1], "  ")
		all = append(all, explainedLine{head, level, content})
	}
	return all
}

// A parameter is a field of the form, with a slider if its value is one quantity.
type parameter struct {
	Name, Value    string // of the file
	Now            string // of the form
	Unit           string
	Slides         bool
	Min, Max, Step float64
}

func newParameter(p population.Parameter, unit string, single bool, now string) parameter {
	v := parameter{Name: p.Name, Value: p.Value, Now: cmp.Or(now, p.Value), Unit: unit}
	if !single {
		return v
	}
	number := strings.ReplaceAll(strings.TrimSpace(strings.TrimSuffix(p.Value, unit)), "_", "")
	x, err := strconv.ParseFloat(number, 64)
	if err != nil || math.IsInf(x, 0) || x < 0 {
		return v
	}
	v.Slides = true
	v.Max = sliderMax(x, unit)
	v.Step = v.Max / 200
	if unit != "%" && unit != "" && !strings.HasPrefix(unit, "per") { // a mean duration must be positive
		v.Min = v.Step
	}
	return v
}

// sliderMax is the end of a slider: the maximum of a share, and otherwise a round number at least
// three times the value.
func sliderMax(x float64, unit string) float64 {
	switch {
	case unit == "%" && x > 5:
		return 100
	case unit == "" && x > 0.05 && x <= 1:
		return 1
	case x == 0 && unit == "%":
		return 100
	case x == 0:
		return 1
	}
	power := detmath.Pow(10, math.Floor(detmath.Log10(3*x)))
	for _, k := range []float64{1, 2, 5, 10} {
		if k*power >= 3*x*(1-1e-9) {
			return k * power
		}
	}
	return 10 * power
}

// check responds to the script, after each pause in typing.
func (s *Server) check(w http.ResponseWriter, r *http.Request, a modelForm) error {
	found, err := s.inspectLimited(r.Context(), a)
	if err != nil {
		return err
	}
	t := s.templates["model"]
	part := func(name string) string {
		var b bytes.Buffer
		if err := t.ExecuteTemplate(&b, name, found); err != nil {
			s.log.Error("a part cannot be made", "part", name, "error", err)
		}
		return b.String()
	}
	problems := found.Problems
	if problems == nil {
		problems = []locatedProblem{}
	}
	w.Header().Set("Content-Type", "application/json")
	return json.NewEncoder(w).Encode(map[string]any{"problems": problems, "good": found.Name != "",
		"list": part("problems"), "meaning": part("meaning"), "diagram": string(found.Diagram),
		"parameters": part("parameters"), "commands": found.Commands, "wrong": found.Wrong})
}

// Numbers of replicas by kind of study: the default, and the least.
var (
	defaultReplicas = map[string]int{study.Run: 1, study.Sweep: 20, study.Compare: 20}
	minReplicas     = map[string]int{study.Run: 1, study.Sweep: 1, study.Compare: 2}
)

// runOptions parses seed and replicas.
func (s *Server) runOptions(a modelForm, r *study.Request) (err error) {
	if r.Kind == study.Check {
		return nil
	}
	r.Seed, r.Replicas = 1, defaultReplicas[r.Kind]
	if a.Seed != "" {
		if r.Seed, err = strconv.ParseUint(a.Seed, 10, 64); err != nil {
			return formError("seed", "%q is not a seed; expected a whole number from 0 on", a.Seed)
		}
	}
	if a.Replicas != "" {
		r.Replicas, err = strconv.Atoi(strings.NewReplacer("_", "", ",", "").Replace(a.Replicas))
	}
	if least := minReplicas[r.Kind]; err != nil || r.Replicas < least || r.Replicas > s.limits.Replicas {
		return formError("replicas", "%q is not a number of replicas; expected one from %d to %d", a.Replicas, least,
			s.limits.Replicas)
	}
	return nil
}

// command is the command line of a request. An unsaved text is read from standard input, in the
// directory of its tables.
func (s *Server) command(a modelForm, r *study.Request) string {
	line := r.Command()
	if dir := path.Dir(s.commandPath(a.Path)); !a.Unchanged && len(r.Files) > 0 && dir != "." {
		line = "(cd " + format.Word(dir) + " && " + strings.Replace(line, " < model.yaml", " ) < model.yaml", 1)
	}
	return line
}

// commands returns the command lines that explain and run a model. If the form has a mistake it
// returns only the first, and the mistake.
func (s *Server) commands(a modelForm, plain *population.Model) (lines, wrong string) {
	check := &study.Request{Kind: study.Check, Model: s.commandPath(a.Path), Files: plain.Files()}
	if !a.Unchanged {
		check.Model = study.StandardInput
	}
	lines = s.command(a, check)
	_, r, err := s.compileFormFrom(plain, &a, study.Run)
	if err != nil {
		return lines, strings.TrimSpace(err.Error())
	}
	return lines + "\n" + s.command(a, r), ""
}

// modelCommands responds to the script after a field has changed.
func (s *Server) modelCommands(w http.ResponseWriter, r *http.Request, a modelForm) error {
	var lines, wrong string
	err := s.compute(r.Context(), func() error {
		m, err := s.compileSource(a)
		if err != nil {
			lines, wrong = "", "there is something wrong with the file"
			return nil
		}
		lines, wrong = s.commands(a, m)
		return nil
	})
	if err != nil {
		return err
	}
	w.Header().Set("Content-Type", "application/json")
	return json.NewEncoder(w).Encode(map[string]string{"commands": lines, "wrong": wrong})
}

// memoryWords describes the memory of a run, as almanac check does.
func memoryWords(m *population.Model) string {
	start, most := m.Memory(population.Options{})
	return fmt.Sprintf("A run takes about %s of memory at the start, and up to %s if something is about to happen to "+
		"everybody.", format.Bytes(start), format.Bytes(most))
}

// modelFile sends the text in the editor, its diagram or its explanation.
func (s *Server) modelFile(w http.ResponseWriter, r *http.Request, a modelForm) error {
	name := r.PathValue("name")
	var body []byte
	err := s.compute(r.Context(), func() error {
		if name == "model.yaml" { // also if it does not compile
			body = []byte(a.Source)
			return nil
		}
		m, err := s.compileSource(a)
		if err != nil {
			return err
		}
		switch name {
		case "diagram.svg", "diagram.png":
			var drawn vector.Drawing
			if drawn, err = diagram(r.Context(), m); err != nil {
				return err
			}
			if body = drawn.SVG(); name == "diagram.png" {
				body, err = plot.PNG(drawn)
			}
		case "meaning.txt":
			body = []byte(m.Explain() + "\n" + memoryWords(m) + "\n")
		default:
			err = httperr.NotFound("a model has no file %q", name)
		}
		return err
	})
	var problems population.Problems
	if errors.As(err, &problems) { // keep what was typed
		return s.showModel(w, r, http.StatusUnprocessableEntity, a, problems)
	}
	if err != nil {
		return err
	}
	setAttachment(w, name)
	return errOnly(w.Write(body))
}
