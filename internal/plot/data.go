package plot

import (
	"image/color"
	"math"

	"gonum.org/v1/plot/vg"
	"gonum.org/v1/plot/vg/draw"
)

// dataGlyph is a disc with a white edge: it is seen on a line of its own colour.
type dataGlyph struct{}

func (dataGlyph) DrawGlyph(c *draw.Canvas, sty draw.GlyphStyle, at vg.Point) {
	disc := func(radius vg.Length, colour color.Color) {
		var path vg.Path
		path.Move(vg.Point{X: at.X + radius, Y: at.Y})
		path.Arc(at, radius, 0, 2*math.Pi)
		path.Close()
		c.SetColor(colour)
		c.Fill(path)
	}
	disc(sty.Radius+sty.Radius/3, color.White)
	disc(sty.Radius, sty.Color)
}

// order is the order of drawing: data lie over lines.
func (c Chart) order() (all []int) {
	for _, data := range []bool{false, true} {
		for i, s := range c.Series {
			if s.Data == data {
				all = append(all, i)
			}
		}
	}
	return all
}
