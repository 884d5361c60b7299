package page_test

import (
	"net/http"
	"net/url"
	"os"
	"regexp"
	"runtime"
	"strconv"
	"strings"
	"testing"
	"time"

	"github.com/almanac-sim/almanac/page"
)

// After a thousand runs there is as much as after a hundred: goroutines, and memory of what is kept.
func TestThousandRuns(t *testing.T) {
	c := serve(t, page.Config{Files: someFiles(map[string]string{"walk.yaml": small}), Limits: page.Limits{Kept: 10}})
	taken := func() (goroutines int, bytes uint64) {
		for range 100 { // what has ended may need a moment to be gone
			if runtime.GC(); runtime.NumGoroutine() < 30 {
				break
			}
			time.Sleep(10 * time.Millisecond)
		}
		var m runtime.MemStats
		runtime.GC()
		runtime.ReadMemStats(&m)
		return runtime.NumGoroutine(), m.HeapAlloc
	}
	var goroutines int
	var bytes uint64
	run := ""
	for i := range 1000 {
		for {
			answer, _ := c.ask("POST", "/runs", url.Values{"path": {"walk.yaml"}, "seed": {strconv.Itoa(i)}, "replicas": {"2"}})
			if run = answer.Header.Get("Location"); answer.StatusCode == http.StatusSeeOther {
				break
			}
			if answer.StatusCode != http.StatusTooManyRequests {
				t.Fatal(answer.Status)
			}
			time.Sleep(time.Millisecond)
		}
		if i%50 == 0 { // somebody looks
			c.done(run)
			c.want(http.StatusOK, "GET", run+"/events", nil)
		}
		if i == 100 {
			c.done(run)
			goroutines, bytes = taken()
		}
	}
	c.done(run)
	g, b := taken()
	if g > goroutines+5 || b > bytes+1<<20 {
		t.Errorf("%d goroutines and %d bytes after 100 runs, %d and %d after 1000", goroutines, bytes, g, b)
	}
	if _, body := c.want(http.StatusOK, "GET", "/runs", nil); strings.Count(body, `<li class="done">`) != 10 {
		t.Error("not ten are kept")
	}
}

// colours reads the colours of a scheme from the style sheet.
func colours(t *testing.T, css, head string) map[string][3]float64 {
	t.Helper()
	_, rest, ok := strings.Cut(css, head)
	block, _, _ := strings.Cut(rest, "}")
	all := map[string][3]float64{}
	for _, m := range regexp.MustCompile(`--([\w-]+): #([0-9a-f]{6})`).FindAllStringSubmatch(block, -1) {
		n, _ := strconv.ParseUint(m[2], 16, 32)
		all[m[1]] = [3]float64{float64(n >> 16 & 0xff), float64(n >> 8 & 0xff), float64(n & 0xff)}
	}
	if !ok || len(all) < 20 {
		t.Fatalf("%s has %d colours", head, len(all))
	}
	return all
}

// Letters have a contrast of 4.5 to 1 with what they stand on, lines of charts and edges of fields 3 to 1 (WCAG 2.2, AA), in both schemes; and what the system and
// the switch call dark is the same.
func TestContrast(t *testing.T) {
	data, err := os.ReadFile("static/page.css")
	if err != nil {
		t.Fatal(err)
	}
	css := string(data)
	dark := colours(t, css, ":root[data-theme=dark] {")
	for name, c := range colours(t, css, ":root:not([data-theme=light]) {") {
		if dark[name] != c {
			t.Errorf("%s is dark in two ways", name)
		}
	}
	for scheme, all := range map[string]map[string][3]float64{"light": colours(t, css, ":root {"), "dark": dark} {
		need := func(least float64, front string, backs ...string) {
			for _, back := range backs {
				if c := contrast(all[front], all[back]); c < least {
					t.Errorf("%s: %s on %s has %.2f, less than %g", scheme, front, back, c, least)
				}
			}
		}
		for _, letters := range []string{"ink", "soft", "link", "good", "bad"} {
			need(4.5, letters, "paper", "panel")
		}
		need(4.5, "ink", "mark", "box")
		need(4.5, "soft", "box")
		need(4.5, "accent-ink", "accent")
		need(3, "focus", "paper", "panel")
		for _, line := range []string{"s0", "s1", "s2", "s3", "s4", "s5", "s6", "s7"} {
			need(3, line, "paper")
		}
	}
}
