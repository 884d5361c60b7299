package page

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"io"
	"math"
	"net/http"
	"net/url"
	"path"
	"slices"
	"strconv"
	"strings"

	"github.com/almanac-sim/almanac/internal/format"
	"github.com/almanac-sim/almanac/internal/modelfit"
	"github.com/almanac-sim/almanac/internal/pictures"
	"github.com/almanac-sim/almanac/internal/plot"
	"github.com/almanac-sim/almanac/population"
	"github.com/almanac-sim/almanac/population/results"
	"github.com/almanac-sim/almanac/study"
)

// An ask is a model as a visitor wants it run: a file or what was made of it in the editor, with
// other values.
type ask struct {
	Path, Source          string
	Same                  bool // the source is what is in the file
	Seed, Replicas        string
	Size, Until, Scenario string
	Set                   []population.Parameter // those that differ from the file, or that a scenario may have otherwise
	Fixed                 []population.Parameter // those that are set whatever the file or its scenario says, in order
	From                  string                 // a posterior.csv of which each replica draws values; empty for none
}

// asked reads a form. What is empty is as the file says.
func (s *Server) asked(form url.Values) (ask, error) {
	a := ask{Path: form.Get("path"), Seed: strings.TrimSpace(form.Get("seed")),
		Replicas: strings.TrimSpace(form.Get("replicas")),
		Size:     strings.TrimSpace(form.Get("size")), Until: strings.TrimSpace(form.Get("until")),
		Scenario: form.Get("scenario")}
	if !isModel(a.Path) {
		return a, problemf(http.StatusNotFound, "%q is not the name of a model file", a.Path)
	}
	file, err := s.files.read(a.Path, mostModel)
	if p, ok := errors.AsType[problem](err); ok && p.status == http.StatusNotFound && form.Has("source") {
		err = nil // the file is gone, and what was made of it is not to be lost with it
	}
	if err != nil {
		return a, err
	}
	a.Source, a.Same = string(file), true
	if form.Has("source") {
		a.Source = sameEnds(form.Get("source"), file)
		if len(a.Source) > mostModel {
			return a, problemf(http.StatusRequestEntityTooLarge, "a model file of more than %d bytes is not read here",
				mostModel)
		}
		a.Same = a.Source == string(file)
	}
	for name, values := range form {
		if parameter, ok := strings.CutPrefix(name, "set."); ok && len(values) > 0 {
			if form.Has("was."+parameter) && form.Get("was."+parameter) == values[0] {
				continue // nobody touched it, and the text decides
			}
			a.Set = append(a.Set, population.Parameter{Name: parameter, Value: strings.TrimSpace(values[0])})
		}
	}
	return a, nil
}

// sameEnds has the ends of lines that the file has: forms send their own.
func sameEnds(text string, file []byte) string {
	text = strings.ReplaceAll(text, "\r\n", "\n")
	if bytes.Contains(file, []byte("\r\n")) {
		text = strings.ReplaceAll(text, "\n", "\r\n")
	}
	return text
}

// plain is the model as its text has it.
func (s *Server) plain(a ask) (*population.Model, error) {
	return population.Compile(path.Base(a.Path), []byte(a.Source), s.files.tables(a.Path))
}

// compiled is the model with what was asked for, and that as a request of some sort. Values that
// are those of the file are not asked for, unless a scenario may set others, and come out of the
// list.
func (s *Server) compiled(a *ask, sort string) (*population.Model, *study.Request, error) {
	plain, err := s.plain(*a)
	if err != nil {
		return nil, nil, err
	}
	return s.compiledFrom(plain, a, sort)
}

// compiledFrom is compiled, of a model that is there as its text has it.
func (s *Server) compiledFrom(plain *population.Model, a *ask, sort string) (*population.Model, *study.Request, error) {
	r := &study.Request{Sort: sort, Model: s.fileName(a.Path), Name: path.Base(a.Path), Source: []byte(a.Source),
		Files: plain.Files(), Until: a.Until, Scenario: a.Scenario, Series: true}
	r.Read = func(name string) ([]byte, error) { return s.files.table(a.Path, name) }
	if !a.Same { // a text that is not in its file is read from standard input
		r.Model = study.StandardInput
	}
	if err := s.runOptions(*a, r); err != nil {
		return nil, nil, err
	}
	if a.Size != "" {
		n, err := strconv.ParseFloat(strings.NewReplacer("_", "", ",", "").Replace(a.Size), 64)
		if err != nil || !(n >= 0 && n <= 4e9) || n != math.Trunc(n) {
			return nil, nil, wrong("size", "%q is not a number of individuals; expected one such as 1000000 or 1e6", a.Size)
		}
		// Also if it is that of the file: a scenario may have another, and what was typed counts.
		r.Size = strconv.Itoa(int(n))
	}
	wanted := map[string]string{}
	for _, p := range a.Set {
		wanted[p.Name] = p.Value
	}
	a.Set = nil
	for _, p := range plain.Parameters() { // in the order of the file
		value, ok := wanted[p.Name]
		if !ok || value == "" || value == p.Value && a.Scenario == "" && sort != study.Compare {
			continue
		}
		a.Set = append(a.Set, population.Parameter{Name: p.Name, Value: value})
	}
	r.Set = slices.Concat(a.Set, a.Fixed)
	if r.Size == "" && r.Until == "" && r.Scenario == "" && len(r.Set) == 0 {
		return plain, r, nil
	}
	m, err := r.Compile()
	return m, r, err
}

// work is a run of a model.
func (s *Server) work(a ask) (Work, error) {
	m, r, err := s.compiled(&a, study.Run)
	if err != nil {
		return Work{}, err
	}
	o := population.Options{Seed: r.Seed, Replicas: r.Replicas}
	drawn, err := s.drawFrom(a, m, &o)
	if err != nil {
		return Work{}, err
	}
	if drawn != nil {
		r.From = drawn.From
	}
	kept := sum(m.Recorded(o.Replicas), m.Bytes())
	if kept > s.limits.Bytes {
		return Work{}, population.Problems{{File: "replicas", Message: fmt.Sprintf("what so many replicas record takes "+
			"%s, more than the %s that results may take here; record less often, or run fewer",
			format.Bytes(kept), format.Bytes(s.limits.Bytes))}}
	}
	about := []string{format.Count(m.Size(), "individual"), format.Count(o.Replicas, "replica"),
		fmt.Sprintf("seed %d", o.Seed)}
	if a.Until != "" {
		about = append(about, "until "+a.Until)
	}
	if a.Scenario != "" {
		about = append(about, "scenario "+a.Scenario)
	}
	for _, p := range r.Set {
		about = append(about, p.Name+" = "+p.Value)
	}
	if drawn != nil {
		about = append(about, fmt.Sprintf("%s drawn from %s", strings.Join(drawn.Parameters, ", "), drawn.From))
	}
	return Work{
		Title: m.Name(), About: strings.Join(about, ", "), From: "/models/" + pathEscape(a.Path), Request: r,
		Command: s.command(a, r),
		Model:   true, Keeps: kept, Needs: needs(m, o),
		Fits: func() error { return m.CheckMemory(o) },
		Do:   func(ctx context.Context, tell *Teller) error { return runModel(ctx, m, o, drawn, tell) },
	}, nil
}

// needs is what a run takes at most, in bytes.
func needs(m *population.Model, o population.Options) uint64 {
	_, most := m.Memory(o)
	return most
}

// held is called at each row of a replica, if it is not nil: tests hold runs there that they look
// at. Nobody else does.
var held func(ctx context.Context, model string)

// runModel runs a model, and tells how it goes. Nothing is done for an event, nor for a row: who
// watches looks at what was recorded.
func runModel(ctx context.Context, m *population.Model, o population.Options, drawn *modelfit.Drawn,
	tell *Teller) error {
	o.OnProgress = func(p population.Progress) {
		note := fmt.Sprintf("%s %.4g", m.Unit(), p.Time)
		if o.Replicas > 1 {
			note = fmt.Sprintf("%d of %s done", p.Done, format.Count(o.Replicas, "replica"))
		}
		if p.Events == 0 {
			note = "everybody is being set up"
		}
		tell.Progress(Progress{Fraction: p.Fraction, Events: p.Events, Note: note})
		tell.Show(func() View { return View{Figures: runFigures(p.SoFar())} })
	}
	if held != nil {
		o.OnRecord = func(population.Record) { held(ctx, m.Name()) }
	}
	result, err := m.Run(ctx, o)
	if result != nil {
		modelfit.SetDrawn(result, drawn)
		fraction := float64(result.Done) / float64(result.Replicas)
		tell.Progress(Progress{Fraction: fraction, Events: result.Events, Note: fmt.Sprintf("%d of %s done", result.Done,
			format.Count(result.Replicas, "replica"))})
		tell.Show(func() View { return runView(result) })
	}
	return err
}

// runView is all that there is to see of a run that has ended.
func runView(r *population.Result) View {
	v := View{Result: r, Figures: runFigures(r), Tables: runTables(r), Files: []File{
		{"summary.json", "everything, as almanac run --json prints it", func(w io.Writer) error {
			return errors.Join(r.WriteJSON(w), second(io.WriteString(w, "\n")))
		}},
		{"series.csv", "how many were in each state, by replica and time", func(w io.Writer) error {
			return results.WriteSeries(w, results.CSV, r)
		}},
		{"flows.csv", "how many went each way, by replica and time", func(w io.Writer) error {
			return results.WriteFlows(w, results.CSV, r)
		}},
		{"model.yaml", "the model that was run", func(w io.Writer) error { return second(w.Write(r.Model.Source())) }},
	}}
	if drawable(r.Model) == nil {
		v.Files = append(v.Files, File{"diagram.svg", "its states and the ways between them", func(w io.Writer) error {
			drawn, err := r.Model.Diagram(context.Background()) // it takes a second at most
			return errors.Join(err, second(w.Write(drawn)))
		}})
	}
	return v
}

func second(_ int, err error) error { return err }

// mostGroupings is of how many of those that a model records by there are charts; each has up to
// 48. All are in the tables.
const mostGroupings = 4

// runFigures are the charts of a run: the states, what changed in each interval, and both by group,
// as many as a page has room for.
func runFigures(r *population.Result) []Figure {
	all := pictures.FirstStates(r, mostLines)
	all.UpToX = r.Model.End()
	figures := []Figure{{ID: "states", Caption: "Individuals in each state", Chart: all}}
	if len(r.Model.Flows()) > 0 {
		flows := pictures.Incidence(r)
		flows.UpToX = r.Model.End()
		figures = append(figures, Figure{ID: "incidence", Caption: "Changes of state in each interval", Chart: flows})
	}
	if r.Rows() == 0 {
		return figures
	}
	for i, by := range pictures.Groupings(r.Model) {
		if i == mostGroupings {
			var names []string
			for _, by := range pictures.Groupings(r.Model)[i:] {
				names = append(names, by.Name)
			}
			figures[len(figures)-1].Chart.Note += moreGroupings(names)
			break
		}
		add := func(id, heading string, ps plot.Panels) {
			for i, c := range ps.Charts {
				c.Note, c.UpToX, c.YLabel = ps.Note, r.Model.End(), "individuals"
				figures = append(figures, Figure{ID: fmt.Sprintf("%s-%s-%d", id, fileName(by.Name), i), Caption: c.Title,
					Group: heading + by.Name, Small: true, Chart: c})
			}
		}
		states, flows := pictures.Groups(r, by)
		add("by", "By ", states)
		add("incidence-by", "Changes of state, by ", flows)
	}
	return figures
}

// runTables are what became of the population in the end.
func runTables(r *population.Result) []Table {
	rows := r.Rows()
	if rows == 0 {
		return nil
	}
	m, last := r.Model, rows-1
	states := Table{Caption: "Each state at the end, and its peak", Head: []string{"state", "at the end", "5 %", "95 %",
		"peak", "when"}}
	if len(r.Runs) == 1 {
		states.Head = []string{"state", "at the end", "peak", "when"}
	}
	for i, name := range m.States() {
		in := r.State(i)
		count, when := r.Peak(i)
		row := []string{name, short(in.Mean[last])}
		if len(r.Runs) > 1 {
			row = append(row, short(in.Q05[last]), short(in.Q95[last]))
		}
		states.Rows = append(states.Rows, append(row, short(count), fmt.Sprintf("%.5g", when)))
	}
	flows := Table{Caption: "Since the start", Head: []string{"what happened", "individuals"}}
	for i, f := range m.Flows() {
		flows.Rows = append(flows.Rows, []string{f.From + " → " + f.To, short(r.Flow(i).Mean[last])})
	}
	for i, name := range m.Names() {
		flows.Rows = append(flows.Rows, []string{name, short(r.Named(i).Mean[last])})
	}
	return []Table{states, flows}
}

// fileName is a file as a command line has it.
func (s *Server) fileName(name string) string { return path.Join(s.config.Dir, name) }

// pathEscape is a path as an address has it.
func pathEscape(p string) string { return (&url.URL{Path: p}).EscapedPath() }

// startRun starts what a form asks for, and goes to its page.
func (s *Server) startRun(w http.ResponseWriter, r *http.Request, a ask) error {
	return s.startAsked(w, r, a, s.showModel, func(*Work) {})
}

// startAsked starts what is asked for, and leads to its run, or to the one that there is of the
// same key. What is wrong is shown where it was asked for.
func (s *Server) startAsked(w http.ResponseWriter, r *http.Request, a ask, wrong func(http.ResponseWriter,
	*http.Request, int, ask, population.Problems) error, change func(*Work)) error {
	work, err := made(r.Context(), s, func() (Work, error) { return s.work(a) })
	if problems, ok := errors.AsType[population.Problems](err); ok {
		return wrong(w, r, http.StatusUnprocessableEntity, a, problems)
	}
	if err != nil {
		return err
	}
	change(&work)
	if run := s.runs.Find(work.Key); run != nil {
		return seeRun(w, r, run)
	}
	return s.start(w, r, work)
}
