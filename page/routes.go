package page

import (
	"errors"
	"net/http"

	"github.com/almanac-sim/almanac/page/internal/httperr"
	"github.com/almanac-sim/almanac/page/internal/runs"
)

// A section is an entry of the navigation.
type section struct {
	Name  string // for render
	Path  string
	Title string
}

var sections = []section{
	{"models", "/", "Models"},
	{"runs", "/runs", "Runs"},
	{"compare", "/compare", "Compare"},
	{"studies", "/studies", "Studies"},
	{"capped", "/capped", "Balls and bins"},
	{"queues", "/queues", "Queues"},
	{"papers", "/papers", "Papers"},
}

// routes maps addresses to handlers. GET changes nothing; changes are POST.
func (s *Server) routes() http.Handler {
	mux := http.NewServeMux()
	on := func(pattern string, h handler) { mux.HandleFunc(pattern, s.serve(h)) }
	on("GET /static/{file}", s.static)
	on("POST /theme", s.setTheme)

	on("GET /{$}", s.models)
	on("GET /models/{path...}", s.model)
	on("POST /models/{path...}", s.withModelForm(s.changeModel))
	on("POST /check", s.withModelForm(s.check))
	on("POST /commands", s.withModelForm(s.modelCommands))
	on("POST /model-files/{name}", s.withModelForm(s.modelFile))

	on("GET /runs", s.listRuns)
	on("POST /runs", s.withModelForm(s.startRun))
	on("GET /runs/{id}", s.ofRun(s.showRun))
	on("GET /runs/{id}/events", s.ofRun(s.watchRun))
	on("POST /runs/{id}/stop", s.ofRun(s.stopRun))
	on("GET /runs/{id}/figures/{name}", s.ofRun(s.runFigure))
	on("GET /runs/{id}/files/{name}", s.ofRun(s.runFile))

	on("GET /runs/{id}/points/{point}", atPoint(s.pointOfRun, s.showPoint))
	on("POST /runs/{id}/points/{point}", atPoint(s.pointOfRun, s.startPoint))

	on("GET /compare", s.comparePage)
	on("POST /compare", withForm(s.startComparison))
	on("GET /comparisons/{path...}", s.savedPage(&savedComparisons))

	on("GET /studies", s.studiesPage)
	on("GET /study-files/{name}", s.studyFile)
	on("GET /sweeps", s.sweepPage)
	on("POST /sweeps", withForm(s.startSweep))
	on("GET /sweeps/{path...}", s.savedPage(&savedSweeps))
	on("GET /comparison-figures/{name}", s.savedFigure(&savedComparisons))
	on("GET /sweep-figures/{name}", s.savedFigure(&savedSweeps))
	on("GET /sweep-points/{path...}", atPoint(s.pointOfDir, s.showPoint))
	on("POST /sweep-points/{path...}", atPoint(s.pointOfDir, s.startPoint))
	on("GET /point-figures/{name}", atPoint(s.pointOfDir, s.pointFigure))

	on("GET /fits/{path...}", s.fitPage)
	on("POST /fits/{path...}", withForm(s.project))
	on("GET /fit-figures/{name}", s.savedFigure(&savedFits))

	on("GET /hub", s.hubPage)
	on("GET /hub.json", s.hubJSON)

	on("GET /capped", s.capped)
	on("POST /capped", withForm(s.startCapped))

	on("GET /queues", s.queues)
	on("POST /queues", withForm(s.startQueue))
	on("GET /courses/{path...}", s.savedPage(&savedCourses))
	on("GET /course/{name}", s.savedFigure(&savedCourses))

	on("GET /papers", s.papers)
	on("GET /papers/{name}", s.claim)
	on("POST /papers/{name}", s.checkClaim)

	on("GET /results/{path...}", s.savedPage(&savedResults))
	on("GET /result/{name}", s.savedFigure(&savedResults))

	on("/", func(http.ResponseWriter, *http.Request) error {
		return httperr.NotFound("there is no such page")
	})
	return mux
}

// withForm parses the form before it calls a handler.
func withForm(h handler) handler {
	return func(w http.ResponseWriter, r *http.Request) error {
		if err := r.ParseForm(); err != nil {
			return badForm(err)
		}
		return h(w, r)
	}
}

// badForm is the error for a form that cannot be parsed.
func badForm(err error) error {
	if _, tooLarge := errors.AsType[*http.MaxBytesError](err); tooLarge {
		return err
	}
	return httperr.Errorf(http.StatusBadRequest, "the form cannot be read: %v", err)
}

// withModelForm is withForm for the form of a model. The address may contain its path.
func (s *Server) withModelForm(h func(w http.ResponseWriter, r *http.Request, a modelForm) error) handler {
	return withForm(func(w http.ResponseWriter, r *http.Request) error {
		if path := r.PathValue("path"); path != "" {
			r.PostForm.Set("path", path)
		}
		a, err := s.readModelForm(r.PostForm)
		if err != nil {
			return err
		}
		return h(w, r, a)
	})
}

// ofRun looks up the run of the address for a handler.
func (s *Server) ofRun(h func(w http.ResponseWriter, r *http.Request, run *runs.Run) error) handler {
	return func(w http.ResponseWriter, r *http.Request) error {
		run, err := s.runs.Get(r.PathValue("id"))
		if err != nil {
			return err
		}
		return h(w, r, run)
	}
}

// start queues work and redirects to its page.
func (s *Server) start(w http.ResponseWriter, r *http.Request, work runs.Work) error {
	run, err := s.runs.Start(work)
	if err != nil {
		return err
	}
	return seeRun(w, r, run)
}

func seeRun(w http.ResponseWriter, r *http.Request, run *runs.Run) error {
	http.Redirect(w, r, "/runs/"+run.ID, http.StatusSeeOther)
	return nil
}
