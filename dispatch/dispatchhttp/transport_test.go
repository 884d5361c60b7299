package dispatchhttp

import (
	"bufio"
	"context"
	"errors"
	"fmt"
	"io"
	"math/rand/v2"
	"net/http"
	"net/http/httptest"
	"net/http/httputil"
	"net/url"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/almanac-sim/almanac/dispatch"
)

func hello(w http.ResponseWriter, _ *http.Request) { io.WriteString(w, "hello") }

// A slot is held until the body is closed or read to its end, and not at all by a response without
// a body.
func TestTransportHoldsSlotsForBodies(t *testing.T) {
	b := newBackend(t, func(w http.ResponseWriter, r *http.Request) {
		if r.URL.Path == "/empty" {
			w.WriteHeader(http.StatusNoContent)
			return
		}
		io.WriteString(w, "hello")
	})
	tr := transport(t, []*url.URL{b.url}, Capacity(1), PoolLimit(0))
	ask := func(method, path string) *http.Response {
		t.Helper()
		req := httptest.NewRequest(method, "http://service"+path, nil).WithContext(t.Context())
		res, err := tr.RoundTrip(req)
		if err != nil {
			t.Fatal(err)
		}
		return res
	}
	held := func(want bool) {
		t.Helper()
		if got := tr.Stats().InFlight == 1; got != want {
			t.Errorf("a slot is held: %v", got)
		}
	}
	res := ask("GET", "/")
	held(true)
	if _, err := get(t.Context(), tr, "/"); err != dispatch.ErrFull {
		t.Error(err)
	}
	res.Body.Close()
	held(false)
	res.Body.Close()
	held(false)
	res = ask("GET", "/")
	if text, err := io.ReadAll(res.Body); string(text) != "hello" || err != nil {
		t.Errorf("%q %v", text, err)
	}
	held(false)
	for _, path := range []string{"/empty", "/"} {
		ask("HEAD", path)
		held(false)
	}
	ask("GET", "/empty")
	held(false)
	if s := tr.Stats(); s.Completed != 5 || s.Full != 1 || s.Backends[0].Completed != 4 || s.Waits.Count != 5 {
		t.Errorf("%+v", s)
	}
}

// Under any arrivals a backend never has more than c, every request completes, and all backends get
// a share.
func TestTransportNeverMoreThanCAtOnce(t *testing.T) {
	for _, c := range []int{1, 3} {
		var backends []*testServer
		var urls []*url.URL
		for range 3 {
			b := newBackend(t, func(w http.ResponseWriter, r *http.Request) {
				time.Sleep(time.Duration(rand.IntN(2000)) * time.Microsecond)
				io.WriteString(w, r.URL.Path)
			})
			backends, urls = append(backends, b), append(urls, b.url)
		}
		tr := transport(t, urls, Capacity(c))
		var all sync.WaitGroup
		const requests = 300
		for i := range requests {
			all.Go(func() {
				path := fmt.Sprint("/", i)
				if text, err := get(t.Context(), tr, path); text != path || err != nil {
					t.Errorf("%q %v, want %q", text, err, path)
				}
			})
		}
		all.Wait()
		for _, b := range backends {
			if b.most.Load() != int64(c) || b.served.Load() < requests/10 {
				t.Errorf("with c = %d a backend had %d at once, and served %d", c, b.most.Load(), b.served.Load())
			}
		}
		if s := tr.Stats(); s.Completed != requests || s.Waits.Count != requests || s.Retries != 0 {
			t.Errorf("%+v", s.Counts)
		}
	}
}

// Which parts of a request are those of the backend, and which its own.
func TestTransportRewritesTheURL(t *testing.T) {
	var seen *http.Request
	tr := transport(t, nil, SendStart(), Base(roundTripper(func(r *http.Request) (*http.Response, error) {
		seen = r
		return response(r, 200, "ok"), nil
	})))
	for _, c := range []struct{ backend, asked, want string }{
		{"http://b:81", "http://service/x%2Fy?q=1", "http://b:81/x%2Fy?q=1"},
		{"https://b/", "http://service/", "https://b/"},
		{"http://b/a%2Fb/", "http://user:pass@service/x//y", "http://b/a%2Fb/x//y"},
		{"http://b/a", "/..%2fsecret", "http://b/a/..%2fsecret"},
	} {
		if err := tr.Set([]*url.URL{mustParse(t, c.backend)}); err != nil {
			t.Fatal(err)
		}
		before := time.Now().Truncate(time.Millisecond)
		req := &http.Request{URL: mustParse(t, c.asked), Host: "own", Header: http.Header{StartHeader: {"1"}, "A": {"b"}}}
		res, err := tr.RoundTrip(req)
		if err != nil {
			t.Fatal(err)
		}
		res.Body.Close()
		if got := seen.URL.String(); got != c.want || seen.Host != "own" || seen.Header.Get("A") != "b" {
			t.Errorf("%s at %s: %s, Host %s", c.asked, c.backend, got, seen.Host)
		}
		start, ok := ParseStart(seen.Header.Get(StartHeader))
		if !ok || start.Before(before) || start.After(time.Now()) {
			t.Errorf("it started at %v", start)
		}
		if req.URL.String() != c.asked || req.Header.Get(StartHeader) != "1" || res.Request != req {
			t.Error("the request has changed")
		}
	}
	if _, err := tr.RoundTrip(&http.Request{URL: &url.URL{Scheme: "http", Opaque: "x"}}); err != errOpaque {
		t.Error(err)
	}
	plain := transport(t, []*url.URL{mustParse(t, "http://b")}, Base(tr.base))
	ctx := WithStart(t.Context(), time.Now())
	req := (&http.Request{URL: mustParse(t, "http://service/"), Header: http.Header{StartHeader: {"1"}}}).WithContext(ctx)
	res, err := plain.RoundTrip(req)
	if err != nil || seen.Header.Get(StartHeader) != "" {
		t.Errorf("what a stranger says goes on: %v %v", seen.Header, err)
	}
	res.Body.Close()
}

func TestTransportRefusesBadBackends(t *testing.T) {
	for bad, want := range map[string]string{
		"b:80":             "must begin with http:// or https://",
		"ftp://b":          "must begin with http:// or https://",
		"http:///x":        "have a host",
		"http://u:p@b":     "and nothing else",
		"http://b/?x=1":    "and nothing else",
		"http://b/#x":      "and nothing else",
		"http://same/":     "twice",
		"http:opaque/path": "have a host",
	} {
		_, err := NewTransport([]*url.URL{mustParse(t, "http://same"), mustParse(t, bad)})
		if err == nil || !strings.Contains(err.Error(), want) || strings.Contains(err.Error(), ":p@") {
			t.Errorf("%s: %v", bad, err)
		}
	}
	if _, err := NewTransport([]*url.URL{nil}); err == nil {
		t.Error("nil is a backend")
	}
	for name, f := range map[string]func(){
		"capacity": func() { Capacity(0) }, "pool": func() { PoolLimit(-1) }, "wait": func() { MaxWait(0) },
		"attempts": func() { Attempts(0) }, "timeout": func() { AttemptTimeout(0) },
		"backoff": func() { Backoff(time.Second, time.Minute) },
		"first":   func() { Backoff(2*time.Second, time.Second) }, "status": func() { FailOn(200) },
		"path":     func() { HealthCheck("x", 1) },
		"interval": func() { HealthCheck("/", 0) }, "escape": func() { HealthCheck("/%zz", 1) },
		"host": func() { HealthCheck("//x", 1) },
		"base": func() { Base(nil) }, "trust": func() { TrustStart(nil, 1) }, "next": func() { Limit(nil) },
	} {
		func() {
			defer func() {
				if text, ok := recover().(string); !ok || !strings.HasPrefix(text, "dispatchhttp: ") {
					t.Errorf("%s: %v", name, text)
				}
			}()
			f()
		}()
	}
}

// Backends are added and removed; a removed one finishes its requests, and if it is added again
// meanwhile it still has no more than c.
func TestTransportBackendsComeAndGo(t *testing.T) {
	let := make(chan bool)
	b := newBackend(t, func(w http.ResponseWriter, r *http.Request) { <-let })
	tr := transport(t, nil, Capacity(1))
	errs := make(chan error)
	ask := func() {
		go func() {
			_, err := get(t.Context(), tr, "/")
			errs <- err
		}()
	}
	ask()
	eventually(t, "one waits", func() bool { return tr.Stats().Waiting == 1 })
	if err := tr.Add(b.url); err != nil {
		t.Fatal(err)
	}
	if err := tr.Add(b.url); err == nil {
		t.Error("it is there twice")
	}
	eventually(t, "it has come", func() bool { return b.now.Load() == 1 })
	if !tr.Remove(b.url) || tr.Remove(b.url) {
		t.Error("it can be removed twice, or not at all")
	}
	ask()
	eventually(t, "another waits", func() bool { return tr.Stats().Waiting == 1 })
	if err := tr.Set([]*url.URL{b.url}); err != nil {
		t.Fatal(err)
	}
	if s := tr.Stats(); s.Waiting != 1 || s.InFlight != 1 || len(s.Backends) != 1 || s.Backends[0].Removed {
		t.Errorf("%+v", s)
	}
	for range 2 {
		let <- true
		if err := <-errs; err != nil {
			t.Error(err)
		}
	}
	if b.most.Load() != 1 {
		t.Errorf("%d at once", b.most.Load())
	}
	if err := tr.Set(nil); err != nil || len(tr.Stats().Backends) != 0 {
		t.Error(err, tr.Stats().Backends)
	}
}

// Close waits; if its context ends, waiting requests are refused, and those in flight are not
// interrupted.
func TestTransportCloses(t *testing.T) {
	let := make(chan bool)
	b := newBackend(t, func(w http.ResponseWriter, r *http.Request) { <-let })
	tr := transport(t, []*url.URL{b.url}, Capacity(1), HealthCheck("/health", time.Hour))
	errs := make(chan error, 2)
	for range 2 {
		go func() {
			_, err := get(t.Context(), tr, "/")
			errs <- err
		}()
	}
	eventually(t, "one is in flight and one waits", func() bool {
		s := tr.Stats()
		return s.Waiting == 1 &&
			s.InFlight == 1
	})
	ctx, cancel := context.WithTimeout(t.Context(), 10*time.Millisecond)
	defer cancel()
	if err := tr.Close(ctx); err != context.DeadlineExceeded {
		t.Error(err)
	}
	if err := <-errs; err != dispatch.ErrClosed {
		t.Error(err)
	}
	if _, err := get(t.Context(), tr, "/"); err != dispatch.ErrClosed {
		t.Error(err)
	}
	close(let)
	if err := <-errs; err != nil {
		t.Error(err)
	}
	shut(t, tr)
	if s := tr.Stats(); s.Closed != 2 || s.Completed != 1 {
		t.Errorf("%+v", s.Counts)
	}
}

// Under ReverseProxy an upgraded connection works in both directions, and holds its slot until it
// ends.
func TestTransportUpgradesUnderReverseProxy(t *testing.T) {
	b := newBackend(t, func(w http.ResponseWriter, r *http.Request) {
		if r.Header.Get("Upgrade") != "echo" {
			io.WriteString(w, r.Host+" "+r.Header.Get("X-Forwarded-For"))
			return
		}
		conn, rw, err := w.(http.Hijacker).Hijack()
		if err != nil {
			t.Error(err)
			return
		}
		defer conn.Close()
		io.WriteString(conn, "HTTP/1.1 101 Switching Protocols\r\nConnection: Upgrade\r\nUpgrade: echo\r\n\r\n")
		io.Copy(conn, rw)
	})
	tr := transport(t, []*url.URL{b.url}, Capacity(1), PoolLimit(0))
	proxy := httptest.NewServer(&httputil.ReverseProxy{
		Rewrite: func(p *httputil.ProxyRequest) { p.SetXForwarded() }, Transport: tr, ErrorHandler: ErrorHandler,
	})
	defer proxy.Close()
	res, err := proxy.Client().Get(proxy.URL)
	if err != nil {
		t.Fatal(err)
	}
	text, _ := io.ReadAll(res.Body)
	if want := strings.TrimPrefix(proxy.URL, "http://") + " 127.0.0.1"; string(text) != want {
		t.Errorf("%q, want %q", text, want)
	}
	req, _ := http.NewRequestWithContext(t.Context(), "GET", proxy.URL, nil)
	req.Header.Set("Connection", "Upgrade")
	req.Header.Set("Upgrade", "echo")
	eventually(t, "the slot is free", func() bool { return tr.Stats().InFlight == 0 })
	up, err := proxy.Client().Transport.RoundTrip(req)
	if err != nil || up.StatusCode != http.StatusSwitchingProtocols {
		t.Fatal(up, err)
	}
	conn := up.Body.(io.ReadWriteCloser)
	lines := bufio.NewReader(conn)
	for _, line := range []string{"one\n", "two\n"} {
		io.WriteString(conn, line)
		if got, err := lines.ReadString('\n'); got != line || err != nil {
			t.Errorf("%q %v", got, err)
		}
		if n := tr.Stats().InFlight; n != 1 {
			t.Errorf("%d slots are held", n)
		}
	}
	res, err = proxy.Client().Get(proxy.URL)
	if err != nil || res.StatusCode != http.StatusServiceUnavailable || res.Header.Get("Retry-After") != "1" {
		t.Errorf("%v %v", res, err)
	}
	res.Body.Close()
	conn.Close()
	eventually(t, "the slot is free", func() bool { return tr.Stats().InFlight == 0 })
}

// Backends with HTTP/2, with TLS and without: many requests share a connection, and at most c are
// in flight.
func TestTransportHTTP2Concurrent(t *testing.T) {
	for _, encrypted := range []bool{true, false} {
		b := &testServer{}
		b.Server = httptest.NewUnstartedServer(b.counting(func(w http.ResponseWriter, r *http.Request) {
			time.Sleep(time.Millisecond)
			io.WriteString(w, r.Proto)
		}))
		opts := []TransportOption{Capacity(4), Backoff(time.Millisecond, time.Millisecond)}
		if encrypted {
			b.EnableHTTP2 = true
			b.StartTLS()
			base := b.Client().Transport.(*http.Transport)
			opts = append(opts, Base(base))
		} else {
			b.Config.Protocols = new(http.Protocols)
			b.Config.Protocols.SetUnencryptedHTTP2(true)
			b.Start()
			opts = append(opts, UnencryptedHTTP2())
		}
		tr := transport(t, []*url.URL{mustParse(t, b.URL)}, opts...)
		var all sync.WaitGroup
		for range 50 {
			all.Go(func() {
				if text, err := get(t.Context(), tr, "/"); text != "HTTP/2.0" || err != nil {
					t.Errorf("%q %v", text, err)
				}
			})
		}
		all.Wait()
		if b.most.Load() != 4 {
			t.Errorf("%d at once", b.most.Load())
		}
		tr.CloseIdleConnections()
		b.Close()
		if _, err := send(t.Context(), tr, "POST", "/", strings.NewReader("x")); err == nil ||
			tr.Stats().Backends[0].Failed == 0 {
			t.Errorf("a backend that is not there: %v %+v", err, tr.Stats().Backends)
		}
	}
}

func TestErrorHandler(t *testing.T) {
	for _, c := range []struct {
		err  error
		want int
	}{
		{dispatch.ErrFull, 503}, {fmt.Errorf("x: %w", dispatch.ErrTooOld), 503}, {dispatch.ErrClosed, 503},
		{ErrAttemptTimeout, 504},
		{context.DeadlineExceeded, 504}, {&http.MaxBytesError{}, 413}, {errors.New("reset"), 502}, {io.ErrUnexpectedEOF, 502},
	} {
		w := httptest.NewRecorder()
		ErrorHandler(w, nil, c.err)
		if w.Code != c.want || (w.Header().Get("Retry-After") != "") != (c.want == 503) ||
			strings.Contains(w.Body.String(), "reset") {
			t.Errorf("%v: %d %q", c.err, w.Code, w.Body)
		}
	}
}
