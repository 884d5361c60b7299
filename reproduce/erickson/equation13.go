package erickson

import (
	"fmt"

	"github.com/almanac-sim/almanac/internal/plot"
	"github.com/almanac-sim/almanac/reproduce"
)

// equation13 is how many events a bucket has when it begins.
func equation13(r *runner) reproduce.Finding {
	r.Runs(len(occupancyJumps()) * len(occupancySizes))
	var f reproduce.Finding
	chart := plot.Chart{Title: "Events in a bucket when it begins, 10 events", XLabel: "events", YLabel: "share of buckets", FromZero: true, LegendBeside: true}
	cells, worstOfAll := 0, 0.0
	for _, j := range occupancyJumps() {
		table := reproduce.Table{Name: j.name, Columns: []string{"events", "width", "p", "in the bucket", "share", "se", "binomial"}}
		worst, own := 0.0, 0
		for _, at := range occupancySizes {
			h := hold{jumps: j, n: at.n, width: at.width, events: r.events(400_000), stream: uint64(r.Done())}
			counts := r.occupancy(h)
			p := r.hit(j.law, h.width)
			measured, says := plot.Series{Name: j.name}, plot.Series{Name: "binomial", Dashed: true}
			for i := range counts[0].beginning {
				share, want := shareOf(counts, beginning, i), together(h.n, i, func(k int) float64 { return r.binomial(h.n, p, k) })
				worst = max(worst, share.Outside(want, want))
				cells, own = cells+1, own+1
				table.Rows = append(table.Rows, []float64{float64(h.n), h.width, p, float64(i), share.Mean, share.SE, want})
				if i <= 7 {
					measured.Add(float64(i), share.Mean)
					says.Add(float64(i), want)
				}
			}
			if h.n == 10 && (j.law.CDF(h.width) == 0 || j.law.CDF(h.width) > 0.3) { // the extremes
				chart.Series = append(chart.Series, measured, says)
			}
		}
		worstOfAll = max(worstOfAll, worst)
		worstOf(f.For(reproduce.Printed), "how far a share is from the binomial, in standard errors, at most, "+j.name, worst, own)
		f.Tables = append(f.Tables, table)
	}
	f.Measured = fmt.Sprintf("The %d shares of buckets that begin with 0, 1, 2 … of 2, 10 and 100 events, five jumps, are "+
		"at most %.1f standard errors off the binomial.", cells, worstOfAll)
	f.Chart("equation-13", chart)
	return f
}
