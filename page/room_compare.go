package page

import (
	"context"
	"errors"
	"fmt"
	"net/http"
	"net/url"
	"path"
	"slices"
	"strings"

	"github.com/almanac-sim/almanac/internal/format"
	"github.com/almanac-sim/almanac/internal/outputs"
	"github.com/almanac-sim/almanac/population"
	"github.com/almanac-sim/almanac/study"
)

// The room of comparisons: what can be compared, and forms that ask for it. A comparison itself is
// work, and its page that of a run.

// comparePage shows what can be compared, or the scenarios of a model.
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
	var models []listed
	for _, m := range there.models {
		if m.scenarios {
			models = append(models, m.listed("/compare?model="+url.QueryEscape(m.Path)))
		}
	}
	var runs []*Run
	for _, run := range s.runs.List() {
		if run.State() == Done && run.Model {
			runs = append(runs, run)
		}
	}
	s.render(w, r, http.StatusOK, "compare", "compare", map[string]any{"Title": "Compare", "Models": models,
		"MoreModels": there.moreModels, "Results": there.results.all, "MoreResults": there.results.notes(),
		"Found": there.comparisons.all, "MoreFound": there.comparisons.notes(), "Runs": runs, "Most": mostSides})
	return nil
}

// scenarioForm asks which scenarios of a model to compare.
func (s *Server) scenarioForm(w http.ResponseWriter, r *http.Request, status int, form url.Values,
	problems population.Problems) error {
	a, found, err := s.askedStudy(r, form, "20")
	if err != nil {
		return err
	}
	chosen := form["scenarios"]
	if len(chosen) == 0 {
		chosen = found.Scenarios[:min(len(found.Scenarios), mostSides)]
	}
	type option struct {
		Name    string
		Checked bool
	}
	var options []option
	for _, name := range found.Scenarios {
		options = append(options, option{name, slices.Contains(chosen, name)})
	}
	s.render(w, r, status, "scenarios", "compare", map[string]any{"Title": "Compare " + found.Name, "Ask": a,
		"Found": found, "Options": options, "First": form.Get("first"),
		"Outputs": form.Get("outputs"), "Problems": placed(problems), "Most": mostSides, "Link": "/models/" +
			pathEscape(a.Path)})
	return nil
}

// startComparison starts what a form asks for.
func (s *Server) startComparison(w http.ResponseWriter, r *http.Request) error {
	r.PostForm.Del("source")
	work, err := made(r.Context(), s, func() (Work, error) {
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

// wrong is a problem with a field of a form.
func wrong(field, message string, args ...any) error {
	return population.Problems{{File: field, Message: fmt.Sprintf(message, args...)}}
}

// outputLines are what a form asks to be told, a line each.
func outputLines(text string) (all []string) {
	for line := range strings.Lines(text) {
		if line = strings.TrimSpace(line); line != "" {
			all = append(all, line)
		}
	}
	return all
}

// compareScenarios is the work of running scenarios with the same luck.
func (s *Server) compareScenarios(form url.Values) (Work, error) {
	a, err := s.asked(form)
	if err != nil {
		return Work{}, err
	}
	a.Scenario = ""
	base, q, err := s.compiled(&a, study.Compare)
	if err != nil {
		return Work{}, err
	}
	o := population.Options{Seed: q.Seed, Replicas: q.Replicas}
	names := slices.Clone(form["scenarios"])
	if first := form.Get("first"); slices.Contains(names, first) {
		names = append([]string{first}, slices.DeleteFunc(names, func(n string) bool { return n == first })...)
	}
	switch {
	case len(base.Scenarios()) < 2:
		return Work{}, wrong("scenarios", "the model has %s; at least two are needed, the first of which the others are "+
			"compared with", format.Count(len(base.Scenarios()), "scenario"))
	case len(names) < 2 || len(names) > mostSides:
		return Work{}, wrong("scenarios", "%d are chosen; expected from 2 to %d", len(names), mostSides)
	}
	texts := outputLines(form.Get("outputs"))
	all, err := outputs.All(base, texts)
	if err != nil {
		return Work{}, wrong("outputs", "%v", err)
	}
	asked := texts != nil
	texts = nil
	for _, output := range all {
		texts = append(texts, output.Text)
	}
	if q.Scenarios = names; asked {
		q.Outputs = texts
	}
	var scenarios []*population.Model
	kept, need := uint64(0), uint64(0)
	for i, name := range names {
		if !slices.Contains(base.Scenarios(), name) || slices.Contains(names[:i], name) {
			return Work{}, wrong("scenarios", "%q is not one of %s, or stands there twice", name, strings.Join(base.Scenarios(),
				", "))
		}
		m, err := q.Compile(population.Scenario(name))
		if err != nil {
			return Work{}, err
		}
		if _, err := outputs.All(m, texts); err != nil {
			return Work{}, wrong("outputs", "in scenario %s: %v", name, err)
		}
		scenarios = append(scenarios, m)
		kept, need = kept+m.Recorded(o.Replicas), max(need, needs(m, o))
	}
	if kept > s.limits.Bytes {
		return Work{}, wrong("replicas", "what so many replicas record takes %s, more than the %s that results may take here",
			format.Bytes(kept), format.Bytes(s.limits.Bytes))
	}
	about := []string{sidesText(names), sizesText(scenarios), format.Count(o.Replicas, "replica") + " of each",
		fmt.Sprintf("seed %d", o.Seed)}
	for _, p := range a.Set {
		about = append(about, p.Name+" = "+p.Value)
	}
	return Work{
		Title: "Compare " + base.Name(), About: strings.Join(about, ", "), From: "/compare?model=" + url.QueryEscape(a.Path),
		Request: q, Command: q.Command(),
		Keeps: figureBytes(len(names), base), Needs: sum(kept, need), // one after another, and all results at the end
		Fits: func() error {
			for _, m := range scenarios {
				if err := m.CheckMemory(o); err != nil {
					return err
				}
			}
			return nil
		},
		Do: func(ctx context.Context, tell *Teller) error {
			return runScenarios(ctx, names, scenarios, o, texts, tell)
		},
	}, nil
}

// figureBytes is about what the charts of a comparison take.
func figureBytes(sides int, m *population.Model) uint64 {
	lines := min(len(m.States()), mostLines)*2 + min(len(m.Flows()), mostLines)
	return uint64(sides) * uint64(lines) * uint64(len(m.Times())) * 32
}

// runScenarios runs one scenario after the other. The replica of a number has the same luck in
// each, as in almanac compare.
func runScenarios(ctx context.Context, names []string, scenarios []*population.Model, o population.Options,
	texts []string, tell *Teller) error {
	var sides []*side
	events := uint64(0)
	for i, m := range scenarios {
		done := slices.Clone(sides)
		o.OnProgress = func(p population.Progress) {
			tell.Progress(Progress{Fraction: (float64(i) + p.Fraction) / float64(len(scenarios)), Events: events + p.Events,
				Note: fmt.Sprintf("%s, %d of %s done", names[i], p.Done, format.Count(o.Replicas, "replica"))})
			tell.Show(func() View {
				now := done
				if r := p.SoFar(); r != nil && r.Rows() > 0 {
					now = append(slices.Clone(done), resultSide(names[i], r))
				}
				if len(now) == 0 {
					return View{}
				}
				return View{Figures: sideFigures(now)}
			})
		}
		r, err := m.Run(ctx, o)
		if err != nil {
			return err
		}
		events += r.Events
		one := resultSide(names[i], r)
		if err := one.tell(texts, true); err != nil {
			return err
		}
		sides = append(sides, one)
	}
	c, err := compare(sides)
	if err != nil {
		return err
	}
	view := c.view()
	tell.Progress(Progress{Fraction: 1, Events: events, Note: fmt.Sprintf("%s, %s of each",
		format.Count(len(names), "scenario"), format.Count(o.Replicas, "replica"))})
	tell.Show(func() View { return view })
	return nil
}

// sourceOfRun is a run that is compared. Its files are there as long as it is kept.
func sourceOfRun(run *Run) source {
	one := source{Name: "run " + run.ID, Link: "/runs/" + run.ID, Command: run.Command}
	for _, f := range run.View().Files {
		one.Files = append(one.Files, taken{Name: f.Name, Link: one.Link + "/files/" + f.Name})
	}
	return one
}

// sourceOfDir is a directory that is compared.
func (s *Server) sourceOfDir(dir string) source {
	command, _ := s.files.read(path.Join(dir, "command.txt"), 1<<16) // which may have none
	return source{Name: dir, Link: "/results/" + pathEscape(dir), Command: strings.TrimSpace(string(command)),
		Files: s.filesIn(dir, resultFiles)}
}

// compareRuns is the work of comparing runs of this server and runs in directories: it takes a
// while to read these.
func (s *Server) compareRuns(ids, dirs []string) (Work, error) {
	if n := len(ids) + len(dirs); n < 2 || n > mostSides {
		return Work{}, problemf(http.StatusUnprocessableEntity, "%d are chosen; from 2 to %d can be compared", n, mostSides)
	}
	var sides []*side
	var sources []source
	var keeps, needs, table uint64
	for _, id := range ids {
		run, err := s.runs.Get(id)
		if err != nil {
			return Work{}, err
		}
		r := run.View().Result
		if run.State() != Done || r == nil {
			return Work{}, problemf(http.StatusUnprocessableEntity, "run %s has no result to compare", id)
		}
		one := resultSide("run "+id, r)
		one.facts = runFacts(run, r)
		sides, sources = append(sides, one), append(sources, sourceOfRun(run))
		keeps += figureBytes(1, r.Model)
	}
	for _, dir := range dirs {
		if _, err := s.files.valid(dir); err != nil {
			return Work{}, err
		}
		sources = append(sources, s.sourceOfDir(dir))
		// Numbers of a summary take less than their digits, and are there twice while they are
		// read; tables are read one after the other.
		needs = sum(needs, 2*s.files.size(path.Join(dir, "summary.json")))
		for _, file := range []string{"series.csv", "flows.csv"} {
			table = max(table, s.files.size(path.Join(dir, file)))
		}
	}
	keeps += uint64(len(dirs)) << 20
	names := slices.Concat(labels(sides), dirs)
	return Work{Title: "Compare runs", About: sidesText(names), From: "/compare", Sources: sources, Keeps: keeps,
		Needs: sum(2*keeps, sum(needs, 2*table)),
		Do: func(ctx context.Context, tell *Teller) error {
			defer func() { sides = nil }() // the results may be forgotten
			for i, one := range sides {
				if err := one.tell(outputs.Defaults(sides[0].result.Model), false); err != nil {
					return err
				}
				tell.Progress(Progress{Fraction: float64(i+1) / float64(len(names)), Note: one.Name})
			}
			for _, dir := range dirs {
				if err := ctx.Err(); err != nil {
					return err
				}
				tell.Progress(Progress{Fraction: float64(len(sides)) / float64(len(names)), Note: dir})
				one, err := s.savedSide(dir)
				if err != nil {
					return err
				}
				sides = append(sides, one)
			}
			for i, name := range labels(sides) {
				sides[i].Name = name
			}
			c, err := compare(sides)
			if err != nil {
				return err
			}
			view := c.view()
			tell.Progress(Progress{Fraction: 1, Note: format.Count(len(names), "run")})
			tell.Show(func() View { return view })
			return nil
		}}, nil
}
