package diagram

import (
	"bytes"
	"encoding/xml"
	"fmt"
	"math"
	"strconv"
)

// A style is how edges of a kind are drawn.
type style struct {
	colour, width, dashes string
	word                  string // in the legend
}

// The colours stay apart for colour-blind eyes (Okabe and Ito).
var styles = [kinds]style{
	Clock:   {"#444444", "1.5", "", "clock"},
	Contact: {"#d55e00", "2.5", "", "by contact"},
	Entry:   {"#0072b2", "1.5", "", "enters"},
	Planned: {"#009e73", "1.5", "6 4", "planned"},
}

const (
	margin     = 20
	titleRoom  = 34 // from the top of the title to the top of the picture
	legendRoom = 40 // from the bottom of the picture to the bottom of the legend
	sampleSize = 30 // the line in the legend
)

// svg writes the picture with a title and a legend.
func (p picture) svg(title string) []byte {
	bounds := p.bounds()
	inside := bounds
	if title != "" {
		corner := point{inside.min.x, inside.min.y - titleRoom}
		bounds = bounds.union(rect{corner, point{corner.x + textWidth(title, titleSize), inside.min.y}})
	}
	legend := p.legend(point{inside.min.x, inside.max.y + legendRoom - labelSize/2})
	if len(legend.lines) > 0 {
		bounds = bounds.union(legend.bounds())
		bounds.max.y = max(bounds.max.y, inside.max.y+legendRoom)
	}
	var w writer
	w.open(bounds, title)
	if title != "" {
		w.text(point{inside.min.x, inside.min.y - titleRoom + titleSize}, titleSize, "#111111", `font-weight="bold"`, title)
	}
	w.picture(p)
	w.picture(legend)
	w.printf("</svg>\n")
	return w.Bytes()
}

// bounds is what the picture takes of the page.
func (p picture) bounds() rect {
	var all []rect
	for _, b := range p.boxes {
		all = append(all, b.rect)
	}
	for _, l := range p.labels {
		all = append(all, l.rect)
	}
	for _, m := range p.marks {
		all = append(all, around(m.centre, 2*markRadius, 2*markRadius))
	}
	for _, l := range p.lines {
		all = append(all, l.bounds())
	}
	if len(all) == 0 {
		return rect{}
	}
	sum := all[0]
	for _, r := range all {
		sum = sum.union(r)
	}
	return sum
}

// bounds is not tight for loops, whose control points lie a little outside.
func (l line) bounds() rect {
	r := rect{l.start, l.start}
	for _, c := range l.path {
		r = r.union(rect{c.to, c.to})
		if !c.straight {
			r = r.union(rect{c.a, c.a}).union(rect{c.b, c.b})
		}
	}
	return r
}

// legend shows the kinds in use, in a row that begins at a point.
func (p picture) legend(at point) picture {
	var used [kinds]bool
	for _, l := range p.lines {
		used[l.kind] = true
	}
	var legend picture
	for k, style := range styles {
		if !used[k] {
			continue
		}
		kind, tip := Kind(k), point{at.x + sampleSize, at.y}
		end := point{tip.x - headLength(kind)/2, at.y}
		legend.lines = append(legend.lines, line{kind, at, []curve{{to: end, straight: true}}})
		legend.heads = append(legend.heads, head{kind, tip, point{1, 0}})
		word := Edge{Label: style.word, Kind: kind}
		legend.labelRightOf(word, tip)
		at.x = tip.x + labelSpace + labelWidth(word) + margin
	}
	return legend
}

// A writer writes SVG.
type writer struct{ bytes.Buffer }

func (w *writer) printf(format string, args ...any) { fmt.Fprintf(w, format, args...) }

// open begins the document, with a white ground.
func (w *writer) open(content rect, title string) {
	x, y := math.Floor(content.min.x)-margin, math.Floor(content.min.y)-margin
	width, height := math.Ceil(content.max.x)+margin-x, math.Ceil(content.max.y)+margin-y
	w.printf(`<svg xmlns="http://www.w3.org/2000/svg" viewBox="%s %s %s %s" width="%[3]s" height="%[4]s"`,
		number(x), number(y), number(width), number(height))
	w.printf(" font-family=\"sans-serif\">\n")
	if title != "" {
		w.printf("<title>%s</title>\n", escape(title))
	}
	w.printf(`<rect x="%s" y="%s" width="%s" height="%s" fill="#ffffff"/>`+"\n",
		number(x), number(y), number(width), number(height))
}

// picture writes lines first and labels last, as what comes later covers what came before.
func (w *writer) picture(p picture) {
	for _, l := range p.lines {
		w.line(l)
	}
	for _, h := range p.heads {
		w.head(h)
	}
	for _, m := range p.marks {
		w.mark(m)
	}
	for _, b := range p.boxes {
		w.box(b)
	}
	for _, l := range p.labels {
		w.label(l)
	}
}

func (w *writer) line(l line) {
	style := styles[l.kind]
	w.printf(`<path d="M%s`, l.start)
	for _, c := range l.path {
		if c.straight {
			w.printf("L%s", c.to)
		} else {
			w.printf("C%s %s %s", c.a, c.b, c.to)
		}
	}
	w.printf(`" fill="none" stroke="%s" stroke-width="%s"`, style.colour, style.width)
	if style.dashes != "" {
		w.printf(` stroke-dasharray="%s"`, style.dashes)
	}
	w.printf("/>\n")
}

func (w *writer) head(h head) {
	length := headLength(h.kind)
	base := point{h.tip.x - length*h.direction.x, h.tip.y - length*h.direction.y}
	across := point{-h.direction.y * length * 0.45, h.direction.x * length * 0.45}
	w.printf(`<path d="M%sL%sL%sZ" fill="%s"/>`+"\n", h.tip,
		point{base.x + across.x, base.y + across.y}, point{base.x - across.x, base.y - across.y}, styles[h.kind].colour)
}

func (w *writer) mark(m mark) {
	colour := styles[m.kind].colour
	fill := colour
	if m.open {
		fill = "#ffffff"
	}
	w.printf(`<circle cx="%s" cy="%s" r="%d" fill="%s" stroke="%s" stroke-width="1.5"/>`+"\n",
		number(m.centre.x), number(m.centre.y), markRadius, fill, colour)
}

func (w *writer) box(b box) {
	w.printf(`<rect x="%s" y="%s" width="%s" height="%s" rx="8" fill="#f4f6f9" stroke="#333333" stroke-width="1.4"/>`+"\n",
		number(b.min.x), number(b.min.y), number(b.max.x-b.min.x), number(b.max.y-b.min.y))
	middle := point{(b.min.x + b.max.x) / 2, (b.min.y + b.max.y) / 2}
	if b.node.Note == "" {
		w.text(point{middle.x, middle.y + 5}, nameSize, "#111111", `text-anchor="middle"`, b.node.Name)
		return
	}
	w.text(point{middle.x, middle.y - 2}, nameSize, "#111111", `text-anchor="middle"`, b.node.Name)
	w.text(point{middle.x, middle.y + 14}, noteSize, "#777777", `text-anchor="middle"`, b.node.Note)
}

// label writes a label with a white seam, which parts it from any line that is near.
func (w *writer) label(l label) {
	at, anchor := point{(l.min.x + l.max.x) / 2, l.max.y - 3}, "middle"
	if l.atEnd {
		at.x, anchor = l.min.x, "start"
	}
	seam := `stroke="#ffffff" stroke-width="4" stroke-linejoin="round" paint-order="stroke"`
	w.text(at, labelSize, styles[l.kind].colour, `text-anchor="`+anchor+`" `+seam, l.text)
}

// text writes a text at its baseline.
func (w *writer) text(at point, size int, colour, attributes, text string) {
	w.printf(`<text x="%s" y="%s" font-size="%d" fill="%s" %s>%s</text>`+"\n",
		number(at.x), number(at.y), size, colour, attributes, escape(text))
}

func (p point) String() string { return number(p.x) + "," + number(p.y) }

// number writes tenths of a pixel, which is as fine as anyone can see.
func number(x float64) string {
	return strconv.FormatFloat(math.Round(x*10)/10+0, 'f', -1, 64) // to add zero makes -0 a 0
}

func escape(text string) string {
	var b bytes.Buffer
	xml.EscapeText(&b, []byte(text)) // a buffer takes all that is written to it
	return b.String()
}
