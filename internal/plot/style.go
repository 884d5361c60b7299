package plot

import (
	"fmt"
	"html"
	"image/color"
	"regexp"
	"strconv"
	"strings"

	gonum "gonum.org/v1/plot"
	"gonum.org/v1/plot/font"
	"gonum.org/v1/plot/text"
	"gonum.org/v1/plot/vg"
)

// palette holds colours that stay apart for colour-blind eyes and on paper (Okabe and Ito), the first for what matters.
var palette = []color.RGBA{
	{0xd5, 0x5e, 0x00, 0xff}, {0x00, 0x72, 0xb2, 0xff}, {0x00, 0x9e, 0x73, 0xff}, {0xcc, 0x79, 0xa7, 0xff},
	{0xe6, 0x9f, 0x00, 0xff}, {0x56, 0xb4, 0xe9, 0xff}, {0x00, 0x00, 0x00, 0xff}, {0x80, 0x80, 0x80, 0xff},
}

// dashes are lengths of ink and of gaps, in points. When all colours have been used they begin again with the next pattern, so that 104
// lines are all different.
var dashes = [][]vg.Length{
	nil, {7, 2}, {2, 2}, {9, 2, 2, 2}, {4, 4}, {9, 2, 2, 2, 2, 2}, {14, 3}, {1, 3}, {14, 2, 4, 2}, {5, 2, 2, 2, 2, 2, 2, 2},
	{9, 2, 4, 2, 2, 2}, {3, 1, 1, 1}, {14, 2, 1, 2, 1, 2},
}

// shade is the colour of a band around a line.
func shade(c color.RGBA) color.NRGBA { return color.NRGBA{c.R, c.G, c.B, 0x40} }

// Sizes are in points, for a chart of 18 cm. On half of that, a column of a paper, the smallest are still 7 points.
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
	return text.Style{Color: color.Black, Font: font.From(font.Font{Typeface: "Liberation", Variant: "Sans"}, size), Handler: gonum.DefaultTextHandler}
}

var svgText = regexp.MustCompile(`(?s)(<text [^>]*font-size:([\d.]+)px[^>]*)>([^<]*)</text>`)

// settle makes a picture look alike in all viewers. Beside our font it names others that are as wide, for those that do not have it, and says how
// wide each text is, for those that have none of them.
func settle(svg string) string {
	svg = strings.ReplaceAll(svg, "font-family:Liberation Sans;", "font-family:'Liberation Sans',Arial,Helvetica,sans-serif;")
	return svgText.ReplaceAllStringFunc(svg, func(element string) string {
		m := svgText.FindStringSubmatch(element)
		size, err := strconv.ParseFloat(m[2], 64)
		if width := style(vg.Length(size)).Width(html.UnescapeString(m[3])); err == nil && width > 0 {
			return fmt.Sprintf(`%s textLength="%.2f" lengthAdjust="spacingAndGlyphs">%s</text>`, m[1], width.Points(), m[3])
		}
		return element
	})
}

// wrap breaks a text into lines of at most a width, at spaces where that is possible. It first takes smaller letters, down to two thirds.
func wrap(s string, size, width vg.Length) (text.Style, []string) {
	sty := style(size)
	if w := sty.Width(s); w > width {
		sty = style(max(size*2/3, size*width/w))
	}
	if s == "" {
		return sty, nil
	}
	var lines []string
	line := ""
	for _, word := range strings.Fields(s) {
		longer := strings.TrimSpace(line + " " + word)
		if line != "" && sty.Width(longer) > width {
			lines = append(lines, shorten(line, sty, width))
			longer = word
		}
		line = longer
	}
	return sty, append(lines, shorten(line, sty, width))
}

// longest is the longest text that is measured; nothing that long fits anywhere.
const longest = 1000

// shorten takes letters out of the middle of a text until it has a width: names that are long often differ at their end.
func shorten(s string, sty text.Style, width vg.Length) string {
	if len(s) < longest && sty.Width(s) <= width {
		return s
	}
	letters := []rune(s)
	// The longest that fits, by halving.
	least, most := 0, min(len(letters), longest)
	for least < most {
		n := (least + most + 1) / 2
		if sty.Width(without(letters, n)) <= width {
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
