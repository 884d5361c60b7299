package erickson

import (
	_ "embed" // of calibrate.json
	"encoding/json"
	"fmt"
	"math"
	"slices"
	"strings"

	"gonum.org/v1/gonum/mat"

	"github.com/almanac-sim/almanac/calendar/static"
	"github.com/almanac-sim/almanac/internal/plot"
	"github.com/almanac-sim/almanac/reproduce"
)

//go:embed calibrate.json
var recordedTimes []byte

// timings are what almanac calibrate --json prints, as far as it is used here.
type timings struct {
	Machine struct {
		CPU   string `json:"cpu"`
		Cores int    `json:"cores"`
		Go    string `json:"go"`
	} `json:"machine"`
	Command      string   `json:"command"`
	Calibrations []timing `json:"calibrations"`
}

// A timing is what an event took at several widths, with so many events.
type timing struct {
	N      int         `json:"n"`
	Points []timePoint `json:"points"`
}

type timePoint struct {
	X        float64 `json:"x"`        // Nδ/μ
	Measured float64 `json:"measured"` // seconds per event
	Spread   float64 `json:"spread"`   // the slowest repetition over the fastest
}

// recorded are times that were measured once.
func recorded() timings {
	var t timings
	if err := json.Unmarshal(recordedTimes, &t); err != nil {
		panic(err)
	}
	return t
}

// timeNow measures the same here and now.
func (r *runner) timeNow() timings {
	t := timings{Command: "almanac reproduce --full"}
	for _, n := range []int{1000, 10_000, 100_000, 1_000_000} {
		c := reproduce.Must(static.Calibrate(r.Context, static.CalibrateOptions{N: n, Repetitions: 9, Seed: r.Options.Seed}))
		points := make([]timePoint, len(c.Points))
		for i, p := range c.Points {
			points[i] = timePoint{p.X, p.Measured, p.Spread}
		}
		t.Calibrations = append(t.Calibrations, timing{n, points})
		r.Ran()
	}
	return t
}

// journalCalibration is the figure by which the journal shows how well the costs predict times, for
// other times: those that were recorded once, or with Full those of this machine. It is decided
// only where repetitions agree well enough for times to decide.
func journalCalibration(r *runner) reproduce.Finding {
	r.Runs(5)
	r.Checkpoint()
	times := r.times()
	if r.Options.Full {
		times = r.timeNow()
	}
	var f reproduce.Finding
	table := reproduce.Table{Name: "costs, ns", Columns: []string{"events", "b", "c", "d", "misfit", "median spread",
		"best x, predicted", "best x, timed"}}
	chart := plot.Chart{Title: "Timed and predicted time per event", XLabel: "Nδ/μ", YLabel: "ns per event", LogX: true,
		LogY: true, LegendBeside: true}
	misfits, noisiest := make([]string, len(times.Calibrations)), 0.0
	for _, t := range times.Calibrations {
		noisiest = max(noisiest, t.spread())
	}
	for i, t := range times.Calibrations {
		costs, misfit := t.fit(r.predicted)
		best := slices.MinFunc(t.Points, func(a, b timePoint) int { return int(math.Copysign(1, a.Measured-b.Measured)) })
		table.Rows = append(table.Rows, []float64{float64(t.N), 1e9 * costs.Empty, 1e9 * costs.Entry, 1e9 * costs.Fixed,
			misfit, t.spread(), math.Sqrt(2 * math.Abs(costs.Empty/costs.Entry)), best.X})
		measured := plot.Series{Name: fmt.Sprintf("timed, %d events", t.N)}
		curve := plot.Series{Name: "predicted", Dashed: true, Same: true}
		for _, p := range t.Points {
			measured.Add(p.X, 1e9*p.Measured)
			curve.Add(p.X, 1e9*math.Abs(r.predicted(costs, p.X)))
		}
		chart.Series = append(chart.Series, measured, curve)
		misfits[i] = fmt.Sprintf("%.0f%% with %d", 100*misfit, t.N)
		if noisiest <= reproduce.Chosen("calendar: quiet machine").Value {
			f.For(reproduce.Printed).AtMost(fmt.Sprintf("times and predictions apart, root mean square, %d events", t.N), misfit,
				reproduce.Chosen("calendar: accurate times"))
		}
	}
	words := fmt.Sprintf("times at 23 widths over a factor of 4096 and the curve are apart by %s events (root mean "+
		"square); the slowest of the repetitions of a width took %.1f times as long as the fastest, in the median, at the "+
		"noisiest size.", strings.Join(misfits, ", "), noisiest)
	if r.Options.Full {
		f.Timed = "On this machine, " + words
	} else {
		f.Measured = fmt.Sprintf("Recorded on a machine with %d cores that others used (%s, %s), ", times.Machine.Cores,
			times.Machine.CPU, times.Machine.Go) + words
	}
	f.Tables = append(f.Tables, table)
	f.Chart("journal-calibration", chart)
	r.Ran()
	return f
}

// spread is the median spread of the widths.
func (t timing) spread() float64 {
	all := make([]float64, len(t.Points))
	for i, p := range t.Points {
		all[i] = p.Spread
	}
	slices.Sort(all)
	return all[len(all)/2]
}

// fit finds the costs by least squares, and how far times and predictions are apart: the root of
// the mean square, as a share of the times.
func (t timing) fit(predicted func(static.Costs, float64) float64) (costs static.Costs, misfit float64) {
	points := make([]fitPoint, len(t.Points))
	for i, p := range t.Points {
		points[i] = fitPoint{x: p.X, measured: reproduce.Estimate{Mean: p.Measured}}
	}
	solve := fit(points, predicted)
	var found [3]float64
	for k := range found {
		for i, p := range points {
			found[k] += solve.At(k, i) * p.measured.Mean
		}
	}
	costs = static.Costs{Empty: found[0], Entry: found[1], Fixed: found[2]}
	for _, p := range points {
		off := predicted(costs, p.x)/p.measured.Mean - 1
		misfit += off * off / float64(len(points))
	}
	return costs, math.Sqrt(misfit)
}

// hidden are the costs that the method must find: like the authors' guess, an empty bucket takes
// far longer than an entry.
var hidden = static.Costs{Empty: 4, Entry: 1, Fixed: 10}

// calibrationCounts is the journal's method applied to counted work, at costs that are known: it
// must find them again, and its curve must go through what was measured.
func calibrationCounts(r *runner) reproduce.Finding {
	const n, widths = 10_000, 13
	r.Runs(widths)
	var points []fitPoint
	for i, x := range logarithmic(1./32, 128, widths) {
		h := hold{jumps: exponentialJumps(), n: n, width: x / n, events: r.events(250_000), stream: uint64(i)}
		works := r.run(h)
		points = append(points, fitPoint{x, meanOf(works, func(w static.Work) float64 { return costOf(hidden, w) }),
			exactCost(hidden, n, h.jumps.law, h.width)})
	}
	return judgeFit(points, r.formulas)
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
		f.For(reproduce.Own).Check(fmt.Sprintf("the cost %c that is found", "bcd"[k]), found[k], want,
			math.Abs(bias[k])+reproduce.Sigmas*se[k],
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
	worstOf(f.For(reproduce.Own), "how far a prediction is from what was measured, in standard errors, at most", worst,
		len(points))
	x, least := math.Sqrt(2*costs.Empty/costs.Entry), costs.Entry+math.Sqrt(2*costs.Empty*costs.Entry)+costs.Fixed
	f.For(reproduce.Own).Between("the best width of those measured, over that of the costs that are found",
		best.x/x, 0.5, 2, 0,
		"a step of the grid")
	f.Measured = fmt.Sprintf("From counted work at b = 4, c = 1, d = 10 the method finds %.3f, %.4f and %.2f, and its "+
		"curve is at "+
		"most %.2f%% off the 13 points; it puts the best width at x = %.2f and the least at %.2f, where the best of those "+
		"measured is %.2f at x = %.2f.",
		costs.Empty, costs.Entry, costs.Fixed, 100*apart, x, least, best.measured.Mean, best.x)
	f.Tables = append(f.Tables, table)
	f.Chart("counted", plot.Chart{Title: "Counted and predicted time per event, b = 4, c = 1, d = 10", XLabel: "Nδ/μ",
		YLabel: "time per event", LogX: true, LogY: true, LegendBeside: true,
		Series: []plot.Series{measured, curve}})
	return f
}
