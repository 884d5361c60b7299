package plot

import (
	"image/color"
	"math"
	"slices"

	"gonum.org/v1/plot/vg"
	"gonum.org/v1/plot/vg/draw"
)

// A Gantt is a chart with rows of bars over time.
type Gantt struct {
	Title, Note, XLabel string
	Rows                []GanttRow // from the top
}

// A GanttRow has a name and bars, which should not overlap.
type GanttRow struct {
	Name string
	Bars []GanttBar
}

// A GanttBar is a bar with a text, which is drawn if it fits.
type GanttBar struct {
	From, To float64
	Text     string
	Colour   int  // index of the palette without black
	Open     bool // without an end
	Cut      bool // cut short: ends with a dark edge
}

// Save writes an .svg, .png or .pdf file.
func (g Gantt) Save(path string) error { return writePicture(path, g.picture) }

func (g Gantt) picture(format string) ([]byte, error) {
	text := func(s string) string { return s }
	if format != "svg" {
		text = plain
	}
	const margin, row = vg.Length(8), vg.Length(24)
	sz := chartSizes
	wide := chartWidth - 2*margin
	head := newHeading(text(g.Title), text(g.Note), sz, wide)
	tick := style(panelSizes.tick)
	left := vg.Length(20)
	for _, r := range g.Rows {
		left = max(left, min(width(tick, text(r.Name)), wide/4)+8)
	}
	low, high := g.extent()
	axis := linear(low, high, false)
	const below = 44 // height of the axis and its label in points
	tall := vg.Length(max(1, len(g.Rows))) * row
	return render(format, chartWidth, head.height()+4+tall+below+2*margin, func(whole draw.Canvas) {
		inner := draw.Crop(whole, margin, -margin, margin, -margin)
		head.draw(inner)
		body := draw.Crop(inner, left, -12, below, -head.height()-4)
		x := func(t float64) vg.Length {
			return body.Min.X + vg.Length((t-axis.low)/(axis.high-axis.low))*(body.Max.X-body.Min.X)
		}
		axis.drawTime(body, x, panelSizes.tick)
		name := style(sz.label)
		name.XAlign, name.YAlign = draw.XCenter, draw.YBottom
		inner.FillText(name, vg.Point{X: body.Center().X, Y: inner.Min.Y}, shorten(text(g.XLabel), name,
			body.Max.X-body.Min.X))
		for i, r := range g.Rows {
			top := body.Max.Y - vg.Length(i)*row
			sty := tick
			sty.XAlign, sty.YAlign = draw.XRight, draw.YCenter
			body.FillText(sty, vg.Point{X: body.Min.X - 6, Y: top - row/2}, shorten(text(r.Name), sty, left-8))
			for _, b := range r.Bars {
				b.Text = text(b.Text)
				b.draw(body, x, top-0.12*row, top-0.88*row)
			}
		}
	})
}

func (g Gantt) extent() (low, high float64) {
	low, high = math.Inf(1), math.Inf(-1)
	for _, r := range g.Rows {
		for _, b := range r.Bars {
			low, high = min(low, b.From), max(high, b.To)
		}
	}
	return low, high
}

// drawTime draws a time axis below a canvas, with labels of a size, and its grid lines.
func (axis scale) drawTime(body draw.Canvas, x func(float64) vg.Length, size vg.Length) {
	grid := draw.LineStyle{Color: color.Gray{0xd8}, Width: 0.5}
	sty := style(size)
	sty.XAlign, sty.YAlign = draw.XCenter, draw.YTop
	end := vg.Length(math.Inf(-1))
	for _, t := range axis.ticks {
		if t.Label == "" || t.Value < axis.low || t.Value > axis.high {
			continue
		}
		at := x(t.Value)
		body.StrokeLine2(grid, at, body.Min.Y, at, body.Max.Y)
		if half := width(sty, t.Label) / 2 * 1.1; at-half > end {
			body.FillText(sty, vg.Point{X: at, Y: body.Min.Y - 5}, t.Label)
			end = at + half
		}
	}
	body.StrokeLine2(draw.LineStyle{Color: color.Black, Width: 0.5}, body.Min.X, body.Min.Y, body.Max.X, body.Min.Y)
}

// bright are the colours of the palette on which black text is legible.
var bright = slices.DeleteFunc(slices.Clone(palette), func(c color.RGBA) bool {
	return c.R == 0 && c.G == 0 &&
		c.B == 0
})

func (b GanttBar) draw(body draw.Canvas, x func(float64) vg.Length, top, bottom vg.Length) {
	from, to := x(b.From), x(b.To)
	to = max(to, from+0.5) // to be visible
	c := bright[b.Colour%len(bright)]
	box(body, vg.Point{X: from, Y: bottom}, vg.Point{X: to, Y: top}, color.NRGBA{c.R, c.G, c.B, 0x90})
	edge := draw.LineStyle{Color: c, Width: 0.7}
	body.StrokeLine2(edge, from, bottom, from, top)
	switch {
	case b.Cut:
		body.StrokeLine2(draw.LineStyle{Color: color.Black, Width: 2}, to, bottom, to, top)
	case !b.Open:
		body.StrokeLine2(edge, to, bottom, to, top)
	}
	sty := style(panelSizes.tick)
	sty.XAlign, sty.YAlign = draw.XCenter, draw.YCenter
	if b.Text != "" && len(b.Text) < longest && 1.1*width(sty, b.Text) < to-from {
		body.FillText(sty, vg.Point{X: (from + to) / 2, Y: (top + bottom) / 2}, b.Text)
	}
}
