package page_test

import (
	"bytes"
	"cmp"
	"flag"
	"fmt"
	"image"
	"image/color"
	"image/png"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/chromedp/cdproto/accessibility"
	"github.com/chromedp/chromedp"

	"github.com/almanac-sim/almanac/page"
)

var (
	shots = flag.String("shots", "", "a directory to put pictures of all pages into, whole, at three sizes and in "+
		"both schemes")
	pictures = flag.String("pictures", "",
		"a directory to put the pictures of the page into that docs/guide/page.md shows")
)

// inDocs are those pictures: what a window shows.
var inDocs = []string{"models-1280-light", "problems-1280-light", "model-390-dark", "live-390-dark", "run-1280-light",
	"run-1920-dark", "compared-1280-dark", "swept-1280-light",
	"outbreak-1920-light", "hub-390-light", "capped-run-1920-dark", "queue-run-1280-dark", "papers-390-light",
	"network-1280-light"}

// windows are a phone, a laptop and a projector.
var windows = [][2]int{{390, 844}, {1280, 800}, {1920, 1080}}

// look looks at a page: it is not wider than the window, down to the 320 pixels of WCAG's reflow,
// no letter is tiny, and everything that can be pressed, chosen or typed into has a name for who
// listens, and letters enough contrast. With -shots or -pictures there are pictures at three sizes
// in both schemes.
func (v *visitor) look(name, path string) {
	v.t.Helper()
	v.size(1280, 800, "light")
	v.get(path)
	if name == "error" {
		v.expect("404")
	}
	v.until(`document.readyState === "complete"`)
	v.named(name)
	v.legible(name)
	v.narrow(name)
	v.picture(name)
}

// narrow wants all of a page to be in the window, whatever its width, and legible.
func (v *visitor) narrow(name string) {
	v.t.Helper()
	for _, width := range []int{1280, 320} {
		v.size(width, 800, "light")
		if wide := eval[int](v, "document.documentElement.scrollWidth"); wide > width {
			v.t.Errorf("%s at %d is %d wide", name, width, wide)
		}
	}
	// With a finger: what stands in lists is as high as WCAG wants of targets.
	if low := eval[string](v, `[...document.querySelectorAll(".plain a, .lines label, button, select, .figure `+
		`summary")].filter(e => e.checkVisibility() && !e.matches(".link") && e.getBoundingClientRect().height < `+
		`24).map(e => e.textContent.trim().slice(0, 30)).join("; ")`); low != "" {
		v.t.Errorf("%s has targets that are too low: %s", name, low)
	}
	// The name of a chart has the whole width, beside no buttons that would break its words.
	if cut := eval[string](v, `[...document.querySelectorAll(".figure h3")].filter(h => h.clientWidth < `+
		`h.closest(".figure").clientWidth - 1).map(h => h.textContent).join("; ")`); cut != "" {
		v.t.Errorf("%s has narrow names of charts: %s", name, cut)
	}
	if small := eval[string](v, `[...document.querySelectorAll("body *")].filter(e => !e.closest("svg, script") && `+
		`[...e.childNodes].some(n => n.nodeType === 3 && n.data.trim()) && parseFloat(getComputedStyle(e).fontSize) < `+
		`12).map(e => e.tagName + " " + e.textContent.trim().slice(0, 30)).join("; ")`); small != "" {
		v.t.Errorf("%s has tiny letters: %s", name, small)
	}
}

// controls are the roles of what one can do something with.
var controls = strings.Fields("button link textbox searchbox checkbox radio combobox listbox slider spinbutton " +
	"switch tab menuitem")

// named wants every control to have a name, as a screen reader hears it, and one heading above all
// others.
func (v *visitor) named(name string) {
	v.t.Helper()
	tree, err := chromedp.Call(v.ctx, accessibility.GetFullAXTree, accessibility.GetFullAXTreeParams{})
	if err != nil {
		v.t.Fatal(err)
	}
	text := func(value *accessibility.Value) string {
		if value == nil {
			return ""
		}
		return strings.Trim(string(value.Value), `" `)
	}
	found := 0
	for _, node := range tree.Nodes {
		if node.Ignored || !slices.Contains(controls, text(node.Role)) {
			continue
		}
		found++
		if text(node.Name) == "" {
			v.t.Errorf("%s: a %s (node %d) has no name", name, text(node.Role), node.BackendDOMNodeID)
		}
	}
	if found < 5 {
		v.t.Errorf("%s: a screen reader finds %d controls", name, found)
	}
	// Every chart has a table that can be opened, with a column for each of its lines.
	if without := eval[string](v, `[...document.querySelectorAll(".figure")].filter(f => {
		const t = f.querySelector("details table"), n = f.querySelectorAll(".lines li").length;
		if (!f.querySelector("summary")?.checkVisibility() || !t || t.tBodies[0].rows.length === 0) return true;
		const columns = t.tHead.rows[0].cells.length;
		return columns < 2 || columns <= n && n > 1;
	}).map(f => f.id).join(" ")`); without != "" {
		v.t.Errorf("%s: no table of %s", name, without)
	}
	if order := eval[int](v,
		`document.querySelectorAll("[tabindex]:not([tabindex='0'], [tabindex='-1'])").length`); order != 0 {
		v.t.Errorf("%s: %d elements are out of the order of the tab key", name, order)
	}
	if n := eval[int](v, `document.querySelectorAll("h1").length`); n != 1 {
		v.t.Errorf("%s has %d headings of the first level", name, n)
	}
}

// picture takes what pictures are wanted of the page as it is.
func (v *visitor) picture(name string) {
	v.t.Helper()
	for _, w := range windows {
		for _, scheme := range []string{"light", "dark"} {
			file := fmt.Sprintf("%s-%d-%s", name, w[0], scheme)
			kept := *pictures != "" && slices.Contains(inDocs, file)
			if *shots == "" && !kept {
				continue
			}
			v.size(w[0], w[1], scheme)
			v.until(`[...document.querySelectorAll(".plot svg.chart")].every(s => Math.abs(s.viewBox.baseVal.width - ` +
				`s.clientWidth) < 9)`)
			v.save(file)
		}
	}
}

// save takes a picture: of the whole page, or for the docs of what the window shows, with few
// colours.
func (v *visitor) save(file string) {
	v.t.Helper()
	var all []byte
	var err error
	if *shots != "" {
		if all, err = chromedp.Run(v.ctx, chromedp.FullScreenshot(100)); err == nil {
			err = os.WriteFile(filepath.Join(*shots, file+".png"), all, 0o666)
		}
	}
	if err == nil && *pictures != "" && slices.Contains(inDocs, file) {
		if all, err = chromedp.Run(v.ctx, chromedp.CaptureScreenshot()); err == nil {
			err = os.WriteFile(filepath.Join(*pictures, "page-"+file+".png"), fewColours(v.t, all), 0o666)
		}
	}
	if err != nil {
		v.t.Fatal(err)
	}
}

// fewColours is a picture with at most 64 colours: the most frequent of it, each other as the
// nearest of them.
func fewColours(t *testing.T, data []byte) []byte {
	t.Helper()
	from, err := png.Decode(bytes.NewReader(data))
	if err != nil {
		t.Fatal(err)
	}
	count := map[color.NRGBA]int{}
	box := from.Bounds()
	at := func(x, y int) color.NRGBA { return color.NRGBAModel.Convert(from.At(x, y)).(color.NRGBA) }
	for y := box.Min.Y; y < box.Max.Y; y++ {
		for x := box.Min.X; x < box.Max.X; x++ {
			count[at(x, y)]++
		}
	}
	colours := make([]color.NRGBA, 0, len(count))
	for c := range count {
		colours = append(colours, c)
	}
	order := func(c color.NRGBA) uint32 { return uint32(c.R)<<16 | uint32(c.G)<<8 | uint32(c.B) }
	slices.SortFunc(colours, func(a, b color.NRGBA) int {
		return cmp.Or(count[b]-count[a], cmp.Compare(order(a), order(b)))
	})
	var palette color.Palette
	for _, c := range colours[:min(len(colours), 64)] {
		palette = append(palette, c)
	}
	to := image.NewPaletted(box, palette)
	index := map[color.NRGBA]uint8{}
	for _, c := range colours {
		index[c] = uint8(palette.Index(c))
	}
	for y := box.Min.Y; y < box.Max.Y; y++ {
		for x := box.Min.X; x < box.Max.X; x++ {
			to.SetColorIndex(x, y, index[at(x, y)])
		}
	}
	var b bytes.Buffer
	if err := (&png.Encoder{CompressionLevel: png.BestCompression}).Encode(&b, to); err != nil {
		t.Fatal(err)
	}
	return b.Bytes()
}

// Every page at every size; those of studies, papers and queues are looked at in tests of their
// own.
func TestPagesAtThreeSizes(t *testing.T) {
	t.Parallel()
	v := visit(t, page.Config{})
	v.get("/models/seir-regions.yaml")
	if *shots == "" && *pictures == "" {
		v.do(chromedp.SetValue(chromedp.CSS("[name=size]"), "2000"))
	}
	v.do(chromedp.Click(chromedp.CSS("button.main")))
	v.until(`document.querySelector("[data-state=done] .files")`)
	v.look("run", eval[string](v, "location.pathname"))
	v.get("/capped")
	v.do(chromedp.Click(chromedp.CSS("button.main")))
	v.until(`document.querySelector("[data-state=done] .files")`)
	v.look("capped-run", eval[string](v, "location.pathname"))
	for _, room := range [][2]string{{"models", "/"}, {"model", "/models/seir-regions.yaml"}, {"runs", "/runs"},
		{"error", "/nothing"}, {"capped", "/capped"}} {
		v.look(room[0], room[1])
	}
	if *shots == "" && *pictures == "" {
		return
	}
	v.size(1280, 800, "light")
	v.get("/models/sir.yaml")
	v.until(`document.querySelector(".gutter span")`)
	v.typed("to: recovered", "to: recoverd")
	v.typed("0.5 per day", "0.5 days")
	v.until(`document.querySelectorAll(".problems li").length === 2`)
	v.do(chromedp.Evaluate[chromedp.Void](`void window.scrollTo(0, ` +
		`document.querySelector(".editor").getBoundingClientRect().top - 80)`))
	v.save("problems-1280-light")
	v.get("/models/gonorrhoea.yaml")
	v.do(chromedp.Click(chromedp.CSS("button.main")))
	v.until(`document.querySelector("[data-state=done] #figure-network svg.drawn")`)
	v.do(chromedp.Evaluate[chromedp.Void](`void window.scrollTo(0, ` +
		`document.querySelector("#figure-network").getBoundingClientRect().top + window.scrollY - 20)`))
	v.until(`(s => Math.abs(s.viewBox.baseVal.width - s.clientWidth) < 9)(document.querySelector("#figure-network svg"))`)
	v.save("network-1280-light")
	v.size(390, 844, "dark")
	v.get("/models/covid.yaml")
	v.do(chromedp.SetValue(chromedp.CSS("[name=replicas]"), "2000"), chromedp.Click(chromedp.CSS("button.main")))
	v.until(`document.querySelector("progress")?.value > 0.005 && document.querySelector("g.band path")`)
	v.save("live-390-dark")
	v.do(chromedp.Click(chromedp.CSS("[data-stop] button")))
	v.until(`document.querySelector("[data-state=stopped]")`)
}
