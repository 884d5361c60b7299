package erickson

import (
	"fmt"

	"github.com/almanac-sim/almanac/internal/plot"
	"github.com/almanac-sim/almanac/reproduce"
)

// equations15and16 are the bounds for each share of visits, from which all others follow.
func equations15and16(r *runner) reproduce.Finding {
	r.Runs(len(occupancyJumps()) * len(occupancySizes))
	var f reproduce.Finding
	chart := plot.Chart{Title: "Share of visits that find j of 10 events, over the lower bound (15)", XLabel: "j", YLabel: "share over bound", LegendBeside: true}
	cells, outsideOfAll, worstOfAll, widest, nearest, one := 0, 0.0, 0.0, 0.0, 0.0, 0.0
	for _, j := range occupancyJumps() {
		table := reproduce.Table{Name: j.name, Columns: []string{"events", "width", "F(δ)", "j", "share", "se", "(15)", "(16)", "exact"}}
		outside, off, beyond, own := 0.0, 0.0, 0.0, 0
		for _, at := range occupancySizes {
			h := hold{jumps: j, n: at.n, width: at.width, events: r.events(400_000), stream: uint64(r.Done())}
			counts := r.occupancy(h)
			exact := exactShares(h.n, j.law, h.width, h.n)
			measured, upper := plot.Series{Name: j.name}, plot.Series{Name: "(16)", Dashed: true, Same: true}
			for i := 1; i < len(counts[0].visited); i++ {
				share := shareOf(counts, visited, i)
				low := together(h.n, i, func(k int) float64 { low, _ := r.shareBounds(h.n, j.law, h.width, k); return low })
				high := together(h.n, i, func(k int) float64 { _, high := r.shareBounds(h.n, j.law, h.width, k); return high })
				want := together(h.n, i, func(k int) float64 { return exact[k] })
				outside, off = max(outside, share.Outside(low, high)), max(off, share.Outside(want, want))
				beyond = max(beyond, low/want-1, 1-high/want)
				cells, own = cells+1, own+1
				if j.law.CDF(h.width) == 0 {
					one = max(one, high-low)
				}
				widest, nearest = max(widest, high/low), max(nearest, want/low)
				table.Rows = append(table.Rows, []float64{float64(h.n), h.width, j.law.CDF(h.width), float64(i), share.Mean, share.SE, low, high, want})
				if h.n == 10 && i <= 5 {
					measured.Add(float64(i), share.Mean/low)
					upper.Add(float64(i), high/low)
				}
			}
			if h.n == 10 {
				chart.Series = append(chart.Series, measured, upper)
			}
		}
		outsideOfAll, worstOfAll = max(outsideOfAll, outside), max(worstOfAll, off)
		worstOf(f.For(reproduce.Printed), "how far a share is outside of (15) and (16), in standard errors, at most, "+j.name, outside, own)
		f.Check("how far an exact share is outside of (15) and (16), as a share of itself, at most, "+j.name, beyond, 0, 1e-7, "rounding of the integrals")
		worstOf(f.For(reproduce.Control), "how far a share is from the exact one, in standard errors, at most, "+j.name, off, own)
		f.Tables = append(f.Tables, table)
	}
	f.Measured = fmt.Sprintf("The %d shares are at most %.1f standard errors outside of the bounds, which are up to a "+
		"factor of %.1f apart, and %.1f off the exact ones, which are up to %.2f times the lower bound; where F(δ) = 0 the "+
		"bounds are %.1g apart.", cells, outsideOfAll, widest, worstOfAll, nearest, one)
	f.Notes = append(f.Notes, "The exact share is q_j = q₀·(N/μ)·∫₀^δ C(N−1, j−1)·P(u)^(j−1)·(1−P(u))^(N−j) du with P(u) = "+
		"(1/μ)∫₀^u [1−F], derived here; the paper has no explicit formula for it. With v = P(u) it is the tail of the "+
		"binomial but for a factor 1/(1−F), which is between 1 and 1/(1−F(δ)): that proves (15) and (16) again.")
	f.Chart("equations-15-and-16", chart)
	return f
}
