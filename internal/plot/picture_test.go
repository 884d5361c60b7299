package plot

import (
	"bytes"
	"encoding/xml"
	"fmt"
	"image/png"
	"math"
	"regexp"
	"strconv"
	"strings"
	"testing"

	"gonum.org/v1/plot/vg"
)

// A label is a text in a picture, and where it begins: from the left and from the top, in points.
type label struct {
	text    string
	x, y    float64
	size    float64
	rotated bool
}

// texts reads what is written in an SVG picture of gonum's, and how large the picture is. Its
// groups scale by a factor, turn upside down and rotate.
func texts(t *testing.T, svg []byte) (all []label, width, height float64) {
	t.Helper()
	d := xml.NewDecoder(bytes.NewReader(svg))
	type frame struct{ matrix [6]float64 }
	stack := []frame{{[6]float64{1, 0, 0, 1, 0, 0}}}
	mul := func(a, b [6]float64) [6]float64 {
		return [6]float64{a[0]*b[0] + a[2]*b[1], a[1]*b[0] + a[3]*b[1], a[0]*b[2] + a[2]*b[3], a[1]*b[2] + a[3]*b[3],
			a[0]*b[4] + a[2]*b[5] + a[4], a[1]*b[4] + a[3]*b[5] + a[5]}
	}
	operation := regexp.MustCompile(`(\w+)\(([^)]*)\)`)
	numbers := func(s string) (all []float64) {
		for _, f := range strings.FieldsFunc(s, func(r rune) bool { return r == ',' || r == ' ' }) {
			x, err := strconv.ParseFloat(f, 64)
			if err != nil {
				t.Fatal(err)
			}
			all = append(all, x)
		}
		return all
	}
	open := false
	for {
		token, err := d.Token()
		if token == nil {
			break
		}
		if err != nil {
			t.Fatal(err)
		}
		switch e := token.(type) {
		case xml.StartElement:
			now := stack[len(stack)-1].matrix
			for _, a := range e.Attr {
				if a.Name.Local == "transform" {
					for _, m := range operation.FindAllStringSubmatch(a.Value, -1) {
						n := numbers(m[2])
						switch m[1] {
						case "scale":
							now = mul(now, [6]float64{n[0], 0, 0, n[len(n)-1], 0, 0})
						case "translate":
							now = mul(now, [6]float64{1, 0, 0, 1, n[0], n[1]})
						case "rotate":
							s, c := math.Sincos(n[0] * math.Pi / 180)
							now = mul(now, [6]float64{c, s, -s, c, 0, 0})
						}
					}
				}
				if e.Name.Local == "svg" && a.Name.Local == "viewBox" {
					n := numbers(a.Value)
					width, height = n[2], n[3]
				}
			}
			stack = append(stack, frame{now})
			if open = e.Name.Local == "text"; open {
				l := label{rotated: math.Abs(now[1]) > 0.5}
				var x, y float64
				for _, a := range e.Attr {
					switch a.Name.Local {
					case "x":
						x = numbers(a.Value)[0]
					case "y":
						y = numbers(a.Value)[0]
					case "style":
						if m := regexp.MustCompile(`font-size:([\d.]+)px`).FindStringSubmatch(a.Value); m != nil {
							l.size = numbers(m[1])[0]
						}
						if !strings.Contains(a.Value, "sans-serif") {
							t.Errorf("a font that a viewer may not have: %s", a.Value)
						}
					}
				}
				l.x, l.y = now[0]*x+now[2]*y+now[4], now[1]*x+now[3]*y+now[5]
				all = append(all, l)
			}
		case xml.EndElement:
			stack, open = stack[:len(stack)-1], false
		case xml.CharData:
			if open {
				all[len(all)-1].text += string(e)
			}
		}
	}
	return all, width, height
}

// box is what a text covers, at most.
func (l label) box() (left, top, right, bottom float64) {
	w := float64(width(style(1), l.text)) * l.size
	if l.rotated {
		return l.x - l.size, l.y - w, l.x, l.y
	}
	return l.x, l.y - 0.75*l.size, l.x + w, l.y + 0.22*l.size
}

// apartFromEachOther verifies that all that is written is inside of the picture, that none of it
// covers another, and that it is not too small.
func apartFromEachOther(t *testing.T, all []label, width, height, smallest float64) {
	t.Helper()
	boxes := make([][4]float64, len(all))
	for i, a := range all {
		l, top, r, b := a.box()
		boxes[i] = [4]float64{l, top, r, b}
		if l < -0.5 || top < -0.5 || r > width+0.5 || b > height+0.5 {
			t.Errorf("%.40q is cut off: %.0f to %.0f of %.0f, %.0f to %.0f of %.0f", a.text, l, r, width, top, b, height)
		}
		if a.size < smallest {
			t.Errorf("%.40q has %.1f points, want %.1f", a.text, a.size, smallest)
		}
		for k, o := range boxes[:i] {
			if l < o[2] && o[0] < r && top < o[3] && o[1] < b {
				t.Errorf("%.40q covers %.40q", a.text, all[k].text)
			}
		}
	}
}

// curve is a series of some points.
func curve(name string, from, to, low, high float64, n int) Series {
	s := Series{Name: name}
	for i := range n {
		f := float64(i) / float64(max(1, n-1))
		s.X = append(s.X, from+f*(to-from))
		y := low + (high-low)*math.Sin(3*f)
		s.Y, s.Low, s.High = append(s.Y, y), append(s.Low, low+0.9*(y-low)), append(s.High, y+0.1*(high-y))
	}
	return s
}

// number tells whether a text is a label of a tick.
var number = regexp.MustCompile(`^−?[\d,.]+(e[−-]?\d+)?$`)

// TestAxes has charts of all kinds of ranges. Each axis has at least five labels, nothing is cut
// off, covered or too small for a column of a paper, and all that is drawn is inside of the axes.
func TestAxes(t *testing.T) {
	for name, c := range map[string]Chart{
		"days":           {FromZero: true, Series: []Series{curve("susceptible", 0, 160, 0, 98_765, 50)}},
		"years":          {FromZero: true, Series: []Series{curve("a", 1981, 2011, 0, 1870, 50)}},
		"a billion":      {FromZero: true, YLabel: "individuals", Series: []Series{curve("a", 0, 1e6, 0, 1e9, 50)}},
		"a trillion":     {FromZero: true, Series: []Series{curve("a", 0, 1e9, 0, 1.5e12, 50)}},
		"beyond":         {FromZero: true, Series: []Series{curve("a", -1e12, 1e12, 0, 1.5e17, 50)}},
		"small":          {FromZero: true, Series: []Series{curve("a", 0, 1e-6, 0, 3e-7, 50)}},
		"negative times": {FromZero: true, Series: []Series{curve("a", -3000, -44, 0, 3, 50)}},
		"below zero":     {Series: []Series{curve("a", 0, 10, -2, 7, 50)}},
		"all zero":       {FromZero: true, Series: []Series{curve("a", 0, 10, 0, 0, 50)}},
		"constant":       {Series: []Series{curve("a", 0, 10, 1234, 1234, 50)}},
		"one row":        {FromZero: true, Series: []Series{curve("a", 2005, 2005, 10, 10, 1)}},
		"one":            {FromZero: true, Series: []Series{curve("a", 0, 1, 0, 1, 2)}},
		"nothing":        {},
		"not a number": {
			Series: []Series{{Name: "a", X: []float64{1, 2, 3}, Y: []float64{math.NaN(), math.Inf(1), math.Inf(-1)}}}},
		"narrow":        {Series: []Series{curve("a", 1e9, 1e9+3, 1e9, 1e9+1, 50)}},
		"logarithms":    {LogX: true, LogY: true, Series: []Series{curve("a", 1, 1e9, 1e-6, 1e6, 50)}},
		"one decade":    {LogX: true, LogY: true, Series: []Series{curve("a", 2, 9, 0.02, 0.09, 50)}},
		"two decades":   {LogX: true, LogY: true, Series: []Series{curve("a", 2, 90, 2000, 90_000, 50)}},
		"three decades": {LogX: true, LogY: true, Series: []Series{curve("a", 2, 900, 2e6, 9e8, 50)}},
		"fifty decades": {LogX: true, LogY: true, Series: []Series{curve("a", 1e-20, 1e30, 1e-300, 1e300, 50)}},
		"long labels": {FromZero: true, XLabel: strings.Repeat("time since the start ", 6),
			YLabel: strings.Repeat("individuals ", 10), Series: []Series{curve("a", 0, 9, 0, 9, 9)}},
		"long title": {Title: strings.Repeat("a model of many words ", 8), Note: strings.Repeat("what is drawn ", 12),
			Series: []Series{curve("a", 0, 9, 0, 9, 9)}},
		"a word as a title": {Title: strings.Repeat("w", 5000), Series: []Series{curve("a", 0, 9, 0, 9, 9)}},
	} {
		t.Run(name, func(t *testing.T) {
			if c.Title == "" {
				c.Title, c.Note, c.LegendBeside = "title", "a note", true
			}
			p, _, err := c.draw(0, chartSizes)
			if err != nil {
				t.Fatal(err)
			}
			for _, s := range c.Series {
				for i := range s.X {
					if y := s.Y[i]; !math.IsNaN(y) && !math.IsInf(y, 0) && !(c.LogY && y <= 0) &&
						(s.X[i] < p.X.Min || s.X[i] > p.X.Max || y < p.Y.Min || y > p.Y.Max) {
						t.Errorf("(%g, %g) is outside of %g to %g, %g to %g", s.X[i], y, p.X.Min, p.X.Max, p.Y.Min, p.Y.Max)
					}
					if len(s.High) > 0 && s.High[i] > p.Y.Max {
						t.Errorf("the band is cut at %g: up to %g", s.X[i], s.High[i])
					}
				}
			}
			svg, err := c.picture("svg")
			if err != nil {
				t.Fatal(err)
			}
			if bytes.Contains(svg, []byte("NaN")) || bytes.Contains(svg, []byte("Inf")) {
				t.Error("a coordinate is not a number")
			}
			all, width, height := texts(t, svg)
			// A column of a paper is 8.5 cm wide. Text in it should have 6.5 points or more, except
			// where much is to be said.
			smallest := 6.5 * float64(chartWidth/(8.5*vg.Centimeter))
			if strings.Contains(name, "long") || name == "beyond" || name == "narrow" || strings.Contains(name, "word") {
				smallest = 0
			}
			apartFromEachOther(t, all, width, height, smallest)
			left, below := labelled(all)
			if left < fewest || below < fewest {
				t.Errorf("%d labels at the left, %d below: %v", left, below, all)
			}
		})
	}
}

// labelled counts the labels of ticks, those below the chart being the ones that most have their
// height in common.
func labelled(all []label) (left, below int) {
	heights := map[string]int{}
	for _, l := range all {
		if number.MatchString(l.text) {
			heights[fmt.Sprintf("%.1f", l.y)]++
		}
	}
	sum := 0
	for _, n := range heights {
		below, sum = max(below, n), sum+n
	}
	return sum - below, below
}

// TestLegends has charts of up to 250 lines, with names of all lengths. All names are there, whole
// or shortened in the middle, and no two lines are drawn alike, up to 104 of them.
func TestLegends(t *testing.T) {
	for _, n := range []int{1, 13, 25, 100} {
		for _, beside := range []bool{false, true} {
			for _, name := range []string{"s%d", "latent_remote_%d", "%d überaus längliche Bezeichnung – 潜伏",
				"%d" + strings.Repeat(" very long", 30) + " %[1]d"} {
				t.Run(fmt.Sprintf("%d %v %.20s", n, beside, name), func(t *testing.T) {
					c := Chart{Title: "many", FromZero: true, LegendBeside: beside, XLabel: "day", YLabel: "individuals"}
					for i := range n {
						c.Series = append(c.Series, curve(fmt.Sprintf(name, i), 0, 100, 0, float64(i+1), 40))
					}
					svg, err := c.picture("svg")
					if err != nil {
						t.Fatal(err)
					}
					all, width, height := texts(t, svg)
					apartFromEachOther(t, all, width, height, 12)
					written := map[string]bool{}
					for _, l := range all {
						written[l.text] = true
					}
					for i := range n {
						whole := fmt.Sprintf(name, i)
						if len(whole) < 100 && !written[whole] {
							t.Errorf("%q is not in the legend", whole)
						}
					}
					if got := len(written); got < n {
						t.Errorf("%d texts for %d lines", got, n)
					}
				})
			}
		}
	}
	c := Chart{Title: "very many"}
	for i := range 250 {
		c.Series = append(c.Series, curve(fmt.Sprintf("state number %d", i), 0, 1, 0, 1, 5))
	}
	svg, err := c.picture("svg")
	if err != nil {
		t.Fatal(err)
	}
	all, width, height := texts(t, svg)
	apartFromEachOther(t, all, width, height, 12)
	looks := map[string]bool{}
	for i := range 104 {
		s := curve("a", 0, 1, 0, 1, 40)
		svg, err := Chart{Series: append(make([]Series, 0), seriesNumber(s, i)...)}.picture("svg")
		if err != nil {
			t.Fatal(err)
		}
		strokes := regexp.MustCompile(`fill:none;stroke:[^"]*`).FindAllString(string(svg), -1)
		looks[strokes[len(strokes)-1]] = true
	}
	if len(looks) != 104 {
		t.Errorf("104 lines look like %d", len(looks))
	}
}

// seriesNumber is a series that comes after i others of which nothing is seen.
func seriesNumber(s Series, i int) []Series { return append(make([]Series, i), s) }

// TestTitles has charts side by side whose titles have letters of all heights. They stand on one
// line.
func TestTitles(t *testing.T) {
	var ps Panels
	for _, title := range []string{"aaa", "gypq", "ÄÖÜ", "latent_recent", "x", "(q)"} {
		ps.Charts = append(ps.Charts, Chart{Title: title, XLabel: "day", FromZero: true,
			Series: []Series{curve("", 0, 160, 0, 123_456, 40)}})
	}
	ps.Title, ps.Note, ps.Columns = "all of them", "in panels", 3
	all, width, height := texts(t, savePanels(t, ps))
	apartFromEachOther(t, all, width, height, 9)
	at := map[string]float64{}
	for _, l := range all {
		at[l.text] = l.y
	}
	for _, row := range [][]string{{"aaa", "gypq", "ÄÖÜ"}, {"latent_recent", "x", "(q)"}} {
		if at[row[0]] != at[row[1]] || at[row[0]] != at[row[2]] {
			t.Errorf("%v are at %v", row, at)
		}
	}
	ticks := 0
	for _, l := range all {
		if number.MatchString(l.text) {
			ticks++
		}
	}
	if ticks < 2*fewest*len(ps.Charts) {
		t.Errorf("%d labels for %d axes", ticks, 2*len(ps.Charts))
	}
}

// TestDots looks at how many a PNG has.
func TestDots(t *testing.T) {
	c := Chart{Title: "t", Series: []Series{curve("a", 0, 1, 0, 1, 40)}, LegendBeside: true}
	size, err := png.DecodeConfig(bytes.NewReader(save(t, c, "a.png")))
	if err != nil || size.Width < 1360 || size.Height < 906 {
		t.Errorf("%d × %d, %v", size.Width, size.Height, err)
	}
	// A picture that is very large has fewer to an inch, and does not take a gigabyte.
	for _, rows := range []vg.Length{1, 5, 50, 1000} {
		width, height := 5*panelWidth, rows*panelHeight
		n := float64(dots(width, height)) / float64(vg.Inch)
		if got := float64(width) * float64(height) * n * n; got > 24e6 || rows > 10 && got < 20e6 {
			t.Errorf("%.0f rows of panels have %.0f dots", rows, got)
		}
	}
}

func savePanels(t *testing.T, ps Panels) []byte {
	t.Helper()
	data, err := ps.picture("svg")
	if err != nil {
		t.Fatal(err)
	}
	return data
}
