package plot

import (
	"math"

	"gonum.org/v1/plot/plotter"

	"github.com/almanac-sim/almanac/internal/detmath"
)

// On a logarithmic axis 0 lies below every number. A band that includes 0 reaches down to the axis;
// a line that comes to 0 leaves the chart there, and returns where it is positive again.

// bottom is where a logarithmic y axis begins: the power of ten at or below all numbers.
func (c Chart) bottom() float64 {
	lowest := c.lowest()
	if math.IsInf(lowest, 1) {
		return 1
	}
	return detmath.Pow(10, math.Floor(detmath.Log10(lowest)+1e-9))
}

// lowest is the least positive number of the chart.
func (c Chart) lowest() float64 {
	lowest := math.Inf(1)
	for _, s := range c.Series {
		for _, values := range [][]float64{s.Y, s.Low} {
			for _, y := range values {
				if y > 0 {
					lowest = min(lowest, y)
				}
			}
		}
	}
	if c.RangeY[0] > 0 && c.RangeY[0] < c.RangeY[1] {
		lowest = min(lowest, c.RangeY[0])
	}
	return lowest
}

// atLeast returns numbers with those below a bound replaced by it. NaN stays.
func atLeast(bound float64, all []float64) []float64 {
	out := make([]float64, len(all))
	for i, y := range all {
		out[i] = y
		if y < bound {
			out[i] = bound
		}
	}
	return out
}

// runs are the pieces of a line: on a logarithmic axis it is interrupted where it is 0, and steps
// are where there is no number.
func (c Chart) runs(s Series) (all []plotter.XYs) {
	if !c.LogY && s.Steps {
		return c.unbroken(s)
	}
	if !c.LogY {
		return []plotter.XYs{c.points(s.X, s.Y)}
	}
	bottom := c.bottom()
	var run plotter.XYs
	before := math.NaN() // the x of a 0 that ended the last run or comes before this one
	end := func() {
		if len(run) > 0 {
			all = append(all, run)
		}
		run = nil
	}
	for k, x := range s.X {
		y := s.Y[k]
		switch {
		case math.IsNaN(y) && s.Steps:
			end()
			before = math.NaN()
		case math.IsNaN(x+y) || math.IsInf(x, 0) || math.IsInf(y, 0) || c.LogX && !(x > 0):
			continue
		case y > 0:
			if len(run) == 0 && !math.IsNaN(before) {
				run = append(run, plotter.XY{X: before, Y: bottom})
			}
			run = append(run, plotter.XY{X: x, Y: y})
		default:
			if len(run) > 0 {
				run = append(run, plotter.XY{X: x, Y: bottom})
			}
			end()
			before = x
		}
	}
	end()
	for i := range all {
		all[i] = visible(all[i])
	}
	return all
}

// unbroken are the pieces of a line between points without a number.
func (c Chart) unbroken(s Series) (all []plotter.XYs) {
	for from := 0; from < len(s.X); from++ {
		to := from
		for to < len(s.X) && !math.IsNaN(s.Y[to]) {
			to++
		}
		if piece := c.points(s.X[from:to], s.Y[from:to]); len(piece) > 0 {
			all = append(all, piece)
		}
		from = to
	}
	return all
}
