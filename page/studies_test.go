package page_test

import (
	"bytes"
	"context"
	"encoding/json"
	"net/http"
	"net/url"
	"strings"
	"testing"

	"github.com/almanac-sim/almanac/page"
	"github.com/almanac-sim/almanac/population"
	"github.com/almanac-sim/almanac/population/results"
)

// start sends a form and waits until what it starts is over.
func (c *client) start(path string, form url.Values) (run, body string) {
	c.t.Helper()
	answer, _ := c.want(http.StatusSeeOther, "POST", path, form)
	run = answer.Header.Get("Location")
	return run, c.done(run)
}

const twoScenarios = `name: flu
time: {unit: day, start: 0, end: 60}
population: {size: 500, start: {ill: 10, well: rest}}
parameters: {beta: 0.5 per day, stay: 5 days}
states:
  well: {}
  ill: {race: [{after: {exponential: {mean: stay}}, to: immune}]}
  immune: {}
transmission:
  - {from: ill, rate: beta, to: {well: ill}}
record: {every: 1 day}
scenarios: {base: {}, slower: {beta: 0.2 per day}}
`

// savedRun is a directory that almanac run --out would write: what there is of it to compare.
func savedRun(t *testing.T, files map[string]string, dir, source string, seed uint64, replicas int, changes ...population.Change) {
	t.Helper()
	m, err := population.Compile("model.yaml", []byte(source), changes...)
	if err != nil {
		t.Fatal(err)
	}
	r, err := m.Run(context.Background(), population.Options{Seed: seed, Replicas: replicas})
	if err != nil {
		t.Fatal(err)
	}
	var summary, series, flows bytes.Buffer
	if err := r.WriteJSON(&summary); err != nil {
		t.Fatal(err)
	}
	if err := results.WriteSeries(&series, results.CSV, r); err != nil {
		t.Fatal(err)
	}
	if err := results.WriteFlows(&flows, results.CSV, r); err != nil {
		t.Fatal(err)
	}
	files[dir+"/summary.json"], files[dir+"/series.csv"], files[dir+"/flows.csv"], files[dir+"/command.txt"] = summary.String(), series.String(), flows.String(), "almanac run model.yaml --out "+dir+"\n"
}

// A run of the server and the same run in a directory do not differ, to the last digit; and against another scenario the two give the same intervals.
func TestCompareRuns(t *testing.T) {
	files := map[string]string{"flu.yaml": twoScenarios}
	savedRun(t, files, "out/base", twoScenarios, 4, 6)
	savedRun(t, files, "out/slower", twoScenarios, 4, 6, population.Scenario("slower"))
	savedRun(t, files, "out/other", twoScenarios, 5, 6, population.Scenario("slower"))
	c := serve(t, page.Config{Files: someFiles(files)})
	first, _ := c.start("/runs", url.Values{"path": {"flu.yaml"}, "seed": {"4"}, "replicas": {"6"}})
	second, _ := c.start("/runs", url.Values{"path": {"flu.yaml"}, "seed": {"4"}, "replicas": {"6"}, "scenario": {"slower"}})
	id := func(run string) string { return strings.TrimPrefix(run, "/runs/") }
	_, body := c.want(http.StatusOK, "GET", "/compare", nil)
	for _, want := range []string{`name="run" value="` + id(first), `name="dir" value="out/slower"`, "/compare?model=flu.yaml"} {
		if !strings.Contains(body, want) {
			t.Errorf("%s cannot be chosen", want)
		}
	}
	type sides []struct {
		Name        string
		Differences []struct {
			Output          string
			Mean, Low, High *float64
		}
		How string `json:"differences_are"`
	}
	compare := func(form url.Values) (s sides, body string) {
		run, body := c.start("/compare", form)
		_, text := c.want(http.StatusOK, "GET", run+"/files/comparison.json", nil)
		if err := json.Unmarshal([]byte(text), &s); err != nil {
			t.Fatal(err)
		}
		return s, body
	}
	of := func(s sides, side int, output string) [3]float64 {
		for _, d := range s[side].Differences {
			if d.Output == output {
				return [3]float64{*d.Mean, *d.Low, *d.High}
			}
		}
		t.Fatalf("no %s in %+v", output, s)
		return [3]float64{}
	}
	here, body := compare(url.Values{"run": {id(first), id(second)}, "dir": {"out/base", "out/slower", "out/other"}})
	if of(here, 2, "final(immune)") != [3]float64{} {
		t.Errorf("a run differs from itself: %+v", here)
	}
	paired := of(here, 1, "final(immune)")
	if of(here, 3, "final(immune)") != paired || !(paired[2] < 0) {
		t.Errorf("a scenario differs by %v here and %v in a directory", paired, of(here, 3, "final(immune)"))
	}
	if other := of(here, 4, "final(immune)"); !strings.Contains(here[4].How, "Welch") || !strings.Contains(here[3].How, "same luck") || other == paired || !(other[1] < other[0] && other[0] < other[2]) {
		t.Errorf("with another seed: %v, %s", other, here[4].How)
	}
	if strings.Count(body, `class="chart"`) != strings.Count(body, `data-numbers`) || !strings.Contains(body, "Difference from run") || !strings.Contains(body, "almanac run model.yaml --out out/other") {
		t.Error("a chart has no table, or there are no differences over time, or no commands")
	}
	// Of runs of the server alone everything is told, not only ends.
	both, _ := compare(url.Values{"run": {id(first), id(second)}})
	if peak := of(both, 1, "peak(ill)"); !(peak[2] < 0) || of(both, 1, "final(immune)") != paired {
		t.Errorf("%v", peak)
	}
}

// What cannot be compared is said, and what was typed stays.
func TestCompareWrong(t *testing.T) {
	files := map[string]string{"flu.yaml": twoScenarios, "a/summary.json": "{}", "b/summary.json": "[", "plain.yaml": strings.Split(twoScenarios, "scenarios:")[0]}
	savedRun(t, files, "c", twoScenarios, 1, 2)
	files["c/series.csv"] = "replica,time\n"
	c := serve(t, page.Config{Files: someFiles(files)})
	two := []string{"base", "slower"}
	for _, test := range []struct {
		form url.Values
		want string
	}{
		{url.Values{"path": {"flu.yaml"}, "scenarios": {"base"}}, "1 are chosen; expected from 2 to 8"},
		{url.Values{"path": {"flu.yaml"}, "scenarios": {"base", "other"}}, "is not one of base, slower"},
		{url.Values{"path": {"flu.yaml"}, "scenarios": {"base", "base"}}, "stands there twice"},
		{url.Values{"path": {"flu.yaml"}, "scenarios": two, "replicas": {"1"}}, "expected one from 2 to 10000"},
		{url.Values{"path": {"flu.yaml"}, "scenarios": two, "seed": {"x"}}, "is not a seed"},
		{url.Values{"path": {"flu.yaml"}, "scenarios": two, "size": {"-1"}}, "is not a number of individuals"},
		{url.Values{"path": {"flu.yaml"}, "scenarios": two, "outputs": {"peak(il)"}}, "did you mean"},
		{url.Values{"path": {"plain.yaml"}, "scenarios": two}, "the model has 0 scenarios"},
		{url.Values{}, "0 are chosen; from 2 to 8 can be compared"},
		{url.Values{"dir": strings.Split("a a a a a a a a a", " ")}, "9 are chosen"},
	} {
		if _, body := c.want(http.StatusUnprocessableEntity, "POST", "/compare", test.form); !strings.Contains(body, test.want) {
			t.Errorf("%v: no %q in %s", test.form, test.want, body)
		}
	}
	if _, body := c.want(http.StatusUnprocessableEntity, "POST", "/compare", url.Values{"path": {"flu.yaml"}, "scenarios": two, "outputs": {"peak(il)"}}); !strings.Contains(body, "peak(il)</textarea>") {
		t.Error("what was typed is gone")
	}
	c.want(http.StatusNotFound, "POST", "/compare", url.Values{"dir": {"a", "../b"}})
	c.want(http.StatusNotFound, "POST", "/compare", url.Values{"run": {"7", "8"}})
	c.want(http.StatusNotFound, "GET", "/compare?model=nothing.yaml", nil)
	for _, dirs := range [][]string{{"c", "a"}, {"c", "b"}, {"c", "c"}, {"c", "nothing"}} {
		if _, body := c.start("/compare", url.Values{"dir": dirs}); !strings.Contains(body, `data-state="failed"`) {
			t.Errorf("%v: %s", dirs, body)
		}
	}
}
