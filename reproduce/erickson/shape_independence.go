package erickson

import (
	"fmt"
	"math"

	"github.com/almanac-sim/almanac/internal/plot"
	"github.com/almanac-sim/almanac/reproduce"
)

// shapeIndependence is that nothing but the mean of the jump matters.
func shapeIndependence(r *runner) reproduce.Finding {
	all := []jumps{exponentialJumps(), uniformJumps(1), triangularJumps(), gammaJumps(20), gammaJumps(1.2), lognormalJumps(1.5)}
	ratios := []float64{0.25, 0.5, 1, 2, 4}
	r.Runs(len(all) * len(ratios))
	points := make([][]widthPoint, len(all))
	for k, j := range all {
		for i, ratio := range ratios {
			h := hold{jumps: j, n: 1000, width: ratio * r.width(1000, 1), events: r.events(800_000), stream: uint64(k*len(ratios) + i)}
			p := r.widthPoint(h)
			points[k] = append(points[k], p)
		}
	}
	return judgeShapes(all, ratios, points, r.formulas)
}

func judgeShapes(all []jumps, ratios []float64, points [][]widthPoint, t formulas) reproduce.Finding {
	var f reproduce.Finding
	chart := plot.Chart{Title: "Width against time per event, 1000 events, jumps of one mean", XLabel: "bucket width", YLabel: "time per event",
		LogX: true, FromZero: true, LegendBeside: true}
	least, most := math.Inf(1), 0.0
	for k, j := range all {
		worst, off := 0.0, 0.0
		series := plot.Series{Name: j.name}
		for i, p := range points[k] {
			exact := exactCost(unit, 1000, j.law, p.width)
			worst, off = max(worst, p.cost.Outside(p.low, p.high)), max(off, p.cost.Outside(exact, exact))
			series.Add(p.width, p.cost.Mean)
			if ratios[i] == 1 {
				least, most = min(least, p.cost.Mean), max(most, p.cost.Mean)
				near(&f, "cost at the best width, "+j.name, p.cost, t.least, p.low, p.high, restOf(1000), becauseNear)
			}
		}
		worstOf(f.For(reproduce.Printed), "how far a cost is outside of its bounds, in standard errors, at most, "+j.name, worst, len(ratios))
		worstOf(f.For(reproduce.Control), "how far a cost is from the exact one, in standard errors, at most, "+j.name, off, len(ratios))
		f.Tables = append(f.Tables, widthTable(j.name, points[k]))
		chart.Series = append(chart.Series, series)
	}
	var apart []float64
	for i, ratio := range ratios {
		from, to := math.Inf(1), 0.0 // the bounds of all of them together
		for k := range all {
			from, to = min(from, points[k][i].low), max(to, points[k][i].high)
		}
		some, many := spread(all, 1000, ratio, t), spread(all, 1_000_000, ratio, t)
		apart = append(apart, some)
		f.Between(fmt.Sprintf("exact costs at %g times the best width of 1000 events, the largest less the least", ratio), some, 0, to-from, 1e-9,
			"the bounds of section A.5 for all these jumps, which are O(1/N) apart; rounding")
		f.Check(fmt.Sprintf("and of 1 000 000 events, over that, at %g times the best width", ratio), many/some, 0.001, 0.0001, "exact: it falls as 1/N; terms of higher order")
	}
	f.Measured = fmt.Sprintf("At the best width of 1000 events the six jumps take from %.3f to %.3f (2 + √2 = %.3f), as simulated; "+
		"exactly they are %.4f apart there and %.4f at four times the width, and a thousandth of that with a thousand times the "+
		"events.", least, most, t.least, apart[2], apart[len(apart)-1])
	f.Chart("shape-independence", chart)
	return f
}

// spread is how far the exact costs of jumps are apart.
func spread(all []jumps, n int, ratio float64, t formulas) float64 {
	low, high := math.Inf(1), 0.0
	for _, j := range all {
		c := exactCost(unit, n, j.law, ratio*t.width(n, 1))
		low, high = min(low, c), max(high, c)
	}
	return high - low
}
