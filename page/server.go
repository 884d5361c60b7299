package page

import (
	"context"
	"errors"
	"fmt"
	"html/template"
	"io"
	"log/slog"
	"net"
	"net/http"
	"runtime/debug"
	"sync"
	"sync/atomic"
	"time"
)

// A Server shows models, runs them, and shows what comes of it. Its methods may be called from
// several goroutines at once.
type Server struct {
	config  Config
	limits  Limits
	log     *slog.Logger
	files   folder
	runs    *Runs
	views   map[string]*template.Template // by their names
	shelf   shelf
	lister  lister
	hub     *hub // nil if there is none
	viewers atomic.Int64
	turns   chan struct{} // as many as may work for an answer at once
	places  chan struct{} // as many as there may be answers at once that take memory
	pen     *pen
	closing chan struct{}
	close   sync.Once
	handler http.Handler
}

// New makes a server. Close ends it.
func New(c Config) (*Server, error) {
	if c.Files == nil {
		return nil, errors.New("page: there are no files to show")
	}
	if c.Anywhere && c.Token == "" {
		return nil, errors.New("page: whoever can reach the machine could read, write and run; a token is needed to " +
			"listen beyond loopback")
	}
	s := &Server{config: c, limits: c.Limits.orDefault(), log: c.Logger, files: folder{c.Files, c.Root, new(sync.Mutex)},
		turns: make(chan struct{}, 2), pen: newPen(), closing: make(chan struct{})}
	s.places = make(chan struct{}, s.limits.Answers)
	if s.log == nil {
		s.log = slog.New(slog.DiscardHandler)
	}
	s.runs = newRuns(s.limits, s.log)
	var err error
	if s.views, err = newViews(); err != nil {
		return nil, err
	}
	if c.Hub != nil {
		s.hub = newHub(dialling(*c.Hub), s.log)
	}
	if s.files.writable() {
		s.files.cleanAll()
	}
	s.handler = s.guard(s.routes())
	return s, nil
}

// ServeHTTP answers a request.
func (s *Server) ServeHTTP(w http.ResponseWriter, r *http.Request) { s.handler.ServeHTTP(w, r) }

// Serve answers on a listener until the context ends. What is being answered then has a few
// seconds; runs are stopped.
func (s *Server) Serve(ctx context.Context, l net.Listener) error {
	server := &http.Server{
		Handler: s, ReadHeaderTimeout: min(5*time.Second, s.limits.Request), ReadTimeout: s.limits.Request, IdleTimeout: 2 *
			time.Minute, MaxHeaderBytes: 32 << 10,
		ErrorLog: slog.NewLogLogger(s.log.Handler(), slog.LevelDebug),
	}
	ended := make(chan error, 1)
	go func() { ended <- server.Serve(l) }()
	select {
	case err := <-ended:
		s.Close()
		return err
	case <-ctx.Done():
	}
	s.Close() // viewers leave, so that there is nothing to wait for
	grace, cancel := context.WithTimeout(context.Background(), 5*time.Second)
	defer cancel()
	if err := server.Shutdown(grace); err != nil {
		server.Close()
	}
	<-ended
	return nil
}

// Close stops all work and lets viewers go. Serve does so at its end; closing again does nothing.
func (s *Server) Close() {
	s.close.Do(func() {
		close(s.closing)
		s.runs.close()
		if s.hub != nil {
			s.hub.close()
		}
	})
}

// A problem is an error that is for the visitor to read.
type problem struct {
	status  int
	message string
}

// busy is the problem of who waited in vain. A browser or a program may come back after a few
// seconds, which it is told.
var busy = problem{http.StatusServiceUnavailable, "too many ask for pictures or large pages at once, or take long " +
	"to read them; try again in a few seconds"}

func (p problem) Error() string { return p.message }

// problemf is a problem with an HTTP status.
func problemf(status int, format string, args ...any) error {
	return problem{status, fmt.Sprintf(format, args...)}
}

// A handler answers a request, or says why it cannot.
type handler func(w http.ResponseWriter, r *http.Request) error

// serve answers, with a page that says what is wrong if something is.
func (s *Server) serve(h handler) http.HandlerFunc {
	return func(to http.ResponseWriter, r *http.Request) {
		w := newAnswer(to, s.limits.Answer)
		r = r.WithContext(context.WithValue(r.Context(), answerKey{}, w))
		defer s.leave(w)
		defer func() {
			switch p := recover(); p {
			case nil:
			case http.ErrAbortHandler:
				panic(p)
			default:
				s.log.Error("a request failed", "path", r.URL.Path, "panic", p, "stack", string(debug.Stack()))
				s.fail(w, r, problem{http.StatusInternalServerError, "something went wrong here; the server's log has more"})
			}
		}()
		if err := h(w, r); err != nil {
			s.fail(w, r, err)
		}
	}
}

// fail answers with an error: in words for a script that asks for them, otherwise as a page.
func (s *Server) fail(w http.ResponseWriter, r *http.Request, err error) {
	if a, ok := w.(*answer); ok && a.begun {
		s.log.Debug("an answer was cut off", "path", r.URL.Path, "error", err)
		panic(http.ErrAbortHandler) // so that nobody takes it for whole
	}
	var p problem
	var tooLarge *http.MaxBytesError
	switch {
	case errors.As(err, &p):
	case errors.As(err, &tooLarge):
		p = problem{http.StatusRequestEntityTooLarge, fmt.Sprintf("this is more than the %d bytes that can be sent at once",
			tooLarge.Limit)}
	case r.Context().Err() != nil: // nobody reads this
		s.log.Debug("a visitor has left", "path", r.URL.Path)
		p = problem{http.StatusServiceUnavailable, "it took longer than you waited"}
	default:
		s.log.Error("a request failed", "path", r.URL.Path, "error", err)
		p = problem{http.StatusInternalServerError, "something went wrong here; the server's log has more"}
	}
	if p == busy {
		w.Header().Set("Retry-After", "5") // for programs, and our script
	}
	if r.Header.Get("Sec-Fetch-Dest") == "empty" || r.Header.Get("Accept") == "application/json" {
		w.Header().Set("Content-Type", "text/plain; charset=utf-8")
		w.WriteHeader(p.status)
		_, _ = io.WriteString(w, p.message+"\n")
		return
	}
	s.render(w, r, p.status, "error", "", map[string]any{"Title": http.StatusText(p.status), "Message": p.message,
		"Again": p == busy && r.Method == http.MethodGet})
}
