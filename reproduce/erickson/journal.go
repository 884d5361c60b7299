package erickson

import (
	"fmt"
	"math"

	"github.com/almanac-sim/almanac/internal/plot"
	"github.com/almanac-sim/almanac/reproduce"
)

// journalAnyWidth is the journal's formula for the time per event at any width, which its
// calibration rests on: b/x + c(1 + x/2) + d with x = Nδ/μ, and an error of O(1/N) that is uniform
// over x in a bounded interval.
//
// By the exact formula the error is c·[(N−1)·(1/δ)∫₀^δ P − x/2]. P(u) is between (1−F(u))·u/μ and
// u/μ, so it is between −c·(x/2)·(1/N + F(δ)) and 0, and F(δ) ≤ C₀δ = C₀xμ/N by assumption J3: that
// proves it.
func journalAnyWidth(r *runner) reproduce.Finding {
	all := []jumps{exponentialJumps(), uniformJumps(1), triangularJumps(), gammaJumps(1.2), gammaJumps(20),
		lognormalJumps(1)}
	sizes, places := []int{1000, 10_000, 100_000, 1_000_000}, logarithmic(1./16, 16, 33)
	r.Runs(len(all))
	var f reproduce.Finding
	table := reproduce.Table{Name: "N times the largest error", Columns: []string{"events"}}
	for _, n := range sizes {
		table.Rows = append(table.Rows, []float64{float64(n)})
	}
	least, most := math.Inf(1), 0.0
	for _, j := range all {
		r.Checkpoint()
		table.Columns = append(table.Columns, j.name)
		var scaled []float64 // N times the largest, by size
		for i, n := range sizes {
			worst := 0.0
			for _, x := range places {
				worst = max(worst, math.Abs(exactCost(unit, n, j.law, x/float64(n))-r.predicted(unit, x)))
			}
			scaled = append(scaled, float64(n)*worst)
			table.Rows[i] = append(table.Rows[i], scaled[i])
		}
		last := len(sizes) - 1
		f.Between("N times the largest error, with 10⁶ events over 10⁵, "+j.name, scaled[last]/scaled[last-1], 0, 1,
			0.001,
			"exact: what is O(1/N) does not grow; terms of higher order")
		least, most = min(least, scaled[last]), max(most, scaled[last])
		r.Ran()
	}
	f.Measured = fmt.Sprintf("Exactly, with b = c = d = 1, six jumps and 33 values of x from 1/16 to 16: the error of "+
		"10⁶ events is at most %.1f/N to %.1f/N, depending on the jump, and N times it does not grow with N.", least, most)
	f.Tables = append(f.Tables, table)
	return f
}

// journalMinimum is that the cost has one minimum over all widths, not only near μ/N.
//
// E_N(δ), the number of events that a visit finds, is [Nδ + N(N−1)A(δ)]/(μ+Nδ) with A(δ) = ∫₀^δ P.
// Its derivative has the sign of μ + (N−1)(μP + N(δP − A)), and A ≤ δP since P grows: so E_N grows.
// The cost is K_N(δ) = bμ/(Nδ) + c(1 + (N−1)A/δ) + d, and δ²·K_N′(δ) is c(N−1)(δP − A) − bμ/N.
// There δP − A grows, from 0 to E[ξ²]/2μ, and the cost falls first and then rises, if
// N(N−1)·E[ξ²]/μ² > 2b/c. One event has no best width, and two with nearly constant jumps have none
// if b > c; the journal's proof is for large N.
func journalMinimum(r *runner) reproduce.Finding {
	all, sizes := []jumps{exponentialJumps(), uniformJumps(1), gammaJumps(20), gammaJumps(0.5), lognormalJumps(1.5),
		uniformJumps(0.05)}, []int{2, 10, 100}
	const widths = 12
	r.Runs(2 * len(sizes) * widths)
	var f reproduce.Finding
	judgeMinimum(&f, all, r.formulas)
	chart := plot.Chart{Title: "Width against time per event, over all widths, exponential jumps", XLabel: "bucket width",
		YLabel: "time per event", LogX: true, LogY: true, LegendBeside: true}
	for _, j := range all[:2] {
		table := reproduce.Table{Name: "measured, " + j.name, Columns: []string{"events", "width", "in the bucket", "se",
			"exact", "cost", "se", "exact"}}
		falls, below, off := 0.0, 0.0, 0.0
		for _, n := range sizes {
			least := exactCost(unit, n, j.law, exactWidth(unit, n, j.law))
			measured, exactly := plot.Series{Name: fmt.Sprintf("%d events", n)}, plot.Series{Name: "exact", Dashed: true}
			var before reproduce.Estimate
			for _, width := range logarithmic(1/(30*float64(n)), 10, widths) {
				h := hold{jumps: j, n: n, width: width, events: r.events(150_000), stream: uint64(r.Done())}
				works := r.run(h)
				in, c := meanOf(works, inBucket), meanOf(works, cost)
				exactIn, exact := exactInBucket(n, j.law, width), exactCost(unit, n, j.law, width)
				off = max(off, in.Outside(exactIn, exactIn), c.Outside(exact, exact))
				falls, below = max(falls, in.Minus(before).Outside(0, math.Inf(1))), max(below, c.Outside(least, math.Inf(1)))
				before = in
				table.Rows = append(table.Rows, []float64{float64(n), width, in.Mean, in.SE, exactIn, c.Mean, c.SE, exact})
				measured.Add(width, c.Mean)
				exactly.Add(width, exact)
			}
			if j.name == all[0].name {
				chart.Series = append(chart.Series, measured, exactly)
			}
		}
		worstOf(f.For(reproduce.Printed),
			"how far E_N falls from one width to the next, in standard errors, at most, "+j.name, falls, len(sizes)*widths)
		worstOf(f.For(reproduce.Printed), "how far a cost is below the exact least, in standard errors, at most, "+j.name,
			below, len(sizes)*widths)
		worstOf(f.For(reproduce.Control), "how far E_N or a cost is from the exact one, in standard errors, at most, "+j.name,
			off, 2*len(sizes)*widths)
		f.Tables = append(f.Tables, table)
	}
	f.Chart("journal-global-minimum", chart)
	return f
}

func judgeMinimum(f *reproduce.Finding, all []jumps, t formulas) {
	sizes := []int{2, 10, 100, 1000}
	table := reproduce.Table{Name: "the minimum", Columns: []string{"jump", "events", "E_N's least step",
		"turns of the cost", "best width over √2·μ/N", "least"}}
	worstWidth, worstLeast, leastStep, once := 0.0, 0.0, math.Inf(1), true
	for k, j := range all {
		step, most := math.Inf(1), 0.0
		for _, n := range sizes {
			grid := logarithmic(1e-3/float64(n), 100, 241)
			own, turns, falling := math.Inf(1), 0.0, true
			for i := 1; i < len(grid); i++ {
				own = min(own, exactInBucket(n, j.law, grid[i])/exactInBucket(n, j.law, grid[i-1])-1)
				if now := slope(unit, n, j.law, grid[i]) < 0; now != falling {
					turns, falling = turns+1, now
				}
			}
			step, most = min(step, own), max(most, math.Abs(turns-1))
			best := exactWidth(unit, n, j.law)
			table.Rows = append(table.Rows, []float64{float64(k + 1), float64(n), own, turns, best / t.width(n, 1),
				exactCost(unit, n, j.law, best)})
		}
		leastStep, once = min(leastStep, step), once && most == 0
		f.Check("how far E_N falls from one width to the next, exactly, as a share, "+j.name, max(0, -step), 0, 1e-12,
			"exact: it never falls; rounding")
		f.Check("turns of the cost beside one, from falling to rising, at most, "+j.name, most, 0, 0,
			"exact: one minimum, over all widths")
		// A density bounded near 0 leaves 1/N, and gamma jumps of shape 1/2 the order of F(δ).
		const n = 1000
		best := exactWidth(unit, n, j.law)
		rest := 1./n + j.law.CDF(best)
		width, least := best/t.width(n, 1)-1, exactCost(unit, n, j.law, best)-t.least
		f.Check("the best width of 1000 events over √2·μ/N, less 1, "+j.name, width, 0, rest,
			"exact: 1/N and F(δ) are left open")
		f.Check("the least of 1000 events, less c + √(2bc) + d, "+j.name, least, 0, math.Sqrt2*rest,
			"exact: √(2bc) times 1/N and "+
				"F(δ) is left open")
		if j.law.CDF(best) < 0.01 {
			worstWidth, worstLeast = max(worstWidth, math.Abs(width)), max(worstLeast, math.Abs(least))
		}
	}
	f.Measured = fmt.Sprintf("Exactly, over 241 widths, 2 to 1000 events and six jumps: E_N grows by %.2g%% at least "+
		"from one width "+
		"to the next, and the cost turns from falling to rising %s; with 1000 events the minimum is within %.2f%% of "+
		"√2·μ/N and "+
		"%.4f of 2+√2 for the densities that are bounded near 0.", 100*leastStep, map[bool]string{true: "once",
		false: "not just once"}[once], 100*worstWidth, worstLeast)
	f.Tables = append(f.Tables, table)
}
