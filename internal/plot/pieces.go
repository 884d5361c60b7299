package plot

import (
	"math"

	gonum "gonum.org/v1/plot"
	"gonum.org/v1/plot/plotter"
	"gonum.org/v1/plot/vg"
	"gonum.org/v1/plot/vg/draw"
)

// inPieces is a line that is drawn piece by piece. The library that fills pixels looks through all
// crossings of a path with a row of them, so that a line that goes up and down takes time in
// proportion to the square of its length: 2800 points took minutes.
type inPieces struct{ *plotter.Line }

// piece is how many segments are drawn at once.
const piece = 40

// Plot draws the line.
func (l inPieces) Plot(c draw.Canvas, p *gonum.Plot) {
	if onWeb(c) != nil || len(l.XYs) <= 2*piece { // a page has no pixels to fill, and its script wants a line whole
		l.Line.Plot(c, p)
		return
	}
	x, y := p.Transforms(&c)
	points := make([]vg.Point, len(l.XYs))
	gone := make([]vg.Length, len(l.XYs)) // the length of the line up to each point, which the dashes go on from
	for i, xy := range l.XYs {
		points[i] = vg.Point{X: x(xy.X), Y: y(xy.Y)}
		if i > 0 {
			gone[i] = gone[i-1] + vg.Length(math.Hypot(float64(points[i].X-points[i-1].X), float64(points[i].Y-points[i-1].Y)))
		}
	}
	for from := 0; from < len(points)-1; from += piece {
		// The segment before is drawn again, so that the corner between the two is.
		first, sty := max(0, from-1), l.LineStyle
		sty.DashOffs = gone[first]
		c.StrokeLines(sty, c.ClipLinesXY(points[first:min(from+piece+1, len(points))])...)
	}
}
