package erickson

import (
	"fmt"
	"math"
	"strings"

	"github.com/almanac-sim/almanac/internal/plot"
	"github.com/almanac-sim/almanac/reproduce"
)

// figure1 is the cost against the width: too narrow and there are empty buckets, too wide and there
// are long lists.
func figure1(r *runner) reproduce.Finding {
	widths := logarithmic(0.002, 0.1, 33)
	best := r.width(100, 1)
	widths = append(widths, best/4, best, 4*best)
	r.Runs(len(widths))
	points := make([]widthPoint, len(widths))
	for i, width := range widths {
		h := hold{jumps: exponentialJumps(), n: 100, width: width, events: r.events(800_000), stream: uint64(i)}
		points[i] = r.widthPoint(h)
	}
	return judgeFigure1(points, best, r.formulas)
}

// judgeFigure1 has the grid, then a quarter of the best width, the best, and four times that.
func judgeFigure1(points []widthPoint, best float64, t formulas) reproduce.Finding {
	var f reproduce.Finding
	grid, marks := points[:len(points)-3], points[len(points)-3:]
	at := marks[1]
	near(f.For(reproduce.Printed), "cost at the best width", at.cost, t.least, at.low, at.high, restOf(100), becauseNear)
	f.Between("cost at a quarter of the best width, less that at the best", marks[0].cost.Mean-at.cost.Mean,
		marks[0].low-at.high, marks[0].high-at.low, reproduce.Sigmas*marks[0].cost.Minus(at.cost).SE,
		"the bounds of section A.5, "+
			"and 4.5 standard errors")
	f.Between("cost at four times the best width, less that at the best", marks[2].cost.Mean-at.cost.Mean,
		marks[2].low-at.high, marks[2].high-at.low, reproduce.Sigmas*marks[2].cost.Minus(at.cost).SE,
		"the bounds of section A.5, "+
			"and 4.5 standard errors")

	least, worst, off := grid[0], 0.0, 0.0
	from, to := math.Inf(1), 0.0
	for _, p := range grid {
		if p.cost.Mean < least.cost.Mean {
			least = p
		}
		exact := exactCost(unit, 100, exponentialJumps().law, p.width)
		worst, off = max(worst, p.cost.Outside(p.low, p.high)), max(off, p.cost.Outside(exact, exact))
		if p.low-reproduce.Sigmas*p.cost.SE <= at.high+reproduce.Sigmas*at.cost.SE {
			from, to = min(from, p.width), max(to, p.width)
		}
	}
	worstOf(f.For(reproduce.Printed), "how far a width's cost is outside of its bounds, in standard errors, at most",
		worst, len(grid))
	worstOf(f.For(reproduce.Control), "how far a width's cost is from the exact one, in standard errors, at most", off,
		len(grid))
	f.Between("the width that took least, over the best", least.width/best, from/best, to/best, 0,
		"the curve is flat: at these widths of the grid the bounds do not tell the cost from that at the best width")
	f.Between("the least cost of the grid, less that at the best width", least.cost.Mean-at.cost.Mean,
		least.low-at.high, 0, reproduce.Sigmas*least.cost.Minus(at.cost).SE,
		"no width takes less than the best, but for the "+
			"bounds, O(1/N), and 4.5 standard errors")
	f.Measured = fmt.Sprintf("At the width √2/100 an event takes %.3f ± %.3f (2 + √2 = %.3f; exactly %.3f with "+
		"100 events), a "+
		"quarter of it takes %.2f and four times that %.2f; of 33 widths the least is %.3f, at %.2f of √2/100.",
		at.cost.Mean, at.cost.SE, 2+math.Sqrt2, exactCost(unit, 100, exponentialJumps().law, math.Sqrt2/100),
		marks[0].cost.Mean, marks[2].cost.Mean, least.cost.Mean, least.width/best)
	f.Tables = append(f.Tables, widthTable("cost against width", points))
	f.Chart("figure-1", widthChart("Width against time per event, 100 events, exponential jumps", grid))
	return f
}

func widthChart(title string, points []widthPoint) plot.Chart {
	measured, about, bounds := plot.Series{Name: "measured"}, plot.Series{Name: "approximation"},
		plot.Series{Name: "bounds"}
	for _, p := range points {
		measured.Add(p.width, p.cost.Mean)
		about.Add(p.width, p.about)
		bounds.Add(p.width, (p.low+p.high)/2)
		bounds.Low, bounds.High = append(bounds.Low, p.low), append(bounds.High, p.high)
	}
	return plot.Chart{Title: title, XLabel: "bucket width", YLabel: "time per event", FromZero: true, LegendBeside: true,
		Series: []plot.Series{measured, about, bounds}}
}

// theorem21Orders is how fast the best width and the least time tend to what Theorem 2.1 has for
// them.
//
// By the exact formula the derivative of the cost is 0 where c(N−1)·∫₀^δ y(1−F(y)) dy = bμ²/N. The
// integral is δ²/2 less ∫₀^δ yF(y) dy, which is O(δ³) if the density is bounded near 0, and
// f(0)δ³/3 to that order. So with ω = √(2b/c) the width is ωμ/N·(1 + (1/2 + ωμf(0)/3)/N): the error
// is of order N^(−2), and the paper's O(N^(−3/2)) is true but can be improved. The least is c +
// √(2bc) + d − cω(1/2 + ωμf(0)/6)/N: of order 1/N and no less, whatever the jump.
func theorem21Orders(r *runner) reproduce.Finding {
	all := []orderedJumps{{exponentialJumps(), 1}, {uniformJumps(1), 0.5}, {triangularJumps(), 0}, {gammaJumps(1.2), 0},
		{gammaJumps(20), 0}, {lognormalJumps(1), 0}}
	sizes := []int{3, 10, 30, 100, 300}
	r.Runs(2 * len(sizes))
	var f reproduce.Finding
	judgeOrders(&f, all, r.formulas)
	for _, j := range all[:2] {
		table := reproduce.Table{Name: "measured, " + j.name, Columns: []string{"events", "cost", "se", "exact",
			"N(E_min − cost)"}}
		worst := 0.0
		for _, n := range sizes {
			h := hold{jumps: j.jumps, n: n, width: r.width(n, 1), events: r.events(1_000_000), stream: uint64(r.Done())}
			_, _, c := r.holdCosts(h)
			exact := exactCost(unit, n, j.law, h.width)
			worst = max(worst, c.Outside(exact, exact))
			table.Rows = append(table.Rows, []float64{float64(n), c.Mean, c.SE, exact, float64(n) * (r.least - c.Mean)})
		}
		worstOf(f.For(reproduce.Control), "how far a cost is from the exact one, in standard errors, at most, "+j.name, worst,
			len(sizes))
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
	chart := plot.Chart{Title: "Errors of the best width and of the least time, exactly", XLabel: "events",
		YLabel: "error",
		LogX:   true, LogY: true, LegendBeside: true}
	var limits []string
	slowest := [2]float64{math.Inf(1), math.Inf(1)} // orders
	for _, j := range all {
		table := reproduce.Table{Name: j.name, Columns: []string{"events", "best width", "off by", "N² times that",
			"least time", "off by", "N times that"}}
		width, least := make([]float64, len(sizes)), make([]float64, len(sizes)) // the errors
		widthSeries, leastSeries := plot.Series{Name: "width, " + j.name}, plot.Series{Name: "time, " + j.name, Same: true,
			Triangles: true}
		for i, n := range sizes {
			events := float64(n)
			best := exactWidth(unit, n, j.law)
			cost := exactCost(unit, n, j.law, best)
			width[i], least[i] = math.Abs(best-t.width(n, 1)), math.Abs(cost-t.least)
			table.Rows = append(table.Rows, []float64{events, best, width[i], events * events * width[i], cost, least[i],
				events * least[i]})
			widthSeries.Add(events, width[i])
			leastSeries.Add(events, least[i])
		}
		// O(N^−order): over the last tenfold the error times N^order must not grow.
		last := len(sizes) - 1
		f.Between("N^(3/2) times the error of the width, with 10⁶ events over 10⁵, "+j.name,
			width[last]/width[last-1]*math.Pow(10, t.widthOrder), 0, 1, 0.001,
			"exact: what is O(N^(−3/2)) does not grow; terms of higher order")
		f.Between("N times the error of the least time, with 10⁶ events over 10⁵, "+j.name,
			least[last]/least[last-1]*math.Pow(10, t.leastOrder), 0, 1, 0.001,
			"exact: what is O(1/N) does not grow; terms of higher order")
		// Our constants, which say that the width is better than that, and the time not.
		events, x := float64(sizes[last]), math.Sqrt2
		ours := f.For(reproduce.Control)
		// Beyond f(0)δ, F(δ) has what falls faster, though for gamma jumps of shape 1.2 not much.
		more := math.Abs(j.law.CDF(t.width(sizes[last], 1))-j.atZero*t.width(sizes[last], 1)) * events
		want := x * (0.5 + x*j.atZero/3)
		ours.Check("N² times the error of the width, "+j.name, events*events*width[last], want, (0.001+more)*want,
			"√(2b/c)·μ·(1/2 + √(2b/c)·μ·f(0)/3), derived; a thousandth, and N·(F(δ) − f(0)δ)")
		want = x * (0.5 + x*j.atZero/6)
		ours.Check("N times the error of the least time, "+j.name, events*least[last], want, (0.001+more)*want,
			"√(2bc)·(1/2 + √(2b/c)·μ·f(0)/6), derived; a thousandth, and N·(F(δ) − f(0)δ)")
		slowest[0], slowest[1] = min(slowest[0], math.Log10(width[last-1]/width[last])),
			min(slowest[1], math.Log10(least[last-1]/least[last]))
		if j.atZero > 0 {
			limits = append(limits, fmt.Sprintf("%.3f/N² and %.3f/N for %s jumps", events*events*width[last],
				events*least[last], j.name))
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
	f.Measured = fmt.Sprintf("Exactly, with b = c = d = μ = 1, the width and the least time are off by %s; over six "+
		"jumps the "+
		"orders from 10⁵ to 10⁶ events are N^−%.2f and N^−%.2f at worst.",
		strings.Join(limits, ", "), slowest[0], slowest[1])
	f.Chart("theorem-2.1-orders", chart)
}

// shapeIndependence is that nothing but the mean of the jump matters.
func shapeIndependence(r *runner) reproduce.Finding {
	all := []jumps{exponentialJumps(), uniformJumps(1), triangularJumps(), gammaJumps(20), gammaJumps(1.2),
		lognormalJumps(1.5)}
	ratios := []float64{0.25, 0.5, 1, 2, 4}
	r.Runs(len(all) * len(ratios))
	points := make([][]widthPoint, len(all))
	for k, j := range all {
		for i, ratio := range ratios {
			h := hold{jumps: j, n: 1000, width: ratio * r.width(1000, 1), events: r.events(800_000),
				stream: uint64(k*len(ratios) + i)}
			p := r.widthPoint(h)
			points[k] = append(points[k], p)
		}
	}
	var f reproduce.Finding
	chart := plot.Chart{Title: "Width against time per event, 1000 events, jumps of one mean", XLabel: "bucket width",
		YLabel: "time per event",
		LogX:   true, FromZero: true, LegendBeside: true}
	least, most := math.Inf(1), 0.0
	for k, j := range all {
		worst, off := 0.0, 0.0
		series := plot.Series{Name: j.name}
		for i, p := range points[k] {
			exact := exactCost(unit, 1000, j.law, p.width)
			worst, off = max(worst, p.cost.Outside(p.low, p.high)), max(off, p.cost.Outside(exact, exact))
			series.Add(p.width, p.cost.Mean)
			if ratios[i] == 1 {
				least, most = min(least, p.cost.Mean), max(most, p.cost.Mean)
				near(f.For(reproduce.Printed), "cost at the best width, "+j.name, p.cost, r.least, p.low, p.high,
					restOf(1000), becauseNear)
			}
		}
		worstOf(f.For(reproduce.Printed), "how far a cost is outside of its bounds, in standard errors, at most, "+j.name,
			worst, len(ratios))
		worstOf(f.For(reproduce.Control), "how far a cost is from the exact one, in standard errors, at most, "+j.name, off,
			len(ratios))
		f.Tables = append(f.Tables, widthTable(j.name, points[k]))
		chart.Series = append(chart.Series, series)
	}
	var apart []float64
	for i, ratio := range ratios {
		from, to := math.Inf(1), 0.0 // the bounds of all of them together
		for k := range all {
			from, to = min(from, points[k][i].low), max(to, points[k][i].high)
		}
		some, many := spread(all, 1000, ratio, r.formulas), spread(all, 1_000_000, ratio, r.formulas)
		apart = append(apart, some)
		f.Between(fmt.Sprintf("exact costs at %g times the best width of 1000 events, the largest less the least", ratio),
			some, 0, to-from, 1e-9,
			"the bounds of section A.5 for all these jumps, which are O(1/N) apart; rounding")
		f.Check(fmt.Sprintf("and of 1 000 000 events, over that, at %g times the best width", ratio), many/some, 0.001,
			0.0001, "exact: it falls as 1/N; terms of higher order")
	}
	f.Measured = fmt.Sprintf("At the best width of 1000 events the six jumps take from %.3f to %.3f (2 + √2 = %.3f), "+
		"as simulated; "+
		"exactly they are %.4f apart there and %.4f at four times the width, and a thousandth of that with a thousand "+
		"times the "+
		"events.", least, most, r.least, apart[2], apart[len(apart)-1])
	f.Chart("shape-independence", chart)
	return f
}

// spread is how far the exact costs of jumps are apart.
func spread(all []jumps, n int, ratio float64, t formulas) float64 {
	low, high := math.Inf(1), 0.0
	for _, j := range all {
		c := exactCost(unit, n, j.law, ratio*t.width(n, 1))
		low, high = min(low, c), max(high, c)
	}
	return high - low
}

// atomNearZero is what becomes of Theorem 2.1 without its assumption, that the jump has a density
// and that this is bounded near 0.
//
// By the exact formula the cost is b/x + c(1 + (N−1)·(1/δ)∫₀^δ P) + d with P(u) = (1/μ)∫₀^u (1−F),
// so it differs from b/x + c(1 + x/2) + d by at most a share F(δ) of the lists, and 1/N.
//
// Every density has F(δ) → 0 when N grows and δ falls as 1/N, and so the theorem's limit. One that
// is bounded near 0 has F(δ) = O(1/N), and so the theorem's order. Without the bound the order is
// that of F(δ): for gamma jumps of shape a < 1, N^(−a).
//
// If a mass s of jumps is exactly 0, which is no density, F(δ) → s. An event comes back at once,
// 1/(1−s) times on average, with nobody new in front of it: a bucket dispatches x events, but there
// are (1−s)x of them when it begins. P(u) is about (1−s)u/μ, the cost b/x + c(1 + (1−s)x/2) + d,
// and the least of it c + √(2bc(1−s)) + d at x = √(2b/(c(1−s))).
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
		worstOf(f.For(reproduce.Control), "how far a cost is from the exact one, in standard errors, at most, "+j.name, worst,
			len(sizes))
	}
	judgeAssumption(&f, all, furthest, r.formulas)
	f.Tables = append(f.Tables, table)
	return f
}

// judgeAssumption compares the exact least of each jump with the theorem's. What was simulated is
// so many standard errors off, at most.
func judgeAssumption(f *reproduce.Finding, all []jumps, furthest float64, t formulas) {
	table := reproduce.Table{Name: "the least, exactly", Columns: []string{"events"}}
	chart := plot.Chart{Title: "Distance of the least time per event from c + √(2bc) + d", XLabel: "events",
		YLabel: "distance", LogX: true, LogY: true, LegendBeside: true}
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
	own := f.For(reproduce.Own)
	own.Check("exponential jumps: the error's order, N^−, from 10⁷ to 10⁸ events", orders[0], t.leastOrder, 0.01,
		"exact: terms of higher order are 10⁻⁷ of it")
	for k, shape := range []float64{0.5, 0.25} {
		distance := math.Abs(least[k+1][last] - t.least)
		name := all[k+1].name
		own.Check(name+": the error's order, N^−, from 10⁷ to 10⁸ events", orders[k+1], shape,
			math.Pow(10, -7*shape)+math.Pow(10, -7*(1-shape)),
			"exact: that of F(δ); the next terms, F(δ)² and 1/N, are shares of about N^(−a) and N^(a−1)")
		own.Check(name+": the error with 10⁸ events over that with 100", distance/math.Abs(least[k+1][0]-t.least), 0,
			math.Pow(10, -6*shape)*2,
			"exact: it tends to 0, as N^−shape; twice that for the terms of higher order with 100 events")
	}
	own.Check("half of the jumps 0: the least with 10⁸ events", least[3][last], t.atomLeast(0.5), 1e-7, "exact: O(1/N)")
	f.Measured = fmt.Sprintf("With 10⁸ events the exact least is off 2+√2 by %.1g for exponential jumps (order "+
		"N^−%.2f), %.1g for "+
		"gamma jumps of shape 1/2 (N^−%.2f), %.1g for shape 1/4 (N^−%.2f), and by %.3f with half of the jumps 0, "+
		"where it is %.3f; "+
		"simulated costs are at most %.1f standard errors off the exact ones.",
		math.Abs(least[0][last]-t.least), orders[0], math.Abs(least[1][last]-t.least), orders[1],
		math.Abs(least[2][last]-t.least), orders[2],
		math.Abs(least[3][last]-t.least), least[3][last], furthest)
	f.Tables = append(f.Tables, table)
	f.Chart("atom-near-zero", chart)
}

// emptyShare is how often a visit finds nothing.
func emptyShare(r *runner) reproduce.Finding {
	all, sizes := []jumps{exponentialJumps(), uniformJumps(1)}, []int{1, 10, 100, 1000, 10_000}
	ratios := []float64{0.25, 0.5, 1, math.Sqrt2, 2, 4, 8}
	r.Runs(len(all) * len(sizes) * len(ratios))
	var f reproduce.Finding
	measured := map[int]*plot.Series{}
	runs, furthest := 0, 0.0
	for k, j := range all {
		table := reproduce.Table{Name: "share of empty buckets, " + j.name, Columns: []string{"events", "width", "share",
			"se", "equation 8"}}
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
					f.Check(fmt.Sprintf("share of empty buckets at the best width, %d events", n), q0.Mean, 1/(1+math.Sqrt2),
						reproduce.Sigmas*q0.SE, because)
				}
			}
			worstOf(f.For(reproduce.Printed), fmt.Sprintf("how far a share is from equation 8, in standard errors, at most, "+
				"%d events, %s", n, j.name), worst, len(ratios))
			measured[n] = series
		}
		f.Tables = append(f.Tables, table)
	}
	f.Measured += fmt.Sprintf("; the %d shares, for 1 to 10 000 events and two jumps, are at most %.1f standard "+
		"errors off "+
		"equation 8.", runs, furthest)
	f.Chart("empty-share", emptyChart(sizes, measured))
	return f
}

func emptyChart(sizes []int, measured map[int]*plot.Series) plot.Chart {
	c := plot.Chart{Title: "Share of visits that find an empty bucket", XLabel: "Nδ/μ", YLabel: "share", LogX: true,
		FromZero: true, LegendBeside: true}
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
