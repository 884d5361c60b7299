package caddyqueue

import (
	"errors"
	"fmt"
	"io"
	"net/http"
	"slices"
	"strings"
	"sync"
	"sync/atomic"
	"testing"
	"time"

	"github.com/caddyserver/caddy/v2"
	"github.com/caddyserver/caddy/v2/caddyconfig/caddyfile"
	"github.com/caddyserver/caddy/v2/modules/caddyhttp/reverseproxy"
)

// Caddy's own metric shows an ejected backend as unhealthy, and its upstreams are all there.
func TestCaddyKnowsWhatIsEjected(t *testing.T) {
	good, bad := startBackend(t, ok), "127.0.0.1:"+freePorts(t, 1)[0]
	site := block("to "+good.address+" "+bad, "name q", "health_uri /", "health_interval 10ms")
	in := start(t, site)
	in.until("ejected backend", func(q queueState) bool {
		return slices.ContainsFunc(q.Backends, func(b backendState) bool { return b.Address == bad && b.State == "ejected" })
	})
	if err := in.load(site + "\nheader X-A b"); err != nil { // the metric is set at once, and then each 10 s
		t.Fatal(err)
	}
	want := `caddy_reverse_proxy_upstreams_healthy{upstream="` + bad + `"} `
	text := in.api("/metrics")
	for deadline := time.Now().Add(patience); !strings.Contains(text, want); text = in.api("/metrics") {
		if time.Now().After(deadline) {
			t.Fatal(text)
		}
		time.Sleep(2 * time.Millisecond)
	}
	mustContain(t, text, want+"0")
	mustContain(t, text, `caddy_queue_ejected_upstreams{queue="q"} 1`)
	for _, address := range []string{good.address, bad} {
		mustContain(t, in.api("/reverse_proxy/upstreams"), `"address":"`+address+`"`)
	}
}

// Each backend has its capacity, from a block of "to" or from Caddy's max_requests, also over a
// reload.
func TestCapacityOfABackend(t *testing.T) {
	g := make(gate)
	defer close(g)
	small, large := startBackend(t, g.handler), startBackend(t, g.handler)
	site := func(c int) string {
		return block(fmt.Sprintf("to %s {\ncapacity %d\n}", large.address, c), to(small), "capacity 1", "name q")
	}
	in := start(t, site(3))
	const n = 9
	var all sync.WaitGroup
	for range n {
		all.Go(func() { in.get("/") })
	}
	in.until("full backends", func(q queueState) bool { return q.InFlight == 4 && q.Waiting == n-4 })
	if s, l := small.peak.Load(), large.peak.Load(); s > 1 || l > 3 {
		t.Errorf("%d and %d at once", s, l)
	}
	if err := in.load(site(5)); err != nil {
		t.Fatal(err)
	}
	in.until("fuller backends", func(q queueState) bool { return q.InFlight == 6 && q.Waiting == n-6 })
	for range n {
		g <- struct{}{}
	}
	all.Wait()
	config, err := adapt(":80 {\n" + site(5) + "\n}")
	if err != nil {
		t.Fatal(err)
	}
	mustContain(t, string(config), `{"dial":"`+large.address+`","max_requests":5},{"dial":"`+small.address+`"}`)
}

// Health checks have the options of reverse_proxy.
func TestHealthOptions(t *testing.T) {
	var healthy atomic.Bool
	healthy.Store(true)
	var seen atomic.Value
	b := startBackend(t, func(w http.ResponseWriter, r *http.Request) {
		if r.URL.Path != "/health" {
			return
		}
		body, _ := io.ReadAll(r.Body)
		seen.Store(fmt.Sprint(r.Method, " ", r.URL.RawQuery, " ", r.Host, " ", r.Header.Get("X-A"), " ", string(body)))
		w.WriteHeader(299)
		if healthy.Load() {
			io.WriteString(w, "all is well")
		} else {
			io.WriteString(w, "all is ill")
		}
	})
	in := start(t, block(to(b), "health_uri /health?full", "health_interval 5ms", "health_timeout 10s", "health_status 299",
		"health_body we[l]+", "health_method POST", "health_request_body {\"a\":1}", "health_passes 2", "health_fails 3",
		"health_headers {\nHost example.com\nX-A b\n}"))
	want := `POST full example.com b {"a":1}`
	for deadline := time.Now().Add(patience); seen.Load() != want; time.Sleep(time.Millisecond) {
		if time.Now().After(deadline) {
			t.Fatalf("the check is %v, want %s", seen.Load(), want)
		}
	}
	if r := in.get("/"); r.status != 200 {
		t.Errorf("%+v", r)
	}
	healthy.Store(false)
	in.until("ejected backend", func(q queueState) bool { return q.Backends[0].State == "ejected" })
	healthy.Store(true)
	in.until("half-open backend", func(q queueState) bool { return q.Backends[0].State == "half_open" })
}

// found is what the source of backends for tests has found.
var found struct {
	sync.Mutex
	all []string
	err error
}

type source struct{}

func (source) CaddyModule() caddy.ModuleInfo {
	return caddy.ModuleInfo{ID: "http.reverse_proxy.upstreams.found", New: func() caddy.Module { return new(source) }}
}

func (*source) UnmarshalCaddyfile(d *caddyfile.Dispenser) error {
	d.Next()
	return nil
}

func (source) GetUpstreams(r *http.Request) (all []*reverseproxy.Upstream, err error) {
	_ = r.Context().Value(caddy.ReplacerCtxKey).(*caddy.Replacer) // as the sources of Caddy do
	found.Lock()
	defer found.Unlock()
	for _, dial := range found.all {
		all = append(all, &reverseproxy.Upstream{Dial: dial})
	}
	return all, found.err
}

func init() { caddy.RegisterModule(source{}) }

// The backends are those that a source finds, and stay as they are while it fails.
func TestDynamic(t *testing.T) {
	g := make(gate)
	a, b, fallback := startBackend(t, g.handler), startBackend(t, ok), startBackend(t, ok)
	set := func(err error, all ...*backend) {
		found.Lock()
		defer found.Unlock()
		found.all, found.err = nil, err
		for _, b := range all {
			found.all = append(found.all, b.address)
		}
	}
	set(errors.New("there is no name server"))
	in := start(t, block("dynamic found", "name q"))
	answer := make(chan reply)
	go func() { answer <- in.get("/waits") }()
	in.waiting(1)
	set(nil, a)
	in.until("request at a", func(q queueState) bool { return q.InFlight == 1 })
	set(nil, b)
	in.until("removed backend", func(q queueState) bool {
		return len(q.Backends) == 2 && q.Backends[0].State == "removed" && q.Backends[1].Address == b.address
	})
	g <- struct{}{}
	if r := <-answer; r.body != "/waits" {
		t.Errorf("%+v", r)
	}
	set(errors.New("there is no name server"))
	if err := in.load(block("dynamic found", "name q", "capacity 7")); err != nil {
		t.Fatal(err)
	}
	if r := in.get("/x"); r.body != "/x" || len(b.requests()) != 1 {
		t.Errorf("%+v, %q", r, b.requests())
	}
	set(nil)
	if err := in.load(block("dynamic found", to(fallback), "name q")); err != nil {
		t.Fatal(err)
	}
	in.until("fallback", func(q queueState) bool { return len(q.Backends) == 1 && q.Backends[0].Address == fallback.address })
	if r := in.get("/y"); r.body != "/y" || len(fallback.requests()) != 1 {
		t.Errorf("%+v, %q", r, fallback.requests())
	}
}

// A dynamic line of Caddy is read.
func TestDynamicConfig(t *testing.T) {
	for _, line := range []string{"dynamic a localhost 9001", "dynamic srv _http._tcp.localhost {\nrefresh 5s\n}"} {
		config, err := adapt(":80 {\nqueue {\n" + line + "\n}\n}")
		if err != nil {
			t.Fatal(err)
		}
		validate(t, config, "")
	}
}
