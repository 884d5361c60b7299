package plot

import (
	"math"

	"gonum.org/v1/plot/vg"
	"gonum.org/v1/plot/vg/draw"

	"github.com/almanac-sim/almanac/internal/vector"
)

// PNG encodes a drawing.
func PNG(d vector.Drawing) ([]byte, error) { return encodeDrawing("png", d) }

// PDF encodes a drawing, with text as outlines.
func PDF(d vector.Drawing) ([]byte, error) { return encodeDrawing("pdf", d) }

func encodeDrawing(format string, d vector.Drawing) ([]byte, error) {
	// A pixel of the drawing is a point of the canvas.
	return render(format, vg.Length(d.Width), vg.Length(d.Height), func(c draw.Canvas) {
		p := painter{c, d.Left, d.Top + d.Height}
		for _, s := range d.Shapes {
			p.paint(s)
		}
	})
}

// A painter paints shapes on a canvas whose y axis points upwards.
type painter struct {
	draw.Canvas
	left, bottom float64
}

func (p painter) at(x, y float64) vg.Point {
	return vg.Point{X: vg.Length(x - p.left), Y: vg.Length(p.bottom - y)}
}

func (p painter) paint(s vector.Shape) {
	if s.Kind == vector.Text {
		p.write(s)
		return
	}
	outline := p.outline(s)
	if s.Fill.A > 0 {
		p.SetColor(s.Fill)
		p.Fill(outline)
	}
	if s.Stroke.A > 0 {
		p.SetColor(s.Stroke)
		p.SetLineWidth(vg.Length(s.Thick))
		var dashes []vg.Length
		for _, x := range s.Dashes {
			dashes = append(dashes, vg.Length(x))
		}
		p.SetLineDash(dashes, 0)
		p.Stroke(outline)
	}
}

// outline is the path of a shape.
func (p painter) outline(s vector.Shape) (path vg.Path) {
	x, y, r := s.At.X, s.At.Y, s.Radius
	switch s.Kind {
	case vector.Circle:
		path.Move(p.at(x+r, y))
		path.Arc(p.at(x, y), vg.Length(r), 0, 2*math.Pi)
		path.Close()
	case vector.Rect:
		right, bottom := x+s.Width, y+s.Height
		path.Move(p.at(x+r, y))
		for _, corner := range []struct{ x, y, start float64 }{
			{right - r, y + r, math.Pi / 2}, {right - r, bottom - r, 0}, {x + r, bottom - r, -math.Pi / 2},
			{x + r, y + r, math.Pi},
		} {
			sin, cos := math.Sincos(corner.start)
			path.Line(p.at(corner.x+r*cos, corner.y-r*sin))
			if r > 0 {
				path.Arc(p.at(corner.x, corner.y), vg.Length(r), corner.start, -math.Pi/2)
			}
		}
		path.Close()
	case vector.Path:
		path.Move(p.at(x, y))
		for _, c := range s.Path {
			if c.Straight {
				path.Line(p.at(c.To.X, c.To.Y))
			} else {
				path.CubeTo(p.at(c.A.X, c.A.Y), p.at(c.B.X, c.B.Y), p.at(c.To.X, c.To.Y))
			}
		}
		if s.Closed {
			path.Close()
		}
	}
	return path
}

// bold is golang.org/x/image/font.WeightBold.
const bold = 3

// write draws a text at its baseline. The canvas cannot stroke letters, so the stroke is the text,
// shifted in eight directions.
func (p painter) write(s vector.Shape) {
	sty := style(vg.Length(s.Size))
	if s.Bold {
		sty.Font.Weight = bold
	}
	words, at := plain(s.Words), p.at(s.At.X, s.At.Y)
	if s.Anchor == "middle" {
		at.X -= width(sty, words) / 2
	}
	if s.Stroke.A > 0 {
		sty.Color = s.Stroke
		for k := range 8 {
			sin, cos := math.Sincos(float64(k) * math.Pi / 4)
			half := s.Thick / 2
			p.FillText(sty, vg.Point{X: at.X + vg.Length(half*cos), Y: at.Y + vg.Length(half*sin)}, words)
		}
	}
	sty.Color = s.Fill
	p.FillText(sty, at, words)
}
