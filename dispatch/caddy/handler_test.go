package caddyqueue

import (
	"context"
	"fmt"
	"io"
	"math/rand/v2"
	"net"
	"net/http"
	"slices"
	"strings"
	"sync"
	"testing"
	"time"
)

// No backend ever has more than its capacity, and every request is sent once.
func TestCapacity(t *testing.T) {
	work := func(w http.ResponseWriter, r *http.Request) {
		time.Sleep(time.Duration(rand.IntN(3000)) * time.Microsecond)
		ok(w, r)
	}
	backends := []*backend{startBackend(t, work), startBackend(t, work), startBackend(t, work)}
	in := start(t, block(to(backends...), "capacity 2", "max_queue 1000"))
	const clients, each = 50, 10
	var all sync.WaitGroup
	for c := range clients {
		all.Go(func() {
			for i := range each {
				path := fmt.Sprintf("/%d/%d", c, i)
				r := in.do(context.Background(), "POST", path, "body")
				if r.err != nil || r.status != 200 || r.body != path {
					t.Errorf("%s: %+v", path, r)
				}
			}
		})
	}
	all.Wait()
	var seen []string
	for _, b := range backends {
		if p := b.peak.Load(); p != 2 {
			t.Errorf("%d requests at once, want 2", p)
		}
		seen = append(seen, b.requests()...)
	}
	slices.Sort(seen)
	if n := len(slices.Compact(seen)); n != clients*each || len(seen) != n {
		t.Errorf("%d requests, %d different ones, want %d", len(seen), n, clients*each)
	}
	if q := in.idle(); q.Requests != clients*each || q.Completed != clients*each || q.Retries != 0 {
		t.Errorf("%+v", q)
	}
}

// Requests begin in the order in which they arrived.
func TestOldestFirst(t *testing.T) {
	g := make(gate)
	b := startBackend(t, g.handler)
	in := start(t, block(to(b), "capacity 1"))
	const n = 20
	var all sync.WaitGroup
	for i := range n {
		all.Go(func() {
			if r := in.get(fmt.Sprint("/", i)); r.status != 200 {
				t.Errorf("%d: %+v", i, r)
			}
		})
		in.until("request", func(q queueState) bool { return q.InFlight == 1 && q.Waiting == i })
	}
	for range n {
		g <- struct{}{}
	}
	all.Wait()
	for i, line := range b.requests() {
		if line != fmt.Sprint("GET /", i) {
			t.Fatalf("%s was request %d", line, i)
		}
	}
}

// A slow backend has its capacity of requests and no more; the others serve the rest.
func TestSlowBackend(t *testing.T) {
	g := make(gate)
	slow, fast := startBackend(t, g.handler), startBackend(t, ok)
	in := start(t, block(to(slow, fast), "capacity 2"))
	const n = 200
	replies := make(chan reply, n)
	for i := range n {
		go func() { replies <- in.get(fmt.Sprint("/", i)) }()
	}
	for range n - 2 {
		if r := <-replies; r.status != 200 {
			t.Errorf("%+v", r)
		}
	}
	if s, f := len(slow.requests()), len(fast.requests()); s != 2 || f != n-2 {
		t.Errorf("%d at the slow backend, want 2; %d at the fast one", s, f)
	}
	close(g)
	<-replies
	<-replies
	in.idle()
}

// A full queue and a long wait are 503 with Retry-After.
func TestRefusals(t *testing.T) {
	g := make(gate)
	b := startBackend(t, g.handler)
	in := start(t, block(to(b), "capacity 1", "max_queue 1", "max_wait 300ms"))
	first := make(chan reply, 1)
	go func() { first <- in.get("/first") }()
	in.until("request in flight", func(q queueState) bool { return q.InFlight == 1 })
	second := make(chan reply, 1)
	go func() { second <- in.get("/second") }()
	deadline := time.Now().Add(patience)
	for full := false; !full; { // the second may be too old by now, and the third in its place
		r := in.get("/third")
		if r.status != 503 || r.header.Get("Retry-After") == "" {
			t.Fatalf("%+v", r)
		}
		full = in.queues()[0].Full > 0
		if time.Now().After(deadline) {
			t.Fatal("the queue was never full")
		}
	}
	if r := <-second; r.status != 503 || r.header.Get("Retry-After") == "" {
		t.Errorf("%+v", r)
	}
	g <- struct{}{}
	if r := <-first; r.status != 200 {
		t.Errorf("%+v", r)
	}
	if q := in.idle(); q.TooOld == 0 || q.Completed != 1 || len(b.requests()) != 1 {
		t.Errorf("%+v, and %d requests at the backend", q, len(b.requests()))
	}
}

// Clients that leave are removed from the queue; no backend sees them, and none is blamed.
func TestClientsLeave(t *testing.T) {
	g := make(gate)
	b := startBackend(t, g.handler)
	in := start(t, block(to(b), "capacity 1"))
	first, leaveFirst := context.WithCancel(t.Context())
	ctx, leave := context.WithCancel(t.Context())
	var all sync.WaitGroup
	all.Go(func() { in.do(first, "GET", "/in-flight", "") })
	in.until("request in flight", func(q queueState) bool { return q.InFlight == 1 })
	for range 10 {
		all.Go(func() { in.do(ctx, "GET", "/waiting", "") })
	}
	in.waiting(10)
	leave()
	in.waiting(0) // before the slot is free
	leaveFirst()
	all.Wait()
	q := in.idle()
	if q.Canceled != 11 || q.Failed != 0 || q.Backends[0].State != "healthy" {
		t.Errorf("%+v", q)
	}
	if seen := b.requests(); len(seen) != 1 {
		t.Errorf("the backend has seen %v", seen)
	}
	close(g)
	if r := in.get("/"); r.status != 200 {
		t.Errorf("%+v", r)
	}
}

// Clients that break off the body of a request do not eject a backend either, nor do headers that
// cannot be sent because of what a client has put into a placeholder.
func TestBackendsAreNotBlamedForClients(t *testing.T) {
	begun := make(chan struct{})
	b := startBackend(t, func(w http.ResponseWriter, r *http.Request) {
		if r.URL.Path == "/echo" {
			c := http.NewResponseController(w)
			c.EnableFullDuplex()
			c.Flush()
			begun <- struct{}{}
			io.Copy(w, r.Body)
			return
		}
		io.Copy(io.Discard, r.Body)
		ok(w, r)
	})
	in := start(t, block(to(b), "header_up X-Query {query.q}", "flush_interval -1"))
	for range 3 {
		conn, err := net.Dial("tcp", in.address)
		if err != nil {
			t.Fatal(err)
		}
		fmt.Fprintf(conn, "POST /broken HTTP/1.1\r\nHost: x\r\nContent-Length: 100\r\n\r\nonly this")
		in.until("request in flight", func(q queueState) bool { return q.InFlight == 1 })
		conn.Close()
		in.idle()
	}
	if r := in.get("/?q=a%0d%0ab"); r.status != 502 {
		t.Errorf("%+v", r)
	}
	for _, method := range []string{"GET", "POST"} { // it breaks off within the response
		conn, err := net.Dial("tcp", in.address)
		if err != nil {
			t.Fatal(err)
		}
		defer conn.Close()
		fmt.Fprintf(conn, "%s /echo HTTP/1.1\r\nHost: x\r\nTransfer-Encoding: chunked\r\n\r\n5\r\nhello\r\n", method)
		<-begun
		time.Sleep(50 * time.Millisecond) // until Caddy has the header; if not, the test shows less
		fmt.Fprint(conn, "zz\r\n")
		in.idle()
	}
	if q := in.idle(); q.Failed != 0 || q.Canceled != 6 || q.Backends[0].State != "healthy" {
		t.Errorf("%+v", q)
	}
}

// What runs after the response of a backend needs none of its slots: the next handler, as in forward
// auth, and another handler of this kind within handle_response.
func TestHandleResponseHoldsNoSlot(t *testing.T) {
	b := startBackend(t, ok)
	app := block(to(b), "capacity 1")
	in := start(t, "handle /next {\n"+block(to(b), "capacity 1", "method GET", "rewrite /auth",
		"@good status 2xx", "handle_response @good {\n}")+"\n"+app+"\n}\nhandle {\n"+
		block(to(b), "capacity 1", "rewrite /auth", "handle_response {\n"+app+"\n}")+"\n}")
	for _, path := range []string{"/next", "/within"} {
		ctx, cancel := context.WithTimeout(t.Context(), patience)
		defer cancel()
		if r := in.do(ctx, "GET", path, ""); r.status != 200 || r.err != nil {
			t.Errorf("%s: %+v", path, r)
		}
	}
	if q := in.idle(); q.Requests != 4 || q.Completed != 4 {
		t.Errorf("%+v", q)
	}
}

// A backend that responds with 503 at once is ejected, and does not get most of the requests.
func TestFastFailureIsEjected(t *testing.T) {
	bad := startBackend(t, func(w http.ResponseWriter, r *http.Request) { http.Error(w, "no", 503) })
	good := startBackend(t, ok)
	in := start(t, block(to(bad, good), "capacity 1"))
	for len(bad.requests()) == 0 {
		in.get("/")
	}
	q := in.idle()
	for _, b := range q.Backends {
		if fails := b.Address == bad.address; fails != (b.Failed > 0) || fails != (b.State != "healthy") {
			t.Errorf("%+v", b)
		}
	}
	if q.Completed != q.Requests {
		t.Errorf("%+v", q)
	}
}

// Backends die and come back under load. Idempotent requests all succeed; others are sent at most
// once, and each gets one response.
func TestBackendsKilled(t *testing.T) {
	work := func(w http.ResponseWriter, r *http.Request) {
		io.Copy(io.Discard, r.Body)
		time.Sleep(time.Millisecond)
		ok(w, r)
	}
	var mu sync.Mutex
	var every []*backend
	steady, victim := startBackend(t, work), startBackend(t, work)
	every = append(every, steady, victim)
	in := start(t, block(to(steady, victim), "capacity 2", "max_queue 1000"))
	stop := make(chan struct{})
	var all sync.WaitGroup
	var sent []string
	for c := range 8 {
		all.Go(func() {
			for i := 0; ; i++ {
				select {
				case <-stop:
					return
				default:
				}
				path := fmt.Sprintf("/%d/%d", c, i)
				if c%2 == 0 {
					if r := in.get(path); r.status != 200 {
						t.Errorf("GET %s: %+v", path, r)
					}
					continue
				}
				r := in.do(context.Background(), "POST", path, "payload")
				if r.status != 200 && r.status != 502 {
					t.Errorf("POST %s: %+v", path, r)
				}
				mu.Lock()
				sent = append(sent, "POST "+path)
				mu.Unlock()
			}
		})
	}
	for range 5 {
		before := in.queues()[0].Failed + in.queues()[0].Retries
		victim.server.Close() // connections break off
		in.until("failure", func(q queueState) bool { return q.Failed+q.Retries > before })
		victim = startBackend(t, work, victim.address)
		every = append(every, victim)
		in.until("response of the new backend", func(q queueState) bool { return len(victim.requests()) > 0 })
	}
	close(stop)
	all.Wait()
	times := map[string]int{}
	for _, b := range every {
		for _, line := range b.requests() {
			times[line]++
		}
		if p := b.peak.Load(); p > 2 {
			t.Errorf("%d requests at once at a backend", p)
		}
	}
	for _, line := range sent {
		if times[line] > 1 {
			t.Errorf("%s was sent %d times", line, times[line])
		}
	}
	if q := in.idle(); q.Requests != q.Completed+q.Failed+q.Canceled {
		t.Errorf("%+v", q)
	}
}

// A request with a body is sent again if the proxy has buffered the body, or nothing was read.
func TestRetryWithBody(t *testing.T) {
	breaks := func(w http.ResponseWriter, r *http.Request) {
		io.Copy(io.Discard, r.Body)
		panic(http.ErrAbortHandler)
	}
	echo := func(w http.ResponseWriter, r *http.Request) { io.Copy(w, r.Body) }
	for _, c := range []struct {
		method, buffers string
		retried         bool
	}{
		{"PUT", "", false}, {"PUT", "request_buffers 1KB", true},
		{"POST", "", false}, {"POST", "request_buffers 1KB", false},
	} {
		bad, good := startBackend(t, breaks), startBackend(t, echo)
		in := start(t, block(to(bad, good), "capacity 1", c.buffers))
		for i := 0; len(bad.requests()) == 0; i++ { // by chance the first may go to the good one
			r := in.do(context.Background(), c.method, "/", "payload")
			switch hit := len(bad.requests()) > 0; {
			case hit && !c.retried && r.status != 502,
				(!hit || c.retried) && (r.status != 200 || r.body != "payload"):
				t.Errorf("%s %s: %+v", c.method, c.buffers, r)
			}
		}
		if n := len(bad.requests()); n != 1 {
			t.Errorf("%s %s: sent %d times to the bad backend", c.method, c.buffers, n)
		}
	}
}

// Overload at twice what the backends can serve, for two seconds or, without -short, for a minute:
// every request is served or refused with 503, no backend has more than its capacity, and over the
// minute the goodput is steady. Two seconds are too short to tell that from a machine that is busy.
func TestOverload(t *testing.T) {
	length := time.Minute
	if testing.Short() {
		length = 2 * time.Second
	}
	const service, capacity, n = 20 * time.Millisecond, 2, 2
	work := func(w http.ResponseWriter, r *http.Request) {
		time.Sleep(service)
		ok(w, r)
	}
	backends := []*backend{startBackend(t, work), startBackend(t, work)}
	in := start(t, block(to(backends...), fmt.Sprint("capacity ", capacity), "max_queue 20", "max_wait 1s"))
	const parts = 4
	var mu sync.Mutex
	var good, refused [parts]int
	missed := 0
	began := time.Now()
	var all sync.WaitGroup
	// An arrival every service/(2·c·n). If the machine falls behind, arrivals are left out: thousands
	// at once would overload the processor, and not the backends.
	clients := make(chan struct{}, 100)
	ticks := time.NewTicker(service / (2 * capacity * n))
	defer ticks.Stop()
	for time.Since(began) < length {
		<-ticks.C
		select {
		case clients <- struct{}{}:
		default:
			missed++
			continue
		}
		all.Go(func() {
			defer func() { <-clients }()
			r := in.get("/")
			part := min(int(parts*time.Since(began)/length), parts-1)
			mu.Lock()
			defer mu.Unlock()
			switch {
			case r.status == 200:
				good[part]++
			case r.status == 503 && r.header.Get("Retry-After") != "":
				refused[part]++
			default:
				t.Errorf("%+v", r)
			}
		})
	}
	all.Wait()
	q := in.idle()
	t.Logf("goodput in quarters: %v, of at most %v each; refused: %v; left out: %d", good,
		int(length/parts/service)*capacity*n, refused, missed)
	least, most := slices.Min(good[:]), slices.Max(good[:])
	if !testing.Short() && least*2 < most {
		t.Errorf("the goodput is not steady: %v", good)
	}
	for _, b := range backends {
		if p := b.peak.Load(); p > capacity {
			t.Errorf("%d at once", p)
		}
	}
	if q.Full+q.TooOld == 0 || q.Requests != q.Completed+q.Full+q.TooOld {
		t.Errorf("%+v", q)
	}
}

// Health checks eject a backend before a request fails, also at a Unix socket.
func TestHealthChecks(t *testing.T) {
	var mu sync.Mutex
	ready := true
	handler := func(w http.ResponseWriter, r *http.Request) {
		mu.Lock()
		defer mu.Unlock()
		if r.URL.Path == "/ready" && !ready {
			w.WriteHeader(500)
		}
	}
	socket := t.TempDir() + "/s"
	l, err := net.Listen("unix", socket)
	if err != nil {
		t.Fatal(err)
	}
	server := &http.Server{Handler: http.HandlerFunc(handler)}
	go server.Serve(l)
	t.Cleanup(func() { server.Close() })
	in := start(t, block("to unix/"+socket, "health_uri /ready", "health_interval 20ms"))
	if r := in.get("/"); r.status != 200 {
		t.Fatalf("%+v", r)
	}
	set := func(b bool) {
		mu.Lock()
		defer mu.Unlock()
		ready = b
	}
	set(false)
	in.until("ejected backend", func(q queueState) bool { return q.Backends[0].State == "ejected" })
	set(true)
	in.until("half-open backend", func(q queueState) bool { return q.Backends[0].State == "half_open" })
	if r := in.get("/"); r.status != 200 {
		t.Fatalf("%+v", r)
	}
	in.until("healthy backend", func(q queueState) bool { return q.Backends[0].State == "healthy" })
}

// The metrics are those of dispatchprom, in Caddy's registry and by its names.
func TestMetrics(t *testing.T) {
	b := startBackend(t, ok)
	in := start(t, block(to(b), "name shop", `header_down X-Wait "{http.queue.name} {http.queue.wait_ms}"`))
	r := in.get("/")
	if !strings.HasPrefix(r.header.Get("X-Wait"), "shop ") || strings.Contains(r.header.Get("X-Wait"), "{") {
		t.Errorf("X-Wait is %q", r.header.Get("X-Wait"))
	}
	in.idle()
	text := in.api("/metrics")
	mustContain(t, text, `caddy_queue_outcomes_total{outcome="completed",queue="shop"} 1`)
	mustContain(t, text, `caddy_queue_upstream_inflight_requests{queue="shop",upstream="`+b.address+`"} 0`)
	mustContain(t, text, `caddy_queue_ejected_upstreams{queue="shop"} 0`)
}
