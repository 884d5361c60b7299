package erickson

import (
	"fmt"
	"math"
	"strings"

	"github.com/almanac-sim/almanac/internal/plot"
	"github.com/almanac-sim/almanac/reproduce"
)

// theorem21Orders is how fast the best width and the least time tend to what Theorem 2.1 has for them.
//
// By the exact formula the derivative of the cost is 0 where c(N−1)·∫₀^δ y(1−F(y)) dy = bμ²/N. The integral is δ²/2 less ∫₀^δ yF(y)
// dy, which is O(δ³) if the density is bounded near 0, and f(0)δ³/3 to that order. So with ω = √(2b/c) the width is ωμ/N·(1 + (1/2
// + ωμf(0)/3)/N): the error is of order N^(−2), and the paper's O(N^(−3/2)) is true but can be improved. The least is c + √(2bc) +
// d − cω(1/2 + ωμf(0)/6)/N: of order 1/N and no less, whatever the jump.
func theorem21Orders(r *runner) reproduce.Finding {
	all := []orderedJumps{{exponentialJumps(), 1}, {uniformJumps(1), 0.5}, {triangularJumps(), 0}, {gammaJumps(1.2), 0}, {gammaJumps(20), 0}, {lognormalJumps(1), 0}}
	sizes := []int{3, 10, 30, 100, 300}
	r.Runs(2 * len(sizes))
	var f reproduce.Finding
	judgeOrders(&f, all, r.formulas)
	for _, j := range all[:2] {
		table := reproduce.Table{Name: "measured, " + j.name, Columns: []string{"events", "cost", "se", "exact", "N(E_min − cost)"}}
		worst := 0.0
		for _, n := range sizes {
			h := hold{jumps: j.jumps, n: n, width: r.width(n, 1), events: r.events(1_000_000), stream: uint64(r.Done())}
			_, _, c := r.holdCosts(h)
			exact := exactCost(unit, n, j.law, h.width)
			worst = max(worst, c.Outside(exact, exact))
			table.Rows = append(table.Rows, []float64{float64(n), c.Mean, c.SE, exact, float64(n) * (r.least - c.Mean)})
		}
		worstOf(f.For(reproduce.Control), "how far a cost is from the exact one, in standard errors, at most, "+j.name, worst, len(sizes))
		f.Tables = append(f.Tables, table)
	}
	return f
}

// orderedJumps are jumps with their density at 0.
type orderedJumps struct {
	jumps
	atZero float64
}

func judgeOrders(f *reproduce.Finding, all []orderedJumps, t formulas) {
	sizes := []int{100, 1000, 10_000, 100_000, 1_000_000}
	chart := plot.Chart{Title: "Errors of the best width and of the least time, exactly", XLabel: "events", YLabel: "error",
		LogX: true, LogY: true, LegendBeside: true}
	var limits []string
	slowest := [2]float64{math.Inf(1), math.Inf(1)} // orders
	for _, j := range all {
		table := reproduce.Table{Name: j.name, Columns: []string{"events", "best width", "off by", "N² times that", "least time", "off by", "N times that"}}
		width, least := make([]float64, len(sizes)), make([]float64, len(sizes)) // the errors
		widthSeries, leastSeries := plot.Series{Name: "width, " + j.name}, plot.Series{Name: "time, " + j.name, Same: true, Triangles: true}
		for i, n := range sizes {
			events := float64(n)
			best := exactWidth(unit, n, j.law)
			cost := exactCost(unit, n, j.law, best)
			width[i], least[i] = math.Abs(best-t.width(n, 1)), math.Abs(cost-t.least)
			table.Rows = append(table.Rows, []float64{events, best, width[i], events * events * width[i], cost, least[i], events * least[i]})
			widthSeries.Add(events, width[i])
			leastSeries.Add(events, least[i])
		}
		// O(N^−order): over the last tenfold the error times N^order must not grow.
		last := len(sizes) - 1
		f.Between("N^(3/2) times the error of the width, with 10⁶ events over 10⁵, "+j.name, width[last]/width[last-1]*math.Pow(10, t.widthOrder), 0, 1, 0.001,
			"exact: what is O(N^(−3/2)) does not grow; terms of higher order")
		f.Between("N times the error of the least time, with 10⁶ events over 10⁵, "+j.name, least[last]/least[last-1]*math.Pow(10, t.leastOrder), 0, 1, 0.001,
			"exact: what is O(1/N) does not grow; terms of higher order")
		// Our constants, which say that the width is better than that, and the time not.
		events, x := float64(sizes[last]), math.Sqrt2
		ours := f.For(reproduce.Control)
		// Beyond f(0)δ, F(δ) has what falls faster, though for gamma jumps of shape 1.2 not much.
		more := math.Abs(j.law.CDF(t.width(sizes[last], 1))-j.atZero*t.width(sizes[last], 1)) * events
		want := x * (0.5 + x*j.atZero/3)
		ours.Check("N² times the error of the width, "+j.name, events*events*width[last], want, (0.001+more)*want, "√(2b/c)·μ·(1/2 + √(2b/c)·μ·f(0)/3), derived; a thousandth, and N·(F(δ) − f(0)δ)")
		want = x * (0.5 + x*j.atZero/6)
		ours.Check("N times the error of the least time, "+j.name, events*least[last], want, (0.001+more)*want, "√(2bc)·(1/2 + √(2b/c)·μ·f(0)/6), derived; a thousandth, and N·(F(δ) − f(0)δ)")
		slowest[0], slowest[1] = min(slowest[0], math.Log10(width[last-1]/width[last])), min(slowest[1], math.Log10(least[last-1]/least[last]))
		if j.atZero > 0 {
			limits = append(limits, fmt.Sprintf("%.3f/N² and %.3f/N for %s jumps", events*events*width[last], events*least[last], j.name))
		}
		f.Tables = append(f.Tables, table)
		if j.name == all[0].name || j.name == all[4].name { // the others are between
			chart.Series = append(chart.Series, widthSeries, leastSeries)
		}
	}
	for _, order := range []float64{t.widthOrder, t.leastOrder} {
		line := plot.Series{Name: fmt.Sprintf("N^(−%g)", order), Dashed: true}
		for _, n := range sizes {
			line.Add(float64(n), math.Pow(float64(n), -order))
		}
		chart.Series = append(chart.Series, line)
	}
	f.Measured = fmt.Sprintf("Exactly, with b = c = d = μ = 1, the width and the least time are off by %s; over six jumps the "+
		"orders from 10⁵ to 10⁶ events are N^−%.2f and N^−%.2f at worst.",
		strings.Join(limits, ", "), slowest[0], slowest[1])
	f.Notes = append(f.Notes, "The order of the width can be improved to N^(−2): with ω = √(2b/c), the best width is ωμ/N·(1 + (1/2 "+
		"+ ωμf(0)/3)/N), and the least c + √(2bc) + d − cω(1/2 + ωμf(0)/6)/N. That of the time cannot.")
	f.Chart("theorem-2.1-orders", chart)
}
