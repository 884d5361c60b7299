package erickson

import (
	"fmt"

	"github.com/almanac-sim/almanac/internal/plot"
	"github.com/almanac-sim/almanac/reproduce"
)

// figure2 is the cost against the number of buckets: with few of them, lists are full of events of later years.
func figure2(r *runner) reproduce.Finding {
	var buckets []int
	for _, m := range logarithmic(100, 5000, 18) {
		buckets = append(buckets, int(m+0.5))
	}
	h := hold{jumps: exponentialJumps(), n: 1000, width: r.width(1000, 1), events: r.events(800_000)}
	r.Runs(len(buckets) + 1)
	pairs := r.pairs(h, buckets)
	return judgeFigure2(h, buckets, pairs, r.formulas)
}

func judgeFigure2(h hold, buckets []int, pairs []pair, t formulas) reproduce.Finding {
	var f reproduce.Finding
	table := reproduce.Table{Name: "cost against buckets", Columns: []string{"buckets", "cost", "cost se", "more than unlimited", "se", "low", "high"}}
	least, most := t.bounds(h.n, h.jumps.law, h.width)
	var measured, theoretic, limit plot.Series
	measured.Name, theoretic.Name, limit.Name = "measured", "bounds of Theorem 3.2", "unlimited"
	worst, worstExtra := 0.0, 0.0
	unlimited := meanOf(pairs[0].unlimited, cost)
	for i, m := range buckets {
		c, extra := meanOf(pairs[i].finite, cost), pairs[i].extra()
		low, high := t.extraBounds(h.n, m, h.jumps.law, h.width)
		worst = max(worst, c.Outside(least+low, most+high))
		worstExtra = max(worstExtra, extra.Outside(low, high))
		x := float64(m)
		table.Rows = append(table.Rows, []float64{x, c.Mean, c.SE, extra.Mean, extra.SE, least + low, most + high})
		measured.Add(x, c.Mean)
		theoretic.Add(x, (least+low+most+high)/2)
		theoretic.Low, theoretic.High = append(theoretic.Low, least+low), append(theoretic.High, most+high)
		limit.Add(x, unlimited.Mean)
	}
	near(&f, "cost with unlimited buckets", unlimited, t.least, least, most, restOf(h.n), becauseNear)
	worstOf(f.For(reproduce.Printed), "how far a cost is outside of E + (1+x)/x·L_M with the bounds of Theorem 3.2, in standard "+
		"errors, at most", worst, len(buckets))
	worstOf(f.For(reproduce.Printed), "the same for the difference from unlimited buckets on the same jumps", worstExtra, len(buckets))
	first, last := pairs[0].extra(), pairs[len(pairs)-1].extra()
	low, high := t.extraBounds(h.n, buckets[len(buckets)-1], h.jumps.law, h.width)
	f.Between("what 5000 buckets take more than unlimited ones", last.Mean, low, high, reproduce.Sigmas*last.SE, "the bounds of Theorem 3.2, and 4.5 standard errors")
	low, high = t.extraBounds(h.n, buckets[0], h.jumps.law, h.width)
	f.Between("what 100 buckets take more than unlimited ones", first.Mean, low, high, reproduce.Sigmas*first.SE, "the bounds of Theorem 3.2, and 4.5 standard errors")
	f.Measured = fmt.Sprintf("100 buckets take %.2f more than unlimited ones, %d buckets %.3f and 5000 buckets %.4f; unlimited ones "+
		"take %.3f ± %.3f. Over 18 numbers of buckets, what they take more is at most %.1f standard errors outside of the bounds of "+
		"Theorem 3.2.",
		first.Mean, buckets[10], pairs[10].extra().Mean, last.Mean, unlimited.Mean, unlimited.SE, worstExtra)
	f.Tables = append(f.Tables, table)
	f.Chart("figure-2", plot.Chart{Title: "Buckets against time per event, 1000 events, exponential jumps", XLabel: "buckets",
		YLabel: "time per event", FromZero: true, LegendBeside: true, Series: []plot.Series{measured, theoretic, limit}})
	return f
}
