package proxy

import (
	"bytes"
	"context"
	"crypto/ecdsa"
	"crypto/elliptic"
	"crypto/rand"
	"crypto/tls"
	"crypto/x509"
	"crypto/x509/pkix"
	"encoding/pem"
	"fmt"
	"io"
	"math/big"
	"net"
	"net/http"
	"net/http/httptest"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"
)

// certificate writes one for this machine, with its key, signed by itself.
func certificate(t *testing.T, name string) (cert, key string) {
	t.Helper()
	private, err := ecdsa.GenerateKey(elliptic.P256(), rand.Reader)
	if err != nil {
		t.Fatal(err)
	}
	template := &x509.Certificate{
		SerialNumber: big.NewInt(1), Subject: pkix.Name{CommonName: name}, NotBefore: time.Now().Add(-time.Hour), NotAfter: time.Now().Add(time.Hour),
		IPAddresses: []net.IP{net.IPv4(127, 0, 0, 1)}, IsCA: true, BasicConstraintsValid: true,
	}
	der, err := x509.CreateCertificate(rand.Reader, template, template, &private.PublicKey, private)
	if err != nil {
		t.Fatal(err)
	}
	secret, err := x509.MarshalPKCS8PrivateKey(private)
	if err != nil {
		t.Fatal(err)
	}
	dir := t.TempDir()
	cert, key = filepath.Join(dir, "cert.pem"), filepath.Join(dir, "key.pem")
	for file, block := range map[string]*pem.Block{cert: {Type: "CERTIFICATE", Bytes: der}, key: {Type: "PRIVATE KEY", Bytes: secret}} {
		if err := os.WriteFile(file, pem.EncodeToMemory(block), 0o600); err != nil {
			t.Fatal(err)
		}
	}
	return cert, key
}

// clientOf trusts a certificate.
func clientOf(t *testing.T, cert string) *http.Client {
	t.Helper()
	text, err := os.ReadFile(cert)
	if err != nil {
		t.Fatal(err)
	}
	roots := x509.NewCertPool()
	roots.AppendCertsFromPEM(text)
	tr := &http.Transport{ForceAttemptHTTP2: true, TLSClientConfig: &tls.Config{RootCAs: roots}}
	t.Cleanup(tr.CloseIdleConnections)
	return &http.Client{Transport: tr}
}

// Every protocol of clients goes with every protocol of backends.
func TestProtocols(t *testing.T) {
	cert, key := certificate(t, "proxy")
	lengths := map[string]string{"/none": "0", "/short": "500", "/long": "5000000"}
	echo := func(w http.ResponseWriter, r *http.Request) {
		if r.Method == "HEAD" {
			w.Header().Set("Content-Length", lengths[r.URL.Path])
			return
		}
		echo(w, r)
	}
	plain := newBackend(t, echo)
	h2c := httptest.NewUnstartedServer(http.HandlerFunc(echo))
	h2c.Config.Protocols = new(http.Protocols)
	h2c.Config.Protocols.SetUnencryptedHTTP2(true)
	h2c.Start()
	t.Cleanup(h2c.Close)
	secure := httptest.NewUnstartedServer(http.HandlerFunc(echo))
	secure.EnableHTTP2 = true
	secure.StartTLS()
	t.Cleanup(secure.Close)
	ca := filepath.Join(t.TempDir(), "ca.pem")
	if err := os.WriteFile(ca, pem.EncodeToMemory(&pem.Block{Type: "CERTIFICATE", Bytes: secure.Certificate().Raw}), 0o600); err != nil {
		t.Fatal(err)
	}
	for _, back := range []struct{ name, url, proto string }{
		{"HTTP/1.1", plain.URL, "HTTP/1.1"}, {"h2c", h2c.URL, "HTTP/2.0"}, {"https", secure.URL, "HTTP/2.0"},
	} {
		for _, encrypted := range []bool{false, true} {
			c := testConfig(back.url)
			c.BackendH2C = back.name == "h2c"
			if back.name == "https" {
				c.BackendCA = ca
			}
			if encrypted {
				c.Cert, c.Key = cert, key
			}
			f := start(t, c)
			clients := map[string]*http.Client{
				"HTTP/1.1": newClient(t, func(p *http.Protocols) { p.SetHTTP1(true) }),
				"HTTP/2.0": newClient(t, func(p *http.Protocols) { p.SetUnencryptedHTTP2(true) }),
			}
			if encrypted {
				clients = map[string]*http.Client{"HTTP/2.0": clientOf(t, cert)}
			}
			for proto, client := range clients {
				for _, size := range []int{0, 10, 100_000, 3_000_000} { // the last is larger than what is buffered
					body := strings.Repeat("x", size)
					res, err := client.Do(request(t, "POST", f.URL()+"/path?query", io.MultiReader(strings.NewReader(body))))
					if err != nil {
						t.Fatal(back.name, proto, size, err)
					}
					text, err := io.ReadAll(res.Body)
					res.Body.Close()
					if err != nil || string(text) != "POST /path?query "+body || res.Proto != proto || res.Header.Get("X-Proto") != back.proto {
						t.Errorf("%s to %s, %d bytes: %s, %s, %d bytes, %v", proto, back.name, size, res.Proto, res.Header.Get("X-Proto"), len(text), err)
					}
				}
				for path, length := range map[string]int64{"/none": 0, "/short": 500, "/long": 5e6} {
					res, err := client.Do(request(t, "HEAD", f.URL()+path, nil))
					if err != nil {
						t.Fatal(err)
					}
					if text, err := io.ReadAll(res.Body); res.StatusCode != 200 || res.ContentLength != length || len(text) > 0 || err != nil {
						t.Errorf("HEAD %s, %s to %s: %s, length %d, %v", path, proto, back.name, res.Status, res.ContentLength, err)
					}
					res.Body.Close()
				}
				eventually(t, "no slot is held", func() bool { return f.Stats().Transport.InFlight == 0 })
			}
		}
	}
}

// What is made into a WebSocket passes in both directions, holds its slot while it is open, and is waited for when the proxy ends.
func TestWebSocketPasses(t *testing.T) {
	backend := newBackend(t, func(w http.ResponseWriter, r *http.Request) {
		if r.Header.Get("Upgrade") != "websocket" || r.Header.Get("Sec-WebSocket-Key") != "key" {
			t.Errorf("%v", r.Header)
		}
		conn, rw, err := http.NewResponseController(w).Hijack()
		if err != nil {
			t.Error(err)
			return
		}
		defer conn.Close()
		fmt.Fprint(conn, "HTTP/1.1 101 Switching Protocols\r\nConnection: Upgrade\r\nUpgrade: websocket\r\nSec-WebSocket-Accept: yes\r\n\r\n")
		for {
			line, err := rw.ReadString('\n')
			if err != nil {
				return
			}
			fmt.Fprint(conn, strings.ToUpper(line))
		}
	})
	for _, limit := range []int{0, 3} {
		c := testConfig(backend.URL)
		c.Limit = limit
		f := start(t, c)
		conn := f.dial(t)
		conn.say("GET /chat HTTP/1.1\r\nHost: h\r\nConnection: keep-alive, Upgrade\r\nUpgrade: websocket\r\nSec-WebSocket-Key: key\r\n\r\n")
		res, err := http.ReadResponse(conn.Reader, nil)
		if err != nil || res.StatusCode != 101 || res.Header.Get("Sec-WebSocket-Accept") != "yes" {
			t.Fatal(res, err)
		}
		for _, word := range []string{"one\n", "two\n"} {
			conn.say(word)
			if line, err := conn.ReadString('\n'); line != strings.ToUpper(word) {
				t.Fatal(line, err)
			}
		}
		if s := f.Stats(); s.Upgraded != 1 || s.Transport.InFlight != 1 || s.Active != 1 || s.Limit != nil && s.Limit.InFlight != 1 {
			t.Errorf("%+v", s)
		}
		ended := make(chan error)
		go func() { ended <- f.Shutdown(context.Background()) }()
		eventually(t, "it drains", func() bool { return f.Stats().Draining })
		conn.say("three\n")
		if line, err := conn.ReadString('\n'); line != "THREE\n" {
			t.Fatal(line, err)
		}
		conn.Close()
		if err := <-ended; err != nil {
			t.Error(err)
		}
		if s := f.Stats(); s.Upgraded != 0 || s.Transport.InFlight != 0 || s.Answers[1] != 1 || s.Limit != nil && s.Limit.InFlight != 0 {
			t.Errorf("%+v", s)
		}
	}
}

// What a client sends right behind its upgrade, before it has heard of the 101, reaches the backend: at once with the head, or while the backend thinks.
func TestWebSocketEarlyBytesPass(t *testing.T) {
	t.Parallel()
	asked, agree := make(chan bool), make(chan bool)
	backend := newBackend(t, func(w http.ResponseWriter, r *http.Request) {
		conn, rw, err := http.NewResponseController(w).Hijack()
		if err != nil {
			t.Error(err)
			return
		}
		defer conn.Close()
		asked <- true
		<-agree
		fmt.Fprint(conn, "HTTP/1.1 101 Switching Protocols\r\nConnection: Upgrade\r\nUpgrade: websocket\r\n\r\n")
		all, _ := io.ReadAll(rw) // until the client ends its direction
		fmt.Fprintf(conn, "%d %s", len(all), all[max(0, len(all)-8):])
	})
	f := start(t, testConfig(backend.URL))
	const upgrade = "GET /chat HTTP/1.1\r\nHost: h\r\nConnection: Upgrade\r\nUpgrade: websocket\r\n\r\n"
	for _, c := range []struct{ with, meanwhile, after string }{
		{"", "", "later"}, {"early", "", ""}, {"early", "", " later"}, {"", "early", " later"}, {"early", " between", " later"},
		{strings.Repeat("x", 3000), strings.Repeat("y", 10_000), "z"}, // more than a server reads ahead
	} {
		conn := f.dial(t)
		conn.say(upgrade + c.with)
		<-asked
		conn.say(c.meanwhile)
		agree <- true
		if res, err := http.ReadResponse(conn.Reader, nil); err != nil || res.StatusCode != 101 {
			t.Fatal(res, err)
		}
		conn.say(c.after)
		conn.Conn.(*net.TCPConn).CloseWrite()
		all := c.with + c.meanwhile + c.after
		want := fmt.Sprintf("%d %s", len(all), all[max(0, len(all)-8):])
		if got, err := io.ReadAll(conn.Reader); string(got) != want || err != nil {
			t.Errorf("%d bytes with the head, %d before the answer, %d after: the backend has got %q, want %q (%v)", len(c.with), len(c.meanwhile), len(c.after), got, want, err)
		}
		conn.Close()
	}
}

// An answer that comes in parts comes in parts, with its trailers, also if nothing is said for a while.
func TestStreamsComeAsTheyAre(t *testing.T) {
	t.Parallel()
	next := make(chan bool)
	backend := newBackend(t, func(w http.ResponseWriter, r *http.Request) {
		w.Header().Set("Trailer", "X-Sum")
		w.Header().Set("Content-Type", "text/event-stream")
		for i := range 3 {
			fmt.Fprintf(w, "event %d\n", i)
			http.NewResponseController(w).Flush()
			<-next
		}
		w.Header().Set("X-Sum", "3")
	})
	c := testConfig(backend.URL)
	c.ClientIdle = 200 * time.Millisecond
	f := start(t, c)
	for _, client := range []*http.Client{newClient(t), newClient(t, func(p *http.Protocols) { p.SetUnencryptedHTTP2(true) })} {
		res, err := client.Do(request(t, "GET", f.URL()+"/", nil))
		if err != nil {
			t.Fatal(err)
		}
		for i := range 3 {
			line := make([]byte, 8)
			if _, err := io.ReadFull(res.Body, line); err != nil || string(line) != fmt.Sprintf("event %d\n", i) {
				t.Fatal(line, err)
			}
			if i == 1 {
				time.Sleep(2 * c.ClientIdle) // of silence, which is the backend's
			}
			next <- true
		}
		rest, err := io.ReadAll(res.Body)
		if len(rest) != 0 || err != nil || res.Trailer.Get("X-Sum") != "3" {
			t.Errorf("%q %v %v", rest, err, res.Trailer)
		}
		res.Body.Close()
	}
}

// A client of gRPC hears an answer in the middle of its body, and so does any other if bodies are not buffered.
func TestBothDirectionsAtOnce(t *testing.T) {
	h2c := httptest.NewUnstartedServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		w.WriteHeader(200)
		http.NewResponseController(w).Flush()
		buffer := make([]byte, 100)
		for {
			n, err := r.Body.Read(buffer)
			w.Write(bytes.ToUpper(buffer[:n]))
			http.NewResponseController(w).Flush()
			if err != nil {
				return
			}
		}
	}))
	h2c.Config.Protocols = new(http.Protocols)
	h2c.Config.Protocols.SetUnencryptedHTTP2(true)
	h2c.Start()
	t.Cleanup(h2c.Close)
	for kind, buffer := range map[string]Size{"application/grpc+proto": 1e6, "text/plain": 0} {
		c := testConfig(h2c.URL)
		c.BackendH2C, c.BodyBuffer = true, buffer
		f := start(t, c)
		read, write := io.Pipe()
		res, err := newClient(t, func(p *http.Protocols) { p.SetUnencryptedHTTP2(true) }).Do(request(t, "POST", f.URL(), read, "Content-Type", kind))
		if err != nil {
			t.Fatal(err)
		}
		for _, word := range []string{"one", "two"} {
			io.WriteString(write, word)
			got := make([]byte, 3)
			if _, err := io.ReadFull(res.Body, got); err != nil || string(got) != strings.ToUpper(word) {
				t.Fatal(got, err)
			}
		}
		write.Close()
		if rest, err := io.ReadAll(res.Body); len(rest) > 0 || err != nil {
			t.Error(rest, err)
		}
		res.Body.Close()
	}
}

// Answers before the last reach a client in their order, with their headers, but one of HTTP/1.0, which would take the first for the last.
func TestEarlyAnswersPass(t *testing.T) {
	backend := newBackend(t, func(w http.ResponseWriter, r *http.Request) {
		w.Header().Set("Link", "</style.css>; rel=preload")
		w.WriteHeader(http.StatusEarlyHints)
		w.Header().Del("Link")
		w.WriteHeader(http.StatusProcessing)
		io.WriteString(w, "last")
	})
	f := start(t, testConfig(backend.URL))
	for version, want := range map[string]string{"1.1": "103 </style.css>; rel=preload, 102 , 200 ", "1.0": "200 "} {
		conn := f.dial(t)
		conn.say("GET / HTTP/" + version + "\r\nHost: h\r\nConnection: close\r\n\r\n")
		var got []string
		for {
			res, err := http.ReadResponse(conn.Reader, nil)
			if err != nil {
				t.Fatal(version, got, err)
			}
			got = append(got, fmt.Sprint(res.StatusCode)+" "+res.Header.Get("Link"))
			if res.StatusCode >= 200 {
				if text, err := io.ReadAll(res.Body); string(text) != "last" || err != nil {
					t.Error(version, text, err)
				}
				break
			}
		}
		if all := strings.Join(got, ", "); all != want {
			t.Errorf("HTTP/%s: %s, want %s", version, all, want)
		}
	}
}

// Trailers of requests are dropped, whatever the backend speaks, and whether or not the body is buffered.
func TestTrailersOfRequestsAreDropped(t *testing.T) {
	handler := http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		io.Copy(io.Discard, r.Body)
		fmt.Fprint(w, len(r.Trailer), r.Header["Trailer"])
	})
	h2c := httptest.NewUnstartedServer(handler)
	h2c.Config.Protocols = new(http.Protocols)
	h2c.Config.Protocols.SetUnencryptedHTTP2(true)
	h2c.Start()
	t.Cleanup(h2c.Close)
	for _, url := range []string{h2c.URL, newBackend(t, handler).URL} {
		for _, buffer := range []Size{1e6, 0} {
			c := testConfig(url)
			c.BackendH2C, c.BodyBuffer = url == h2c.URL, buffer
			f := start(t, c)
			req := request(t, "POST", f.URL(), io.MultiReader(strings.NewReader("body")))
			req.Trailer = http.Header{"X-Forwarded-For": {"6.6.6.6"}}
			if status, text := fetch(t, newClient(t), req); status != 200 || text != "0 []" {
				t.Errorf("%s, buffer of %v: %d, %s", url, buffer, status, text)
			}
		}
	}
}
