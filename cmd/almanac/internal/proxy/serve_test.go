package proxy

import (
	"context"
	"errors"
	"io"
	"net"
	"net/http"
	"os"
	"path/filepath"
	"strings"
	"syscall"
	"testing"
	"time"

	"github.com/almanac-sim/almanac/capped/cappedhttp"
)

// Backends come and go, requests at one that goes come to their end; what is wrong, or cannot change, changes nothing.
func TestReload(t *testing.T) {
	hold := make(chan bool)
	named := func(name string) string {
		return newBackend(t, func(w http.ResponseWriter, r *http.Request) {
			if r.URL.Path == "/held" {
				<-hold
			}
			io.WriteString(w, name)
		}).URL
	}
	a, b := named("a"), named("b")
	c := testConfig(a)
	c.MaxBody = 10
	f := start(t, c)
	client := newClient(t)
	held := make(chan string)
	go func() {
		_, text := fetch(t, client, request(t, "GET", f.URL()+"/held", nil))
		held <- text
	}()
	eventually(t, "it is there", func() bool { return f.Stats().Transport.InFlight == 1 })
	c2 := c
	c2.Backends, c2.MaxBody = []string{b}, 20
	if err := f.Reload(c2); err != nil {
		t.Fatal(err)
	}
	if status, text := fetch(t, client, request(t, "POST", f.URL(), strings.NewReader("fifteen bytes..."))); status != 200 || text != "b" {
		t.Error(status, text)
	}
	if s := f.Stats().Transport; len(s.Backends) != 2 || !s.Backends[0].Removed {
		t.Errorf("%+v", s.Backends)
	}
	close(hold)
	if text := <-held; text != "a" {
		t.Error(text)
	}
	eventually(t, "it is gone", func() bool { return len(f.Stats().Transport.Backends) == 1 })
	for _, change := range []struct {
		of   func(*Config)
		want string
	}{
		{func(c *Config) { c.Capacity = 5 }, "--capacity: cannot be changed while the proxy runs"},
		{func(c *Config) { c.Listen = "127.0.0.1:1" }, "--listen: cannot be changed"},
		{func(c *Config) { c.Room, c.KeepAlive = 5, time.Second }, "--keep-alive: cannot be changed while the proxy runs, nor can room;"},
		{func(c *Config) { c.Cert, c.Key = "a", "b" }, "--cert: cannot be changed"},
		{func(c *Config) { c.Backends = nil }, "--backend: name at least one"},
		{func(c *Config) { c.Backends = []string{a, "http://x:y:z"} }, "--backend: "},
	} {
		wrong := c
		change.of(&wrong)
		if err := f.Reload(wrong); err == nil || !strings.Contains(err.Error(), change.want) {
			t.Errorf("%v, want %s", err, change.want)
		}
		if _, text := fetch(t, client, request(t, "GET", f.URL(), nil)); text != "b" {
			t.Error(text)
		}
	}
}

// A certificate is read again; one that is not one leaves the old one in use.
func TestReloadCertificate(t *testing.T) {
	cert, key := certificate(t, "one")
	c := testConfig(newBackend(t, echo).URL)
	c.Cert, c.Key = cert, key
	f := start(t, c)
	name := func() string {
		client := clientOf(t, cert)
		res, err := client.Get(f.URL())
		if err != nil {
			t.Fatal(err)
		}
		res.Body.Close()
		client.CloseIdleConnections()
		return res.TLS.PeerCertificates[0].Subject.CommonName
	}
	if got := name(); got != "one" {
		t.Error(got)
	}
	cert2, key2 := certificate(t, "two")
	for from, to := range map[string]string{cert2: cert, key2: key} {
		text, err := os.ReadFile(from)
		if err != nil {
			t.Fatal(err)
		}
		if err := os.WriteFile(to, text, 0o600); err != nil {
			t.Fatal(err)
		}
	}
	if err := f.Reload(c); err != nil {
		t.Fatal(err)
	}
	if got := name(); got != "two" {
		t.Error(got)
	}
	if err := os.WriteFile(key, []byte("nothing"), 0o600); err != nil {
		t.Fatal(err)
	}
	if err := f.Reload(c); err == nil || !strings.Contains(err.Error(), "--cert: ") {
		t.Error(err)
	}
	if got := name(); got != "two" {
		t.Error(got)
	}
}

// Told to end, it finishes what it has and takes no more; what takes longer than --drain is cut off, and said.
func TestShutdown(t *testing.T) {
	hold := make(chan bool)
	backend := newBackend(t, func(w http.ResponseWriter, r *http.Request) {
		select {
		case <-hold:
		case <-r.Context().Done():
		}
		io.WriteString(w, "done")
	})
	for _, long := range []bool{false, true} {
		c := testConfig(backend.URL)
		if long {
			c.Drain = 50 * time.Millisecond
		}
		s, err := Start(c, quietLogger())
		if err != nil {
			t.Fatal(err)
		}
		client := newClient(t)
		answer := make(chan string)
		go func() {
			res, err := client.Get(s.URL())
			if err != nil {
				answer <- "cut off"
				return
			}
			text, _ := io.ReadAll(res.Body)
			res.Body.Close()
			answer <- string(text)
		}()
		eventually(t, "it is there", func() bool { return s.Stats().Transport.InFlight == 1 })
		ended := make(chan error, 1)
		go func() { ended <- s.Shutdown(context.Background()) }()
		eventually(t, "nobody is let in", func() bool {
			// A connection alone: a request let in just before the listener closed would be cut off, too, and counted.
			conn, err := net.Dial("tcp", s.Addr())
			if err == nil {
				conn.Close()
			}
			return errors.Is(err, syscall.ECONNREFUSED)
		})
		want := "done"
		if long {
			want = "cut off"
		} else {
			hold <- true
		}
		if got := <-answer; got != want && !(long && strings.Contains(got, "Service Unavailable")) {
			t.Errorf("%q, want %q", got, want)
		}
		if err := <-ended; (err != nil) != long || long && !strings.Contains(err.Error(), "requests that had not come to their end within 50ms were cut off: 1") {
			t.Error(err)
		}
		if st := s.Stats(); st.Transport.InFlight != 0 {
			t.Errorf("%+v", st)
		}
	}
}

// The limit turns away with 429, orders by births that are believed, and is not held by slow readers (for which see TestSlowClientsHoldNoBackend).
func TestLimit(t *testing.T) {
	pass, order := make(chan bool), make(chan string, 10)
	backend := newBackend(t, func(w http.ResponseWriter, r *http.Request) {
		order <- r.URL.Path + r.Header.Get("Request-Birth")
		<-pass
		echo(w, r)
	})
	c := testConfig(backend.URL)
	c.Capacity, c.Limit, c.LimitRoom, c.Trust = 5, 1, 2, []string{"127.0.0.0/8"}
	f := start(t, c)
	client := newClient(t)
	answers := make(chan int, 10)
	ask := func(path string, birth time.Time) {
		go func() {
			status, _ := fetch(t, client, request(t, "GET", f.URL()+path, nil, "Request-Birth", cappedhttp.FormatBirth(birth)))
			answers <- status
		}()
	}
	now := time.Now()
	ask("/first", now)
	if got := <-order; got != "/first" {
		t.Error(got)
	}
	ask("/young", now)
	eventually(t, "it waits", func() bool { return f.Stats().Limit.Waiting == 1 })
	ask("/old", now.Add(-10*time.Second))
	eventually(t, "it waits", func() bool { return f.Stats().Limit.Waiting == 2 })
	res, err := client.Get(f.URL() + "/many")
	if err != nil {
		t.Fatal(err)
	}
	text, _ := io.ReadAll(res.Body)
	res.Body.Close()
	if res.StatusCode != 429 || res.Header.Get("Retry-After") == "" || !strings.Contains(string(text), "too many requests") || f.Stats().Refused != 1 {
		t.Error(res.Status, res.Header, string(text))
	}
	for _, want := range []string{"/old", "/young"} {
		pass <- true
		if got := <-order; got != want {
			t.Errorf("%s, want %s", got, want)
		}
	}
	pass <- true
	for range 3 {
		if status := <-answers; status != 200 {
			t.Error(status)
		}
	}
	// A client that leaves is no longer behind the limit.
	ctx, cancel := context.WithCancel(t.Context())
	go client.Do(request(t, "GET", f.URL()+"/left", nil).WithContext(ctx))
	<-order
	cancel()
	eventually(t, "it has left", func() bool { return f.Stats().Limit.InFlight == 0 && f.Stats().Active == 0 })
	pass <- true
}

// A port that is in use is not a setting that is wrong.
func TestPortInUse(t *testing.T) {
	f := start(t, testConfig("http://127.0.0.1:1"))
	for _, change := range []func(*Config){func(c *Config) { c.Listen = f.Addr() }, func(c *Config) { c.Admin = f.Addr() }} {
		c := testConfig("http://127.0.0.1:1")
		change(&c)
		_, err := Start(c, quietLogger())
		if _, wrong := errors.AsType[Problem](err); wrong || !errors.Is(err, syscall.EADDRINUSE) {
			t.Error(err)
		}
	}
	for _, change := range []func(*Config){
		func(c *Config) { c.Cert, c.Key = "/nowhere", "/nowhere" }, func(c *Config) { c.BackendCA = "/nowhere" }, func(c *Config) { c.AdminToken = "/nowhere" },
		func(c *Config) { c.BackendCA = filepath.Join("serve_test.go") }, func(c *Config) { c.AdminToken = "serve_test.go" },
	} {
		c := testConfig("http://127.0.0.1:1")
		change(&c)
		if _, err := Start(c, quietLogger()); !isProblem(err) {
			t.Error(err)
		}
	}
}

func isProblem(err error) bool {
	_, wrong := errors.AsType[Problem](err)
	return wrong
}

// Connections above the bound wait until one ends.
func TestConnectionsAreBounded(t *testing.T) {
	c := testConfig(newBackend(t, echo).URL)
	c.MaxConnections = 1
	f := start(t, c)
	one, two := f.dial(t), f.dial(t)
	one.say("GET /one HTTP/1.1\r\nHost: h\r\n\r\n")
	if status, _ := one.hear(); status != 200 {
		t.Error(status)
	}
	two.say("GET /two HTTP/1.1\r\nHost: h\r\n\r\n")
	one.say("GET /one HTTP/1.1\r\nHost: h\r\n\r\n")
	if status, _ := one.hear(); status != 200 || f.Stats().Connections != 1 || f.Stats().Transport.Requests != 2 {
		t.Error(status, f.Stats())
	}
	one.Close()
	if status, _ := two.hear(); status != 200 {
		t.Error(status)
	}
}
