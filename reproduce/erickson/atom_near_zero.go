package erickson

import (
	"fmt"
	"math"

	"github.com/almanac-sim/almanac/internal/plot"
	"github.com/almanac-sim/almanac/reproduce"
)

// atomNearZero is what becomes of Theorem 2.1 without its assumption, that the jump has a density and that this is bounded near 0.
//
// By the exact formula the cost is b/x + c(1 + (N−1)·(1/δ)∫₀^δ P) + d with P(u) = (1/μ)∫₀^u (1−F), so it differs from
// b/x + c(1 + x/2) + d by at most a share F(δ) of the lists, and 1/N.
//
// Every density has F(δ) → 0 when N grows and δ falls as 1/N, and so the theorem's limit. One that is bounded near 0 has F(δ) = O(1/N),
// and so the theorem's order. Without the bound the order is that of F(δ): for gamma jumps of shape a < 1, N^(−a).
//
// If a mass s of jumps is exactly 0, which is no density, F(δ) → s. An event comes back at once, 1/(1−s) times on average, with
// nobody new in front of it: a bucket dispatches x events, but there are (1−s)x of them when it begins. P(u) is about (1−s)u/μ, the
// cost b/x + c(1 + (1−s)x/2) + d, and the least of it c + √(2bc(1−s)) + d at x = √(2b/(c(1−s))).
func atomNearZero(r *runner) reproduce.Finding {
	all := []jumps{exponentialJumps(), gammaJumps(0.5), gammaJumps(0.25), atomJumps(0.5)}
	sizes := []int{100, 1000, 10_000}
	r.Runs(len(all) * len(sizes))
	var f reproduce.Finding
	table := reproduce.Table{Name: "measured and exact", Columns: []string{"jump", "events", "cost", "se", "exact"}}
	furthest := 0.0
	for k, j := range all {
		worst := 0.0
		for _, n := range sizes {
			h := hold{jumps: j, n: n, width: r.width(n, 1), events: r.events(1_000_000), stream: uint64(r.Done())}
			_, _, measured := r.holdCosts(h)
			exact := exactCost(unit, n, j.law, h.width)
			worst = max(worst, measured.Outside(exact, exact))
			table.Rows = append(table.Rows, []float64{float64(k + 1), float64(n), measured.Mean, measured.SE, exact})
		}
		furthest = max(furthest, worst)
		worstOf(f.For(reproduce.Control), "how far a cost is from the exact one, in standard errors, at most, "+j.name, worst, len(sizes))
	}
	judgeAssumption(&f, all, furthest, r.formulas)
	f.Tables = append(f.Tables, table)
	return f
}

// judgeAssumption compares the exact least of each jump with the theorem's. What was simulated is so many standard errors off, at most.
func judgeAssumption(f *reproduce.Finding, all []jumps, furthest float64, t formulas) {
	table := reproduce.Table{Name: "the least, exactly", Columns: []string{"events"}}
	chart := plot.Chart{Title: "Distance of the least time per event from c + √(2bc) + d", XLabel: "events", YLabel: "distance", LogX: true, LogY: true, LegendBeside: true}
	var sizes []int
	for n := 100; n <= 1e8; n *= 10 {
		sizes = append(sizes, n)
		table.Rows = append(table.Rows, []float64{float64(n)})
	}
	least := make([][]float64, len(all)) // by jump and size
	orders := make([]float64, len(all))  // over the last tenfold
	for k, j := range all {
		series := plot.Series{Name: j.name}
		for i, n := range sizes {
			l := exactCost(unit, n, j.law, exactWidth(unit, n, j.law))
			least[k] = append(least[k], l)
			table.Rows[i] = append(table.Rows[i], l)
			series.Add(float64(n), math.Abs(l-t.least))
		}
		last := len(sizes) - 1
		orders[k] = math.Log10((least[k][last-1] - t.least) / (least[k][last] - t.least))
		table.Columns = append(table.Columns, j.name)
		chart.Series = append(chart.Series, series)
	}
	last := len(sizes) - 1
	f.Check("exponential jumps: the error's order, N^−, from 10⁷ to 10⁸ events", orders[0], t.leastOrder, 0.01, "exact: terms of higher order are 10⁻⁷ of it")
	for k, shape := range []float64{0.5, 0.25} {
		distance := math.Abs(least[k+1][last] - t.least)
		name := all[k+1].name
		f.Check(name+": the error's order, N^−, from 10⁷ to 10⁸ events", orders[k+1], shape, math.Pow(10, -7*shape)+math.Pow(10, -7*(1-shape)),
			"exact: that of F(δ); the next terms, F(δ)² and 1/N, are shares of about N^(−a) and N^(a−1)")
		f.Check(name+": the error with 10⁸ events over that with 100", distance/math.Abs(least[k+1][0]-t.least), 0, math.Pow(10, -6*shape)*2,
			"exact: it tends to 0, as N^−shape; twice that for the terms of higher order with 100 events")
	}
	f.Check("half of the jumps 0: the least with 10⁸ events", least[3][last], t.atomLeast(0.5), 1e-7, "exact: O(1/N)")
	f.Measured = fmt.Sprintf("With 10⁸ events the exact least is off 2+√2 by %.1g for exponential jumps (order N^−%.2f), %.1g for "+
		"gamma jumps of shape 1/2 (N^−%.2f), %.1g for shape 1/4 (N^−%.2f), and by %.3f with half of the jumps 0, where it is %.3f; "+
		"simulated costs are at most %.1f standard errors off the exact ones.",
		math.Abs(least[0][last]-t.least), orders[0], math.Abs(least[1][last]-t.least), orders[1], math.Abs(least[2][last]-t.least), orders[2],
		math.Abs(least[3][last]-t.least), least[3][last], furthest)
	f.Notes = append(f.Notes,
		"A point mass is no density, so the paper says nothing of it, and nothing in the paper fails. What the assumption is for: a "+
			"density alone gives F(δ) → 0, which is all that the limit needs; that it is bounded near 0 gives F(δ) = O(1/N), which "+
			"the order needs.",
		"Jumps of 0 make lists shorter, not longer: events that come back at once have nobody new in front of them.",
		"In the table of measured costs, jumps 1 to 4 are exponential, gamma of shape 1/2, gamma of shape 1/4, and half of them 0.")
	f.Tables = append(f.Tables, table)
	f.Chart("atom-near-zero", chart)
}
