package erickson

import (
	"math"

	"github.com/almanac-sim/almanac/reproduce"
)

// A widthPoint is what was measured at a width, and what the paper says.
type widthPoint struct {
	width                  float64
	empty, traversed, cost reproduce.Estimate
	about, low, high       float64 // the approximation and the bounds of section A.5
}

func (r *runner) widthPoint(h hold) (p widthPoint) {
	p.width = h.width
	p.empty, p.traversed, p.cost = r.holdCosts(h)
	p.about = r.perEvent(h.n, 1, h.width)
	p.low, p.high = r.bounds(h.n, h.jumps.law, h.width)
	return p
}

// logarithmic is a range of numbers with equal ratios.
func logarithmic(from, to float64, count int) []float64 {
	x := make([]float64, count)
	for i := range x {
		x[i] = from * math.Pow(to/from, float64(i)/float64(count-1))
	}
	return x
}

func widthTable(name string, points []widthPoint) reproduce.Table {
	table := reproduce.Table{Name: name, Columns: []string{"width", "empty", "empty se", "traversed", "traversed se", "cost", "cost se", "approximation", "low", "high"}}
	for _, p := range points {
		table.Rows = append(table.Rows, []float64{p.width, p.empty.Mean, p.empty.SE, p.traversed.Mean, p.traversed.SE,
			p.cost.Mean, p.cost.SE, p.about, p.low, p.high})
	}
	return table
}
