package page_test

import (
	"fmt"
	"net/http"
	"net/url"
	"runtime"
	"strings"
	"testing"

	"github.com/chromedp/chromedp"

	"github.com/almanac-sim/almanac/examples"
	"github.com/almanac-sim/almanac/page"
)

// A page with some of the charts of a run grows without being made anew, and stays the same part
// when the run ends.
func TestManyChartsInBrowser(t *testing.T) {
	t.Parallel()
	v := visit(t, page.Config{Files: someFiles(map[string]string{
		"many.yaml": strings.Replace(manyStates(), "name: many", "name: held many", 1)})})
	v.size(1024, 900, "light")
	// The run is held, so that it goes on until it is stopped. A replica has four rows: of so many,
	// one replica at least comes to its end, whatever the number of workers.
	gate := page.Hold("held many")
	replica := 4 * runtime.GOMAXPROCS(0)
	stay := http.Client{CheckRedirect: func(*http.Request, []*http.Request) error { return http.ErrUseLastResponse }}
	answer, err := stay.PostForm(v.base+"/runs", url.Values{"path": {"many.yaml"}, "replicas": {"4000"}})
	if err != nil || answer.StatusCode != http.StatusSeeOther {
		t.Fatal(answer, err)
	}
	answer.Body.Close()
	v.get("/runs/1?charts=25")
	gate.Let(replica)
	// The flows, of which this part shows 22, have charts only after their first interval.
	v.until(chart("incidence-by-region-21", `g.line[data-series="0"] path`))
	made := func() int {
		return eval[int](v, `performance.getEntriesByType("resource").filter(e => `+
			`e.name.endsWith("/runs/1?charts=25")).length`)
	}
	once := made()
	note := chart("by-region-23", "[data-note]") // which says of how many replicas it is
	for range 4 {
		before := eval[string](v, note+`.textContent`)
		gate.Let(replica)
		v.until(note + `?.textContent !== ` + fmt.Sprintf("%q", before))
	}
	if n := made() - once; n > 0 {
		t.Errorf("the page was made anew %d times", n)
	}
	if !eval[bool](v, `document.querySelector("[data-state=running]") !== null`) {
		t.Fatal("the run has ended before it is stopped")
	}
	v.do(chromedp.Evaluate[chromedp.Void](`void document.querySelector("[data-stop]").requestSubmit()`))
	v.until(`document.querySelector("[data-state=stopped]") && document.querySelector(".files")`)
	if !eval[bool](v, note+` !== null && document.querySelector('[data-figure=states]') === null`) {
		t.Error("another part is shown at the end")
	}
}

// No word of the title of a panel is broken: its tools, of which a run by group has one more, leave
// it a line.
func TestTitlesOfPanelsInBrowser(t *testing.T) {
	t.Parallel()
	source, err := examples.Files().ReadFile("seir-regions.yaml")
	if err != nil {
		t.Fatal(err)
	}
	v := visit(t, page.Config{Files: someFiles(map[string]string{"regions.yaml": strings.NewReplacer("size: 50_000",
		"size: 500").Replace(string(source))}), About: "a model", Dir: "models"})
	v.size(1024, 900, "light")
	v.get("/models/regions.yaml")
	v.do(chromedp.Click(chromedp.CSS("button.main")))
	v.until(`document.querySelectorAll(".figure.small [data-per]").length > 4 &&
		document.querySelector("[data-say]").textContent.startsWith("done")`)
	for _, width := range []int{390, 1024, 1280, 1440, 1680} {
		v.size(width, 900, "light")
		if broken := eval[[]string](v, `[...document.querySelectorAll(".figure h3")].flatMap(h =>
			[...h.textContent.matchAll(/\S+/g)].filter(word => {
				const range = document.createRange();
				range.setStart(h.firstChild, word.index);
				range.setEnd(h.firstChild, word.index + word[0].length);
				return range.getClientRects().length > 1;
			}).map(word => word[0]))`); len(broken) > 0 {
			t.Errorf("at %d pixels these words are broken: %q", width, broken)
		}
	}
}
