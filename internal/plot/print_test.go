package plot

import (
	"bytes"
	"compress/zlib"
	"encoding/xml"
	"fmt"
	"image/color"
	"io"
	"math"
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"strconv"
	"strings"
	"testing"
	"time"

	"gonum.org/v1/plot/vg"
)

// lightness is CIE L* of a colour: 0 is black and 100 white.
func lightness(c color.RGBA) float64 {
	y := 0.0
	for i, weight := range []float64{0.2126, 0.7152, 0.0722} {
		v := float64([]uint8{c.R, c.G, c.B}[i]) / 255
		if v <= 0.04045 {
			v /= 12.92
		} else {
			v = math.Pow((v+0.055)/1.055, 2.4)
		}
		y += weight * v
	}
	if y <= 216.0/24389 {
		return y * 24389 / 27
	}
	return 116*math.Cbrt(y) - 16
}

// Printed in grey, any two of 32 lines differ in their dashes, or by 15 units of lightness; all are
// darker than the paper by 28. Colours of maps become lighter from the first to the last.
func TestGreyPrint(t *testing.T) {
	for i := range 32 {
		a, dashesA := stroke(i)
		if lightness(a) > 72 {
			t.Errorf("line %d has a lightness of %.0f", i, lightness(a))
		}
		for k := range i {
			b, dashesB := stroke(k)
			if d := math.Abs(lightness(a) - lightness(b)); slices.Equal(dashesA, dashesB) && d < 15 {
				t.Errorf("lines %d and %d are alike in grey: lightness %.0f and %.0f", k, i, lightness(b), lightness(a))
			}
		}
	}
	all := map[string]bool{}
	for i := range 104 {
		c, dashes := stroke(i)
		all[fmt.Sprint(c, dashes)] = true
	}
	if len(all) != 104 {
		t.Errorf("%d of 104 lines are different", len(all))
	}
	before := -1.0
	for k := range 65 {
		now := lightness(colour(float64(k) / 64))
		if !(now > before) {
			t.Errorf("at %d of 64 a map has a lightness of %.1f, after %.1f", k, now, before)
		}
		before = now
	}
}

// shown is a chart with a band, data and letters beyond ASCII.
func shown() Chart {
	s := curve("susceptible → infectious", 0, 60, 1, 100, 61)
	data := Series{Name: "reports", Same: true, Data: true, X: []float64{10, 20, 30}, Y: []float64{20, 30, 45}}
	return Chart{Title: "1 − x ≤ λ & é", XLabel: "day", YLabel: "individuals", FromZero: true,
		Series: []Series{s, data}}
}

// Files have outlines instead of texts: no font is needed, and none is named. Words stay as labels.
func TestOutlinedSVG(t *testing.T) {
	c := shown()
	svg, err := c.SVG()
	if err != nil {
		t.Fatal(err)
	}
	if bytes.Contains(svg, []byte("<text")) || bytes.Contains(svg, []byte("font")) {
		t.Error("a text is left")
	}
	for _, want := range []string{`aria-label="susceptible → infectious"`, `aria-label="1 − x ≤ λ &amp; é"`} {
		if !bytes.Contains(svg, []byte(want)) {
			t.Errorf("no %s", want)
		}
	}
	used, defined := map[string]bool{}, map[string]bool{}
	for d := xml.NewDecoder(bytes.NewReader(svg)); ; {
		token, err := d.Token()
		if err == io.EOF {
			break
		}
		if err != nil {
			t.Fatal(err)
		}
		if e, ok := token.(xml.StartElement); ok {
			for _, a := range e.Attr {
				switch {
				case e.Name.Local == "use" && a.Name.Local == "href":
					used[strings.TrimPrefix(a.Value, "#")] = true
				case e.Name.Local == "path" && a.Name.Local == "id":
					defined[a.Value] = true
				}
			}
		}
	}
	if len(used) < 20 || fmt.Sprint(used) != fmt.Sprint(defined) {
		t.Errorf("used: %v, defined: %v", used, defined)
	}
	// Letters are as far apart as texts are measured.
	all, em := letters("AVATAR 1,000 → b")
	got, want := float64(all[len(all)-1].x)/float64(em), float64(style(1).Width("AVATAR 1,000 → "))
	if math.Abs(got-want) > 1e-3 {
		t.Errorf("the last letter is at %g, want %g", got, want)
	}
	// Letters that the font lacks stay text.
	c.Title = "潜伏期"
	if svg, _ := c.SVG(); bytes.Count(svg, []byte("<text")) != 1 {
		t.Error("a title in other letters is not a text")
	}
}

// A PDF has no fonts either, draws a band in its own colour, and has the same bytes on any day.
func TestPDF(t *testing.T) {
	path := filepath.Join(t.TempDir(), "a.pdf")
	if err := shown().Save(path); err != nil {
		t.Fatal(err)
	}
	pdf, err := os.ReadFile(path)
	if err != nil {
		t.Fatal(err)
	}
	if !bytes.HasPrefix(pdf, []byte("%PDF-")) || bytes.Contains(pdf, []byte("/FontFile")) ||
		bytes.Contains(pdf, []byte("/BaseFont")) {
		t.Errorf("%.40q", pdf)
	}
	if bytes.Contains(pdf, []byte(time.Now().Format("D:2006"))) {
		t.Error("the date of today")
	}
	again, err := shown().PDF()
	if err != nil || !bytes.Equal(pdf, again) {
		t.Error("the same chart has other bytes", err)
	}
	var content strings.Builder
	for _, m := range regexp.MustCompile(`(?s)stream\n(.*?)\nendstream`).FindAllSubmatch(pdf, -1) {
		if r, err := zlib.NewReader(bytes.NewReader(m[1])); err == nil {
			io.Copy(&content, r)
		} else {
			content.Write(m[1])
		}
	}
	// The only colour, besides greys, is that of the line, of its band and of the data.
	colours := map[string]bool{}
	for _, m := range regexp.MustCompile(`([\d.]+) ([\d.]+) ([\d.]+) rg`).FindAllStringSubmatch(content.String(), -1) {
		hex := ""
		for _, part := range m[1:] {
			x, _ := strconv.ParseFloat(part, 64)
			hex += fmt.Sprintf("%02x", int(math.Round(255*x)))
		}
		colours[hex] = true
	}
	if fmt.Sprint(colours) != "map[d55e00:true]" || strings.Contains(content.String(), "BT ") {
		t.Errorf("other colours, or texts: %v", colours)
	}
}

// Arcs become curves that go through the same points, in either direction, and do not break a path.
func TestCurvedArcs(t *testing.T) {
	for _, angle := range []float64{math.Pi / 2, -math.Pi / 2, 2 * math.Pi, -4, 1} {
		var path vg.Path
		path.Move(vg.Point{X: 1, Y: 2})
		path.Arc(vg.Point{X: 10, Y: 20}, 5, 0.3, angle)
		path.Close()
		out := curved(path)
		if out[0].Pos != path[0].Pos || out[len(out)-1].Type != vg.CloseComp || out[1].Type != vg.LineComp {
			t.Fatalf("%+v", out)
		}
		at := out[1].Pos
		for _, part := range out[2 : len(out)-1] {
			if len(part.Control) != 2 {
				t.Fatalf("%+v", part)
			}
			for k := range 11 { // along the curve
				u := vg.Length(k) / 10
				v := 1 - u
				x := v*v*v*at.X + 3*v*v*u*part.Control[0].X + 3*v*u*u*part.Control[1].X + u*u*u*part.Pos.X
				y := v*v*v*at.Y + 3*v*v*u*part.Control[0].Y + 3*v*u*u*part.Control[1].Y + u*u*u*part.Pos.Y
				if r := math.Hypot(float64(x-10), float64(y-20)); math.Abs(r-5) > 0.0003*5 {
					t.Errorf("an arc of %g is %g from its centre, want 5", angle, r)
				}
			}
			at = part.Pos
		}
		if sin, cos := math.Sincos(0.3 + angle); math.Hypot(float64(at.X)-10-5*cos, float64(at.Y)-20-5*sin) > 1e-9 {
			t.Errorf("an arc of %g ends at %v", angle, at)
		}
	}
	var circle vg.Path
	circle.Arc(vg.Point{}, 1, 0, 1)
	if out := curved(circle); out[0].Type != vg.MoveComp {
		t.Errorf("%+v", out)
	}
}

// On a logarithmic axis a band that includes 0 reaches down to the axis, and a line is interrupted
// where it is 0; nothing is drawn where all is 0.
func TestLogZeros(t *testing.T) {
	s := Series{Name: "a", X: []float64{0, 1, 2, 3, 4, 5, 6}, Y: []float64{0, 0, 3, 20, 0, 0, 7},
		Low: []float64{0, 0, 0, 10, 0, 0, 0}, High: []float64{0, 2, 9, 40, 2, 0, 9}}
	c := Chart{LogY: true, FromZero: true, Series: []Series{s}}
	if c.bottom() != 1 {
		t.Errorf("the axis begins at %g", c.bottom())
	}
	if got, want := fmt.Sprint(c.runs(s)), "[[{1 1} {2 3} {3 20} {4 1}] [{5 1} {6 7}]]"; got != want {
		t.Errorf("%s, want %s", got, want)
	}
	web, err := c.Web(Size{400, 300, 12})
	if err != nil || bytes.Contains(web, []byte("NaN")) || bytes.Contains(web, []byte("Inf")) {
		t.Fatalf("%v: %s", err, web)
	}
	band := regexp.MustCompile(`class="band"><path [^>]*d="([^"]*)"`).FindSubmatch(web)
	if band == nil || bytes.Count(band[1], []byte("L")) != 2*len(s.X)-1 {
		t.Errorf("%s", band)
	}
	none := Series{Name: "none", X: s.X, Y: make([]float64, len(s.X))}
	if got := (Chart{LogY: true, Series: []Series{none}}).runs(none); got != nil {
		t.Errorf("drawn: %v", got)
	}
	save(t, Chart{LogY: true, Series: []Series{none}}, "none.svg")
	// Panels with one axis have it also where a chart has small numbers.
	small := Series{X: []float64{0, 1}, Y: []float64{1, 2}}
	ps := Panels{SameY: true, Charts: []Chart{{Series: []Series{s}}, {Series: []Series{small}}}}
	if got := ps.rangeY(); got != [2]float64{0, 40} {
		t.Errorf("%v", got)
	}
	svg, err := ps.picture("svg")
	if err != nil || bytes.Count(svg, []byte(">40</text>")) != 2 {
		t.Error("the second chart has another axis", err)
	}
}
