package page_test

import (
	"flag"
	"fmt"
	"os"
	"path/filepath"
	"testing"

	"github.com/chromedp/chromedp"

	"github.com/almanac-sim/almanac/page"
)

var shots = flag.String("shots", "", "a directory to put pictures of the pages into, at three sizes and in both schemes")

// No page is wider than the window, at any size, in either scheme; with -shots there are pictures to look at.
func TestPagesAtThreeSizes(t *testing.T) {
	v := visit(t, page.Config{})
	v.get("/models/seir-regions.yaml")
	v.do(chromedp.Click(chromedp.CSS("button.main")))
	v.until(`document.querySelector("[data-state=done]") !== null`)
	run := eval[string](v, "location.pathname")
	for name, path := range map[string]string{"models": "/", "model": "/models/seir-regions.yaml", "run": run, "runs": "/runs", "error": "/nothing"} {
		for _, width := range []int{360, 1024, 1920} {
			for _, scheme := range []string{"light", "dark"} {
				v.size(width, 900, scheme)
				v.get(path)
				if name == "error" {
					v.expect("404")
				}
				v.until(`document.readyState === "complete"`)
				if wide := eval[int](v, "document.documentElement.scrollWidth"); wide > width {
					t.Errorf("%s at %d is %d wide", name, width, wide)
				}
				if *shots == "" {
					continue
				}
				v.until(`[...document.querySelectorAll(".plot svg.chart")].every(s => Math.abs(s.viewBox.baseVal.width - s.clientWidth) < 9)`)
				picture, err := chromedp.Run(v.ctx, chromedp.FullScreenshot(100))
				if err != nil {
					t.Fatal(err)
				}
				if err := os.WriteFile(filepath.Join(*shots, fmt.Sprintf("%s-%d-%s.png", name, width, scheme)), picture, 0o666); err != nil {
					t.Fatal(err)
				}
			}
		}
	}
	if *shots == "" {
		return
	}
	shot := func(name string) {
		picture, err := chromedp.Run(v.ctx, chromedp.CaptureScreenshot())
		if err == nil {
			err = os.WriteFile(filepath.Join(*shots, name+".png"), picture, 0o666)
		}
		if err != nil {
			t.Fatal(err)
		}
	}
	v.size(1024, 800, "light")
	v.get("/models/sir.yaml")
	v.until(`document.querySelector(".gutter span")`)
	v.typed("to: recovered", "to: recoverd")
	v.typed("0.5 per day", "0.5 days")
	v.until(`document.querySelectorAll(".problems li").length === 2`)
	shot("problems")
	v.size(360, 740, "dark")
	v.get("/models/covid.yaml")
	v.do(chromedp.SetValue(chromedp.CSS("[name=replicas]"), "2000"), chromedp.Click(chromedp.CSS("button.main")))
	v.until(`document.querySelector("progress")?.value > 0.005 && document.querySelector("g.band path")`)
	shot("live")
	v.do(chromedp.Click(chromedp.CSS("[data-stop] button")))
	v.until(`document.querySelector("[data-state=stopped]")`)
}
