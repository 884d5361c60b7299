package plot

import (
	"image/color"
	"math"
	"slices"

	gonum "gonum.org/v1/plot"
	"gonum.org/v1/plot/text"
	"gonum.org/v1/plot/vg"
	"gonum.org/v1/plot/vg/draw"
)

// A heading is the title and the note of a chart. Its height depends only on the number of lines,
// so that headings side by side have equal heights.
type heading struct {
	title, note           text.Style
	titleLines, noteLines []string
	line, noteLine        vg.Length
}

func newHeading(title, note string, sz sizes, width vg.Length) heading {
	h := heading{line: 1.3 * sz.title, noteLine: 1.3 * sz.note}
	h.title, h.titleLines = wrap(title, sz.title, width)
	h.note, h.noteLines = wrap(note, sz.note, width)
	h.note.Color = color.Gray{0x50}
	return h
}

func (h *heading) height() vg.Length {
	if len(h.titleLines)+len(h.noteLines) == 0 {
		return 0
	}
	return h.line*vg.Length(len(h.titleLines)) + h.noteLine*vg.Length(len(h.noteLines)) + h.line/3
}

func (h *heading) draw(c draw.Canvas) {
	y := c.Max.Y
	put := func(sty text.Style, lines []string, line vg.Length) {
		sty.XAlign = draw.XCenter
		for _, s := range lines {
			y -= line
			c.FillText(sty, vg.Point{X: c.Center().X, Y: y + line/4}, s) // on a baseline
		}
	}
	put(h.title, h.titleLines, h.line)
	put(h.note, h.noteLines, h.noteLine)
}

// Panels are several charts in one picture. Each series has the next colour of the palette; lines
// of different charts need no dashes.
type Panels struct {
	Title, Note string
	Charts      []Chart
	Columns     int  // 0 chooses a number
	Common      bool // all charts have the same series, with the same colours and one legend
	Listed      bool // charts have series of their own, and one legend lists all of them
	SameY       bool // all charts have the same y axis
}

// Save writes a file in the format of its extension.
func (ps Panels) Save(path string) error { return writePicture(path, ps.picture) }

func (ps Panels) picture(format string) ([]byte, error) {
	if format != "svg" {
		ps.Title, ps.Note = plain(ps.Title), plain(ps.Note)
	}
	columns := ps.columns()
	rows := max(1, (len(ps.Charts)+columns-1)/columns)
	const margin = vg.Length(10)
	width, height := vg.Length(columns)*panelWidth+2*margin, vg.Length(rows)*panelHeight+2*margin
	sz := panelSizes
	sz.title, sz.note = chartSizes.title, chartSizes.note
	top := newHeading(ps.Title, ps.Note, sz, width-2*margin)
	height += top.height()
	all := make([][]*gonum.Plot, rows)
	fitted := make([]*drawing, len(ps.Charts))
	headings := make([]heading, len(ps.Charts))
	tallest, left, below, colour := vg.Length(0), vg.Length(0), vg.Length(0), 0
	var names []entry
	together := ps.rangeY()
	for r := range all {
		all[r] = make([]*gonum.Plot, columns)
		for k := range columns {
			i := r*columns + k
			if i >= len(ps.Charts) {
				break
			}
			chart := ps.Charts[i]
			if ps.SameY {
				chart.RangeY = together
			}
			if format != "svg" {
				chart = chart.plain()
			}
			p, entries, err := chart.draw(colour, panelSizes)
			if err != nil {
				return nil, err
			}
			all[r][k], fitted[i] = p.Plot, p
			headings[i] = newHeading(chart.Title, chart.Note, panelSizes, panelWidth-20)
			tallest = max(tallest, headings[i].height())
			l, b := p.margins()
			left, below = max(left, l), max(below, b)
			if ps.Common || ps.Listed {
				names = union(names, entries)
			}
			if !ps.Common {
				colour = (colour + len(ps.Charts[i].Series)) % len(palette)
			}
		}
	}
	l := newLegend(names, false, panelSizes.legend, width-2*margin, 0)
	if len(names) > 0 {
		height += l.size().Y + margin
	}
	return render(format, width, height, func(whole draw.Canvas) {
		inner := draw.Crop(whole, margin, -margin, margin, -margin)
		top.draw(inner)
		body := draw.Crop(inner, 0, 0, 0, -top.height())
		if len(names) > 0 {
			body.Min.Y += l.size().Y + margin
		}
		// The largest heading and axis labels determine the space around each chart.
		tiles := draw.Tiles{Rows: rows, Cols: columns, PadX: left + 14, PadY: tallest + below + 8, PadTop: tallest,
			PadLeft: left, PadBottom: below}
		places := gonum.Align(all, tiles, body)
		// All labels get the smallest size that is needed. That shifts them, so it is repeated.
		for range 2 {
			smallest := panelSizes.tick
			for i, p := range fitted {
				p.fitX(places[i/columns][i%columns])
				smallest = min(smallest, p.X.Tick.Label.Font.Size)
			}
			for _, p := range fitted {
				p.X.Tick.Label.Font.Size = smallest
			}
			places = gonum.Align(all, tiles, body)
		}
		for i, p := range fitted {
			place := places[i/columns][i%columns]
			p.paint(place)
			over := p.DataCanvas(place)
			over.Max.Y = place.Max.Y + headings[i].height()
			headings[i].draw(over)
		}
		l.drawBelow(whole, inner)
	})
}

// rangeY is the range of all numbers, of the positive ones if an axis is logarithmic.
func (ps Panels) rangeY() [2]float64 {
	low, high := math.Inf(1), math.Inf(-1)
	for _, c := range ps.Charts {
		for _, s := range c.Series {
			for _, values := range [][]float64{s.Y, s.Low, s.High} {
				for _, y := range values {
					if !math.IsNaN(y) && !math.IsInf(y, 0) && (!c.LogY || y > 0) {
						low, high = min(low, y), max(high, y)
					}
				}
			}
		}
	}
	return [2]float64{low, high}
}

// union is the legend of both: a chart may lack a series.
func union(a, b []entry) []entry {
	for _, e := range b {
		if !slices.ContainsFunc(a, func(o entry) bool { return o.name == e.name }) {
			a = append(a, e)
		}
	}
	return a
}

// columns is the number of charts side by side.
func (ps Panels) columns() int {
	n := len(ps.Charts)
	switch {
	case ps.Columns > 0:
		return ps.Columns
	case n <= 3:
		return max(1, n)
	case n == 4:
		return 2
	case n <= 15:
		return 3
	case n <= 32:
		return 4
	}
	return 5
}
