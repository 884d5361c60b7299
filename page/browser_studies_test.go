package page_test

import (
	"context"
	"flag"
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/chromedp/chromedp"

	"github.com/almanac-sim/almanac/ensemble"
	"github.com/almanac-sim/almanac/page"
	"github.com/almanac-sim/almanac/population"
)

var fittedIn = flag.String("fitted", "", "a directory that almanac fit wrote, of which pictures are taken")

// Studies as a visitor meets them, in a browser: scenarios and saved runs are compared, a sweep is made and a cell of its map opens its run, a fit is looked at and
// projected from, and a hub is watched. With -shots there are pictures.
func TestStudiesInABrowser(t *testing.T) {
	t.Parallel()
	files := map[string]string{"flu.yaml": twoScenarios, "fitted/model.yaml": twoScenarios, "fitted/fit.json": fluFit, "fitted/posterior.csv": fluPosterior()}
	savedRun(t, files, "saved/base", twoScenarios, 4, 8)
	savedRun(t, files, "saved/slower", twoScenarios, 4, 8, population.Scenario("slower"))
	savedRun(t, files, "saved/other luck", twoScenarios, 5, 8, population.Scenario("slower"))
	v := visit(t, page.Config{Files: someFiles(files), About: "some files", Dir: "models"})
	look := func(name string) {
		t.Helper()
		v.look(name, eval[string](v, "location.pathname + location.search"))
		v.size(1280, 800, "light")
	}
	done := func() { t.Helper(); v.until(`document.querySelector("[data-state=done]") !== null`) }

	v.get("/compare")
	look("compare")
	v.do(chromedp.Click(chromedp.CSS(`a[href="/compare?model=flu.yaml"]`)))
	v.until(`document.querySelector("[name=scenarios]") !== null`)
	look("scenarios")
	v.do(chromedp.Click(chromedp.CSS("button.main")))
	done()
	v.until(`document.querySelectorAll("[data-figure^=difference]").length === 3`) // which come a moment after the state
	look("compared")

	// Saved runs over each other. Those of one seed are compared pair by pair, the other as an independent sample; the first, which is no scenario, is the better one.
	v.get("/compare")
	v.do(chromedp.Evaluate[chromedp.Void](`void document.querySelectorAll("[name=dir]").forEach(box => box.click())`), chromedp.Click(chromedp.CSS("section:last-of-type button.main")))
	v.until(`document.querySelector("[data-state=done] .files")`)
	for i := range 3 {
		v.until(chart("state-1", fmt.Sprintf(`g.line[data-series="%d"] path`, i)) + ` && ` + chart("state-1", fmt.Sprintf(`g.band[data-series="%d"] path`, i)))
	}
	if names := eval[string](v, `[...document.querySelectorAll("[data-figure=state-1] .lines .name")].map(n => n.textContent).join()`); names != "saved/base: seed 4, beta = 0.5 per day,saved/other luck: seed 5, beta = 0.2 per day,saved/slower: seed 4, beta = 0.2 per day" {
		t.Errorf("the lines are %s", names)
	}
	for i, want := range []string{"saved/other luck: seed 5, beta = 0.2 per day against saved/base: seed 4, beta = 0.5 per day: means ± half of the 95 % interval, and the difference with its 95 % interval, of independent replicas",
		"saved/slower: seed 4, beta = 0.2 per day against saved/base: seed 4, beta = 0.5 per day: means ± half of the 95 % interval, and the difference with its 95 % interval, replica by replica"} {
		table := fmt.Sprintf(`document.querySelectorAll(".tables table")[%d]`, i)
		if caption := eval[string](v, table+`.caption.textContent`); !strings.HasPrefix(caption, want) {
			t.Errorf("table %d is %q", i, caption)
		}
		row := eval[[]float64](v, `(r => [3, 4, 5].map(i => Number(r.cells[i].textContent.replaceAll(",", "").replace("−", "-"))))([...`+table+`.tBodies[0].rows].find(r => r.cells[0].textContent === "final(immune)"))`)
		if !(row[1] < row[0] && row[0] < row[2] && row[2] < 0) {
			t.Errorf("there are fewer ill where it is slower: %v", row)
		}
	}
	look("saved runs")
	v.get("/results/saved/slower")
	look("result")

	v.get("/studies")
	look("studies")
	v.get("/sweeps?model=flu.yaml")
	look("sweeping")
	v.do(chromedp.Click(chromedp.CSS("button.main")))
	done()
	v.until(`document.querySelectorAll(".map .cells a").length >= 25`)
	look("swept")
	// A cell opens its run, by keyboard: with its values, and the numbers that the cell has.
	cell := eval[[]string](v, `(a => [a.getAttribute("aria-label"), location.pathname])(document.querySelectorAll(".map .cells a")[6])`)
	v.do(chromedp.Focus(chromedp.CSS(".map .cells:nth-of-type(7) a")), chromedp.KeyEvent("\r"))
	v.until(`document.querySelector("[data-state=done] .files") && location.pathname !== "` + cell[1] + `"`)
	about := eval[string](v, `document.querySelector(".lead").textContent`)
	last := eval[string](v, `document.querySelector(".tables tbody tr td").textContent`) // how many are well in the end
	var beta, stay float64
	var well string
	if n, err := fmt.Sscanf(cell[0], "beta (per day) %g, stay (days) %g: %s", &beta, &stay, &well); n != 3 || beta == 0.5 {
		t.Fatalf("the cell is %q: %v", cell[0], err)
	}
	if want := fmt.Sprintf("500 individuals, 10 replicas, seed 1, beta = %g per day, stay = %g days", beta, stay); about != want || last != well {
		t.Errorf("the cell %q opens %q, with %s at the end", cell[0], about, last)
	}
	v.do(chromedp.Evaluate[chromedp.Void](`void document.querySelector(".crumb a").click()`)) // back to the map, where a row of the table does the same
	v.until(`location.pathname === "` + cell[1] + `" && document.readyState === "complete" && document.querySelectorAll(".tables tbody a").length === 25`)
	v.do(chromedp.Evaluate[chromedp.Void](`void document.querySelector(".tables tbody tr:nth-child(2) a").click()`))
	v.until(`document.querySelector("[data-state=done] .files") && location.pathname !== "` + cell[1] + `"`)

	// The fit: what is known of each unknown beside what was before, the model over the data, with bands, and then what follows.
	v.get("/fits/fitted")
	for _, part := range []string{chart("predictive-0", `g.band[data-series="0"] path`), chart("predictive-0", `g.band[data-series="1"] path`), chart("predictive-0", `g.line[data-series="2"], g.marks[data-series="2"]`),
		chart("marginal-0", `g.line[data-series="0"] path`), chart("marginal-1", `g.line[data-series="1"] path`), chart("pair-0", "svg.chart"), chart("trace-0", "svg.chart")} {
		v.until(part)
	}
	look("fit")
	v.do(chromedp.Click(chromedp.CSS("section.controls button.main")))
	done()
	v.until(chart("states", `g.band[data-series="1"] path`))
	if about := eval[string](v, `document.querySelector(".lead").textContent`); !strings.Contains(about, "beta, stay drawn from models/fitted/posterior.csv") {
		t.Errorf("it is projected from nothing: %s", about)
	}
	look("projected")
	if *fittedIn != "" { // a real one, to be looked at
		path := *fittedIn
		v = visit(t, page.Config{Files: os.DirFS(filepath.Dir(path)), About: "a fit", Dir: "models"})
		v.size(1920, 1080, "light")
		v.get("/fits/" + filepath.Base(path))
		v.until(`[...document.querySelectorAll(".plot svg.chart")].every(s => Math.abs(s.viewBox.baseVal.width - s.clientWidth) < 9)`)
		v.do(chromedp.Evaluate[chromedp.Void](`void document.querySelector("h2.group").scrollIntoView()`))
		v.save("outbreak-1920-light")
	}
}

// A hub, watched: a worker comes, a study is done, the worker goes, and the page says so without being loaded again, to who listens as well.
func TestHubInABrowser(t *testing.T) {
	t.Parallel()
	h, err := ensemble.StartHub(ensemble.HubOptions{Store: t.TempDir(), Listen: "127.0.0.1:0"})
	if err != nil {
		t.Fatal(err)
	}
	defer h.Close()
	v := visit(t, page.Config{Hub: &ensemble.ConnectOptions{URL: h.URL()}})
	v.get("/hub")
	v.do(chromedp.Evaluate[chromedp.Void]("void (window.stays = true)"))
	v.until(`document.querySelector("[data-hub] .lead").textContent.startsWith("nats://") && document.querySelector("[data-crew]").textContent === "Nobody works."`)
	g := new(ensemble.Registry)
	g.AddKind(ensemble.FuncKind("quick", "1", func(context.Context, ensemble.Params, ensemble.Replica) (ensemble.Outputs, error) {
		return ensemble.Outputs{"x": 1}, nil
	}))
	conn, err := ensemble.Connect(t.Context(), ensemble.ConnectOptions{URL: h.URL()})
	if err != nil {
		t.Fatal(err)
	}
	defer conn.Close()
	var leave [2]context.CancelFunc
	left := make(chan error, 2)
	work := func(i int, name string) {
		var ctx context.Context
		ctx, leave[i] = context.WithCancel(t.Context())
		go func() { left <- ensemble.Serve(ctx, conn, ensemble.WorkerOptions{Name: name, Slots: 2, Registry: g}) }()
	}
	work(0, "anna's laptop")
	work(1, "the lab")
	v.until(`document.querySelector("[data-crew]").textContent === "2 workers, 0 of 4 busy" && document.querySelector("[data-said]").textContent.startsWith("2 workers")`)
	if _, err := ensemble.Run(t.Context(), conn, ensemble.Job{Name: "a study of flu", Kind: "quick", Points: []ensemble.Point{{}}, Replicas: 3, Seed: 1}, ensemble.RunOptions{Registry: g}); err != nil {
		t.Fatal(err)
	}
	v.until(`/a study of flu.*done/s.test(document.querySelector(".jobs tbody").textContent) && document.querySelector(".jobs progress").value === 1`)
	v.narrow("hub")
	v.named("hub")
	v.picture("hub")
	leave[0]()
	v.until(`document.querySelector("[data-crew]").textContent.startsWith("1 worker,") && document.querySelector(".news li").textContent.startsWith("anna's laptop went")`)
	leave[1]()
	v.until(`document.querySelector("[data-crew]").textContent === "Nobody works." && document.querySelectorAll(".news li").length === 4`)
	if !eval[bool](v, "window.stays") {
		t.Error("the page was loaded again")
	}
	for range leave {
		<-left
	}
}
