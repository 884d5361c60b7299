package dispatchhttp

import (
	"bytes"
	"context"
	"errors"
	"io"
	"net"
	"net/http"
	"net/url"
	"strings"
	"sync"
	"sync/atomic"
	"testing"
	"testing/synctest"
	"time"

	"github.com/almanac-sim/almanac/dispatch"
)

// A closing counts how often it is closed.
type closing struct {
	io.Reader
	closed atomic.Int32
}

func (c *closing) Close() error { c.closed.Add(1); return nil }

var (
	errDial  = &net.OpError{Op: "dial", Net: "tcp", Err: errors.New("connection refused")}
	errReset = &net.OpError{Op: "read", Net: "tcp", Err: errors.New("connection reset by peer")}
)

// Which requests are retried: the attempts that a base sees if it fails once after it has read some
// of the body, or none.
func TestTransportRetriesWhereTheRequestAllows(t *testing.T) {
	for _, c := range []struct {
		name    string
		method  string
		key     bool // there is an Idempotency-Key
		body    bool
		getBody bool
		fails   error
		reads   int64 // bytes of the body before it fails
		again   bool
	}{
		{"GET that was reset", "GET", false, false, false, errReset, 0, true},
		{"no method is GET", "", false, false, false, errReset, 0, true},
		{"GET that was not sent", "GET", false, false, false, errDial, 0, true},
		{"POST that was reset", "POST", false, false, false, errReset, 0, false},
		{"POST that was not sent", "POST", false, true, false, errDial, 0, true},
		{"POST that was not sent, and was read", "POST", false, true, false, errDial, 2, false},
		{"POST that was reset, with its body to be had again", "POST", false, true, true, errReset, 2, false},
		{"POST with a key", "POST", true, true, true, errReset, 2, true},
		{"POST with a key, body gone", "POST", true, true, false, errReset, 2, false},
		{"POST with a key, body not read", "POST", true, true, false, errReset, 0, true},
		{"PUT", "PUT", false, true, true, errReset, 2, true},
		{"PUT, body gone", "PUT", false, true, false, errReset, 1, false},
		{"DELETE", "DELETE", false, false, false, errReset, 0, true},
		{"PATCH", "PATCH", false, true, true, errReset, 1, false},
	} {
		t.Run(c.name, func(t *testing.T) {
			synctest.Test(t, func(t *testing.T) {
				attempts := 0
				var hosts []string
				base := roundTripper(func(r *http.Request) (*http.Response, error) {
					attempts++
					hosts = append(hosts, r.URL.Host)
					if attempts == 1 {
						if r.Body != nil {
							io.CopyN(io.Discard, r.Body, c.reads)
							r.Body.Close()
						}
						return nil, c.fails
					}
					var text []byte
					if r.Body != nil {
						text, _ = io.ReadAll(r.Body)
						r.Body.Close()
					}
					return response(r, 200, string(text)), nil
				})
				tr, err := NewTransport([]*url.URL{{Scheme: "http", Host: "a"}, {Scheme: "http", Host: "b"}}, Base(base))
				if err != nil {
					t.Fatal(err)
				}
				req := &http.Request{Method: c.method, URL: &url.URL{Path: "/"}, Header: http.Header{}}
				if c.key {
					req.Header.Set("Idempotency-Key", `"1"`)
				}
				body := &closing{Reader: strings.NewReader("text")}
				want := ""
				if c.body {
					req.Body = body
					want = "text"
				}
				second := &closing{Reader: strings.NewReader("text")}
				if c.getBody {
					req.GetBody = func() (io.ReadCloser, error) { return second, nil }
				}
				res, err := tr.RoundTrip(req)
				if c.again {
					if err != nil || attempts != 2 || hosts[0] == hosts[1] {
						t.Fatalf("%v after %d attempts at %v", err, attempts, hosts)
					}
					if text, err := io.ReadAll(res.Body); string(text) != want || err != nil {
						t.Errorf("%q %v", text, err)
					}
				} else if !errors.Is(err, c.fails) || attempts != 1 {
					t.Errorf("%v after %d attempts", err, attempts)
				}
				if c.body && body.closed.Load() != 1 || c.body && c.getBody && c.again && second.closed.Load() != 1 {
					t.Errorf("the body is closed %d times, the second one %d", body.closed.Load(), second.closed.Load())
				}
				shut(t, tr)
				s := tr.Stats()
				if s.Retries != uint64(attempts-1) || s.Completed+s.Failed != 1 || s.Backends[0].Failed+s.Backends[1].Failed != 1 {
					t.Errorf("%+v", s)
				}
			})
		})
	}
}

// A base that reads a body after its attempt has failed gets nothing: the body belongs to the next
// attempt.
func TestTransportStaleAttemptsGetNothing(t *testing.T) {
	var first io.ReadCloser
	tr := transport(t, []*url.URL{{Scheme: "http", Host: "a"}, {Scheme: "http", Host: "b"}},
		Base(roundTripper(func(r *http.Request) (*http.Response, error) {
			if first == nil {
				first = r.Body
				return nil, errDial
			}
			if text, err := io.ReadAll(first); len(text) > 0 || err == nil {
				t.Errorf("a stale attempt reads %q %v", text, err)
			}
			first.Close()
			text, _ := io.ReadAll(r.Body)
			r.Body.Close()
			return response(r, 200, string(text)), nil
		})))
	if text, err := send(t.Context(), tr, "POST", "/", io.MultiReader(strings.NewReader("text"))); text != "text" ||
		err != nil {
		t.Errorf("%q %v", text, err)
	}
}

// A body that cannot be read again ends the request, and is no failure of a backend.
func TestTransportGetBodyFails(t *testing.T) {
	tr := transport(t, []*url.URL{{Scheme: "http", Host: "a"}, {Scheme: "http", Host: "b"}},
		Base(roundTripper(func(r *http.Request) (*http.Response, error) {
			io.ReadAll(r.Body)
			r.Body.Close()
			return nil, errReset
		})))
	body := &closing{Reader: strings.NewReader("text")}
	req := &http.Request{Method: "PUT", URL: &url.URL{Path: "/"}, Body: body,
		GetBody: func() (io.ReadCloser, error) { return nil, errOwn }}
	_, err := tr.RoundTrip(req)
	if s := tr.Stats(); !errors.Is(err, errOwn) || s.Backends[0].Failed+s.Backends[1].Failed != 1 || s.Failed != 1 ||
		body.closed.Load() != 1 {
		t.Errorf("%v, %+v, closed %d times", err, s, body.closed.Load())
	}
}

// A request that fails after the context of Close has ended is not retried.
func TestTransportClosedDoesNotRetry(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		tr, err := NewTransport([]*url.URL{{Scheme: "http", Host: "a"}},
			Base(roundTripper(func(*http.Request) (*http.Response, error) {
				time.Sleep(time.Minute)
				return nil, errReset
			})))
		if err != nil {
			t.Fatal(err)
		}
		done := make(chan error)
		go func() {
			_, err := get(t.Context(), tr, "/")
			done <- err
		}()
		synctest.Wait()
		ctx, cancel := context.WithTimeout(t.Context(), time.Second)
		defer cancel()
		if err := tr.Close(ctx); err != context.DeadlineExceeded {
			t.Error(err)
		}
		if err := <-done; err != dispatch.ErrClosed {
			t.Error(err)
		}
		shut(t, tr)
	})
}

// Attempts are limited, and with a single backend they wait for its backoff.
func TestTransportAttemptsAreLimited(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		attempts := 0
		tr, err := NewTransport([]*url.URL{{Scheme: "http", Host: "a"}}, Attempts(4),
			Base(roundTripper(func(*http.Request) (*http.Response, error) {
				attempts++
				return nil, errDial
			})))
		if err != nil {
			t.Fatal(err)
		}
		start := time.Now()
		if _, err := get(t.Context(), tr, "/"); !errors.Is(err, errDial) || attempts != 4 ||
			time.Since(start) != 700*time.Millisecond {
			t.Error(err, attempts, time.Since(start)) // backoffs of 100, 200 and 400 ms
		}
		if s := tr.Stats().Backends[0]; s.Ejected != 800*time.Millisecond || s.Failures != 4 || s.Failed != 4 {
			t.Errorf("%+v", s)
		}
		ctx, cancel := context.WithTimeout(t.Context(), time.Millisecond)
		defer cancel()
		if _, err := get(ctx, tr, "/"); err != context.DeadlineExceeded {
			t.Error(err)
		}
		shut(t, tr)
	})
}

// An attempt at a backend that hangs ends after AttemptTimeout; a body that takes longer is not
// affected.
func TestTransportAttemptTimeout(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		tr, err := NewTransport([]*url.URL{{Scheme: "http", Host: "a"}}, AttemptTimeout(time.Second), MaxWait(time.Minute),
			Capacity(2),
			Base(roundTripper(func(r *http.Request) (*http.Response, error) {
				if r.URL.Path == "/hang" {
					<-r.Context().Done()
					return nil, r.Context().Err()
				}
				res := response(r, 200, "")
				read, write := io.Pipe()
				res.Body = read
				go func() {
					for range 5 {
						time.Sleep(time.Second)
						write.Write([]byte("x"))
					}
					write.CloseWithError(r.Context().Err()) // nil is io.EOF
				}()
				return res, nil
			})))
		if err != nil {
			t.Fatal(err)
		}
		if text, err := get(t.Context(), tr, "/slow"); text != "xxxxx" || err != nil {
			t.Errorf("%q %v", text, err)
		}
		_, err = send(t.Context(), tr, "POST", "/hang", nil)
		var n net.Error
		if err != ErrAttemptTimeout || !errors.As(err, &n) || !n.Timeout() {
			t.Error(err)
		}
		start := time.Now()
		if _, err := get(t.Context(), tr, "/hang"); err != ErrAttemptTimeout ||
			time.Since(start) != 3*time.Second+700*time.Millisecond {
			t.Error(err, time.Since(start)) // three attempts, after backoffs of 100, 200 and 400 ms
		}
		// The deadline of the client is not a failure of the backend.
		time.Sleep(time.Minute)
		failed := tr.Stats().Backends[0].Failed
		ctx, cancel := context.WithTimeout(t.Context(), time.Millisecond)
		defer cancel()
		if _, err := get(ctx, tr, "/hang"); err != context.DeadlineExceeded || tr.Stats().Backends[0].Failed != failed {
			t.Error(err)
		}
		shut(t, tr)
	})
}

// After 429 a request goes to another backend with its age, and the client gets the last response.
func TestTransportRetryRefused(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		asked, yes := []string{}, 3
		tr, err := NewTransport([]*url.URL{{Scheme: "http", Host: "a"}, {Scheme: "http", Host: "b"}}, RetryRefused(),
			Base(roundTripper(func(r *http.Request) (*http.Response, error) {
				asked = append(asked, r.URL.Host)
				text, _ := io.ReadAll(r.Body)
				r.Body.Close()
				if len(asked) < yes {
					return response(r, 429, "no"), nil
				}
				return response(r, 200, string(text)), nil
			})))
		if err != nil {
			t.Fatal(err)
		}
		if text, err := send(t.Context(), tr, "POST", "/", bytes.NewReader([]byte("text"))); text != "text" || err != nil ||
			len(asked) != 3 || asked[0] == asked[1] || asked[1] == asked[2] {
			t.Errorf("%q %v %v", text, err, asked)
		}
		asked, yes = nil, 10
		if text, err := send(t.Context(), tr, "POST", "/", bytes.NewReader([]byte("text"))); text != "Too Many Requests" ||
			err != nil || len(asked) != 3 {
			t.Errorf("%q %v %v", text, err, asked)
		}
		asked = nil
		if text, err := send(t.Context(), tr, "POST", "/",
			io.MultiReader(strings.NewReader("text"))); text != "Too Many Requests" || err != nil || len(asked) != 1 {
			t.Errorf("a body that is gone was sent again: %q %v %v", text, err, asked)
		}
		shut(t, tr)
		if s := tr.Stats(); s.Completed != 3 || s.Retries != 4 || s.Backends[0].Failed+s.Backends[1].Failed != 0 {
			t.Errorf("%+v", s)
		}
	})
}

// Responses that count as failures go to the client, and their backend is ejected.
func TestTransportFailOn(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		status := 503
		tr, err := NewTransport([]*url.URL{{Scheme: "http", Host: "a"}}, FailOn(502, 503), MaxWait(50*time.Millisecond),
			Base(roundTripper(func(r *http.Request) (*http.Response, error) { return response(r, status, "x"), nil })))
		if err != nil {
			t.Fatal(err)
		}
		if text, err := get(t.Context(), tr, "/"); text != "Service Unavailable" || err != nil {
			t.Error(text, err)
		}
		if _, err := get(t.Context(), tr, "/"); err != dispatch.ErrTooOld {
			t.Error(err)
		}
		time.Sleep(50 * time.Millisecond)
		status = 500
		if text, err := get(t.Context(), tr, "/"); text != "Internal Server Error" || err != nil ||
			tr.Stats().Backends[0].Failures != 0 {
			t.Error(text, err)
		}
		shut(t, tr)
	})
}

// A backend that responds with 503 at once would be idle most often, and get most of the requests.
func TestTransportFastFailureIsNoFavourite(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		tr, err := NewTransport([]*url.URL{{Scheme: "http", Host: "good"}, {Scheme: "http", Host: "bad"}},
			Base(roundTripper(func(r *http.Request) (*http.Response, error) {
				if r.URL.Host == "bad" {
					return response(r, 503, "no"), nil
				}
				time.Sleep(10 * time.Millisecond)
				return response(r, 200, "yes"), nil
			})))
		if err != nil {
			t.Fatal(err)
		}
		var all sync.WaitGroup
		var good atomic.Int32
		for range 8 {
			all.Go(func() {
				for range 40 {
					if text, _ := get(t.Context(), tr, "/"); text == "yes" {
						good.Add(1)
					}
				}
			})
		}
		all.Wait()
		// In 1.6 s it is ejected 4 times, with at most c requests the first time, and then one.
		if n := good.Load(); n < 320-2-4 {
			t.Errorf("%d of 320 requests succeed", n)
		}
		shut(t, tr)
	})
}

// Checks eject an unhealthy backend before a request fails, and readmit it when it is healthy.
func TestTransportHealthCheck(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		var sick, slow atomic.Bool
		var checks, requests atomic.Int32
		tr, err := NewTransport([]*url.URL{{Scheme: "http", Host: "a", Path: "/api"}, {Scheme: "http", Host: "b"}},
			HealthCheck("/health?full=1", 10*time.Second),
			Base(roundTripper(func(r *http.Request) (*http.Response, error) {
				if r.URL.Path == "/api/health" && r.URL.RawQuery == "full=1" {
					checks.Add(1)
					if slow.Load() {
						time.Sleep(3 * time.Second)
					}
					if sick.Load() {
						return response(r, 500, "sick"), nil
					}
				} else if r.URL.Host == "a" {
					requests.Add(1)
				}
				return response(r, 200, "fine"), nil
			})))
		if err != nil {
			t.Fatal(err)
		}
		ask := func(n int) {
			for range n {
				if text, err := get(t.Context(), tr, "/"); text != "fine" || err != nil {
					t.Error(text, err)
				}
			}
		}
		time.Sleep(35 * time.Second)
		ask(40)
		if checks.Load() != 3 || requests.Load() == 0 {
			t.Errorf("%d checks, %d requests", checks.Load(), requests.Load())
		}
		sick.Store(true)
		time.Sleep(10 * time.Second)
		n := requests.Load()
		ask(40)
		if requests.Load() != n {
			t.Error("it is sick and gets requests")
		}
		time.Sleep(time.Hour)
		if got := checks.Load(); got < 120 || got > 140 {
			t.Errorf("%d checks; one each 30 s would be 120", got)
		}
		sick.Store(false)
		time.Sleep(30 * time.Second)
		ask(40)
		if requests.Load() == n {
			t.Error("it is well and gets no requests")
		}
		a := &url.URL{Scheme: "http", Host: "a", Path: "/api/"}
		for i := range 3 {
			switch i {
			case 0:
				tr.Remove(a)
			case 1: // while it is being checked
				if err := tr.Add(a); err != nil {
					t.Error(err)
				}
				slow.Store(true)
				time.Sleep(11 * time.Second)
				tr.Remove(a)
				slow.Store(false)
			case 2:
				if err := tr.Add(a); err != nil {
					t.Error(err)
				}
				shut(t, tr)
			}
			n = checks.Load()
			time.Sleep(time.Hour)
			if checks.Load() != n {
				t.Errorf("it is gone (%d) and is checked", i)
			}
		}
	})
}
