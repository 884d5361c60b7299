package erickson

import (
	"fmt"

	"github.com/almanac-sim/almanac/internal/plot"
	"github.com/almanac-sim/almanac/reproduce"
)

// theorem32 is how many events of later years are in the current bucket.
func theorem32(r *runner) reproduce.Finding {
	all := []jumps{exponentialJumps(), uniformJumps(1), gammaJumps(20), gammaJumps(1.2), lognormalJumps(1), paretoJumps(2.5, 60)}
	ratios := []float64{0.1, 0.25, 0.5, 1, 2, 3}
	r.Runs(len(all) * (len(ratios) + 1))
	found := make([][]pair, len(all))
	h := hold{n: 1000, width: r.width(1000, 1), events: r.events(500_000)}
	for k, j := range all {
		h.jumps, h.stream = j, uint64(k)
		found[k] = r.pairs(h, bucketsFor(h.n, ratios))
	}
	return judgeTheorem32(h, all, ratios, found, r.formulas)
}

func judgeTheorem32(h hold, all []jumps, ratios []float64, found [][]pair, t formulas) reproduce.Finding {
	var f reproduce.Finding
	chart := plot.Chart{Title: "Buckets for each event against events of later years in a bucket", XLabel: "M/N", YLabel: "L_M", LogX: true, LogY: true, LegendBeside: true}
	apart, outside, furthest := 0.0, 0.0, 0.0
	for k, j := range all {
		table := reproduce.Table{Name: j.name, Columns: []string{"buckets", "excess", "se", "low", "high", "exact", "corollary 3.1"}}
		series := plot.Series{Name: j.name}
		worst, off := 0.0, 0.0
		for i, m := range bucketsFor(h.n, ratios) {
			excess := found[k][i].excess()
			low, high := t.excessBounds(h.n, m, j.law, h.width)
			worst = max(worst, excess.Outside(low, high))
			exact := exactExcess(h.n, m, j.law, h.width)
			off = max(off, excess.Outside(exact, exact))
			if low > 0 {
				apart = max(apart, high/low-1)
			}
			table.Rows = append(table.Rows, []float64{float64(m), excess.Mean, excess.SE, low, high, exact, t.excess(h.n, m, j.law, h.width)})
			series.Add(ratios[i], excess.Mean)
			if ratios[i] == 1 {
				f.Between("events of later years in a bucket with M = N, "+j.name, excess.Mean, low, high, reproduce.Sigmas*excess.SE, "the bounds of Theorem 3.2, and 4.5 standard errors")
			}
		}
		worstOf(f.For(reproduce.Printed), "how far from the bounds of Theorem 3.2, in standard errors, at most, "+j.name, worst, len(ratios))
		worstOf(f.For(reproduce.Control), "how far from the exact L_M, in standard errors, at most, "+j.name, off, len(ratios))
		outside, furthest = max(outside, worst), max(furthest, off)
		f.Tables = append(f.Tables, table)
		chart.Series = append(chart.Series, series)
	}
	f.Measured = fmt.Sprintf("The %d L_M, for six jumps and M/N from 0.1 to 3, are at most %.1f standard errors outside of the "+
		"bounds, which are up to %.1f%% apart, and %.1f off the exact L_M that is derived here.",
		len(all)*len(ratios), outside, 100*apart, furthest)
	f.Chart("theorem-3.2", chart)
	return f
}
