package erickson

import (
	"context"
	"fmt"

	"github.com/almanac-sim/almanac/internal/plot"
	"github.com/almanac-sim/almanac/reproduce"
)

// corollary31 is what the bounds of Theorem 3.2 close in on when there are many events.
func corollary31(e effort) reproduce.Claim {
	const name = "corollary-3.1"
	return reproduce.Claim{
		Name: name, Paper: paper, Place: "Corollary 3.1", Found: reproduce.Holds,
		Says: "With Nδ/μ = λ and M/N = r held fixed, the events of later years in a bucket tend to λ·Σ[1−F(jμλr)] as N grows.",
		How: "The hold model on calendar.Static with 30 to 10 000 events, finite and unlimited buckets on the same jumps, divided by the limit; " +
			"for pairs of λ and r, and three jumps.",
		Run: func(ctx context.Context, o reproduce.Options) (reproduce.Finding, error) {
			all, sizes := []jumps{exponentialJumps(), gammaJumps(20), lognormalJumps(1)}, []int{30, 100, 300, 1000, 3000, 10_000}
			fixed := []limitAt{{1.5, 0.5}, {0.5, 1}, {3, 0.4}} // exact decimals, so that M is whole
			r := newRunner(ctx, o, name, 2*len(all)*len(sizes)*len(fixed))
			var f reproduce.Finding
			chart := plot.Chart{Title: "Events of later years in a bucket, over their limit", XLabel: "events", YLabel: "measured over limit", LogX: true, LegendBeside: true}
			for _, j := range all {
				table := reproduce.Table{Name: j.name, Columns: []string{"lambda", "r", "events", "excess", "se", "limit", "low", "high"}}
				for _, at := range fixed {
					series := plot.Series{Name: fmt.Sprintf("%s, λ = %g, r = %g", j.name, at.lambda, at.r)}
					for _, n := range sizes {
						h := hold{jumps: j, n: n, width: at.lambda / float64(n), events: max(e.events(o, 250_000), e.events(o, 40*n)), stream: uint64(r.Done())}
						m := bucketsFor(n, []float64{at.r})
						p, err := r.pairs(h, m)
						if err != nil {
							return reproduce.Finding{}, err
						}
						excess, limit := p[0].excess(), e.excess(n, m[0], j.law, h.width)
						low, high := e.excessBounds(n, m[0], j.law, h.width)
						table.Rows = append(table.Rows, []float64{at.lambda, at.r, float64(n), excess.Mean, excess.SE, limit, low, high})
						series.Add(float64(n), excess.Mean/limit)
						if n == sizes[0] || n == sizes[len(sizes)-1] {
							near(&f, fmt.Sprintf("over the limit, %d events, λ = %g, r = %g, %s", n, at.lambda, at.r, j.name), reproduce.Estimate{Mean: excess.Mean / limit, SE: excess.SE / limit},
								1, low/limit, high/limit, 0, "the distance between the bounds of Theorem 3.2, which enclose both, and 4.5 standard errors")
						}
					}
					chart.Series = append(chart.Series, series)
				}
				judgeLimit(&f, j, table, sizes)
			}
			f.Chart("corollary-3.1", chart)
			return f, nil
		},
	}
}

// A limitAt is what stays fixed while N grows.
type limitAt struct{ lambda, r float64 }

// judgeLimit checks that every row is within the bounds of Theorem 3.2, and that these close in on the limit.
func judgeLimit(f *reproduce.Finding, j jumps, table reproduce.Table, sizes []int) {
	worst, closes, beyond := 0.0, 0.0, 0.0
	distance := func(row []float64) float64 { return (row[7] - row[6]) / row[5] }
	for i, row := range table.Rows {
		worst = max(worst, reproduce.Estimate{Mean: row[3], SE: row[4]}.Outside(row[6], row[7]))
		beyond = max(beyond, row[6]/row[5]-1, 1-row[7]/row[5])
		if row[2] == float64(sizes[len(sizes)-1]) {
			closes = max(closes, distance(row)/distance(table.Rows[i-1]))
		}
	}
	f.Check("how far from the bounds of Theorem 3.2, in standard errors, at most, "+j.name, worst, 0, reproduce.Sigmas, because)
	last := len(sizes) - 1
	shrink := float64(sizes[last-1]) / float64(sizes[last])
	f.Check("how far the limit is outside of the bounds of Theorem 3.2, as a share, at most, "+j.name, beyond, 0, 1e-9, "rounding")
	f.Check("the bounds' distance from each other, 10 000 events over 3000, "+j.name, closes, shrink, 0.1*shrink,
		"it falls as 1/N; a tenth for the terms of higher order")
	f.Tables = append(f.Tables, table)
}
