package plot

import (
	gonum "gonum.org/v1/plot"
	"gonum.org/v1/plot/text"
	"gonum.org/v1/plot/vg"
	"gonum.org/v1/plot/vg/draw"
)

// An entry is a series in the legend: a piece of its line, and its name.
type entry struct {
	name  string
	marks []gonum.Thumbnailer
}

// A legend arranges entries in columns.
type legend struct {
	entries []entry
	beside  bool // to the right of the chart, otherwise below it
	sty     text.Style
	rows    int
	line    vg.Length   // line height
	widths  []vg.Length // of the entries, with the distance to the next column
	columns []vg.Length // widths, with the distance to the next column
}

const (
	thumbnail = vg.Length(32) // long enough for the longest dash
	gap       = vg.Length(6)  // between line and name
	apart     = vg.Length(18) // between columns
)

// newLegend places the legend beside the chart if all entries fit into its height and leave two
// thirds of the width. Otherwise it is below, where the picture grows.
func newLegend(entries []entry, beside bool, size, across, height vg.Length) legend {
	l := legend{entries: entries}
	if len(entries) == 0 {
		return l
	}
	l.measure(size, across)
	if l.arrange(1, across/3) && beside && l.size().Y <= height {
		l.beside = true
		return l
	}
	if len(entries) > 12 { // smaller text
		l.measure(0.8*size, across)
	}
	// One column always fits: names are shortened.
	for columns := min(len(entries), 12); !l.arrange(columns, across) && columns > 1; columns-- {
	}
	return l
}

// measure sets the text size and computes the widths of the entries.
func (l *legend) measure(size, most vg.Length) {
	// A viewer may use another font of slightly different width.
	const spare = 1.05
	l.sty, l.line = style(size), 1.3*size
	l.widths = make([]vg.Length, len(l.entries))
	for i, e := range l.entries {
		if l.widths[i] = most; len(e.name) < longest {
			l.widths[i] = thumbnail + gap + spare*width(l.sty, e.name) + apart
		}
	}
}

// arrange forms columns and reports whether they fit. A single column gets the whole width, and its
// names are shortened.
func (l *legend) arrange(columns int, across vg.Length) bool {
	l.rows = (len(l.entries) + columns - 1) / columns
	l.columns = make([]vg.Length, (len(l.entries)+l.rows-1)/l.rows)
	for i, wide := range l.widths {
		l.columns[i/l.rows] = max(l.columns[i/l.rows], wide)
	}
	sum := l.size().X
	if len(l.columns) == 1 {
		l.columns[0] = min(sum, across)
	}
	return sum <= across || columns == 1 && across > chartWidth/2
}

// size is the size of the legend.
func (l *legend) size() vg.Point {
	sum := vg.Length(0)
	for _, w := range l.columns {
		sum += w
	}
	return vg.Point{X: sum, Y: vg.Length(l.rows) * l.line}
}

// drawBelow draws the legend in the middle of the lower edge.
func (l *legend) drawBelow(c, inner draw.Canvas) {
	free := max(0, inner.Max.X-inner.Min.X-l.size().X+apart)
	l.draw(c, vg.Point{X: inner.Min.X + free/2, Y: inner.Min.Y + l.size().Y})
}

// draw draws the columns with the upper left corner at a point.
func (l *legend) draw(c draw.Canvas, corner vg.Point) {
	x := corner.X
	for i, e := range l.entries {
		if i > 0 && i%l.rows == 0 {
			x += l.columns[i/l.rows-1]
		}
		top := corner.Y - vg.Length(i%l.rows)*l.line
		icon := draw.Canvas{Canvas: c.Canvas, Rectangle: vg.Rectangle{
			Min: vg.Point{X: x, Y: top - l.line}, Max: vg.Point{X: x + thumbnail, Y: top}}}
		for _, m := range e.marks {
			m.Thumbnail(&icon)
		}
		// The line is at the middle of lower-case letters.
		base := top - l.line/2 - 0.37*l.sty.Font.Size
		c.FillText(l.sty, vg.Point{X: x + thumbnail + gap, Y: base},
			shorten(e.name, l.sty, (l.columns[i/l.rows]-apart-thumbnail-gap)/1.02))
	}
}
