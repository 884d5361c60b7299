package dispatchhttp_test

import (
	"context"
	"fmt"
	"io"
	"net/http"
	"net/http/httptest"
	"net/http/httputil"
	"net/netip"
	"net/url"
	"sync"
	"sync/atomic"
	"time"

	"github.com/almanac-sim/almanac/dispatch"
	"github.com/almanac-sim/almanac/dispatch/dispatchhttp"
)

// newBackend returns a server that responds with a text.
func newBackend(text string) (*url.URL, func()) {
	s := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, _ *http.Request) { io.WriteString(w, text) }))
	u, err := url.Parse(s.URL)
	if err != nil {
		panic(err)
	}
	return u, s.Close
}

// A client whose requests go to one of three backends, two at a time at each.
func ExampleTransport() {
	var backends []*url.URL
	for range 3 {
		u, stop := newBackend("hello")
		defer stop()
		backends = append(backends, u)
	}
	t, err := dispatchhttp.NewTransport(backends, dispatchhttp.Capacity(2), dispatchhttp.AttemptTimeout(10*time.Second))
	if err != nil {
		fmt.Println(err)
		return
	}
	client := &http.Client{Transport: t}
	var all sync.WaitGroup
	for range 100 {
		all.Go(func() {
			res, err := client.Get("http://service/greeting") // the host is the backend's
			if err != nil {
				fmt.Println(err)
				return
			}
			defer res.Body.Close() // releases the slot
			io.Copy(io.Discard, res.Body)
		})
	}
	all.Wait()
	err = t.Close(context.Background())
	fmt.Println(t.Stats().Completed, err)
	// Output: 100 <nil>
}

// A proxy that sends requests itself, as a module of a web server does: it holds a slot while the
// backend works, and says what became of the request.
func ExampleTransport_Acquire() {
	u, stop := newBackend("hello")
	defer stop()
	t, err := dispatchhttp.NewTransport([]*url.URL{u}, dispatchhttp.Capacity(8))
	if err != nil {
		fmt.Println(err)
		return
	}
	proxy := func(w http.ResponseWriter, r *http.Request) {
		slot, err := t.Acquire(r.Context())
		if err != nil {
			dispatchhttp.ErrorHandler(w, r, err)
			return
		}
		res, err := http.Get(slot.Backend().JoinPath(r.URL.Path).String())
		if err == nil {
			_, err = io.Copy(w, res.Body)
			res.Body.Close()
		}
		slot.Release(err)
	}
	w := httptest.NewRecorder()
	proxy(w, httptest.NewRequest("GET", "/greeting", nil))
	fmt.Println(w.Body, t.Stats().Completed)
	// Output: hello 1
}

// A backend that fails gets no requests for a while. Those that were given up say nothing about it.
func ExampleSlot() {
	ctx := context.Background()
	u := &url.URL{Scheme: "http", Host: "127.0.0.1:1"}
	t, err := dispatchhttp.NewTransport([]*url.URL{u})
	if err != nil {
		fmt.Println(err)
		return
	}
	for _, outcome := range []error{nil, context.Canceled, io.ErrUnexpectedEOF} {
		slot, err := t.Acquire(ctx)
		if err != nil {
			fmt.Println(err)
			return
		}
		slot.Release(outcome)
		s := t.Stats()
		fmt.Println(slot.Backend(), s.Completed, s.Canceled, s.Failed, "ejected:", s.Backends[0].Ejected > 0)
	}
	t.Close(ctx)
	// Output:
	// http://127.0.0.1:1 1 0 0 ejected: false
	// http://127.0.0.1:1 1 1 0 ejected: false
	// http://127.0.0.1:1 1 1 1 ejected: true
}

// A reverse proxy.
func ExampleNewTransport_reverseProxy() {
	backend, stop := newBackend("from the backend")
	defer stop()
	t, err := dispatchhttp.NewTransport([]*url.URL{backend}, dispatchhttp.Capacity(8), dispatchhttp.MaxWait(5*time.Second))
	if err != nil {
		fmt.Println(err)
		return
	}
	defer t.Close(context.Background())
	proxy := httptest.NewServer(&httputil.ReverseProxy{
		Rewrite:      func(r *httputil.ProxyRequest) { r.SetXForwarded() },
		Transport:    t,
		ErrorHandler: dispatchhttp.ErrorHandler,
	})
	defer proxy.Close()
	res, err := http.Get(proxy.URL)
	if err != nil {
		fmt.Println(err)
		return
	}
	defer res.Body.Close()
	text, err := io.ReadAll(res.Body)
	fmt.Println(string(text), err)
	// Output: from the backend <nil>
}

// Backends change while requests arrive.
func ExampleTransport_Set() {
	a, stopA := newBackend("a")
	b, stopB := newBackend("b")
	defer stopA()
	defer stopB()
	t, err := dispatchhttp.NewTransport([]*url.URL{a})
	if err != nil {
		fmt.Println(err)
		return
	}
	defer t.Close(context.Background())
	client := &http.Client{Transport: t}
	for range 2 {
		res, err := client.Get("http://service/")
		if err != nil {
			fmt.Println(err)
			return
		}
		text, err := io.ReadAll(res.Body)
		res.Body.Close()
		fmt.Println(string(text), err)
		t.Set([]*url.URL{b}) // requests in flight at a are not interrupted
	}
	// Output:
	// a <nil>
	// b <nil>
}

// One request at a time, one may wait, and the third is refused.
func ExampleLimit() {
	begun, end := make(chan bool), make(chan bool)
	l := dispatchhttp.Limit(http.HandlerFunc(func(w http.ResponseWriter, _ *http.Request) {
		begun <- true
		<-end
	}), dispatchhttp.Capacity(1), dispatchhttp.PoolLimit(1))
	server := httptest.NewServer(l)
	defer server.Close()
	var all sync.WaitGroup
	ask := func() {
		res, err := http.Get(server.URL)
		if err != nil {
			fmt.Println(err)
			return
		}
		res.Body.Close()
		fmt.Printf("%d, Retry-After: %q\n", res.StatusCode, res.Header.Get("Retry-After"))
	}
	all.Go(ask)
	<-begun
	all.Go(ask)
	for l.Stats().Waiting == 0 {
		time.Sleep(time.Millisecond)
	}
	ask()
	end <- true
	<-begun
	end <- true
	all.Wait()
	// Output:
	// 429, Retry-After: "1"
	// 200, Retry-After: ""
	// 200, Retry-After: ""
}

// Requests from a trusted network carry their start, which the handler can read.
func ExampleLimiter() {
	l := dispatchhttp.Limit(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		start, _ := dispatchhttp.StartOf(r.Context())
		fmt.Println("a request,", time.Since(start).Truncate(5*time.Second), "old")
	}), dispatchhttp.TrustStart(dispatchhttp.TrustedNetworks(netip.MustParsePrefix("10.0.0.0/8")), 30*time.Second))
	for _, from := range []string{"10.1.2.3:4567", "192.0.2.1:4567"} {
		r := httptest.NewRequest("GET", "/", nil)
		r.RemoteAddr = from
		r.Header.Set(dispatchhttp.StartHeader, dispatchhttp.FormatStart(time.Now().Add(-5*time.Second)))
		l.ServeHTTP(httptest.NewRecorder(), r)
	}
	// Output:
	// a request, 5s old
	// a request, 0s old
}

// The same options for both sides.
func ExampleOption() {
	both := []dispatchhttp.Option{dispatchhttp.Capacity(3), dispatchhttp.PoolLimit(0)}
	t, err := dispatchhttp.NewTransport(nil, both[0], both[1])
	if err != nil {
		fmt.Println(err)
		return
	}
	l := dispatchhttp.Limit(http.NotFoundHandler(), both[0], both[1])
	fmt.Println(t.Stats().Capacity, l.Stats().Capacity)
	// Output: 3 3
}

// A transport with health checks and a short backoff.
func ExampleTransportOption() {
	var asked atomic.Int32
	healthy := make(chan bool, 100)
	s := httptest.NewServer(http.HandlerFunc(func(_ http.ResponseWriter, r *http.Request) {
		if r.URL.Path == "/healthy" && asked.Add(1) <= 3 {
			healthy <- true
		}
	}))
	defer s.Close()
	u, _ := url.Parse(s.URL)
	opts := []dispatchhttp.TransportOption{
		dispatchhttp.HealthCheck("/healthy", time.Millisecond*10),
		dispatchhttp.Backoff(50*time.Millisecond, 5*time.Second),
		dispatchhttp.Attempts(2),
		dispatchhttp.FailOn(502, 504),
	}
	t, err := dispatchhttp.NewTransport([]*url.URL{u}, opts...)
	if err != nil {
		fmt.Println(err)
		return
	}
	fmt.Println(<-healthy, <-healthy, <-healthy)
	fmt.Println(t.Close(context.Background()))
	// Output:
	// true true true
	// <nil>
}

// Trust requests with a client certificate.
func ExampleLimitOption() {
	trust := dispatchhttp.TrustStart(func(r *http.Request) bool {
		return r.TLS != nil &&
			len(r.TLS.VerifiedChains) > 0
	}, time.Minute)
	l := dispatchhttp.Limit(http.NotFoundHandler(), trust, dispatchhttp.Capacity(100))
	fmt.Println(l.Stats().Capacity)
	// Output: 100
}

// A backend that does not exist.
func ExampleStats() {
	u, stop := newBackend("")
	stop()
	t, err := dispatchhttp.NewTransport([]*url.URL{u}, dispatchhttp.Attempts(1), dispatchhttp.MaxWait(time.Millisecond),
		dispatchhttp.Backoff(30*time.Second, 30*time.Second))
	if err != nil {
		fmt.Println(err)
		return
	}
	client := &http.Client{Transport: t}
	for range 2 {
		if res, err := client.Get("http://service/"); err == nil {
			res.Body.Close()
		}
	}
	s := t.Stats()
	fmt.Println(s.Requests, "requests,", s.Failed, "failed,", s.TooOld, "waited too long,", s.Waiting+s.InFlight,
		"are left")
	ctx, cancel := context.WithTimeout(context.Background(), time.Second)
	defer cancel()
	fmt.Println(t.Close(ctx))
	// Output:
	// 2 requests, 1 failed, 1 waited too long, 0 are left
	// <nil>
}

// Every request is counted once.
func ExampleCounts() {
	l := dispatchhttp.Limit(http.NotFoundHandler())
	for range 3 {
		l.ServeHTTP(httptest.NewRecorder(), httptest.NewRequest("GET", "/", nil))
	}
	fmt.Printf("%+v\n", l.Stats().Counts)
	// Output: {Requests:3 Completed:3 Broken:0 Failed:0 Canceled:0 Full:0 TooOld:0 Closed:0 Retries:0}
}

// The state of the backends.
func ExampleBackendStats() {
	u, err := url.Parse("http://192.0.2.1:8080/api/")
	if err != nil {
		fmt.Println(err)
		return
	}
	t, err := dispatchhttp.NewTransport([]*url.URL{u})
	if err != nil {
		fmt.Println(err)
		return
	}
	for _, b := range t.Stats().Backends {
		fmt.Println(b.URL, b.InFlight, "in flight,", b.Failures, "failures, ejected:", b.Ejected > 0)
	}
	fmt.Println(t.Add(u))
	// Output:
	// http://192.0.2.1:8080/api 0 in flight, 0 failures, ejected: false
	// dispatchhttp: backend "http://192.0.2.1:8080/api" is there already
}

// A request that the program retries keeps its age, and goes before younger ones.
func ExampleWithStart() {
	ctx := dispatchhttp.WithStart(context.Background(), time.Now())
	t, err := dispatchhttp.NewTransport(nil, dispatchhttp.PoolLimit(0))
	if err != nil {
		fmt.Println(err)
		return
	}
	for range 2 {
		req, err := http.NewRequestWithContext(ctx, "GET", "http://service/", nil)
		if err != nil {
			fmt.Println(err)
			return
		}
		_, err = t.RoundTrip(req)
		fmt.Println(err == dispatch.ErrFull)
	}
	// Output:
	// true
	// true
}
