package page_test

import (
	"bytes"
	"context"
	"encoding/csv"
	"html"
	"io"
	"net/http"
	"net/url"
	"regexp"
	"strings"
	"testing"

	"github.com/chromedp/chromedp"

	"github.com/almanac-sim/almanac/page"
	"github.com/almanac-sim/almanac/population"
	"github.com/almanac-sim/almanac/population/results"
)

// recordsAll is a model that records what only some models have.
const recordsAll = `name: town
time: {unit: day, end: 40}
population: {size: 600, start: {ill: 5, well: rest}}
attributes: {age: {child: 30%, adult: 70%}}
places: {home: {size: 4}, ward: {number: 2, capacity: 3, join: none}}
networks: {friends: {random: {mean: 3}}, couples: {most: 1, ends: {rate: 0.05 per day}}}
supplies: {doses: {at: 0 days, count: 100}}
states:
  well: {race: [{rate: 0.005 per day, uses: doses, to: immune, name: jab}]}
  ill: {race: [{after: 6 days, to: immune}]}
  immune: {}
transmission:
  - {rate: 0.05 per day, link: couples}
  - {from: ill, among: friends, rate each: 0.15 per day, to: {well: ill}, name: infection}
  - {from: ill, among: couples, rate each: 0.3 per day, to: {well: ill}, name: infection}
observe:
  reports: {of: infection, chance: 40%, after: 2 days}
  survey: {at: 10 days, every: 10 days, count: 50, chance: {by: state, ill: 90%, other: 1%}}
record:
  every: 1 day
  by: [age]
  incidence: true
  values: {prevalence: count(ill) / total}
  tree: {of: infection}
`

var (
	tableCaption = regexp.MustCompile(`<caption>([^<]*)</caption>`)
	figureID     = regexp.MustCompile(`id="figure-([^"]*)"`)
)

// first are the first groups of all matches.
func first(of *regexp.Regexp, text string) (all []string) {
	for _, m := range of.FindAllStringSubmatch(text, -1) {
		all = append(all, html.UnescapeString(m[1]))
	}
	return all
}

// A run has a chart and a table of all that its model records, drawings of a sample of its networks
// and of the largest tree of infections, and the tables of the command, byte for byte; so has the
// directory that the command writes, with its pictures.
func TestRecordedIsShown(t *testing.T) {
	t.Parallel()
	files := map[string]string{"town.yaml": recordsAll, "saved/network.svg": "<svg/>", "saved/tree.csv": "replica\n",
		"saved/places.json": "[]", "saved/observed.parquet": "PAR1"}
	savedRun(t, files, "saved", recordsAll, 3, 2)
	c := serve(t, page.Config{Files: someFiles(files)})
	run, body := c.start("/runs", url.Values{"path": {"town.yaml"}, "seed": {"3"}, "replicas": {"2"}})
	_, saved := c.want(http.StatusOK, "GET", "/results/saved", nil)
	both := []string{"observed", "supplies", "networks", "reproduction"}
	for _, x := range []struct {
		page, body       string
		figures, caption []string
	}{
		{run, body, append([]string{"value-0", "network", "generation-times", "largest-tree"}, both...),
			[]string{"Values", "By age, at the end"}},
		{"/results/saved", saved, both, nil},
	} {
		ids, captions := " "+strings.Join(first(figureID, x.body), " ")+" ", strings.Join(first(tableCaption, x.body), "\n")
		for _, id := range x.figures {
			if !strings.Contains(ids, " "+id+" ") {
				t.Errorf("%s has no figure %s, only%s", x.page, id, ids)
			}
		}
		for _, caption := range append([]string{"Seen since the start", "Supplies", "Places", "Networks",
			"Generation times: ",
			"How many each has infected", "Trees, by how many", "Each state at the end"}, x.caption...) {
			if !strings.Contains(captions, caption) {
				t.Errorf("%s has no table %s: %s", x.page, caption, captions)
			}
		}
	}
	for _, want := range []string{`<img src="/study-files/network.svg?dir=saved"`, "tree.csv", "places.json",
		"observed.parquet"} {
		if !strings.Contains(saved, want) {
			t.Errorf("the directory has no %s", want)
		}
	}

	m, err := population.Compile("town.yaml", []byte(recordsAll))
	if err != nil {
		t.Fatal(err)
	}
	r, err := m.Run(context.Background(), population.Options{Seed: 3, Replicas: 2})
	if err != nil {
		t.Fatal(err)
	}
	for name, write := range map[string]func(io.Writer, results.Format, *population.Result) error{
		"observed": results.WriteObserved, "places": results.WritePlaces, "networks": results.WriteNetworks,
		"supplies": results.WriteSupplies, "values": results.WriteValues} {
		var want bytes.Buffer
		if err := write(&want, results.CSV, r); err != nil {
			t.Fatal(err)
		}
		if _, got := c.want(http.StatusOK, "GET", run+"/files/"+name+".csv", nil); got != want.String() {
			t.Errorf("%s.csv is another than that of the command", name)
		}
	}
	// The drawings have a row for each link and each infection that is drawn, in all formats.
	sample := r.Runs[0].NetworkSample()
	for id, want := range map[string]int{"network": len(sample.Links), "largest-tree": min(300, largestOfFirst(r))} {
		_, text := c.want(http.StatusOK, "GET", run+"/figures/"+id+".csv", nil)
		rows, err := csv.NewReader(strings.NewReader(text)).ReadAll()
		if err != nil || len(rows) != want+1 || want < 20 {
			t.Errorf("%s: %d rows of %d, %v", id, len(rows)-1, want, err)
		}
		for _, form := range []string{"svg", "pdf", "json"} {
			answer, text := c.want(http.StatusOK, "GET", run+"/figures/"+id+"."+form, nil)
			c.taken(run, id+"."+form, answer, text)
		}
	}
}

// largestOfFirst is the size of the largest tree of the first replica.
func largestOfFirst(r *population.Result) int {
	one := *r
	one.Runs = r.Runs[:1]
	return one.Tree().Largest.Size
}

// In a browser the drawings come with the end of the run, are as wide as the window, and have
// tables and downloads.
func TestSamplesInBrowser(t *testing.T) {
	t.Parallel()
	v := visit(t, page.Config{Files: someFiles(map[string]string{"town.yaml": recordsAll})})
	v.size(1024, 900, "light")
	v.get("/models/town.yaml")
	v.do(chromedp.SetValue(chromedp.CSS("[name=replicas]"), "2"), chromedp.Click(chromedp.CSS("button.main")))
	v.until(`document.querySelector("[data-state=done] .files")`)
	for _, id := range []string{"network", "largest-tree"} {
		v.until(`(s => s && Math.abs(s.viewBox.baseVal.width - s.clientWidth) < 9 && ` +
			`s.querySelectorAll("path").length > 40)` +
			`(document.querySelector("#figure-` + id + ` svg.drawn"))`)
	}
	v.named("samples")
	v.narrow("samples")
	v.picture("samples")
}
