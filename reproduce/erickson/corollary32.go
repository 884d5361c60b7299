package erickson

import (
	"fmt"
	"math"

	"github.com/almanac-sim/almanac/internal/plot"
	"github.com/almanac-sim/almanac/reproduce"
)

// corollary32 is the degradation for any jump, and a bound for it that no jump exceeds.
func corollary32(r *runner) reproduce.Finding {
	// The last one is nearly constant. With a year a little shorter than the jump it comes close to the bound.
	all := []jumps{uniformJumps(1), triangularJumps(), gammaJumps(20), gammaJumps(1.2), lognormalJumps(1), paretoJumps(2.5, 60), uniformJumps(0.05)}
	ratios := []float64{0.3, nearBound, 1, 1.92, 3}
	h := hold{n: 1000, width: r.width(1000, 1), events: r.events(700_000)}
	r.Runs(len(all) * (len(ratios) + 1))
	found := make([][]pair, len(all))
	for k, j := range all {
		h.jumps, h.stream = j, uint64(k)
		found[k] = r.pairs(h, bucketsFor(h.n, ratios))
	}
	return judgeCorollary32(h, all, ratios, found, r.formulas)
}

// nearBound is a ratio M/N with which a year is 0.93 of the mean of the jump.
const nearBound = 0.66

func judgeCorollary32(h hold, all []jumps, ratios []float64, found [][]pair, t formulas) reproduce.Finding {
	var f reproduce.Finding
	chart := plot.Chart{Title: "Buckets for each event against degradation, 1000 events", XLabel: "M/N", YLabel: "degradation", LogX: true, LogY: true, LegendBeside: true}
	above, nearest := 0.0, 0.0
	least, most, apart := math.Inf(1), 0.0, 0.0
	for k, j := range all {
		table := reproduce.Table{Name: j.name, Columns: []string{"M/N", "degradation", "se", "corollary 3.2", "low", "high", "corollary 3.3"}}
		series := plot.Series{Name: j.name}
		worst := 0.0
		for i, m := range bucketsFor(h.n, ratios) {
			d, says, bound := found[k][i].degradation(), t.degradation(ratios[i], j.law), t.degradationBound(ratios[i])
			low, high := t.degradationBounds(h.n, m, j.law, h.width)
			worst = max(worst, d.Outside(low, high))
			above, nearest = max(above, d.Outside(0, bound+high-low)), max(nearest, d.Mean/bound)
			table.Rows = append(table.Rows, []float64{ratios[i], d.Mean, d.SE, says, low, high, bound})
			series.Add(ratios[i], d.Mean)
			if ratios[i] == nearBound {
				least, most, apart = min(least, d.Mean), max(most, d.Mean), max(apart, math.Abs(d.Mean/says-1))
				near(&f, "degradation with M/N = 0.66, "+j.name, d, says, low, high, restOf(h.n)*says,
					"the distance between the bounds of Theorem 3.2 and section A.5, the term that E_min leaves out, and 4.5 "+
						"standard errors")
			}
		}
		worstOf(f.For(reproduce.Printed), "how far a degradation is outside of its bounds, in standard errors, at most, "+j.name, worst, len(ratios))
		f.Tables = append(f.Tables, table)
		chart.Series = append(chart.Series, series)
	}
	worstOf(f.For(reproduce.Printed), "how far a degradation is above the bound of Corollary 3.3 and its O(1/N), in standard "+
		"errors, at most", above, len(all)*len(ratios))
	f.Measured = fmt.Sprintf("Seven jumps, 1000 events, M/N from 0.3 to 3: with M/N = %g degradations are %.3f to %.3f, at most "+
		"%.1f%% off Corollary 3.2; the largest of all, for nearly constant jumps, is %.3f of the bound of Corollary 3.3.",
		nearBound, least, most, 100*apart, nearest)
	f.Notes = append(f.Notes, fmt.Sprintf("The largest degradation is %.3f of the bound of Corollary 3.3: nearly constant jumps, "+
		"with a year of 0.93 of them.", nearest))
	bound := plot.Series{Name: "Corollary 3.3"}
	for _, ratio := range ratios {
		bound.Add(ratio, t.degradationBound(ratio))
	}
	chart.Series = append(chart.Series, bound)
	f.Chart("corollary-3.2", chart)
	return f
}
