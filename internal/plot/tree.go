package plot

import (
	"cmp"
	"image/color"
	"math"
	"slices"

	gonum "gonum.org/v1/plot"
	"gonum.org/v1/plot/vg"
	"gonum.org/v1/plot/vg/draw"
)

// A Tree is a chart of who infected whom. Each infection is a disc at its time in a row of its own,
// with a line up to the last infection by the same individual, and lines down to those by it. Colours
// are generations.
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

func (t Tree) picture(format string) ([]byte, error) {
	text := func(s string) string { return s }
	if format != "svg" {
		text = plain
	}
	const margin, below = vg.Length(8), vg.Length(44) // below: the axis and its label
	sz := chartSizes
	head := newHeading(text(t.Title), text(t.Note), sz, chartWidth-2*margin)
	rows, generations := t.layout()
	n := max(1, len(t.Nodes))
	row := min(18, max(1.5, 480/vg.Length(n)))
	axis := t.axis()
	tall := vg.Length(n) * row
	return render(format, chartWidth, head.height()+4+tall+below+2*margin, func(whole draw.Canvas) {
		inner := draw.Crop(whole, margin, -margin, margin, -margin)
		head.draw(inner)
		body := draw.Crop(inner, 14, -40, below, -head.height()-4)
		x := func(at float64) vg.Length {
			return body.Min.X + vg.Length((at-axis.low)/(axis.high-axis.low))*(body.Max.X-body.Min.X)
		}
		y := func(node int) vg.Length { return body.Max.Y - (vg.Length(rows[node])+0.5)*row }
		Gantt{}.axis(body, axis, x)
		name := style(sz.label)
		name.XAlign, name.YAlign = draw.XCenter, draw.YBottom
		inner.FillText(name, vg.Point{X: body.Center().X, Y: inner.Min.Y},
			shorten(text(t.XLabel), name, body.Max.X-body.Min.X))
		t.draw(body, row, generations, x, y, text)
	})
}

// draw draws lines first, and then discs and texts over them.
func (t Tree) draw(body draw.Canvas, row vg.Length, generations []int, x func(float64) vg.Length,
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
	sty := style(min(panelSizes.tick, row*0.7))
	sty.XAlign, sty.YAlign = draw.XLeft, draw.YCenter
	for i := range t.Nodes {
		at := vg.Point{X: x(t.Nodes[i].Time), Y: y(i)}
		radius := min(3.5, max(0.8, row*0.35))
		dataGlyph{}.DrawGlyph(&body, draw.GlyphStyle{Color: bright[generations[i]%len(bright)], Radius: radius}, at)
		if row >= 9 {
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
		axis.ticks = t.Dates.axis(axis.low, axis.high, func(ticks []gonum.Tick) bool { return len(ticks) <= 8 })
	}
	return axis
}
