package plot

import (
	"fmt"
	"image/color"
	"math"

	gonum "gonum.org/v1/plot"
	"gonum.org/v1/plot/vg"
	"gonum.org/v1/plot/vg/draw"
)

// A Network is a picture of individuals and the links between them: discs and lines. Who is linked
// is near each other, parts that are not linked are side by side, and nothing else is meant by
// where a disc is. The same network has the same picture.
type Network struct {
	Title, Note string
	Colours     []string // what each colour of discs means
	Kinds       []string // of links; more than one are named in the legend
	Nodes       []int    // the colours of the discs, as positions in Colours
	Links       []NetworkLink
}

// A NetworkLink is a line between two discs.
type NetworkLink struct{ A, B, Kind int }

// Save writes an .svg, .png or .pdf file.
func (n Network) Save(path string) error { return writePicture(path, n.picture) }

// SVG encodes the picture, with text as outlines.
func (n Network) SVG() ([]byte, error) { return encode("svg", n.picture) }

// PNG encodes the picture.
func (n Network) PNG() ([]byte, error) { return n.picture("png") }

// PDF encodes the picture.
func (n Network) PDF() ([]byte, error) { return n.picture("pdf") }

// networkShape is the height of the drawing as a share of its width.
const networkShape = 0.6

// Web renders the picture for a page, as an svg element without title and note. Colours are
// attributes, as in [Chart.Web].
func (n Network) Web(size Size) []byte {
	l := newLegend(n.entries(func(s string) string { return s }), false, vg.Length(size.Text), vg.Length(size.Width), 0)
	height := math.Ceil(networkShape*size.Width + l.size().Y.Points() + size.Text)
	canvas := newWebCanvas(size.Width, height)
	whole := draw.NewCanvas(canvas, vg.Length(size.Width), vg.Length(height))
	n.draw(draw.Crop(whole, 0, 0, l.size().Y+vg.Length(size.Text), 0))
	l.drawBelow(whole, whole)
	return fmt.Appendf(nil, `<svg xmlns="http://www.w3.org/2000/svg" class="chart drawn" viewBox="0 0 %g %g" `+
		`aria-hidden="true" focusable="false">%s</svg>`, size.Width, height, canvas.b.String())
}

func (n Network) picture(format string) ([]byte, error) {
	const margin = vg.Length(8)
	text := func(s string) string { return s }
	if format != "svg" {
		text = plain
	}
	across := chartWidth - 2*margin
	head := newHeading(text(n.Title), text(n.Note), chartSizes, across)
	l := newLegend(n.entries(text), false, chartSizes.legend, across, 0)
	below := l.size().Y + margin
	return render(format, chartWidth, head.height()+networkShape*across+below+2*margin, func(whole draw.Canvas) {
		inner := draw.Crop(whole, margin, -margin, margin, -margin)
		head.draw(inner)
		n.draw(draw.Crop(inner, 0, 0, below, -head.height()))
		l.drawBelow(whole, inner)
	})
}

// draw draws lines first, and discs over them.
func (n Network) draw(body draw.Canvas) {
	at, wide, high := n.layout()
	const most = vg.Length(50) // length of a link
	room := body.Size()
	unit := min(most, room.X/vg.Length(max(wide, 1)), room.Y/vg.Length(max(high, 1)))
	corner := vg.Point{X: body.Center().X - unit*vg.Length(wide)/2, Y: body.Center().Y - unit*vg.Length(high)/2}
	place := func(i int) vg.Point {
		return vg.Point{X: corner.X + unit*vg.Length(at[i].x), Y: corner.Y + unit*vg.Length(at[i].y)}
	}
	for _, l := range n.Links {
		a, b := place(l.A), place(l.B)
		body.StrokeLine2(linkStyle(l.Kind), a.X, a.Y, b.X, b.Y)
	}
	radius := min(4.5, max(2, 0.2*unit))
	for i, c := range n.Nodes {
		dataGlyph{}.DrawGlyph(&body, draw.GlyphStyle{Color: palette[c%len(palette)], Radius: radius}, place(i))
	}
}

// linkStyle is how links of a kind are drawn.
func linkStyle(kind int) draw.LineStyle {
	patterns := [][]vg.Length{nil, {4, 2}, {1, 2}, {6, 2, 1, 2}}
	return draw.LineStyle{Color: color.Gray{0x80}, Width: 1, Dashes: patterns[kind%len(patterns)]}
}

// entries are the legend: colours that a disc has, and kinds of links if there are several.
func (n Network) entries(text func(string) string) (all []entry) {
	count := make([]int, len(n.Colours))
	for _, c := range n.Nodes {
		count[c]++
	}
	for c, name := range n.Colours {
		if count[c] > 0 {
			all = append(all, entry{fmt.Sprintf("%s (%d)", text(name), count[c]), []gonum.Thumbnailer{discThumbnail(c)}})
		}
	}
	for k, name := range n.Kinds {
		if len(n.Kinds) > 1 {
			all = append(all, entry{text(name), []gonum.Thumbnailer{linkThumbnail(k)}})
		}
	}
	return all
}

// A discThumbnail is a disc of a colour in the legend.
type discThumbnail int

// Thumbnail is of gonum.Thumbnailer.
func (t discThumbnail) Thumbnail(c *draw.Canvas) {
	dataGlyph{}.DrawGlyph(c, draw.GlyphStyle{Color: palette[int(t)%len(palette)], Radius: 5}, c.Center())
}

// A linkThumbnail is a link of a kind in the legend.
type linkThumbnail int

// Thumbnail is of gonum.Thumbnailer.
func (t linkThumbnail) Thumbnail(c *draw.Canvas) {
	c.StrokeLine2(linkStyle(int(t)), c.Min.X, c.Center().Y, c.Max.X, c.Center().Y)
}
