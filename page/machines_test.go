package page_test

import (
	"cmp"
	"net/http"
	"net/url"
	"slices"
	"strings"
	"testing"

	"github.com/chromedp/chromedp"

	"github.com/almanac-sim/almanac/page"
	"github.com/almanac-sim/almanac/population/results"
	"github.com/almanac-sim/almanac/study"
)

const twoMachines = `name: both
time: {unit: year, start: 0, end: 10}
population: {size: 400, start: {ill: 10, well: rest}}
parameters: {uptake: 0.3 per year}
attributes: {region: {north: 50%, south: rest}}
states: {well: {}, ill: {race: [{rate: 0.5 per year, to: well}]}}
machines:
  hiv:
    start: {early: 20%, negative: rest}
    states: {negative: {}, early: {race: [{rate: 0.2 per year, to: late}]}, late: {}}
  care:
    start: {none: rest}
    states: {none: {race: [{rate: uptake, to: treated, where: {hiv: [early, late]}}]}, treated: {}}
transmission: [{machine: hiv, from: early, rate: 0.4 per year, to: {negative: early}, name: hiv infection}]
record: {every: 1 year, by: [region], incidence: true}
scenarios: {base: {}, more: {uptake: 1 per year}}
`

// TestMachinesOnThePage checks that machines are in the diagram, in the charts and tables of a run,
// of a saved run, of comparisons and of a sweep.
func TestMachinesOnThePage(t *testing.T) {
	files := map[string]string{"both.yaml": twoMachines}
	savedRun(t, files, "saved", twoMachines, 1, 3)
	savedRun(t, files, "other", twoMachines, 2, 3)
	files["swept/model.yaml"] = twoMachines
	files["swept/study.json"] = studyJSON(t, study.Request{Kind: study.Sweep, Model: "both.yaml", Seed: 1, Replicas: 2,
		Vary: []string{"uptake=1 per year, 2 per year"}})
	points, series := "uptake,replicas,output,mean,sd,low,high\n", "uptake,"+strings.Join(results.PointColumns(), ",")+"\n"
	for _, uptake := range []string{"1", "2"} {
		points += uptake + ",2,final(ill),5,1,4,6\n"
		for _, row := range []map[string]string{
			{"name": "ill"}, {"name": "hiv=early"}, {"name": "hiv=late"}, {"name": "care=treated"},
			{"kind": "flow", "name": "hiv=early->late"},
		} {
			series += uptake
			for _, column := range results.PointColumns() {
				value := map[string]string{"kind": "state", "time": "0", "replicas": "2"}[column]
				series += "," + cmp.Or(row[column], value, "7")
			}
			series += "\n"
		}
	}
	files["swept/points.csv"], files["swept/series.csv"] = points, series
	c := serve(t, page.Config{Files: someFiles(files)})
	has := func(where, body string, words ...string) {
		t.Helper()
		for _, word := range words {
			if !strings.Contains(body, word) {
				t.Errorf("%s lacks %q", where, word)
			}
		}
	}
	_, model := c.want(http.StatusOK, "GET", "/models/both.yaml", nil)
	has("the diagram", model, "machine hiv", "machine care", "hiv infection", "if hiv early or late")

	run, body := c.start("/runs", url.Values{"path": {"both.yaml"}, "replicas": {"3"}, "seed": {"1"}})
	has("a run", body, "Individuals in each state of hiv", "Individuals in each state of care", "hiv=negative → early",
		"hiv=late</t", "care=treated</t", ">care=treated<")
	_, chart := c.want(http.StatusOK, "GET", run+"/figures/machine-hiv.svg", nil)
	has("the chart of a machine", chart, "negative", "early", "late")
	_, drawing := c.want(http.StatusOK, "GET", run+"/files/diagram.svg", nil)
	has("the diagram of a run", drawing, ">machine hiv<", ">machine care<")

	_, saved := c.want(http.StatusOK, "GET", "/results/saved", nil)
	has("a saved run", saved, "Individuals in each state of hiv", "Individuals in each state of care",
		"hiv=negative → early", ">care=treated<")

	compared, body := c.start("/compare", url.Values{"path": {"both.yaml"}, "scenarios": {"base", "more"}, "seed": {"4"},
		"replicas": {"4"}})
	has("a comparison", body, ">care=treated<", "final(care=treated)", "final(hiv=early-&gt;late)",
		"hiv=negative → early")
	_, table := c.want(http.StatusOK, "GET", compared+"/files/scenarios.csv", nil)
	has("its table", table, "final(hiv=late)", "peak(care=treated)")

	swept, body := c.start("/sweeps", url.Values{"path": {"both.yaml"}, "vary": {"uptake"},
		"values": {"0.1 per year, 1 per year"}, "replicas": {"2"},
		"outputs": {"final(care=treated)\nfinal(hiv=late)"}})
	has("a sweep", body, "final(care=treated)", "final(hiv=late)")
	_, points = c.want(http.StatusOK, "GET", swept+"/files/points.csv", nil)
	has("the points of a sweep", points, "final(care=treated)")

	_, point := c.want(http.StatusOK, "GET", "/sweep-points/swept?point=1", nil)
	has("a point of a saved sweep", point, "Individuals in each state of hiv", "Individuals in each state of care",
		">late<", "hiv=early → late")

	_, body = c.start("/compare", url.Values{"dir": {"saved", "other"}})
	has("a comparison of saved runs", body, ">care=treated<", "final(hiv=late)", "hiv=negative → early")
	_, body = c.start("/compare", url.Values{"dir": {"saved"}, "run": {strings.TrimPrefix(run, "/runs/")}})
	has("a comparison of a run and a saved one", body, ">hiv=late<", "final(care=treated)")
}

// TestManyStatesOfMachines checks that a chart of a machine has no more lines than others, and that
// models with machines of too many states have no diagram.
func TestManyStatesOfMachines(t *testing.T) {
	var states []string
	for i := range 160 {
		states = append(states, "s"+strings.Repeat("x", i%13)+string(rune('a'+i%26))+strings.Repeat("y", i/26)+": {}")
	}
	slices.Sort(states)
	if states = slices.Compact(states); len(states) < 151 {
		t.Fatal("names are not different")
	}
	shares := strings.ReplaceAll(strings.Join(states[1:], ", "), "{}", "0.5%")
	text := strings.Replace(twoMachines, "machines:\n", "machines:\n  many: {start: {"+shares+", "+
		strings.Replace(states[0], "{}", "rest", 1)+"}, states: {"+strings.Join(states, ", ")+"}}\n", 1)
	c := serve(t, page.Config{Files: someFiles(map[string]string{"both.yaml": text})})
	_, model := c.want(http.StatusOK, "GET", "/models/both.yaml", nil)
	if !strings.Contains(model, "states this model is too large for a diagram here") {
		t.Error("there is a diagram of more than 150 states")
	}
	_, body := c.start("/runs", url.Values{"path": {"both.yaml"}, "replicas": {"1"}, "seed": {"1"}})
	if !strings.Contains(body, "the first 24 of ") {
		t.Error("the chart of a machine has more than 24 lines, or does not say so")
	}
}

// TestMachinesInBrowser looks at the pages of a model with machines and of a run of it.
func TestMachinesInBrowser(t *testing.T) {
	t.Parallel()
	v := visit(t, page.Config{})
	v.look("machines-model", "/models/coinfection.yaml")
	v.size(1280, 800, "light")
	v.do(chromedp.SetValue(chromedp.CSS("[name=size]"), "2000"), chromedp.SetValue(chromedp.CSS("[name=replicas]"), "4"),
		chromedp.Click(chromedp.CSS("button.main")))
	v.until(`document.querySelector("[data-state=done] .files")`)
	for _, id := range []string{"states", "machine-hiv", "machine-care"} {
		v.until(`document.querySelector("[data-figure=` + id + `] svg path, #figure-` + id + ` svg path") !== null`)
	}
	v.look("machines-run", eval[string](v, "location.pathname"))
}
