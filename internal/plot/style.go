package plot

import (
	"fmt"
	"html"
	"image/color"
	"regexp"
	"strconv"
	"strings"
	"sync"

	gonum "gonum.org/v1/plot"
	"gonum.org/v1/plot/font"
	"gonum.org/v1/plot/text"
	"gonum.org/v1/plot/vg"
)

// palette holds colours that stay apart for colour-blind eyes and on paper (Okabe and Ito), the
// first for what matters.
var palette = []color.RGBA{
	{0xd5, 0x5e, 0x00, 0xff}, {0x00, 0x72, 0xb2, 0xff}, {0x00, 0x9e, 0x73, 0xff}, {0xcc, 0x79, 0xa7, 0xff},
	{0xe6, 0x9f, 0x00, 0xff}, {0x56, 0xb4, 0xe9, 0xff}, {0x00, 0x00, 0x00, 0xff}, {0x80, 0x80, 0x80, 0xff},
}

// dashes are lengths of ink and of gaps, in points. When all colours have been used they begin
// again with the next pattern, so that 104 lines are all different.
var dashes = [][]vg.Length{
	nil, {7, 2}, {2, 2}, {9, 2, 2, 2}, {4, 4}, {9, 2, 2, 2, 2, 2}, {14, 3}, {1, 3}, {14, 2, 4, 2},
	{5, 2, 2, 2, 2, 2, 2, 2},
	{9, 2, 4, 2, 2, 2}, {3, 1, 1, 1}, {14, 2, 1, 2, 1, 2},
}

// shade is the colour of a band around a line.
func shade(c color.RGBA) color.NRGBA { return color.NRGBA{c.R, c.G, c.B, 0x40} }

// Sizes are in points, for a chart of 18 cm. On half of that, a column of a paper, the smallest are
// still 7 points.
type sizes struct{ title, note, label, tick, legend, line vg.Length }

var (
	chartSizes = sizes{title: 17, note: 14, label: 16, tick: 15, legend: 15, line: 2}
	// Panels are 8 cm wide, three of which fill a page at seven tenths of their size.
	panelSizes = sizes{title: 12, note: 12, label: 11, tick: 10.5, legend: 10.5, line: 1.5}
)

const (
	chartWidth, chartHeight = 18 * vg.Centimeter, 12 * vg.Centimeter
	panelWidth, panelHeight = 8 * vg.Centimeter, 5.6 * vg.Centimeter
)

// style is text of a size. It stands above its point and to the right of it.
func style(size vg.Length) text.Style {
	return text.Style{Color: color.Black, Font: font.From(font.Font{Typeface: "Liberation", Variant: "Sans"}, size),
		Handler: gonum.DefaultTextHandler}
}

// face is our font, to look into.
var face = sync.OnceValue(func() font.Face { return font.DefaultCache.Lookup(style(12).Font, 12) })

// lacks tells whether our font has no picture of a letter.
func lacks(r rune) bool {
	i, err := face().Face.GlyphIndex(nil, r)
	return err != nil || i == 0
}

// width is how wide a text is. A letter that our font does not have is taken from another by a
// viewer, and may be as wide as it is high.
func width(sty text.Style, s string) vg.Length {
	w := sty.Width(s)
	for _, r := range s {
		if lacks(r) {
			w += sty.Font.Size / 4 // beside the three quarters that are measured for it
		}
	}
	return w
}

// plain is a text with boxes in place of letters that our font does not have, for pictures that no
// viewer can add them to.
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

// settle makes a picture look alike in all viewers. Beside our font it names others that are as
// wide, for those that do not have it, and says how wide each text is, for those that have none of
// them.
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

// wrap breaks a text into lines of at most a width, at spaces where that is possible. It first
// takes smaller letters, down to two thirds.
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

// longest is the longest text that is measured; nothing that long fits anywhere.
const longest = 1000

// shorten takes letters out of the middle of a text until it has a width: names that are long often
// differ at their end.
func shorten(s string, sty text.Style, room vg.Length) string {
	if len(s) < longest && width(sty, s) <= room {
		return s
	}
	letters := []rune(s)
	// The longest that fits, by halving.
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

// without is n letters of a text, from its beginning and its end.
func without(letters []rune, n int) string {
	return string(letters[:(n+1)/2]) + "…" + string(letters[len(letters)-n/2:])
}
