package erickson

import (
	"context"
	"fmt"
	"math"

	"github.com/almanac-sim/almanac/internal/plot"
	"github.com/almanac-sim/almanac/reproduce"
)

// shapeIndependence is that nothing but the mean of the jump matters.
func shapeIndependence(e effort) reproduce.Claim {
	const name = "shape-independence"
	return reproduce.Claim{
		Name: name, Paper: paper, Place: "Theorem 2.2", Found: reproduce.Holds,
		Says: "The time per event and the best width depend on the mean of the jump and not on the shape of its density.",
		How: "The hold model on calendar.Static with 1000 events and unlimited buckets, for jumps of mean 1 with variances from 0.05 " +
			"to 8.5, at widths from a quarter of the best to four times that.",
		Run: func(ctx context.Context, o reproduce.Options) (reproduce.Finding, error) {
			all := []jumps{exponentialJumps(), uniformJumps(1), triangularJumps(), gammaJumps(20), gammaJumps(1.2), lognormalJumps(1.5)}
			ratios := []float64{0.25, 0.5, 1, 2, 4}
			r := newRunner(ctx, o, name, len(all)*len(ratios))
			points := make([][]widthPoint, len(all))
			for k, j := range all {
				for i, ratio := range ratios {
					h := hold{jumps: j, n: 1000, width: ratio * e.width(1000, 1), events: e.events(o, 800_000), stream: uint64(k*len(ratios) + i)}
					p, err := r.widthPoint(h, e.formulas)
					if err != nil {
						return reproduce.Finding{}, err
					}
					points[k] = append(points[k], p)
				}
			}
			return judgeShapes(all, ratios, points, e.formulas), nil
		},
	}
}

func judgeShapes(all []jumps, ratios []float64, points [][]widthPoint, t formulas) reproduce.Finding {
	var f reproduce.Finding
	chart := plot.Chart{Title: "Width against time per event, 1000 events, jumps of one mean", XLabel: "bucket width", YLabel: "time per event",
		LogX: true, FromZero: true, LegendBeside: true}
	for k, j := range all {
		worst := 0.0
		series := plot.Series{Name: j.name}
		for i, p := range points[k] {
			worst = max(worst, p.cost.Outside(p.low, p.high))
			series.Add(p.width, p.cost.Mean)
			if ratios[i] == 1 {
				near(&f, "cost at the best width, "+j.name, p.cost, t.least, p.low, p.high, restOf(1000), becauseNear)
			}
		}
		f.Check("how far a cost is outside of its bounds, in standard errors, at most, "+j.name, worst, 0, reproduce.Sigmas, because)
		f.Tables = append(f.Tables, widthTable(j.name, points[k]))
		chart.Series = append(chart.Series, series)
	}
	var apart, open []float64
	for i, ratio := range ratios {
		low, high, se := math.Inf(1), 0.0, 0.0
		from, to := math.Inf(1), 0.0 // the bounds of all of them together
		for k := range all {
			p := points[k][i]
			low, high, se = min(low, p.cost.Mean), max(high, p.cost.Mean), max(se, p.cost.SE)
			from, to = min(from, p.low), max(to, p.high)
		}
		apart, open = append(apart, high-low), append(open, to-from)
		if ratio == 1 {
			f.Measured = fmt.Sprintf("At the best width the six jumps take from %.3f to %.3f (2 + √2 = %.3f)", low, high, t.least)
		}
		f.Between(fmt.Sprintf("costs at %g times the best width, the largest less the least", ratio), high-low, 0, to-from, reproduce.Sigmas*math.Sqrt2*se,
			"the bounds of section A.5 for all these jumps, which are O(1/N) apart, and 4.5 standard errors of a difference")
	}
	f.Measured += fmt.Sprintf("; at a quarter of it they are %.3f apart, and at four times that %.3f, where the bounds for 1000 events leave %.3f and %.3f.", apart[0], apart[len(apart)-1], open[0], open[len(open)-1])
	f.Chart("shape-independence", chart)
	return f
}
