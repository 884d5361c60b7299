package dispatchhttp

import (
	"context"
	"errors"
	"io"
	"net/http"
	"net/url"
	"strings"
	"sync"
	"sync/atomic"
	"testing"
	"time"
)

// Paths and queries arrive as they were sent, byte by byte.
func TestHostilePaths(t *testing.T) {
	for _, prefix := range []string{"", "/pre%2Ffix"} {
		b := newRawBackend(t, "HTTP/1.1 204 No Content\r\n\r\n", true)
		u := mustParse(t, b.url.String()+prefix)
		f := newFront(t, reverse(t, u))
		for _, path := range []string{
			"/", "/a", "/a%2Fb", "/a%2fb", "/a%2Fb|c", "/%7e~%41", `/"<>\^` + "`{}%2F",
			"/caf\xc3\xa9%2F", "/\xff%2F", "//a%2Fb|c", "///", "/a/../b%2F..", "/a;b=c%3B", "/a%00b|", "/a?b|c=%2F", "/a%2F|?",
			"/[%5B]",
		} {
			f.exchange(t, "GET "+path+" HTTP/1.1\r\nHost: h\r\nConnection: close\r\n\r\n")
			lines := b.seen()
			got := lines[len(lines)-1]
			got = strings.Replace(got, "GET http://h", "GET ", 1) // the absolute form, which every server must accept
			if want := "GET " + prefix + path + " HTTP/1.1"; got != want {
				t.Errorf("sent %q, the backend has got %q, want %q", path, lines[len(lines)-1], want)
			}
		}
	}
}

// A URL that a program made cannot put a space, or the beginning of a query, into a request line as
// part of its path.
func TestHostileURLs(t *testing.T) {
	for _, prefix := range []string{"", "/x"} {
		b := newRawBackend(t, "HTTP/1.1 204 No Content\r\n\r\n", true)
		tr := transport(t, []*url.URL{mustParse(t, b.url.String()+prefix)})
		for _, c := range []struct{ path, raw, want string }{
			{"/a b", "/a b", "/a%20b"},
			{"/a?b", "/a?b", "/a%3Fb"},
			{"/a#b|", "/a#b|", "/a%23b%7C"},
			{"/a|b", "/other|", "/a%7Cb"}, // a RawPath of another path does not count
			{"/a/b", "/a%2Fb", "/a%2Fb"},
			{"", "", "/"},
			{"*", "", "*"},
		} {
			u := &url.URL{Scheme: "http", Host: "h", Path: c.path, RawPath: c.raw}
			req := (&http.Request{Method: "GET", URL: u, Header: http.Header{}}).WithContext(t.Context())
			res, err := tr.RoundTrip(req)
			if err != nil {
				t.Fatal(err)
			}
			res.Body.Close()
			want := prefix + c.want
			switch { // below a prefix
			case prefix != "" && c.path == "":
				want = prefix
			case prefix != "" && c.path == "*":
				want = prefix + "/*"
			}
			lines := b.seen()
			if got := lines[len(lines)-1]; got != "GET "+want+" HTTP/1.1" {
				t.Errorf("%q, %q: %q, want %q", c.path, c.raw, got, want)
			}
		}
	}
}

// A request is sent again only if it is idempotent and its body can be read again; each body that
// GetBody has made is closed.
func TestHostileRetries(t *testing.T) {
	for _, c := range []struct {
		method       string
		body, rewind bool // has a body; GetBody makes it again
		key          bool
		most         int
	}{
		{"GET", false, false, false, 3},
		{"POST", false, false, false, 1},
		{"POST", true, true, false, 1},
		{"POST", true, true, true, 3},
		{"POST", true, false, true, 1},
		{"PUT", true, false, false, 1},
		{"PUT", true, true, false, 3},
		{"DELETE", true, false, false, 1},
		{"PATCH", true, true, false, 1},
	} {
		b := newRawBackend(t, "", false)
		tr := transport(t, []*url.URL{b.url}, Backoff(time.Nanosecond, time.Nanosecond))
		var open atomic.Int64
		body := func() (io.ReadCloser, error) {
			open.Add(1)
			return closer{strings.NewReader("body"), sync.OnceFunc(func() { open.Add(-1) })}, nil
		}
		req, _ := http.NewRequestWithContext(t.Context(), c.method, "http://h/", nil)
		if c.body {
			req.Body, _ = body()
			req.ContentLength = 4
		}
		if c.rewind {
			req.GetBody = body
		}
		if c.key {
			req.Header.Set("Idempotency-Key", "k")
		}
		if res, err := tr.RoundTrip(req); err == nil {
			res.Body.Close()
			t.Errorf("%+v: status %d", c, res.StatusCode)
		}
		if n := len(b.seen()); n != c.most {
			t.Errorf("%+v: the backend has got it %d times", c, n)
		}
		eventually(t, "all bodies are closed", func() bool { return open.Load() == 0 })
	}
}

// A client that leaves within its body, or within the response, is no failure of the backend, and
// its slot is released.
func TestHostileCancellation(t *testing.T) {
	for name, response := range map[string]string{"body": "", "response": "HTTP/1.1 200 OK\r\nContent-Length: " +
		"100\r\n\r\nok"} {
		b := newRawBackend(t, response, true)
		tr := transport(t, []*url.URL{b.url}, Capacity(1))
		ctx, cancel := context.WithCancel(t.Context())
		in, out := io.Pipe()
		defer out.Close()
		req, _ := http.NewRequestWithContext(ctx, "PUT", "http://h/", in)
		req.ContentLength = 100
		go io.WriteString(out, "half")
		var err error
		if name == "body" {
			go func() {
				for len(b.seen()) == 0 {
					time.Sleep(time.Millisecond)
				}
				cancel()
			}()
			_, err = tr.RoundTrip(req)
		} else {
			var res *http.Response
			if res, err = tr.RoundTrip(req); err != nil {
				t.Fatal(err)
			}
			io.ReadFull(res.Body, make([]byte, 2))
			cancel()
			_, err = io.ReadAll(res.Body)
			res.Body.Close()
		}
		// Of a body that is being read, net/http may also return that the connection is closed.
		if err == nil || name == "body" && !errors.Is(err, context.Canceled) {
			t.Errorf("%s: %v", name, err)
		}
		if s := tr.Stats(); s.InFlight != 0 || s.Canceled != 1 || s.Backends[0].Failed != 0 || len(b.seen()) != 1 {
			t.Errorf("%s: %+v, %q", name, s, b.seen())
		}
	}
}
