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
	"github.com/almanac-sim/almanac/page/internal/figure"
	"github.com/almanac-sim/almanac/page/internal/folder"
	"github.com/almanac-sim/almanac/page/internal/httperr"
	"github.com/almanac-sim/almanac/page/internal/runs"
	"github.com/almanac-sim/almanac/population"
	"github.com/almanac-sim/almanac/population/results"
	"github.com/almanac-sim/almanac/study"
)

// A modelForm is the form of a run of a model: a file or the text in the editor, and options.
type modelForm struct {
	Path, Source          string
	Unchanged             bool // the source is that of the file
	Seed, Replicas        string
	Size, Until, Scenario string
	Set                   []population.Parameter // values that differ from the file, or from what a scenario may set
	Fixed                 []population.Parameter // values that override file and scenario, in order
	From                  string                 // a posterior.csv to draw values from; empty for none
}

// readModelForm parses a form. Empty fields mean the values of the file.
func (s *Server) readModelForm(form url.Values) (modelForm, error) {
	a := modelForm{Path: form.Get("path"), Seed: strings.TrimSpace(form.Get("seed")),
		Replicas: strings.TrimSpace(form.Get("replicas")),
		Size:     strings.TrimSpace(form.Get("size")), Until: strings.TrimSpace(form.Get("until")),
		Scenario: form.Get("scenario")}
	if !folder.IsModel(a.Path) {
		return a, httperr.NotFound("%q is not the name of a model file", a.Path)
	}
	file, err := s.files.Read(a.Path, folder.MaxModel)
	if httperr.Is(err, http.StatusNotFound) && form.Has("source") {
		err = nil // the file is gone, but the text in the editor is not
	}
	if err != nil {
		return a, err
	}
	a.Source, a.Unchanged = string(file), true
	if form.Has("source") {
		a.Source = keepLineEnds(form.Get("source"), file)
		if len(a.Source) > folder.MaxModel {
			return a, httperr.Errorf(http.StatusRequestEntityTooLarge, "a model file of more than %d bytes is not read here",
				folder.MaxModel)
		}
		a.Unchanged = a.Source == string(file)
	}
	for name, values := range form {
		if parameter, ok := strings.CutPrefix(name, "set."); ok && len(values) > 0 {
			if form.Has("was."+parameter) && form.Get("was."+parameter) == values[0] {
				continue // unchanged field: the text decides
			}
			a.Set = append(a.Set, population.Parameter{Name: parameter, Value: strings.TrimSpace(values[0])})
		}
	}
	return a, nil
}

// keepLineEnds uses the line ends of the file, since forms have their own.
func keepLineEnds(text string, file []byte) string {
	text = strings.ReplaceAll(text, "\r\n", "\n")
	if bytes.Contains(file, []byte("\r\n")) {
		text = strings.ReplaceAll(text, "\n", "\r\n")
	}
	return text
}

// compileSource compiles the text without the options of the form.
func (s *Server) compileSource(a modelForm) (*population.Model, error) {
	return population.Compile(path.Base(a.Path), []byte(a.Source), s.files.Tables(a.Path))
}

// compileForm compiles a form and returns it as a study of the given kind. It removes values equal
// to those of the file from a.Set, unless a scenario may override them.
func (s *Server) compileForm(a *modelForm, kind string) (*population.Model, *study.Request, error) {
	plain, err := s.compileSource(*a)
	if err != nil {
		return nil, nil, err
	}
	return s.compileFormFrom(plain, a, kind)
}

// compileFormFrom is compileForm with the model of compileSource.
func (s *Server) compileFormFrom(plain *population.Model, a *modelForm, kind string) (*population.Model,
	*study.Request, error) {
	r := &study.Request{Kind: kind, Model: s.commandPath(a.Path), Name: path.Base(a.Path), Source: []byte(a.Source),
		Files: plain.Files(), Until: a.Until, Scenario: a.Scenario, Series: true}
	r.Read = func(name string) ([]byte, error) { return s.files.Table(a.Path, name) }
	if !a.Unchanged { // an unsaved text comes from standard input
		r.Model = study.StandardInput
	}
	if err := s.runOptions(*a, r); err != nil {
		return nil, nil, err
	}
	if a.Size != "" {
		n, err := strconv.ParseFloat(strings.NewReplacer("_", "", ",", "").Replace(a.Size), 64)
		if err != nil || !(n >= 0 && n <= 4e9) || n != math.Trunc(n) {
			return nil, nil, formError("size", "%q is not a number of individuals; expected one such as 1000000 or 1e6",
				a.Size)
		}
		// Also if it equals that of the file, since a scenario may have another.
		r.Size = strconv.Itoa(int(n))
	}
	wanted := map[string]string{}
	for _, p := range a.Set {
		wanted[p.Name] = p.Value
	}
	a.Set = nil
	for _, p := range plain.Parameters() {
		value, ok := wanted[p.Name]
		if !ok || value == "" || value == p.Value && a.Scenario == "" && kind != study.Compare {
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

// modelWork returns the run of a model.
func (s *Server) modelWork(a modelForm) (runs.Work, error) {
	m, r, err := s.compileForm(&a, study.Run)
	if err != nil {
		return runs.Work{}, err
	}
	o := population.Options{Seed: r.Seed, Replicas: r.Replicas}
	drawn, err := s.drawFrom(a, m, &o)
	if err != nil {
		return runs.Work{}, err
	}
	if drawn != nil {
		r.From, r.ParametersOnly = drawn.From, true
	}
	kept := runs.AddSaturating(m.Recorded(o.Replicas), m.Bytes())
	if kept > s.limits.Bytes {
		return runs.Work{},
			population.Problems{{File: "replicas",
				Message: fmt.Sprintf("what so many replicas record takes "+"%s, more than the %s that results may take "+
					"here; record less often, or run fewer", format.Bytes(kept), format.Bytes(s.limits.Bytes))}}
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
	return runs.Work{
		Title: m.Name(), About: strings.Join(about, ", "), From: "/models/" + pathEscape(a.Path), Request: r,
		Command: s.command(a, r),
		Model:   true, ResultBytes: kept, Memory: maxMemory(m, o),
		CheckMemory: func() error { return m.CheckMemory(o) },
		Do:          func(ctx context.Context, report *runs.Reporter) error { return runModel(ctx, m, o, drawn, report) },
	}, nil
}

// maxMemory is the peak of a run in bytes.
func maxMemory(m *population.Model, o population.Options) uint64 {
	_, most := m.Memory(o)
	return most
}

// onRow, if not nil, is called for each row of a replica. Tests pause runs with it.
var onRow func(ctx context.Context, model string)

// runModel runs a model and reports its progress. It does nothing for each event or row: views read
// what was recorded.
func runModel(ctx context.Context, m *population.Model, o population.Options, drawn *modelfit.Drawn,
	report *runs.Reporter) error {
	o.OnProgress = func(p population.Progress) {
		note := fmt.Sprintf("%s %.4g", m.Unit(), p.Time)
		if o.Replicas > 1 {
			note = fmt.Sprintf("%d of %s done", p.Done, format.Count(o.Replicas, "replica"))
		}
		if p.Events == 0 {
			note = "everybody is being set up"
		}
		report.Progress(runs.Progress{Fraction: p.Fraction, Events: p.Events, Note: note})
		report.Show(func() runs.View { return runs.View{Figures: figuresSoFar(p.SoFar())} })
	}
	var rows treeRows
	if m.RecordsTree() {
		o.OnInfection = rows.add
	}
	if onRow != nil {
		o.OnRecord = func(population.Record) { onRow(ctx, m.Name()) }
	}
	result, err := m.Run(ctx, o)
	if result != nil {
		modelfit.SetDrawn(result, drawn)
		fraction := float64(result.Done) / float64(result.Replicas)
		report.Progress(runs.Progress{Fraction: fraction, Events: result.Events,
			Note: fmt.Sprintf("%d of %s done", result.Done, format.Count(result.Replicas, "replica"))})
		network, infections := sampleFigures(result, rows)
		report.Show(func() runs.View { return runView(result, network, infections) })
	}
	return err
}

// runView is the view of a finished run, with drawings of a sample of its networks, and of who
// infected whom.
func runView(r *population.Result, network, infections []figure.Figure) runs.View {
	all := recordedBy(r)
	v := runs.View{Result: r, Figures: runFigures(r, all, network, infections), Tables: runTables(r, all)}
	v.Files = []figure.File{{Name: "summary.json", About: aboutTables["summary"], Write: func(w io.Writer) error {
		return errors.Join(r.WriteJSON(w), errOnly(io.WriteString(w, "\n")))
	}}}
	for _, t := range tablesOf(r.Model) {
		v.Files = append(v.Files, figure.File{Name: t.name + ".csv", About: aboutTables[t.name],
			Write: func(w io.Writer) error { return t.write(w, results.CSV, r) }})
	}
	v.Files = append(v.Files, figure.File{Name: "model.yaml", About: "the model that was run",
		Write: func(w io.Writer) error { return errOnly(w.Write(r.Model.Source())) }})
	if drawable(r.Model) == nil {
		v.Files = append(v.Files, figure.File{Name: "diagram.svg", About: "its states and the ways between them",
			Write: func(w io.Writer) error {
				drawn, err := r.Model.Diagram(context.Background()) // a second at most
				return errors.Join(err, errOnly(w.Write(drawn)))
			}})
	}
	return v
}

func errOnly(_ int, err error) error { return err }

// figuresSoFar are the charts of a run that goes on.
func figuresSoFar(r *population.Result) []figure.Figure {
	return runFigures(r, recordedSoFar(r), nil, nil)
}

// maxGroupings is the number of groupings with charts, up to 48 each. Tables have all.
const maxGroupings = 4

// runFigures are the charts of a run: states, incidence, what only some models record with drawings
// of its networks and of who infected whom, and states and incidence by group.
func runFigures(r *population.Result, some recorded, network, infections []figure.Figure) []figure.Figure {
	all := pictures.FirstStates(r, figure.MaxLines)
	all.UpToX = r.Model.End()
	// While a run goes on, its numbers are sent to the script as counts.
	over := r.Rows() > 0 && r.Done == r.Replicas
	upTo := func(c plot.Chart) plot.Chart {
		c.UpToX = r.Model.End()
		return c
	}
	figures := []figure.Figure{{ID: "states", Caption: "Individuals in each state", Chart: all}}
	if over {
		figures[0].Per = func(n float64) plot.Chart { return upTo(pictures.FirstStatesPer(r, figure.MaxLines, n)) }
	}
	if len(r.Model.Flows()) > 0 {
		flows := pictures.Incidence(r)
		flows.UpToX = r.Model.End()
		figures = append(figures, figure.Figure{ID: "incidence", Caption: "Changes of state in each interval",
			Chart: flows})
		if over {
			figures[1].Per = func(n float64) plot.Chart { return upTo(pictures.IncidencePer(r, n)) }
		}
	}
	if r.Rows() == 0 {
		return figures
	}
	for i, m := range pictures.Machines(r, figure.MaxLines) {
		f := figure.Figure{ID: "machine-" + figure.FileName(m.Name), Caption: "Individuals in each state of " + m.Name,
			Chart: upTo(m.Chart)}
		if over {
			f.Per = func(n float64) plot.Chart { return upTo(pictures.MachinesPer(r, figure.MaxLines, n)[i].Chart) }
		}
		figures = append(figures, f)
	}
	outcomes := pictures.Outcomes(r, figure.MaxLines)
	for i, c := range outcomes.Charts {
		c.Note, c.YLabel, c.UpToX = outcomes.Note, c.Title, r.Model.End()
		figures = append(figures, figure.Figure{ID: fmt.Sprintf("outcome-%d", i), Caption: c.Title,
			Group: "Outcomes since the start", Small: len(outcomes.Charts) > 2, Chart: c})
	}
	base := upTo(plot.Chart{Title: all.Title, Note: pictures.Note(r), XLabel: all.XLabel, Dates: all.Dates, FromZero: true,
		LegendBeside: true})
	figures = append(figures, some.figures(base, func(name string, in population.Series, steps bool) (plot.Series, bool) {
		s := plot.Series{Name: name, X: r.Times[:r.Rows()], Y: in.Median, Steps: steps}
		if len(r.Runs) > 1 {
			s.Low, s.High = in.Q05, in.Q95
		}
		return s, true
	})...)
	figures = slices.Concat(figures, network, some.reproduction(base, len(r.Runs)), infections)
	for i, by := range pictures.Groupings(r.Model) {
		if i == maxGroupings {
			var names []string
			for _, by := range pictures.Groupings(r.Model)[i:] {
				names = append(names, by.Name)
			}
			figures[len(figures)-1].Chart.Note += omittedGroupings(names)
			break
		}
		add := func(id, heading string, ps plot.Panels, per func(n float64) plot.Panels) {
			for i, c := range ps.Charts {
				c.Note, c.YLabel = ps.Note, "individuals"
				f := figure.Figure{ID: fmt.Sprintf("%s-%s-%d", id, figure.FileName(by.Name), i), Caption: c.Title,
					Group: heading + by.Name, Small: true, Chart: upTo(c)}
				if over {
					f.Per = func(n float64) plot.Chart {
						shares := upTo(per(n).Charts[i])
						shares.Note, shares.YLabel = ps.Note, "per "+format.Thousands(n)+" individuals"
						return shares
					}
				}
				figures = append(figures, f)
			}
		}
		states, flows := pictures.Groups(r, by)
		add("by", "By ", states, func(n float64) plot.Panels {
			states, _ := pictures.GroupsPer(r, by, n)
			return states
		})
		add("incidence-by", "Changes of state, by ", flows, func(n float64) plot.Panels {
			_, flows := pictures.GroupsPer(r, by, n)
			return flows
		})
	}
	return figures
}

// runTables summarise the end of a run.
func runTables(r *population.Result, some recorded) []figure.Table {
	rows := r.Rows()
	if rows == 0 {
		return nil
	}
	m, last := r.Model, rows-1
	states := figure.Table{Caption: "Each state at the end, and its peak", Head: []string{"state", "at the end", "5 %",
		"95 %", "peak", "when"}}
	if len(r.Runs) == 1 {
		states.Head = []string{"state", "at the end", "peak", "when"}
	}
	for i, name := range m.Counted() {
		in := r.State(i)
		count, when := r.Peak(i)
		row := []string{name, figure.Short(in.Mean[last])}
		if len(r.Runs) > 1 {
			row = append(row, figure.Short(in.Q05[last]), figure.Short(in.Q95[last]))
		}
		states.Rows = append(states.Rows, append(row, figure.Short(count), fmt.Sprintf("%.5g", when)))
	}
	flows := figure.Table{Caption: "Since the start", Head: []string{"what happened", "individuals"}}
	for i, f := range m.Flows() {
		flows.Rows = append(flows.Rows, []string{f.From + " → " + f.To, figure.Short(r.Flow(i).Mean[last])})
	}
	for i, name := range m.Names() {
		flows.Rows = append(flows.Rows, []string{name, figure.Short(r.Named(i).Mean[last])})
	}
	all := []figure.Table{states, flows}
	if len(m.Outcomes()) == 0 {
		return slices.Concat(all, some.tables(last), groupTables(r, last))
	}
	outcomes := figure.Table{Caption: "Outcomes since the start", Head: []string{"outcome", "mean", "5 %", "95 %"}}
	if len(r.Runs) == 1 {
		outcomes.Head = []string{"outcome", "accrued"}
	}
	for i, name := range m.Outcomes() {
		in := r.Outcome(i)
		row := []string{name, figure.Short(in.Mean[last])}
		if len(r.Runs) > 1 {
			row = append(row, figure.Short(in.Q05[last]), figure.Short(in.Q95[last]))
		}
		outcomes.Rows = append(outcomes.Rows, row)
	}
	return slices.Concat(append(all, outcomes), some.tables(last), groupTables(r, last))
}

// commandPath is the path of a file in command lines.
func (s *Server) commandPath(name string) string { return path.Join(s.config.Dir, name) }

func pathEscape(p string) string { return (&url.URL{Path: p}).EscapedPath() }

func (s *Server) startRun(w http.ResponseWriter, r *http.Request, a modelForm) error {
	return s.startModel(w, r, a, s.showModel, func(*runs.Work) {})
}

// startModel starts a run and redirects to it, or to an equal run. If the form has problems,
// showProblems shows it again.
func (s *Server) startModel(w http.ResponseWriter, r *http.Request, a modelForm,
	showProblems func(http.ResponseWriter, *http.Request, int, modelForm, population.Problems) error,
	change func(*runs.Work)) error {
	work, err := computed(r.Context(), s, func() (runs.Work, error) { return s.modelWork(a) })
	if problems, ok := errors.AsType[population.Problems](err); ok {
		return showProblems(w, r, http.StatusUnprocessableEntity, a, problems)
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
