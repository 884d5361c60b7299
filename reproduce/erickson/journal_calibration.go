package erickson

import (
	"fmt"
	"math"
	"time"

	"gonum.org/v1/gonum/mat"

	"github.com/almanac-sim/almanac/calendar"
	"github.com/almanac-sim/almanac/calendar/theory"
	"github.com/almanac-sim/almanac/internal/plot"
	"github.com/almanac-sim/almanac/reproduce"
)

// hidden are the costs that the method must find: like the authors' guess, an empty bucket takes far longer than an entry.
var hidden = theory.Costs{Empty: 4, Entry: 1, Fixed: 10}

// journalCalibration is the method by which an implementation's costs are found, and the figure that shows how well they predict.
//
// The time on a machine decides nothing here, and is shown beside. What decides is the work that is counted, at costs that are
// known: the method must find them again, and its curve must go through what was measured.
func journalCalibration(r *runner) reproduce.Finding {
	const n, widths = 10_000, 13
	r.Runs(widths + 1)
	var points []fitPoint
	for i, x := range logarithmic(1./32, 128, widths) {
		h := hold{jumps: exponentialJumps(), n: n, width: x / n, events: r.events(400_000), stream: uint64(i)}
		works := r.run(h)
		points = append(points, fitPoint{x, meanOf(works, func(w calendar.Work) float64 { return costOf(hidden, w) }), exactCost(hidden, n, h.jumps.law, h.width)})
	}
	f := judgeFit(points, r.formulas)
	options := theory.CalibrateOptions{N: n, Repetitions: 3, Least: 2 * time.Millisecond, Seed: r.Options.Seed}
	if r.scale < 1 {
		options.N, options.Repetitions, options.Least = 1000, 1, 50*time.Microsecond
	}
	timed := reproduce.Must(theory.Calibrate(r.Context, options))
	showTimes(&f, timed)
	r.Ran()
	return f
}

// costOf is what an event takes with some costs.
func costOf(k theory.Costs, w calendar.Work) float64 {
	return (k.Empty*float64(w.EmptyBuckets)+k.Entry*float64(w.Traversed))/float64(w.Dispatched) + k.Fixed
}

// A fitPoint is what an event took at x = Nδ/μ, and what it takes exactly.
type fitPoint struct {
	x        float64
	measured reproduce.Estimate
	exact    float64
}

// fit returns the matrix that makes costs of times: least squares of the errors in per cent, since times are orders of magnitude
// apart. What the times are made of is that which the costs multiply.
func fit(points []fitPoint, predicted func(theory.Costs, float64) float64) *mat.Dense {
	a := mat.NewDense(len(points), 3, nil)
	for i, p := range points {
		for k, one := range []theory.Costs{{Empty: 1}, {Entry: 1}, {Fixed: 1}} {
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
	costs := theory.Costs{Empty: found[0], Entry: found[1], Fixed: found[2]}
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
	worstOf(f.For(reproduce.Printed), "how far a prediction is from what was measured, in standard errors, at most", worst, len(points))
	x, least := math.Sqrt(2*costs.Empty/costs.Entry), costs.Entry+math.Sqrt(2*costs.Empty*costs.Entry)+costs.Fixed
	f.Between("the best width of those measured, over that of the costs that are found", best.x/x, 0.5, 2, 0, "a step of the grid")
	f.Measured = fmt.Sprintf("From counted work at b = 4, c = 1, d = 10 the method finds %.3f, %.4f and %.2f, and its curve is at "+
		"most %.2f%% off the 13 points; it puts the best width at x = %.2f and the least at %.2f, where the best of those measured "+
		"is %.2f at x = %.2f. Times on this machine are shown and decide nothing.",
		costs.Empty, costs.Entry, costs.Fixed, 100*apart, x, least, best.measured.Mean, best.x)
	f.Tables = append(f.Tables, table)
	f.Chart("counted", plot.Chart{Title: "Counted and predicted time per event, b = 4, c = 1, d = 10", XLabel: "Nδ/μ", YLabel: "time per event", LogX: true, LogY: true, LegendBeside: true,
		Series: []plot.Series{measured, curve}})
	return f
}

// showTimes adds what was timed, without a check.
func showTimes(f *reproduce.Finding, c *theory.Calibration) {
	table := reproduce.Table{Name: "timed and predicted, ns", Columns: []string{"x", "measured", "predicted"}}
	measured, curve := plot.Series{Name: "measured"}, plot.Series{Name: "predicted", Dashed: true}
	for _, p := range c.Points {
		table.Rows = append(table.Rows, []float64{p.X, 1e9 * p.Measured, 1e9 * p.Predicted})
		measured.Add(p.X, 1e9*p.Measured)
		curve.Add(p.X, 1e9*p.Predicted)
	}
	f.Notes = append(f.Notes, fmt.Sprintf("On this machine, with %d events: b = %.2g ns, c = %.2g ns, d = %.2g ns; times and "+
		"predictions are %.0f%% apart (root mean square), the best width should be at x = %.2g and was at %.2g. The paper's own "+
		"times are of a DEC Alpha.", c.N, 1e9*c.Costs.Empty, 1e9*c.Costs.Entry, 1e9*c.Costs.Fixed, 100*c.Misfit, c.PredictedX, c.BestX))
	f.Tables = append(f.Tables, table)
	f.Chart("timed", plot.Chart{Title: fmt.Sprintf("Timed and predicted, %d events, this machine", c.N), XLabel: "Nδ/μ", YLabel: "ns per event", LogX: true, LogY: true, LegendBeside: true,
		Series: []plot.Series{measured, curve}})
}
