package page_test

import (
	"fmt"
	"os"
	"path/filepath"
	"testing"

	"github.com/chromedp/chromedp"

	"github.com/almanac-sim/almanac/ensemble"
	"github.com/almanac-sim/almanac/page"
)

// Studies as a visitor meets them, in a browser: scenarios are compared, a sweep is made and a cell of its map opens the model with its values, a fit is looked at and
// projected from, and a hub is watched. With -shots there are pictures.
func TestStudiesInABrowser(t *testing.T) {
	h, err := ensemble.StartHub(ensemble.HubOptions{Store: t.TempDir(), Listen: "127.0.0.1:0"})
	if err != nil {
		t.Fatal(err)
	}
	defer h.Close()
	files := map[string]string{"flu.yaml": twoScenarios, "fitted/model.yaml": twoScenarios, "fitted/fit.json": fluFit, "fitted/posterior.csv": fluPosterior()}
	v := visit(t, page.Config{Files: someFiles(files), About: "some files", Dir: "models", Hub: &ensemble.ConnectOptions{URL: h.URL()}})
	look := func(name string) {
		t.Helper()
		path := eval[string](v, "location.pathname + location.search")
		for _, width := range []int{360, 1024, 1920} {
			for _, scheme := range []string{"light", "dark"} {
				if *shots == "" && (scheme == "dark" || width == 1024) {
					continue
				}
				v.size(width, 900, scheme)
				v.get(path)
				v.until(`document.readyState === "complete"`)
				if wide := eval[int](v, "document.documentElement.scrollWidth"); wide > width {
					t.Errorf("%s at %d is %d wide", name, width, wide)
				}
				if *shots == "" {
					continue
				}
				v.until(`[...document.querySelectorAll(".plot svg.chart")].every(s => Math.abs(s.viewBox.baseVal.width - s.clientWidth) < 9)`)
				picture, err := chromedp.Run(v.ctx, chromedp.FullScreenshot(100))
				if err == nil {
					err = os.WriteFile(filepath.Join(*shots, fmt.Sprintf("%s-%d-%s.png", name, width, scheme)), picture, 0o666)
				}
				if err != nil {
					t.Fatal(err)
				}
			}
		}
		v.size(1024, 900, "light")
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

	v.get("/studies")
	look("studies")
	v.get("/sweeps?model=flu.yaml")
	look("sweeping")
	v.do(chromedp.Click(chromedp.CSS("button.main")))
	done()
	v.until(`document.querySelectorAll(".map .cells a").length >= 25`)
	look("swept")
	to := eval[string](v, `document.querySelectorAll(".map .cells a")[6].getAttribute("href")`)
	v.do(chromedp.Focus(chromedp.CSS(".map .cells:nth-of-type(7) a")), chromedp.KeyEvent("\r")) // by keyboard
	v.until(`document.querySelector("form[data-model]") !== null`)
	if got := eval[string](v, "location.pathname + location.search"); got != to {
		t.Errorf("the cell leads to %s, not to %s", got, to)
	}
	if beta := eval[string](v, `document.querySelector("[name='set.beta']").value`); beta == "0.5 per day" {
		t.Error("the model has the values of the file, not those of the cell")
	}

	v.get("/fits/fitted")
	look("fit")
	v.do(chromedp.Click(chromedp.CSS("section.controls button.main")))
	done()
	look("projected")

	v.get("/hub")
	v.until(`document.querySelector("[data-hub] .lead").textContent.startsWith("nats://")`) // by the script
	look("hub")
}
