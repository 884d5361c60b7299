// Package plot draws the charts of the command and the page in one style.
//
// # Files
//
// Charts:
//
//	plot.go           lines with bands: Chart, Series
//	panels.go         Panels: several charts in one picture
//	bars.go           histograms and steps
//	data.go           observations over a chart
//	forest.go         Forest: intervals in rows
//	gantt.go          Gantt: bars over time
//	heat.go           Heat: a map of colours
//	network.go, networklayout.go  Network: nodes and links, and where the nodes are
//	tree.go           Tree: who infected whom
//
// What they share:
//
//	axis.go           ticks and labels of axes
//	dates.go          Dates: axes with dates
//	logarithm.go      logarithmic axes
//	legend.go         legends
//	style.go          colours, dashes and fonts
//	pieces.go         long lines, in pieces
//
// Output:
//
//	vector.go         drawings of package vector as PNG and PDF
//	web.go, webcanvas.go  SVG for the page
//	outline.go        text as outlines of glyphs
package plot

import (
	"bytes"
	"errors"
	"fmt"
	"image"
	"image/color"
	"math"
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"sync"

	gonum "gonum.org/v1/plot"
	"gonum.org/v1/plot/plotter"
	"gonum.org/v1/plot/vg"
	"gonum.org/v1/plot/vg/draw"
	"gonum.org/v1/plot/vg/vgimg"
)

// A Series is a line with a name, and a band if Low and High are given. Few points are marked.
type Series struct {
	Name      string
	X, Y      []float64
	Low, High []float64
	Same      bool // has the colour of the series before
	Dashed    bool // a dashed line without marks
	Triangles bool // marks are triangles, not circles
	Unmarked  bool // never marked
	Points    bool // marked, without a line
	Data      bool // points that lie over everything else, with a white edge
	Steps     bool // Y holds since the X before, with a gap where it is NaN; the first Y is not drawn
	// Bars, if above 0, is the width of bars that are drawn instead of a line.
	Bars float64
}

func (s *Series) Add(x, y float64) { s.X, s.Y = append(s.X, x), append(s.Y, y) }

// Pick returns the series with some of its points, by index.
func (s Series) Pick(some []int) Series {
	pick := func(all []float64) []float64 {
		if all == nil {
			return nil
		}
		picked := make([]float64, len(some))
		for i, k := range some {
			picked[i] = all[k]
		}
		return picked
	}
	s.X, s.Y, s.Low, s.High = pick(s.X), pick(s.Y), pick(s.Low), pick(s.High)
	return s
}

// markable is the largest number of points that are marked.
const markable = 30

// A Chart is several series over common axes, with a legend outside of them.
type Chart struct {
	Title, XLabel, YLabel string
	Note                  string // below the title: what lines and bands are
	LogX, LogY            bool
	FromZero              bool       // of the y axis
	RangeY                [2]float64 // what the y axis includes in any case, if the second is larger
	Headroom              bool       // a linear y axis ends above the data
	FromZeroX             bool       // a linear x axis begins at 0, or below if the data does
	Dates                 *Dates     // labels of the x axis are dates; nil for numbers
	UpToX                 float64    // least end of the x axis, if not 0
	Zoom                  [2]float64 // range of x that is shown, if the second is larger
	// LegendBeside puts the legend to the right of the chart, if it fits.
	LegendBeside bool
	Series       []Series
}

// Save writes an .svg, .png or .pdf file.
func (c Chart) Save(path string) error { return writePicture(path, c.picture) }

// SVG encodes the chart. Text is drawn as outlines of its letters.
func (c Chart) SVG() ([]byte, error) { return encode("svg", c.picture) }

// PDF encodes the chart, with text as outlines.
func (c Chart) PDF() ([]byte, error) { return encode("pdf", c.picture) }

// PNG encodes the chart.
func (c Chart) PNG() ([]byte, error) { return c.picture("png") }

func (c Chart) picture(format string) ([]byte, error) {
	if format != "svg" {
		c = c.plain()
	}
	p, entries, err := c.draw(0, chartSizes)
	if err != nil {
		return nil, err
	}
	const margin = vg.Length(8)
	across := chartWidth - 2*margin
	h := newHeading(c.Title, c.Note, chartSizes, across)
	const axis = 50 // height of the labels of the x axis in points
	l := newLegend(entries, c.LegendBeside, chartSizes.legend, across, chartHeight-h.height()-axis)
	height := vg.Length(chartHeight)
	if !l.beside && len(entries) > 0 {
		height += l.size().Y + margin
	}
	return render(format, chartWidth, height, func(whole draw.Canvas) {
		inner := draw.Crop(whole, margin, -margin, margin, -margin)
		h.draw(inner)
		body := draw.Crop(inner, 0, 0, 0, -h.height())
		switch {
		case l.beside:
			body.Max.X -= l.size().X
		case len(entries) > 0:
			body.Min.Y += l.size().Y + margin
		}
		p.fitX(p.inside(body))
		p.paint(p.inside(body))
		if l.beside {
			l.draw(whole, vg.Point{X: body.Max.X + apart, Y: body.Max.Y})
		} else {
			l.drawBelow(whole, inner)
		}
	})
}

// SaveBoth writes name.svg and name.png into a directory. It skips Panels without charts.
func SaveBoth(dir, name string, picture interface{ Save(path string) error }) error {
	if ps, ok := picture.(Panels); ok && len(ps.Charts) == 0 {
		return nil
	}
	return errors.Join(picture.Save(filepath.Join(dir, name+".svg")), picture.Save(filepath.Join(dir, name+".png")))
}

// plain replaces letters that the font lacks.
func (c Chart) plain() Chart {
	c.Title, c.Note, c.XLabel, c.YLabel = plain(c.Title), plain(c.Note), plain(c.XLabel), plain(c.YLabel)
	c.Series = slices.Clone(c.Series)
	for i := range c.Series {
		c.Series[i].Name = plain(c.Series[i].Name)
	}
	return c
}

// writePicture writes a file in the format of its extension.
func writePicture(path string, picture func(format string) ([]byte, error)) error {
	data, err := encode(strings.TrimPrefix(filepath.Ext(path), "."), picture)
	if err != nil {
		return err
	}
	return os.WriteFile(path, data, 0o666)
}

// encode returns a picture as a file has it: without text, which needs fonts.
func encode(format string, picture func(format string) ([]byte, error)) ([]byte, error) {
	data, err := picture(format)
	if err == nil && format == "svg" {
		data = []byte(outlined(string(data)))
	}
	return data, err
}

// dots is the resolution in dots per inch: twice that of a screen, except for pictures that would
// take hundreds of megabytes.
func dots(width, height vg.Length) int {
	const dense, most = 192, 24e6 // per inch, and in all
	return max(1, int(min(dense, math.Sqrt(most/(width.Points()/72)/(height.Points()/72)))))
}

// render paints on a new canvas and encodes it.
func render(format string, width, height vg.Length, paint func(draw.Canvas)) ([]byte, error) {
	var b bytes.Buffer
	if format == "png" {
		canvas := vgimg.NewWith(vgimg.UseWH(width, height), vgimg.UseDPI(dots(width, height)),
			vgimg.UseBackgroundColor(color.White))
		paint(draw.New(canvas))
		return encodePNG(canvas.Image().(*image.RGBA))
	}
	canvas, err := draw.NewFormattedCanvas(width, height, format)
	if err != nil {
		return nil, err
	}
	whole := draw.New(canvas)
	if format == "pdf" {
		whole = draw.NewCanvas(printCanvas{canvas}, width, height)
	}
	whole.SetColor(color.White)
	whole.Fill(whole.Rectangle.Path())
	paint(whole)
	if _, err := canvas.WriteTo(&b); err != nil {
		return nil, err
	}
	switch format {
	case "svg":
		return []byte(settle(b.String())), nil
	case "pdf":
		return undated(b.Bytes()), nil
	}
	return b.Bytes(), nil
}

var pdfDate = sync.OnceValue(func() *regexp.Regexp { return regexp.MustCompile(`Date \(D:\d{14}`) })

// undated sets the dates in a PDF to a constant of the same length, so that the same chart has the
// same bytes.
func undated(pdf []byte) []byte { return pdfDate().ReplaceAll(pdf, []byte("Date (D:20000101000000")) }

// A drawing is a plot without axis labels, which are drawn beside it: gonum misplaces them if an
// axis is logarithmic.
type drawing struct {
	*gonum.Plot
	xLabel, yLabel string
	sizes          sizes
	dates          *Dates // of the x axis, if not nil
}

// margins is the space for the axis labels.
func (p *drawing) margins() (left, below vg.Length) {
	if p.yLabel != "" {
		left = 1.4 * p.sizes.label
	}
	if p.xLabel != "" {
		below = 1.3 * p.sizes.label
	}
	return left, below
}

func (p *drawing) inside(c draw.Canvas) draw.Canvas {
	left, below := p.margins()
	return draw.Crop(c, left, 0, below, 0)
}

// paint draws the plot and the axis labels, each centred and at most as long as its axis.
func (p *drawing) paint(c draw.Canvas) {
	p.Draw(c)
	data := p.DataCanvas(c)
	put := func(label string, room vg.Length, at vg.Point, rotation float64) {
		sty := style(p.sizes.label)
		if w := width(sty, label); w > room {
			sty = style(max(0.99*p.sizes.label*room/w, p.sizes.label/3)) // less, since widths are rounded
			label = shorten(label, sty, room)
		}
		sty.XAlign, sty.Rotation = draw.XCenter, rotation
		c.FillText(sty, at, label)
	}
	put(p.yLabel, data.Max.Y-data.Min.Y, vg.Point{X: c.Min.X - 0.5*p.sizes.label, Y: data.Center().Y}, math.Pi/2)
	put(p.xLabel, data.Max.X-data.Min.X, vg.Point{X: data.Center().X, Y: c.Min.Y - 1.2*p.sizes.label}, 0)
}

// fitX chooses dates that fit, and shrinks the labels of the x axis until they do not overlap.
func (p *drawing) fitX(c draw.Canvas) {
	if p.dates != nil {
		p.X.Tick.Marker = gonum.ConstantTicks(p.dates.axis(p.X.Min, p.X.Max, func(ticks []gonum.Tick) bool {
			return p.shrink(c, ticks) >= 1
		}))
	}
	p.X.Tick.Label.Font.Size *= vg.Length(max(p.shrink(c, p.X.Tick.Marker.Ticks(p.X.Min, p.X.Max)), 0.3))
}

// shrink is the share of their size at which labels do not overlap, at most 1.
func (p *drawing) shrink(c draw.Canvas, ticks []gonum.Tick) float64 {
	data := p.DataCanvas(c)
	least := 1.0
	end := vg.Length(math.Inf(-1))
	before := vg.Length(0)
	for _, t := range ticks {
		if t.Label == "" {
			continue
		}
		x, w := data.X(p.X.Norm(t.Value)), p.X.Tick.Label.Width(t.Label)
		if room := x - end; !math.IsInf(float64(end), -1) && room < (before+w)/2*1.15 {
			least = min(least, float64(room/((before+w)/2*1.15)))
		}
		end, before = x, w
	}
	return least
}

// draw returns the chart and its legend, with colours from the given one on.
func (c Chart) draw(colour int, sz sizes) (*drawing, []entry, error) {
	p := &drawing{Plot: gonum.New(), xLabel: c.XLabel, yLabel: c.YLabel, sizes: sz}
	p.BackgroundColor = nil
	p.X.Tick.Label.Font, p.Y.Tick.Label.Font = style(sz.tick).Font, style(sz.tick).Font
	p.X.Padding, p.Y.Padding = 4, 4
	p.X.Tick.Length, p.Y.Tick.Length = sz.tick/3, sz.tick/3
	grid := plotter.NewGrid()
	grid.Horizontal.Color, grid.Vertical.Color = color.Gray{0xd8}, color.Gray{0xd8}
	p.Add(grid)
	var entries []entry
	floor := c.floor()
	c.Series = slices.Clone(c.Series)
	for i, s := range c.Series {
		switch {
		case s.Bars > 0:
			c.Series[i] = s.histogram(floor)
		case s.Steps:
			c.Series[i] = s.steps()
		}
		if c.zoomed() {
			c.Series[i] = c.Series[i].cut(c.Zoom[0], c.Zoom[1])
		}
	}
	// Bands first, so that they cover no line.
	colours := c.colours(colour)
	for i, s := range c.Series {
		p.Add(mark{i, "band"})
		if err := c.band(p, s, colours[i]); err != nil {
			return nil, nil, fmt.Errorf("series %s: %w", s.Name, err)
		}
		p.Add(mark{})
	}
	for _, i := range c.order() {
		s := c.Series[i]
		p.Add(mark{i, "line"})
		marks, err := c.add(p, s, colours[i])
		p.Add(mark{})
		if err != nil {
			return nil, nil, fmt.Errorf("series %s: %w", s.Name, err)
		}
		if s.Name != "" && len(marks) > 0 {
			entries = append(entries, entry{s.Name, marks})
		}
	}
	c.widen(p)
	if c.zoomed() {
		p.X.Min, p.X.Max = c.Zoom[0], c.Zoom[1]
	}
	x, y := linear(p.X.Min, p.X.Max, false), scale{}
	switch {
	case c.LogX:
		x = logarithmic(p.X.Min, p.X.Max)
		p.X.Scale = gonum.LogScale{}
	case c.Dates != nil && c.Dates.drawable(x.low, x.high):
		p.dates, p.xLabel = c.Dates, ""
		x.ticks = c.Dates.axis(x.low, x.high, func([]gonum.Tick) bool { return true })
	}
	switch {
	case c.LogY:
		y = logarithmic(p.Y.Min, p.Y.Max)
		p.Y.Scale = gonum.LogScale{}
	case c.FromZero:
		y = linear(min(p.Y.Min, 0), max(p.Y.Max, 0), true)
	default:
		y = linear(p.Y.Min, p.Y.Max, true)
	}
	if y.factor != "" {
		p.yLabel = strings.TrimPrefix(c.YLabel+", "+y.factor, ", ")
	}
	p.X.Min, p.X.Max, p.X.Tick.Marker = x.low, x.high, gonum.ConstantTicks(x.ticks)
	p.Y.Min, p.Y.Max, p.Y.Tick.Marker = y.low, y.high, gonum.ConstantTicks(y.ticks)
	return p, entries, nil
}

// band draws the band of a series: along the upper edge and back along the lower one.
func (c Chart) band(p *drawing, s Series, i int) error {
	if len(s.Low) == 0 {
		return nil
	}
	high, low := s.High, s.Low
	if c.LogY {
		high, low = atLeast(c.bottom(), high), atLeast(c.bottom(), low)
	}
	edge := append(c.points(s.X, high), backwards(c.points(s.X, low))...)
	if len(edge) <= 2 {
		return nil
	}
	polygon, err := plotter.NewPolygon(edge)
	if err != nil {
		return err
	}
	colour, _ := stroke(i)
	polygon.Color = shade(colour)
	polygon.LineStyle.Width = 0
	p.Add(polygon)
	return nil
}

// add draws a series and returns its thumbnails for the legend.
func (c Chart) add(p *drawing, s Series, i int) ([]gonum.Thumbnailer, error) {
	colour, dashes := stroke(i)
	switch {
	case s.Dashed:
		dashes = []vg.Length{5, 3}
	case c.alone():
		dashes = nil
	}
	sty := draw.LineStyle{Color: colour, Width: p.sizes.line, Dashes: dashes}
	var marks []gonum.Thumbnailer
	points := c.places(s.X, s.Y)
	if len(points) == 0 {
		return nil, nil
	}
	if !s.Points && !s.Data {
		for _, run := range c.runs(s) {
			line, err := plotter.NewLine(run)
			if err != nil {
				return nil, err
			}
			line.LineStyle = sty
			p.Add(inPieces{line})
			marks = append(marks[:0], line) // one in the legend
		}
	}
	if few := len(points) <= markable && !s.Dashed && !s.Unmarked; len(points) == 1 || s.Points || s.Data || few {
		dots, err := plotter.NewScatter(points)
		if err != nil {
			return nil, err
		}
		dots.Color, dots.Shape, dots.Radius = colour, draw.CircleGlyph{}, 1.4*p.sizes.line
		switch {
		case s.Triangles:
			dots.Shape, dots.Radius = draw.TriangleGlyph{}, 2*p.sizes.line
		case s.Data:
			dots.Shape, dots.Radius = dataGlyph{}, 1.5*p.sizes.line
		}
		p.Add(unpadded{dots})
		marks = append(marks, dots)
	}
	return marks, nil
}

// unpadded points reserve no space beside the axis, so that axes side by side have equal heights.
type unpadded struct{ *plotter.Scatter }

func (unpadded) GlyphBoxes(*gonum.Plot) []gonum.GlyphBox { return nil }

// points returns the points of a line that can be told apart.
func (c Chart) points(x, y []float64) plotter.XYs { return visible(c.places(x, y)) }

// places pairs x and y, without values that cannot be drawn.
func (c Chart) places(x, y []float64) plotter.XYs {
	if len(x) != len(y) {
		panic("plot: a series needs as many x as y")
	}
	var points plotter.XYs
	for k := range x {
		if c.LogX && !(x[k] > 0) || c.LogY && !(y[k] > 0) || math.IsNaN(x[k]+y[k]) || math.IsInf(x[k], 0) ||
			math.IsInf(y[k], 0) {
			continue
		}
		points = append(points, plotter.XY{X: x[k], Y: y[k]})
	}
	return points
}

// visible reduces a line to the first, last, lowest and highest point of each piece, if there are
// more points than dots across a picture. The time to draw a line grows faster than its length.
func visible(points plotter.XYs) plotter.XYs {
	const pieces = 700
	if len(points) <= 4*pieces {
		return points
	}
	var fewer plotter.XYs
	for k := range pieces {
		from, to := k*len(points)/pieces, (k+1)*len(points)/pieces
		low, high := from, from
		for i := from; i < to; i++ {
			if points[i].Y < points[low].Y {
				low = i
			}
			if points[i].Y > points[high].Y {
				high = i
			}
		}
		kept := []int{from, low, high, to - 1}
		slices.Sort(kept)
		for _, i := range slices.Compact(kept) {
			fewer = append(fewer, points[i])
		}
	}
	return fewer
}

func backwards(points plotter.XYs) plotter.XYs {
	slices.Reverse(points)
	return points
}
