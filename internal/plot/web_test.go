package plot

import (
	"bytes"
	"encoding/xml"
	"fmt"
	"io"
	"math"
	"regexp"
	"strings"
	"testing"
)

// What a chart in a page tells a script is where things are: the ends of its axes, and each series
// in groups of its own, in the same places as in a file. Nothing has a style, which a page may
// forbid.
func TestWeb(t *testing.T) {
	c := Chart{XLabel: "day <1>", YLabel: "individuals", FromZero: true, Series: []Series{
		{Name: "a", X: []float64{0, 50, 100}, Y: []float64{10, 20, 80}, Low: []float64{5, 10, 60},
			High: []float64{20, 40, 95}},
		{Name: "steps", X: []float64{0, 50, 100}, Y: []float64{99, 30, 20}, Steps: true},
		{Name: "nothing"},
	}}
	svg, err := c.Web(Size{400, 240, 13})
	if err != nil {
		t.Fatal(err)
	}
	text := string(svg)
	for d := xml.NewDecoder(bytes.NewReader(svg)); ; {
		if _, err := d.Token(); err == io.EOF {
			break
		} else if err != nil {
			t.Fatal(err)
		}
	}
	if strings.Contains(text, "style=") || !strings.Contains(text, "day &lt;1&gt;") {
		t.Error(text)
	}
	axis := func(name string) (low, high, from, to float64) {
		m := regexp.MustCompile(` data-` + name + `="(\S+) (\S+) (\S+) (\S+)"`).FindStringSubmatch(text)
		if m == nil {
			t.Fatalf("no data-%s in %s", name, text)
		}
		fmt.Sscan(strings.Join(m[1:], " "), &low, &high, &from, &to)
		return low, high, from, to
	}
	x0, x1, left, right := axis("x")
	y0, y1, below, above := axis("y")
	if x0 != 0 || x1 != 100 || y0 != 0 || y1 != 100 || !(0 < left && left < right && right < 400) ||
		!(0 < above && above < below && below < 240) {
		t.Errorf("x %g to %g at %g to %g, y %g to %g at %g to %g", x0, x1, left, right, y0, y1, below, above)
	}
	group := func(series int, class string) string {
		m := regexp.MustCompile(fmt.Sprintf(`<g data-series="%d" class="%s">(.*?)</g>`, series, class)).FindStringSubmatch(
			text)
		if m == nil {
			t.Fatalf("no group %d %s", series, class)
		}
		return m[1]
	}
	path := func(points ...float64) (d string) {
		for i := 0; i < len(points); i += 2 {
			d += fmt.Sprintf("L%s %s", hundredths(left+points[i]/100*(right-left)),
				hundredths(below+points[i+1]/100*(above-below)))
		}
		return "M" + d[1:]
	}
	near := func(got, want string) bool { // to the hundredth that rounding may take
		number := regexp.MustCompile(`[\d.]+`)
		a, b := number.FindAllString(got, -1), number.FindAllString(want, -1)
		if len(a) != len(b) {
			return false
		}
		for i := range a {
			var x, y float64
			fmt.Sscan(a[i], &x)
			fmt.Sscan(b[i], &y)
			if math.Abs(x-y) > 0.021 {
				return false
			}
		}
		return true
	}
	d := regexp.MustCompile(` d="([^"]*)"`)
	for _, x := range []struct{ got, want string }{
		{group(0, "line"), path(0, 10, 50, 20, 100, 80)},
		{group(0, "band"), path(0, 20, 50, 40, 100, 95, 100, 60, 50, 10, 0, 5)},
		{group(1, "line"), path(0, 30, 50, 30, 50, 20, 100, 20)},
	} {
		if m := d.FindStringSubmatch(x.got); m == nil || !near(m[1], x.want) {
			t.Errorf("%s\nwant %s", x.got, x.want)
		}
	}
	if group(2, "line") != "" || group(1, "band") != "" {
		t.Error("what is not there is drawn")
	}
	if n := len(c.Swatches()); n != 3 || !strings.Contains(c.Swatches()[1], "#004a86") {
		t.Errorf("%q", c.Swatches())
	}
}

// A part of x has the axis of that part, and y for what is seen there.
func TestZoom(t *testing.T) {
	c := Chart{FromZero: true, Zoom: [2]float64{20, 40},
		Series: []Series{{X: []float64{0, 30, 100}, Y: []float64{0, 30, 1000}},
			{X: []float64{25, 35, 90}, Y: []float64{3, 4, 5000}, Points: true}}}
	svg, err := c.Web(Size{400, 240, 13})
	if err != nil {
		t.Fatal(err)
	}
	// At 40 the first line is at 30 + 970/7.
	if text := string(svg); !strings.Contains(text, `data-x="20 40 `) || !strings.Contains(text, `data-y="0 200 `) {
		t.Errorf("%.300s", text)
	}
	for _, zoom := range [][2]float64{{5, 5}, {7, 2}, {math.Inf(-1), 3}, {math.NaN(), 3}} {
		if c.Zoom = zoom; c.zoomed() {
			t.Errorf("%v is a part", zoom)
		}
	}
}
