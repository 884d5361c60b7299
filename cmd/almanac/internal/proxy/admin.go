package proxy

import (
	"bytes"
	"crypto/sha256"
	"crypto/subtle"
	_ "embed"
	"fmt"
	"html/template"
	"net"
	"net/http"
	"os"
	"strings"
	"sync"
	"time"

	"github.com/prometheus/client_golang/prometheus"
	"github.com/prometheus/client_golang/prometheus/collectors"
	"github.com/prometheus/client_golang/prometheus/promhttp"

	"github.com/almanac-sim/almanac/capped/cappedprom"
)

// The status page has a listener of its own, on this machine alone unless told: it names backends, and a path of the proxy's own would hide the backends' path of that name.

//go:embed status.html
var statusText string

var statusPage = sync.OnceValue(func() *template.Template {
	return template.Must(template.New("status").Funcs(template.FuncMap{
		"round": func(d time.Duration) time.Duration {
			switch {
			case d >= time.Second:
				return d.Round(10 * time.Millisecond)
			case d >= time.Millisecond:
				return d.Round(10 * time.Microsecond)
			}
			return d.Round(10 * time.Nanosecond)
		},
		"size": func(n int64) string {
			for _, u := range units[:3] {
				if float64(n) >= u.size {
					return fmt.Sprintf("%.1f %s", float64(n)/u.size, u.name)
				}
			}
			return fmt.Sprintf("%d B", n)
		},
	}).Parse(statusText))
})

// status is what the page shows.
type status struct {
	Stats
	Addr  string
	P50   time.Duration
	P99   time.Duration
	Slots int // of backends that there are
	Now   string
	Read  *reread
}

func (s *Server) adminHandler() http.Handler {
	registry := prometheus.NewRegistry()
	registry.MustRegister(collectors.NewGoCollector(), collectors.NewProcessCollector(collectors.ProcessCollectorOpts{}),
		cappedprom.NewHTTPCollector(s.proxy.transport, prometheus.Labels{"at": "backends"}), &collector{s})
	if s.proxy.limiter != nil {
		registry.MustRegister(cappedprom.NewHTTPCollector(s.proxy.limiter, prometheus.Labels{"at": "limit"}))
	}
	mux := http.NewServeMux()
	mux.Handle("GET /metrics", promhttp.HandlerFor(registry, promhttp.HandlerOpts{ErrorLog: nil}))
	mux.HandleFunc("GET /{$}", s.showStatus)
	mux.HandleFunc("GET /healthy", func(w http.ResponseWriter, _ *http.Request) {
		if s.proxy.draining.Load() {
			http.Error(w, "draining", http.StatusServiceUnavailable)
			return
		}
		fmt.Fprintln(w, "healthy")
	})
	return s.guard(mux)
}

// guard lets those look who may. A page that a browser got elsewhere must not, which would give its own name to this address.
func (s *Server) guard(next http.Handler) http.Handler {
	return http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		h := w.Header()
		h.Set("X-Content-Type-Options", "nosniff")
		h.Set("Cache-Control", "no-store")
		h.Set("Content-Security-Policy", "default-src 'none'; style-src 'unsafe-inline'; frame-ancestors 'none'")
		host := r.Host
		if name, _, err := net.SplitHostPort(host); err == nil {
			host = name
		}
		switch {
		case s.token == "" && host != "localhost" && net.ParseIP(strings.Trim(host, "[]")) == nil:
			http.Error(w, "ask for this page by the address of the machine, or as localhost", http.StatusForbidden)
		case s.token != "" && !s.admits(r):
			h.Set("WWW-Authenticate", `Basic realm="almanac proxy", charset="UTF-8"`)
			http.Error(w, "a token is needed: as bearer, or as password", http.StatusUnauthorized)
		default:
			next.ServeHTTP(w, r)
		}
	})
}

// admits reports whether a request has the token.
func (s *Server) admits(r *http.Request) bool {
	said, bearer := strings.CutPrefix(r.Header.Get("Authorization"), "Bearer ")
	if !bearer {
		_, said, _ = r.BasicAuth()
	}
	a, b := sha256.Sum256([]byte(said)), sha256.Sum256([]byte(s.token))
	return subtle.ConstantTimeCompare(a[:], b[:]) == 1
}

// readToken reads the file of a token: one word on one line.
func readToken(file string) (string, error) {
	if file == "" {
		return "", nil
	}
	text, err := os.ReadFile(file)
	if err != nil {
		return "", Problem{Setting: "admin-token-file", Text: err.Error()}
	}
	words := strings.Fields(string(text))
	if len(words) != 1 {
		return "", Problem{Setting: "admin-token-file", Text: fmt.Sprintf("%s should have a token: one word on one line", file)}
	}
	return words[0], nil
}

func (s *Server) showStatus(w http.ResponseWriter, _ *http.Request) {
	st := s.Stats()
	page := status{Stats: st, Addr: s.URL(), P50: st.Transport.Waits.Quantile(0.5), P99: st.Transport.Waits.Quantile(0.99), Now: time.Now().Format(time.RFC3339)}
	s.mu.Lock()
	page.Read = s.reread
	s.mu.Unlock()
	for _, b := range st.Transport.Backends {
		if !b.Removed {
			page.Slots += st.Transport.Capacity
		}
	}
	var text bytes.Buffer
	if err := statusPage().Execute(&text, page); err != nil {
		s.log.Error("proxy: the status page", "error", err)
		http.Error(w, "the page cannot be shown", http.StatusInternalServerError)
		return
	}
	w.Header().Set("Content-Type", "text/html; charset=utf-8")
	w.Write(text.Bytes())
}
