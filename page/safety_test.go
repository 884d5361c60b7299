package page_test

import (
	"errors"
	"fmt"
	"net/http"
	"net/http/httptest"
	"net/url"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/almanac-sim/almanac/page"
)

// posts are all addresses that change something.
var posts = []string{"/theme", "/models/sir.yaml", "/check", "/runs", "/runs/1/stop", "/compare", "/sweeps",
	"/fits/fitted", "/capped", "/queues", "/papers/x"}

// Names that are ours, and names that only look like it.
func TestHostNames(t *testing.T) {
	near := serve(t, page.Config{})
	far := serve(t, page.Config{Anywhere: true, Token: "secret", Names: []string{"Lab.Example"}})
	for host, want := range map[string][2]bool{
		"[::1]": {true, true}, "[::1]:99": {true, true}, "[0:0:0:0:0:0:0:1]:99": {true, true}, "LocalHost": {true, true},
		"localhost.": {true, true}, "127.0.0.1.:80": {true, true},
		"LAB.EXAMPLE.:80": {false, true}, "lab.example": {false, true}, "": {false, false}, ":80": {false, false},
		".": {false, false}, "localhost..": {false, false},
		"[::2]": {false, true}, "0.0.0.0": {false, true}, "2130706433": {false, false}, "0x7f.1": {false, false},
		"127.0.0.1.evil.example:80": {false, false}, "[::1].evil.example": {false, false},
		"lab.example.evil": {false, false}, "xlab.example": {false, false}, "localhost@evil.example": {false, false},
		"localhost:80@evil.example": {false, false},
	} {
		for i, c := range []*client{near, far} {
			r := httptest.NewRequest("GET", "/runs", nil)
			r.Host = host
			r.Header.Set("Authorization", "Bearer secret")
			w := httptest.NewRecorder()
			c.server.ServeHTTP(w, r)
			if (w.Code == http.StatusOK) != want[i] || !want[i] && w.Code != http.StatusMisdirectedRequest {
				t.Errorf("%q, listening anywhere %t: %d", host, i == 1, w.Code)
			}
		}
	}
}

// No other site can let a browser change something, wherever that is; and nothing is changed by
// other methods than POST.
func TestOnlyOwnPosts(t *testing.T) {
	c := serve(t, page.Config{})
	answer, _ := c.want(http.StatusSeeOther, "POST", "/capped", balls("pace", "20", "rounds", "20000"))
	form := url.Values{"path": {"sir.yaml"}, "size": {"100"}, "theme": {"dark"}, "do": {"save"}, "process": {"capped"}}
	for _, path := range posts {
		for _, headers := range [][]string{{"Sec-Fetch-Site: cross-site", "Origin: http://evil.example"},
			{"Sec-Fetch-Site: same-site"}, {"Origin: null"}, {"Origin: http://localhost.evil.example"},
			{"Origin: https://" + c.base[len("http://"):] + ".evil.example"}} {
			if _, body := c.want(http.StatusForbidden, "POST", path, form, headers...); !strings.Contains(body, "another site") {
				t.Errorf("%s: %s", path, body)
			}
		}
		for _, method := range []string{"GET", "HEAD", "PUT", "DELETE", "PATCH"} {
			if answer, _ := c.ask(method, path+"?"+form.Encode(), nil); len(answer.Cookies()) > 0 || answer.StatusCode ==
				http.StatusSeeOther && method != "GET" && method != "HEAD" {
				t.Errorf("%s %s: %s, %v", method, path, answer.Status, answer.Cookies())
			}
		}
	}
	_, body := c.want(http.StatusOK, "GET", "/runs", nil)
	if strings.Count(body, `<a href="/runs/`) != 1 || !strings.Contains(body, `<li class="running">`) {
		t.Errorf("something was started or stopped: %s", body)
	}
	c.want(http.StatusSeeOther, "POST", answer.Header.Get("Location")+"/stop", url.Values{})
}

// Links that lead out, hidden names and ways up are refused wherever a name can be given.
func TestNamesGivenAnywhere(t *testing.T) {
	source := strings.Replace(small, "speed: 0.5 per day", "speed: {steps: {file: '%s', column: speed, unit: per day}}", 1)
	files := map[string]string{"walk.yaml": small, ".hidden/model.yaml": small, "in/.env": "time,speed\n0,1\n",
		"plain.csv": "time,speed\n0,1\n"}
	for _, dir := range []string{".hidden", "in"} {
		savedRun(t, files, dir, twoScenarios, 1, 2)
		files[dir+"/fit.json"], files[dir+"/posterior.csv"], files[dir+"/points.csv"] = fluFit, fluPosterior(),
			"a,replicas,output,mean,sd,low,high\n1,3,x,1,,,\n2,3,x,1,,,\n"
		files[dir+"/courses.csv"], files[dir+"/claims.json"] = "statistic,from,to,mean,min,max\nline,0,1,1,1,1\n", "{}"
		files[dir+"/scenarios.csv"], files[dir+"/differences.csv"] = "scenario,replicas,output,mean,sd,low,high\n"+
			"a,2,beta,1,,,\nb,2,beta,2,,,\n", "scenario,output,difference,low,high\nb,beta,1,,\n"
	}
	c, dir := directory(t, files)
	above := filepath.Join(filepath.Dir(dir), "outside")
	if err := errors.Join(os.CopyFS(above, os.DirFS(filepath.Join(dir, "in"))),
		os.Symlink("../outside", filepath.Join(dir, "out")), os.Symlink(above, filepath.Join(dir, "absolute"))); err != nil {
		t.Fatal(err)
	}
	places := []string{"/results/%s", "/result/states.csv?dir=%s", "/fits/%s", "/fit-figures/marginal-0.csv?dir=%s",
		"/sweeps/%s", "/sweep-figures/over-0-0.csv?dir=%s", "/comparisons/%s",
		"/comparison-figures/forest.csv?dir=%s", "/study-files/comparison.json?dir=%s",
		"/courses/%s", "/course/course-0.csv?dir=%s", "/study-files/posterior.csv?dir=%s"}
	for _, place := range places {
		c.want(http.StatusOK, "GET", fmt.Sprintf(place, "in"), nil)
		for _, name := range []string{"out", "absolute", ".hidden", "in%2f..%2f.hidden", "..%2foutside", "%2e%2e/outside",
			"in/%2e%2e/%2e%2e/outside", "%2fetc", ".", "in%00", "in%5c.."} {
			at := fmt.Sprintf(place, name)
			answer, body := c.ask("GET", at, nil)
			if answer.StatusCode < 300 || answer.StatusCode >= 500 || strings.Contains(body, "beta") {
				t.Errorf("%s: %s", at, answer.Status)
			}
		}
	}
	for _, name := range []string{"out/claims.json", ".hidden/claims.json", "../outside/claims.json", "/etc/passwd"} {
		c.want(http.StatusNotFound, "GET", "/papers?report="+url.QueryEscape(name), nil)
	}
	for _, name := range []string{"out", "absolute", ".hidden", "../outside", above} {
		if answer, _ := c.ask("POST", "/compare", url.Values{"dir": {"in", name}}); answer.StatusCode == http.StatusSeeOther {
			if body := c.done(answer.Header.Get("Location")); !strings.Contains(body, `data-state="failed"`) {
				t.Errorf("%s is compared", name)
			}
		}
		c.want(http.StatusNotFound, "POST", "/fits/"+strings.ReplaceAll(url.PathEscape(name), ".", "%2e"),
			url.Values{"replicas": {"2"}})
		c.want(http.StatusNotFound, "POST", "/sweeps", url.Values{"path": {name + "/model.yaml"}, "vary": {"beta"},
			"values": {"1 per day"}})
	}
	for name, good := range map[string]bool{"plain.csv": true, "in/.env": false, "out/series.csv": false,
		".hidden/series.csv": false, "./in/../plain.csv": true} {
		if _, body := c.want(http.StatusOK, "POST", "/check", url.Values{"path": {"walk.yaml"},
			"source": {fmt.Sprintf(source, name)}}); strings.Contains(body, `"good":true`) != good {
			t.Errorf("the table %s: %s", name, body)
		}
	}
}

// Numbers at the ends of what there are, and as many of them as one can send: each is refused with
// words, or fails before it begins.
func TestHugeRequests(t *testing.T) {
	sir := strings.Replace(small, "size: 100", "size: 100, most: 4_000_000_000", 1)
	c := serve(t, page.Config{Files: someFiles(map[string]string{"walk.yaml": sir})})
	for _, pairs := range [][2]string{
		{"size", "9223372036854775807"}, {"size", "9223372036854775808"}, {"size", "18446744073709551615"},
		{"size", "4000000001"}, {"size", "1e308"}, {"size", "Inf"}, {"size", "-1"},
		{"replicas", "9223372036854775807"}, {"replicas", "9223372036854775808"}, {"replicas", "-9223372036854775808"},
		{"replicas", "10001"},
		{"seed", "18446744073709551616"}, {"until", "1e308"}, {"until", "1e18"}, {"until", "Inf"}, {"until", "NaN"},
	} {
		if answer, body := c.ask("POST", "/runs", url.Values{"path": {"walk.yaml"},
			pairs[0]: {pairs[1]}}); answer.StatusCode != http.StatusUnprocessableEntity {
			t.Errorf("%s: %s: %.300s", pairs, answer.Status, body)
		}
	}
	// Replicas times individuals is more than any number of bytes has digits for.
	if _, body := c.start("/runs", url.Values{"path": {"walk.yaml"}, "size": {"4000000000"}, "replicas": {"10000"},
		"seed": {"18446744073709551615"}}); !strings.Contains(body, `data-state="failed"`) ||
		!strings.Contains(body, "not enough memory") {
		t.Errorf("%.3000s", body)
	}
	for path, forms := range map[string][]url.Values{
		"/capped": {balls("bins", "2^63"), balls("bins", "2^64"), balls("bins", "1e308"), balls("rounds", "2^63"),
			balls("burn-in", "2^64"), balls("capacity", "2^63"), balls("rate", "Inf"), balls("rate", "NaN"),
			balls("seed", "2^64")},
		"/queues": {line("servers", "2^63"), line("until", "1e308"), line("rate", "1e308"), line("rate", "1e6", "until",
			"1e6"), line("service", "1e308"), line("night", "-2^63")},
		"/sweeps": {{"path": {"walk.yaml"}, "vary": {"speed"}, "values": {"0..1e308 per day by 1e-300"}},
			{"path": {"walk.yaml"}, "vary": {"population.size"}, "values": {"9223372036854775808"}},
			{"path": {"walk.yaml"}, "vary": {"speed"}, "values": {"1 per day, 2 per day"}, "replicas": {"9223372036854775807"}}},
	} {
		for _, form := range forms {
			if answer, body := c.ask("POST", path, form); answer.StatusCode != http.StatusUnprocessableEntity {
				t.Errorf("%s %v: %s: %.300s", path, form, answer.Status, body)
			}
		}
	}
	many := func(n int) url.Values {
		form := url.Values{"path": {"walk.yaml"}}
		for i := range n - 1 {
			form.Set(fmt.Sprintf("set.p%d", i), "1")
		}
		return form
	}
	c.start("/runs", many(9_000)) // what is no parameter is not looked at
	if _, body := c.want(http.StatusBadRequest, "POST", "/runs", many(10_001)); !strings.Contains(body, "cannot be read") {
		t.Error(body)
	}
	c.want(http.StatusRequestEntityTooLarge, "POST", "/runs", url.Values{"path": {strings.Repeat("x", 5<<20)}})
	for _, path := range []string{"/check", "/theme", "/capped", "/papers/x"} { // no form, and longer than one may be
		r, _ := http.NewRequest("POST", c.base+path, strings.NewReader(strings.Repeat("x", 5<<20)))
		if answer, err := c.http.Do(r); err == nil { // or the connection is cut
			if answer.Body.Close(); answer.StatusCode >= 500 {
				t.Errorf("%s: %s", path, answer.Status)
			}
		}
	}
}
