package page_test

import (
	"math"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/chromedp/chromedp"
	"github.com/chromedp/chromedp/kb"

	"github.com/almanac-sim/almanac/page"
)

// typed replaces a part of what is in the editor, as typing does.
func (v *visitor) typed(old, new string) {
	v.t.Helper()
	v.do(chromedp.Evaluate[chromedp.Void](`void (() => { const a = document.querySelector("textarea"); a.value = ` +
		`a.value.replace(` + "`" + old + "`, `" + new + "`" +
		`); a.dispatchEvent(new Event("input", {bubbles: true})); })()`))
}

// A model: problems are marked at their place as one types, and gone when they are; the meaning and
// the diagram follow; a slider changes the run and not the file, until its value is written to it,
// where it stands.
func TestModelInBrowser(t *testing.T) {
	t.Parallel()
	dir := t.TempDir()
	path := filepath.Join(dir, "walk.yaml")
	if err := os.WriteFile(path, []byte(small), 0o666); err != nil {
		t.Fatal(err)
	}
	root, err := os.OpenRoot(dir)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { root.Close() })
	v := visit(t, page.Config{Files: root.FS(), Root: root, About: dir, Dir: "models"})
	v.size(1280, 900, "light")
	v.get("/")
	v.do(chromedp.Click(chromedp.CSS(".cards a")))
	v.until(`document.querySelector(".gutter span")`)
	if n := eval[int](v, `document.querySelectorAll(".gutter span").length`); n != strings.Count(small, "\n")+1 {
		t.Errorf("%d lines are numbered", n)
	}
	// The diagram and what the model means are there from the start.
	if !eval[bool](v, `document.querySelector("[data-diagram] svg") !== null && /per `+
		`day/.test(document.querySelector("[data-meaning]").textContent)`) {
		t.Error("there is no diagram, or nothing is explained")
	}

	v.typed("to: b", "to: c")
	v.until(`document.querySelector(".problems button")?.textContent === "line 8, column 32"`)
	// The mark is where the letter is: on the eighth line, after 31 letters.
	place := eval[[]float64](v,
		`(() => {
			const m = document.querySelector(".marks b").getBoundingClientRect();
			const a = document.querySelector("textarea"), s = getComputedStyle(a), b = a.getBoundingClientRect();
			const c = document.createElement("canvas").getContext("2d");
			c.font = s.fontSize + " " + s.fontFamily;
			return [(m.top - b.top - parseFloat(s.paddingTop)) / parseFloat(s.lineHeight),
				(m.left - b.left - parseFloat(s.paddingLeft)) / c.measureText("0").width];
		})()`)
	if place[0] < 6.9 || place[0] > 7.1 || place[1] < 30.8 || place[1] > 31.2 {
		t.Errorf("the mark is %v lines and letters from the corner", place)
	}
	if !eval[bool](v, `document.querySelector(".gutter span.bad").textContent.trim() === "8"`) {
		t.Error("the line is not marked")
	}
	v.do(chromedp.Click(chromedp.CSS(".problems button")))
	if at := eval[int](v, `document.querySelector("textarea").selectionStart`); at != strings.Index(small, "to: b")+4 {
		t.Errorf("the cursor is at %d", at)
	}
	// Far down, in a line with wide letters before the mistake, beside a scroll bar (here a border,
	// which takes as much room): numbers and marks are beside their lines.
	v.typed("# A walk", "#${'\\n'.repeat(90)}# A walk")
	v.typed("{race: [{rate: speed", "{race: [{name: 走𝄞, rate: speed")
	v.until(`document.querySelector(".problems button")?.textContent === "line 98, column 42"`)
	v.do(chromedp.Evaluate[chromedp.Void](`void (() => { const a = document.querySelector("textarea"); ` +
		`a.style.borderBottom = "20px solid"; a.style.width = "200px"; a.style.height = "240px"; a.scrollTop = 1e6; ` +
		`a.scrollLeft = 90; a.dispatchEvent(new Event("scroll")); })()`))
	beside := eval[[]float64](v,
		`(() => {
			const a = document.querySelector("textarea"), s = getComputedStyle(a), b = a.getBoundingClientRect();
			const line = parseFloat(s.lineHeight), m = document.querySelector(".marks b").getBoundingClientRect();
			const c = document.createElement("canvas").getContext("2d");
			c.font = s.fontSize + " " + s.fontFamily;
			const top = n => b.top + parseFloat(s.paddingTop) + (n - 1) * line - a.scrollTop;
			const number = document.querySelector(".gutter span.bad").getBoundingClientRect();
			const before = c.measureText(a.value.split("\n")[97].split("to: c")[0] + "to: ").width;
			return [number.top - top(98), number.height / line, m.top - top(98),
				m.left - (b.left + parseFloat(s.paddingLeft) - a.scrollLeft + before), a.scrollTop, a.scrollLeft];
		})()`)
	if math.Abs(beside[0]) > 2 || beside[1] < 0.5 || beside[1] > 1.1 || math.Abs(beside[2]) > 1 || math.Abs(beside[3]) >
		1 || beside[4] < 100 || beside[5] != 90 {
		t.Errorf("beside the line in pixels, and where one has scrolled to: %v", beside)
	}
	v.typed("{name: 走𝄞, rate", "{rate")
	v.typed("#${'\\n'.repeat(90)}# A walk", "# A walk")
	v.typed("to: c", "to: b")
	v.until(`document.querySelector(".verdict.good") && !document.querySelector(".marks b")`)
	v.typed("b: {}", "b: {race: [{rate: 1 per day, to: a, name: back again}]}")
	v.until(`document.querySelector("[data-diagram]").textContent.includes("back again") && ` +
		`document.querySelector("[data-meaning]").textContent.includes("back again")`)
	v.typed("b: {race: [{rate: 1 per day, to: a, name: back again}]}", "b: {}")
	v.until(`!document.querySelector("[data-diagram]").textContent.includes("back again")`)

	// What is too long to be checked is said to be, and the browser complains of the answer.
	v.typed("# A walk", "#${'x'.repeat(2 ** 20)}")
	v.until(`document.querySelector(".problems .verdict.bad")?.textContent.startsWith("It is not checked: a model file ` +
		`of more than")`)
	v.expect("413")
	v.typed("#${'x'.repeat(2 ** 20)}", "# A walk")
	v.until(`document.querySelector(".verdict.good")`)

	// The button checks what is there, whoever put it there. A line that follows begins where the
	// one before does.
	v.do(chromedp.Evaluate[chromedp.Void](`void (document.querySelector("textarea").value = `+asString(
		strings.Replace(small, "to: b", "to: c", 1))+`)`), chromedp.Click(chromedp.CSS("[data-check]")))
	v.until(`document.querySelector(".problems button")?.textContent === "line 8, column 32"`)
	// A key event of the driver would always type, too.
	v.do(chromedp.Evaluate[chromedp.Void](`void (() => {
		const a = document.querySelector("textarea"), at = a.value.indexOf("b: {}");
		a.setSelectionRange(at, at);
		a.dispatchEvent(new KeyboardEvent("keydown", {key: "Enter", bubbles: true}));
	})()`))
	if got := eval[string](v, `document.querySelector("textarea").value`); !strings.Contains(got, "\n  \n  b: {}") {
		t.Errorf("a new line is not indented: %s", got)
	}
	v.typed("\n  \n  b: {}", "\n  b: {}")
	v.typed("to: c", "to: b")
	v.until(`document.querySelector(".verdict.good")`)

	// The slider.
	slider := `document.querySelector(".parameter input[type=range]")`
	if got := eval[string](v, slider+`.getAttribute("aria-label") + " " + `+slider+`.getAttribute("aria-valuetext") `+
		`+ " " + `+slider+`.max`); got != "speed, in per day 0.5 per day 2" {
		t.Errorf("the slider says %q", got)
	}
	v.do(chromedp.SetValue(chromedp.CSS("[name='set.speed']"), "1.2 per day"),
		chromedp.Evaluate[chromedp.Void](`void document.querySelector("[name='set.speed']").dispatchEvent(new `+
			`Event("input", {bubbles: true}))`))
	if got := eval[string](v, slider+`.value + ", " + `+slider+`.getAttribute("aria-valuetext")`); got !=
		"1.2, 1.2 per day" {
		t.Errorf("what is typed is %q on the slider", got)
	}
	v.do(chromedp.Focus(chromedp.CSS(".parameter input[type=range]")), chromedp.KeyEvent(kb.ArrowRight)) // of 200 steps
	if got := eval[string](v, `document.querySelector("[name='set.speed']").value`); got != "1.21 per day" {
		t.Errorf("one step on is %q", got)
	}
	v.do(chromedp.Evaluate[chromedp.Void](`void (() => { const s = ` + slider +
		`; s.value = 0.7; s.dispatchEvent(new Event("input")); })()`))
	if got := eval[string](v, `document.querySelector("[name='set.speed']").value`); got != "0.7 per day" {
		t.Errorf("the value is %q", got)
	}
	v.do(chromedp.Click(chromedp.CSS("button.main")))
	v.until(`document.querySelector('[data-state=done] .files')`)
	if got := eval[string](v, `document.querySelector("[data-command]").textContent`); got !=
		"almanac run models/walk.yaml --seed 1 --replicas 20 --set 'speed=0.7 per day'" {
		t.Error(got)
	}
	if text, _ := os.ReadFile(path); string(text) != small {
		t.Errorf("the run has changed the file: %s", text)
	}
	v.get("/models/walk.yaml")
	v.do(chromedp.SetValue(chromedp.CSS("[name='set.speed']"), "0.9 per day"),
		chromedp.Click(chromedp.CSS("[data-write]")))
	v.until(`document.querySelector(".notice")?.textContent === "The values are written to the file."`)
	if text, _ := os.ReadFile(path); string(text) != strings.Replace(small, "0.5 per day", "0.9 per day", 1) {
		t.Errorf("%s", text)
	}
	// Saved, by the other button.
	v.until(`document.querySelector(".gutter span")`)
	v.typed("size: 100", "size: 300")
	v.do(chromedp.Click(chromedp.CSS("button[value=save]")))
	v.until(`document.querySelector(".notice")?.textContent === "The file is saved."`)
	if text, _ := os.ReadFile(path); !strings.Contains(string(text), "size: 300") {
		t.Errorf("%s", text)
	}
}

// A value that is typed while the server checks the text stays: the answer, which has the value
// from before, is dropped, and text and values are checked again.
func TestTypingDuringCheckInBrowser(t *testing.T) {
	t.Parallel()
	v := visit(t, page.Config{Files: someFiles(map[string]string{"walk.yaml": small})})
	v.get("/models/walk.yaml")
	v.until(`document.querySelector(".gutter span")`)
	// The first answer waits for release; answered counts those that have been given out.
	v.do(chromedp.Evaluate[chromedp.Void](`void (() => {
		const real = window.fetch;
		window.checks = window.answered = 0;
		window.fetch = async (...asked) => {
			const answer = await real(...asked);
			if (asked[0] !== "/check") return answer;
			if (++window.checks === 1) await new Promise(done => window.release = done);
			window.answered++;
			return answer;
		};
	})()`))
	v.typed("size: 100", "size: 200")
	v.until(`window.release`)
	value := `document.querySelector("[name='set.speed']").value`
	v.do(chromedp.Evaluate[chromedp.Void](`void (() => {
		const field = document.querySelector("[name='set.speed']");
		field.value = "1.5 per day";
		field.dispatchEvent(new Event("input", {bubbles: true}));
		window.release();
	})()`))
	v.until(`window.answered === 2 || ` + value + ` !== "1.5 per day"`)
	v.until(`/200/.test(document.querySelector("[data-meaning]").textContent)`) // the second answer is there
	if got := eval[string](v, value); got != "1.5 per day" {
		t.Errorf("1.5 per day was typed, and %q is there", got)
	}
}

// The switch for colours beats the system, and is kept from page to page.
func TestThemeInBrowser(t *testing.T) {
	t.Parallel()
	v := visit(t, page.Config{})
	paper := `getComputedStyle(document.documentElement).backgroundColor`
	v.size(1024, 900, "light")
	v.get("/")
	loaded := `document.readyState === "complete" && `
	v.until(loaded + "true")
	light := eval[string](v, paper)
	v.do(chromedp.Click(chromedp.CSS(".theme [value=dark]")))
	v.until(loaded + `document.documentElement.dataset.theme === "dark"`)
	dark := eval[string](v, paper)
	if dark == light {
		t.Errorf("dark is %s", dark)
	}
	v.get("/models/sir.yaml")
	v.until(loaded + "true")
	if got := eval[string](v, paper); got != dark {
		t.Errorf("on the next page it is %s", got)
	}
	v.size(1024, 900, "dark")
	v.do(chromedp.Click(chromedp.CSS(".theme [value=light]")))
	v.until(loaded + `document.documentElement.dataset.theme === "light" && ` + paper + ` === "` + light + `"`)
	v.do(chromedp.Click(chromedp.CSS(".theme [value=auto]")))
	v.until(loaded + `document.documentElement.dataset.theme === "auto" && ` + paper + ` === "` + dark + `"`)
}
