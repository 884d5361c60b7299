package caddyqueue

import (
	"crypto/tls"
	"fmt"
	"io"
	"net/http"
	"sync"
	"testing"
	"time"

	"github.com/caddyserver/caddy/v2"
	"github.com/quic-go/quic-go/http3"
)

// Over TLS, by HTTP/1.1, HTTP/2 and HTTP/3, requests share one queue, and never more than the
// capacity are at the backend.
func TestSecureProtocols(t *testing.T) {
	b := startBackend(t, ok)
	in, address, trusting := startSecure(t, block(to(b), "capacity 2"))
	one, two := new(http.Protocols), new(http.Protocols)
	one.SetHTTP1(true)
	two.SetHTTP2(true)
	three := &http3.Transport{TLSClientConfig: trusting.Clone()}
	defer three.Close()
	var wg sync.WaitGroup
	for proto, transport := range map[string]http.RoundTripper{
		"HTTP/1.1": &http.Transport{TLSClientConfig: trusting.Clone(), Protocols: one},
		"HTTP/2.0": &http.Transport{TLSClientConfig: trusting.Clone(), Protocols: two},
		"HTTP/3.0": three,
	} {
		for i := range 10 {
			wg.Go(func() {
				path := fmt.Sprintf("/%s/%d", proto, i)
				res, err := transport.RoundTrip(newRequest(t, "https://"+address+path))
				if err != nil {
					t.Errorf("%s: %v", proto, err)
					return
				}
				defer res.Body.Close()
				body, err := io.ReadAll(res.Body)
				if err != nil || res.Proto != proto || res.StatusCode != http.StatusOK || string(body) != path {
					t.Errorf("%s: %s, %s, %q, %v", proto, res.Proto, res.Status, body, err)
				}
			})
		}
	}
	wg.Wait()
	if q := in.idle(); q.Completed != 30 || q.Failed != 0 || b.peak.Load() > 2 {
		t.Errorf("%+v; %d were at the backend at once", q, b.peak.Load())
	}
}

// A WebSocket by HTTP/3 holds its slot until it is closed, as one by HTTP/1.1 does.
func TestWebSocketByHTTP3(t *testing.T) {
	b := startBackend(t, echoing)
	in, address, trusting := startSecure(t, block(to(b), "capacity 1"))
	three := &http3.Transport{TLSClientConfig: trusting}
	defer three.Close()
	client, body := io.Pipe()
	req := newRequest(t, "https://"+address+"/ws")
	req.Method, req.Proto, req.Body = http.MethodConnect, "websocket", client
	req.Header.Set("Sec-WebSocket-Version", "13")
	go io.WriteString(body, "ping")
	res, err := three.RoundTrip(req)
	if err != nil || res.StatusCode != http.StatusOK {
		t.Fatal(res, err)
	}
	got := make([]byte, 4)
	if _, err := io.ReadFull(res.Body, got); err != nil || string(got) != "ping" {
		t.Fatalf("%q, %v", got, err)
	}
	if q := in.queues()[0]; q.InFlight != 1 {
		t.Errorf("%+v", q)
	}
	other := make(chan error, 1)
	go func() {
		res, err := three.RoundTrip(newRequest(t, "https://"+address+"/other"))
		if err == nil {
			res.Body.Close()
		}
		other <- err
	}()
	in.waiting(1)
	body.Close()
	res.Body.Close()
	if err := <-other; err != nil {
		t.Error(err)
	}
	if q := in.idle(); q.Completed+q.Canceled != 2 || q.Failed != 0 {
		t.Errorf("%+v", q)
	}
}

// startSecure starts Caddy with a site over TLS, and returns its address and what trusts it.
func startSecure(t *testing.T, site string) (in *instance, address string, trusting *tls.Config) {
	t.Helper()
	ports := freePorts(t, 2)
	in = &instance{t: t, admin: "127.0.0.1:" + ports[1]}
	config, err := adapt(fmt.Sprintf(`{
	admin %s
	auto_https disable_redirects
	skip_install_trust
	persist_config off
	grace_period 30s
	log {
		output discard
	}
}

https://localhost:%s {
	bind 127.0.0.1
	tls internal
	%s
}
`, in.admin, ports[0], site))
	if err != nil {
		t.Fatal(err)
	}
	if err := caddy.Load(config, true); err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() {
		if err := caddy.Stop(); err != nil {
			t.Error(err)
		}
	})
	trusting = &tls.Config{InsecureSkipVerify: true, ServerName: "localhost"}  // its authority is that of the test
	for end := time.Now().Add(patience); ; time.Sleep(10 * time.Millisecond) { // the certificate is issued beside
		conn, err := tls.Dial("tcp", "127.0.0.1:"+ports[0], trusting)
		if err == nil {
			conn.Close()
			break
		} else if time.Now().After(end) {
			t.Fatal(err)
		}
	}
	return in, "127.0.0.1:" + ports[0], trusting
}

func newRequest(t *testing.T, url string) *http.Request {
	req, err := http.NewRequest(http.MethodGet, url, nil)
	if err != nil {
		t.Fatal(err)
	}
	req.Host = "localhost"
	return req
}
