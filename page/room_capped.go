package page

import (
	"errors"
	"fmt"
	"net/http"
	"net/url"

	"github.com/almanac-sim/almanac/internal/format"
)

// Balls and bins: CAPPED and its relatives, round by round.

// query is what was asked for, as an address has it.
func (a allocating) query() url.Values {
	q := url.Values{"process": {a.Process}, "bins": {a.Bins}, "capacity": {a.Capacity}, "choices": {a.Choices}, "rate": {a.Rate}, "arrivals": {a.Arrivals}, "rounds": {a.Rounds},
		"burn-in": {a.BurnIn}, "seed": {a.Seed}, "pace": {a.Pace}}
	if a.Warm {
		q.Set("warm", "1")
	}
	return q
}

// capped shows the form, as it was filled in before if the address says so.
func (s *Server) capped(w http.ResponseWriter, r *http.Request) error {
	a := usualAllocating
	if r.URL.Query().Has("process") {
		a = askedAllocating(r.URL.Query())
	}
	return s.showCapped(w, r, http.StatusOK, a, "")
}

func (s *Server) showCapped(w http.ResponseWriter, r *http.Request, status int, a allocating, wrong string) error {
	s.render(w, r, status, "capped", "capped", map[string]any{"Title": "Balls and bins", "Ask": a, "Wrong": wrong, "Processes": allocationProcesses, "Arrivals": allocationArrivals,
		"Paces": allocationPaces, "Most": fmt.Sprintf("up to %s bins, a capacity of %d, and %s rounds", format.Thousands(mostBins), mostCapacity, format.Thousands(mostRounds))})
	return nil
}

// allocationProcesses are the kinds with what they do.
var allocationProcesses = []struct{ Name, About string }{
	{"capped", "CAPPED: bins with room for c balls, the others wait in a pool"},
	{"modcapped", "MODCAPPED: as CAPPED, with at least m* balls thrown in every round"},
	{"greedy", "GREEDY: bins without a limit; a ball looks at d of them"},
	{"threshold", "THRESHOLD: one batch of λn balls; a bin accepts c in a round"},
}

// startCapped puts a process into the queue.
func (s *Server) startCapped(w http.ResponseWriter, r *http.Request) error {
	a := askedAllocating(r.PostForm)
	return s.startOr(w, r, a.work, func(status int, wrong string) error { return s.showCapped(w, r, status, a, wrong) })
}

// startOr starts the work that a form asks for, or shows the form again with what is wrong with it, so that what was typed is not lost.
func (s *Server) startOr(w http.ResponseWriter, r *http.Request, work func() (Work, error), again func(status int, wrong string) error) error {
	begun, err := made(r.Context(), s, work) // theory takes a moment
	if p, ok := errors.AsType[problem](err); ok && p.status == http.StatusUnprocessableEntity {
		return again(p.status, p.message)
	}
	if err != nil {
		return err
	}
	return s.start(w, r, begun)
}
