package proxy

import (
	"log/slog"
	"net/http"
	"os"
	"path/filepath"
	"strings"
	"testing"
)

func quietLogger() *slog.Logger { return slog.New(slog.DiscardHandler) }

// The page shows what is, works without a script, and does not take a name for HTML.
func TestAdmin(t *testing.T) {
	backend := newBackend(t, echo)
	c := testConfig(backend.URL, "http://127.0.0.1:1/<script>")
	c.Admin, c.Limit = "127.0.0.1:0", 5
	f := start(t, c)
	client := newClient(t)
	for range 20 {
		if status, _ := fetch(t, client, request(t, "GET", f.URL(), nil)); status != 200 {
			t.Error(status)
		}
	}
	admin := "http://" + f.AdminAddr()
	status, page := fetch(t, client, request(t, "GET", admin, nil))
	for _, want := range []string{`http-equiv="refresh"`, "color-scheme: light dark", "0 of 4", backend.URL, "at work", "resting", "<td>20</td>", "the limit of 5"} {
		if status != 200 || !strings.Contains(page, want) {
			t.Errorf("%d, and %q is not on the page: %s", status, want, page)
		}
	}
	if strings.Contains(page, "<script") {
		t.Error(page)
	}
	_, metrics := fetch(t, client, request(t, "GET", admin+"/metrics", nil))
	for _, want := range []string{`capped_http_outcomes_total{at="backends",outcome="answered"} 20`, `capped_http_requests_total{at="limit"} 20`, `almanac_proxy_answers_total{class="2xx"} 20`,
		`almanac_proxy_connections 1`, "go_goroutines"} {
		if !strings.Contains(metrics, want) {
			t.Errorf("%s is not among the metrics: %s", want, metrics)
		}
	}
	if status, text := fetch(t, client, request(t, "GET", admin+"/healthy", nil)); status != 200 || text != "healthy\n" {
		t.Error(status, text)
	}
	if status, _ := fetch(t, client, request(t, "POST", admin+"/", nil)); status != 405 {
		t.Error(status)
	}
	if status, _ := fetch(t, client, request(t, "GET", admin+"/nothing", nil)); status != 404 {
		t.Error(status)
	}
	// A name that somebody else gave to this address.
	for host, want := range map[string]int{"evil.example:80": 403, "evil.example": 403, "localhost:1": 200, "[::1]": 200, "127.0.0.1": 200, "": 200} {
		r := request(t, "GET", admin, nil)
		r.Host = host
		if status, _ := fetch(t, client, r); status != want {
			t.Errorf("%s: %d", host, status)
		}
	}
	// The page is not on the clients' side.
	if _, text := fetch(t, client, request(t, "GET", f.URL()+"/metrics", nil)); text != "GET /metrics " {
		t.Error(text)
	}
}

// Who has the token may look.
func TestAdminToken(t *testing.T) {
	file := filepath.Join(t.TempDir(), "token")
	if err := os.WriteFile(file, []byte("secret\n"), 0o600); err != nil {
		t.Fatal(err)
	}
	c := testConfig("http://127.0.0.1:1")
	c.Admin, c.AdminToken = "127.0.0.1:0", file
	f := start(t, c)
	client := newClient(t)
	for _, x := range []struct {
		set  func(*http.Request)
		want int
	}{
		{func(*http.Request) {}, 401},
		{func(r *http.Request) { r.Header.Set("Authorization", "Bearer wrong") }, 401},
		{func(r *http.Request) { r.Header.Set("Authorization", "Bearer secret") }, 200},
		{func(r *http.Request) { r.Host = "status.example"; r.Header.Set("Authorization", "Bearer secret") }, 200},
		{func(r *http.Request) { r.SetBasicAuth("anybody", "secret") }, 200},
		{func(r *http.Request) { r.SetBasicAuth("secret", "") }, 401},
	} {
		for _, path := range []string{"/", "/metrics", "/healthy"} {
			r := request(t, "GET", "http://"+f.AdminAddr()+path, nil)
			x.set(r)
			if status, _ := fetch(t, client, r); status != x.want {
				t.Errorf("%s with %q: %d, want %d", path, r.Header.Get("Authorization"), status, x.want)
			}
		}
	}
}
