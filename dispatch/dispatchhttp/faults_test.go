package dispatchhttp

import (
	"context"
	"errors"
	"fmt"
	"io"
	"math/rand/v2"
	"net"
	"net/http"
	"net/http/httptest"
	"net/http/httputil"
	"net/url"
	"runtime"
	"slices"
	"strings"
	"sync"
	"sync/atomic"
	"testing"
	"testing/synctest"
	"time"

	"github.com/almanac-sim/almanac/dispatch"
)

// breakOff sends the beginning of a body and resets the connection.
func breakOff(w http.ResponseWriter) {
	w.Header().Set("Content-Length", "1000")
	io.WriteString(w, "the beginning")
	w.(http.Flusher).Flush()
	conn, _, err := w.(http.Hijacker).Hijack()
	if err != nil {
		return
	}
	conn.(*net.TCPConn).SetLinger(0)
	conn.Close()
}

// A connection is reset within a body: the reader gets an error and not EOF, the slot is released,
// and the backend is ejected.
func TestTransportResponsesThatBreakOff(t *testing.T) {
	b := newBackend(t, func(w http.ResponseWriter, r *http.Request) {
		if r.URL.Path == "/break" {
			breakOff(w)
			return
		}
		hello(w, r)
	})
	tr := transport(t, []*url.URL{b.url}, Capacity(1))
	text, err := get(t.Context(), tr, "/break")
	if err == nil || len(text) >= 1000 {
		t.Errorf("%q %v", text, err)
	}
	s := tr.Stats()
	if s.Broken != 1 || s.InFlight != 0 || s.Retries != 0 || s.Backends[0].Failures != 1 || s.Backends[0].Ejected == 0 {
		t.Errorf("%+v", s)
	}
	if text, err := get(t.Context(), tr, "/"); text != "hello" || err != nil { // after its backoff
		t.Error(text, err)
	}
	if s := tr.Stats().Backends[0]; s.Failures != 0 || s.HalfOpen {
		t.Errorf("%+v", s)
	}
}

// Clients cancel while they wait, while the backend works, and within the body; and one has a body
// that breaks off. None of these is a failure of the backend, and all slots are released.
func TestTransportClientsGoAwayConcurrently(t *testing.T) {
	b := newBackend(t, func(w http.ResponseWriter, r *http.Request) {
		if r.Method == http.MethodPost {
			io.Copy(io.Discard, r.Body)
			return
		}
		io.WriteString(w, "begin")
		w.(http.Flusher).Flush()
		select {
		case <-r.Context().Done():
		case <-time.After(20 * time.Millisecond):
		}
		io.WriteString(w, "end")
	})
	tr := transport(t, []*url.URL{b.url}, Capacity(2))
	var all sync.WaitGroup
	var outcomes tally
	for i := range 200 {
		all.Go(func() {
			patience := time.Duration(rand.IntN(250)) * time.Millisecond
			if i < 2 { // one of each kind, on any machine
				patience = time.Minute
			}
			ctx, cancel := context.WithTimeout(t.Context(), patience)
			defer cancel()
			var err error
			if i%4 == 0 {
				_, err = send(ctx, tr, "POST", "/", io.MultiReader(strings.NewReader("x"), failing{}))
			} else {
				_, err = get(ctx, tr, "/")
			}
			switch {
			case err == nil:
				outcomes.add("completed")
			case errors.Is(err, context.DeadlineExceeded):
				outcomes.add("canceled")
			case errors.Is(err, errOwn):
				outcomes.add("failed")
			default:
				t.Error(err)
			}
		})
	}
	all.Wait()
	s := tr.Stats()
	if s.InFlight != 0 || s.Waiting != 0 || s.Backends[0].Failed != 0 || s.Requests != 200 {
		t.Errorf("%+v", s)
	}
	if int(s.Completed) != outcomes.of("completed") || int(s.Canceled) != outcomes.of("canceled") ||
		int(s.Failed) != outcomes.of("failed") || s.Canceled == 0 || s.Failed == 0 || s.Completed == 0 {
		t.Errorf("%+v, and clients say %v", s.Counts, outcomes.n)
	}
}

var errOwn = errors.New("the client's own")

type failing struct{}

func (failing) Read([]byte) (int, error) { return 0, errOwn }

// The body of a request breaks off, or is silent, while the response is read. What fails then is the
// fault of the client, and not of the backend.
func TestTransportBodyBreaksOffWithinTheResponse(t *testing.T) {
	synctest.Test(t, testTransportBodyBreaksOffWithinTheResponse)
}

func testTransportBodyBreaksOffWithinTheResponse(t *testing.T) {
	_, b, base := newPipeServer(t, func(w http.ResponseWriter, r *http.Request) {
		c := http.NewResponseController(w)
		c.EnableFullDuplex()
		io.WriteString(w, "begin")
		c.Flush()
		io.Copy(w, r.Body) // an echo
	})
	tr := transport(t, []*url.URL{b}, base, ResponseIdle(time.Second))
	for _, silent := range []bool{false, true} {
		body, client := io.Pipe()
		req, err := http.NewRequest("POST", "http://service/", body)
		if err != nil {
			t.Fatal(err)
		}
		res, err := tr.RoundTrip(req)
		if err != nil {
			t.Fatal(err)
		}
		if !silent {
			client.CloseWithError(errOwn)
		}
		if text, err := io.ReadAll(res.Body); err == nil {
			t.Errorf("a response of %q is complete", text)
		}
		res.Body.Close()
		client.Close()
	}
	if s := tr.Stats(); s.Broken != 2 || s.InFlight != 0 || s.Backends[0].Failed != 0 {
		t.Errorf("%+v", s)
	}
}

// A request that cannot be sent is not a failure of the backends.
func TestTransportDoesNotBlameForBadRequests(t *testing.T) {
	b := newBackend(t, hello)
	tr := transport(t, []*url.URL{b.url})
	for range 10 {
		req := &http.Request{Method: "GET", URL: mustParse(t, "http://service/"), Header: http.Header{"A": {"line\nbreak"}}}
		if _, err := tr.RoundTrip(req); err == nil {
			t.Error("it was sent")
		}
	}
	if s := tr.Stats(); s.Backends[0].Failed != 0 || s.Failed != 10 || s.Retries != 0 {
		t.Errorf("%+v", s)
	}
}

// Backends are killed and restarted at the same address, under load. Every request that may be
// retried gets a response; any other gets one or fails, and none is served twice; no backend ever
// has more than c.
func TestTransportBackendsAreKilledAndComeBackConcurrently(t *testing.T) {
	const c = 2
	var seen tally
	handler := func(b *testServer) http.Handler {
		return b.counting(func(w http.ResponseWriter, r *http.Request) {
			if r.Method == http.MethodPost {
				seen.add(r.URL.Path)
			}
			time.Sleep(time.Duration(rand.IntN(1000)) * time.Microsecond)
			io.WriteString(w, r.URL.Path)
		})
	}
	var urls []*url.URL
	backends := make([]*testServer, 3)
	for i := range backends {
		backends[i] = &testServer{}
		backends[i].Server = httptest.NewServer(handler(backends[i]))
		urls = append(urls, mustParse(t, backends[i].URL))
	}
	tr := transport(t, urls, Capacity(c), Attempts(10), Backoff(time.Millisecond, 20*time.Millisecond))
	var clients sync.WaitGroup
	var completed, failed atomic.Int64
	stop := make(chan bool)
	for k := range 20 {
		clients.Go(func() {
			for i := 0; ; i++ {
				select {
				case <-stop:
					return
				default:
				}
				method, path := "GET", fmt.Sprintf("/%d/%d", k, i)
				if i%3 == 0 {
					method = "POST"
				}
				text, err := send(t.Context(), tr, method, path, nil)
				switch {
				case err == nil && text == path:
					completed.Add(1)
				case err != nil && method == "POST":
					failed.Add(1)
				default:
					failed.Add(1)
					t.Errorf("%s %s: %q %v", method, path, text, err)
				}
			}
		})
	}
	goesOn := func() {
		before := completed.Load()
		eventually(t, "requests complete", func() bool { return completed.Load() >= before+50 })
	}
	for round := range 12 { // at most two are down
		goesOn()
		b := backends[round%3]
		b.Listener.Close()
		b.CloseClientConnections()
		old := b
		goesOn()
		listener, err := net.Listen("tcp", urls[round%3].Host)
		if err != nil {
			t.Fatal(err)
		}
		backends[round%3] = &testServer{}
		b = backends[round%3]
		b.Server = &httptest.Server{Listener: listener, Config: &http.Server{Handler: handler(b)}}
		b.Start()
		old.Close()
		if old.most.Load() > c {
			t.Errorf("%d at once", old.most.Load())
		}
	}
	eventually(t, "all serve", func() bool {
		return !slices.ContainsFunc(backends, func(b *testServer) bool { return b.served.Load() == 0 })
	})
	close(stop)
	clients.Wait()
	s := tr.Stats()
	if s.Requests != uint64(completed.Load()+failed.Load()) || s.Completed != uint64(completed.Load()) ||
		s.Failed+s.Broken != uint64(failed.Load()) {
		t.Errorf("%+v, and clients say %d completed and %d failed", s.Counts, completed.Load(), failed.Load())
	}
	for path, n := range seen.n {
		if n != 1 {
			t.Errorf("POST %s came %d times", path, n)
		}
	}
	var failures uint64
	for i, b := range s.Backends {
		failures += b.Failed
		if backends[i].most.Load() > c {
			t.Errorf("backend %d had %d at once", i, backends[i].most.Load())
		}
	}
	if failures == 0 {
		t.Error("nothing has failed: the test tests nothing")
	}
	t.Logf("%d completed, %d failed, %d retries", completed.Load(), failed.Load(), s.Retries)
	shut(t, tr)
	for _, b := range backends {
		b.Close()
	}
}

// A backend that hangs holds c requests until they time out, and is ejected; the others continue,
// and requests that may be retried succeed.
func TestTransportBackendThatHangsIsLeftConcurrently(t *testing.T) {
	end := make(chan bool)
	hangs := newBackend(t, func(_ http.ResponseWriter, r *http.Request) {
		select {
		case <-r.Context().Done():
		case <-end:
		}
	})
	defer close(end)
	works := newBackend(t, hello)
	tr := transport(t, []*url.URL{hangs.url, works.url}, Capacity(2), AttemptTimeout(300*time.Millisecond))
	var all sync.WaitGroup
	for range 100 {
		all.Go(func() {
			if text, err := get(t.Context(), tr, "/"); text != "hello" || err != nil {
				t.Error(text, err)
			}
		})
	}
	all.Wait()
	if s := tr.Stats(); s.Completed != 100 || works.served.Load() < 100 || s.Backends[0].Failures == 0 {
		t.Errorf("%+v", s)
	}
}

// Twice the load that backends can serve, through a ReverseProxy: requests above the pool's limit
// are refused at once, resources stay bounded, each request is counted once, and backends are
// always busy and never beyond c.
func TestTransportOverloadAtOnce(t *testing.T) {
	const c, pool, clients, requests = 2, 10, 60, 20
	var backends []*testServer
	var urls []*url.URL
	for range 2 {
		b := newBackend(t, func(w http.ResponseWriter, r *http.Request) {
			time.Sleep(2 * time.Millisecond)
			hello(w, r)
		})
		backends, urls = append(backends, b), append(urls, b.url)
	}
	tr := transport(t, urls, Capacity(c), PoolLimit(pool))
	proxy := httptest.NewServer(&httputil.ReverseProxy{Rewrite: func(*httputil.ProxyRequest) {}, Transport: tr,
		ErrorHandler: ErrorHandler})
	defer proxy.Close()
	before := runtime.NumGoroutine()
	var all sync.WaitGroup
	var outcomes tally
	var most atomic.Int64
	client := proxy.Client()
	client.Transport.(*http.Transport).MaxIdleConnsPerHost = clients
	for range clients {
		all.Go(func() {
			for range requests {
				res, err := client.Get(proxy.URL)
				if err != nil {
					t.Error(err)
					return
				}
				io.Copy(io.Discard, res.Body)
				res.Body.Close()
				outcomes.add(res.Status)
				s := tr.Stats()
				if s.Waiting > pool || s.InFlight > c*len(urls) {
					t.Errorf("%d wait, and %d are in flight", s.Waiting, s.InFlight)
				}
				most.Store(max(most.Load(), int64(runtime.NumGoroutine())))
			}
		})
	}
	all.Wait()
	ok, refused := outcomes.of("200 OK"), outcomes.of("503 Service Unavailable")
	s := tr.Stats()
	if ok+refused != clients*requests || s.Completed != uint64(ok) || s.Full != uint64(refused) || refused == 0 {
		t.Errorf("%v, %+v", outcomes.n, s.Counts)
	}
	served := int64(0)
	for _, b := range backends {
		served += b.served.Load()
		if b.most.Load() != c {
			t.Errorf("%d at once", b.most.Load())
		}
	}
	if served != int64(ok) {
		t.Errorf("%d were served, and %d completed", served, ok)
	}
	// A client has its own goroutine, two for its connection and two at the proxy, and one more
	// while it connects. A slot has as many without the first, and as many again while a connection
	// closes.
	if n := int(most.Load()) - before; n > 6*clients+10*c*len(urls) {
		t.Errorf("%d goroutines", n)
	}
}

// Many transports and many servers without shared state: full servers refuse, transports ask
// others, no server has more than c, and all requests get a response. (Other tests check that the
// oldest goes first.)
func TestManyTransportsManyLimitersConcurrently(t *testing.T) {
	const servers, transports, each = 4, 8, 40
	var urls []*url.URL
	var limiters []*Limiter
	var backends []*testServer
	for range servers {
		b := &testServer{}
		l := Limit(b.counting(func(w http.ResponseWriter, r *http.Request) {
			time.Sleep(time.Millisecond)
			hello(w, r)
		}), Capacity(1), PoolLimit(1), TrustStart(func(*http.Request) bool { return true }, time.Minute))
		b.Server = httptest.NewServer(l)
		t.Cleanup(b.Close)
		urls, limiters, backends = append(urls, mustParse(t, b.URL)), append(limiters, l), append(backends, b)
	}
	var all sync.WaitGroup
	var outcomes tally
	for range transports {
		tr := transport(t, urls, Capacity(1), SendStart(), RetryRefused(), Attempts(1000))
		for range each {
			all.Go(func() {
				text, err := get(t.Context(), tr, "/")
				outcomes.add(fmt.Sprint(text, err))
			})
		}
	}
	all.Wait()
	if outcomes.of("hello<nil>") != transports*each {
		t.Errorf("%v", outcomes.n)
	}
	var full, completed uint64
	for i, l := range limiters {
		s := l.Stats()
		full, completed = full+s.Full, completed+s.Completed
		if backends[i].most.Load() != 1 {
			t.Errorf("%d at once", backends[i].most.Load())
		}
	}
	if completed != transports*each || full == 0 {
		t.Errorf("%d completed, %d refused", completed, full)
	}
}

// Close with requests that wait for ejected backends ends with the context.
func TestTransportClosesWhileAllAreEjected(t *testing.T) {
	b := newBackend(t, hello)
	b.Close()
	tr := transport(t, []*url.URL{b.url}, Backoff(30*time.Second, 30*time.Second))
	errs := make(chan error)
	go func() {
		_, err := get(t.Context(), tr, "/")
		errs <- err
	}()
	eventually(t, "it is ejected", func() bool { return tr.Stats().Backends[0].Ejected > 0 && tr.Stats().Waiting == 1 })
	ctx, cancel := context.WithTimeout(t.Context(), time.Millisecond)
	defer cancel()
	if err := tr.Close(ctx); err != context.DeadlineExceeded {
		t.Error(err)
	}
	if err := <-errs; err != dispatch.ErrClosed {
		t.Error(err)
	}
}
