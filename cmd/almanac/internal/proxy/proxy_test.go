package proxy

import (
	"bufio"
	"bytes"
	"context"
	"fmt"
	"io"
	"log/slog"
	"net"
	"net/http"
	"net/http/httptest"
	"os"
	"strings"
	"sync"
	"testing"
	"time"

	"go.uber.org/goleak"
)

func TestMain(m *testing.M) {
	if address := os.Getenv("ALMANAC_TEST_BACKEND"); address != "" {
		beBackend(address)
		return
	}
	goleak.VerifyTestMain(m)
}

// front is a proxy under test.
type front struct {
	*Server
	said *said
}

// said is what was logged.
type said struct {
	mu   sync.Mutex
	text bytes.Buffer
}

func (s *said) Write(p []byte) (int, error) {
	s.mu.Lock()
	defer s.mu.Unlock()
	return s.text.Write(p)
}

func (s *said) String() string {
	s.mu.Lock()
	defer s.mu.Unlock()
	return s.text.String()
}

// testConfig is one with ports that the system chooses.
func testConfig(backends ...string) Config {
	c := Defaults()
	c.Listen, c.Admin, c.Backends = "127.0.0.1:0", "none", backends
	c.Drain = time.Minute
	return c
}

// start starts a proxy that must end cleanly, with nothing in its buffers.
func start(t testing.TB, c Config) *front {
	t.Helper()
	log := &said{}
	s, err := Start(c, slog.New(slog.NewTextHandler(log, &slog.HandlerOptions{Level: slog.LevelInfo})))
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() {
		if err := s.Shutdown(context.Background()); err != nil {
			t.Error(err)
		}
		if st := s.Stats(); st.Buffered != 0 || st.Active != 0 || st.Upgraded != 0 || st.Transport.InFlight+st.Transport.Waiting != 0 {
			t.Errorf("at the end: %+v", st)
		}
		if strings.Contains(log.String(), "panic") {
			t.Error(log.String())
		}
	})
	return &front{s, log}
}

// newBackend serves until the test ends.
func newBackend(t *testing.T, handler http.HandlerFunc) *httptest.Server {
	t.Helper()
	s := httptest.NewServer(handler)
	t.Cleanup(s.Close)
	return s
}

func echo(w http.ResponseWriter, r *http.Request) {
	body, err := io.ReadAll(r.Body)
	if err != nil {
		panic(http.ErrAbortHandler)
	}
	w.Header().Set("X-Proto", r.Proto)
	fmt.Fprintf(w, "%s %s %s", r.Method, r.URL.RequestURI(), body)
}

// client is one of its own, so that its connections end with the test.
func newClient(t *testing.T, protocols ...func(*http.Protocols)) *http.Client {
	tr := &http.Transport{MaxIdleConnsPerHost: 100, DisableCompression: true, ExpectContinueTimeout: time.Minute}
	if len(protocols) > 0 {
		tr.Protocols = new(http.Protocols)
		for _, p := range protocols {
			p(tr.Protocols)
		}
	}
	t.Cleanup(tr.CloseIdleConnections)
	return &http.Client{Transport: tr}
}

// fetch returns the status and the body of an answer.
func fetch(t *testing.T, c *http.Client, req *http.Request) (int, string) {
	t.Helper()
	res, err := c.Do(req)
	if err != nil {
		t.Fatal(err)
	}
	defer res.Body.Close()
	text, err := io.ReadAll(res.Body)
	if err != nil {
		t.Fatal(err)
	}
	return res.StatusCode, string(text)
}

func request(t *testing.T, method, url string, body io.Reader, headers ...string) *http.Request {
	t.Helper()
	r, err := http.NewRequestWithContext(t.Context(), method, url, body)
	if err != nil {
		t.Fatal(err)
	}
	for i := 0; i < len(headers); i += 2 {
		r.Header.Add(headers[i], headers[i+1])
	}
	return r
}

// raw is a connection to the proxy on which anything can be said.
type raw struct {
	net.Conn
	*bufio.Reader
	t *testing.T
}

func (r *raw) Read(p []byte) (int, error) { return r.Reader.Read(p) }

func (f *front) dial(t *testing.T) *raw {
	t.Helper()
	c, err := net.Dial("tcp", f.Addr())
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { c.Close() })
	c.SetDeadline(time.Now().Add(2 * time.Minute))
	return &raw{c, bufio.NewReader(c), t}
}

func (r *raw) say(text string) {
	r.t.Helper()
	if _, err := io.WriteString(r.Conn, text); err != nil {
		r.t.Fatal(err)
	}
}

// hear reads an answer with its body.
func (r *raw) hear() (int, string) {
	r.t.Helper()
	res, err := http.ReadResponse(r.Reader, nil)
	if err != nil {
		r.t.Fatal(err)
	}
	text, err := io.ReadAll(res.Body)
	if err != nil {
		r.t.Fatal(err)
	}
	return res.StatusCode, string(text)
}

// eventually waits until something is so.
func eventually(t *testing.T, what string, is func() bool) {
	t.Helper()
	for end := time.Now().Add(2 * time.Minute); !is(); time.Sleep(time.Millisecond) {
		if time.Now().After(end) {
			t.Fatal("not so: " + what)
		}
	}
}
