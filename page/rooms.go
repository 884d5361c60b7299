package page

import "net/http"

// A room is a part of the page that one can go to.
type room struct {
	Name  string // of its template data, and what render is told
	Path  string
	Title string // in the navigation
}

// rooms are those in the navigation, in order. Each has a file with its handlers.
var rooms = []room{
	{"models", "/", "Models"},
	{"runs", "/runs", "Runs"},
	{"compare", "/compare", "Compare"},
	{"studies", "/studies", "Studies"},
	{"capped", "/capped", "Balls and bins"},
	{"queues", "/queues", "Queues"},
	{"papers", "/papers", "Papers"},
}

// routes says who answers what. GET changes nothing; what changes something is POST.
func (s *Server) routes() http.Handler {
	mux := http.NewServeMux()
	on := func(pattern string, h handler) { mux.HandleFunc(pattern, s.serve(h)) }
	on("GET /static/{file}", s.static)
	on("POST /theme", s.setTheme)

	on("GET /{$}", s.models)
	on("GET /models/{path...}", s.model)
	on("POST /models/{path...}", s.changeModel)
	on("POST /check", s.check)
	on("POST /commands", s.modelCommands)
	on("POST /model-files/{name}", s.modelFile)

	on("GET /runs", s.listRuns)
	on("POST /runs", s.startRun)
	on("GET /runs/{id}", s.showRun)
	on("GET /runs/{id}/events", s.watchRun)
	on("POST /runs/{id}/stop", s.stopRun)
	on("GET /runs/{id}/figures/{name}", s.runFigure)
	on("GET /runs/{id}/files/{name}", s.runFile)

	on("GET /runs/{id}/points/{point}", s.runPoint)
	on("POST /runs/{id}/points/{point}", s.startRunPoint)

	on("GET /compare", s.comparePage)
	on("POST /compare", s.startComparison)
	on("GET /comparisons/{path...}", s.comparison)

	on("GET /studies", s.studiesPage)
	on("GET /study-files/{name}", s.studyFile)
	on("GET /sweeps", s.sweepPage)
	on("POST /sweeps", s.startSweep)
	on("GET /sweeps/{path...}", s.savedSweepPage)
	on("GET /sweep-figures/{name}", s.sweepFigure)
	on("GET /sweep-points/{path...}", s.savedPoint)
	on("POST /sweep-points/{path...}", s.startSavedPoint)
	on("GET /point-figures/{name}", s.pointFigure)

	on("GET /fits/{path...}", s.fitPage)
	on("POST /fits/{path...}", s.project)
	on("GET /fit-figures/{name}", s.fitFigure)

	on("GET /hub", s.hubPage)
	on("GET /hub.json", s.hubJSON)

	on("GET /capped", s.capped)
	on("POST /capped", s.startCapped)

	on("GET /queues", s.queues)
	on("POST /queues", s.startQueue)
	on("GET /courses/{path...}", s.courses)
	on("GET /course/{name}", s.courseFigure)

	on("GET /papers", s.papers)
	on("GET /papers/{name}", s.claim)
	on("POST /papers/{name}", s.checkClaim)

	on("GET /results/{path...}", s.result)
	on("GET /result/{name}", s.resultFigure)

	on("/", func(http.ResponseWriter, *http.Request) error {
		return problemf(http.StatusNotFound, "there is no such page")
	})
	return mux
}
