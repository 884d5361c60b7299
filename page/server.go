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

	"github.com/almanac-sim/almanac/page/internal/cache"
	"github.com/almanac-sim/almanac/page/internal/folder"
	"github.com/almanac-sim/almanac/page/internal/httperr"
	"github.com/almanac-sim/almanac/page/internal/hub"
	"github.com/almanac-sim/almanac/page/internal/runs"
)

// A Server serves the page. Its methods may be called from several goroutines at once.
type Server struct {
	config        Config
	limits        Limits
	log           *slog.Logger
	files         folder.Folder
	runs          *runs.Queue
	templates     map[string]*template.Template // by name
	cache         *cache.Cache[saved]
	index         modelIndex
	hub           *hub.Watcher // nil for none
	viewers       atomic.Int64
	computeSlots  chan struct{} // bounds requests that compute
	responseSlots chan struct{} // bounds responses in memory
	renderer      *renderLimiter
	closing       chan struct{}
	close         sync.Once
	handler       http.Handler
}

// New returns a server, which must be closed.
func New(c Config) (*Server, error) {
	if c.Files == nil {
		return nil, errors.New("page: there are no files to show")
	}
	if c.Anywhere && c.Token == "" {
		return nil, errors.New("page: whoever can reach the machine could read, write and run; a token is needed to " +
			"listen beyond loopback")
	}
	s := &Server{config: c, limits: c.Limits.orDefault(), log: c.Logger, files: folder.New(c.Files, c.Root),
		computeSlots: make(chan struct{}, 2), cache: cache.New(func(v saved) int { return v.Size() }),
		renderer: newRenderLimiter(), closing: make(chan struct{})}
	s.responseSlots = make(chan struct{}, s.limits.Responses)
	if s.log == nil {
		s.log = slog.New(slog.DiscardHandler)
	}
	s.runs = runs.New(s.limits.runs(), s.log)
	var err error
	if s.templates, err = parseTemplates(); err != nil {
		return nil, err
	}
	if c.Hub != nil {
		s.hub = hub.New(hub.Dialer(*c.Hub), s.log)
	}
	if s.files.Writable() {
		s.files.RemoveStale()
	}
	s.handler = s.guard(s.routes())
	return s, nil
}

// ServeHTTP implements http.Handler.
func (s *Server) ServeHTTP(w http.ResponseWriter, r *http.Request) { s.handler.ServeHTTP(w, r) }

// Serve serves a listener until the context ends. It then stops all runs, and gives responses that
// have begun five seconds.
func (s *Server) Serve(ctx context.Context, l net.Listener) error {
	server := &http.Server{
		Handler: s, ReadHeaderTimeout: min(5*time.Second, s.limits.ReadTimeout), ReadTimeout: s.limits.ReadTimeout,
		IdleTimeout: 2 *
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
	s.Close() // ends the event streams
	grace, cancel := context.WithTimeout(context.Background(), 5*time.Second)
	defer cancel()
	if err := server.Shutdown(grace); err != nil {
		server.Close()
	}
	<-ended
	return nil
}

// Close stops all runs and event streams. Serve calls it. Later calls do nothing.
func (s *Server) Close() {
	s.close.Do(func() {
		close(s.closing)
		s.runs.Close()
		if s.hub != nil {
			s.hub.Close()
		}
	})
}

// errBusy is returned to requests that waited in vain, with Retry-After.
var errBusy = httperr.Error{Status: http.StatusServiceUnavailable, Message: "too many ask for pictures or large " +
	"pages at once, or take long to read them; try again in a few seconds"}

var errInternal = httperr.Error{Status: http.StatusInternalServerError,
	Message: "something went wrong here; the server's log has more"}

// A handler responds to a request or returns an error.
type handler func(w http.ResponseWriter, r *http.Request) error

// serve calls a handler and shows its error or panic as a page.
func (s *Server) serve(h handler) http.HandlerFunc {
	return func(to http.ResponseWriter, r *http.Request) {
		w := newResponse(to, s.limits.WriteTimeout)
		r = r.WithContext(context.WithValue(r.Context(), responseKey{}, w))
		defer s.release(w)
		defer func() {
			switch p := recover(); p {
			case nil:
			case http.ErrAbortHandler:
				panic(p)
			default:
				s.log.Error("a request failed", "path", r.URL.Path, "panic", p, "stack", string(debug.Stack()))
				s.fail(w, r, errInternal)
			}
		}()
		if err := h(w, r); err != nil {
			s.fail(w, r, err)
		}
	}
}

// fail responds with an error: as text for scripts, otherwise as a page.
func (s *Server) fail(w http.ResponseWriter, r *http.Request, err error) {
	if a, ok := w.(*response); ok && a.begun {
		s.log.Debug("an answer was cut off", "path", r.URL.Path, "error", err)
		panic(http.ErrAbortHandler) // so that it is not taken for complete
	}
	var p httperr.Error
	var tooLarge *http.MaxBytesError
	switch {
	case errors.As(err, &p):
	case errors.As(err, &tooLarge):
		p = httperr.Error{Status: http.StatusRequestEntityTooLarge, Message: fmt.Sprintf("this is more than the %d bytes "+
			"that can be sent at once",
			tooLarge.Limit)}
	case r.Context().Err() != nil: // the visitor has left
		s.log.Debug("a visitor has left", "path", r.URL.Path)
		p = httperr.Error{Status: http.StatusServiceUnavailable, Message: "it took longer than you waited"}
	default:
		s.log.Error("a request failed", "path", r.URL.Path, "error", err)
		p = errInternal
	}
	if p == errBusy {
		w.Header().Set("Retry-After", "5")
	}
	if r.Header.Get("Sec-Fetch-Dest") == "empty" || r.Header.Get("Accept") == "application/json" {
		w.Header().Set("Content-Type", "text/plain; charset=utf-8")
		w.WriteHeader(p.Status)
		_, _ = io.WriteString(w, p.Message+"\n")
		return
	}
	s.render(w, r, p.Status, "error", "", map[string]any{"Title": http.StatusText(p.Status), "Message": p.Message,
		"Again": p == errBusy && r.Method == http.MethodGet})
}
