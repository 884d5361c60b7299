package page_test

import (
	"testing"

	"github.com/chromedp/chromedp"

	"github.com/almanac-sim/almanac/page"
)

// What was typed is there when one comes back from a run, with what there is to say of it, and
// cannot be saved over what the file has become meanwhile.
func TestBackToEditorInBrowser(t *testing.T) {
	t.Parallel()
	files := someFiles(map[string]string{"walk.yaml": small})
	v := visit(t, page.Config{Files: files})
	v.size(1024, 900, "light")
	v.get("/models/walk.yaml")
	v.until(`document.querySelector(".gutter span")`)
	read := eval[string](v, `document.querySelector("[name=read]").value`)
	v.typed("b: {}", "b: {race: [{rate: 1 per day, to: a, name: back again}]}")
	// The check of the new text shows the parameters anew.
	v.until(`document.querySelector("[data-diagram]").textContent.includes("back again")`)
	v.do(chromedp.SetValue(chromedp.CSS("[name='set.speed']"), "0.7 per day"))
	v.do(chromedp.Click(chromedp.CSS("button.main")))
	v.until(`document.querySelector('[data-state=done] .files')`)
	v.do(chromedp.Evaluate[chromedp.Void]("void setTimeout(() => history.back(), 20)"))
	v.until(`document.querySelector("textarea")?.value.includes("back again") && ` +
		`document.querySelector("[data-diagram]").textContent.includes("back again")`)
	if got := eval[string](v, `document.querySelector("[name='set.speed']").value`); got != "0.7 per day" {
		t.Errorf("the parameter is %q", got)
	}
	if got := eval[string](v, `document.querySelector("[name=read]").value`); got != read {
		t.Errorf("the text is said to be made of %q, and was of %q", got, read)
	}
}
