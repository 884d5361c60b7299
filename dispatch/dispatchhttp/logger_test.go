package dispatchhttp

import (
	"log/slog"
	"net/http"
	"net/http/httptest"
	"net/url"
	"strings"
	"sync"
	"testing"
	"testing/synctest"
	"time"

	"github.com/almanac-sim/almanac/dispatch/health"
)

// written collects what goroutines write.
type written struct {
	sync.Mutex
	text []byte
}

func (w *written) Write(b []byte) (int, error) {
	w.Lock()
	defer w.Unlock()
	w.text = append(w.text, b...)
	return len(b), nil
}

// take returns what was written since the last call.
func (w *written) take() string {
	w.Lock()
	defer w.Unlock()
	text := string(w.text)
	w.text = nil
	return text
}

// Failures, failed checks and refusals are logged once each, with the backend or the client.
func TestLogger(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		var out written
		log := slog.New(slog.NewTextHandler(&out, &slog.HandlerOptions{Level: slog.LevelDebug}))
		tr, err := NewTransport([]*url.URL{{Scheme: "http", Host: "a"}}, Attempts(1), Logger(log),
			HealthCheck("/", 10*time.Second),
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
			text := out.take()
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
		held, err := l.scheduler.acquire(t.Context(), time.Now())
		if err != nil {
			t.Fatal(err)
		}
		l.ServeHTTP(httptest.NewRecorder(), httptest.NewRequest("GET", "/", nil))
		want("level=DEBUG", "was refused", "192.0.2.1", "pool is full")
		l.scheduler.finish(held, health.Neutral, completed)
	})
}
