package caddyqueue

import (
	"bytes"
	"context"
	"encoding/json"
	"fmt"
	"io"
	"net"
	"net/http"
	"os"
	"strings"
	"sync"
	"sync/atomic"
	"testing"
	"time"

	"github.com/caddyserver/caddy/v2"
	"github.com/caddyserver/caddy/v2/caddyconfig"
	_ "github.com/caddyserver/caddy/v2/modules/metrics" // the metrics of the admin API
)

// The tests run the real Caddy in this process, of which there can be one, before real servers; so
// they do not run in parallel. Waits are for a state that the admin API shows, and not for a time.

// patience is how long a state may take to be reached before a test fails.
const patience = time.Minute

// instance is the running Caddy.
type instance struct {
	t              *testing.T
	address, admin string
	client         *http.Client
}

// start starts Caddy with a site that has the given directives, and stops it at the end of the
// test.
func start(t *testing.T, site string) *instance {
	t.Helper()
	ports := freePorts(t, 2)
	in := &instance{t: t, address: "127.0.0.1:" + ports[0], admin: "127.0.0.1:" + ports[1]}
	in.client = &http.Client{Transport: &http.Transport{MaxIdleConnsPerHost: 1000}}
	if err := in.load(site); err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() {
		in.client.CloseIdleConnections()
		if err := caddy.Stop(); err != nil {
			t.Error(err)
		}
	})
	return in
}

// config returns a Caddyfile with a site.
func (in *instance) config(site string) string {
	host, port, _ := net.SplitHostPort(in.address)
	return fmt.Sprintf(`{
	admin %s
	auto_https off
	persist_config off
	grace_period 30s
	log {
		output discard
	}
	servers {
		protocols h1 h2c
	}
}

http://:%s {
	bind %s
%s
}
`, in.admin, port, host, site)
}

// load loads a configuration, as caddy reload does.
func (in *instance) load(site string) error {
	config, err := adapt(in.config(site))
	if err != nil {
		return err
	}
	return caddy.Load(config, true)
}

func adapt(caddyfile string) ([]byte, error) {
	// It warns that the Caddyfile is not formatted.
	config, _, err := caddyconfig.GetAdapter("caddyfile").Adapt([]byte(caddyfile), nil)
	return config, err
}

// queues returns what the admin API shows.
func (in *instance) queues() []queueState {
	in.t.Helper()
	var all []queueState
	if err := json.Unmarshal([]byte(in.api("/queues")), &all); err != nil {
		in.t.Fatal(err)
	}
	return all
}

func (in *instance) api(path string) string {
	in.t.Helper()
	res, err := http.Get("http://" + in.admin + path)
	if err != nil {
		in.t.Fatal(err)
	}
	defer res.Body.Close()
	body, err := io.ReadAll(res.Body)
	if err != nil || res.StatusCode != 200 {
		in.t.Fatal(res.Status, string(body), err)
	}
	return string(body)
}

// until waits until the only queue is in a state.
func (in *instance) until(what string, reached func(queueState) bool) queueState {
	in.t.Helper()
	deadline := time.Now().Add(patience)
	for {
		all := in.queues()
		if len(all) == 1 && reached(all[0]) {
			return all[0]
		}
		if time.Now().After(deadline) {
			in.t.Fatalf("no %s: %+v", what, all)
		}
		time.Sleep(2 * time.Millisecond)
	}
}

// idle waits until no request waits or is in flight.
func (in *instance) idle() queueState {
	in.t.Helper()
	return in.until("idle queue", func(q queueState) bool { return q.Waiting+q.InFlight == 0 })
}

// waiting waits until n requests wait.
func (in *instance) waiting(n int) {
	in.t.Helper()
	in.until(fmt.Sprint(n, " waiting requests"), func(q queueState) bool { return q.Waiting == n })
}

// A reply is a response that was read, or an error.
type reply struct {
	status int
	header http.Header
	body   string
	err    error
}

// get sends a request, again if the connection breaks: Caddy may reset one that it has not accepted
// when a reload changes its sockets.
func (in *instance) get(path string) (r reply) {
	for range 10 {
		if r = in.do(context.Background(), http.MethodGet, path, ""); r.err == nil {
			break
		}
	}
	return r
}

func (in *instance) do(ctx context.Context, method, path, body string, header ...string) reply {
	req, err := http.NewRequestWithContext(ctx, method, "http://"+in.address+path, strings.NewReader(body))
	if err != nil {
		return reply{err: err}
	}
	for i := 0; i < len(header); i += 2 {
		req.Header.Set(header[i], header[i+1])
	}
	res, err := in.client.Do(req)
	if err != nil {
		return reply{err: err}
	}
	defer res.Body.Close()
	b, err := io.ReadAll(res.Body)
	return reply{res.StatusCode, res.Header, string(b), err}
}

// A backend is a real server that notes what it has at once and what it was sent.
type backend struct {
	address string
	server  *http.Server

	now, peak atomic.Int32
	mu        sync.Mutex
	seen      []string // method and path, in order of arrival
}

// startBackend starts a backend, on a free port or at an address that it has had before.
func startBackend(t *testing.T, handler http.HandlerFunc, address ...string) *backend {
	t.Helper()
	at := "127.0.0.1:0"
	if len(address) > 0 {
		at = address[0]
	}
	l, err := net.Listen("tcp", at)
	if err != nil {
		t.Fatal(err)
	}
	b := &backend{address: l.Addr().String()}
	b.server = &http.Server{Protocols: new(http.Protocols)}
	b.server.Protocols.SetHTTP1(true)
	b.server.Protocols.SetUnencryptedHTTP2(true)
	b.server.Handler = http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		n := b.now.Add(1)
		defer b.now.Add(-1)
		for p := b.peak.Load(); n > p && !b.peak.CompareAndSwap(p, n); p = b.peak.Load() {
		}
		b.mu.Lock()
		b.seen = append(b.seen, r.Method+" "+r.URL.Path)
		b.mu.Unlock()
		handler(w, r)
	})
	go b.server.Serve(l)
	t.Cleanup(func() { b.server.Close() })
	return b
}

func (b *backend) requests() []string {
	b.mu.Lock()
	defer b.mu.Unlock()
	return append([]string(nil), b.seen...)
}

// ok responds with the path.
func ok(w http.ResponseWriter, r *http.Request) { io.WriteString(w, r.URL.Path) }

// A gate lets requests through one by one.
type gate chan struct{}

func (g gate) handler(w http.ResponseWriter, r *http.Request) {
	select {
	case <-g:
		ok(w, r)
	case <-r.Context().Done():
	}
}

func to(backends ...*backend) string {
	var all []string
	for _, b := range backends {
		all = append(all, b.address)
	}
	return "to " + strings.Join(all, " ")
}

func block(lines ...string) string { return "queue {\n" + strings.Join(lines, "\n") + "\n}" }

// freePorts returns different ports. Caddy listens so that two of its listeners can share one.
func freePorts(t *testing.T, n int) (ports []string) {
	t.Helper()
	for range n {
		l, err := net.Listen("tcp", "127.0.0.1:0")
		if err != nil {
			t.Fatal(err)
		}
		defer l.Close()
		_, port, _ := net.SplitHostPort(l.Addr().String())
		ports = append(ports, port)
	}
	return ports
}

// Caddy keeps files in its directory of data, which must not be that of a user.
func TestMain(m *testing.M) {
	dir, err := os.MkdirTemp("", "queue")
	if err != nil {
		panic(err)
	}
	os.Setenv("XDG_DATA_HOME", dir)
	status := m.Run()
	os.RemoveAll(dir)
	os.Exit(status)
}

func count(lines []string, line string) (n int) {
	for _, l := range lines {
		if l == line {
			n++
		}
	}
	return n
}

func mustContain(t *testing.T, text, part string) {
	t.Helper()
	if !bytes.Contains([]byte(text), []byte(part)) {
		t.Errorf("there is no %q in\n%s", part, text)
	}
}
