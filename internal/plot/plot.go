// Package plot draws the pictures that the command writes, in one style.
package plot

import (
	"fmt"
	"image/color"
	"math"

	"gonum.org/v1/plot"
	"gonum.org/v1/plot/plotter"
	"gonum.org/v1/plot/vg"
	"gonum.org/v1/plot/vg/draw"
)

// A Series is a line with a name.
type Series struct {
	Name string
	X, Y []float64
}

// A Chart is some series over common axes.
type Chart struct {
	Title, XLabel, YLabel string
	LogX, LogY            bool
	Series                []Series
}

// palette holds colours that stay apart for colour-blind eyes and on paper (Okabe and Ito), the first for what matters.
var palette = []color.RGBA{
	{0xd5, 0x5e, 0x00, 0xff}, {0x00, 0x72, 0xb2, 0xff}, {0x00, 0x9e, 0x73, 0xff}, {0xcc, 0x79, 0xa7, 0xff},
	{0xe6, 0x9f, 0x00, 0xff}, {0x56, 0xb4, 0xe9, 0xff}, {0x00, 0x00, 0x00, 0xff}, {0x80, 0x80, 0x80, 0xff},
}

// Save draws the chart into a file; the ending says how: .svg, .png or .pdf.
func (c Chart) Save(path string) error {
	p := plot.New()
	p.Title.Text, p.X.Label.Text, p.Y.Label.Text = c.Title, c.XLabel, c.YLabel
	p.Title.Padding = vg.Points(8)
	p.Add(plotter.NewGrid())
	p.Legend.Top, p.Legend.Left = true, true
	p.Legend.Padding = vg.Points(2)
	if c.LogX {
		p.X.Scale, p.X.Tick.Marker = plot.LogScale{}, plot.LogTicks{Prec: -1}
	}
	if c.LogY {
		p.Y.Scale, p.Y.Tick.Marker = plot.LogScale{}, plot.LogTicks{Prec: -1}
	}
	for i, s := range c.Series {
		if len(s.X) != len(s.Y) {
			panic("plot: a series needs as many x as y")
		}
		var points plotter.XYs
		for k := range s.X {
			if c.LogX && !(s.X[k] > 0) || c.LogY && !(s.Y[k] > 0) || math.IsNaN(s.Y[k]) {
				continue // a logarithmic axis has no place for it
			}
			points = append(points, plotter.XY{X: s.X[k], Y: s.Y[k]})
		}
		if len(points) == 0 {
			continue
		}
		line, dots, err := plotter.NewLinePoints(points)
		if err != nil {
			return fmt.Errorf("series %s: %w", s.Name, err)
		}
		line.Color = palette[i%len(palette)]
		line.Width = vg.Points(1.5)
		if i >= len(palette) {
			line.Dashes = []vg.Length{vg.Points(4), vg.Points(2)}
		}
		dots.Color, dots.Shape, dots.Radius = line.Color, draw.CircleGlyph{}, vg.Points(2)
		p.Add(line, dots)
		p.Legend.Add(s.Name, line, dots)
	}
	if c.LogX {
		p.X.Min, p.X.Max = decade(p.X.Min, p.X.Max)
	}
	if c.LogY {
		p.Y.Min, p.Y.Max = decade(p.Y.Min, p.Y.Max)
	}
	return p.Save(18*vg.Centimeter, 12*vg.Centimeter, path)
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
