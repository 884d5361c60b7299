package dispatchhttp

import (
	"bufio"
	"fmt"
	"io"
	"log"
	"net"
	"net/http"
	"net/http/httptest"
	"net/http/httputil"
	"net/url"
	"slices"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/almanac-sim/almanac/internal/interleave"
	"github.com/almanac-sim/almanac/internal/stress"
)

// A rawBackend sends the same bytes as the response to every request, and records request lines. It
// speaks TCP, so that it can break every rule of HTTP.
type rawBackend struct {
	url      *url.URL
	response string // "" closes the connection
	keep     bool   // keeps the connection open after a response and drains the request's body

	mu    sync.Mutex
	lines []string
}

func newRawBackend(t *testing.T, response string, keep bool) *rawBackend {
	t.Helper()
	l, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	b := &rawBackend{url: &url.URL{Scheme: "http", Host: l.Addr().String()}, response: response, keep: keep}
	var all sync.WaitGroup
	all.Go(func() {
		for {
			c, err := l.Accept()
			if err != nil {
				return
			}
			all.Go(func() { b.serve(c) })
		}
	})
	t.Cleanup(func() { l.Close(); all.Wait() })
	return b
}

func (b *rawBackend) serve(c net.Conn) {
	defer c.Close()
	in := bufio.NewReader(c)
	for {
		req, err := http.ReadRequest(in)
		if err != nil {
			return
		}
		b.mu.Lock()
		b.lines = append(b.lines, req.Method+" "+req.RequestURI+" "+req.Proto)
		b.mu.Unlock()
		io.WriteString(c, b.response)
		if !b.keep {
			return
		}
		io.Copy(io.Discard, req.Body)
	}
}

func (b *rawBackend) seen() []string {
	b.mu.Lock()
	defer b.mu.Unlock()
	return slices.Clone(b.lines)
}

// A hostileSetup is a way to put this package between an untrusted client and a backend.
type hostileSetup struct {
	name      string
	transport bool // requests go to a backend
	front     func(t *testing.T, backend *url.URL, handler http.Handler) http.Handler
}

var hostileSetups = []hostileSetup{
	{"transport", true, func(t *testing.T, u *url.URL, _ http.Handler) http.Handler { return reverse(t, u) }},
	{"limit", false, func(_ *testing.T, _ *url.URL, h http.Handler) http.Handler { return Limit(h, Capacity(2)) }},
	{"limit and transport", true, func(t *testing.T, u *url.URL, _ http.Handler) http.Handler {
		return Limit(reverse(t, u), Capacity(2))
	}},
}

// reverse returns a ReverseProxy over a Transport, all of whose slots must be free at the end of
// the test.
func reverse(t *testing.T, u *url.URL) http.Handler {
	tr := transport(t, []*url.URL{u}, Capacity(2), Backoff(time.Nanosecond, time.Nanosecond))
	return &httputil.ReverseProxy{
		Transport: tr, ErrorHandler: ErrorHandler, ErrorLog: log.New(io.Discard, "", 0),
		Rewrite: func(r *httputil.ProxyRequest) { r.Out.URL.RawQuery = r.In.URL.RawQuery },
	}
}

// A front is a net/http server that counts the requests that its handler gets, by method, and fails
// the test if its handler panics.
type front struct {
	*httptest.Server
	requests tally
}

func newFront(t *testing.T, h http.Handler) *front {
	t.Helper()
	f := &front{}
	f.Server = httptest.NewUnstartedServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		f.requests.add(r.Method)
		defer func() {
			err := recover()
			if err != nil && err != http.ErrAbortHandler {
				t.Errorf("the handler panics: %v", err)
			}
			if err != nil {
				panic(http.ErrAbortHandler)
			}
		}()
		h.ServeHTTP(w, r)
	}))
	f.Start()
	t.Cleanup(f.Close)
	return f
}

// last is a request that closes a connection which is still open.
const last = "GET /last HTTP/1.1\r\nHost: h\r\nConnection: close\r\n\r\n"

// exchange sends bytes on one connection and returns everything that comes back until the server
// closes it, or resets it.
func (f *front) exchange(t *testing.T, sent string) string {
	t.Helper()
	c, err := net.Dial("tcp", f.Listener.Addr().String())
	if err != nil {
		t.Fatal(err)
	}
	defer c.Close()
	go io.WriteString(c, sent)
	got, _ := io.ReadAll(c)
	return string(got)
}

// A request's body that looks like requests is never taken for requests, whatever the handler or
// the backend leaves unread.
func TestHostileBodiesAreNotRequests(t *testing.T) {
	const smuggled = "DELETE /admin/users HTTP/1.1\r\nHost: h\r\n\r\n"
	// net/http reads up to 256 kB that a handler has left, and closes the connection if there is
	// more.
	small, large := strings.Repeat(smuggled, 10), strings.Repeat(smuggled, 7000)
	length := func(body string) string { return fmt.Sprintf("Content-Length: %d\r\n\r\n%s", len(body), body) }
	chunked := func(body string) string {
		return fmt.Sprintf("Transfer-Encoding: chunked\r\n\r\n%x\r\n%s\r\n0\r\n\r\n", len(body), body)
	}
	framings := map[string]string{
		"length": length(large), "short length": length(small), "chunked": chunked(large), "short chunked": chunked(small),
		"expect, length":       "Expect: 100-continue\r\n" + length(large),
		"expect, short length": "Expect: 100-continue\r\n" + length(small),
		"expect, chunked":      "Expect: 100-continue\r\n" + chunked(large),
	}
	forbid := func(w http.ResponseWriter) { http.Error(w, "no", http.StatusForbidden) }
	handlers := map[string]http.HandlerFunc{
		"leaves the body": func(w http.ResponseWriter, _ *http.Request) { forbid(w) },
		"closes the body": func(w http.ResponseWriter, r *http.Request) { r.Body.Close(); forbid(w) },
		"reads a part": func(w http.ResponseWriter,
			r *http.Request) {
			io.CopyN(io.Discard, r.Body, 100)
			forbid(w)
		},
		"reads, closes, panics": func(_ http.ResponseWriter, r *http.Request) { r.Body.Close(); panic(http.ErrAbortHandler) },
	}
	const no = "HTTP/1.1 403 Forbidden\r\nContent-Length: 2\r\n"
	backends := map[string]*rawBackend{
		"responds and closes": newRawBackend(t, no+"Connection: close\r\n\r\nno", false),
		"closes, unannounced": newRawBackend(t, no+"\r\nno", false),
		"responds and stays":  newRawBackend(t, no+"\r\nno", true),
		"closes":              newRawBackend(t, "", false),
	}
	for _, setup := range hostileSetups {
		fronts := map[string]*front{}
		if setup.transport {
			for name, b := range backends {
				fronts[name] = newFront(t, setup.front(t, b.url, nil))
			}
		} else {
			for name, h := range handlers {
				fronts[name] = newFront(t, setup.front(t, nil, h))
			}
		}
		for end, f := range fronts {
			posts := 0
			for framing, rest := range framings {
				name := setup.name + ", " + end + ", " + framing
				for attempt := range stress.FewerRaced(4, 1) {
					got := f.exchange(t, "POST /form HTTP/1.1\r\nHost: h\r\n"+rest+last)
					posts++
					if f.requests.of("POST") != posts || f.requests.of("DELETE") > 0 {
						t.Fatalf("%s: attempt %d: %v requests, want %d POST", name, attempt, f.requests.n, posts)
					}
					if n := strings.Count(got, "HTTP/1.1 4") + strings.Count(got, "HTTP/1.1 5"); n > 2 {
						t.Fatalf("%s: %d responses: %q", name, n, got)
					}
				}
			}
			if b := backends[end]; b != nil {
				for _, line := range b.seen() {
					if line != "POST /form HTTP/1.1" && line != "GET /last HTTP/1.1" {
						t.Errorf("%s, %s: the backend has got %q", setup.name, end, line)
					}
				}
			}
		}
	}
}

// Responses that break the rules of HTTP become errors, and never a panic, a leaked slot, or the
// response to another request.
func TestHostileResponses(t *testing.T) {
	const broken = -1 // the response to the client breaks off
	const ok = "HTTP/1.1 200 OK\r\nContent-Length: 2\r\n\r\nok"
	for _, c := range []struct {
		name, response string
		status         int
		body           string
	}{
		{"fine", ok, 200, "ok"},
		{"status 099", "HTTP/1.1 099 Low\r\nContent-Length: 2\r\n\r\nno", 502, ""},
		{"status 000", "HTTP/1.1 000 None\r\nContent-Length: 2\r\n\r\nno", 502, ""},
		{"status +10", "HTTP/1.1 +10 Sign\r\nContent-Length: 2\r\n\r\nno", 502, ""},
		{"status 1000", "HTTP/1.1 1000 High\r\nContent-Length: 2\r\n\r\nno", 502, ""},
		{"status -1", "HTTP/1.1 -1 Sign\r\nContent-Length: 2\r\n\r\nno", 502, ""},
		{"status -99", "HTTP/1.1 -99 Sign\r\nContent-Length: 2\r\n\r\nno", 502, ""},
		{"status 20", "HTTP/1.1 20 OK\r\nContent-Length: 2\r\n\r\nno", 502, ""},
		{"status 999", "HTTP/1.1 999 Odd\r\nContent-Length: 3\r\n\r\nodd", 999, "odd"},
		{"no status", "HTTP/1.1\r\nContent-Length: 2\r\n\r\nno", 502, ""},
		{"not HTTP", "220 mail.example ESMTP\r\n", 502, ""},
		{"nothing", "", 502, ""},
		{"103 many times", strings.Repeat("HTTP/1.1 103 Early Hints\r\nLink: </a>\r\n\r\n", 100) + ok, 200, "ok"},
		{"100 unasked", "HTTP/1.1 100 Continue\r\n\r\n" + ok, 200, "ok"},
		{"103 and the end", "HTTP/1.1 103 Early Hints\r\n\r\n", 502, ""},
		{"101 unasked", "HTTP/1.1 101 Switching Protocols\r\nConnection: Upgrade\r\nUpgrade: websocket\r\n\r\n", 502, ""},
		{"101 without a protocol", "HTTP/1.1 101 Switching Protocols\r\n\r\n", 502, ""},
		{"a header without an end", "HTTP/1.1 200 OK\r\nX: " + strings.Repeat("x", 11<<20), 502, ""},
		{"a head that ends early", "HTTP/1.1 200 OK\r\nContent-Le", 502, ""},
		{"two lengths", "HTTP/1.1 200 OK\r\nContent-Length: 2\r\nContent-Length: 3\r\n\r\nno!", 502, ""},
		{"a negative length", "HTTP/1.1 200 OK\r\nContent-Length: -2\r\n\r\nno", 502, ""},
		{"a body that ends early", "HTTP/1.1 200 OK\r\nContent-Length: 9999\r\n\r\nok", broken, ""},
		{"chunks that end early", "HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\n2\r\nok\r\n", broken, ""},
		{"chunks that are none", "HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\nzz\r\nok\r\n", broken, ""},
		{"a trailer", "HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\nTrailer: X-End\r\n\r\n2\r\nok\r\n0\r\n" +
			"X-End: here\r\n\r\n", 200, "ok"},
		{"an unannounced trailer", "HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\n2\r\nok\r\n0\r\nX-End: here\r\n\r\n",
			200, "ok"},
	} {
		b := newRawBackend(t, c.response, false)
		for _, setup := range hostileSetups {
			// 11 MB take long: through all handlers once is enough, and without the race detector.
			if !setup.transport || len(c.response) > 1<<20 && (setup.name != "limit and transport" || interleave.Enabled) {
				continue
			}
			t.Run(c.name+", "+setup.name, func(t *testing.T) {
				for _, method := range []string{"GET", "POST"} {
					// One each: a POST on a connection that the backend has closed would fail, and
					// may not be sent again.
					f := newFront(t, setup.front(t, b.url, nil))
					had := len(b.seen())
					got := f.exchange(t, method+" / HTTP/1.1\r\nHost: h\r\nConnection: close\r\n\r\n")
					status, body, trailer := final(got)
					if status != c.status || status == 200 && body != c.body ||
						strings.Contains(c.name, "trailer") && trailer != "here" {
						t.Errorf("%s: %d %q %q, want %d %q, from %.200q", method, status, body, trailer, c.status, c.body, got)
					}
					if n := len(b.seen()) - had; n < 1 || n > 3 || method == "POST" && n != 1 {
						t.Errorf("%s: the backend has got %d requests", method, n)
					}
				}
			})
		}
	}
}

// final is the first response of some bytes that is not interim: its status, its body and a
// trailer; −1 if it breaks off.
func final(got string) (status int, body, trailer string) {
	in := bufio.NewReader(strings.NewReader(got))
	for {
		res, err := http.ReadResponse(in, nil)
		if err != nil {
			return -1, "", ""
		}
		if res.StatusCode >= 100 && res.StatusCode <= 199 && res.StatusCode != 101 {
			continue
		}
		text, err := io.ReadAll(res.Body)
		if err != nil {
			return -1, "", ""
		}
		return res.StatusCode, string(text), res.Trailer.Get("X-End")
	}
}

// A Base that returns what is no response is no better than a backend that sends it.
func TestHostileStatusFromBase(t *testing.T) {
	u := mustParse(t, "http://a")
	for _, status := range []int{-1, 0, 1, 99, 100, 103, 199, 1000} {
		closed := false
		tr := transport(t, []*url.URL{u}, Base(roundTripper(func(r *http.Request) (*http.Response, error) {
			res := response(r, status, "no")
			res.Body = closer{res.Body, func() { closed = true }}
			return res, nil
		})))
		if text, err := send(t.Context(), tr, http.MethodPost, "/", nil); err == nil || !closed {
			t.Errorf("status %d: %q, body closed: %v", status, text, closed)
		}
		if s := tr.Stats(); s.InFlight != 0 || s.Failed != 1 {
			t.Errorf("status %d: %+v", status, s.Counts)
		}
	}
}

type closer struct {
	io.Reader
	close func()
}

func (c closer) Close() error { c.close(); return nil }

// A protocol that was not asked for is not switched to: a ReverseProxy would leave such a response
// open, and its slot would never be released.
func TestHostileUpgrades(t *testing.T) {
	for _, c := range []struct {
		asked, got string
		status     int
	}{
		{"Connection: Upgrade\r\nUpgrade: websocket\r\n", "Connection: Upgrade\r\nUpgrade: WebSocket\r\n", 101},
		{"Connection: keep-alive, upgrade\r\nUpgrade: websocket\r\n",
			"Connection: keep-alive, upgrade\r\nUpgrade: websocket\r\n", 101},
		{"Connection: Upgrade\r\nUpgrade: websocket\r\n", "Connection: Upgrade\r\nUpgrade: h2c\r\n", 502},
		{"Connection: Upgrade\r\nUpgrade: websocket\r\n", "Upgrade: websocket\r\n", 502},
		{"Connection: Upgrade\r\nUpgrade: h2c, websocket\r\n", "Connection: Upgrade\r\nUpgrade: websocket\r\n", 502},
		{"Upgrade: websocket\r\n", "Connection: Upgrade\r\nUpgrade: websocket\r\n", 502},
	} {
		b := newRawBackend(t, "HTTP/1.1 101 Switching Protocols\r\n"+c.got+"\r\n", false)
		f := newFront(t, reverse(t, b.url))
		if status, _, _ := final(f.exchange(t, "GET / HTTP/1.1\r\nHost: h\r\n"+c.asked+"\r\n"+last)); status != c.status {
			t.Errorf("asked %q, got %q: %d, want %d", c.asked, c.got, status, c.status)
		}
	}
}

type baseFunc func(*http.Request) (*http.Response, error)

func (f baseFunc) RoundTrip(r *http.Request) (*http.Response, error) { return f(r) }

// If the base panics its slot is released, and the panic reaches the caller.
func TestHostileBasePanics(t *testing.T) {
	u, _ := url.Parse("http://localhost")
	tr, err := NewTransport([]*url.URL{u}, Capacity(1),
		Base(baseFunc(func(*http.Request) (*http.Response, error) { panic("of the base") })))
	if err != nil {
		t.Fatal(err)
	}
	defer tr.Close(t.Context())
	for range 3 {
		func() {
			defer func() {
				if v := recover(); v != "of the base" {
					t.Errorf("it panics with %v", v)
				}
			}()
			req, _ := http.NewRequestWithContext(t.Context(), "GET", "http://any/", nil)
			tr.RoundTrip(req)
		}()
	}
	if s := tr.Stats(); s.InFlight != 0 || s.Failed != 3 {
		t.Errorf("%+v", s)
	}
}
