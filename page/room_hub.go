package page

import (
	"encoding/json"
	"net/http"
	"time"

	"github.com/almanac-sim/almanac/ensemble"
	"github.com/almanac-sim/almanac/internal/format"
)

// The hub: studies that go on there, how far they are, and who works on them.

// A hubJob is a study in the list.
type hubJob struct {
	ensemble.Status
	Fraction float64
	Short    string // of its key
	Quiet    bool   // it is said to run, and nobody has said so lately
}

func (s *Server) hubPage(w http.ResponseWriter, r *http.Request) error {
	if s.hub == nil {
		return problemf(http.StatusNotFound, "no hub is watched; almanac serve --hub nats://HOST:4222 names one")
	}
	state := s.hub.look()
	var jobs []hubJob
	for _, j := range state.Jobs {
		one := hubJob{Status: j, Short: j.Key[:min(len(j.Key), 12)], Quiet: j.State == ensemble.Running && time.Since(j.Updated) > time.Minute}
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
	s.render(w, r, http.StatusOK, "hub", "studies", map[string]any{"Title": "The hub", "Hub": state, "Jobs": jobs, "Slots": slots, "Busy": busy, "Command": command})
	return nil
}

// hubJSON is what is known of the hub, for programs.
func (s *Server) hubJSON(w http.ResponseWriter, r *http.Request) error {
	if s.hub == nil {
		return problemf(http.StatusNotFound, "no hub is watched")
	}
	asFile(w, "hub.json")
	return json.NewEncoder(w).Encode(s.hub.look())
}
