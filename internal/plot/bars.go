package plot

import (
	"math"

	"github.com/almanac-sim/almanac/internal/detmath"
)

// histogram returns the outline of bars that stand on a floor, with their inside as a band. Bars
// below the floor are left out.
func (s Series) histogram(floor float64) Series {
	out := Series{Name: s.Name, Same: s.Same, Dashed: s.Dashed, Unmarked: true}
	for i, x := range s.X {
		top := floor
		if s.Y[i] > floor {
			top = s.Y[i]
		}
		left, right := x-s.Bars/2, x+s.Bars/2
		out.X = append(out.X, left, left, right, right)
		out.Y = append(out.Y, floor, top, top, floor)
		out.Low = append(out.Low, floor, floor, floor, floor)
		out.High = append(out.High, floor, top, top, floor)
	}
	return out
}

// steps returns a line that keeps the height of each point since the point before it, for counts
// per interval.
func (s Series) steps() Series {
	out := s
	out.Unmarked = true
	twice := func(from []float64) (to []float64) {
		for k := 1; k < len(from); k++ {
			to = append(to, from[k], from[k])
		}
		return to
	}
	out.X = nil
	for k := 1; k < len(s.X); k++ {
		out.X = append(out.X, s.X[k-1], s.X[k])
	}
	out.Y, out.Low, out.High = twice(s.Y), twice(s.Low), twice(s.High)
	return out
}

// floor is where bars stand: at 0, or on a logarithmic axis at the power of ten below all data.
func (c Chart) floor() float64 {
	if !c.LogY {
		return 0
	}
	lowest := c.lowest()
	if math.IsInf(lowest, 1) {
		return 1
	}
	return detmath.Pow(10, math.Ceil(detmath.Log10(lowest))-1)
}

// widen extends the ranges as the chart requests.
func (c Chart) widen(p *drawing) {
	if c.UpToX != 0 && p.X.Min <= p.X.Max {
		p.X.Max = max(p.X.Max, c.UpToX)
	}
	if c.FromZeroX && p.X.Min <= p.X.Max {
		p.X.Min = min(p.X.Min, 0)
	}
	if r := c.RangeY; r[0] < r[1] && p.Y.Min <= p.Y.Max && (!c.LogY || r[0] > 0) {
		p.Y.Min, p.Y.Max = min(p.Y.Min, r[0]), max(p.Y.Max, r[1])
	}
	if !c.Headroom || c.LogY || !(p.Y.Min <= p.Y.Max) {
		return
	}
	low := p.Y.Min
	if c.FromZero {
		low = min(low, 0)
	}
	if length := p.Y.Max - low; length > 0 {
		p.Y.Max += 0.05 * length
	} else {
		p.Y.Max++
	}
}
