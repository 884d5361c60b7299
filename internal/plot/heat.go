package plot

import (
	"fmt"
	"html"
	"image/color"
	"math"
	"slices"
	"strconv"
	"strings"

	"gonum.org/v1/plot/vg"
	"gonum.org/v1/plot/vg/draw"
)

// A Heat is a heat map: a cell for each pair of values, lighter for larger numbers, with a colour
// scale beside it. If they fit, the numbers are written into the cells.
type Heat struct {
	Title, Note, XLabel, YLabel string
	X, Y                        []string    // values of the axes, from the left and from the bottom
	Z                           [][]float64 // indexed by Y and then X; NaN for missing
}

// Save writes an .svg, .png or .pdf file.
func (h Heat) Save(path string) error { return writePicture(path, h.picture) }

// ramp has five colours of viridis, which differ mainly in lightness, so that they can be told
// apart without colour.
var ramp = []color.RGBA{{0x44, 0x01, 0x54, 0xff}, {0x3b, 0x52, 0x8b, 0xff}, {0x21, 0x91, 0x8c, 0xff},
	{0x5e, 0xc9, 0x62, 0xff}, {0xfd, 0xe7, 0x25, 0xff}}

// colour interpolates the ramp at a share from 0 to 1.
func colour(share float64) color.RGBA {
	if math.IsNaN(share) {
		return color.RGBA{0xe8, 0xe8, 0xe8, 0xff}
	}
	at := min(max(share, 0), 1) * float64(len(ramp)-1)
	i := min(int(at), len(ramp)-2)
	mix := func(a, b uint8) uint8 { return uint8(math.Round(float64(a) + (at-float64(i))*(float64(b)-float64(a)))) }
	a, b := ramp[i], ramp[i+1]
	return color.RGBA{mix(a.R, b.R), mix(a.G, b.G), mix(a.B, b.B), 0xff}
}

// extent is the range of all numbers.
func (h *Heat) extent() (low, high float64) {
	low, high = math.Inf(1), math.Inf(-1)
	for _, row := range h.Z {
		for _, z := range row {
			if !math.IsNaN(z) {
				low, high = min(low, z), max(high, z)
			}
		}
	}
	if low > high {
		return 0, 1
	}
	return low, high
}

// SVG encodes the map.
func (h Heat) SVG() ([]byte, error) { return encode("svg", h.picture) }

// PDF encodes the map.
func (h Heat) PDF() ([]byte, error) { return encode("pdf", h.picture) }

// PNG encodes the map.
func (h Heat) PNG() ([]byte, error) { return h.picture("png") }

// check panics on the caller's mistakes.
func (h *Heat) check() {
	if len(h.Z) != len(h.Y) || slices.ContainsFunc(h.Z, func(row []float64) bool { return len(row) != len(h.X) }) {
		panic("plot: a map needs a row for each y, and in it a number for each x")
	}
}

func (h Heat) picture(format string) ([]byte, error) {
	h.check()
	if format != "svg" {
		h.Title, h.Note, h.XLabel, h.YLabel = plain(h.Title), plain(h.Note), plain(h.XLabel), plain(h.YLabel)
	}
	const margin = vg.Length(8)
	sz := chartSizes
	head := newHeading(h.Title, h.Note, sz, chartWidth-2*margin)
	return render(format, chartWidth, chartHeight, func(whole draw.Canvas) {
		inner := draw.Crop(whole, margin, -margin, margin, -margin)
		head.draw(inner)
		h.paint(inner, head.height()+4, sz, panelSizes.tick, nil)
	})
}

// paint draws the map below a heading of the given height. If around is not nil, it draws the
// cells.
func (h *Heat) paint(inner draw.Canvas, above vg.Length, sz sizes, small vg.Length,
	around func(i, j int, cell func())) {
	tick := style(sz.tick)
	left := 1.6 * sz.label
	for _, y := range h.Y {
		left = max(left, min(width(tick, y), 120)+1.8*sz.label)
	}
	const ladder, label = vg.Length(16), vg.Length(62)
	body := draw.Crop(inner, left, -(ladder + label + 14), 2.9*sz.label, -above)
	h.cells(body, small, around)
	h.names(body, inner, sz)
	h.ladder(body, body.Max.X+14, ladder, small)
}

// cells draws the cells, and the numbers if all fit.
func (h *Heat) cells(body draw.Canvas, small vg.Length, around func(i, j int, cell func())) {
	low, high := h.extent()
	w, t := (body.Max.X-body.Min.X)/vg.Length(max(len(h.X), 1)), (body.Max.Y-body.Min.Y)/vg.Length(max(len(h.Y), 1))
	sty := style(min(small, 0.6*t))
	sty.XAlign, sty.YAlign = draw.XCenter, draw.YCenter
	room := sty.Font.Size >= 6
	for _, row := range h.Z {
		for _, z := range row {
			room = room && width(sty, numberText(z)) < 0.92*w
		}
	}
	if around == nil {
		around = func(_, _ int, cell func()) { cell() }
	}
	for j, row := range h.Z {
		for i, z := range row {
			around(i, j, func() {
				from := vg.Point{X: body.Min.X + vg.Length(i)*w, Y: body.Min.Y + vg.Length(j)*t}
				to := vg.Point{X: from.X + w, Y: from.Y + t}
				share := share(z, low, high)
				box(body, from, to, colour(share))
				if room && !math.IsNaN(z) {
					if sty.Color = color.White; share > 0.44 { // contrast of at least 4.5
						sty.Color = color.Black
					}
					body.FillText(sty, vg.Point{X: (from.X + to.X) / 2, Y: (from.Y + to.Y) / 2}, numberText(z))
				}
			})
		}
	}
}

func share(z, low, high float64) float64 {
	switch {
	case math.IsNaN(z):
		return z
	case high > low:
		return (z - low) / (high - low)
	}
	return 0.5
}

func box(c draw.Canvas, from, to vg.Point, fill color.Color) {
	c.FillPolygon(fill, []vg.Point{from, {X: to.X, Y: from.Y}, to, {X: from.X, Y: to.Y}})
}

// names labels the axes, with as many values as fit.
func (h *Heat) names(body, inner draw.Canvas, sz sizes) {
	sty := style(sz.tick)
	w, t := (body.Max.X-body.Min.X)/vg.Length(max(len(h.X), 1)), (body.Max.Y-body.Min.Y)/vg.Length(max(len(h.Y), 1))
	widest := vg.Length(0)
	for _, x := range h.X {
		widest = max(widest, width(sty, x))
	}
	every := max(1, int(math.Ceil(float64(1.15*widest/w))))
	sty.XAlign, sty.YAlign = draw.XCenter, draw.YTop
	for i := 0; i < len(h.X); i += every {
		body.FillText(sty, vg.Point{X: body.Min.X + (vg.Length(i)+0.5)*w, Y: body.Min.Y - 4},
			shorten(h.X[i], sty, w*vg.Length(every)))
	}
	sty.XAlign, sty.YAlign = draw.XRight, draw.YCenter
	every = max(1, int(math.Ceil(float64(1.15*sz.tick/t))))
	for j := 0; j < len(h.Y); j += every {
		body.FillText(sty, vg.Point{X: body.Min.X - 5, Y: body.Min.Y + (vg.Length(j)+0.5)*t}, shorten(h.Y[j], sty, 120))
	}
	put := func(text string, room vg.Length, at vg.Point, rotation float64) {
		sty := style(sz.label)
		sty.XAlign, sty.YAlign, sty.Rotation = draw.XCenter, draw.YBottom, rotation
		inner.FillText(sty, at, shorten(text, sty, room))
	}
	put(h.XLabel, body.Max.X-body.Min.X, vg.Point{X: body.Center().X, Y: inner.Min.Y}, 0)
	put(h.YLabel, body.Max.Y-body.Min.Y, vg.Point{X: inner.Min.X + sz.label, Y: body.Center().Y}, math.Pi/2)
}

// ladder draws the colour scale.
func (h *Heat) ladder(body draw.Canvas, x, wide, small vg.Length) {
	low, high := h.extent()
	const rungs = 64
	t := (body.Max.Y - body.Min.Y) / rungs
	for k := range rungs {
		y := body.Min.Y + vg.Length(k)*t
		top := min(y+2*t, body.Max.Y) // overlap, to avoid gaps
		box(body, vg.Point{X: x, Y: y}, vg.Point{X: x + wide, Y: top}, colour((float64(k)+0.5)/rungs))
	}
	sty := style(small)
	sty.YAlign = draw.YCenter
	for k := range 5 {
		at := float64(k) / 4
		z := low + at*(high-low)
		if high == low && k != 2 {
			continue
		}
		body.FillText(sty, vg.Point{X: x + wide + 4, Y: body.Min.Y + vg.Length(at)*(body.Max.Y-body.Min.Y)},
			shorten(numberText(z), sty, 58))
	}
}

// numberText formats a number with four digits.
func numberText(z float64) string {
	if a := math.Abs(z); a >= 1000 && a < 1e7 {
		return separated(strconv.FormatFloat(z, 'f', 0, 64), true)
	}
	return separated(strconv.FormatFloat(z, 'g', 4, 64), false)
}

// Web renders the map for a page, as an svg element without title and note. A cell with an address
// is a link, with a text for screen readers and its position in attributes for the script. Cells
// are in groups of the class cells.
func (h Heat) Web(size Size, link func(i, j int) (address, words string)) []byte {
	h.check()
	sz := sizes{label: vg.Length(size.Text), tick: vg.Length(0.95 * size.Text)}
	canvas := newWebCanvas(size.Width, size.Height)
	fmt.Fprintf(&canvas.b, `<svg xmlns="http://www.w3.org/2000/svg" class="heat" viewBox="0 0 %g %g">`, size.Width,
		size.Height)
	inner := draw.Crop(draw.NewCanvas(canvas, vg.Length(size.Width), vg.Length(size.Height)), 4, -4, 4, -8)
	around := func(i, j int, cell func()) {
		address, words := link(i, j)
		canvas.b.WriteString(`<g class="cells">`)
		if address != "" {
			fmt.Fprintf(&canvas.b, `<a href="%s" data-at="%d %d" aria-label="%s"><title>%s</title>`, html.EscapeString(address),
				i, j, html.EscapeString(words), html.EscapeString(words))
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
