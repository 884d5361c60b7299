package page_test

import (
	"bytes"
	"context"
	"fmt"
	"net/http"
	"net/url"
	"regexp"
	"strings"
	"testing"
	"time"

	"github.com/almanac-sim/almanac/examples"
	"github.com/almanac-sim/almanac/page"
	"github.com/almanac-sim/almanac/population"
	"github.com/almanac-sim/almanac/population/results"
)

// done waits until a run is over, and returns its page. It looks at the list, which nothing is
// drawn for.
func (c *client) done(run string) string {
	c.t.Helper()
	for deadline := time.Now().Add(2 * time.Minute); time.Now().Before(deadline); time.Sleep(20 * time.Millisecond) {
		_, body := c.want(http.StatusOK, "GET", "/runs", nil)
		if state := regexp.MustCompile(`<li class="(\w+)"><a href="` + run + `">`).FindStringSubmatch(body); state != nil &&
			state[1] != "waiting" && state[1] != "running" {
			_, body := c.want(http.StatusOK, "GET", run, nil)
			return body
		}
	}
	c.t.Fatalf("%s does not end", run)
	return ""
}

var seconds = regexp.MustCompile(`"seconds":[^,]*,`)

// Without a script: a form starts a run, its page shows the result with a table for each chart, and
// the numbers are those of the library with the same seed, byte for byte. The command that is shown
// asks for the same.
func TestRunWithoutScript(t *testing.T) {
	c := serve(t, page.Config{})
	answer, _ := c.want(http.StatusSeeOther, "POST", "/runs", url.Values{"path": {"seir-regions.yaml"}, "seed": {"7"},
		"replicas": {"3"}, "size": {"2_000"}, "until": {"100"}, "set.beta": {"0.5 per day"}, "set.at_home": {"95%"}})
	run := answer.Header.Get("Location")
	body := c.done(run)
	for _, want := range []string{`data-state="done"`, "almanac run examples/seir-regions.yaml --seed 7 --replicas 3 " +
		"--size 2000 --until 100 --set &#39;beta=0.5 per day&#39;",
		"2,000 individuals, 3 replicas, seed 7, until 100, beta = 0.5 per day",
		"<caption>Individuals in each state: median"} {
		if !strings.Contains(body, want) {
			t.Errorf("the page has no %s", want)
		}
	}
	if strings.Count(body, `<svg xmlns="http://www.w3.org/2000/svg" class="chart"`) != strings.Count(body,
		"<table><caption>")-3 || strings.Contains(body, "style=") {
		t.Error("a chart has no table, or something has a style of its own")
	}
	source, err := examples.Files().ReadFile("seir-regions.yaml")
	if err != nil {
		t.Fatal(err)
	}
	m, err := population.Compile("seir-regions.yaml", source, population.Size(2000), population.Until("100"),
		population.Set("beta", "0.5 per day"))
	if err != nil {
		t.Fatal(err)
	}
	r, err := m.Run(context.Background(), population.Options{Seed: 7, Replicas: 3})
	if err != nil {
		t.Fatal(err)
	}
	var series, flows, summary bytes.Buffer
	if err := results.WriteSeries(&series, results.CSV, r); err != nil {
		t.Fatal(err)
	}
	if err := results.WriteFlows(&flows, results.CSV, r); err != nil {
		t.Fatal(err)
	}
	if err := r.WriteJSON(&summary); err != nil {
		t.Fatal(err)
	}
	diagram, err := m.Diagram(t.Context())
	if err != nil {
		t.Fatal(err)
	}
	for name, want := range map[string]string{"series.csv": series.String(), "flows.csv": flows.String(),
		"model.yaml": string(source), "diagram.svg": string(diagram)} {
		if _, got := c.want(http.StatusOK, "GET", run+"/files/"+name, nil); got != want {
			t.Errorf("%s differs", name)
		}
	}
	if _, got := c.want(http.StatusOK, "GET", run+"/files/summary.json", nil); seconds.ReplaceAllString(got, "") !=
		seconds.ReplaceAllString(summary.String(), "")+"\n" {
		t.Error("summary.json differs")
	}
	// Figures, in all forms.
	for ending, begins := range map[string]string{"svg": "<?xml", "png": "\x89PNG",
		"csv": "series,x,y,low,high\nsusceptible,0,", "json": `{"x":"day","series":[{"name":"susceptible"`} {
		if _, got := c.want(http.StatusOK, "GET", run+"/figures/states."+ending, nil); !strings.HasPrefix(got, begins) {
			t.Errorf("states.%s begins with %.60q", ending, got)
		}
	}
	_, all := c.want(http.StatusOK, "GET", run+"/figures/states.svg?w=400", nil)
	_, part := c.want(http.StatusOK, "GET", run+"/figures/states.svg?w=400&log=y&from=10&to=20&hide=0,2", nil)
	if !strings.Contains(all, `data-x="0 100 `) || !strings.Contains(part, `data-x="10 20 `) ||
		!strings.Contains(part, `data-log="y"`) || strings.Contains(part, "style=") {
		t.Errorf("%.300s\n%.300s", all, part)
	}
	if !strings.Contains(part, `<g data-series="0" class="line"></g>`) ||
		strings.Contains(all, `<g data-series="0" class="line"></g>`) {
		t.Error("a hidden series is drawn, or one that is not hidden is not")
	}
	for _, path := range []string{"/figures/nothing.svg", "/figures/states.gif", "/figures/states", "/files/passwd"} {
		c.want(http.StatusNotFound, "GET", run+path, nil)
	}
	for _, w := range []string{"10", "1e9", "x", "NaN"} {
		c.want(http.StatusBadRequest, "GET", run+"/figures/states.svg?w="+w, nil)
	}
}

// What is wrong with a model, or with what is asked for, is said on the page of the model, with
// what was typed.
func TestWrongRequests(t *testing.T) {
	c := serve(t, page.Config{Limits: page.Limits{Replicas: 100, Bytes: 1 << 20}})
	sir, _ := examples.Files().ReadFile("sir.yaml")
	for _, x := range []struct {
		form url.Values
		want string
	}{
		{url.Values{"source": {strings.Replace(string(sir), "to: recovered", "to: recoverd", 1)}}, "line 17, column 27"},
		{url.Values{"seed": {"-1"}}, "is not a seed"},
		{url.Values{"replicas": {"101"}}, "from 1 to 100"},
		{url.Values{"replicas": {"0"}}, "from 1 to 100"},
		{url.Values{"size": {"many"}}, "is not a number of individuals"},
		{url.Values{"size": {"NaN"}}, "is not a number of individuals"},
		{url.Values{"until": {"never"}}, "never"},
		{url.Values{"scenario": {"nothing"}}, "nothing"},
		{url.Values{"set.beta": {"0.5 days"}}, "beta"},
		{url.Values{"until": {"50000"}, "replicas": {"100"}}, "more than the"},
	} {
		x.form.Set("path", "sir.yaml")
		if _, body := c.want(http.StatusUnprocessableEntity, "POST", "/runs", x.form); !strings.Contains(body, x.want) {
			t.Errorf("%v: no %q", x.form, x.want)
		}
	}
	// Too many individuals for the machine: the run fails before it begins, and says what would fit.
	answer, _ := c.want(http.StatusSeeOther, "POST", "/runs", url.Values{"path": {"sir.yaml"}, "size": {"4000000000"},
		"source": {strings.Replace(string(sir), "size: 100_000", "size: 100_000\n  most: 4_000_000_000", 1)}})
	if body := c.done(answer.Header.Get("Location")); !strings.Contains(body, `data-state="failed"`) ||
		!strings.Contains(body, "memory") {
		t.Errorf("%.3000s", body)
	}
}

// A script that asks while somebody types gets places and words.
func TestCheck(t *testing.T) {
	c := serve(t, page.Config{})
	sir, _ := examples.Files().ReadFile("sir.yaml")
	answer, body := c.want(http.StatusOK, "POST", "/check", url.Values{"path": {"sir.yaml"},
		"source": {strings.Replace(string(sir), "to: recovered", "to: recoverd", 1)}})
	if answer.Header.Get("Content-Type") != "application/json" || !strings.Contains(body, `"line":17`) ||
		!strings.Contains(body, `"good":false`) || !strings.Contains(body, "recovered") {
		t.Error(body)
	}
	_, body = c.want(http.StatusOK, "POST", "/check", url.Values{"path": {"sir.yaml"},
		"source": {strings.Replace(string(sir), "0.5 per day", "0.7 per day", 1)}})
	if !strings.Contains(body, `"problems":[]`) || !strings.Contains(body, `"good":true`) ||
		!strings.Contains(body, "0.7 per day") || !strings.Contains(body, "\\u003csvg") {
		t.Error(body)
	}
}

// A parameter that is changed in the text is run as the text has it; one whose field was changed as
// the field has it.
func TestTextOrField(t *testing.T) {
	c := serve(t, page.Config{})
	sir, _ := examples.Files().ReadFile("sir.yaml")
	edited := strings.Replace(string(sir), "0.5 per day", "0.7 per day", 1)
	for field, want := range map[string]string{"0.5 per day": "0.7 per day", "0.6 per day": "0.6 per day"} {
		form := url.Values{"path": {"sir.yaml"}, "source": {edited}, "size": {"200"}, "set.beta": {field},
			"was.beta": {"0.5 per day"}}
		_, body := c.want(http.StatusOK, "POST", "/check", form)
		if !strings.Contains(body, `name=\"set.beta\" value=\"`+want) {
			t.Errorf("field %s: the fields do not have %s: %s", field, want, body)
		}
		answer, _ := c.want(http.StatusSeeOther, "POST", "/runs", form)
		c.done(answer.Header.Get("Location"))
		if _, page := c.want(http.StatusOK, "GET", answer.Header.Get("Location"), nil); strings.Contains(page, "beta = ") !=
			(field == "0.6 per day") {
			t.Errorf("field %s: what the run was asked with is wrong", field)
		}
	}
}

// A model of many states has as many lines as one can tell apart, and says so; all are in the
// tables.
func TestManyStates(t *testing.T) {
	var b strings.Builder
	b.WriteString("name: chain\ntime: {unit: day, end: 5}\npopulation: {size: 600, start: {s0: rest}}\nstates:\n")
	for i := range 60 {
		fmt.Fprintf(&b, "  s%d: {race: [{rate: 60 per day, to: s%d}]}\n", i, (i+1)%60)
	}
	b.WriteString("record: {every: 1 day}\n")
	c := serve(t, page.Config{Files: someFiles(map[string]string{"chain.yaml": b.String()})})
	run, body := c.start("/runs", url.Values{"path": {"chain.yaml"}, "replicas": {"2"}})
	_, states, _ := strings.Cut(body, `data-figure="states"`)
	states, _, _ = strings.Cut(states, "</figure>")
	if n := strings.Count(states, "data-line="); n != 24 || !strings.Contains(states,
		"the first 24 of 60 states; lines: median of 2 replicas") {
		t.Errorf("%d lines: %.2000s", n, states)
	}
	if _, table := c.want(http.StatusOK, "GET", run+"/files/series.csv", nil); !strings.Contains(table, "s59") {
		t.Error("the table lacks a state")
	}
}

// What a file begins with stays, an empty line, too, which browsers leave out of a field if it is
// its first.
func TestFirstLine(t *testing.T) {
	c := serve(t, page.Config{Files: someFiles(map[string]string{"walk.yaml": "\n" + small})})
	if _, body := c.want(http.StatusOK, "GET", "/models/walk.yaml", nil); !strings.Contains(body,
		"aria-describedby=\"problems\">\n\n# A walk") {
		t.Errorf("%.3000s", body)
	}
}

// The command of a text that is not saved reads the tables of the model where they are.
func TestCommandWithTables(t *testing.T) {
	table := "time,speed\n0,1\n5,2\n"
	source := strings.Replace(small, "speed: 0.5 per day",
		"speed: {steps: {file: speed.csv, column: speed, unit: per day}}", 1)
	c := serve(t, page.Config{Files: someFiles(map[string]string{"deep er/walk.yaml": source, "deep er/speed.csv": table,
		"walk.yaml": small}), Dir: "models"})
	for path, want := range map[string]string{
		"deep er/walk.yaml": "(cd &#39;models/deep er&#39; &amp;&amp; almanac run - --seed 1 --replicas 1 ) &lt; model.yaml",
		"walk.yaml":         "almanac run - --seed 1 --replicas 1 &lt; model.yaml",
	} {
		text := source
		if path == "walk.yaml" {
			text = small
		}
		if _, body := c.start("/runs", url.Values{"path": {path}, "source": {text + "# changed\n"}}); !strings.Contains(body,
			"<code data-command>"+want+"</code>") || !strings.Contains(body, `data-state="done"`) {
			_, command, _ := strings.Cut(body, "data-command>")
			t.Errorf("%s: %.200s", path, command)
		}
	}
}

var heading = regexp.MustCompile(`<h([1-6])[ >]`)

// Headings go down by one level at a time, so that who listens finds the way.
func TestHeadings(t *testing.T) {
	files := map[string]string{"walk.yaml": small, "flu.yaml": twoScenarios, "fitted/fit.json": fluFit,
		"fitted/posterior.csv": fluPosterior(), "clinic/courses.csv": "statistic,from,to,mean,min,max\nline,0,1,1,1,1\n"}
	savedRun(t, files, "out", twoScenarios, 4, 2)
	savedComparison(t, files, "compared")
	c := serve(t, page.Config{Files: someFiles(files)})
	run, _ := c.start("/runs", url.Values{"path": {"walk.yaml"}})
	for _, path := range []string{"/", "/models/walk.yaml", run, "/runs", "/compare", "/compare?model=flu.yaml",
		"/studies", "/sweeps?model=walk.yaml", "/fits/fitted", "/comparisons/compared", "/results/out", "/capped", "/queues",
		"/courses/clinic", "/papers"} {
		_, body := c.want(http.StatusOK, "GET", path, nil)
		was := "0"
		for _, m := range heading.FindAllStringSubmatch(body, -1) {
			if m[1] > was && m[1][0]-was[0] > 1 {
				t.Errorf("%s: a heading of level %s after one of level %s", path, m[1], was)
			}
			was = m[1]
		}
		if strings.Count(body, "<h1") != 1 {
			t.Errorf("%s has %d main headings", path, strings.Count(body, "<h1"))
		}
	}
}

// A connection that is lost does not stop a run.
func TestLostConnection(t *testing.T) {
	c := serve(t, page.Config{})
	answer, _ := c.want(http.StatusSeeOther, "POST", "/runs", url.Values{"path": {"sir.yaml"}, "size": {"20000"},
		"replicas": {"30"}})
	run := answer.Header.Get("Location")
	ctx, cancel := context.WithCancel(context.Background())
	r, _ := http.NewRequestWithContext(ctx, "GET", c.base+run+"/events", nil)
	stream, err := c.http.Do(r)
	if err != nil {
		t.Fatal(err)
	}
	first := make([]byte, 20)
	if _, err := stream.Body.Read(first); err != nil || !strings.HasPrefix(string(first), "retry: 1000") {
		t.Errorf("%q, %v", first, err)
	}
	cancel()
	stream.Body.Close()
	if body := c.done(run); !strings.Contains(body, `data-state="done"`) {
		t.Errorf("%.2000s", body)
	}
	// Coming back shows it: everything, and that this is the end.
	_, body := c.want(http.StatusOK, "GET", run+"/events", nil, "Last-Event-ID: 1")
	if !strings.Contains(body, `"state":"done"`) || !strings.HasSuffix(body, "event: end\ndata: {}\n\n") {
		t.Errorf("%.500s", body)
	}
}

// A run that is stopped shows what there is.
func TestStop(t *testing.T) {
	c := serve(t, page.Config{})
	answer, _ := c.want(http.StatusSeeOther, "POST", "/runs", url.Values{"path": {"sir.yaml"}, "size": {"1000000"},
		"replicas": {"1000"}})
	run := answer.Header.Get("Location")
	c.want(http.StatusSeeOther, "POST", run+"/stop", url.Values{})
	if body := c.done(run); !strings.Contains(body, `data-state="stopped"`) {
		t.Errorf("%.2000s", body)
	}
}
