package dispatchhttp

import (
	"context"
	"io"
	"net/http"
	"net/http/httptest"
	"net/url"
	"strings"
	"sync"
	"sync/atomic"
	"testing"
	"time"
)

// A testServer is a backend on loopback that counts how many requests it has at once.
type testServer struct {
	*httptest.Server
	url       *url.URL
	now, most atomic.Int64
	served    atomic.Int64
}

func newBackend(t *testing.T, f http.HandlerFunc) *testServer {
	t.Helper()
	b := &testServer{}
	b.Server = httptest.NewServer(b.counting(f))
	b.url = mustParse(t, b.URL)
	t.Cleanup(b.Close)
	return b
}

func (b *testServer) counting(f http.HandlerFunc) http.Handler {
	return http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		n := b.now.Add(1)
		for most := b.most.Load(); n > most && !b.most.CompareAndSwap(most, n); most = b.most.Load() {
		}
		defer b.served.Add(1)
		defer b.now.Add(-1)
		f(w, r)
	})
}

func mustParse(t *testing.T, s string) *url.URL {
	t.Helper()
	u, err := url.Parse(s)
	if err != nil {
		t.Fatal(err)
	}
	return u
}

// transport returns a Transport that is closed and verified at the end of the test.
func transport(t *testing.T, backends []*url.URL, opts ...TransportOption) *Transport {
	t.Helper()
	tr, err := NewTransport(backends, opts...)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { shut(t, tr) })
	return tr
}

func shut(t *testing.T, tr *Transport) {
	t.Helper()
	ctx, cancel := context.WithTimeout(context.Background(), 2*time.Minute)
	defer cancel()
	if err := tr.Close(ctx); err != nil {
		t.Errorf("closing: %v; %+v", err, tr.Stats().Counts)
	}
	if err := tr.scheduler.verify(); err != nil {
		t.Error(err)
	}
}

// get sends a GET and reads the response to its end. It returns the body or an error.
func get(ctx context.Context, rt http.RoundTripper, path string) (string, error) {
	return send(ctx, rt, http.MethodGet, path, nil)
}

func send(ctx context.Context, rt http.RoundTripper, method, path string, body io.Reader) (string, error) {
	req, err := http.NewRequestWithContext(ctx, method, "http://service"+path, body)
	if err != nil {
		return "", err
	}
	res, err := rt.RoundTrip(req)
	if err != nil {
		return "", err
	}
	defer res.Body.Close()
	text, err := io.ReadAll(res.Body)
	if res.StatusCode != http.StatusOK {
		return res.Status, err
	}
	return string(text), err
}

// eventually waits for a condition, and fails the test after two minutes.
func eventually(t *testing.T, what string, so func() bool) {
	t.Helper()
	for end := time.Now().Add(2 * time.Minute); !so(); time.Sleep(time.Millisecond) {
		if time.Now().After(end) {
			t.Fatalf("after two minutes it is still not so that %s", what)
		}
	}
}

// roundTripper is a base without a network.
type roundTripper func(*http.Request) (*http.Response, error)

func (f roundTripper) RoundTrip(r *http.Request) (*http.Response, error) { return f(r) }

func response(r *http.Request, status int, text string) *http.Response {
	return &http.Response{
		StatusCode: status, Status: http.StatusText(status), Proto: "HTTP/1.1", ProtoMajor: 1, ProtoMinor: 1,
		Header: http.Header{}, Body: io.NopCloser(strings.NewReader(text)), ContentLength: int64(len(text)), Request: r,
	}
}

// A tally counts by name, from many goroutines.
type tally struct {
	mu sync.Mutex
	n  map[string]int
}

func (y *tally) add(name string) {
	y.mu.Lock()
	defer y.mu.Unlock()
	if y.n == nil {
		y.n = map[string]int{}
	}
	y.n[name]++
}

func (y *tally) of(name string) int {
	y.mu.Lock()
	defer y.mu.Unlock()
	return y.n[name]
}
