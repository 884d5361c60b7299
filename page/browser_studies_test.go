package page_test

import (
	"context"
	"flag"
	"fmt"
	"os"
	"path/filepath"
	"regexp"
	"strings"
	"testing"

	"github.com/chromedp/chromedp"
	"github.com/chromedp/chromedp/kb"

	"github.com/almanac-sim/almanac/ensemble"
	"github.com/almanac-sim/almanac/page"
	"github.com/almanac-sim/almanac/population"
)

var fittedIn = flag.String("fitted", "", "a directory that almanac fit wrote, of which pictures are taken")

// Studies as a visitor meets them, in a browser: scenarios and saved runs are compared, a sweep is
// made and a cell of its map opens its run, a fit is looked at and projected from, and a hub is
// watched. With -shots there are pictures.
func TestStudiesInBrowser(t *testing.T) {
	t.Parallel()
	files := savedStudies(t)
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
	// which come a moment after the state
	v.until(`document.querySelectorAll("[data-figure^=difference]:not([data-figure*=incidence])").length === 3`)
	if rows := eval[[]string](v, `[...document.querySelectorAll("#figure-forest svg.forest text")].map(`+
		`t => t.textContent).filter(t => t.startsWith("final(immune)") || t === "slower")`); len(rows) < 2 {
		t.Errorf("the forest plot has %q", rows)
	}
	look("compared")

	// Saved runs over each other. Those of one seed are compared pair by pair, the other as an
	// independent sample; the first, which is no scenario, is the better one.
	v.get("/compare")
	v.do(chromedp.Evaluate[chromedp.Void](`void document.querySelectorAll("[name=dir]").forEach(box => box.click())`),
		chromedp.Click(chromedp.CSS("section:last-of-type button.main")))
	v.until(`document.querySelector("[data-state=done] .files")`)
	for i := range 3 {
		v.until(chart("state-1", fmt.Sprintf(`g.line[data-series="%d"] path`, i)) + ` && ` + chart("state-1",
			fmt.Sprintf(`g.band[data-series="%d"] path`, i)))
	}
	if names := eval[string](v, `[...document.querySelectorAll("[data-figure=state-1] .lines .name")].map(n => `+
		`n.textContent).join()`); names != "saved/base: seed 4, beta = 0.5 per day,saved/other luck: seed 5, beta = 0.2 "+
		"per day,saved/slower: seed 4, beta = 0.2 per day" {
		t.Errorf("the lines are %s", names)
	}
	for i, want := range []string{"saved/other luck: seed 5, beta = 0.2 per day against saved/base: seed 4, beta = 0.5 " +
		"per day: means, and the difference of independent replicas",
		"saved/slower: seed 4, beta = 0.2 per day against saved/base: seed 4, beta = 0.5 per day: means, and the " +
			"difference replica by replica"} {
		table := fmt.Sprintf(`document.querySelectorAll(".tables table")[%d]`, i)
		v.size(800, 900, "light") // where the names fit in some lines, and all columns beside each other
		v.until(`innerWidth === 800`)
		if wide := eval[[]int](v, `[`+table+`.clientWidth, `+table+`.parentElement.clientWidth]`); wide[0] > wide[1] {
			t.Errorf("table %d has %d pixels of width in %d", i, wide[0], wide[1])
		}
		if caption := eval[string](v, table+`.caption.textContent`); !strings.HasPrefix(caption, want) {
			t.Errorf("table %d is %q", i, caption)
		}
		row := eval[[]float64](v, `(r => [r.cells[3], r.cells[4]].flatMap(c => c.textContent.replaceAll(",", "").`+
			`split(" to ").map(Number)))([...`+table+`.tBodies[0].rows].find(r => r.cells[0].textContent === "final(immune)"))`)
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
	cell := eval[[]string](v, `(a => [a.getAttribute("aria-label"), `+
		`location.pathname])(document.querySelectorAll(".map .cells a")[6])`)
	v.do(chromedp.Focus(chromedp.CSS(".map .cells:nth-of-type(7) a")), chromedp.KeyEvent("\r"))
	v.until(`document.querySelector("[data-state=done] .files") && location.pathname !== "` + cell[1] + `"`)
	about := eval[string](v, `document.querySelector(".lead").textContent`)
	last := eval[string](v, `document.querySelector(".tables tbody tr td").textContent`) // how many are well in the end
	var beta, stay float64
	var well string
	if n, err := fmt.Sscanf(cell[0], "beta (per day) %g, stay (days) %g: %s", &beta, &stay, &well); n != 3 || beta == 0.5 {
		t.Fatalf("the cell is %q: %v", cell[0], err)
	}
	if want := fmt.Sprintf("500 individuals, 10 replicas, seed 1, beta = %g per day, stay = %g days", beta, stay); about !=
		want || last != well {
		t.Errorf("the cell %q opens %q, with %s at the end", cell[0], about, last)
	}
	// back to the map, where a row of the table does the same
	v.do(chromedp.Evaluate[chromedp.Void](`void document.querySelector(".crumb a").click()`))
	v.until(`location.pathname === "` + cell[1] + `" && document.readyState === "complete" && ` +
		`document.querySelectorAll(".tables tbody a").length === 25`)
	v.do(chromedp.Evaluate[chromedp.Void](`void document.querySelector(".tables tbody tr:nth-child(2) a").click()`))
	v.until(`document.querySelector("[data-state=done] .files") && location.pathname !== "` + cell[1] + `"`)

	// A saved comparison: found in the list, with its table; run once more, it has the same numbers
	// and charts of how the scenarios went.
	v.get("/compare")
	v.do(chromedp.Click(chromedp.CSS(`a[href="/comparisons/compared"]`)))
	v.until(`document.querySelector("h1")?.textContent === "Compare flu" && document.querySelectorAll(".tables ` +
		`table").length === 1 && document.querySelectorAll(".files a").length === 6`)
	look("saved comparison")
	numbers := `[...document.querySelectorAll(".tables table")].map(t => t.textContent).join()`
	written := eval[string](v, numbers)
	v.do(chromedp.Click(chromedp.CSS("section.controls button.main")))
	done()
	v.until(`document.querySelectorAll("[data-figure^=difference]:not([data-figure*=incidence])").length === 3 && ` +
		`document.querySelector(".tables table")`)
	if again := eval[string](v, numbers); again != written || !strings.Contains(written, "final(immune)") {
		t.Errorf("what was written is\n%s\nand run once more\n%s", written, again)
	}

	// The fit: what is known of each unknown beside what was before, the model over the data, with
	// bands, and then what follows.
	v.get("/fits/fitted")
	for _, part := range []string{chart("predictive-0", `g.band[data-series="0"] path`),
		chart("predictive-0", `g.band[data-series="1"] path`), chart("predictive-0", `g.line[data-series="2"], `+
			`g.marks[data-series="2"]`),
		chart("marginal-0", `g.line[data-series="0"] path`), chart("marginal-1", `g.line[data-series="1"] path`),
		chart("pair-0", "svg.chart"), chart("trace-0", "svg.chart")} {
		v.until(part)
	}
	look("fit")
	v.do(chromedp.Click(chromedp.CSS("section.controls button.main")))
	done()
	v.until(chart("states", `g.band[data-series="1"] path`))
	if about := eval[string](v, `document.querySelector(".lead").textContent`); !strings.Contains(about,
		"beta, stay drawn from models/fitted/posterior.csv") {
		t.Errorf("it is projected from nothing: %s", about)
	}
	look("projected")

	// Runs of this server over each other: each has its command and its files below.
	v.get("/compare")
	v.until(`document.querySelectorAll("[name=run]").length === 3`) // two points of the sweep, and the projection
	v.do(chromedp.Evaluate[chromedp.Void](`void document.querySelectorAll("[name=run]").forEach(box => { if (box.value `+
		`!== document.querySelectorAll("[name=run]")[1].value) box.click(); })`),
		chromedp.Click(chromedp.CSS("section:last-of-type button.main")))
	v.until(`document.querySelector("[data-state=done] .files") && ` + chart("state-1", `g.line[data-series="1"] path`))
	if got := eval[string](v, `[...document.querySelectorAll(".command")].map(c => c.querySelector("h2").textContent + `+
		`": " + c.querySelector("code").textContent.split(" ").slice(0, 3).join(" ") + ", " + `+
		`c.querySelectorAll("a[download]").length).join("; ")`); !regexp.MustCompile(
		`^run \d+: almanac run models/\S+, [5-9]; run \d+: almanac run models/\S+, [5-9]$`).MatchString(got) {
		t.Errorf("what was compared is said to be %q", got)
	}

	// A saved sweep that has written down how its points went: a cell opens what was written, and
	// nothing is run.
	v.get("/sweeps/swept")
	v.until(`document.readyState === "complete" && document.querySelectorAll(".map .cells a").length === 4`)
	// A map is one stop of the tab key; in it the arrow keys move, and stay where there is no
	// further cell. What is heard is where one is.
	if stops := eval[string](v, `[...document.querySelectorAll(".map")].map(m => `+
		`m.querySelectorAll("a[tabindex='0']").length + " of " + m.querySelectorAll(".cells a").length).join()`); stops !=
		"1 of 4" {
		t.Errorf("the tab key stops at %s cells", stops)
	}
	v.do(chromedp.Focus(chromedp.CSS(".map a[tabindex='0']")))
	for _, step := range []struct{ keys, at string }{{kb.ArrowRight, "1 0"}, {kb.ArrowRight, "1 0"}, {kb.ArrowUp, "1 1"},
		{kb.Home, "0 1"}, {kb.End, "1 1"}, {kb.ArrowDown, "1 0"}, {kb.ArrowLeft, "0 0"}, {kb.ArrowUp, "0 1"}} {
		v.do(chromedp.KeyEvent(step.keys))
		v.until(`document.activeElement.dataset.at === "` + step.at +
			`" && document.activeElement.tabIndex === 0 && document.querySelectorAll(".map a[tabindex='0']").length === 1`)
	}
	if heard := eval[string](v, `document.activeElement.getAttribute("aria-label") + "; " + `+
		`document.activeElement.closest("svg").getAttribute("aria-label")`); heard !=
		"beta (per day) 0.4, stay (days) 5: 3; final(ill): a map, in which the arrow keys move from cell to cell" {
		t.Errorf("one hears %q", heard)
	}
	v.size(700, 800, "light") // drawn anew, it keeps the focus
	v.until(`Math.abs(document.querySelector(".map svg").viewBox.baseVal.width - ` +
		`document.querySelector("[data-map]").clientWidth) < 9 && document.activeElement.dataset.at === "0 1"`)
	v.do(chromedp.KeyEvent(kb.Tab))
	if eval[bool](v, `document.activeElement.matches(".cells a")`) {
		t.Error("the tab key does not leave the map")
	}
	v.do(chromedp.Focus(chromedp.CSS(".map a[tabindex='0']")), chromedp.KeyEvent("\r"))
	v.until(`location.pathname === "/sweep-points/swept" && document.querySelector("h1").textContent === "beta = 0.4 ` +
		`per day, stay = 5 days" && ` + chart("states", `g.line[data-series="0"] path`))
	look("recorded point")
	// What a program wrote, and a file of it that arrives when its link is clicked; with the part
	// that is seen.
	v.get("/courses/day")
	v.until(chart("course-0", "svg.chart"))
	look("courses")
	v.downloads()
	v.until(`document.readyState === "complete" && !document.querySelector("[data-tools]").hidden`)
	v.do(chromedp.Evaluate[chromedp.Void](`void ` + chart("course-0", `[data-zoom="0.5"]`) + `.click()`))
	v.until(chart("course-0", "[data-what]") + `.textContent === "Take away what is shown:"`)
	part := eval[string](v, `fetch(`+chart("course-0", "[data-form=csv]")+`.href).then(r => r.text())`)
	if whole := eval[string](v, `fetch("/course/course-0.csv?dir=day").then(r => r.text())`); part == whole ||
		!strings.HasPrefix(part, "series,x,y,low,high\n") {
		t.Errorf("a part of %q is %q", whole, part)
	}
	v.do(chromedp.Click(chromedp.CSS(`[data-figure=course-0] [data-form=csv]`)))
	v.arrives("course-0.csv", part)
	v.do(chromedp.Click(chromedp.CSS(`.files a[href^="/study-files/courses.csv"]`)))
	v.arrives("courses.csv", files["day/courses.csv"])
	// Of a model: what is in the editor.
	v.get("/models/flu.yaml")
	v.until(`document.querySelector(".gutter span")`)
	v.typed("name: flu", "name: typed")
	v.do(chromedp.Click(chromedp.CSS(`[formaction="/model-files/model.yaml"]`)))
	v.arrives("model.yaml", strings.Replace(twoScenarios, "name: flu", "name: typed", 1))
	v.until(`document.querySelector("[data-command]").textContent.startsWith("almanac check - < model.yaml\nalmanac ` +
		`run - ")`)
	v.do(chromedp.Evaluate[chromedp.Void](`void (() => { const s = document.querySelector(".parameter ` +
		`input[type=range]"); s.value = 0.7; s.dispatchEvent(new Event("input", {bubbles: true})); })()`))
	v.until(`document.querySelector("[data-command]").textContent.endsWith("--set 'beta=0.7 per day' < model.yaml")`)

	// A report of the papers.
	v.get("/papers?report=report%2Fclaims.json")
	v.until(`document.querySelectorAll(".claims li").length === 1`)
	v.do(chromedp.Click(chromedp.CSS(".claims a")))
	v.until(`document.querySelector(".tables")?.textContent.includes("one half") && document.querySelector(".files ` +
		`a").textContent === "claims.json"`)
	if *fittedIn != "" { // a real one, to be looked at
		path := *fittedIn
		v = visit(t, page.Config{Files: os.DirFS(filepath.Dir(path)), About: "a fit", Dir: "models"})
		v.size(1920, 1080, "light")
		v.get("/fits/" + filepath.Base(path))
		v.until(`[...document.querySelectorAll(".plot svg.chart")].every(s => Math.abs(s.viewBox.baseVal.width - ` +
			`s.clientWidth) < 9)`)
		v.do(chromedp.Evaluate[chromedp.Void](`void document.querySelector("h2.group").scrollIntoView()`))
		v.save("outbreak-1920-light")
	}
}

// Who comes by the link with the token is let in, and stays so, on other pages and by the script;
// the address does not keep it. Who has no token is not.
func TestTokenInBrowser(t *testing.T) {
	t.Parallel()
	v := visit(t, page.Config{Token: "open sesame"})
	v.get("/runs")
	v.until(`document.body.textContent.startsWith("a token is needed") && !document.querySelector("a, form")`)
	v.expect("401")
	v.get("/?token=open+sesame")
	v.until(`document.querySelector(".cards a") && !location.href.includes("sesame")`)
	v.do(chromedp.Click(chromedp.CSS(`a[href="/models/sir.yaml"]`)))
	v.until(`document.querySelector(".gutter span")`)
	v.typed("to: recovered", "to: recoverd") // which the server is asked about
	v.until(`document.querySelectorAll(".problems li").length === 1`)
}

// A hub, watched: a worker comes, a study is done, the worker goes, and the page says so without
// being loaded again, to who listens as well.
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
	v.until(`document.querySelector("[data-hub] .lead").textContent.startsWith("nats://") && ` +
		`document.querySelector("[data-crew]").textContent === "Nobody works."`)
	g := new(ensemble.Registry)
	g.AddKind(ensemble.FuncKind("quick", "1", func(context.Context, ensemble.Params, ensemble.Replica) (ensemble.Outputs,
		error) {
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
	v.until(`document.querySelector("[data-crew]").textContent === "2 workers, 0 of 4 busy" && ` +
		`document.querySelector("[data-said]").textContent.startsWith("2 workers")`)
	if _, err := conn.Run(t.Context(), ensemble.Job{Name: "a study of flu", Kind: "quick", Points: []ensemble.Point{{}},
		Replicas: 3, Seed: 1}, ensemble.RunOptions{Registry: g}); err != nil {
		t.Fatal(err)
	}
	v.until(`/a study of flu.*done/s.test(document.querySelector(".jobs tbody").textContent) && ` +
		`document.querySelector(".jobs progress").value === 1`)
	v.named("hub")
	v.legible("hub")
	v.narrow("hub")
	v.picture("hub")
	leave[0]()
	v.until(`document.querySelector("[data-crew]").textContent.startsWith("1 worker,") && ` +
		`document.querySelector(".news li").textContent.startsWith("anna's laptop went")`)
	leave[1]()
	v.until(`document.querySelector("[data-crew]").textContent === "Nobody works." && document.querySelectorAll(".news ` +
		`li").length === 4`)
	if !eval[bool](v, "window.stays") {
		t.Error("the page was loaded again")
	}
	for range leave {
		<-left
	}
}
