package page

import (
	"context"
	"errors"
	"fmt"
	"net/http"
	"net/url"
	"path"
	"slices"
	"strconv"
	"strings"

	"github.com/almanac-sim/almanac/internal/format"
	"github.com/almanac-sim/almanac/internal/outputs"
	"github.com/almanac-sim/almanac/internal/pictures"
	"github.com/almanac-sim/almanac/page/internal/compare"
	"github.com/almanac-sim/almanac/page/internal/figure"
	"github.com/almanac-sim/almanac/page/internal/folder"
	"github.com/almanac-sim/almanac/page/internal/httperr"
	"github.com/almanac-sim/almanac/page/internal/runs"
	"github.com/almanac-sim/almanac/population"
	"github.com/almanac-sim/almanac/study"
)

// comparePage lists what can be compared, or shows the form for the scenarios of a model.
func (s *Server) comparePage(w http.ResponseWriter, r *http.Request) error {
	if name := r.URL.Query().Get("model"); name != "" {
		form := r.URL.Query()
		form.Set("path", name)
		form.Del("source")
		return s.scenarioForm(w, r, http.StatusOK, form, nil)
	}
	there, err := s.list(r.Context(), true)
	if err != nil {
		return err
	}
	var models []listItem
	for _, m := range there.models {
		if m.scenarios {
			models = append(models, m.listed("/compare?model="+url.QueryEscape(m.Path)))
		}
	}
	var finished []*runs.Run
	for _, run := range s.runs.List() {
		if run.State() == runs.Done && run.Model {
			finished = append(finished, run)
		}
	}
	s.render(w, r, http.StatusOK, "compare", "compare", map[string]any{"Title": "Compare", "Models": models,
		"MoreModels": there.moreModels, "Results": there.results.all, "MoreResults": there.results.notes(),
		"Found": there.comparisons.all, "MoreFound": there.comparisons.notes(), "Runs": finished, "Most": compare.MaxSides})
	return nil
}

// scenarioForm shows the form for scenarios.
func (s *Server) scenarioForm(w http.ResponseWriter, r *http.Request, status int, form url.Values,
	problems population.Problems) error {
	a, found, err := s.readStudyForm(r, form, "20")
	if err != nil {
		return err
	}
	chosen := form["scenarios"]
	if len(chosen) == 0 {
		chosen = found.Scenarios[:min(len(found.Scenarios), compare.MaxSides)]
	}
	type option struct {
		Name    string
		Checked bool
	}
	var options []option
	for _, name := range found.Scenarios {
		options = append(options, option{name, slices.Contains(chosen, name)})
	}
	s.render(w, r, status, "scenarios", "compare", map[string]any{"Title": "Compare " + found.Name, "Form": a,
		"Found": found, "Options": options, "First": form.Get("first"),
		"Outputs": form.Get("outputs"), "Problems": locate(problems), "Most": compare.MaxSides, "Link": "/models/" +
			pathEscape(a.Path)})
	return nil
}

func (s *Server) startComparison(w http.ResponseWriter, r *http.Request) error {
	r.PostForm.Del("source")
	work, err := computed(r.Context(), s, func() (runs.Work, error) {
		if r.PostForm.Get("path") == "" {
			return s.compareRuns(r.PostForm["run"], r.PostForm["dir"])
		}
		return s.compareScenarios(r.PostForm)
	})
	if problems, ok := errors.AsType[population.Problems](err); ok {
		return s.scenarioForm(w, r, http.StatusUnprocessableEntity, r.PostForm, problems)
	}
	if err != nil {
		return err
	}
	return s.start(w, r, work)
}

// formError is a problem with a field of a form.
func formError(field, message string, args ...any) error {
	return population.Problems{{File: field, Message: fmt.Sprintf(message, args...)}}
}

// outputLines splits the outputs of a form.
func outputLines(text string) (all []string) {
	for line := range strings.Lines(text) {
		if line = strings.TrimSpace(line); line != "" {
			all = append(all, line)
		}
	}
	return all
}

// compareScenarios returns a comparison of scenarios with common random numbers.
func (s *Server) compareScenarios(form url.Values) (runs.Work, error) {
	a, err := s.readModelForm(form)
	if err != nil {
		return runs.Work{}, err
	}
	a.Scenario = ""
	base, q, err := s.compileForm(&a, study.Compare)
	if err != nil {
		return runs.Work{}, err
	}
	o := population.Options{Seed: q.Seed, Replicas: q.Replicas}
	names := slices.Clone(form["scenarios"])
	if first := form.Get("first"); slices.Contains(names, first) {
		names = append([]string{first}, slices.DeleteFunc(names, func(n string) bool { return n == first })...)
	}
	switch {
	case len(base.Scenarios()) < 2:
		return runs.Work{},
			formError("scenarios",
				"the model has %s; at least two are needed, the first of which the "+"others are "+"compared with",
				format.Count(len(base.Scenarios()), "scenario"))
	case len(names) < 2 || len(names) > compare.MaxSides:
		return runs.Work{}, formError("scenarios", "%d are chosen; expected from 2 to %d", len(names), compare.MaxSides)
	}
	texts := outputLines(form.Get("outputs"))
	if base, err = q.RecordOutputs(base, texts); err != nil {
		return runs.Work{}, formError("outputs", "%v", err)
	}
	all, err := outputs.All(base, texts)
	if err != nil {
		return runs.Work{}, formError("outputs", "%v", err)
	}
	requested := texts != nil
	texts = nil
	for _, output := range all {
		texts = append(texts, output.Text)
	}
	if q.Scenarios = names; requested {
		q.Outputs = texts
	}
	var scenarios []*population.Model
	kept, need := uint64(0), uint64(0)
	for i, name := range names {
		if !slices.Contains(base.Scenarios(), name) || slices.Contains(names[:i], name) {
			return runs.Work{}, formError("scenarios", "%q is not one of %s, or stands there twice", name,
				strings.Join(base.Scenarios(), ", "))
		}
		m, err := q.Compile(population.Scenario(name))
		if err != nil {
			return runs.Work{}, err
		}
		if _, err := outputs.All(m, texts); err != nil {
			return runs.Work{}, formError("outputs", "in scenario %s: %v", name, err)
		}
		scenarios = append(scenarios, m)
		kept, need = kept+m.Recorded(o.Replicas), max(need, maxMemory(m, o))
	}
	if kept > s.limits.Bytes {
		return runs.Work{}, formError("replicas", "what so many replicas record takes %s, more than the %s that results "+
			"may take here",
			format.Bytes(kept), format.Bytes(s.limits.Bytes))
	}
	about := []string{compare.ListNames(names), compare.ListSizes(scenarios), format.Count(o.Replicas, "replica") +
		" of each", fmt.Sprintf("seed %d", o.Seed)}
	for _, p := range a.Set {
		about = append(about, p.Name+" = "+p.Value)
	}
	return runs.Work{
		Title: "Compare " + base.Name(), About: strings.Join(about, ", "), From: "/compare?model=" + url.QueryEscape(a.Path),
		Request: q, Command: q.Command(),
		// one run at a time, and all results
		ResultBytes: figureBytes(len(names), base), Memory: runs.AddSaturating(kept, need),
		CheckMemory: func() error {
			for _, m := range scenarios {
				if err := m.CheckMemory(o); err != nil {
					return err
				}
			}
			return nil
		},
		Do: func(ctx context.Context, report *runs.Reporter) error {
			return runScenarios(ctx, names, scenarios, o, texts, report)
		},
	}, nil
}

// figureBytes estimates the charts of a comparison.
func figureBytes(sides int, m *population.Model) uint64 {
	lines := min(len(m.Counted()), figure.MaxLines)*2 + min(len(m.Flows()), figure.MaxLines)
	return uint64(sides) * uint64(lines) * uint64(len(m.Times())) * 32
}

// runScenarios runs scenarios one after the other. Replicas of equal number have common random
// numbers, as in almanac compare.
func runScenarios(ctx context.Context, names []string, scenarios []*population.Model, o population.Options,
	texts []string, report *runs.Reporter) error {
	var sides []*compare.Side
	events := uint64(0)
	for i, m := range scenarios {
		done := slices.Clone(sides)
		o.OnProgress = func(p population.Progress) {
			report.Progress(runs.Progress{Fraction: (float64(i) + p.Fraction) / float64(len(scenarios)),
				Events: events + p.Events, Note: fmt.Sprintf("%s, %d of %s done", names[i], p.Done,
					format.Count(o.Replicas, "replica"))})
			report.Show(func() runs.View {
				now := done
				if r := p.SoFar(); r != nil && r.Rows() > 0 {
					now = append(slices.Clone(done), compare.FromResult(names[i], r))
				}
				if len(now) == 0 {
					return runs.View{}
				}
				return runs.View{Figures: compare.Figures(now)}
			})
		}
		r, err := m.Run(ctx, o)
		if err != nil {
			return err
		}
		events += r.Events
		one := compare.FromResult(names[i], r)
		if err := one.Evaluate(texts, true); err != nil {
			return err
		}
		sides = append(sides, one)
	}
	c, err := compare.New(sides)
	if err != nil {
		return err
	}
	view := c.View()
	report.Progress(runs.Progress{Fraction: 1, Events: events, Note: fmt.Sprintf("%s, %s of each",
		format.Count(len(names), "scenario"), format.Count(o.Replicas, "replica"))})
	report.Show(func() runs.View { return view })
	return nil
}

func sourceOfRun(run *runs.Run) runs.Source {
	one := runs.Source{Name: "run " + run.ID, Link: "/runs/" + run.ID, Command: run.Command}
	for _, f := range run.View().Files {
		one.Files = append(one.Files, figure.Download{Name: f.Name, Link: one.Link + "/files/" + f.Name})
	}
	return one
}

func (s *Server) sourceOfDir(dir string) runs.Source {
	command, _ := s.files.Read(path.Join(dir, "command.txt"), 1<<16) // may be missing
	return runs.Source{Name: dir, Link: "/results/" + pathEscape(dir), Command: strings.TrimSpace(string(command)),
		Files: s.filesIn(dir, resultFiles())}
}

// compareRuns returns a comparison of runs of this server and in directories.
func (s *Server) compareRuns(ids, dirs []string) (runs.Work, error) {
	if n := len(ids) + len(dirs); n < 2 || n > compare.MaxSides {
		return runs.Work{}, httperr.Unprocessable("%d are chosen; from 2 to %d can be compared", n, compare.MaxSides)
	}
	var sides []*compare.Side
	var sources []runs.Source
	var keeps, needs, table uint64
	for _, id := range ids {
		run, err := s.runs.Get(id)
		if err != nil {
			return runs.Work{}, err
		}
		r := run.View().Result
		if run.State() != runs.Done || r == nil {
			return runs.Work{}, httperr.Unprocessable("run %s has no result to compare", id)
		}
		one := compare.FromResult("run "+id, r)
		one.Facts = compare.RunFacts(run.Request.Scenario, r)
		sides, sources = append(sides, one), append(sources, sourceOfRun(run))
		keeps += figureBytes(1, r.Model)
	}
	for _, dir := range dirs {
		if _, err := s.files.Valid(dir); err != nil {
			return runs.Work{}, err
		}
		sources = append(sources, s.sourceOfDir(dir))
		// The numbers of a summary take less memory than its text, and both exist while it is
		// parsed. Tables are read one at a time.
		needs = runs.AddSaturating(needs, 2*s.files.Size(path.Join(dir, "summary.json")))
		for _, file := range []string{"series.csv", "flows.csv", "outcomes.csv"} {
			table = max(table, s.files.Size(path.Join(dir, file)))
		}
	}
	keeps += uint64(len(dirs)) << 20
	names := slices.Concat(compare.Labels(sides), dirs)
	return runs.Work{Title: "Compare runs", About: compare.ListNames(names), From: "/compare", Sources: sources,
		ResultBytes: keeps,
		Memory:      runs.AddSaturating(2*keeps, runs.AddSaturating(needs, 2*table)),
		Do: func(ctx context.Context, report *runs.Reporter) error {
			defer func() { sides = nil }() // so that the queue can drop the results
			for i, one := range sides {
				if err := one.Evaluate(outputs.Defaults(sides[0].Result.Model), false); err != nil {
					return err
				}
				report.Progress(runs.Progress{Fraction: float64(i+1) / float64(len(names)), Note: one.Name})
			}
			for _, dir := range dirs {
				if err := ctx.Err(); err != nil {
					return err
				}
				report.Progress(runs.Progress{Fraction: float64(len(sides)) / float64(len(names)), Note: dir})
				one, err := compare.Read(s.files, dir)
				if err != nil {
					return err
				}
				sides = append(sides, one)
			}
			for i, name := range compare.Labels(sides) {
				sides[i].Name = name
			}
			c, err := compare.New(sides)
			if err != nil {
				return err
			}
			view := c.View()
			report.Progress(runs.Progress{Fraction: 1, Note: format.Count(len(names), "run")})
			report.Show(func() runs.View { return view })
			return nil
		}}, nil
}

// Saved comparisons of earlier versions have no charts over time. The page offers to run them
// again.

func (s *Server) readComparison(dir string) (saved, error) {
	c, err := compare.ReadComparison(s.files, dir)
	if err != nil {
		return saved{}, err
	}
	said := map[string]any{"Title": dir}
	if err := s.describeComparison(dir, c, said); err != nil {
		return saved{}, err
	}
	return saved{View: runs.View{Figures: c.Figures(), Tables: c.Tables(), Files: []figure.File{
		{Name: compare.JSONFile, About: "the same for programs", Write: c.WriteJSON}}},
		data: said}, nil
}

// A hiddenField is a hidden field of a form.
type hiddenField struct{ Name, Value string }

// describeComparison adds to the data of a page what was compared, and the form to run it again or
// why that is not possible.
func (s *Server) describeComparison(dir string, c *compare.Comparison, said map[string]any) error {
	q, err := s.savedRequest(dir, study.Compare)
	if err != nil {
		return err
	}
	var names []string
	for _, one := range c.Scenarios {
		names = append(names, one.Name)
	}
	about := []string{compare.ListNames(names)}
	var scenarios []*population.Model
	if q != nil {
		if scenarios, err = s.comparedModels(dir, q, names); err == nil {
			said["Title"] = "Compare " + scenarios[0].Name()
			if c.Course != nil {
				c.Course.Unit, c.Course.TimeLabel = scenarios[0].Unit(), pictures.TimeLabel(scenarios[0])
				c.Course.Dates = pictures.Dates(scenarios[0])
			}
			about = append(about, compare.ListSizes(scenarios))
		}
	}
	about = append(about, format.Count(c.ReplicaCount(), "replica")+" of each")
	if q != nil {
		if q.ICER != "" {
			if err := c.ReadCosts(s.files, dir, q.ICER); err != nil {
				return err
			}
		}
		about = append(about, fmt.Sprintf("seed %d", q.Seed))
		if q.Until != "" {
			about = append(about, "until "+q.Until)
		}
		for _, p := range q.Set {
			about = append(about, p.Name+" = "+p.Value)
		}
		if q.From != "" {
			about = append(about, "values drawn from "+q.From)
		}
	}
	said["Lead"] = strings.Join(about, ", ")
	said["OverTime"] = c.Course != nil
	switch {
	case q == nil:
		said["Why"] = "there is no study.json that tells what was compared"
	case q.From != "":
		said["Why"] = "values are drawn from a posterior"
	case err != nil:
		said["Why"] = err.Error()
	case c.ReplicaCount() > s.limits.Replicas:
		said["Why"] = fmt.Sprintf("there are more than %s replicas of each", format.Thousands(float64(s.limits.Replicas)))
	default:
		fields := []hiddenField{{"path", path.Join(dir, "model.yaml")}, {"first", names[0]},
			{"seed", strconv.FormatUint(q.Seed, 10)},
			{"replicas", strconv.Itoa(q.Replicas)}, {"size", q.Size}, {"until", q.Until}}
		for _, name := range names {
			fields = append(fields, hiddenField{"scenarios", name})
		}
		for _, p := range q.Set {
			fields = append(fields, hiddenField{"set." + p.Name, p.Value})
		}
		if len(q.Outputs) > 0 {
			var texts []string
			for _, o := range c.Scenarios[0].Outputs {
				texts = append(texts, o.Name)
			}
			fields = append(fields, hiddenField{"outputs", strings.Join(texts, "\n")})
		}
		said["Again"] = fields
	}
	return nil
}

// comparedModels compiles the scenarios of a saved comparison, if the form for scenarios can
// express them.
func (s *Server) comparedModels(dir string, q *study.Request, names []string) (all []*population.Model, err error) {
	if len(names) > compare.MaxSides {
		return nil, fmt.Errorf("there are more than %d scenarios", compare.MaxSides)
	}
	model := path.Join(dir, "model.yaml")
	if q.Source, err = s.files.Read(model, folder.MaxModel); err != nil {
		return nil, errors.New("its model.yaml is not there, or cannot be read")
	}
	q.Read = func(name string) ([]byte, error) { return s.files.Table(model, name) }
	plain, err := s.compileSource(modelForm{Path: model, Source: string(q.Source)})
	if err != nil {
		return nil, errors.New("there is something wrong with its model.yaml")
	}
	for _, p := range q.Set { // the form has only parameters
		if !slices.ContainsFunc(plain.Parameters(), func(q population.Parameter) bool { return q.Name == p.Name }) {
			return nil, fmt.Errorf("%s is set, which is no parameter", p.Name)
		}
	}
	for _, name := range names {
		m, err := q.Compile(population.Scenario(name))
		if err != nil {
			return nil, fmt.Errorf("its model.yaml is not what was compared: there is something wrong in scenario %s", name)
		}
		all = append(all, m)
	}
	return all, nil
}
