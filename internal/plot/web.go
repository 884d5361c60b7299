package plot

import (
	"fmt"
	"math"
	"slices"
	"strconv"
	"strings"

	gonum "gonum.org/v1/plot"
	"gonum.org/v1/plot/vg"
	"gonum.org/v1/plot/vg/draw"
)

// A Size is the size of a chart in a page and of its text, in pixels.
type Size struct{ Width, Height, Text float64 }

// Web renders the chart for a page, with the axes and lines of a file, as an svg element without
// title, note and legend ([Chart.Swatches] has the lines of the legend).
//
// There are no style attributes, which a strict policy would forbid; colours are attributes, which
// the style sheet replaces in the dark scheme. Attributes also have what the script needs: data-x
// and data-y are the range of an axis and its position (from, to, and the pixels of both, from the
// left or the top), data-log is the logarithmic axes, and groups of class line, band or marks have
// data-series, the number of a series.
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

// Swatches are the pieces of lines for a legend, as svg elements.
func (c Chart) Swatches() []string {
	all := make([]string, len(c.Series))
	for i, k := range c.colours(0) {
		s := c.Series[i]
		canvas := newWebCanvas(28, 8)
		colour, dashes := stroke(k)
		canvas.SetColor(colour)
		canvas.SetLineWidth(3)
		canvas.SetLineDash(dashes, 0)
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

// colours assigns colours to the series, from the given one on.
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

// alone reports whether all series have one colour, so that dashes are not needed.
func (c Chart) alone() bool {
	return !slices.ContainsFunc(c.Series[min(1, len(c.Series)):], func(s Series) bool { return !s.Same })
}

// A mark begins or ends a group of an svg.
type mark struct {
	series int
	class  string // empty at the end
}

func (m mark) Plot(c draw.Canvas, _ *gonum.Plot) {
	switch w := onWeb(c); {
	case w == nil:
	case m.class == "":
		w.b.WriteString("</g>")
	default:
		fmt.Fprintf(&w.b, `<g data-series="%d" class="%s">`, m.series, m.class)
	}
}

// onWeb returns the page canvas inside another one, or nil. The library wraps it for every margin.
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

// cut is the part of a series between two x, interpolated at its ends.
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

func (c Chart) zoomed() bool {
	return c.Zoom[0] < c.Zoom[1] && !math.IsInf(c.Zoom[0], 0) && !math.IsInf(c.Zoom[1], 0) && !(c.LogX && c.Zoom[0] <= 0)
}
