package plot

import (
	"fmt"
	"image/color"
	"math"

	"gonum.org/v1/plot/text"
	"gonum.org/v1/plot/vg"
	"gonum.org/v1/plot/vg/draw"
)

// A Forest is a forest plot: blocks of rows, each a point with a thick and a thin line through it,
// over the axis of the block, with the numbers at the right. Every axis has 0, with a line.
type Forest struct {
	Title, Note string
	Heads       [2]string // of the numbers at the right
	Blocks      []ForestBlock
}

// A ForestBlock has rows over one axis.
type ForestBlock struct {
	Name string
	Rows []ForestRow
}

// A ForestRow is an estimate. What is NaN is not drawn.
type ForestRow struct {
	Name                string
	Mean                float64
	Low, High           float64 // of the thick line
	OuterLow, OuterHigh float64 // of the thin line
	Texts               [2]string
	Colour              int // of the palette
}

// Save writes an .svg, .png or .pdf file.
func (f Forest) Save(path string) error { return writePicture(path, f.picture) }

// SVG encodes the plot.
func (f Forest) SVG() ([]byte, error) { return f.picture("svg") }

// PNG encodes the plot.
func (f Forest) PNG() ([]byte, error) { return f.picture("png") }

// PDF returns the picture as PDF.
func (f Forest) PDF() ([]byte, error) { return f.picture("pdf") }

// Web renders the plot for a page, as an svg element without title and note; its height follows
// from the rows. In a narrow one there are no numbers at the right. Colours are attributes, as in
// [Chart.Web].
func (f Forest) Web(size Size) []byte {
	l := f.layout(vg.Length(size.Width), vg.Length(size.Text), func(s string) string { return s })
	height := math.Ceil(l.height.Points())
	canvas := newWebCanvas(size.Width, height)
	l.draw(draw.NewCanvas(canvas, vg.Length(size.Width), vg.Length(height)))
	return fmt.Appendf(nil, `<svg xmlns="http://www.w3.org/2000/svg" class="chart forest" viewBox="0 0 %g %g" `+
		`aria-hidden="true" focusable="false">%s</svg>`, size.Width, height, canvas.b.String())
}

const (
	forestWidth   = 24 * vg.Centimeter
	forestNumbers = vg.Length(560) // the least width with numbers at the right
)

func (f Forest) picture(format string) ([]byte, error) {
	const margin = vg.Length(8)
	text := func(s string) string { return s }
	if format != "svg" {
		text = plain
	}
	across := forestWidth - 2*margin
	head := newHeading(text(f.Title), text(f.Note), chartSizes, across)
	l := f.layout(across, panelSizes.title, text)
	return render(format, forestWidth, head.height()+l.height+2*margin, func(whole draw.Canvas) {
		inner := draw.Crop(whole, margin, -margin, margin, -margin)
		head.draw(inner)
		l.draw(draw.Crop(inner, 0, 0, 0, -head.height()))
	})
}

// A forestLayout is where the parts of a forest plot are, in points.
type forestLayout struct {
	Forest
	text             func(string) string
	title, small     text.Style
	row, head, below vg.Length // heights of a row, the title of a block, and its axis
	names            vg.Length // widths of the columns
	texts            [2]vg.Length
	space            vg.Length // between columns
	height           vg.Length
}

func (f Forest) layout(across, size vg.Length, text func(string) string) *forestLayout {
	l := &forestLayout{Forest: f, text: text, title: style(size), small: style(0.9 * size), row: 1.5 * size,
		head: 1.7 * size, below: 2.2 * size, names: 3 * size, space: 1.2 * size}
	l.title.YAlign, l.title.Font.Weight = draw.YCenter, bold
	l.small.YAlign = draw.YCenter
	numbers := across >= forestNumbers
	if numbers {
		l.height = l.row
		for i, s := range f.Heads {
			l.texts[i] = width(l.small, text(s))
		}
	}
	for _, b := range f.Blocks {
		l.height += l.head + vg.Length(len(b.Rows))*l.row + l.below
		for _, r := range b.Rows {
			l.names = max(l.names, min(width(l.small, text(r.Name)), across/4))
			for i, s := range r.Texts {
				if numbers {
					l.texts[i] = max(l.texts[i], min(width(l.small, text(s)), across/3))
				}
			}
		}
	}
	return l
}

func (l *forestLayout) draw(c draw.Canvas) {
	right := vg.Length(0) // width of the numbers
	if l.texts[0] > 0 {
		right = l.texts[0] + l.texts[1] + 2*l.space
	}
	ends := [2]vg.Length{c.Max.X - l.texts[1] - l.space, c.Max.X} // right edges of the numbers
	write := func(s string, x, y vg.Length, align text.XAlignment, room vg.Length) {
		sty := l.small
		sty.XAlign = align
		c.FillText(sty, vg.Point{X: x, Y: y}, shorten(l.text(s), sty, 1.01*room))
	}
	y := c.Max.Y
	if right > 0 {
		for i, s := range l.Heads {
			write(s, ends[i], y-l.row/2, draw.XRight, l.texts[i])
		}
		y -= l.row
	}
	for _, b := range l.Blocks {
		c.FillText(l.title, vg.Point{X: c.Min.X, Y: y - l.head/2}, shorten(l.text(b.Name), l.title, c.Max.X-c.Min.X))
		y -= l.head
		area := draw.Crop(c, l.names+l.space, -max(right, l.space), 0, 0)
		area.Min.Y, area.Max.Y = y-vg.Length(len(b.Rows))*l.row, y
		x := b.axis(area, l.small)
		for k, r := range b.Rows {
			middle := y - (vg.Length(k)+0.5)*l.row
			write(r.Name, c.Min.X, middle, draw.XLeft, l.names)
			r.draw(area, x, middle)
			for i, s := range r.Texts {
				if right > 0 {
					write(s, ends[i], middle, draw.XRight, l.texts[i])
				}
			}
		}
		y = area.Min.Y - l.below
	}
}

// axis draws the axis of a block, with a dashed line at 0, and returns the place of a number.
func (b ForestBlock) axis(area draw.Canvas, sty text.Style) func(float64) vg.Length {
	low, high := 0.0, 0.0
	for _, r := range b.Rows {
		for _, x := range []float64{r.Mean, r.Low, r.High, r.OuterLow, r.OuterHigh} {
			if !math.IsNaN(x) && !math.IsInf(x, 0) {
				low, high = min(low, x), max(high, x)
			}
		}
	}
	axis := linear(low, high, true)
	x := func(v float64) vg.Length {
		return area.Min.X + vg.Length((v-axis.low)/(axis.high-axis.low))*(area.Max.X-area.Min.X)
	}
	grid := draw.LineStyle{Color: color.Gray{0xd8}, Width: 0.5}
	sty.XAlign, sty.YAlign = draw.XCenter, draw.YTop
	end := vg.Length(math.Inf(-1))
	for _, t := range axis.ticks {
		if t.Label == "" {
			continue
		}
		at := x(t.Value)
		area.StrokeLine2(grid, at, area.Min.Y, at, area.Max.Y)
		if half := width(sty, t.Label) / 2 * 1.15; at-half > end {
			area.FillText(sty, vg.Point{X: at, Y: area.Min.Y - 4}, t.Label)
			end = at + half
		}
	}
	if axis.factor != "" { // in the column of names
		sty.XAlign = draw.XRight
		area.FillText(sty, vg.Point{X: area.Min.X - 2*sty.Font.Size, Y: area.Min.Y - 4}, axis.factor)
	}
	area.StrokeLine2(draw.LineStyle{Color: color.Black, Width: 0.5}, area.Min.X, area.Min.Y, area.Max.X, area.Min.Y)
	area.StrokeLine2(draw.LineStyle{Color: color.Black, Width: 0.8, Dashes: []vg.Length{3, 2}}, x(0), area.Min.Y, x(0),
		area.Max.Y)
	return x
}

// draw draws a row.
func (r ForestRow) draw(area draw.Canvas, x func(float64) vg.Length, y vg.Length) {
	c := palette[r.Colour%len(palette)]
	line := func(low, high float64, thick vg.Length) {
		if !math.IsNaN(low) && !math.IsNaN(high) {
			area.StrokeLine2(draw.LineStyle{Color: c, Width: thick}, x(low), y, x(high), y)
		}
	}
	line(r.OuterLow, r.OuterHigh, 1.2)
	for _, end := range []float64{r.OuterLow, r.OuterHigh} {
		if !math.IsNaN(end) {
			area.StrokeLine2(draw.LineStyle{Color: c, Width: 1.2}, x(end), y-3, x(end), y+3)
		}
	}
	line(r.Low, r.High, 4)
	if !math.IsNaN(r.Mean) {
		area.DrawGlyph(draw.GlyphStyle{Color: c, Radius: 3.4, Shape: draw.CircleGlyph{}}, vg.Point{X: x(r.Mean), Y: y})
	}
}
