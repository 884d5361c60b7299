package page_test

import (
	"fmt"
	"net/http"
	"net/url"
	"strings"
	"testing"
	"testing/fstest"
	"time"

	"github.com/chromedp/cdproto/emulation"
	"github.com/chromedp/cdproto/input"
	"github.com/chromedp/chromedp"
	"github.com/chromedp/chromedp/kb"

	"github.com/almanac-sim/almanac/examples"
	"github.com/almanac-sim/almanac/page"
)

// chart is an expression that finds something of a figure.
func chart(figure, selector string) string {
	return fmt.Sprintf(`document.querySelector('[data-figure=%q] %s')`, figure, selector)
}

// heldFiles is a model of two regions whose runs are held, by its name, and its gate.
func heldFiles(t *testing.T, name string) (fstest.MapFS, page.Gate) {
	t.Helper()
	source, err := examples.Files().ReadFile("seir-regions.yaml")
	if err != nil {
		t.Fatal(err)
	}
	return someFiles(map[string]string{"held.yaml": strings.NewReplacer("name: seir-regions", "name: "+name,
		"size: 50_000", "size: 2_000").Replace(string(source))}), page.Hold(name)
}

// A run, live: it is started from the page of a model, its lines grow without the page being loaded
// again, it says how fast it is, and the end is shown when it comes. It is held at its rows, and
// goes on as far as it is let, however fast or slow the machine is.
func TestLiveInBrowser(t *testing.T) {
	t.Parallel()
	files, gate := heldFiles(t, "held live")
	v := visit(t, page.Config{Files: files, About: "a model", Dir: "models", Limits: page.Limits{Viewers: 2}})
	v.size(1024, 900, "light")
	v.get("/models/held.yaml")
	v.do(chromedp.SetValue(chromedp.CSS("[name=replicas]"), "9"), chromedp.SetValue(chromedp.CSS("[name=seed]"), "5"),
		chromedp.Click(chromedp.CSS("button.main")))
	v.until(`location.pathname === "/runs/1" && document.querySelector(".lead")`)
	if about := eval[string](v, `document.querySelector(".lead").textContent`); about !=
		"2,000 individuals, 9 replicas, seed 5" {
		t.Fatalf("it is a run of %s", about) // which may have too few rows for what follows
	}
	v.do(chromedp.Evaluate[chromedp.Void]("void (window.stays = true)"))
	const rows = 251 // of a replica
	gate.Let(40)
	v.until(chart("states", `g.line[data-series="0"] path`))
	for range 2 {
		before := eval[string](v, chart("states", `g.line[data-series="0"] path`)+`.getAttribute("d")`)
		gate.Let(rows)
		v.until(chart("states", `g.line[data-series="0"] path`) + `?.getAttribute("d") !== ` + fmt.Sprintf("%q", before))
	}
	gate.Let(rows) // two replicas at least have come to their end, and there is a band around their median
	v.until(chart("states", `g.band[data-series="0"] path`))
	v.until(`/[\d.,]+ events, [\d.e-]+ million a second, [\d.]+ (ms|s|min|h) ` +
		`left$/.test(document.querySelector("[data-pace]").textContent)`)
	v.until(`document.querySelector("progress").value > 0`)
	v.until(`/median of \d+ replicas/.test(` + chart("states", "[data-note]") + `.textContent)`)
	v.until(`document.querySelector("[data-say]").textContent.startsWith("running, ")`)
	v.until(`document.querySelectorAll("[data-figure]").length > 6`) // by group, too

	// The numbers under the pointer are those of now, and follow while the pointer rests: the run
	// stands still, and the server's are the same. It is at day 120, which is a row of the table,
	// of which there is every other.
	plot := eval[[]float64](v,
		`(s => {
			const b = s.getBoundingClientRect(), [low, high, from, to] = s.dataset.x.split(" ").map(Number);
			const x = from + (120 - low) / (high - low) * (to - from);
			return [b.x + x * b.width / s.viewBox.baseVal.width, b.y + b.height / 2];
		})(`+chart("states", "svg.chart")+`)`)
	v.do(chromedp.MouseEvent(chromedp.MouseMoved, plot[0], plot[1]))
	same := `fetch(location.pathname + "/figures/states.json").then(r => r.json()).then(d => {
		const s = d.series[0], x = Number(` + chart("states", "[data-plot]") + `.getAttribute("aria-valuenow"));
		const y = parseFloat(` + chart("states", `[data-value="0"]`) + `.textContent.replaceAll(",", ""));
		return x === 120 && Math.abs(y - s.y[s.x.indexOf(x)]) <= 0.5;
	})`
	untilSame := func() {
		t.Helper()
		for deadline := time.Now().Add(2 * time.Minute); !eval[bool](v, same); time.Sleep(50 * time.Millisecond) {
			if time.Now().After(deadline) {
				t.Fatalf("under the pointer is %s", eval[string](v, chart("states", `[data-value="0"]`)+`.textContent`))
			}
		}
	}
	untilSame()
	under := eval[string](v, chart("states", `[data-value="0"]`)+`.textContent`)
	v.do(chromedp.Evaluate[chromedp.Void](`void (` + chart("states", "[data-numbers]") + `.open = true)`))
	grows := []string{`document.querySelector("progress").value`, chart("states", `g.band[data-series="0"] path`) +
		`.getAttribute("d")`, chart("incidence", `g.line[data-series="0"] path`) + `.getAttribute("d")`}
	before := eval[[]any](v, `[`+strings.Join(grows, ", ")+`]`)
	v.do(chromedp.Evaluate[chromedp.Void](`void (window.early = ` + chart("states", "svg.chart") + `.outerHTML)`))
	early := eval[string](v, chart("states", `g.line[data-series="0"] path`)+`.getAttribute("d")`)
	gate.Let(3 * rows)
	for i, what := range grows {
		v.until(fmt.Sprintf(`String(%s) !== %s`, what, asString(fmt.Sprint(before[i]))))
	}
	v.until(chart("states", `[data-value="0"]`) + `.textContent !== ` + asString(under))
	untilSame()
	// as does a table that is open
	v.until(`[...` + chart("states", "tbody") + `.rows].find(r => r.cells[0].textContent === ` +
		`"120").cells[1].textContent === ` + chart("states", `[data-value="0"]`) + `.textContent`)

	// A picture that was drawn before the latest news, which a busy server may give, is brought up
	// to date.
	v.do(chromedp.Evaluate[chromedp.Void](`void (window.asks = window.fetch, window.fetch = (at, ...more) => {
		if (!String(at).includes("/figures/states.svg")) return window.asks(at, ...more);
		window.given = (window.given ?? 0) + 1;
		return Promise.resolve(new Response(window.early)); })`))
	v.size(900, 900, "light")
	v.until(`window.given > 0 && ` + chart("states", "svg.chart") + `.outerHTML.length > 0`)
	v.until(chart("states", `g.line[data-series="0"] path`) + `.getAttribute("d") !== ` + asString(early))
	v.do(chromedp.Evaluate[chromedp.Void](`void (window.fetch = window.asks)`))
	v.size(1024, 900, "light")

	// A second tab, which comes later, sees the same; losing it changes nothing.
	run := eval[string](v, "location.pathname")
	first := v.ctx
	v.open()
	v.get(run)
	v.until(chart("incidence", `g.line[data-series="0"] path`))
	v.get("/runs")
	v.until(`document.querySelector(".runlist .running")`)
	v.ctx = first

	// A tab that nobody sees lets go of its connection: both places are free. Seen again, it goes on.
	see := func(hidden bool) {
		v.do(chromedp.Evaluate[chromedp.Void](fmt.Sprintf(`void (Object.defineProperty(document, "hidden", {configurable: `+
			`true, get: () => %t}), document.dispatchEvent(new Event("visibilitychange")))`, hidden)))
	}
	see(true)
	free := func() bool {
		for range 2 {
			answer, err := http.Get(v.base + run + "/events")
			if err != nil {
				t.Fatal(err)
			}
			defer answer.Body.Close()
			if answer.StatusCode != http.StatusOK {
				return false
			}
		}
		return true
	}
	untilFree := func() {
		t.Helper()
		for deadline := time.Now().Add(2 * time.Minute); !free(); time.Sleep(20 * time.Millisecond) {
			if time.Now().After(deadline) {
				t.Fatal("a tab that is hidden, or a viewer that has left, keeps its connection")
			}
		}
	}
	untilFree()
	v.do(chromedp.Evaluate[chromedp.Void](`void (document.querySelector("[data-pace]").textContent = "")`))
	untilFree() // what was asked for above has gone
	see(false)
	v.until(`document.querySelector("[data-pace]").textContent !== ""`)

	// Stopped: what there is stays, as it is looked at, and can be taken away; what has the focus
	// keeps it.
	box := `[data-figure=incidence] input[data-line="1"]`
	if !eval[bool](v, `document.querySelector("[data-state=running] [data-stop]") !== null`) {
		t.Fatal("the run has ended before it is stopped")
	}
	off := `!document.querySelector('` + box + `').checked && !` + chart("incidence", `g.line[data-series="1"] path`) +
		` && ` + chart("incidence", "[data-log]") + `.checked && ` + chart("incidence", "svg.chart") + `.dataset.log === "y"`
	v.do(chromedp.Evaluate[chromedp.Void](`void `+chart("incidence", "[data-log]")+`.click()`),
		chromedp.Focus(chromedp.CSS(box)), chromedp.KeyEvent(" "))
	v.until(off)
	v.do(chromedp.Evaluate[chromedp.Void](`void document.querySelector("[data-stop]").requestSubmit()`))
	v.until(`document.querySelector('[data-state=stopped]') && document.querySelector(".files")`)
	v.until(`document.activeElement.matches('` + box + `')`)
	v.until(off) // and so is what was switched off, and the axis; the pointer still rests over the other chart
	untilSame()
	v.until(`!document.querySelector("[data-copy]").hidden`)
	if !eval[bool](v, "window.stays") {
		t.Error("the page was loaded again")
	}

	// How long it took is said, by the script as by the page that is loaded anew.
	took := `document.querySelector("[data-pace]").textContent`
	for range 2 {
		v.until(`/million a second, [\d.]+ (ms|s|min)$/.test(` + took +
			`) && document.querySelector("[data-status]").textContent === "stopped"`)
		v.do(chromedp.Reload())
		v.until(`document.readyState === "complete"`)
	}
	for _, f := range []string{"files/summary.json", "files/series.csv", "figures/states.svg", "figures/states.png",
		"figures/incidence.csv", "figures/by-region-0.json"} {
		if n := eval[int](v,
			`fetch(location.pathname + "/`+f+`").then(r => r.ok ? r.blob() : {size: -1}).then(b => b.size)`); n < 100 {
			t.Errorf("%s has %d bytes", f, n)
		}
	}
	if command := eval[string](v, `document.querySelector("[data-command]").textContent`); command !=
		"almanac run models/held.yaml --seed 5 --replicas 9" {
		t.Error(command)
	}
}

// A run that waits says how many wait before it, and, when one of these begins, that there are
// fewer; when its turn comes it goes on by itself, to its end.
func TestWaitingInBrowser(t *testing.T) {
	t.Parallel()
	files, gate := heldFiles(t, "held waiting")
	v := visit(t, page.Config{Files: files, Limits: page.Limits{Running: 1}})
	for range 3 {
		answer, err := http.PostForm(v.base+"/runs", url.Values{"path": {"held.yaml"}, "replicas": {"2"}})
		if err != nil {
			t.Fatal(err)
		}
		answer.Body.Close()
	}
	v.get("/runs/3")
	v.do(chromedp.Evaluate[chromedp.Void]("void (window.stays = true)"))
	says := func(text string) {
		t.Helper()
		v.until(`document.querySelector(".facts").innerText.trim().replace(/\s+/g, " ") === "` + text + `"`)
	}
	says("waiting 1 before it")
	if answer, err := http.Post(v.base+"/runs/1/stop", "", nil); err != nil {
		t.Fatal(err)
	} else {
		answer.Body.Close()
	}
	says("waiting 0 before it")
	gate.Open()
	v.until(`document.querySelector("[data-state=done] .files") && /^2 of 2 replicas done [\d,]+ events, [\d.e-]+ ` +
		`million a second, [\d.]+ (ms|s)$/.test(document.querySelector(".facts").innerText.replace(/^done/, ` +
		`"").trim().replace(/\s+/g, " "))`)
	if !eval[bool](v, "window.stays") {
		t.Error("the page was loaded again")
	}
}

// In a chart: the numbers under the pointer, a part of the times, a logarithmic axis, lines on and
// off, the table, and all by keyboard.
func TestChartInBrowser(t *testing.T) {
	t.Parallel()
	v := visit(t, page.Config{})
	v.size(1024, 900, "light")
	v.get("/models/sir.yaml")
	v.do(chromedp.SetValue(chromedp.CSS("[name=size]"), "5000"), chromedp.Click(chromedp.CSS("button.main")))
	v.until(`document.querySelector('[data-state=done]') && document.querySelector(".files")`)
	if about := eval[string](v, `document.querySelector(".lead").textContent`); about !=
		"5,000 individuals, 20 replicas, seed 1" {
		t.Errorf("it is a run of %s", about)
	}
	drawn := `Math.abs(` + chart("states", "svg.chart") + `.viewBox.baseVal.width - ` + chart("states", "[data-plot]") +
		`.clientWidth) < 9`
	v.until(drawn)

	// The pointer in the middle: day 80.
	box := eval[map[string]float64](v, `(b => ({x: b.x, y: b.y, w: b.width, h: b.height}))(`+chart("states",
		"[data-plot]")+`.getBoundingClientRect())`)
	axis := eval[[]float64](v, chart("states", "svg.chart")+`.dataset.x.split(" ").map(Number)`)
	if axis[0] != 0 || axis[1] != 160 {
		t.Fatalf("the axis is %v", axis)
	}
	at := func(day float64) float64 {
		return box["x"] + axis[2] + (day-axis[0])/(axis[1]-axis[0])*(axis[3]-axis[2])
	}
	y := box["y"] + box["h"]/2
	v.do(chromedp.MouseEvent(chromedp.MouseMoved, at(80), y))
	v.until(chart("states", `[data-value="0"]`) + `.textContent !== ""`)
	shown := eval[string](v, chart("states", `[data-value="0"]`)+`.textContent`)
	row := eval[string](v, `[...`+chart("states", "tbody")+`.rows].find(r => r.cells[0].textContent === `+
		`"80").cells[1].textContent`)
	if shown != row || !strings.Contains(shown, "(") {
		t.Errorf("under the pointer is %q, in the table %q", shown, row)
	}
	// There stand a line, over the day, and a dot on each of the three lines; the pointer takes
	// them along when it leaves.
	cursor := chart("states", ".over")
	v.until(`(l => l && Math.abs(Number(l.getAttribute("x1")) - ` + fmt.Sprint(at(80)-box["x"]) + `) < 1)(` + cursor +
		`.querySelector("line")) && ` + cursor + `.querySelectorAll("circle").length === 3`)
	v.do(chromedp.MouseEvent(chromedp.MouseMoved, box["x"]+box["w"]/2, box["y"]-20))
	v.until(chart("states", `[data-value="0"]`) + `.textContent === "" && ` + cursor + `.childElementCount === 0`)

	// Dragging from 20 to 60.
	v.do(chromedp.MouseEvent(chromedp.MousePressed, at(20), y, chromedp.ButtonLeft),
		chromedp.MouseEvent(chromedp.MouseMoved, at(40), y, chromedp.ButtonLeft),
		chromedp.MouseEvent(chromedp.MouseMoved, at(60), y, chromedp.ButtonLeft), chromedp.MouseEvent(chromedp.MouseReleased,
			at(60), y, chromedp.ButtonLeft))
	v.until(`(a => Math.abs(a[0] - 20) < 1 && Math.abs(a[1] - 60) < 1)(` + chart("states", "svg.chart") +
		`.dataset.x.split(" ").map(Number))`)
	v.do(chromedp.Click(chromedp.CSS("[data-figure=states] [data-reset]")))
	v.until(chart("states", "svg.chart") + `.dataset.x.startsWith("0 160 ")`)

	// A finger: a tap shows the numbers there, which stay, and the buttons zoom around it.
	touch := input.DispatchTouchEventParams{Type: input.DispatchTouchEventTypeTouchStart, TouchPoints: []*input.TouchPoint{
		{X: at(40), Y: y}}}
	if _, err := chromedp.Call(v.ctx, input.DispatchTouchEvent, touch); err != nil {
		t.Fatal(err)
	}
	if _, err := chromedp.Call(v.ctx, input.DispatchTouchEvent, input.DispatchTouchEventParams{
		Type: input.DispatchTouchEventTypeTouchEnd, TouchPoints: []*input.TouchPoint{}}); err != nil {
		t.Fatal(err)
	}
	v.until(chart("states", `[data-value="0"]`) + `.textContent === [...` + chart("states", "tbody") +
		`.rows].find(r => r.cells[0].textContent === "40").cells[1].textContent`)
	v.do(chromedp.Evaluate[chromedp.Void](`void ` + chart("states", `[data-zoom="0.5"]`) + `.click()`))
	v.until(`(a => Math.abs(a[0]) < 1 && Math.abs(a[1] - 80) < 1)(` + chart("states", "svg.chart") +
		`.dataset.x.split(" ").map(Number))`)
	v.do(chromedp.Evaluate[chromedp.Void](`void ` + chart("states", `[data-zoom="2"]`) + `.click()`))
	v.until(`(a => a[0] === 0 && Math.abs(a[1] - 120) < 1)(` + chart("states", "svg.chart") +
		`.dataset.x.split(" ").map(Number))`)
	v.do(chromedp.Evaluate[chromedp.Void](`void ` + chart("states", `[data-zoom="2"]`) + `.click()`))
	v.until(chart("states", "svg.chart") + `.dataset.x.startsWith("0 160 ") && ` + chart("states", "[data-reset]") +
		`.hidden`)

	// A server that has too much to do says so, and is asked again.
	v.do(chromedp.Evaluate[chromedp.Void](`void (real => window.fetch = async (...what) => {
		window.fetch = real;
		return new Response("", {status: 503, headers: {"Retry-After": "0.01"}});
	})(window.fetch)`))
	v.do(chromedp.Click(chromedp.CSS("[data-figure=states] [data-log]")))
	v.until(chart("states", "svg.chart") + `.dataset.log === "y"`)
	v.do(chromedp.Click(chromedp.CSS("[data-figure=states] [data-log]")))
	v.until(chart("states", "svg.chart") + `.dataset.log === ""`)

	// Per 100,000 individuals, in the chart, the table and what is taken away, which has a title.
	whole := eval[string](v, chart("states", "tbody")+`.rows[0].cells[1].textContent`)
	v.do(chromedp.Click(chromedp.CSS("[data-figure=states] [data-per]")))
	v.until(chart("states", "svg.chart") + `.dataset.y.startsWith("0 100000 ") && ` + chart("states", "svg.chart") +
		`.textContent.includes("per 100,000 individuals")`)
	if got := eval[string](v, chart("states", "tbody")+`.rows[0].cells[1].textContent`); !strings.HasPrefix(whole,
		"4,9") || !strings.HasPrefix(got, "99,") {
		t.Errorf("the table has %s, and per 100,000 %s", whole, got)
	}
	v.do(chromedp.SendKeys(chromedp.CSS("[data-figure=states] [data-title]"), "Figure 1"))
	v.until(chart("states", `[data-form="pdf"]`) + `.href.endsWith("states.pdf?per=y&title=Figure+1")`)
	v.do(chromedp.Click(chromedp.CSS("[data-figure=states] [data-per]")))
	v.until(chart("states", "svg.chart") + `.dataset.y.startsWith("0 5000 ")`)

	v.do(chromedp.Click(chromedp.CSS(`[data-figure=states] input[data-line="0"]`)))
	v.until(`!` + chart("states", `g.line[data-series="0"] path`) + ` && ` + chart("states",
		`g.line[data-series="1"] path`))
	v.do(chromedp.Click(chromedp.CSS(`[data-figure=states] input[data-line="0"]`)))
	v.until(chart("states", `g.line[data-series="0"] path`))

	// By keyboard, and what a screen reader says: of each day, and of the lines that are shown.
	v.do(chromedp.Focus(chromedp.CSS("[data-figure=states] [data-plot]")))
	for _, step := range []struct{ key, day string }{{kb.End, "160"}, {kb.Home, "0"}, {kb.ArrowRight, "1"},
		{kb.ArrowUp, "2"}, {kb.ArrowLeft, "1"}, {kb.PageUp, "17"}, {kb.ArrowDown, "16"}, {kb.PageDown, "0"},
		{kb.ArrowLeft, "0"}, {kb.End, "160"}} {
		v.do(chromedp.KeyEvent(step.key))
		v.until(chart("states", "[data-plot]") + `.getAttribute("aria-valuenow") === "` + step.day + `" && ` + chart("states",
			"[data-plot]") + `.getAttribute("aria-valuetext").startsWith("day ` + step.day + `: susceptible ")`)
	}
	v.do(chromedp.Evaluate[chromedp.Void](`void ` + chart("states", `input[data-line="0"]`) + `.click()`))
	v.until(`!` + chart("states", `g.line[data-series="0"] path`) + ` && ` + chart("states", `[data-value="0"]`) +
		`.textContent === "" && ` + chart("states", `[data-value="1"]`) + `.textContent !== "" && ` + chart("states",
		"[data-plot]") + `.getAttribute("aria-valuetext").startsWith("day 160: infectious ")`)
	for _, all := range []string{"0", kb.Escape, ""} { // all of it is shown again by either key, and by two clicks
		v.do(chromedp.KeyEvent("+"))
		v.until(`(a => Math.abs(a[0] - 120) < 1 && a[1] === 160)(` + chart("states", "svg.chart") +
			`.dataset.x.split(" ").map(Number))`)
		v.do(chromedp.KeyEvent("-")) // from the end of the axis, where there is more only on one side
		v.until(`(a => Math.abs(a[0] - 100) < 1 && a[1] === 160)(` + chart("states", "svg.chart") +
			`.dataset.x.split(" ").map(Number))`)
		if all != "" {
			v.do(chromedp.KeyEvent(all))
		} else {
			v.do(chromedp.Evaluate[chromedp.Void](`void ` + chart("states", "[data-plot]") +
				`.dispatchEvent(new MouseEvent("dblclick"))`))
		}
		v.until(chart("states", "svg.chart") + `.dataset.x.startsWith("0 160 ")`)
	}
}

// Without a script a run is started, its page loads itself anew, and the result is seen.
func TestNoScriptInBrowser(t *testing.T) {
	t.Parallel()
	v := visit(t, page.Config{})
	if _, err := chromedp.Call(v.ctx, emulation.SetScriptExecutionDisabled, emulation.SetScriptExecutionDisabledParams{
		Value: true}); err != nil {
		t.Fatal(err)
	}
	v.get("/models/sir.yaml")
	v.do(chromedp.SetValue(chromedp.CSS("[name=size]"), "20000"), chromedp.Click(chromedp.CSS("button.main")))
	v.until(`document.readyState === "complete" && document.querySelector('[data-state=done] svg.chart')`)
	if n := eval[int](v, `document.querySelectorAll("[data-figure=states] tbody tr").length`); n != 161 {
		t.Errorf("the table has %d rows", n)
	}
	if eval[bool](v, `getComputedStyle(document.querySelector(".lines input")).display !== "none"`) {
		t.Error("there are switches that do nothing")
	}
}
