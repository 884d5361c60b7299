package proxies

import (
	"net/http"
	"net/http/httputil"
	"net/url"
	"os"
	"strings"
	"sync/atomic"
	"testing"
	"time"
)

// The test itself is the proxy if it is started as one: its configuration is the address to listen
// on and those of the backends.
func TestMain(m *testing.M) {
	if len(os.Args) == 6 && os.Args[1] == "run" {
		text, err := os.ReadFile(os.Args[5])
		if err != nil {
			panic(err)
		}
		words := strings.Fields(string(text))
		var next atomic.Int64
		proxy := &httputil.ReverseProxy{Rewrite: func(r *httputil.ProxyRequest) {
			r.SetURL(&url.URL{Scheme: "http", Host: words[1+int(next.Add(1))%(len(words)-1)]})
		}}
		panic(http.ListenAndServe(words[0], proxy))
	}
	os.Exit(m.Run())
}

func TestMeasure(t *testing.T) {
	p := Proxy{Name: "test", program: "caddy", config: func(listen string, backends []string, _ string) string {
		return listen + " " + strings.Join(backends, " ")
	}}
	plan := &Plan{Backends: 3, Service: time.Millisecond, Requests: 200, Seed: 1}
	for _, slow := range []bool{false, true} {
		r, err := plan.latency(t.Context(), p, os.Args[0], slow, 0.5)
		if err != nil || r.Failed != 0 || !(r.P50 > 0 && r.P50 <= r.P99 && r.P99 <= r.P999) {
			t.Errorf("%+v, %v", r, err)
		}
		// The work of a request is at least 5 ms in one of a hundred: that is log 100 mean services,
		// nearly.
		if r.P999 < 4 {
			t.Errorf("the slowest took %v ms, less than its work", r.P999)
		}
	}
	if _, err := os.Stat("/proc/self/stat"); err == nil {
		cost, err := plan.cost(t.Context(), p, os.Args[0], 2000)
		if err != nil || !(cost >= 0 && cost < 1e6) {
			t.Errorf("%v µs, %v", cost, err)
		}
	}
	temporary := t.TempDir()
	t.Setenv("TMPDIR", temporary)
	if _, err := p.start(t.Context(), "/nothing", nil); err == nil {
		t.Error("a program that does not exist was started")
	}
	if left, err := os.ReadDir(temporary); len(left) > 0 || err != nil {
		t.Errorf("a proxy that was not started left %v, %v", left, err)
	}
}

// Every configuration names all backends, and where to listen.
func TestConfigurations(t *testing.T) {
	for _, p := range All() {
		text := p.config("127.0.0.1:1234", []string{"127.0.0.1:1", "127.0.0.1:2"}, "/dir")
		for _, part := range []string{"1234", "127.0.0.1:1", "127.0.0.1:2"} {
			if !strings.Contains(text, part) {
				t.Errorf("%s: there is no %s in\n%s", p.Name, part, text)
			}
		}
	}
}
