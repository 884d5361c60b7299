package erickson

import (
	"fmt"
	"math"

	"github.com/almanac-sim/almanac/internal/plot"
	"github.com/almanac-sim/almanac/reproduce"
)

// emptyShare is how often a visit finds nothing.
func emptyShare(r *runner) reproduce.Finding {
	all, sizes := []jumps{exponentialJumps(), uniformJumps(1)}, []int{1, 10, 100, 1000, 10_000}
	ratios := []float64{0.25, 0.5, 1, math.Sqrt2, 2, 4, 8}
	r.Runs(len(all) * len(sizes) * len(ratios))
	var f reproduce.Finding
	measured := map[int]*plot.Series{}
	runs, furthest := 0, 0.0
	for k, j := range all {
		table := reproduce.Table{Name: "share of empty buckets, " + j.name, Columns: []string{"events", "width", "share", "se", "equation 8"}}
		for _, n := range sizes {
			worst := 0.0
			series := &plot.Series{Name: fmt.Sprintf("N = %d", n)}
			for _, x := range ratios {
				h := hold{jumps: j, n: n, width: x / float64(n), events: r.events(300_000), stream: uint64(r.Done())}
				works := r.run(h)
				q0, want := meanOf(works, emptyVisits), r.emptyShare(n, 1, h.width)
				worst = max(worst, q0.Outside(want, want))
				runs, furthest = runs+1, max(furthest, q0.Outside(want, want))
				if n == 1000 && k == 0 && x == math.Sqrt2 {
					f.Measured = fmt.Sprintf("At the best width of 1000 events %.4f ± %.4f of the visits find nothing "+
						"(1/(1+√2) = %.4f)", q0.Mean, q0.SE, 1/(1+math.Sqrt2))
				}
				table.Rows = append(table.Rows, []float64{float64(n), h.width, q0.Mean, q0.SE, want})
				series.Add(x, q0.Mean)
				if k == 0 && x == math.Sqrt2 {
					f.Check(fmt.Sprintf("share of empty buckets at the best width, %d events", n), q0.Mean, 1/(1+math.Sqrt2), reproduce.Sigmas*q0.SE, because)
				}
			}
			worstOf(f.For(reproduce.Printed), fmt.Sprintf("how far a share is from equation 8, in standard errors, at most, "+
				"%d events, %s", n, j.name), worst, len(ratios))
			measured[n] = series
		}
		f.Tables = append(f.Tables, table)
	}
	f.Measured += fmt.Sprintf("; the %d shares, for 1 to 10 000 events and two jumps, are at most %.1f standard errors off "+
		"equation 8.", runs, furthest)
	f.Chart("empty-share", emptyChart(sizes, measured))
	return f
}

func emptyChart(sizes []int, measured map[int]*plot.Series) plot.Chart {
	c := plot.Chart{Title: "Share of visits that find an empty bucket", XLabel: "Nδ/μ", YLabel: "share", LogX: true, FromZero: true, LegendBeside: true}
	equation := plot.Series{Name: "equation 8"}
	for _, x := range logarithmic(0.25, 8, 50) {
		equation.Add(x, 1/(1+x))
	}
	for _, n := range sizes {
		c.Series = append(c.Series, *measured[n])
	}
	c.Series = append(c.Series, equation)
	return c
}
