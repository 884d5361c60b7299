package erickson

import (
	"fmt"
	"math"
	"strings"

	"github.com/almanac-sim/almanac/internal/plot"
	"github.com/almanac-sim/almanac/reproduce"
)

// figure3 is the degradation for two ratios of buckets to events, over the number of events.
func figure3(r *runner) reproduce.Finding {
	most := 1e5 * min(1, r.scale)
	if r.Options.Full {
		most *= 10
	}
	var sizes []int
	for n := 100.0; n < 1.1*most; n *= math.Sqrt(10) {
		sizes = append(sizes, int(math.Round(n)))
	}
	r.Runs(3 * len(sizes))
	found := make([][]pair, len(sizes))
	for i, n := range sizes {
		// Batches of half a jump of every event at least: exponential jumps have no memory beyond that.
		h := hold{jumps: exponentialJumps(), n: n, width: r.width(n, 1), events: max(r.events(1_500_000), batches*n/2), stream: uint64(i)}
		found[i] = r.pairs(h, bucketsFor(n, figure3Ratios))
	}
	return judgeFigure3(sizes, found, r.formulas)
}

// figure3Ratios are M/N.
var figure3Ratios = []float64{1.92, 3.02}

// rounding is the share by which a degradation may be off because M/N has two decimals: where M/N grows by 1, the logarithm of ε falls
// by √2 and a little more.
const rounding = 0.005 * math.Sqrt2 * 1.1

func judgeFigure3(sizes []int, found [][]pair, t formulas) reproduce.Finding {
	var f reproduce.Finding
	table := reproduce.Table{Name: "degradation against events", Columns: []string{"events", "buckets", "degradation", "se", "equation 3", "low", "high"}}
	chart := plot.Chart{Title: "Events against degradation, exponential jumps", XLabel: "events", YLabel: "degradation", LogX: true, FromZero: true, LegendBeside: true}
	law := exponentialJumps().law
	var measuredAs []string
	outside := 0.0
	for k, ratio := range figure3Ratios {
		measured, equation := plot.Series{Name: fmt.Sprintf("M/N = %g", ratio)}, plot.Series{Name: fmt.Sprintf("equation 3 for %g", ratio)}
		says, worst := t.degradation(ratio, law), 0.0
		for i, n := range sizes {
			m := bucketsFor(n, figure3Ratios)[k]
			d := found[i][k].degradation()
			low, high := t.degradationBounds(n, m, law, t.width(n, 1))
			worst = max(worst, d.Outside(low, high))
			table.Rows = append(table.Rows, []float64{float64(n), float64(m), d.Mean, d.SE, says, low, high})
			measured.Add(float64(n), d.Mean)
			measured.Low, measured.High = append(measured.Low, d.Mean-2*d.SE), append(measured.High, d.Mean+2*d.SE)
			equation.Add(float64(n), says)
			if i == len(sizes)-1 {
				measuredAs = append(measuredAs, fmt.Sprintf("%.2f%% ± %.2f%% for M/N = %g", 100*d.Mean, 100*d.SE, ratio))
				near(&f, fmt.Sprintf("degradation with %d events and M/N = %g", n, ratio), d, t.figure3[k], low, high, rounding*t.figure3[k]+restOf(n)*says,
					"the distance between the bounds of Theorem 3.2 and section A.5, the paper's rounding of M/N, and 4.5 standard errors")
			}
		}
		outside = max(outside, worst)
		worstOf(f.For(reproduce.Printed), fmt.Sprintf("how far a degradation with M/N = %g is outside of its bounds, in standard "+
			"errors, at most", ratio), worst, len(sizes))
		f.Check(fmt.Sprintf("equation 3 at M/N = %g", ratio), says, t.figure3[k], rounding*t.figure3[k],
			"the paper gives M/N to two decimals")
		chart.Series = append(chart.Series, measured, equation)
	}
	f.Tables = append(f.Tables, table)
	f.Measured = fmt.Sprintf("With %d events, %s; from 100 events on, at most %.1f standard errors outside of what the theorems "+
		"allow.", sizes[len(sizes)-1], strings.Join(measuredAs, " and "), outside)
	f.Chart("figure-3", chart)
	return f
}
