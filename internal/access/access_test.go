package access

import (
	"net/http"
	"net/http/httptest"
	"os"
	"path/filepath"
	"strings"
	"testing"
)

func TestLoopback(t *testing.T) {
	for host, want := range map[string]bool{
		"127.0.0.1": true, "127.8.0.1": true, "::1": true, "localhost": true, "::ffff:127.0.0.1": true,
		"": false, "0.0.0.0": false, "::": false, "10.0.0.1": false, "hub.example.org": false,
	} {
		if Loopback(host) != want {
			t.Errorf("Loopback(%q) is %v", host, !want)
		}
	}
}

func TestReadToken(t *testing.T) {
	name := filepath.Join(t.TempDir(), "token")
	for text, want := range map[string]string{"a-secret\n": "a-secret", "a-secret": "a-secret", "": "", "\n": "",
		"two secrets": "", strings.Repeat("x", 5000): ""} {
		if err := os.WriteFile(name, []byte(text), 0o600); err != nil {
			t.Fatal(err)
		}
		got, err := ReadToken(name)
		if got != want || (err == nil) != (want != "") {
			t.Errorf("%.20q: %q, %v", text, got, err)
		}
		if err != nil && (strings.Contains(err.Error(), "secret") || !strings.Contains(err.Error(), "one word on one line")) {
			t.Error(err)
		}
	}
	if _, err := ReadToken(name + "-none"); err == nil {
		t.Error("a file that is not there has a token")
	}
}

func TestGuard(t *testing.T) {
	ok := http.HandlerFunc(func(http.ResponseWriter, *http.Request) {})
	for _, c := range []struct {
		token, host, header string
		want                int
	}{
		{"", "localhost:9100", "", 200},
		{"", "127.0.0.1:9100", "", 200},
		{"", "[::1]:9100", "", 200},
		{"", "rebound.example.org:9100", "", 403},
		{"secret", "127.0.0.1:9100", "", 401},
		{"secret", "127.0.0.1:9100", "Bearer wrong", 401},
		{"secret", "127.0.0.1:9100", "Bearer ", 401},
		{"secret", "hub.example.org:9100", "Bearer secret", 200},
		{"secret", "hub.example.org:9100", "Basic Ong=", 401},                 // :x
		{"secret", "hub.example.org:9100", "Basic cHJvbTpzZWNyZXQ=", 200},     // prom:secret
		{"secret", "hub.example.org:9100", "Bearer cHJvbTpzZWNyZXQ=", 401},    // the wrong scheme
		{"secret", "hub.example.org:9100", "Basic c2VjcmV0OndyZWNrZWQ=", 401}, // secret:wrecked
	} {
		r := httptest.NewRequest("GET", "/metrics", nil)
		r.Host = c.host
		if c.header != "" {
			r.Header.Set("Authorization", c.header)
		}
		w := httptest.NewRecorder()
		if Guard(ok, c.token, "almanac").ServeHTTP(w, r); w.Code != c.want {
			t.Errorf("%+v: %d", c, w.Code)
		}
	}
}
