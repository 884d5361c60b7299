package page_test

import (
	"io"
	"net/http"
	"net/http/httptest"
	"net/url"
	"strings"
	"testing"
	"time"

	"github.com/almanac-sim/almanac/examples"
	"github.com/almanac-sim/almanac/page"
)

// A client asks a server as a program would.
type client struct {
	t      testing.TB
	server *page.Server
	base   string
	http   *http.Client
}

// serve starts a server on loopback.
func serve(t testing.TB, c page.Config) *client {
	t.Helper()
	s, base := begin(t, c)
	return &client{t, s, base, &http.Client{CheckRedirect: func(*http.Request, []*http.Request) error {
		return http.ErrUseLastResponse
	}}}
}

// begin starts a server, of the examples unless told, and returns where it is. Visitors wait as
// long as it takes: how slow the machine is does not decide what they see.
func begin(t testing.TB, c page.Config) (*page.Server, string) {
	t.Helper()
	if c.Files == nil {
		c.Files, c.About, c.Dir = examples.Files(), "the examples", "examples"
	}
	if c.Limits.WaitTimeout == 0 {
		c.Limits.WaitTimeout = time.Hour
	}
	s, err := page.New(c)
	if err != nil {
		t.Fatal(err)
	}
	server := httptest.NewServer(s)
	t.Cleanup(func() { s.Close(); server.CloseClientConnections(); server.Close() })
	return s, server.URL
}

// ask sends a request, with headers as "Name: value", and returns the answer and its body.
func (c *client) ask(method, path string, form url.Values, headers ...string) (*http.Response, string) {
	c.t.Helper()
	r, err := http.NewRequest(method, c.base+path, strings.NewReader(form.Encode()))
	if err != nil {
		c.t.Fatal(err)
	}
	if form != nil {
		r.Header.Set("Content-Type", "application/x-www-form-urlencoded")
	}
	for _, h := range headers {
		name, value, _ := strings.Cut(h, ": ")
		if name == "Host" {
			r.Host = value
		}
		r.Header.Set(name, value)
	}
	answer, err := c.http.Do(r)
	if err != nil {
		c.t.Fatal(err)
	}
	defer answer.Body.Close()
	body, err := io.ReadAll(answer.Body)
	if err != nil {
		c.t.Fatal(err)
	}
	return answer, string(body)
}

// want asks, and fails if the status is another.
func (c *client) want(status int, method, path string, form url.Values, headers ...string) (*http.Response, string) {
	c.t.Helper()
	answer, body := c.ask(method, path, form, headers...)
	if answer.StatusCode != status {
		c.t.Fatalf("%s %s %q: %s, want %d: %.300s", method, path, headers, answer.Status, status, body)
	}
	return answer, body
}

// Every answer, of whatever kind, tells the browser to be strict.
func TestHeaders(t *testing.T) {
	c := serve(t, page.Config{})
	for path, status := range map[string]int{"/": 200, "/static/page.js": 200, "/static/nothing.js": 404,
		"/models/sir.yaml": 200, "/models/..%2fx": 404, "/nothing": 404, "/runs/1": 404} {
		answer, _ := c.want(status, "GET", path, nil)
		for name, value := range map[string]string{"X-Content-Type-Options": "nosniff", "Referrer-Policy": "no-referrer",
			"Cross-Origin-Resource-Policy": "same-origin", "Cross-Origin-Opener-Policy": "same-origin"} {
			if got := answer.Header.Get(name); got != value {
				t.Errorf("%s: %s is %q", path, name, got)
			}
		}
		policy := answer.Header.Get("Content-Security-Policy")
		for _, part := range []string{"default-src 'none'", "script-src 'self';", "style-src 'self';",
			"frame-ancestors 'none'", "base-uri 'none'", "form-action 'self'"} {
			if !strings.Contains(policy, part) {
				t.Errorf("%s: the policy %q has no %s", path, policy, part)
			}
		}
		if strings.Contains(policy, "unsafe") || strings.Contains(policy, "*") {
			t.Errorf("%s: %s", path, policy)
		}
	}
}

// A site that gives its own name our address gets nothing (DNS rebinding).
func TestHost(t *testing.T) {
	near := serve(t, page.Config{})
	far := serve(t, page.Config{Anywhere: true, Token: "secret", Names: []string{"lab.example"}})
	for _, x := range []struct {
		host      string
		near, far bool
	}{
		{"localhost:80", true, true}, {"localhost", true, true}, {"LOCALHOST.:9", true, true}, {"127.0.0.1:1234", true, true},
		{"[::1]:80", true, true}, {"127.1.2.3", true, true},
		{"evil.example:80", false, false}, {"localhost.evil.example", false, false}, {"evil.localhost", false, false},
		{"192.168.1.7:80", false, true}, {"[2001:db8::1]:80", false, true},
		{"[::ffff:127.0.0.1]:80", true, true}, {"lab.example:80", false, true}, {"127.0.0.1.evil.example", false, false},
	} {
		for c, good := range map[*client]bool{near: x.near, far: x.far} {
			status := http.StatusMisdirectedRequest
			if good {
				status = http.StatusOK
			}
			c.want(status, "GET", "/", nil, "Host: "+x.host, "Authorization: Bearer secret")
		}
	}
}

// Names count with a token, also on loopback, where something else may stand before the server;
// without one they would let other sites in.
func TestNamesNeedAToken(t *testing.T) {
	for token, status := range map[string]int{"": http.StatusMisdirectedRequest, "secret": http.StatusOK} {
		c := serve(t, page.Config{Token: token, Names: []string{"lab.example"}})
		c.want(status, "GET", "/", nil, "Host: lab.example", "Authorization: Bearer secret")
		c.want(http.StatusMisdirectedRequest, "GET", "/", nil, "Host: evil.example", "Authorization: Bearer secret")
	}
}

// Only our own pages can change something; whoever reads is not asked.
func TestOtherSites(t *testing.T) {
	c := serve(t, page.Config{})
	run := url.Values{"path": {"sir.yaml"}, "size": {"100"}, "replicas": {"1"}}
	for _, headers := range [][]string{
		{"Sec-Fetch-Site: cross-site"}, {"Sec-Fetch-Site: same-site"}, {"Origin: http://evil.example"}, {"Origin: null"},
		{"Sec-Fetch-Site: cross-site", "Origin: " + c.base},
	} {
		for _, path := range []string{"/runs", "/models/sir.yaml", "/check", "/theme", "/runs/1/stop"} {
			c.want(http.StatusForbidden, "POST", path, run, headers...)
		}
		c.want(http.StatusOK, "GET", "/runs", nil, headers...)
	}
	if _, body := c.want(http.StatusOK, "GET", "/runs", nil); strings.Contains(body, "/runs/1") {
		t.Error("another site has started a run")
	}
	c.want(http.StatusSeeOther, "POST", "/runs", run, "Sec-Fetch-Site: same-origin")
	c.want(http.StatusSeeOther, "POST", "/runs", run, "Origin: "+c.base)
	c.want(http.StatusNotFound, "DELETE", "/runs", nil)
}

// Whoever can be reached from elsewhere lets in those who know the token, and nobody else, to
// nothing.
func TestToken(t *testing.T) {
	if _, err := page.New(page.Config{Files: examples.Files(), Anywhere: true}); err == nil ||
		!strings.Contains(err.Error(), "token") {
		t.Errorf("a server for everybody without a token: %v", err)
	}
	c := serve(t, page.Config{Token: "a secret", Anywhere: true})
	for _, path := range []string{"/", "/models/sir.yaml", "/static/page.js", "/runs", "/nothing"} {
		c.want(http.StatusUnauthorized, "GET", path, nil)
		c.want(http.StatusUnauthorized, "GET", path+"?token=a+secre", nil)
		c.want(http.StatusUnauthorized, "GET", path, nil, "Cookie: almanac_token=wrong")
		c.want(http.StatusUnauthorized, "GET", path, nil, "Authorization: Bearer ")
	}
	c.want(http.StatusUnauthorized, "POST", "/runs?token=a+secret", url.Values{"path": {"sir.yaml"}})
	answer, _ := c.want(http.StatusSeeOther, "GET", "/runs?token=a+secret&x=1", nil)
	if to := answer.Header.Get("Location"); to != "/runs?x=1" {
		t.Errorf("the link leads to %q", to)
	}
	cookie := answer.Cookies()[0]
	// another server on this host has its own
	if port := c.base[strings.LastIndex(c.base, ":")+1:]; cookie.Name != "almanac_token_"+port {
		t.Errorf("the cookie is called %s", cookie.Name)
	}
	if !cookie.HttpOnly || cookie.SameSite != http.SameSiteLaxMode {
		t.Errorf("%v", cookie)
	}
	c.want(http.StatusOK, "GET", "/runs", nil, "Cookie: "+cookie.Name+"="+cookie.Value)
	// The cookie, which others on this host see, does not have the token, and is not one.
	c.want(http.StatusUnauthorized, "GET", "/runs", nil, "Cookie: "+cookie.Name+"=a secret")
	c.want(http.StatusUnauthorized, "GET", "/runs", nil, "Authorization: Bearer "+cookie.Value)
	c.want(http.StatusUnauthorized, "GET", "/runs?token="+cookie.Value, nil)
	c.want(http.StatusOK, "GET", "/runs", nil, "Authorization: Bearer a secret")
	// The link cannot lead away.
	for _, path := range []string{"//evil.example/?token=a+secret", "/%5cevil.example?token=a+secret",
		"///evil.example?token=a+secret"} {
		answer, _ := c.ask("GET", path, nil)
		to, err := url.Parse(answer.Header.Get("Location"))
		if err != nil || to.Host != "" && to.Host != strings.TrimPrefix(c.base, "http://") ||
			strings.HasPrefix(answer.Header.Get("Location"), "//") || strings.HasPrefix(answer.Header.Get("Location"), `/\`) {
			t.Errorf("%s leads to %q", path, answer.Header.Get("Location"))
		}
	}
	if a, b := page.NewToken(), page.NewToken(); a == b || len(a) < 20 {
		t.Errorf("tokens %q and %q", a, b)
	}
}

// What is sent has a size.
func TestBodies(t *testing.T) {
	c := serve(t, page.Config{Limits: page.Limits{Body: 5000}})
	large := url.Values{"path": {"sir.yaml"}, "source": {strings.Repeat("x", 6000)}}
	for _, path := range []string{"/runs", "/check", "/models/sir.yaml"} {
		if _, body := c.want(http.StatusRequestEntityTooLarge, "POST", path, large); !strings.Contains(body, "5000 bytes") {
			t.Errorf("%s: %s", path, body)
		}
	}
	c.want(http.StatusBadRequest, "POST", "/runs?%zz", url.Values{"path": {"sir.yaml"}})

	// A model of a megabyte can be sent, though a form writes some letters as three bytes; a longer
	// one cannot, and the script gets words.
	c = serve(t, page.Config{})
	comment := "#" + strings.Repeat("ü", 1<<19-1) + "\n"
	c.want(http.StatusOK, "POST", "/check", url.Values{"path": {"sir.yaml"}, "source": {comment}},
		"Sec-Fetch-Site: same-origin")
	for _, path := range []string{"/check", "/runs", "/models/sir.yaml"} {
		if _, body := c.want(http.StatusRequestEntityTooLarge, "POST", path, url.Values{"path": {"sir.yaml"},
			"source": {comment + "#"}}, "Sec-Fetch-Dest: empty"); !strings.HasPrefix(body, "a model file of more than") {
			t.Errorf("%s: %s", path, body)
		}
	}
}

// The theme is kept, and its form leads back to us, whatever it says.
func TestTheme(t *testing.T) {
	c := serve(t, page.Config{})
	for path, want := range map[string]string{"/runs": "/runs", "//evil.example/": "/evil.example/",
		`/\evil.example`: "/evil.example", "https://evil.example": "/https:/evil.example", "": "/"} {
		answer, _ := c.want(http.StatusSeeOther, "POST", "/theme", url.Values{"theme": {"dark"}, "path": {path}})
		if got := answer.Header.Get("Location"); got != want {
			t.Errorf("%q leads to %q, want %q", path, got, want)
		}
	}
	if _, body := c.want(http.StatusOK, "GET", "/", nil, "Cookie: almanac_theme=dark"); !strings.Contains(body,
		`data-theme="dark"`) {
		t.Error("not dark")
	}
	if _, body := c.want(http.StatusOK, "GET", "/", nil, `Cookie: almanac_theme="><script>`); !strings.Contains(body,
		`data-theme="auto"`) {
		t.Error("a theme that does not exist")
	}
}
