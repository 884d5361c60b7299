package page_test

import (
	"fmt"
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
	v.do(chromedp.Click(chromedp.CSS(".crumb a"))) // back to the map, where a row of the table does the same
	v.until(`location.pathname === "` + cell[1] + `" && document.querySelectorAll(".tables tbody a").length === 25`)
	v.do(chromedp.Click(chromedp.CSS(".tables tbody tr:nth-child(2) a")))
	v.until(`document.querySelector("[data-state=done] .files") && location.pathname !== "` + cell[1] + `"`)

	v.get("/fits/fitted")
	look("fit")
	v.do(chromedp.Click(chromedp.CSS("section.controls button.main")))
	done()
	look("projected")

	v.get("/hub")
	v.until(`document.querySelector("[data-hub] .lead").textContent.startsWith("nats://")`) // by the script
	look("hub")
}
