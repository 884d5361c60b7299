package main

import (
	"io"
	"net/http"
	"net/http/httptest"
	"net/url"
	"os"
	"path/filepath"
	"regexp"
	"strings"
	"testing"
	"time"

	"github.com/almanac-sim/almanac/examples"
	"github.com/almanac-sim/almanac/page"
)

// A process on the page gives the files that almanac capped gives with the command line that the
// page shows, but for how long it took.
func TestServeCapped(t *testing.T) {
	s, err := page.New(page.Config{Files: examples.Files()})
	if err != nil {
		t.Fatal(err)
	}
	server := httptest.NewServer(s)
	defer func() { s.Close(); server.Close() }()
	get := func(path string) string {
		t.Helper()
		answer, err := http.Get(server.URL + path)
		if err != nil {
			t.Fatal(err)
		}
		defer answer.Body.Close()
		body, err := io.ReadAll(answer.Body)
		if err != nil || answer.StatusCode != http.StatusOK {
			t.Fatalf("%s: %s, %v", path, answer.Status, err)
		}
		return string(body)
	}
	took := regexp.MustCompile(`(?m)^ *"command": .*$`)
	shown := regexp.MustCompile(`<code data-command>almanac capped (.*)</code>`)
	for _, form := range []url.Values{
		{"process": {"capped"}, "bins": {"2^9"}, "capacity": {"3"}, "rate": {"1-2^-5"}, "arrivals": {"binomial"},
			"rounds": {"2e3"}, "burn-in": {"0"}, "seed": {"9"}},
		{"process": {"greedy"}, "bins": {"500"}, "choices": {"3"}, "rate": {"0.9"}, "arrivals": {"exact"}, "seed": {"1"}},
		{"process": {"threshold"}, "bins": {"500"}, "capacity": {"1"}, "rate": {"2"}, "arrivals": {"exact"}, "seed": {"1"}},
	} {
		answer, err := http.PostForm(server.URL+"/capped", form)
		if err != nil {
			t.Fatal(err)
		}
		answer.Body.Close()
		run := answer.Request.URL.Path
		for !strings.Contains(get(run), `data-state="done"`) {
			time.Sleep(5 * time.Millisecond)
		}
		words := shown.FindStringSubmatch(get(run))
		dir := filepath.Join(t.TempDir(), "out")
		runCapped(t, append(strings.Fields(words[1]), "--out", dir)...)
		for name, path := range map[string]string{"capped.json": "files/capped.json", "rounds.csv": "files/rounds.csv",
			"waits.csv": "files/waits.csv"} {
			want, err := os.ReadFile(filepath.Join(dir, name))
			if err != nil {
				t.Fatal(err)
			}
			if got := get(run + "/" + path); took.ReplaceAllString(got, "") != took.ReplaceAllString(string(want), "") {
				t.Errorf("%s: %s differs:\n%.1500s\n%.1500s", words[0], name, got, want)
			}
		}
	}
}
