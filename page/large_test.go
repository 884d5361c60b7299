package page_test

import (
	"fmt"
	"net/http"
	"net/url"
	"strings"
	"testing"
	"time"

	"github.com/almanac-sim/almanac/page"
	"github.com/almanac-sim/almanac/study"
)

// gridOf is points.csv and study.json of a sweep over two names, with so many values of each and so
// many outputs.
func gridOf(t *testing.T, side, outputs int) (points, asked string) {
	t.Helper()
	var b strings.Builder
	b.WriteString("a,b,replicas,output,mean,sd,low,high\n")
	for i := range side {
		for j := range side {
			for o := range outputs {
				fmt.Fprintf(&b, "%d,%d,2,out%d,%d,1,%d,%d\n", i+1, j+1, o, i*j+o, i*j-1, i*j+1+o)
			}
		}
	}
	return b.String(), studyJSON(t, study.Request{Kind: study.Sweep, Model: "m.yaml",
		Vary: []string{fmt.Sprintf("a=1..%d by 1", side), fmt.Sprintf("b=1..%d by 1", side)}, Seed: 1, Replicas: 2})
}

// A large sweep is a page that a browser can open: its maps have no link for each of their cells,
// its charts of points not each of them, and it says so.
func TestLargeSweep(t *testing.T) {
	files := map[string]string{}
	files["large/points.csv"], files["large/study.json"] = gridOf(t, 100, 4)
	files["small/points.csv"], files["small/study.json"] = gridOf(t, 12, 1)
	c := serve(t, page.Config{Files: someFiles(files)})
	_, body := c.want(http.StatusOK, "GET", "/sweeps/large", nil)
	if n := strings.Count(body, `class="cells"`); n > 0 || len(body) > 8<<20 {
		t.Errorf("%d cells of maps lead somewhere, in a page of %d bytes", n, len(body))
	}
	for _, want := range []string{"too many cells", "each 7th of 10,000 points", "the first 400 of 10,000",
		`<a href="/sweep-points/large?point=0">`} {
		if !strings.Contains(body, want) {
			t.Errorf("no %q", want)
		}
	}
	if _, body := c.want(http.StatusOK, "GET", "/sweeps/small", nil); strings.Count(body,
		`<a href="/sweep-points/small?point=143"`) != 2 || strings.Contains(body, "too many cells") {
		t.Error("the last point of a small sweep is not reached from its map and its table")
	}
}

// Of more charts than a page has room for it says which it has, and leads to the others.
func TestManyCharts(t *testing.T) {
	files := map[string]string{}
	files["many/points.csv"], files["many/study.json"] = gridOf(t, 2, 12)
	c := serve(t, page.Config{Files: someFiles(files)})
	for _, x := range []struct {
		query  string
		charts int
		says   []string
	}{
		{"", 24, []string{"Charts 1 to 24 of 36.", `<a href="?charts=25">Those after</a>`, "All 36 charts by name",
			`<a href="?charts=25#figure-over-1-11">`}},
		{"?charts=25", 12, []string{"Charts 25 to 36 of 36.", `<a href="?charts=1">Those before</a>`}},
		{"?find=OUT11", 3, []string{"Charts 1 to 3 of 3 with “OUT11” in the name, 36 in all.",
			`<a href="?">All of them</a>`}},
		{"?find=over+b&charts=7", 6, []string{"Charts 7 to 12 of 12 with “over b”",
			`<a href="?charts=1&amp;find=over&#43;b">Those before</a>`}},
		{"?find=nowhere", 0, []string{"No chart with “nowhere” in the name, 36 in all."}},
		{"?charts=x", 24, []string{"Charts 1 to 24"}},
	} {
		_, body := c.want(http.StatusOK, "GET", "/sweeps/many"+x.query, nil)
		if n := strings.Count(body, "<figure "); n != x.charts {
			t.Errorf("%q: %d charts, want %d", x.query, n, x.charts)
		}
		for _, want := range x.says {
			if !strings.Contains(body, want) {
				t.Errorf("%q: no %s", x.query, want)
			}
		}
	}
}

// manyStates is a model with 50 charts: states and flows, and 24 of each by region.
func manyStates() string {
	var b strings.Builder
	b.WriteString("name: many\ntime: {unit: day, end: 3}\npopulation: {size: 60, start: {s0: rest}}\n" +
		"attributes: {region: {north: 50%, south: 50%}}\nrecord: {every: 1 day, by: [region]}\nstates:\n")
	for i := range 40 {
		fmt.Fprintf(&b, "  s%d: {race: [{rate: 10 per day, to: s%d}]}\n", i, (i+1)%40)
	}
	return b.String()
}

// A run of many charts is a page of some of them, which leads to the others by name, and is loaded
// anew as it is; whatever page it is on, each can be taken away.
func TestManyChartsOfARun(t *testing.T) {
	c := serve(t, page.Config{Files: someFiles(map[string]string{"many.yaml": manyStates()})})
	run, body := c.start("/runs", url.Values{"path": {"many.yaml"}, "replicas": {"1"}})
	if n := strings.Count(body, "<figure "); n != 24 || !strings.Contains(body, "Charts 1 to 24 of 50.") {
		t.Errorf("%d charts: %.2000s", n, body)
	}
	_, last := c.want(http.StatusOK, "GET", run+"?charts=49", nil)
	if n := strings.Count(last, "<figure "); n != 2 || !strings.Contains(last, `id="figure-incidence-by-region-23"`) ||
		strings.Contains(last, `id="figure-states"`) {
		t.Errorf("%d charts on the last page", n)
	}
	_, found := c.want(http.StatusOK, "GET", run+"?find=changes", nil)
	if n := strings.Count(found, "<figure "); n != 24 || !strings.Contains(found, "Charts 1 to 24 of 25 with "+
		"“changes” in the name, 50 in all.") {
		t.Errorf("%d charts are found", n)
	}
	c.want(http.StatusOK, "GET", run+"/figures/incidence-by-region-23.svg", nil)
}

// swing is a model that has as many events as its parameter asks for.
const swing = `name: swing
time: {unit: day, start: 0, end: 50}
population: {size: 100, start: {left: rest}}
parameters: {stay: 5 days}
states:
  left: {race: [{after: {exponential: {mean: stay}}, to: right}]}
  right: {race: [{after: {exponential: {mean: stay}}, to: left}]}
record: {every: 10 days}
`

// A sweep that is stopped shows the points that it has, as it did before it was.
func TestSweepStopped(t *testing.T) {
	c := serve(t, page.Config{Files: someFiles(map[string]string{"swing.yaml": swing})})
	// The last point has some ten billion events, and is not waited for.
	form := url.Values{"path": {"swing.yaml"}, "vary": {"stay"}, "values": {"5 days, 4 days, 0.0000005 days"},
		"replicas": {"2"}, "outputs": {"final(left)"}}
	answer, _ := c.want(http.StatusSeeOther, "POST", "/sweeps", form)
	run := answer.Header.Get("Location")
	for end := time.Now().Add(time.Minute); ; time.Sleep(20 * time.Millisecond) {
		_, body := c.want(http.StatusOK, "GET", run, nil)
		if strings.Contains(body, "2 of 3 points so far") && strings.Contains(body, `id="figure-over-0-0"`) {
			break
		}
		if !strings.Contains(body, `data-state="running"`) && !strings.Contains(body, `data-state="waiting"`) ||
			time.Now().After(end) {
			t.Fatalf("two points are not shown: %s", body)
		}
	}
	c.want(http.StatusSeeOther, "POST", run+"/stop", nil)
	body := c.done(run)
	for _, want := range []string{`data-state="stopped"`, "2 of 3 points so far", `<a href="` + run + `/points/1">4</a>`} {
		if !strings.Contains(body, want) {
			t.Errorf("no %s", want)
		}
	}
	if _, points := c.want(http.StatusOK, "GET", run+"/files/points.csv", nil); strings.Count(points, "\n") != 3 {
		t.Errorf("points.csv is %q", points)
	}
	c.want(http.StatusOK, "GET", run+"/points/1", nil)
	c.want(http.StatusNotFound, "GET", run+"/points/2", nil)
}

// Numbers under the pointer are no live region: a run would have them read aloud ten times a
// second. The table says that it has some of the rows.
func TestChartsAreQuiet(t *testing.T) {
	c := serve(t, page.Config{
		Files: someFiles(map[string]string{"walk.yaml": strings.Replace(small, "every: 1 day", "every: 0.02 days", 1)})})
	_, body := c.start("/runs", url.Values{"path": {"walk.yaml"}, "replicas": {"1"}})
	if strings.Contains(body, "<output") || !strings.Contains(body, `<span class="value" data-value="0">`) {
		t.Error("numbers are a live region")
	}
	if !strings.Contains(body, "<span data-some>; some of the rows") {
		t.Error("the table does not say that it has some of the rows")
	}
}
