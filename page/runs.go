package page

import (
	"fmt"
	"net/http"
	"net/url"
	"strconv"
	"time"

	"github.com/almanac-sim/almanac/page/internal/figure"
	"github.com/almanac-sim/almanac/page/internal/httperr"
	"github.com/almanac-sim/almanac/page/internal/runs"
)

func (s *Server) listRuns(w http.ResponseWriter, r *http.Request) error {
	s.render(w, r, http.StatusOK, "runs", "runs", map[string]any{"Title": "Runs", "Runs": s.runs.List(),
		"Limits": s.limits})
	return nil
}

// showRun shows the current state of a run. Without script the page reloads itself.
func (s *Server) showRun(w http.ResponseWriter, r *http.Request, run *runs.Run) error {
	status := run.Status() // before the view, which is then at least as recent
	view := run.View()
	type charts struct {
		figures []figure.Group
		part    *figure.Page
	}
	query := r.URL.Query()
	drawn, err := s.rendered(r.Context(), run, "page", fmt.Sprintf("%q %q", query.Get("charts"), query.Get("find")),
		func(v runs.View) (any, int, error) {
			some, part := figure.Paginate(v.Figures, query)
			all, err := figure.Show(r.Context(), some, func(f figure.Figure) (string, url.Values) {
				return "/runs/" + run.ID + "/figures/" + url.PathEscape(f.ID), nil
			})
			return charts{all, part}, figure.Size(all), err
		})
	if err != nil {
		return err
	}
	shown := drawn.(charts)
	data := map[string]any{"Title": run.Title, "Run": run, "Status": status, "Figures": shown.figures, "Part": shown.part,
		"Tables": view.Tables, "Files": view.Files, "Before": s.runs.Ahead(run)}
	s.render(w, r, http.StatusOK, "run", "runs", data)
	return nil
}

func (s *Server) stopRun(w http.ResponseWriter, r *http.Request, run *runs.Run) error {
	run.Stop()
	select { // so that the page shows the end
	case <-run.Over():
	case <-time.After(2 * time.Second):
	}
	return seeRun(w, r, run)
}

func (s *Server) runFigure(w http.ResponseWriter, r *http.Request, run *runs.Run) error {
	id, form, wanted, err := figureWanted(r)
	if err != nil {
		return err
	}
	var body []byte
	if form == "svg" || form == "png" || form == "pdf" { // expensive
		var what any
		what, err = s.rendered(r.Context(), run, form, id+" "+wanted.Key(), func(v runs.View) (any, int, error) {
			b, err := figure.Encode(v.Figures, id, form, wanted)
			return b, len(b), err
		})
		if body, _ = what.([]byte); err == nil {
			// Also for a cached rendering, which may be dropped while it is being sent.
			err = s.reserve(r.Context())
		}
	} else {
		body, err = computed(r.Context(), s, func() ([]byte, error) {
			return figure.Encode(run.View().Figures, id, form, wanted)
		})
	}
	// Charts come and go during a run, and the script may request an old one.
	if httperr.Is(err, http.StatusNotFound) && wanted.Width > 0 {
		w.WriteHeader(http.StatusNoContent)
		return nil
	}
	if err != nil {
		return err
	}
	return sendFigure(w, r, id, form, body)
}

func (s *Server) runFile(w http.ResponseWriter, r *http.Request, run *runs.Run) error {
	for _, f := range run.View().Files {
		if f.Name == r.PathValue("name") {
			return s.sendFile(w, r, f)
		}
	}
	return httperr.NotFound("run %s has no file %q", run.ID, r.PathValue("name"))
}

const eventStream = "text/event-stream"

// watchRun sends server-sent events, at most ten a second. A browser that reconnects sends the
// number of its last event.
func (s *Server) watchRun(w http.ResponseWriter, r *http.Request, run *runs.Run) error {
	if of := r.URL.Query().Get("of"); of != "" && of != run.Mark() {
		return httperr.Errorf(http.StatusGone,
			"this is another run %s: the one that was watched was of a server that "+"has ended", run.ID)
	}
	if r.URL.Query().Has("there") { // only a check that the run exists
		w.WriteHeader(http.StatusNoContent)
		return nil
	}
	if r.Method == http.MethodHead {
		w.Header().Set("Content-Type", eventStream)
		return nil
	}
	if s.viewers.Add(1) > int64(s.limits.Viewers) {
		s.viewers.Add(-1)
		return httperr.Errorf(http.StatusServiceUnavailable, "%d viewers watch already", s.limits.Viewers)
	}
	defer s.viewers.Add(-1)
	watched := run.Subscribe(r.URL.Query())
	defer watched.Close()
	if a, ok := w.(*response); ok {
		a.stream = true
	}
	w.Header().Set("Content-Type", eventStream)
	out := http.NewResponseController(w)
	// A client that does not read is disconnected; browsers reconnect.
	send := func(text []byte) error {
		if _, err := w.Write(text); err != nil {
			return err
		}
		return out.Flush()
	}
	if send([]byte("retry: 1000\n\n")) != nil {
		return nil
	}
	seen, _ := strconv.ParseInt(r.Header.Get("Last-Event-ID"), 10, 64)
	beat := time.NewTicker(15 * time.Second)
	defer beat.Stop()
	for {
		text, last, news, end := watched.Since(seen)
		if len(text) == 0 && end {
			text = fmt.Appendf(nil, "event: end\ndata: {}\n\n")
		}
		if len(text) > 0 {
			if send(text) != nil {
				return nil
			}
			seen = last
		}
		if end {
			return nil
		}
		select {
		case <-news:
		case <-beat.C:
			if send([]byte(": still there\n\n")) != nil {
				return nil
			}
		case <-r.Context().Done():
			return nil
		case <-s.closing:
			return nil
		}
	}
}
