package page_test

import (
	"bytes"
	"errors"
	"fmt"
	"io/fs"
	"log/slog"
	"net/http"
	"net/url"
	"os"
	"regexp"
	"strings"
	"testing"

	"github.com/almanac-sim/almanac/examples"
	"github.com/almanac-sim/almanac/page"
)

// routes are all that the server answers to, as methods and addresses, read from where they are
// written.
func routes(t *testing.T) (all [][2]string) {
	t.Helper()
	source, err := os.ReadFile("routes.go")
	if err != nil {
		t.Fatal(err)
	}
	names := map[string]string{"{$}": "", "{file}": "page.js", "{path...}": "sir.yaml", "{id}": "1",
		"{name}": "states.svg", "{point}": "0"}
	for _, found := range regexp.MustCompile(`\bon\("(?:(GET|POST) )?(/[^"]*)"`).FindAllStringSubmatch(string(source),
		-1) {
		method, path := found[1], regexp.MustCompile(`\{[^}]*\}`).ReplaceAllStringFunc(found[2], func(part string) string {
			name, ok := names[part]
			if !ok {
				t.Fatalf("what is %s in an address?", part)
			}
			return name
		})
		if method == "" {
			method = "GET"
		}
		all = append(all, [2]string{method, path})
	}
	if len(all) != strings.Count(string(source), "\ton(") || len(all) < 40 {
		t.Fatalf("%d routes are found, of %d", len(all), strings.Count(string(source), "\ton("))
	}
	return all
}

// Nothing is answered without the token, whatever is asked for and however, and what a wrong one
// was sent with starts nothing. With it, the token is in no answer and in no log: not in a page,
// which has its own address in it, not where a link leads to, and no page tells others where it
// was.
func TestTokenEverywhere(t *testing.T) {
	const secret = "xyzzy-plugh-2357"
	var log bytes.Buffer
	c := serve(t, page.Config{Files: broken{examples.Files()}, Token: secret, Anywhere: true,
		Logger: slog.New(slog.NewTextHandler(&log, &slog.HandlerOptions{Level: slog.LevelDebug}))})
	clean := func(what string, answer *http.Response, body string) {
		t.Helper()
		if head := fmt.Sprint(answer.Header); strings.Contains(body, secret) || strings.Contains(head, secret) {
			t.Errorf("%s: the token is in the answer: %s %.300s", what, head, body)
		}
		if policy := answer.Header.Get("Referrer-Policy"); policy != "no-referrer" {
			t.Errorf("%s: others are told where a visitor comes from: %q", what, policy)
		}
	}
	answer, _ := c.want(http.StatusSeeOther, "GET", "/?token="+secret, nil)
	cookie := answer.Cookies()[0].Name + "=" + answer.Cookies()[0].Value
	form := url.Values{"path": {"sir.yaml"}, "size": {"50"}, "replicas": {"1"}}
	for _, route := range routes(t) {
		method, path := route[0], route[1]
		send := form
		if method == "GET" {
			send = nil
		}
		for _, wrong := range []struct{ query, header string }{
			{}, {query: "?token="}, {query: "?token=" + secret[1:]}, {query: "?token=" + secret + "&token=x",
				header: "Cookie: x=" + secret}, {header: "Authorization: Bearer " + secret + "x"},
			{header: "Authorization: Basic " + secret}, {header: "Cookie: " + strings.Split(cookie, "=")[0] + "=" + secret},
			{header: "Referer: http://localhost/?token=" + secret},
		} {
			if strings.Contains(wrong.query, secret) && method == "GET" {
				continue // it is right
			}
			var headers []string
			if wrong.header != "" {
				headers = []string{wrong.header}
			}
			answer, body := c.want(http.StatusUnauthorized, method, path+wrong.query, send, headers...)
			clean(method+" "+path, answer, body)
			if len(answer.Cookies()) > 0 || answer.Header.Get("Location") != "" {
				t.Errorf("%s %s%s: %v", method, path, wrong.query, answer.Header)
			}
		}
	}
	if _, body := c.want(http.StatusOK, "GET", "/runs", nil, "Cookie: "+cookie); strings.Contains(body, "/runs/1") {
		t.Error("somebody without the token has started a run")
	}
	for _, route := range routes(t) {
		if strings.HasSuffix(route[1], "/events") {
			continue // it goes on
		}
		for _, query := range []string{"?token=" + secret, "?token=wrong"} {
			answer, body := c.ask(route[0], route[1]+query, form, "Cookie: "+cookie)
			if answer.StatusCode == http.StatusUnauthorized {
				t.Errorf("%s %s: %s with the cookie", route[0], route[1], answer.Status)
			}
			if strings.Contains(body, "token=wrong") {
				t.Errorf("%s %s: a page has the token that it was asked for with", route[0], route[1])
			}
			clean(route[0]+" "+route[1], answer, body)
			if route[0] == "GET" && query != "?token=wrong" && (answer.StatusCode != http.StatusSeeOther ||
				strings.Contains(answer.Header.Get("Location"), "token")) {
				t.Errorf("%s leads to %s: %q", route[1], answer.Status, answer.Header.Get("Location"))
			}
		}
	}
	c.want(http.StatusInternalServerError, "POST", "/models/broken.yaml?token="+secret, form, "Cookie: "+cookie)
	if !strings.Contains(log.String(), "/models/broken.yaml") || strings.Contains(log.String(), secret) {
		t.Errorf("the log: %s", log.String())
	}
}

// A broken has a file that cannot be read, which the log has.
type broken struct{ fs.FS }

func (b broken) Open(name string) (fs.File, error) {
	if name != "broken.yaml" {
		return b.FS.Open(name)
	}
	f, err := b.FS.Open("sir.yaml")
	return brokenFile{f}, err
}

type brokenFile struct{ fs.File }

func (brokenFile) Read([]byte) (int, error) { return 0, errors.New("the disk is broken") }
