package page_test

import (
	"bytes"
	"context"
	"encoding/json"
	"fmt"
	"maps"
	"net/http"
	"net/url"
	"strconv"
	"strings"
	"testing"

	"github.com/almanac-sim/almanac/page"
	"github.com/almanac-sim/almanac/population"
	"github.com/almanac-sim/almanac/population/results"
	"github.com/almanac-sim/almanac/study"
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
func savedRun(t *testing.T, files map[string]string, dir, source string, seed uint64, replicas int,
	changes ...population.Change) {
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
	files[dir+"/summary.json"], files[dir+"/series.csv"], files[dir+"/flows.csv"],
		files[dir+"/command.txt"] = summary.String(), series.String(), flows.String(),
		"almanac run model.yaml --out "+dir+"\n"
}

// savedComparison is a directory that almanac compare --out would write: its tables are those of a
// comparison on the page, byte for byte.
func savedComparison(t *testing.T, files map[string]string, dir string) {
	t.Helper()
	c := serve(t, page.Config{Files: someFiles(map[string]string{"flu.yaml": twoScenarios})})
	run, _ := c.start("/compare", url.Values{"path": {"flu.yaml"}, "scenarios": {"base", "slower"}, "seed": {"4"},
		"replicas": {"4"}})
	for _, name := range []string{"differences.csv", "scenarios.csv"} {
		_, files[dir+"/"+name] = c.want(http.StatusOK, "GET", run+"/files/"+name, nil)
	}
	files[dir+"/model.yaml"], files[dir+"/command.txt"] = twoScenarios,
		"almanac compare flu.yaml --seed 4 --replicas 4 --scenarios base,slower --out "+dir+"\n"
	files[dir+"/study.json"] = studyJSON(t, comparedFlu)
}

// comparedFlu is what a comparison asks for.
var comparedFlu = study.Request{Kind: study.Compare, Model: "flu.yaml", Seed: 4, Replicas: 4, Scenarios: []string{
	"base", "slower"}}

// studyJSON is the file that a command writes beside its results.
func studyJSON(t *testing.T, r study.Request) string {
	t.Helper()
	var b strings.Builder
	if err := r.WriteJSON(&b); err != nil {
		t.Fatal(err)
	}
	return b.String()
}

// A comparison in a directory is shown as far as it goes: what is cut short or somebody else's is
// said to be so, and what cannot be run once more, and why.
func TestSavedComparisons(t *testing.T) {
	files := map[string]string{}
	savedComparison(t, files, "c")
	differences, scenarios, asked := files["c/differences.csv"], files["c/scenarios.csv"], files["c/study.json"]
	add := func(dir, differences, scenarios, model, asked string) {
		for name, text := range map[string]string{"differences.csv": differences, "scenarios.csv": scenarios,
			"model.yaml": model, "study.json": asked} {
			if text != "" {
				files[dir+"/"+name] = text
			}
		}
		if dir != "plain" {
			files[dir+"/command.txt"] = "almanac compare flu.yaml --seed 4 --replicas 4 --out " + dir + "\n"
		}
	}
	cut := func(text string) string { return text[:len(text)*2/3] }
	drawn, sized := comparedFlu, comparedFlu
	drawn.From, sized.Set = "posterior.csv", []population.Parameter{{Name: "population.size", Value: "100"}}
	add("no scenarios", differences, "", twoScenarios, asked)
	add("differences cut", cut(differences), scenarios, twoScenarios, asked)
	add("scenarios cut", differences, cut(scenarios), twoScenarios, asked)
	add("foreign", "a,b\n1,2\n", scenarios, twoScenarios, asked)
	add("plain", differences, scenarios, "", "")
	add("earlier", differences, scenarios, twoScenarios, "") // of a version that wrote no study.json
	add("drawn", differences, scenarios, twoScenarios, studyJSON(t, drawn))
	add("sized", differences, scenarios, twoScenarios, studyJSON(t, sized))
	add("changed", differences, scenarios, strings.Replace(twoScenarios, "slower", "faster", 1), asked)
	add("later", differences, scenarios, twoScenarios, strings.Replace(asked, `"version": 1`, `"version": 2`, 1))
	add("damaged", differences, scenarios, twoScenarios, cut(asked))
	add("hostile", differences, scenarios, twoScenarios, strings.Replace(asked, `"replicas": 4`, `"replicas": -4`, 1))
	add("swept", differences, scenarios, twoScenarios, strings.Replace(asked, `"compare"`, `"run"`, 1))
	add("many", differences, strings.ReplaceAll(scenarios, ",4,", ",10001,"), twoScenarios, asked)
	c := serve(t, page.Config{Files: someFiles(files)})
	_, list := c.want(http.StatusOK, "GET", "/studies", nil)
	_, compare := c.want(http.StatusOK, "GET", "/compare", nil)
	if want := `<a href="/comparisons/c">c</a>`; !strings.Contains(list, want+` <span class="about">comparison</span>`) ||
		!strings.Contains(compare, want) {
		t.Errorf("it is not listed: %s %s", list, compare)
	}
	for dir, want := range map[string]string{
		"no%20scenarios":    "differences.csv in no scenarios is alone; almanac compare writes scenarios.csv beside it",
		"differences%20cut": "differences.csv in differences cut is not what almanac compare writes",
		"scenarios%20cut":   "scenarios.csv in scenarios cut is not what almanac compare writes",
		"foreign":           "differences.csv in foreign is not what almanac compare writes: its columns are",
		"later": "study.json in later cannot be read: it is of version 2, of a later program than this one, " +
			"which knows 1", "damaged": "study.json in damaged cannot be read: unexpected end",
		"hostile": "study.json in hostile cannot be read: --replicas -4: at least one is needed",
	} {
		for _, address := range []string{"/comparisons/" + dir, "/study-files/comparison.json?dir=" + dir} {
			if _, body := c.want(http.StatusUnprocessableEntity, "GET", address, nil); !strings.Contains(body, want) {
				t.Errorf("%s: no %q in %s", address, want, body)
			}
		}
	}
	c.want(http.StatusNotFound, "GET", "/comparisons/nothing", nil)
	c.want(http.StatusNotFound, "GET", "/comparisons/.hidden", nil)
	for dir, want := range map[string]string{
		"plain": "base, slower, 4 replicas of each<", "earlier": "there is no study.json that tells what was compared.",
		"swept": "there is no study.json that tells what was compared.", "drawn": "values are drawn from a posterior.",
		"sized":   "population.size is set, which is no parameter.",
		"changed": "there is something wrong in scenario slower.", "many": "there are more than 10,000 replicas of each.",
	} {
		_, body := c.want(http.StatusOK, "GET", "/comparisons/"+dir, nil)
		if !strings.Contains(body, want) || strings.Contains(body, "Run them") || !strings.Contains(body, "final(immune)") {
			t.Errorf("%s: no %q in %s", dir, want, body)
		}
		// Who has no command does not know of pairs.
		_, text := c.want(http.StatusOK, "GET", "/study-files/comparison.json?dir="+dir, nil)
		if known := dir != "plain"; strings.Contains(body, "replica by replica") != known ||
			strings.Contains(text, `"replica_by_replica": true`) != known ||
			strings.Contains(text, `"replica_by_replica": false`) {
			t.Errorf("%s: %s", dir, text)
		}
	}
	_, body := c.want(http.StatusOK, "GET", "/comparisons/c", nil)
	for _, want := range []string{"<h1>Compare flu</h1>", "base, slower, 500 individuals, 4 replicas of each, seed 4<",
		"Run them"} {
		if !strings.Contains(body, want) {
			t.Errorf("no %q in %s", want, body)
		}
	}
}

// A run of the server and the same run in a directory do not differ, to the last digit; and against
// another scenario the two give the same intervals.
func TestCompareRuns(t *testing.T) {
	files := map[string]string{"flu.yaml": twoScenarios}
	savedRun(t, files, "out/base", twoScenarios, 4, 6)
	savedRun(t, files, "out/slower", twoScenarios, 4, 6, population.Scenario("slower"))
	savedRun(t, files, "out/other", twoScenarios, 5, 6, population.Scenario("slower"))
	c := serve(t, page.Config{Files: someFiles(files)})
	first, _ := c.start("/runs", url.Values{"path": {"flu.yaml"}, "seed": {"4"}, "replicas": {"6"}})
	second, _ := c.start("/runs", url.Values{"path": {"flu.yaml"}, "seed": {"4"}, "replicas": {"6"},
		"scenario": {"slower"}})
	id := func(run string) string { return strings.TrimPrefix(run, "/runs/") }
	_, body := c.want(http.StatusOK, "GET", "/compare", nil)
	for _, want := range []string{`name="run" value="` + id(first), `name="dir" value="out/slower"`,
		"/compare?model=flu.yaml"} {
		if !strings.Contains(body, want) {
			t.Errorf("%s cannot be chosen", want)
		}
	}
	type sides []struct {
		Name        string
		Differences []struct {
			Output string
			Mean   *float64
			Low    *float64 `json:"mean_ci_low"`
			High   *float64 `json:"mean_ci_high"`
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
	if other := of(here, 4, "final(immune)"); !strings.Contains(here[4].How, "Welch") || !strings.Contains(here[3].How,
		"same luck") || other == paired || !(other[1] < other[0] && other[0] < other[2]) {
		t.Errorf("with another seed: %v, %s", other, here[4].How)
	}
	if strings.Count(body, `class="chart"`) != strings.Count(body, `data-numbers`) ||
		!strings.Contains(body, "Difference from run") || !strings.Contains(body, "almanac run model.yaml --out out/other") {
		t.Error("a chart has no table, or there are no differences over time, or no commands")
	}
	// Of runs of the server alone everything is told, not only ends.
	both, _ := compare(url.Values{"run": {id(first), id(second)}})
	if peak := of(both, 1, "peak(ill)"); !(peak[2] < 0) || of(both, 1, "final(immune)") != paired {
		t.Errorf("%v", peak)
	}
}

// Results that are in the folder itself, and not below it, are found where the list leads to.
func TestResultsAtTheTop(t *testing.T) {
	files := map[string]string{"fit.json": fluFit, "posterior.csv": fluPosterior(),
		"points.csv": "a,replicas,output,mean,sd,low,high\n1,3,x,1,,,\n", "courses.csv": "statistic,from,to,mean,min,max\n" +
			"line,0,1,1,1,1\n"}
	savedRun(t, files, ".", twoScenarios, 4, 2)
	savedComparison(t, files, ".")
	for name, text := range maps.Clone(files) {
		delete(files, name)
		files[strings.TrimPrefix(name, "./")] = text
	}
	c := serve(t, page.Config{Files: someFiles(files)})
	for list, links := range map[string][]string{"/": {"/results/"}, "/studies": {"/sweeps/", "/comparisons/", "/fits/"},
		"/queues": {"/courses/"}} {
		_, body := c.want(http.StatusOK, "GET", list, nil)
		for _, link := range links {
			if !strings.Contains(body, `href="`+link+`."`) {
				t.Errorf("%s does not lead to %s: %s", list, link, body)
			}
			c.want(http.StatusOK, "GET", link, nil) // as browsers ask for it
		}
	}
}

// What cannot be compared is said, and what was typed stays.
func TestCompareWrong(t *testing.T) {
	files := map[string]string{"flu.yaml": twoScenarios, "a/summary.json": "{}", "b/summary.json": "[",
		"plain.yaml": strings.Split(twoScenarios, "scenarios:")[0]}
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
		if _, body := c.want(http.StatusUnprocessableEntity, "POST", "/compare", test.form); !strings.Contains(body,
			test.want) {
			t.Errorf("%v: no %q in %s", test.form, test.want, body)
		}
	}
	if _, body := c.want(http.StatusUnprocessableEntity, "POST", "/compare", url.Values{"path": {"flu.yaml"},
		"scenarios": two, "outputs": {"peak(il)"}}); !strings.Contains(body, "peak(il)</textarea>") {
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

// fluFit is what almanac fit writes of a fit of the model above, made up but in form.
const fluFit = `{
  "model": "flu", "version": "x", "command": "almanac fit flu.yaml --data flu.csv --out fitted",
  "data": {"file": "flu.csv", "times": [1, 2, 3], "columns": [
    {"name": "cases", "kind": "incidence", "of": "well->ill", "error": "poisson", "values": [3, null, 9]}],
   "notes": []},
  "set": "--set 'beta=0.5 per day'",
  "predictive": {"runs": 40, "shares": [0.05, 0.25, 0.5, 0.75, 0.95], "columns": [
    {"name": "cases", "reports": [[1, 2, 3, 4, 5], [2, 3, 4, 6, 8], [4, 6, 8, 10, 12]], "seen": 2, "inside": 2}]},
  "method": "abc", "seed": 1, "runs": 500, "events": 1000, "impossible": 0, "exact": false,
  "power": 0.5, "threshold": 1.5, "particles": 0, "rows": 60, "effective": 60,
  "unknowns": [{"name": "beta", "unit": "per day", "prior": "uniform 0.1..1", "best": 0.5},
    {"name": "stay", "unit": "days", "prior": "gamma mean 5 shape 2 within 1..20", "best": 5}],
  "unmoved": [], "score": null, "score_name": "log likelihood",
  "trace": {"names": ["generation", "runs", "threshold", "power", "effective"],
    "rows": [[0, 100, 8, null, 30], [1, 500, 1.5, 0.5, 60]]},
  "notes": ["a note <b>of</b> the fit"]
}`

// fluPosterior is its sample.
func fluPosterior() string {
	var b strings.Builder
	b.WriteString("beta,stay,weight\n")
	for i := range 60 {
		fmt.Fprintf(&b, "%g,%g,1\n", 0.4+0.2*float64(i%12)/12, 4+2*float64(i%7)/7)
	}
	return b.String()
}

// A fit is shown with the charts of its files; what is not a fit, or a dishonest one, is told apart
// from one without an error of ours.
func TestFitPages(t *testing.T) {
	files := map[string]string{"fitted/model.yaml": twoScenarios, "fitted/fit.json": fluFit,
		"fitted/posterior.csv": fluPosterior(), "best/fit.json": fluFit}
	for name, report := range map[string]string{
		"a": "{}", "b": "[", "c": strings.Replace(fluFit, `"uniform 0.1..1"`, `"uniform"`, 1), "d": strings.Replace(fluFit,
			"[4, 6, 8, 10, 12]", "[4]", 1), "e": strings.Replace(fluFit, `[[0, 100, 8, null, 30]`, `[[0]`, 1),
		"f": strings.Replace(fluFit, `"trace"`, `"chains": {"count": 0, "r_hat": [], "bulk": []}, "trace"`, 1),
		"g": strings.Replace(fluFit, `"times": [1, 2, 3]`, `"times": []`, 1),
	} {
		files["wrong/"+name+"/fit.json"] = report
	}
	files["fitted/notes.txt"] = "private"
	files["wrong/h/fit.json"], files["wrong/h/posterior.csv"] = fluFit, "gamma,weight\n1,1\n"
	files["wrong/i/fit.json"], files["wrong/i/posterior.csv"] = fluFit, "beta,stay,weight\n"
	c := serve(t, page.Config{Files: someFiles(files)})
	_, body := c.want(http.StatusOK, "GET", "/fits/fitted", nil)
	for _, want := range []string{"2 unknowns to flu.csv by abc", "a note &lt;b&gt;of&lt;/b&gt; the fit",
		"2 of 2 within 90 %", "median (from–to of the share in the name) of what is predicted",
		"prior: gamma mean 5 shape 2 within 1..20", "Project from this posterior", `action="/fits/fitted"`} {
		if !strings.Contains(body, want) {
			t.Errorf("no %s", want)
		}
	}
	if strings.Contains(body, "of the replicas)") {
		t.Error("a band is said to be of replicas")
	}
	for _, ending := range []string{"svg", "png", "csv", "json"} {
		if _, body := c.want(http.StatusOK, "GET", "/fit-figures/marginal-0."+ending+"?dir=fitted", nil); len(body) < 100 {
			t.Errorf("%s: %s", ending, body)
		}
	}
	if _, body := c.want(http.StatusOK, "GET", "/study-files/posterior.csv?dir=fitted", nil); body != fluPosterior() {
		t.Error("the posterior cannot be taken away")
	}
	if _, body := c.want(http.StatusOK, "GET", "/fits/best", nil); strings.Contains(body, "Project from") {
		t.Error("there is no posterior to project from")
	}
	for name := range strings.SplitSeq("abcdefghi", "") {
		c.want(http.StatusUnprocessableEntity, "GET", "/fits/wrong/"+name, nil)
	}
	c.want(http.StatusNotFound, "GET", "/fits/nothing", nil)
	c.want(http.StatusNotFound, "GET", "/study-files/posterior.csv?dir=../x", nil)
	c.want(http.StatusNotFound, "GET", "/study-files/summary.json?dir=fitted", nil)
	// which is there, and not ours to give away
	c.want(http.StatusNotFound, "GET", "/study-files/notes.txt?dir=fitted", nil)
	c.want(http.StatusUnprocessableEntity, "POST", "/fits/fitted", url.Values{"replicas": {"0"}})
	c.want(http.StatusNotFound, "POST", "/fits/wrong/i", nil) // there is no model
}

// What cannot be swept is said, before anything is run.
func TestSweepWrong(t *testing.T) {
	files := map[string]string{"flu.yaml": strings.Replace(twoScenarios, "size: 500", "size: 500, most: 4_000_000_000", 1),
		"s/points.csv": "a,replicas,output,mean,sd,low,high\n1,3,x,1,,,\n", "t/points.csv": "a,b\n",
		"u/points.csv": "a,replicas,output,mean,sd,low,high\n",
		"w/points.csv": "a,replicas,output,mean,sd,low,high\n1,3,x,1,,,\n", "w/series.csv": "a,replicas\n1,3\n"}
	c := serve(t, page.Config{Files: someFiles(files)})
	form := func(vary, values string, more ...string) url.Values {
		f := url.Values{"path": {"flu.yaml"}, "vary": {vary}, "values": {values}}
		for i := 0; i < len(more); i += 2 {
			f.Set(more[i], more[i+1])
		}
		return f
	}
	for _, test := range []struct {
		form url.Values
		want string
	}{
		{form("", ""), "what is to be varied?"},
		{form("beta", "0.1..1 per day"), "is a range"},
		{form("beta", "0.1..1 per day by 0.001"), "at most 400"},
		{form("beta", "1..100 per day by 1", "replicas", "201"), "20,100 runs in all; at most 20,000"},
		{form("beta", "much, more"), "beta"},
		{form("gamma", "1, 2"), "gamma"},
		{form("beta", "1 per day, 2 per day", "outputs", "peak(il)"), "did you mean"},
		{form("beta", "1 per day, 2 per day", "set.beta", "3 per day"), "leave out one of the two"},
		{form("beta", "1 per day, 2 per day", "replicas", "0"), "expected one from 1 to"},
	} {
		if _, body := c.want(http.StatusUnprocessableEntity, "POST", "/sweeps", test.form); !strings.Contains(body,
			test.want) {
			t.Errorf("%v: no %q", test.form, test.want)
		}
	}
	// Points in between, of which there may be many, are looked at when the sweep's turn has come:
	// nothing is run if one is wrong, or does not fit into memory.
	if _, body := c.start("/sweeps", form("stay", "5 days, -3 days, 6 days")); !strings.Contains(body,
		`data-state="failed"`) || !strings.Contains(body, ", 3 points, 500 individuals, ") ||
		!strings.Contains(body, "-3 days: ") {
		t.Errorf("%.3000s", body)
	}
	if _, body := c.start("/sweeps", form("population.size", "100, 4000000000, 200")); !strings.Contains(body,
		`data-state="failed"`) || strings.Contains(body, " individuals, ") || !strings.Contains(body, "not enough memory") {
		t.Errorf("%.3000s", body)
	}
	// A directory without its command is shown as far as it goes.
	if _, body := c.want(http.StatusOK, "GET", "/sweeps/s", nil); !strings.Contains(body,
		`<a href="/sweep-points/s?point=0">`) || !strings.Contains(body, "<table data-starts>") {
		t.Error("the point leads nowhere")
	}
	if _, body := c.want(http.StatusOK, "GET", "/sweep-points/s?point=0", nil); !strings.Contains(body,
		"Run this point") || !strings.Contains(body, "seed 1, since the sweep does not tell its own") {
		t.Error("the point cannot be run")
	}
	c.want(http.StatusNotFound, "POST", "/sweep-points/s?point=0", nil) // there is no model
	for _, wrong := range []string{"/sweep-points/s", "/sweep-points/s?point=1", "/sweep-points/s?point=-1",
		"/sweep-points/v?point=0", "/runs/1/points/0", "/point-figures/states.svg?dir=s&point=0"} {
		c.want(http.StatusNotFound, "GET", wrong, nil)
	}
	c.want(http.StatusUnprocessableEntity, "GET", "/sweep-points/w?point=0", nil)
	for _, dir := range []string{"t", "u"} {
		c.want(http.StatusUnprocessableEntity, "GET", "/sweeps/"+dir, nil)
	}
	c.want(http.StatusNotFound, "GET", "/sweeps/..%2fx", nil)
}

// A point is run with its own values, also where one of them is that of the file and the scenario
// has another.
func TestPointInScenario(t *testing.T) {
	c := serve(t, page.Config{Files: someFiles(map[string]string{"flu.yaml": twoScenarios})})
	sweep, _ := c.start("/sweeps", url.Values{"path": {"flu.yaml"}, "scenario": {"slower"},
		"vary": {"beta", "population.size"}, "values": {"0.4 per day, 0.5 per day", "300, 500"}, "replicas": {"3"},
		"outputs": {"final(immune)"}})
	_, points := c.want(http.StatusOK, "GET", sweep+"/files/points.csv", nil)
	run, _ := c.start(sweep+"/points/3", nil) // which is as the file is
	_, text := c.want(http.StatusOK, "GET", run+"/files/summary.json", nil)
	var sum struct {
		States map[string]struct{ Mean []float64 }
	}
	if err := json.Unmarshal([]byte(text), &sum); err != nil {
		t.Fatal(err)
	}
	immune := sum.States["immune"].Mean
	if want := "0.5,500,3,final(immune)," + strconv.FormatFloat(immune[len(immune)-1], 'g', -1, 64) +
		","; !strings.Contains(points, want) {
		t.Errorf("no %s in\n%s", want, points)
	}
}
