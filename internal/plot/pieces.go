package plot

import (
	"math"

	gonum "gonum.org/v1/plot"
	"gonum.org/v1/plot/plotter"
	"gonum.org/v1/plot/vg"
	"gonum.org/v1/plot/vg/draw"
)

// inPieces draws a line in pieces. The rasteriser's cost grows with the square of the number of
// crossings of a path with a row of pixels: a line of 2800 points took minutes.
type inPieces struct{ *plotter.Line }

// piece is the number of segments of a piece.
const piece = 40

func (l inPieces) Plot(c draw.Canvas, p *gonum.Plot) {
	if onWeb(c) != nil || len(l.XYs) <= 2*piece { // SVG is not rasterised, and the script needs whole lines
		l.Line.Plot(c, p)
		return
	}
	x, y := p.Transforms(&c)
	points := make([]vg.Point, len(l.XYs))
	gone := make([]vg.Length, len(l.XYs)) // length of the line up to each point, for dashes
	for i, xy := range l.XYs {
		points[i] = vg.Point{X: x(xy.X), Y: y(xy.Y)}
		if i > 0 {
			gone[i] = gone[i-1] + vg.Length(math.Hypot(float64(points[i].X-points[i-1].X), float64(points[i].Y-points[i-1].Y)))
		}
	}
	for from := 0; from < len(points)-1; from += piece {
		// The segment before is repeated, to draw the corner.
		first, sty := max(0, from-1), l.LineStyle
		sty.DashOffs = gone[first]
		c.StrokeLines(sty, c.ClipLinesXY(points[first:min(from+piece+1, len(points))])...)
	}
}
