package plot

import (
	"fmt"
	"html"
	"strings"

	"gonum.org/v1/plot/vg"
	"gonum.org/v1/plot/vg/draw"
)

// Web draws the map for a page, as an svg element without its title and note. Each rectangle is a link if there is an address for it, with words
// for those who hear it instead, and its place on the axes for a script; the cells are in groups of the class cells.
func (h Heat) Web(size Size, link func(i, j int) (address, words string)) []byte {
	h.check()
	sz := sizes{label: vg.Length(size.Text), tick: vg.Length(0.95 * size.Text)}
	canvas := newWebCanvas(size.Width, size.Height)
	fmt.Fprintf(&canvas.b, `<svg xmlns="http://www.w3.org/2000/svg" class="heat" viewBox="0 0 %g %g">`, size.Width, size.Height)
	inner := draw.Crop(draw.NewCanvas(canvas, vg.Length(size.Width), vg.Length(size.Height)), 4, -4, 4, -8)
	around := func(i, j int, cell func()) {
		address, words := link(i, j)
		canvas.b.WriteString(`<g class="cells">`)
		if address != "" {
			fmt.Fprintf(&canvas.b, `<a href="%s" data-at="%d %d" aria-label="%s"><title>%s</title>`, html.EscapeString(address), i, j, html.EscapeString(words), html.EscapeString(words))
		}
		cell()
		if address != "" {
			canvas.b.WriteString("</a>")
		}
		canvas.b.WriteString("</g>")
	}
	if link == nil {
		around = nil
	}
	h.paint(inner, 0, sz, vg.Length(0.9*size.Text), around)
	canvas.b.WriteString("</svg>")
	return []byte(strings.TrimSpace(canvas.b.String()))
}
