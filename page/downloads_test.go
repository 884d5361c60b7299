package page_test

import (
	"encoding/json"
	"fmt"
	"html"
	"net/http"
	"net/url"
	"regexp"
	"strings"
	"testing"

	"github.com/almanac-sim/almanac/ensemble"
	"github.com/almanac-sim/almanac/internal/testscale"
	"github.com/almanac-sim/almanac/page"
	"github.com/almanac-sim/almanac/population"
	"github.com/almanac-sim/almanac/population/results"
	"github.com/almanac-sim/almanac/reproduce"
	"github.com/almanac-sim/almanac/study"
)

// savedStudies are directories of every kind that a page is made of.
func savedStudies(t *testing.T) map[string]string {
	t.Helper()
	files := map[string]string{"flu.yaml": twoScenarios, "fitted/model.yaml": twoScenarios, "fitted/fit.json": fluFit,
		"fitted/posterior.csv": fluPosterior(),
		"day/courses.csv":      "statistic,from,to,mean,min,max\ndesk queue,0,2,1,1,1\ndesk queue,2,5,0,0,0\n",
		"day/report.json":      "[]\n", "swept/model.yaml": twoScenarios,
		"swept/command.txt": "almanac sweep flu.yaml --seed 1 --replicas 2 --vary 'beta=0.4 per day, 0.5 per day' --vary " +
			"'stay=4 days, 5 days' --out swept\n",
		"swept/study.json": studyJSON(t, study.Request{Kind: study.Sweep, Model: "flu.yaml",
			Vary: []string{"beta=0.4 per day, 0.5 per day", "stay=4 days, 5 days"}, Seed: 1, Replicas: 2})}
	savedRun(t, files, "saved/base", twoScenarios, 4, 4)
	savedRun(t, files, "saved/slower", twoScenarios, 4, 4, population.Scenario("slower"))
	points, series := "beta,stay,replicas,output,mean,sd,low,high\n", "beta,stay,"+strings.Join(results.PointColumns(),
		",")+"\n"
	for _, values := range []string{"0.4,4", "0.4,5", "0.5,4", "0.5,5"} {
		points += values + ",2,final(ill),3,1,-6,12\n"
		for day := range 3 {
			row := map[string]string{"time": fmt.Sprint(day), "kind": "state", "name": "ill", "replicas": "2", "mean": "4",
				"sd": "1", "q05": "2", "median": fmt.Sprint(10 - day), "q95": "20"}
			series += values
			for _, column := range results.PointColumns() {
				series += "," + row[column]
			}
			series += "\n"
		}
	}
	files["swept/points.csv"], files["swept/series.csv"] = points, series
	savedComparison(t, files, "compared")
	report := &reproduce.Report{Provenance: reproduce.Provenance{Machine: "a machine",
		Command: "almanac reproduce --out report --seed 7"},
		Results: []reproduce.Result{{Name: quickClaim, Verdict: reproduce.Holds, Measured: "one half"}}}
	var b strings.Builder
	if err := report.JSON(&b); err != nil {
		t.Fatal(err)
	}
	files["report/claims.json"], files["report/report.html"] = b.String(), "<!doctype html><title>all</title>"
	return files
}

var (
	figureBlock  = regexp.MustCompile(`(?s)<figure .*?</figure>`)
	figureForm   = regexp.MustCompile(`data-form="(\w+)" href="([^"]+)" download>`)
	fileLink     = regexp.MustCompile(`<a href="([^"]+)" download>([^<]+)</a>( <span class="about">[^<]+</span>)?`)
	modelButton  = regexp.MustCompile(`formaction="(/model-files/([^"]+))" data-take>`)
	commandBlock = regexp.MustCompile(`<code data-command>([^<]+)</code>`)
)

// begins is what an answer of a type begins with.
var begins = map[string]string{"image/svg+xml": "<", "image/png": "\x89PNG", "application/pdf": "%PDF-",
	"text/csv; charset=utf-8": "",
	"application/json":        "", "text/plain; charset=utf-8": "", "application/yaml": "",
	"text/html; charset=utf-8": "<!doctype"}

// taken wants an answer to be a file of the type that its ending says.
func (c *client) taken(page, name string, answer *http.Response, body string) {
	c.t.Helper()
	kinds := map[string]string{"svg": "image/svg+xml", "png": "image/png", "pdf": "application/pdf",
		"csv":  "text/csv; charset=utf-8",
		"json": "application/json", "txt": "text/plain; charset=utf-8", "go": "text/plain; charset=utf-8",
		"yaml": "application/yaml", "html": "text/html; charset=utf-8"}
	kind := kinds[name[strings.LastIndex(name, ".")+1:]]
	if got := answer.Header.Get("Content-Type"); got != kind || kind == "" {
		c.t.Errorf("%s: %s is %q", page, name, got)
	}
	if answer.StatusCode != http.StatusOK || !strings.HasPrefix(answer.Header.Get("Content-Disposition"),
		"attachment; filename=") || body == "" || !strings.HasPrefix(strings.ToLower(body), strings.ToLower(begins[kind])) {
		c.t.Errorf("%s: %s answers %s, %.60q", page, name, answer.Status, body)
	}
	if kind == "application/json" && !json.Valid([]byte(body)) {
		c.t.Errorf("%s: %s is no JSON: %.100s", page, name, body)
	}
}

// Everything that is seen can be taken away. On every kind of page each figure has SVG, PDF, PNG,
// CSV and JSON, each link and button that says so answers with a file of its type, what is found is
// there as JSON, and there is a command line that gives the same.
func TestEverythingCanBeDownloaded(t *testing.T) {
	t.Parallel()
	h, err := ensemble.StartHub(ensemble.HubOptions{Store: t.TempDir(), Listen: "127.0.0.1:0"})
	if err != nil {
		t.Fatal(err)
	}
	defer h.Close()
	c := serve(t, page.Config{Files: someFiles(savedStudies(t)), Dir: "models", Hub: &ensemble.ConnectOptions{
		URL: h.URL()}})
	started := func(path string, form url.Values) string {
		t.Helper()
		run, body := c.start(path, form)
		if !strings.Contains(body, `data-state="done"`) {
			t.Fatalf("%s: %.2000s", path, body)
		}
		return run
	}
	flu := func(pairs ...string) url.Values {
		form := url.Values{"path": {"flu.yaml"}, "replicas": {"3"}}
		for i := 0; i < len(pairs); i += 2 {
			form.Add(pairs[i], pairs[i+1])
		}
		return form
	}
	first, second := started("/runs", flu("seed", "1")), started("/runs", flu("seed", "2", "scenario", "slower"))
	sweep := started("/sweeps", flu("vary", "beta", "values", "0.4 per day, 0.5 per day", "vary", "stay", "values",
		"4 days, 5 days", "outputs", "final(ill)"))
	number := func(run string) string { return strings.TrimPrefix(run, "/runs/") }
	for _, x := range []struct {
		page     string
		figures  int    // at least
		json     bool   // what is found, beside the JSON of each figure
		commands string // a part of one of them
	}{
		{"/models/flu.yaml?seed=7&set.beta=0.3+per+day", 0, false,
			"almanac run models/flu.yaml --seed 7 --replicas 20 --set 'beta=0.3 per day'"},
		{first, 2, true, "almanac run models/flu.yaml --seed 1 --replicas 3"},
		{"/results/saved/base", 2, true, "almanac run model.yaml --out saved/base"},
		{started("/compare", flu("scenarios", "base", "scenarios", "slower")), 6, true, "almanac compare models/flu.yaml"},
		{started("/compare", url.Values{"run": {number(first), number(second)}, "dir": {"saved/slower"}}), 3, true,
			"almanac run models/flu.yaml --seed 2 --replicas 3 --scenario slower"},
		{sweep, 3, true, "almanac sweep models/flu.yaml"},
		{sweep + "/points/2", 0, true, "--set 'beta=0.5 per day' --set 'stay=4 days'"},
		{"/sweeps/swept", 3, true, "almanac sweep flu.yaml"},
		{"/sweep-points/swept?point=1", 1, true, "almanac run models/swept/model.yaml --seed 1 --replicas 2 --set " +
			"'beta=0.4 per day' --set 'stay=5 days'"},
		{"/comparisons/compared", 0, true, "almanac compare flu.yaml"},
		{"/fits/fitted", 5, true, "almanac fit flu.yaml"},
		{started("/fits/fitted", url.Values{"replicas": {"3"}}), 2, true, "--from models/fitted/posterior.csv"},
		{"/hub", 0, true, "almanac jobs watch"},
		{started("/capped", balls()), 3, true, "almanac capped"},
		{started("/queues", line()), 3, true, "go run queue.go"}, // which is one of its files
		{"/courses/day", 1, true, ""},                            // whose program is somebody else's
		{"/papers?report=report%2Fclaims.json", 0, true, "almanac reproduce --out report --seed 7"},
		{"/papers/" + quickClaim + "?report=report%2Fclaims.json", 0, true, "almanac reproduce --out report --seed 7"},
		{started("/papers/"+quickClaim, url.Values{}), 1, true, "almanac reproduce " + quickClaim},
	} {
		_, body := c.want(http.StatusOK, "GET", x.page, nil)
		blocks := figureBlock.FindAllString(body, -1)
		if len(blocks) < x.figures {
			t.Errorf("%s has %d figures", x.page, len(blocks))
		}
		for i, block := range blocks {
			forms := ""
			for _, m := range figureForm.FindAllStringSubmatch(block, -1) {
				forms += m[1] + " "
				if m[1] == "png" && i > 0 && !testscale.On { // a PNG is 30 ms of a core, and the next are of the same code
					continue
				}
				link := html.UnescapeString(m[2])
				answer, text := c.ask("GET", link, nil)
				c.taken(x.page, link[:strings.IndexByte(link, '?')], answer, text)
			}
			if forms != "svg pdf png csv json " {
				t.Errorf("%s: %.100s can be had as %s", x.page, block, forms)
			}
		}
		found := false
		for _, m := range fileLink.FindAllStringSubmatch(body, -1) {
			answer, text := c.ask("GET", html.UnescapeString(m[1]), nil)
			c.taken(x.page, m[2], answer, text)
			found = found || strings.HasSuffix(m[2], ".json")
			if saved := regexp.MustCompile("^/(results|sweeps|comparisons|fits)/"); m[3] == "" && saved.MatchString(x.page) {
				t.Errorf("%s does not say what %s is", x.page, m[2])
			}
		}
		if found != x.json {
			t.Errorf("%s: it is %v that there is JSON", x.page, found)
		}
		buttons := modelButton.FindAllStringSubmatch(body, -1)
		for _, m := range buttons {
			answer, text := c.ask("POST", m[1], url.Values{"path": {"flu.yaml"},
				"source": {strings.Replace(twoScenarios, "immune", "recovered", -1)}})
			c.taken(x.page, m[2], answer, text)
			if !strings.Contains(text, "recovered") && m[2] != "diagram.png" {
				t.Errorf("%s is not of what is in the editor: %.300s", m[2], text)
			}
		}
		if want := strings.HasPrefix(x.page, "/models/"); (len(buttons) == 4) != want {
			t.Errorf("%s has %d buttons", x.page, len(buttons))
		}
		commands := ""
		for _, m := range commandBlock.FindAllStringSubmatch(body, -1) {
			commands += html.UnescapeString(m[1]) + "\n"
		}
		if !strings.Contains(commands, x.commands) || (commands == "") != (x.commands == "") {
			t.Errorf("%s: no %q in %q", x.page, x.commands, commands)
		}
	}
	// A model with a mistake is not drawn, and the page says why, with what was typed; its text can
	// be had.
	wrong := url.Values{"path": {"flu.yaml"}, "source": {strings.Replace(twoScenarios, "to: immune", "to: imune", 1)}}
	for _, name := range []string{"diagram.svg", "diagram.png", "meaning.txt"} {
		if _, body := c.want(http.StatusUnprocessableEntity, "POST", "/model-files/"+name, wrong); !strings.Contains(body,
			"did you mean") || !strings.Contains(body, "imune") {
			t.Errorf("%s: %.1000s", name, body)
		}
	}
	c.want(http.StatusOK, "POST", "/model-files/model.yaml", wrong)
	c.want(http.StatusNotFound, "POST", "/model-files/passwd", flu())
	for form, want := range map[string]string{
		"seed=3&set.beta=0.2+per+day": `{"commands":"almanac check models/flu.yaml\nalmanac run models/flu.yaml --seed 3 ` +
			`--replicas 1 --set 'beta=0.2 per day'","wrong":""}`,
		"size=many":     `{"commands":"almanac check models/flu.yaml","wrong":"size: `,
		"source=states": `{"commands":"","wrong":"there is something wrong with the file"}`,
	} {
		values, _ := url.ParseQuery(form + "&path=flu.yaml")
		if _, body := c.want(http.StatusOK, "POST", "/commands", values); !strings.HasPrefix(body, want) {
			t.Errorf("%s: %s, want %s", form, body, want)
		}
	}
}
