package page_test

import (
	"fmt"
	"os"
	"path/filepath"
	"testing"

	"github.com/chromedp/chromedp"

	"github.com/almanac-sim/almanac/page"
)

// shoot looks at a page at three sizes in both schemes: it is not wider than the window. With -shots there are pictures.
func (v *visitor) shoot(name, path string) {
	v.t.Helper()
	for _, width := range []int{360, 1024, 1920} {
		for _, scheme := range []string{"light", "dark"} {
			v.size(width, 900, scheme)
			v.get(path)
			v.until(`document.readyState === "complete"`)
			if wide := eval[int](v, "document.documentElement.scrollWidth"); wide > width {
				v.t.Errorf("%s at %d is %d wide", name, width, wide)
			}
			if *shots == "" {
				continue
			}
			v.until(`[...document.querySelectorAll(".plot svg.chart")].every(s => Math.abs(s.viewBox.baseVal.width - s.clientWidth) < 9)`)
			picture, err := chromedp.Run(v.ctx, chromedp.FullScreenshot(100))
			if err != nil {
				v.t.Fatal(err)
			}
			if err := os.WriteFile(filepath.Join(*shots, fmt.Sprintf("%s-%d-%s.png", name, width, scheme)), picture, 0o666); err != nil {
				v.t.Fatal(err)
			}
		}
	}
}

// Balls and bins, at three sizes.
func TestCappedAtThreeSizes(t *testing.T) {
	v := visit(t, page.Config{})
	v.get("/capped")
	v.do(chromedp.Click(chromedp.CSS("button.main")))
	v.until(`document.querySelector("[data-state=done]") !== null`)
	v.shoot("capped-run", eval[string](v, "location.pathname"))
	v.shoot("capped", "/capped")
}
