package page

import (
	"cmp"
	"encoding/json"
	"net/http"
	"net/url"
	"time"

	"github.com/almanac-sim/almanac/ensemble"
	"github.com/almanac-sim/almanac/internal/format"
	"github.com/almanac-sim/almanac/page/internal/httperr"
)

func (s *Server) studiesPage(w http.ResponseWriter, r *http.Request) error {
	there, err := s.list(r.Context(), true)
	if err != nil {
		return err
	}
	var models []listItem
	for _, m := range there.models {
		models = append(models, m.listed("/sweeps?model="+url.QueryEscape(m.Path)))
	}
	s.render(w, r, http.StatusOK, "studies", "studies", map[string]any{"Title": "Studies", "Found": there.studies.all,
		"MoreFound": there.studies.notes(), "Models": models, "MoreModels": there.moreModels, "Hub": s.hub != nil})
	return nil
}

// readStudyForm reads a form for many runs of a model, which must compile.
func (s *Server) readStudyForm(r *http.Request, form url.Values, replicas string) (a modelForm, f inspection,
	err error) {
	if a, err = s.readModelForm(form); err != nil {
		return a, f, err
	}
	a.Seed, a.Replicas = cmp.Or(a.Seed, "1"), cmp.Or(a.Replicas, replicas)
	if f, err = s.inspectLimited(r.Context(), a); err == nil && f.Name == "" {
		err = httperr.Unprocessable("there is something wrong with %s; its page says what", a.Path)
	}
	return a, f, err
}

// A hubJob is a study of the hub.
type hubJob struct {
	ensemble.Status
	Fraction float64
	Short    string // of the key
	Quiet    bool   // running, but without a recent update
}

func (s *Server) hubPage(w http.ResponseWriter, r *http.Request) error {
	if s.hub == nil {
		return httperr.NotFound("no hub is watched; almanac serve --hub nats://HOST:4222 names one")
	}
	state := s.hub.State()
	var jobs []hubJob
	for _, j := range state.Jobs {
		one := hubJob{Status: j, Short: j.Key[:min(len(j.Key), 12)], Quiet: j.State == ensemble.Running &&
			time.Since(j.Updated) > time.Minute}
		if j.Replicas > 0 {
			one.Fraction = float64(j.Merged) / float64(j.Replicas)
		}
		if j.State == ensemble.Done {
			one.Fraction = 1
		}
		jobs = append(jobs, one)
	}
	slots, busy := 0, 0
	for _, m := range state.Workers {
		slots, busy = slots+m.Slots, busy+m.Busy
	}
	command := "almanac jobs watch"
	if state.Where != "" {
		command += " --hub " + format.Word(state.Where)
	}
	s.render(w, r, http.StatusOK, "hub", "studies", map[string]any{"Title": "The hub", "Hub": state, "Jobs": jobs,
		"Slots": slots, "Busy": busy, "Command": command})
	return nil
}

func (s *Server) hubJSON(w http.ResponseWriter, r *http.Request) error {
	if s.hub == nil {
		return httperr.NotFound("no hub is watched")
	}
	setAttachment(w, "hub.json")
	return json.NewEncoder(w).Encode(s.hub.State())
}
