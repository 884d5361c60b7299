package plot

import (
	gonum "gonum.org/v1/plot"
	"gonum.org/v1/plot/text"
	"gonum.org/v1/plot/vg"
	"gonum.org/v1/plot/vg/draw"
)

// An entry is what the legend says of a series: a piece of its line, and its name.
type entry struct {
	name  string
	marks []gonum.Thumbnailer
}

// A legend is how entries are laid out, in columns.
type legend struct {
	entries []entry
	beside  bool // to the right of the chart; otherwise below it
	sty     text.Style
	rows    int
	line    vg.Length   // from one entry to the one below it
	widths  []vg.Length // of the entries, their distance to the next included
	columns []vg.Length // how wide each is, its distance to the next included
}

const (
	thumbnail = vg.Length(32) // long enough for the longest dash
	gap       = vg.Length(6)  // between the piece of a line and its name
	apart     = vg.Length(18) // from one column to the next
)

// newLegend decides where the legend stands. Beside the chart there is room for as many entries as
// the chart is high, if their names leave two thirds of the width. Below it there is room for any
// number: the picture grows.
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
	if len(entries) > 12 { // many names are smaller
		l.measure(0.8*size, across)
	}
	// One column is wide enough, whatever it holds: names are shortened.
	for columns := min(len(entries), 12); !l.arrange(columns, across) && columns > 1; columns-- {
	}
	return l
}

// measure takes letters of a size, and notes how wide each entry is with them.
func (l *legend) measure(size, most vg.Length) {
	// A viewer may have another font than the one that is measured here; that it is as wide is not
	// to be relied on.
	const spare = 1.05
	l.sty, l.line = style(size), 1.3*size
	l.widths = make([]vg.Length, len(l.entries))
	for i, e := range l.entries {
		if l.widths[i] = most; len(e.name) < longest {
			l.widths[i] = thumbnail + gap + spare*width(l.sty, e.name) + apart
		}
	}
}

// arrange puts the entries into so many columns, and tells whether they are not wider than the room
// across. One column is then as wide as that, and its names are shortened.
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

// size is the room that the legend takes.
func (l *legend) size() vg.Point {
	sum := vg.Length(0)
	for _, w := range l.columns {
		sum += w
	}
	return vg.Point{X: sum, Y: vg.Length(l.rows) * l.line}
}

// drawBelow puts the entries into the middle of the lower edge of a part of a canvas.
func (l *legend) drawBelow(c, inner draw.Canvas) {
	free := max(0, inner.Max.X-inner.Min.X-l.size().X+apart)
	l.draw(c, vg.Point{X: inner.Min.X + free/2, Y: inner.Min.Y + l.size().Y})
}

// draw puts the entries, column by column, below and to the right of a point.
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
		// The line is at the middle of the small letters.
		base := top - l.line/2 - 0.37*l.sty.Font.Size
		c.FillText(l.sty, vg.Point{X: x + thumbnail + gap, Y: base},
			shorten(e.name, l.sty, (l.columns[i/l.rows]-apart-thumbnail-gap)/1.02))
	}
}
