package erickson

import (
	"fmt"
	"math"

	"github.com/almanac-sim/almanac/internal/plot"
	"github.com/almanac-sim/almanac/reproduce"
)

// figure1 is the cost against the width: too narrow and there are empty buckets, too wide and there are long lists.
func figure1(r *runner) reproduce.Finding {
	widths := logarithmic(0.002, 0.1, 33)
	best := r.width(100, 1)
	widths = append(widths, best/4, best, 4*best)
	r.Runs(len(widths))
	points := make([]widthPoint, len(widths))
	for i, width := range widths {
		h := hold{jumps: exponentialJumps(), n: 100, width: width, events: r.events(800_000), stream: uint64(i)}
		points[i] = r.widthPoint(h)
	}
	return judgeFigure1(points, best, r.formulas)
}

// judgeFigure1 has the grid, then a quarter of the best width, the best, and four times that.
func judgeFigure1(points []widthPoint, best float64, t formulas) reproduce.Finding {
	var f reproduce.Finding
	grid, marks := points[:len(points)-3], points[len(points)-3:]
	at := marks[1]
	near(&f, "cost at the best width", at.cost, t.least, at.low, at.high, restOf(100), becauseNear)
	f.Between("cost at a quarter of the best width, less that at the best", marks[0].cost.Mean-at.cost.Mean,
		marks[0].low-at.high, marks[0].high-at.low, reproduce.Sigmas*marks[0].cost.Minus(at.cost).SE, "the bounds of section A.5, "+
			"and 4.5 standard errors")
	f.Between("cost at four times the best width, less that at the best", marks[2].cost.Mean-at.cost.Mean,
		marks[2].low-at.high, marks[2].high-at.low, reproduce.Sigmas*marks[2].cost.Minus(at.cost).SE, "the bounds of section A.5, "+
			"and 4.5 standard errors")

	least, worst, off := grid[0], 0.0, 0.0
	from, to := math.Inf(1), 0.0
	for _, p := range grid {
		if p.cost.Mean < least.cost.Mean {
			least = p
		}
		exact := exactCost(unit, 100, exponentialJumps().law, p.width)
		worst, off = max(worst, p.cost.Outside(p.low, p.high)), max(off, p.cost.Outside(exact, exact))
		if p.low-reproduce.Sigmas*p.cost.SE <= at.high+reproduce.Sigmas*at.cost.SE {
			from, to = min(from, p.width), max(to, p.width)
		}
	}
	worstOf(f.For(reproduce.Printed), "how far a width's cost is outside of its bounds, in standard errors, at most", worst, len(grid))
	worstOf(f.For(reproduce.Control), "how far a width's cost is from the exact one, in standard errors, at most", off, len(grid))
	f.Between("the width that took least, over the best", least.width/best, from/best, to/best, 0,
		"the curve is flat: at these widths of the grid the bounds do not tell the cost from that at the best width")
	f.Between("the least cost of the grid, less that at the best width", least.cost.Mean-at.cost.Mean,
		least.low-at.high, 0, reproduce.Sigmas*least.cost.Minus(at.cost).SE, "no width takes less than the best, but for the "+
			"bounds, O(1/N), and 4.5 standard errors")
	f.Measured = fmt.Sprintf("At the width √2/100 an event takes %.3f ± %.3f (2 + √2 = %.3f; exactly %.3f with 100 events), a "+
		"quarter of it takes %.2f and four times that %.2f; of 33 widths the least is %.3f, at %.2f of √2/100.",
		at.cost.Mean, at.cost.SE, 2+math.Sqrt2, exactCost(unit, 100, exponentialJumps().law, math.Sqrt2/100), marks[0].cost.Mean, marks[2].cost.Mean, least.cost.Mean, least.width/best)
	f.Tables = append(f.Tables, widthTable("cost against width", points))
	f.Chart("figure-1", widthChart("Width against time per event, 100 events, exponential jumps", grid))
	return f
}

func widthChart(title string, points []widthPoint) plot.Chart {
	measured, about, bounds := plot.Series{Name: "measured"}, plot.Series{Name: "approximation"}, plot.Series{Name: "bounds"}
	for _, p := range points {
		measured.Add(p.width, p.cost.Mean)
		about.Add(p.width, p.about)
		bounds.Add(p.width, (p.low+p.high)/2)
		bounds.Low, bounds.High = append(bounds.Low, p.low), append(bounds.High, p.high)
	}
	return plot.Chart{Title: title, XLabel: "bucket width", YLabel: "time per event", FromZero: true, LegendBeside: true,
		Series: []plot.Series{measured, about, bounds}}
}
