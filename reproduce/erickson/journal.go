package erickson

import (
	"fmt"
	"math"
	"time"

	"gonum.org/v1/gonum/mat"

	"github.com/almanac-sim/almanac/calendar/static"
	"github.com/almanac-sim/almanac/internal/plot"
	"github.com/almanac-sim/almanac/reproduce"
)

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

// hidden are the costs that the method must find: like the authors' guess, an empty bucket takes
// far longer than an entry.
var hidden = static.Costs{Empty: 4, Entry: 1, Fixed: 10}

// journalCalibration is the method by which an implementation's costs are found, and the figure
// that shows how well they predict.
//
// The time on a machine decides nothing here, and is shown beside. What decides is the work that is
// counted, at costs that are known: the method must find them again, and its curve must go through
// what was measured.
func journalCalibration(r *runner) reproduce.Finding {
	const n, widths = 10_000, 13
	r.Runs(widths + 1)
	var points []fitPoint
	for i, x := range logarithmic(1./32, 128, widths) {
		h := hold{jumps: exponentialJumps(), n: n, width: x / n, events: r.events(400_000), stream: uint64(i)}
		works := r.run(h)
		points = append(points, fitPoint{x, meanOf(works, func(w static.Work) float64 { return costOf(hidden, w) }),
			exactCost(hidden, n, h.jumps.law, h.width)})
	}
	f := judgeFit(points, r.formulas)
	options := static.CalibrateOptions{N: n, Repetitions: 3, Least: 2 * time.Millisecond, Seed: r.Options.Seed}
	if r.scale < 1 {
		options.N, options.Repetitions, options.Least = 1000, 1, 50*time.Microsecond
	}
	timed := reproduce.Must(static.Calibrate(r.Context, options))
	showTimes(&f, timed)
	r.Ran()
	return f
}

// costOf is what an event takes with some costs.
func costOf(k static.Costs, w static.Work) float64 {
	return (k.Empty*float64(w.EmptyBuckets)+k.Entry*float64(w.Traversed))/float64(w.Dispatched) + k.Fixed
}

// A fitPoint is what an event took at x = Nδ/μ, and what it takes exactly.
type fitPoint struct {
	x        float64
	measured reproduce.Estimate
	exact    float64
}

// fit returns the matrix that makes costs of times: least squares of the errors in per cent, since
// times are orders of magnitude apart. What the times are made of is that which the costs multiply.
func fit(points []fitPoint, predicted func(static.Costs, float64) float64) *mat.Dense {
	a := mat.NewDense(len(points), 3, nil)
	for i, p := range points {
		for k, one := range []static.Costs{{Empty: 1}, {Entry: 1}, {Fixed: 1}} {
			a.Set(i, k, predicted(one, p.x)/p.measured.Mean)
		}
	}
	weights := mat.NewDense(len(points), len(points), nil)
	for i, p := range points {
		weights.Set(i, i, 1/p.measured.Mean)
	}
	var solve mat.Dense
	if err := solve.Solve(a, weights); err != nil {
		panic(err) // the widths are different, and so are the rows
	}
	return &solve
}

func judgeFit(points []fitPoint, t formulas) reproduce.Finding {
	var f reproduce.Finding
	solve := fit(points, t.predicted)
	var found, se, bias [3]float64
	for k := range found {
		for i, p := range points {
			g := solve.At(k, i)
			found[k] += g * p.measured.Mean
			se[k] = math.Hypot(se[k], g*p.measured.SE)
			// The O(1/N) of the formula, by which the exact cost is off: it shifts what is found.
			bias[k] += g * (p.exact - (hidden.Empty/p.x + hidden.Entry*(1+p.x/2) + hidden.Fixed))
		}
	}
	costs := static.Costs{Empty: found[0], Entry: found[1], Fixed: found[2]}
	for k, want := range []float64{hidden.Empty, hidden.Entry, hidden.Fixed} {
		f.Check(fmt.Sprintf("the cost %c that is found", "bcd"[k]), found[k], want, math.Abs(bias[k])+reproduce.Sigmas*se[k],
			"what the O(1/N) of the formula shifts it by, and 4.5 standard errors")
	}
	table := reproduce.Table{Name: "counted and predicted", Columns: []string{"x", "measured", "se", "predicted", "exact"}}
	measured, curve := plot.Series{Name: "measured"}, plot.Series{Name: "predicted", Dashed: true}
	worst, apart, best := 0.0, 0.0, points[0]
	for _, p := range points {
		predicted := t.predicted(costs, p.x)
		open := math.Abs(p.exact - (hidden.Empty/p.x + hidden.Entry*(1+p.x/2) + hidden.Fixed))
		worst = max(worst, p.measured.Off(predicted, open))
		apart = max(apart, math.Abs(predicted/p.measured.Mean-1))
		if p.measured.Mean < best.measured.Mean {
			best = p
		}
		table.Rows = append(table.Rows, []float64{p.x, p.measured.Mean, p.measured.SE, predicted, p.exact})
		measured.Add(p.x, p.measured.Mean)
	}
	for _, x := range logarithmic(1./32, 128, 100) {
		curve.Add(x, t.predicted(costs, x))
	}
	worstOf(f.For(reproduce.Printed), "how far a prediction is from what was measured, in standard errors, at most", worst,
		len(points))
	x, least := math.Sqrt(2*costs.Empty/costs.Entry), costs.Entry+math.Sqrt(2*costs.Empty*costs.Entry)+costs.Fixed
	f.Between("the best width of those measured, over that of the costs that are found", best.x/x, 0.5, 2, 0,
		"a step of the grid")
	f.Measured = fmt.Sprintf("From counted work at b = 4, c = 1, d = 10 the method finds %.3f, %.4f and %.2f, and its "+
		"curve is at "+
		"most %.2f%% off the 13 points; it puts the best width at x = %.2f and the least at %.2f, where the best of those "+
		"measured "+
		"is %.2f at x = %.2f. Times on this machine are shown and decide nothing.",
		costs.Empty, costs.Entry, costs.Fixed, 100*apart, x, least, best.measured.Mean, best.x)
	f.Tables = append(f.Tables, table)
	f.Chart("counted", plot.Chart{Title: "Counted and predicted time per event, b = 4, c = 1, d = 10", XLabel: "Nδ/μ",
		YLabel: "time per event", LogX: true, LogY: true, LegendBeside: true,
		Series: []plot.Series{measured, curve}})
	return f
}

// showTimes adds what was timed, without a check.
func showTimes(f *reproduce.Finding, c *static.Calibration) {
	table := reproduce.Table{Name: "timed and predicted, ns", Columns: []string{"x", "measured", "predicted"}}
	measured, curve := plot.Series{Name: "measured"}, plot.Series{Name: "predicted", Dashed: true}
	for _, p := range c.Points {
		table.Rows = append(table.Rows, []float64{p.X, 1e9 * p.Measured, 1e9 * p.Predicted})
		measured.Add(p.X, 1e9*p.Measured)
		curve.Add(p.X, 1e9*p.Predicted)
	}
	f.Notes = append(f.Notes, fmt.Sprintf("On this machine, with %d events: b = %.2g ns, c = %.2g ns, d = %.2g ns; "+
		"times and "+
		"predictions are %.0f%% apart (root mean square), the best width should be at x = %.2g and was at %.2g. The "+
		"paper's own "+
		"times are of a DEC Alpha.", c.N, 1e9*c.Costs.Empty, 1e9*c.Costs.Entry, 1e9*c.Costs.Fixed, 100*c.Misfit, c.PredictedX,
		c.BestX))
	f.Tables = append(f.Tables, table)
	f.Chart("timed", plot.Chart{Title: fmt.Sprintf("Timed and predicted, %d events, this machine", c.N), XLabel: "Nδ/μ",
		YLabel: "ns per event", LogX: true, LogY: true, LegendBeside: true,
		Series: []plot.Series{measured, curve}})
}
