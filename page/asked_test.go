package page_test

import (
	"html"
	"net/http"
	"net/url"
	"regexp"
	"strings"
	"testing"

	"github.com/almanac-sim/almanac/examples"
	"github.com/almanac-sim/almanac/page"
	"github.com/almanac-sim/almanac/population"
)

// What a visitor typed counts, also if it is what the file says and the scenario sets something
// else: for a run, for scenarios that are compared, and in the command line.
func TestTypedCounts(t *testing.T) {
	source := strings.Replace(twoScenarios, "slower: {beta: 0.2 per day}",
		"slower: {beta: 0.2 per day, population.size: 900}", 1)
	c := serve(t, page.Config{Files: someFiles(map[string]string{"flu.yaml": source})})
	says := func(body string, want ...string) {
		t.Helper()
		lead := html.UnescapeString(regexp.MustCompile(`(?s)<p class="lead">.*?</p>`).FindString(body) +
			regexp.MustCompile(`(?s)<code data-command>.*?</code>`).FindString(body))
		for _, words := range want {
			words, not := strings.CutPrefix(words, "not ")
			if strings.Contains(lead, words) == not {
				t.Errorf("%q: not as wanted in %s", words, lead)
			}
		}
	}
	form := url.Values{"path": {"flu.yaml"}, "replicas": {"2"}, "scenario": {"slower"}}
	_, body := c.start("/runs", form)
	says(body, "900 individuals", "not --size")
	form.Set("size", "500")
	form.Set("set.beta", "0.5 per day")
	_, body = c.start("/runs", form)
	says(body, "500 individuals", "--size 500", "beta = 0.5 per day", "--set 'beta=0.5 per day'")
	form.Set("was.beta", "0.5 per day") // nobody touched it
	_, body = c.start("/runs", form)
	says(body, "500 individuals", "not --set")
	form = url.Values{"path": {"flu.yaml"}, "replicas": {"2"}, "scenarios": {"base", "slower"}}
	_, body = c.start("/compare", form)
	says(body, "base, slower, 500 to 900 individuals", "not --size")
	form.Set("size", "500")
	form.Set("set.beta", "0.5 per day")
	run, body := c.start("/compare", form)
	says(body, "base, slower, 500 individuals", "--size 500", "--set 'beta=0.5 per day'")
	if _, differences := c.want(http.StatusOK, "GET", run+"/files/differences.csv", nil); regexp.MustCompile(
		`\),2,.*-?[1-9]`).MatchString(strings.SplitN(differences, "\n", 2)[1]) {
		t.Errorf("scenarios that are the same differ: %s", differences)
	}
}

// Sides that are compared are called by what differs between them, wherever they are from.
func TestSidesTellWhatDiffers(t *testing.T) {
	files := map[string]string{"flu.yaml": twoScenarios, "other.yaml": strings.Replace(twoScenarios, "name: flu",
		"name: cold", 1)}
	savedRun(t, files, "out", twoScenarios, 1, 2, population.Set("stay", "3 days"))
	c := serve(t, page.Config{Files: someFiles(files)})
	for _, form := range []url.Values{
		{"path": {"flu.yaml"}, "replicas": {"2"}}, {"path": {"flu.yaml"}, "replicas": {"2"}, "set.beta": {"0.4 per day"}},
		{"path": {"flu.yaml"}, "replicas": {"3"}, "seed": {"9"}, "size": {"600"}},
		{"path": {"other.yaml"}, "replicas": {"2"}}, {"path": {"flu.yaml"}, "replicas": {"2"}, "scenario": {"slower"}},
		{"path": {"flu.yaml"}, "replicas": {"2"}, "until": {"20"}},
	} {
		c.start("/runs", form)
	}
	for _, x := range []struct {
		form  url.Values
		about string   // what the comparison is of
		names []string // of its lines
	}{
		{url.Values{"run": {"1", "2"}}, "run 1: beta = 0.5 per day, run 2: beta = 0.4 per day",
			[]string{"run 1: beta = 0.5 per day", "run 2: beta = 0.4 per day"}},
		{url.Values{"run": {"1", "3"}}, "run 1: 500 individuals, 2 replicas, seed 1; run 3: 600 individuals, 3 " +
			"replicas, seed 9", nil},
		{url.Values{"run": {"1", "1"}}, "run 1, run 1", nil},
		{url.Values{"run": {"1", "4"}}, "run 1: flu, run 4: cold", nil},
		{url.Values{"run": {"1", "5"}}, "run 1: beta = 0.5 per day; run 5: beta = 0.2 per day, scenario slower", nil},
		{url.Values{"run": {"1", "6"}}, "run 1: until day 60, run 6: until day 20", nil},
		{url.Values{"run": {"6"}, "dir": {"out"}}, "run 6, out", []string{"run 6: until day 20, stay = 5 days",
			"out: until day 60, stay = 3 days"}},
		{url.Values{"run": {"1"}, "dir": {"out"}}, "run 1, out", []string{"run 1: stay = 5 days", "out: stay = 3 days"}},
		{url.Values{"run": {"1", "2", "3", "4"}}, "run 1: flu, 500 individuals, 2 replicas, seed 1; run 2: flu, 500 " +
			"individuals, 2 replicas, seed 1; and 2 more", nil},
	} {
		_, body := c.start("/compare", x.form)
		if !strings.Contains(body, `<p class="lead">`+x.about+`</p>`) {
			t.Errorf("%v: no %q in %s", x.form, x.about, regexp.MustCompile(`(?s)<p class="lead">.*?</p>`).FindString(body))
		}
		for _, name := range x.names {
			if !strings.Contains(body, `<span class="name">`+name+`</span>`) {
				t.Errorf("%v: no line is called %q", x.form, name)
			}
		}
	}
}

// A directory that a run was written to has the charts of the run, those by group included, with
// the same numbers.
func TestSavedChartsByGroup(t *testing.T) {
	source, err := examples.Files().ReadFile("campaign.yaml")
	if err != nil {
		t.Fatal(err)
	}
	files := map[string]string{"campaign.yaml": string(source)}
	savedRun(t, files, "out", string(source), 1, 3, population.Size(300))
	c := serve(t, page.Config{Files: someFiles(files)})
	run, live := c.start("/runs", url.Values{"path": {"campaign.yaml"}, "size": {"300"}, "replicas": {"3"}})
	_, saved := c.want(http.StatusOK, "GET", "/results/out", nil)
	if lead := `<p class="lead">300 individuals, 3 replicas, seed 1</p>`; !strings.Contains(saved, lead) ||
		!strings.Contains(live, lead) {
		t.Error("the size is not said")
	}
	figure := regexp.MustCompile(`<figure class="[^"]*" id="figure-([^"]+)"[^>]*>\s*<figcaption><h3>([^<]*)</h3>`)
	headings := func(body string) string {
		return strings.Join(regexp.MustCompile(`<h2 class="group">[^<]*</h2>`).FindAllString(body, -1), " ")
	}
	of := figure.FindAllStringSubmatch(live, -1)
	if got := figure.FindAllStringSubmatch(saved, -1); len(got) != len(of) || len(of) < 6 {
		t.Fatalf("%d charts, and %d of the run", len(got), len(of))
	}
	if headings(saved) != headings(live) || !strings.Contains(headings(saved), "By age") {
		t.Errorf("%s, and of the run %s", headings(saved), headings(live))
	}
	for i, f := range figure.FindAllStringSubmatch(saved, -1) {
		if f[1] != of[i][1] || f[2] != of[i][2] {
			t.Errorf("%s is called %q, and of the run %s %q", f[1], f[2], of[i][1], of[i][2])
		}
	}
	lines := func(body string) string {
		return strings.Join(regexp.MustCompile(`<span class="name">[^<]*</span>`).FindAllString(body, -1), " ")
	}
	if lines(saved) != lines(live) {
		t.Errorf("the lines are %s, and of the run %s", lines(saved), lines(live))
	}
	label := regexp.MustCompile(`^{"x":"[^"]*"`)
	for _, f := range of {
		if !strings.Contains(f[1], "by-") {
			continue
		}
		_, a := c.want(http.StatusOK, "GET", run+"/figures/"+f[1]+".json", nil)
		_, b := c.want(http.StatusOK, "GET", "/result/"+f[1]+".json?dir=out", nil)
		if a = label.ReplaceAllString(a, ""); a != label.ReplaceAllString(b, "") || len(a) < 500 {
			t.Errorf("%s: %.300s, and of the run %.300s", f[1], b, a)
		}
	}
}
