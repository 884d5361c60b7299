package page_test

import (
	"net/http"
	"net/url"
	"strings"
	"testing"

	"github.com/almanac-sim/almanac/page"
)

// A run of a model with dates shows dates, and its numbers per 100,000, of everybody and of groups;
// so does what was saved of it, but for the shares, which are not in it.
func TestDatesAndShares(t *testing.T) {
	source := `name: dated
time: {unit: week, start: 2020-03-02, end: 4}
population: {size: 500, start: {a: 400, b: rest}}
attributes: {region: {north: 40%, south: rest}}
states: {a: {}, b: {}, c: {}}
record: {every: 1 week, by: [region]}
`
	files := map[string]string{"dated.yaml": source}
	savedRun(t, files, "out", source, 1, 2)
	c := serve(t, page.Config{Files: someFiles(files)})
	run, live := c.start("/runs", url.Values{"path": {"dated.yaml"}, "replicas": {"2"}})
	_, saved := c.want(http.StatusOK, "GET", "/results/out", nil)
	for name, body := range map[string]string{"run": live, "saved": saved} {
		for _, want := range []string{`<th scope="col">date</th>`, `<th scope="row">2020-03-09</th>`, ">9 Mar</text>"} {
			if !strings.Contains(body, want) {
				t.Errorf("%s: no %s", name, want)
			}
		}
		if strings.Contains(body, "weeks since") || strings.Contains(body, `<span class="name">c</span>`) {
			t.Errorf("%s has weeks since the start, or a state that is never occupied", name)
		}
	}
	if strings.Count(live, "data-per") < 3 || strings.Contains(saved, "data-per") {
		t.Error("not every chart of a run, or a saved one, can be per 100,000")
	}
	for figure, want := range map[string]string{"states": `"y":[80000,80000,80000,80000,80000]`,
		"by-region-0": `"name":"north"`} {
		_, body := c.want(http.StatusOK, "GET", run+"/figures/"+figure+".json?per=y", nil)
		if !strings.Contains(body, want) {
			t.Errorf("%s: %s", figure, body)
		}
	}
	_, svg := c.want(http.StatusOK, "GET", run+"/figures/states.svg?per=y&title=Figure+1", nil)
	if !strings.Contains(svg, `aria-label="per 100,000 individuals"`) || !strings.Contains(svg, `aria-label="Figure 1"`) {
		t.Errorf("%.2000s", svg)
	}
}
