// Package plot draws the pictures that the command writes, in one style.
package plot

import (
	"bytes"
	"errors"
	"fmt"
	"image/color"
	"io"
	"math"
	"os"
	"path/filepath"
	"slices"
	"strconv"
	"strings"

	"gonum.org/v1/plot"
	"gonum.org/v1/plot/plotter"
	"gonum.org/v1/plot/vg"
	"gonum.org/v1/plot/vg/draw"
)

// A Series is a line with a name, and a band around it if Low and High are given. Its points are marked if they are few.
type Series struct {
	Name      string
	X, Y      []float64
	Low, High []float64
	Same      bool // it has the colour of the series before it
	Dashed    bool // it is a dashed line without marks
	Triangles bool // its points are marked with triangles, not circles
}

// markable is up to how many points of a series are marked.
const markable = 30

// A Chart is some series over common axes.
type Chart struct {
	Title, XLabel, YLabel string
	LogX, LogY            bool
	FromZero              bool // the y axis begins at 0
	LegendBeside          bool // the names stand to the right of the chart, not in it
	Series                []Series
}

// palette holds colours that stay apart for colour-blind eyes and on paper (Okabe and Ito), the first for what matters.
var palette = []color.RGBA{
	{0xd5, 0x5e, 0x00, 0xff}, {0x00, 0x72, 0xb2, 0xff}, {0x00, 0x9e, 0x73, 0xff}, {0xcc, 0x79, 0xa7, 0xff},
	{0xe6, 0x9f, 0x00, 0xff}, {0x56, 0xb4, 0xe9, 0xff}, {0x00, 0x00, 0x00, 0xff}, {0x80, 0x80, 0x80, 0xff},
}

// Save draws the chart into a file; the ending says how: .svg, .png or .pdf.
func (c Chart) Save(path string) error {
	canvas, err := c.canvas(format(path))
	if err != nil {
		return err
	}
	return write(canvas, path)
}

// SVG draws the chart as the text of a picture.
func (c Chart) SVG() ([]byte, error) {
	canvas, err := c.canvas("svg")
	if err != nil {
		return nil, err
	}
	var b bytes.Buffer
	_, err = canvas.WriteTo(&b)
	return b.Bytes(), err
}

// canvas draws the chart on a new canvas of some format.
func (c Chart) canvas(format string) (io.WriterTo, error) {
	p, err := c.draw(0)
	if err != nil {
		return nil, err
	}
	canvas, err := draw.NewFormattedCanvas(18*vg.Centimeter, 12*vg.Centimeter, format)
	if err != nil {
		return nil, err
	}
	whole := draw.New(canvas)
	if !c.LegendBeside {
		p.Draw(whole)
		return canvas, nil
	}
	// The names stand behind their lines, with room to spare: a viewer may have a wider font than the one that was measured.
	legend := p.Legend
	legend.Left = true
	p.Legend = plot.NewLegend()
	box := legend.Rectangle(whole)
	width := 1.2*(box.Max.X-box.Min.X) + vg.Points(10)
	p.Draw(draw.Crop(whole, 0, -width, 0, 0))
	legend.Draw(draw.Crop(whole, whole.Max.X-whole.Min.X-width+vg.Points(6), 0, 0, -vg.Points(24)))
	return canvas, nil
}

func format(path string) string { return strings.TrimPrefix(filepath.Ext(path), ".") }

func write(canvas io.WriterTo, path string) error {
	file, err := os.Create(path)
	if err != nil {
		return err
	}
	_, err = canvas.WriteTo(file)
	return errors.Join(err, file.Close())
}

// draw makes the chart, with colours from the given one on.
func (c Chart) draw(colour int) (*plot.Plot, error) {
	p := plot.New()
	p.Title.Text, p.X.Label.Text, p.Y.Label.Text = c.Title, c.XLabel, c.YLabel
	p.Title.Padding = vg.Points(8)
	p.Add(plotter.NewGrid())
	p.Legend.Top, p.Legend.Left = true, !c.LegendBeside
	p.Legend.Padding = vg.Points(2)
	p.X.Tick.Marker, p.Y.Tick.Marker = plot.TickerFunc(ticks), plot.TickerFunc(ticks)
	if c.LogX {
		p.X.Scale, p.X.Tick.Marker = plot.LogScale{}, plot.TickerFunc(decades)
	}
	if c.LogY {
		p.Y.Scale, p.Y.Tick.Marker = plot.LogScale{}, plot.TickerFunc(decades)
	}
	for i, s := range c.Series {
		if i > 0 && !s.Same {
			colour++
		}
		if err := c.add(p, s, colour); err != nil {
			return nil, fmt.Errorf("series %s: %w", s.Name, err)
		}
	}
	if c.LogX {
		p.X.Min, p.X.Max = decade(p.X.Min, p.X.Max)
	}
	if c.LogY {
		p.Y.Min, p.Y.Max = decade(p.Y.Min, p.Y.Max)
	} else if c.FromZero {
		p.Y.Min = min(p.Y.Min, 0)
	}
	return p, nil
}

// ticks are the usual ones, with labels as short as the numbers allow: 50000 and not 50000.00.
func ticks(low, high float64) []plot.Tick {
	all := plot.DefaultTicks{}.Ticks(low, high)
	for i := range all {
		if all[i].Label != "" {
			all[i].Label = strconv.FormatFloat(all[i].Value, 'g', 8, 64)
		}
	}
	return all
}

// decades are ticks at 1, 2, 3, … times powers of ten, with labels at the powers. Those of the library are multiplied up, and after some decades
// are not the numbers they should be.
func decades(low, high float64) []plot.Tick {
	var all []plot.Tick
	first, last := int(math.Round(math.Log10(low))), int(math.Round(math.Log10(high)))
	every := 1 + (last-first)/8 // labels have no room for more
	for e := first; e <= last; e++ {
		power := math.Pow10(e)
		for k := 1.0; k < 10 && k*power <= high*(1+1e-9); k++ {
			t := plot.Tick{Value: k * power}
			if k == 1 && (e-first)%every == 0 {
				t.Label = strconv.FormatFloat(power, 'g', -1, 64)
				if e > 5 || e < -4 {
					t.Label = "1e" + strconv.Itoa(e)
				}
			}
			all = append(all, t)
		}
	}
	return all
}

// add draws a series.
func (c Chart) add(p *plot.Plot, s Series, i int) error {
	colour := palette[i%len(palette)]
	if len(s.Low) > 0 {
		// Along the upper edge and back along the lower one.
		band := append(c.points(s.X, s.High), backwards(c.points(s.X, s.Low))...)
		if len(band) > 2 {
			polygon, err := plotter.NewPolygon(band)
			if err != nil {
				return err
			}
			polygon.Color = color.NRGBA{colour.R, colour.G, colour.B, 0x40}
			polygon.LineStyle.Width = 0
			p.Add(polygon)
		}
	}
	points := c.points(s.X, s.Y)
	if len(points) == 0 {
		return nil
	}
	line, dots, err := plotter.NewLinePoints(points)
	if err != nil {
		return err
	}
	line.Color = colour
	line.Width = vg.Points(1.5)
	if s.Dashed || i >= len(palette) {
		line.Dashes = []vg.Length{vg.Points(4), vg.Points(2)}
	}
	p.Add(line)
	marks := []plot.Thumbnailer{line}
	if len(points) <= markable && !s.Dashed {
		dots.Color, dots.Shape, dots.Radius = line.Color, draw.CircleGlyph{}, vg.Points(2)
		if s.Triangles {
			dots.Shape, dots.Radius = draw.TriangleGlyph{}, vg.Points(3)
		}
		p.Add(dots)
		marks = append(marks, dots)
	}
	if s.Name != "" {
		p.Legend.Add(s.Name, marks...)
	}
	return nil
}

// points pairs x and y, without those that a logarithmic axis has no place for.
func (c Chart) points(x, y []float64) plotter.XYs {
	if len(x) != len(y) {
		panic("plot: a series needs as many x as y")
	}
	var points plotter.XYs
	for k := range x {
		if c.LogX && !(x[k] > 0) || c.LogY && !(y[k] > 0) || math.IsNaN(y[k]) {
			continue
		}
		points = append(points, plotter.XY{X: x[k], Y: y[k]})
	}
	return points
}

func backwards(points plotter.XYs) plotter.XYs {
	slices.Reverse(points)
	return points
}

// SavePanels draws several charts into one file, in columns, each series of all of them in its own colour.
func SavePanels(charts []Chart, columns int, path string) error {
	rows := max(1, (len(charts)+columns-1)/columns)
	all := make([][]*plot.Plot, rows)
	colour := 0
	for r := range all {
		all[r] = make([]*plot.Plot, columns)
		for k := range columns {
			if i := r*columns + k; i < len(charts) {
				p, err := charts[i].draw(colour)
				if err != nil {
					return err
				}
				all[r][k] = p
				colour += len(charts[i].Series)
			}
		}
	}
	canvas, err := draw.NewFormattedCanvas(vg.Length(columns)*11*vg.Centimeter, vg.Length(rows)*7*vg.Centimeter, format(path))
	if err != nil {
		return err
	}
	tiles := draw.Tiles{Rows: rows, Cols: columns, PadX: vg.Points(10), PadY: vg.Points(10),
		PadTop: vg.Points(6), PadBottom: vg.Points(6), PadLeft: vg.Points(6), PadRight: vg.Points(12)}
	whole := draw.New(canvas)
	for r, line := range plot.Align(all, tiles, whole) {
		for k, place := range line {
			if p := all[r][k]; p != nil {
				p.Draw(place)
			}
		}
	}
	return write(canvas, path)
}

// decade widens a range so that it begins and ends at a power of ten, which LogTicks labels.
func decade(low, high float64) (float64, float64) {
	if !(low > 0) || math.IsInf(low, 0) || math.IsInf(high, 0) {
		return 1, 10 // nothing was drawn
	}
	low = math.Pow(10, math.Floor(math.Log10(low)))
	high = math.Pow(10, math.Ceil(math.Log10(high)))
	if high <= low {
		high = 10 * low
	}
	return low, high
}
