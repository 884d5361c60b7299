package page

import (
	"cmp"
	"errors"
	"net/http"
	"net/url"

	"github.com/almanac-sim/almanac/population"
)

// The room of studies: sweeps, comparisons and fits in directories, sweeps to start, and the hub.

// studiesPage lists studies.
func (s *Server) studiesPage(w http.ResponseWriter, r *http.Request) error {
	there, err := s.list(r.Context(), true)
	if err != nil {
		return err
	}
	var models []listed
	for _, m := range there.models {
		models = append(models, m.listed("/sweeps?model="+url.QueryEscape(m.Path)))
	}
	s.render(w, r, http.StatusOK, "studies", "studies", map[string]any{"Title": "Studies", "Found": there.studies.all,
		"MoreFound": there.studies.notes(), "Models": models, "MoreModels": there.moreModels, "Hub": s.hub != nil})
	return nil
}

// sweepPage asks what to vary in a model.
func (s *Server) sweepPage(w http.ResponseWriter, r *http.Request) error {
	form := r.URL.Query()
	form.Set("path", form.Get("model"))
	form.Del("source")
	if form.Get("path") == "" {
		http.Redirect(w, r, "/studies", http.StatusSeeOther)
		return nil
	}
	return s.sweepForm(w, r, http.StatusOK, form, nil)
}

// askedStudy is what a form for many runs of a model asks for, and what there is to say of the
// model, in which nothing may be wrong.
func (s *Server) askedStudy(r *http.Request, form url.Values, replicas string) (a ask, f findings, err error) {
	if a, err = s.asked(form); err != nil {
		return a, f, err
	}
	a.Seed, a.Replicas = cmp.Or(a.Seed, "1"), cmp.Or(a.Replicas, replicas)
	if f, err = s.findInTurn(r.Context(), a); err == nil && f.Name == "" {
		err = problemf(http.StatusUnprocessableEntity, "there is something wrong with %s; its page says what", a.Path)
	}
	return a, f, err
}

func (s *Server) sweepForm(w http.ResponseWriter, r *http.Request, status int, form url.Values,
	problems population.Problems) error {
	a, f, err := s.askedStudy(r, form, "10")
	if err != nil {
		return err
	}
	type vary struct{ Name, Values string }
	var rows []vary
	for i, name := range form["vary"] {
		if i < len(form["values"]) && i < 2 {
			rows = append(rows, vary{name, form["values"][i]})
		}
	}
	if len(rows) == 0 {
		for _, p := range f.Parameters {
			if values := aroundValue(p); values != "" && len(rows) < 2 {
				rows = append(rows, vary{p.Name, values})
			}
		}
	}
	for len(rows) < 2 {
		rows = append(rows, vary{})
	}
	names := []string{}
	for _, p := range f.Parameters {
		names = append(names, p.Name)
	}
	s.render(w, r, status, "sweeping", "studies", map[string]any{"Title": "Sweep " + f.Name, "Ask": a, "Found": f,
		"Rows": rows, "Names": append(names, "population.size"),
		"Outputs": form.Get("outputs"), "Problems": placed(problems), "Most": mostGrid, "Link": "/models/" +
			pathEscape(a.Path)})
	return nil
}

// startSweep starts what a form asks for.
func (s *Server) startSweep(w http.ResponseWriter, r *http.Request) error {
	r.PostForm.Del("source")
	work, err := made(r.Context(), s, func() (Work, error) { return s.sweepWork(r.PostForm) })
	if problems, ok := errors.AsType[population.Problems](err); ok {
		return s.sweepForm(w, r, http.StatusUnprocessableEntity, r.PostForm, problems)
	}
	if err != nil {
		return err
	}
	return s.start(w, r, work)
}

// readSweep is what there is to see of a sweep in a directory.
func (s *Server) readSweep(dir string) (saved, error) {
	sweep, err := s.savedSweep(dir)
	if err != nil {
		return saved{}, err
	}
	v := saved{View: sweep.view(), said: map[string]any{"Title": dir, "What": "sweep"}}
	v.Files = []File{{pointsJSON, "the same for programs", sweep.writeJSON}}
	return v, nil
}
