package plot

import (
	"fmt"
	"html"
	"image/color"
	"regexp"
	"slices"
	"strconv"
	"strings"
	"sync"

	gonum "gonum.org/v1/plot"
	"gonum.org/v1/plot/font"
	"gonum.org/v1/plot/text"
	"gonum.org/v1/plot/vg"
)

// palette has colours that colour-blind readers can tell apart (after Okabe and Ito); the first is
// for the most important series. Printed in grey, the lines of a pattern in patterns differ by at
// least 15 units of lightness (CIE L*), of which black and white differ by 100.
var palette = []color.RGBA{
	{0xd5, 0x5e, 0x00, 0xff}, {0x00, 0x4a, 0x86, 0xff}, {0x52, 0xbe, 0x9c, 0xff}, {0x00, 0x00, 0x00, 0xff},
	{0xe6, 0x9f, 0x00, 0xff}, {0xb0, 0x57, 0x8d, 0xff}, {0x56, 0xb4, 0xe9, 0xff}, {0x66, 0x66, 0x66, 0xff},
}

// patterns are the dashes of each colour of the palette, as indices of dashes.
var patterns = []int{0, 0, 0, 0, 1, 1, 2, 2}

// dashes are lengths of dashes and gaps in points. After the last colour the next three begin, so
// that 104 lines are all different, and 32 of them in grey.
var dashes = [][]vg.Length{
	nil, {7, 2}, {2, 2}, {9, 2, 2, 2}, {4, 4}, {9, 2, 2, 2, 2, 2}, {14, 3}, {1, 3}, {14, 2, 4, 2},
	{5, 2, 2, 2, 2, 2, 2, 2},
	{9, 2, 4, 2, 2, 2}, {3, 1, 1, 1}, {14, 2, 1, 2, 1, 2},
}

// stroke is the colour and the dashes of the i-th line.
func stroke(i int) (color.RGBA, []vg.Length) {
	k := i % len(palette)
	return palette[k], dashes[(patterns[k]+3*(i/len(palette)))%len(dashes)]
}

// shade is the colour of a band.
func shade(c color.RGBA) color.NRGBA { return color.NRGBA{c.R, c.G, c.B, 0x40} }

// sizes in points, for a chart of 18 cm. At half of that, a column of a paper, the smallest are
// still 7 points.
type sizes struct{ title, note, label, tick, legend, line vg.Length }

var (
	chartSizes = sizes{title: 17, note: 14, label: 16, tick: 15, legend: 15, line: 2}
	// Panels are 8 cm wide; three fill a page at 70 % of their size.
	panelSizes = sizes{title: 12, note: 12, label: 11, tick: 10.5, legend: 10.5, line: 1.5}
)

const (
	chartWidth, chartHeight = 18 * vg.Centimeter, 12 * vg.Centimeter
	panelWidth, panelHeight = 8 * vg.Centimeter, 5.6 * vg.Centimeter
)

// style returns a text style, aligned to the left and the baseline.
func style(size vg.Length) text.Style {
	return text.Style{Color: color.Black, Font: font.From(font.Font{Typeface: "Liberation", Variant: "Sans"}, size),
		Handler: gonum.DefaultTextHandler}
}

var face = sync.OnceValue(func() font.Face { return font.DefaultCache.Lookup(style(12).Font, 12) })

// lacks reports whether the font has no glyph for a letter.
func lacks(r rune) bool {
	i, err := face().Face.GlyphIndex(nil, r)
	return err != nil || i == 0
}

// Missing lists the letters of a text that the font lacks, the first five of them. In pictures that
// are not SVG they are boxes.
func Missing(s string) string {
	var all []string
	for _, r := range s {
		if lacks(r) && !slices.Contains(all, string(r)) {
			all = append(all, string(r))
		}
	}
	if len(all) > 5 {
		return strings.Join(all[:5], " ") + " …"
	}
	return strings.Join(all, " ")
}

// width is the width of a text. For letters that the font lacks, a viewer may use a square of
// another font.
func width(sty text.Style, s string) vg.Length {
	w := sty.Width(s)
	for _, r := range s {
		if lacks(r) {
			w += sty.Font.Size / 4 // in addition to the measured three quarters
		}
	}
	return w
}

// plain replaces letters that the font lacks by boxes, for formats that are not text.
func plain(s string) string {
	return strings.Map(func(r rune) rune {
		if lacks(r) {
			return '□'
		}
		return r
	}, s)
}

var svgText = sync.OnceValue(func() *regexp.Regexp {
	return regexp.MustCompile(`(?s)(<text [^>]*font-size:([\d.]+)px[^>]*)>([^<]*)</text>`)
})

// settle makes an SVG look alike in all viewers: it names fonts of equal width as alternatives, and
// sets the width of each text.
func settle(svg string) string {
	svg = strings.ReplaceAll(svg, "font-family:Liberation Sans;",
		"font-family:'Liberation Sans',Arial,Helvetica,sans-serif;")
	return svgText().ReplaceAllStringFunc(svg, func(element string) string {
		m := svgText().FindStringSubmatch(element)
		size, err := strconv.ParseFloat(m[2], 64)
		s := html.UnescapeString(m[3])
		w := style(vg.Length(size)).Width(s)
		if err != nil || w == 0 || strings.ContainsFunc(s, lacks) {
			return element
		}
		return fmt.Sprintf(`%s textLength="%.2f" lengthAdjust="spacingAndGlyphs">%s</text>`, m[1], w.Points(), m[3])
	})
}

// wrap breaks a text into lines, at spaces if possible. It first reduces the size, down to two
// thirds.
func wrap(s string, size, room vg.Length) (text.Style, []string) {
	sty := style(size)
	if w := width(sty, s); w > room {
		sty = style(max(size*2/3, size*room/w))
	}
	if s == "" {
		return sty, nil
	}
	var lines []string
	line := ""
	for _, word := range strings.Fields(s) {
		longer := strings.TrimSpace(line + " " + word)
		if line != "" && width(sty, longer) > room {
			lines = append(lines, shorten(line, sty, room))
			longer = word
		}
		line = longer
	}
	return sty, append(lines, shorten(line, sty, room))
}

// longest is the length of text that is measured; longer text fits nowhere.
const longest = 1000

// shorten removes letters from the middle of a text until it fits: long names often differ at their
// end.
func shorten(s string, sty text.Style, room vg.Length) string {
	if len(s) < longest && width(sty, s) <= room {
		return s
	}
	letters := []rune(s)
	// Binary search.
	least, most := 0, min(len(letters), longest)
	for least < most {
		n := (least + most + 1) / 2
		if width(sty, without(letters, n)) <= room {
			least = n
		} else {
			most = n - 1
		}
	}
	return without(letters, least)
}

// without keeps n letters from both ends.
func without(letters []rune, n int) string {
	return string(letters[:(n+1)/2]) + "…" + string(letters[len(letters)-n/2:])
}
