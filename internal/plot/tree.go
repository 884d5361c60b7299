package plot

import (
	"cmp"
	"fmt"
	"image/color"
	"math"
	"slices"

	gonum "gonum.org/v1/plot"
	"gonum.org/v1/plot/vg"
	"gonum.org/v1/plot/vg/draw"
)

// A Tree is a chart of who infected whom. Each infection is a disc at its time in a row of its own,
// with a line up to the last infection by the same individual, and lines down to those by it.
// Colours are generations.
type Tree struct {
	Title, Note, XLabel string
	Dates               *Dates // labels of the x axis are dates; nil for numbers
	Nodes               []TreeNode
}

// A TreeNode is an infection.
type TreeNode struct {
	Time float64
	By   int    // the infection of the infector, which is before in Nodes; −1 for none
	Text string // beside the disc, if there is room
}

// Save writes an .svg, .png or .pdf file.
func (t Tree) Save(path string) error { return writePicture(path, t.picture) }

// SVG encodes the picture, with text as outlines.
func (t Tree) SVG() ([]byte, error) { return encode("svg", t.picture) }

// PNG encodes the picture.
func (t Tree) PNG() ([]byte, error) { return t.picture("png") }

// PDF encodes the picture.
func (t Tree) PDF() ([]byte, error) { return t.picture("pdf") }

// Web renders the picture for a page, as an svg element without title and note; its height follows
// from the number of infections. Colours are attributes, as in [Chart.Web].
func (t Tree) Web(size Size) []byte {
	text := vg.Length(size.Text)
	row := t.row(1.5*text, 800)
	below := 3.3 * text
	height := math.Ceil((vg.Length(max(1, len(t.Nodes)))*row + below + 1.3*text).Points())
	canvas := newWebCanvas(size.Width, height)
	whole := draw.NewCanvas(canvas, vg.Length(size.Width), vg.Length(height))
	t.draw(draw.Crop(whole, 0, 0, 0.3*text, -text), row, below, sizes{label: text, tick: text, legend: text},
		func(s string) string { return s })
	return fmt.Appendf(nil, `<svg xmlns="http://www.w3.org/2000/svg" class="chart drawn" viewBox="0 0 %g %g" `+
		`aria-hidden="true" focusable="false">%s</svg>`, size.Width, height, canvas.b.String())
}

// row is the height of a row: at most one with a text, and less if all are higher than they should
// be.
func (t Tree) row(most, all vg.Length) vg.Length {
	return min(most, max(all/320, all/vg.Length(max(1, len(t.Nodes)))))
}

func (t Tree) picture(format string) ([]byte, error) {
	text := func(s string) string { return s }
	if format != "svg" {
		text = plain
	}
	const margin, below = vg.Length(8), vg.Length(44) // below: the axis and its label
	head := newHeading(text(t.Title), text(t.Note), chartSizes, chartWidth-2*margin)
	row := t.row(18, 480)
	tall := vg.Length(max(1, len(t.Nodes))) * row
	sz := sizes{label: chartSizes.label, tick: panelSizes.tick, legend: min(panelSizes.tick, row*0.7)}
	return render(format, chartWidth, head.height()+4+tall+below+2*margin, func(whole draw.Canvas) {
		inner := draw.Crop(whole, margin, -margin, margin, -margin)
		head.draw(inner)
		t.draw(draw.Crop(inner, 0, 0, 0, -head.height()-4), row, below, sz, text)
	})
}

// draw draws the tree over its axis, which takes some height below it. Of the sizes, tick is of the
// axis, label of its name, and legend of the texts beside discs.
func (t Tree) draw(inner draw.Canvas, row, below vg.Length, sz sizes, text func(string) string) {
	rows, generations := t.layout()
	axis := t.axis()
	body := draw.Crop(inner, 14, -40, below, 0)
	x := func(at float64) vg.Length {
		return body.Min.X + vg.Length((at-axis.low)/(axis.high-axis.low))*(body.Max.X-body.Min.X)
	}
	y := func(node int) vg.Length { return body.Max.Y - (vg.Length(rows[node])+0.5)*row }
	axis.drawTime(body, x, sz.tick)
	name := style(sz.label)
	name.XAlign, name.YAlign = draw.XCenter, draw.YBottom
	inner.FillText(name, vg.Point{X: body.Center().X, Y: inner.Min.Y},
		shorten(text(t.XLabel), name, body.Max.X-body.Min.X))
	t.drawNodes(body, row, sz.legend, generations, x, y, text)
}

// drawNodes draws lines first, and then discs and texts over them.
func (t Tree) drawNodes(body draw.Canvas, row, size vg.Length, generations []int, x func(float64) vg.Length,
	y func(int) vg.Length, text func(string) string) {
	line := draw.LineStyle{Color: color.Gray{0x80}, Width: min(1, max(0.3, row/8))}
	last := make([]float64, len(t.Nodes))
	for i := range last {
		last[i] = t.Nodes[i].Time
	}
	for i := len(t.Nodes) - 1; i >= 0; i-- {
		at := &t.Nodes[i]
		body.StrokeLine2(line, x(at.Time), y(i), x(last[i]), y(i))
		if at.By >= 0 {
			body.StrokeLine2(line, x(at.Time), y(at.By), x(at.Time), y(i))
			last[at.By] = max(last[at.By], at.Time)
		}
	}
	sty := style(size)
	sty.XAlign, sty.YAlign = draw.XLeft, draw.YCenter
	for i := range t.Nodes {
		at := vg.Point{X: x(t.Nodes[i].Time), Y: y(i)}
		radius := min(3.5, max(0.8, row*0.35))
		dataGlyph{}.DrawGlyph(&body, draw.GlyphStyle{Color: bright[generations[i]%len(bright)], Radius: radius}, at)
		if row >= 1.25*size && row >= 9 {
			at.X = max(at.X, x(last[i])) + 6
			body.FillText(sty, at, text(t.Nodes[i].Text))
		}
	}
}

// layout returns the row of each infection, from the top, and its generation. Infections by an
// individual are below it, the last one first, so that no lines cross.
func (t Tree) layout() (rows, generations []int) {
	rows, generations = make([]int, len(t.Nodes)), make([]int, len(t.Nodes))
	by := make([][]int, len(t.Nodes))
	var todo []int // the next one is the last
	for i := range t.Nodes {
		if k := t.Nodes[i].By; k >= 0 {
			by[k], generations[i] = append(by[k], i), generations[k]+1
		} else {
			todo = append(todo, i)
		}
	}
	slices.Reverse(todo)
	for row := 0; len(todo) > 0; row++ {
		i := todo[len(todo)-1]
		todo = todo[:len(todo)-1]
		rows[i] = row
		slices.SortStableFunc(by[i], func(a, b int) int { return cmp.Compare(t.Nodes[a].Time, t.Nodes[b].Time) })
		todo = append(todo, by[i]...)
	}
	return rows, generations
}

func (t Tree) axis() scale {
	low, high := math.Inf(1), math.Inf(-1)
	for i := range t.Nodes {
		low, high = min(low, t.Nodes[i].Time), max(high, t.Nodes[i].Time)
	}
	axis := linear(low, high, false)
	if t.Dates != nil && t.Dates.drawable(axis.low, axis.high) {
		axis.ticks = t.Dates.axis(axis.low, axis.high, func(ticks []gonum.Tick) bool {
			labels := 0
			for i := range ticks {
				if ticks[i].Label != "" {
					labels++
				}
			}
			return labels <= 8
		})
	}
	return axis
}
