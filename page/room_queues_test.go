package page_test

import (
	"net/http"
	"net/url"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"

	"github.com/chromedp/chromedp"

	"github.com/almanac-sim/almanac/page"
)

// line is a form of a queue, with some fields other than usual.
func line(pairs ...string) url.Values {
	form := url.Values{"servers": {"2"}, "rate": {"6"}, "service": {"12"}, "shape": {"exponential"}, "until": {"300"},
		"seed": {"2"}}
	for i := 0; i < len(pairs); i += 2 {
		form.Set(pairs[i], pairs[i+1])
	}
	return form
}

// A queue on the page has its theory beside it, and the program that can be taken away prints the
// same report.
func TestQueueOnPage(t *testing.T) {
	c := serve(t, page.Config{})
	for want, form := range map[string]url.Values{"M/M/2": line(), "2 servers by day, 1 at night": line("night", "1",
		"shape", "lognormal"), "M/D/1": line("servers", "1", "shape", "constant", "service", "60")} {
		answer, _ := c.want(http.StatusSeeOther, "POST", "/queues", form)
		run := answer.Header.Get("Location")
		body := c.done(run)
		for _, want := range []string{want + "</h1>", `data-state="done"`, "Customers in line", "Busy servers",
			"How long customers wait", "queue.go"} {
			if !strings.Contains(body, want) {
				t.Errorf("the page has no %s: %.3000s", want, body)
			}
		}
		if (want == "M/M/2") != strings.Contains(body, "theory, long run") {
			t.Errorf("%s: theory", want)
		}
		for _, name := range []string{"report.csv", "courses.csv", "observations.csv"} {
			c.want(http.StatusOK, "GET", run+"/files/"+name, nil)
		}
		if want == "M/D/1" {
			continue
		}
		_, program := c.want(http.StatusOK, "GET", run+"/files/queue.go", nil)
		_, report := c.want(http.StatusOK, "GET", run+"/files/report.txt", nil)
		file := filepath.Join(t.TempDir(), "queue.go")
		if err := os.WriteFile(file, []byte(program), 0o666); err != nil {
			t.Fatal(err)
		}
		var said strings.Builder // by go, too: with GOFLAGS=-v, the packages that it compiles
		command := exec.Command("go", "run", file)
		command.Stderr = &said
		out, err := command.Output()
		if err != nil || string(out) != report {
			t.Errorf("the program prints %v, %s%s\nand not %s", err, out, said.String(), report)
		}
	}
	for want, form := range map[string]url.Values{"Servers: ": line("servers", "0"), "At night: ": line("night", "x"),
		"Customers an hour: ": line("rate", "-1"), "Minutes of service: ": line("service", "NaN"),
		"Hours: about": line("until", "1e6"), "Seed: ": line("seed", ""), "Service: ": line("shape", "")} {
		if _, body := c.want(http.StatusUnprocessableEntity, "POST", "/queues", form); !strings.Contains(body, want) {
			t.Errorf("no %q in %.2000s", want, body)
		}
	}
}

// What a program of sim wrote below the directory is listed and shown; what is none is said.
func TestSavedCourses(t *testing.T) {
	const head = "statistic,from,to,mean,min,max\n"
	c := serve(t, page.Config{
		Files: someFiles(map[string]string{"a b/day/courses.csv": head +
			"desk queue,0,2,1,1,1\ndesk queue,2,5,0,0,0\n<i>,0,5,3,3,3\n", "bad/courses.csv": "x"})})
	if _, body := c.want(http.StatusOK, "GET", "/queues", nil); !strings.Contains(body,
		`<a href="/courses/a%20b/day">a b/day</a>`) {
		t.Errorf("%.3000s", body)
	}
	if _, body := c.want(http.StatusOK, "GET", "/courses/a%20b/day", nil); !strings.Contains(body, "desk queue") ||
		!strings.Contains(body, "&lt;i&gt;") || strings.Contains(body, "<i>") {
		t.Errorf("%.3000s", body)
	}
	if _, body := c.want(http.StatusOK, "GET", "/course/course-0.csv?dir=a%20b/day", nil); !strings.Contains(body,
		"desk queue,2,1,,") {
		t.Error(body)
	}
	c.want(http.StatusUnprocessableEntity, "GET", "/courses/bad", nil)
	c.want(http.StatusNotFound, "GET", "/courses/none", nil)
}

// In a browser, from the form to the end, at three sizes.
func TestQueuesInBrowser(t *testing.T) {
	t.Parallel()
	v := visit(t, page.Config{})
	v.get("/queues")
	v.do(chromedp.Click(chromedp.CSS("button.main")))
	v.until(`document.querySelector("[data-state=done]") && document.querySelector(".tables td")`)
	if got := eval[string](v, `[...document.querySelectorAll("[data-figure]")].filter(f => `+
		`f.querySelector('g.line[data-series="0"] path')).map(f => f.querySelector("h3").textContent).join("; ")`); got !=
		"Busy servers; Customers in line; How long customers wait" {
		t.Errorf("the charts are %q", got)
	}
	v.look("queue-run", eval[string](v, "location.pathname"))
	v.look("queues", "/queues")
}
