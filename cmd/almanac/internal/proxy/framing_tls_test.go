package proxy

import (
	"crypto/tls"
	"crypto/x509"
	"io"
	"net/http"
	"os"
	"strings"
	"testing"
	"time"
)

// By TLS too a request with a length and chunks is refused, the backend hears https, and who is silent instead of shaking hands, or speaks without TLS, disturbs nobody.
func TestWatchedByTLS(t *testing.T) {
	t.Parallel() // since it waits
	cert, key := certificate(t, "proxy")
	c := testConfig(newBackend(t, func(w http.ResponseWriter, r *http.Request) {
		io.WriteString(w, r.Header.Get("X-Forwarded-Proto"))
	}).URL)
	c.Cert, c.Key = cert, key
	c.HeaderTimeout = 3 * time.Second
	f := start(t, c)
	silent := f.dial(t)
	plain := f.dial(t)
	plain.say("GET / HTTP/1.1\r\nHost: h\r\n\r\n")
	if status, text := plain.hear(); status != 400 || !strings.Contains(text, "HTTPS") {
		t.Error(status, text)
	}
	text, err := os.ReadFile(cert)
	if err != nil {
		t.Fatal(err)
	}
	roots := x509.NewCertPool()
	roots.AppendCertsFromPEM(text)
	conn := f.dial(t)
	secure := tls.Client(conn.Conn, &tls.Config{RootCAs: roots, ServerName: "127.0.0.1", NextProtos: []string{"http/1.1"}})
	conn.Conn = secure
	conn.Reader.Reset(secure)
	conn.say("GET / HTTP/1.1\r\nHost: h\r\n\r\n")
	if status, text := conn.hear(); status != 200 || text != "https" {
		t.Error(status, text)
	}
	conn.say(bothHeaders)
	if status, _ := conn.hear(); status != http.StatusBadRequest {
		t.Error(status)
	}
	if rest, _ := io.ReadAll(conn.Reader); len(rest) > 0 {
		t.Errorf("there is another answer: %q", rest)
	}
	if n, err := silent.Read(make([]byte, 1)); n > 0 || err == nil || os.IsTimeout(err) {
		t.Error("who does not shake hands stays:", n, err)
	}
	f.dial(t) // which the end does not wait for
}
