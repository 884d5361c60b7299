package cappedhttp

import (
	"bytes"
	"log/slog"
	"net/http"
	"net/http/httptest"
	"net/url"
	"strings"
	"testing"
	"testing/synctest"
	"time"
)

// Failures, failed checks and refusals are written down, once each, with who it was.
func TestLogger(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		var out bytes.Buffer
		log := slog.New(slog.NewTextHandler(&out, &slog.HandlerOptions{Level: slog.LevelDebug}))
		tr, err := NewTransport([]*url.URL{{Scheme: "http", Host: "a"}}, Tries(1), Logger(log), HealthCheck("/", 10*time.Second),
			Base(roundTripper(func(r *http.Request) (*http.Response, error) {
				if r.Method == http.MethodPost {
					return nil, errReset
				}
				return response(r, 500, "x"), nil
			})))
		if err != nil {
			t.Fatal(err)
		}
		want := func(words ...string) {
			t.Helper()
			text := out.String()
			out.Reset()
			for _, w := range words {
				if !strings.Contains(text, w) {
					t.Errorf("%q is not in %q", w, text)
				}
			}
			if strings.Count(text, "\n") != 1 {
				t.Errorf("it is not one line: %q", text)
			}
		}
		send(t.Context(), tr, "POST", "/", nil)
		want("level=WARN", "a backend has failed", "backend=http://a", "connection reset by peer")
		time.Sleep(100 * time.Millisecond)
		synctest.Wait()
		want("level=WARN", "has failed its check", "backend=http://a", "must be 2xx")
		shut(t, tr)
		l := Limit(http.NotFoundHandler(), Capacity(1), PoolLimit(0), Logger(log))
		tk, err := l.desk.enter(t.Context(), time.Now())
		if err != nil {
			t.Fatal(err)
		}
		l.ServeHTTP(httptest.NewRecorder(), httptest.NewRequest("GET", "/", nil))
		want("level=DEBUG", "turned away", "192.0.2.1", "pool is full")
		l.desk.leave(tk, nothing, wasAnswered)
	})
}
