package plot

import (
	"fmt"
	"math"
	"strconv"
	"strings"

	gonum "gonum.org/v1/plot"
	"gonum.org/v1/plot/vg"
	"gonum.org/v1/plot/vg/draw"
)

// A Size is that of a chart in a page, in the pixels of the page: of the chart, and of its letters.
type Size struct{ Width, Height, Text float64 }

// Web draws the chart for a page: the same axes and lines as in a file, as an svg element without
// the words that a page has around it (title, note, and the names of the series; [Chart.Swatches]
// has what to show beside these).
//
// Nothing in it has a style attribute, which a strict policy of a page would forbid; colours are
// attributes, which a style sheet can replace by others in the dark. What a script needs stands in
// attributes, too: data-x and data-y of the element are the ends of an axis and where they are
// (from, to, and the pixels of both, from the left or from above), data-log is the axes that are
// logarithmic, and each series is in groups with data-series, its number, and the class line, band
// or marks.
func (c Chart) Web(size Size) ([]byte, error) {
	sz := sizes{title: vg.Length(size.Text), note: vg.Length(size.Text), label: vg.Length(size.Text),
		tick: vg.Length(0.95 * size.Text), legend: vg.Length(size.Text), line: 2}
	p, _, err := c.draw(0, sz)
	if err != nil {
		return nil, err
	}
	canvas := newWebCanvas(size.Width, size.Height)
	whole := draw.NewCanvas(canvas, vg.Length(size.Width), vg.Length(size.Height))
	body := p.inside(draw.Crop(whole, 2, -0.6*sz.tick, 2, -0.6*sz.tick))
	p.fitX(body)
	p.paint(body)
	data := p.DataCanvas(body)
	log := ""
	if c.LogX {
		log += "x"
	}
	if c.LogY {
		log += "y"
	}
	number := func(x float64) string { return strconv.FormatFloat(x, 'g', -1, 64) }
	var b strings.Builder
	fmt.Fprintf(&b, `<svg xmlns="http://www.w3.org/2000/svg" class="chart" viewBox="0 0 %g %g" data-x="%s %s %.2f `+
		`%.2f" data-y="%s %s %.2f %.2f" data-log="%s" aria-hidden="true" focusable="false">`,
		size.Width, size.Height, number(p.X.Min), number(p.X.Max), data.Min.X.Points(), data.Max.X.Points(),
		number(p.Y.Min), number(p.Y.Max), size.Height-data.Min.Y.Points(), size.Height-data.Max.Y.Points(), log)
	b.WriteString(canvas.b.String())
	b.WriteString("</svg>")
	return []byte(b.String()), nil
}

// Swatches are what stands beside the names of the series: a piece of the line of each, as an svg
// element.
func (c Chart) Swatches() []string {
	all := make([]string, len(c.Series))
	for i, k := range c.colours(0) {
		s := c.Series[i]
		canvas := newWebCanvas(28, 8)
		canvas.SetColor(palette[k%len(palette)])
		canvas.SetLineWidth(3)
		canvas.SetLineDash(dashes[k/len(palette)%len(dashes)], 0)
		if s.Dashed {
			canvas.SetLineDash([]vg.Length{5, 3}, 0)
		}
		if s.Points {
			canvas.SetLineWidth(5)
			canvas.SetLineDash([]vg.Length{5, 6.5}, 0)
		}
		var path vg.Path
		path.Move(vg.Point{X: 0, Y: 4})
		path.Line(vg.Point{X: 28, Y: 4})
		canvas.Stroke(path)
		all[i] = `<svg class="swatch" viewBox="0 0 28 8" aria-hidden="true">` + canvas.b.String() + `</svg>`
	}
	return all
}

// colours are the numbers of the colours of the series, from the given one on.
func (c Chart) colours(from int) []int {
	all := make([]int, len(c.Series))
	for i, s := range c.Series {
		if i > 0 && !s.Same {
			from++
		}
		all[i] = from
	}
	return all
}

// A mark begins or ends a group of what is drawn, where the picture has groups.
type mark struct {
	series int
	class  string // empty at the end
}

// Plot draws nothing.
func (m mark) Plot(c draw.Canvas, _ *gonum.Plot) {
	switch w := onWeb(c); {
	case w == nil:
	case m.class == "":
		w.b.WriteString("</g>")
	default:
		fmt.Fprintf(&w.b, `<g data-series="%d" class="%s">`, m.series, m.class)
	}
}

// onWeb is the canvas of a page that another is a part of, or nil. The library puts one around the
// other for every margin.
func onWeb(c vg.Canvas) *webCanvas {
	for {
		switch inner := c.(type) {
		case draw.Canvas:
			c = inner.Canvas
		case *draw.Canvas:
			c = inner.Canvas
		case *webCanvas:
			return inner
		default:
			return nil
		}
	}
}

// cut is the part of a series that is between two x, with its ends on the straight lines to what is
// outside.
func (s Series) cut(from, to float64) Series {
	if s.Points || s.Bars > 0 {
		var inside []int
		for k, x := range s.X {
			if x >= from && x <= to {
				inside = append(inside, k)
			}
		}
		return s.Pick(inside)
	}
	out := s
	out.X = nil
	columns := [][]float64{s.Y, s.Low, s.High}
	kept := make([][]float64, len(columns))
	add := func(x float64, at func(column []float64) float64) {
		out.X = append(out.X, x)
		for i, column := range columns {
			if len(column) > 0 {
				kept[i] = append(kept[i], at(column))
			}
		}
	}
	for k, x := range s.X {
		for _, edge := range []float64{from, to} {
			if k > 0 && s.X[k-1] < edge && edge < x {
				share := (edge - s.X[k-1]) / (x - s.X[k-1])
				add(edge, func(column []float64) float64 { return column[k-1] + share*(column[k]-column[k-1]) })
			}
		}
		if x >= from && x <= to {
			add(x, func(column []float64) float64 { return column[k] })
		}
	}
	out.Y, out.Low, out.High = kept[0], kept[1], kept[2]
	return out
}

// zoomed reports whether only a part of x is shown.
func (c Chart) zoomed() bool {
	return c.Zoom[0] < c.Zoom[1] && !math.IsInf(c.Zoom[0], 0) && !math.IsInf(c.Zoom[1], 0) && !(c.LogX && c.Zoom[0] <= 0)
}
